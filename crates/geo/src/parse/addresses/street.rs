//! The street of an address: what stands before postcode and town. How it is found as English is written
//! stands in `english`, what its name is made of in `name`.

use super::name::Name;
use super::number::{extent, is_house, is_id, is_numbered, is_ordinal, key};
use super::pieces::{Piece, Sep};
use super::vocabulary as words;
use crate::parse::cues::is_calendar;

/// Longest street name, in words.
pub(super) const LONGEST: usize = 8;
/// Parts between street and town that say something else: a district, a building, a company.
pub(super) const SKIPPED: usize = 2;
/// Words of such a part.
pub(super) const SKIPPED_WORDS: usize = 5;

/// A street and number.
#[derive(Clone, Debug)]
pub(super) struct Street {
    /// Where it begins.
    pub(super) start: usize,
    pub(super) street: String,
    pub(super) number: String,
    /// A word for a street is in it.
    pub(super) sure: bool,
    /// The languages that word is of.
    pub(super) languages: u16,
    /// How much it is like one.
    pub(super) score: f64,
    /// Something else stands between it and what follows.
    pub(super) apart: bool,
}

/// Parts of what stands before a postcode, each from a separator to the next.
pub(super) fn segments(pieces: &[Piece<'_>]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match found.last_mut() {
            Some(last) if piece.sep == Sep::Space => last.1 = index + 1,
            _ => found.push((index, index + 1)),
        }
    }
    found
}

pub(super) fn written(pieces: &[Piece<'_>], text: &str) -> String {
    match (pieces.first(), pieces.last()) {
        (Some(first), Some(last)) => {
            let slice = text.get(first.start..last.end).unwrap_or_default();
            slice.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

/// Whether a part is a floor, a flat, a box at the post office, or what a form says of it.
pub(super) fn is_aside(part: &[Piece<'_>]) -> bool {
    let keys: Vec<&str> = part.iter().map(Piece::key).collect();
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return true };
    let is_unit = |word: &str| words::is_unit(word);
    let label = keys.iter().all(|word| words::is_label(word));
    let ids = |keys: &[Piece<'_>]| {
        keys.iter().all(|piece| is_id(piece.text) || is_ordinal(piece.text) || is_unit(piece.key()))
    };
    label
        || part[0].text.starts_with('#')
        || is_unit(first) && part.len() <= 4 && ids(&part[1..])
        || part.len() <= 4
            && (is_ordinal(part[0].text) || is_id(part[0].text) || part.len() <= 3)
            && (words::is_counted(last) || is_unit(last))
            && part.len() >= 2
        || part.len() <= 3 && is_ordinal(part[0].text) && ids(&part[1..])
        || part.len() == 1 && (words::is_counted(first) || words::is_direction(first) || is_flat_code(part[0].text))
        || words::is_box(&crate::fold(&part.iter().map(|piece| piece.text).collect::<Vec<_>>().join(" ")))
        || keys.join(" ").starts_with("c o ")
}

/// A Norwegian flat: `H0203`.
fn is_flat_code(word: &str) -> bool {
    word.len() == 5 && word.starts_with(['H', 'L', 'U', 'K']) && word.bytes().skip(1).all(|b| b.is_ascii_digit())
}

impl Street {
    /// The street before a postcode that stands before its town.
    pub(super) fn before_postcode(text: &str, pieces: &[Piece<'_>], last: Sep) -> Option<Self> {
        let parts = segments(pieces);
        // First past floors and flats; then they may be streets after all: "Hof 5".
        Self::in_parts(text, pieces, &parts, last, is_aside)
            .or_else(|| Self::in_parts(text, pieces, &parts, last, |_| false))
            .or_else(|| {
                let &(from, to) = parts.last()?;
                Self::number_then_name(text, &pieces[from..to])
            })
    }

    fn in_parts(
        text: &str,
        pieces: &[Piece<'_>],
        parts: &[(usize, usize)],
        last: Sep,
        aside: fn(&[Piece<'_>]) -> bool,
    ) -> Option<Self> {
        let (mut skipped, mut after) = (0, last);
        for (index, &(from, to)) in parts.iter().enumerate().rev() {
            if after == Sep::Stop {
                return None;
            }
            after = pieces[from].sep;
            let part = &pieces[from..to];
            if aside(part) {
                continue;
            }
            let found = Self::number_first(text, pieces, parts, index)
                .or_else(|| Self::number_last(text, pieces, parts, index));
            if let Some(found) = found.filter(|found| found.sure || skipped == 0) {
                return Some(Self { apart: skipped > 0, ..found });
            }
            // "Friedrichstr. 123 in 10117 Berlin"
            if index + 1 == parts.len()
                && part.len() > 2
                && matches!(part[part.len() - 1].text, "in" | "à" | "en" | "a" | "i" | "w" | "v")
            {
                let shorter: Vec<Piece<'_>> = pieces[..to - 1].to_vec();
                return Self::in_parts(text, &shorter, &segments(&shorter), last, aside);
            }
            // A number alone belongs to the street before it.
            if part.len() == 1 && is_house(part[0].text) {
                continue;
            }
            skipped += 1;
            let plain = part.len() <= SKIPPED_WORDS && part.iter().all(|piece| !piece.has_digit());
            if !plain || skipped > SKIPPED {
                break;
            }
        }
        None
    }

    /// `12 rue de Rivoli`, `12, rue de Rivoli`: the word for a street follows the number.
    fn number_first(text: &str, pieces: &[Piece<'_>], parts: &[(usize, usize)], index: usize) -> Option<Self> {
        let (from, to) = parts[index];
        let opens = |at: usize| {
            let meaning = words::meaning(&first_key(pieces[at].text));
            let languages = meaning.first & words::NUMBER_FIRST;
            (languages != 0 && at + 1 < to).then_some(languages)
        };
        let make = |number: (usize, usize), street_from: usize, languages: u16| {
            let end = cut_unit(pieces, street_from, to);
            let street = &pieces[street_from..end];
            (street.len() >= 2 && street.len() <= LONGEST && has_name(&street[1..])).then(|| Self {
                start: pieces[number.0].start,
                street: written(street, text),
                number: written(&pieces[number.0..number.1], text),
                sure: true,
                languages,
                score: 2.0,
                apart: false,
            })
        };
        for at in (from..to).rev().filter(|at| is_house(pieces[*at].text)) {
            let (number_end, _) = extent(pieces, at, to);
            for street_from in [number_end, at + 1] {
                if street_from < to
                    && let Some(languages) = opens(street_from)
                    && let Some(found) = make((at, street_from), street_from, languages)
                {
                    return Some(found);
                }
            }
        }
        // The number is a part of its own.
        let languages = opens(from)?;
        let (before_from, before_to) = parts[index.checked_sub(1)?];
        let at = (before_from..before_to)
            .find(|at| is_house(pieces[*at].text) && extent(pieces, *at, before_to).1 == before_to)?;
        // "Galerie 5, Rue de la Loi 16": the street has a number of its own.
        let own = to - from > 2 && is_house(pieces[to - 1].text) && pieces[to - 1].text.len() < 4;
        (!own && matches!(pieces[from].sep, Sep::Comma | Sep::Line)).then(|| make((at, before_to), from, languages))?
    }

    /// `Hauptstraße 5`, `Via Roma, 5`, `ul. Długa 15/3`: the number follows.
    fn number_last(text: &str, pieces: &[Piece<'_>], parts: &[(usize, usize)], index: usize) -> Option<Self> {
        let (from, to) = parts[index];
        // "Rua …, Lote 9": the plot is the number.
        if index > 0
            && to - from == 2
            && matches!(pieces[from].key(), "lote" | "lt" | "km" | "parcela" | "nave")
            && is_id(pieces[to - 1].text)
        {
            let (before_from, before_to) = parts[index - 1];
            let name =
                Name::of(pieces, before_from, before_to).filter(|name| name.sure && pieces[from].sep != Sep::Stop)?;
            return Some(Self {
                start: pieces[name.from].start,
                street: written(&pieces[name.from..before_to], text),
                number: written(&pieces[from..to], text),
                sure: true,
                languages: name.languages,
                score: 1.5,
                apart: false,
            });
        }
        let at = (from..to)
            .find(|at| is_house(pieces[*at].text) && extent(pieces, *at, to).1 == to && (*at > from || index > 0))?;
        let (number_end, _) = extent(pieces, at, to);
        let mut street_to = at;
        if street_to > from && is_numbered(pieces[street_to - 1].text) {
            street_to -= 1;
        }
        let alone = street_to == from;
        let zone = if alone {
            let (before_from, before_to) = parts[index.checked_sub(1)?];
            if pieces[from].sep == Sep::Stop {
                return None;
            }
            before_from..before_to
        } else {
            from..street_to
        };
        let name = Name::of(pieces, zone.start, zone.end)?;
        if alone && !name.sure {
            return None;
        }
        let street = &pieces[name.from..zone.end];
        let number = written(&pieces[at..number_end], text);
        if !name.sure && is_something_else(street, &number) {
            return None;
        }
        Some(Self {
            start: pieces[name.from].start,
            street: written(street, text),
            number,
            sure: name.sure,
            languages: name.languages,
            score: if name.sure { 2.0 } else { 0.5 },
            apart: false,
        })
    }

    /// `3 Le Bourg`, `12 Grande Rue`: a number and a name that fill a line.
    fn number_then_name(text: &str, part: &[Piece<'_>]) -> Option<Self> {
        // "…, au 62 La Canebière"
        let at = part.iter().rposition(|piece| is_house(piece.text))?;
        let led = at > 0 && matches!(part[at - 1].text, "au" | "à" | "at");
        let (first, rest) = part[at..].split_first()?;
        let named = rest.iter().all(|piece| piece.is_capitalised() || words::is_particle(&piece.folded()));
        if first.sep < Sep::Comma && !led || !(1..=5).contains(&rest.len()) || !named || !has_name(rest) {
            return None;
        }
        let street = written(rest, text);
        if is_something_else(rest, first.text) || is_aside(rest) {
            return None;
        }
        let last = rest[rest.len() - 1].key();
        let sure = matches!(last, "grand rue" | "grande rue" | "grandrue" | "grand place")
            || rest.len() > 1 && matches!(last, "rue" | "place" | "chemin" | "cours" | "quai");
        let languages = if sure { words::NUMBER_FIRST } else { 0 };
        Some(Self {
            start: first.start,
            street,
            number: first.text.to_owned(),
            sure,
            languages,
            score: if sure { 2.0 } else { 0.0 },
            apart: false,
        })
    }
}

/// Where a street ends before a flat or floor.
pub(super) fn cut_unit(pieces: &[Piece<'_>], from: usize, to: usize) -> usize {
    (from + 1..to)
        .find(|at| {
            let (word, next) = (pieces[*at].key(), pieces.get(*at + 1).filter(|_| *at + 1 < to));
            let next_is_id = next.is_some_and(|next| is_id(next.text) || next.text.starts_with('#'));
            pieces[*at].text.starts_with('#')
                || words::is_unit(word)
                    && next_is_id
                    && !words::is_direction(word)
                    && !matches!(word, "st" | "la" | "no" | "a" | "m")
                || is_ordinal(pieces[*at].text)
                    && next.is_some_and(|next| words::is_counted(next.key()) && !matches!(next.key(), "st"))
                || matches!(
                    word,
                    "suite" | "ste" | "apt" | "apartment" | "unit" | "bldg" | "rm" | "room" | "pob" | "po"
                )
                || next.is_none() && matches!(word, "floor" | "flr" | "penthouse") && *at > from + 1
        })
        .unwrap_or(to)
}

/// The first word of a street, of which "C/Mayor" is two.
pub(super) fn first_key(word: &str) -> String {
    match word.split_once('/') {
        Some((kind, _)) if !kind.is_empty() && kind.len() <= 3 && !kind.bytes().any(|b| b.is_ascii_digit()) => {
            key(kind)
        }
        _ => match word.split_once(['\'', '’']) {
            Some((kind, rest)) if rest.len() > 2 && kind.len() > 3 => key(kind),
            _ => key(word),
        },
    }
}

fn has_name(part: &[Piece<'_>]) -> bool {
    part.iter().any(|piece| piece.text.chars().filter(|c| c.is_alphabetic()).count() > 1 || piece.has_digit())
}

/// Whether a name and a number, without a word for a street, are rather a date, a page or a telephone.
pub(super) fn is_something_else(street: &[Piece<'_>], number: &str) -> bool {
    let is_year = number.len() == 4 && matches!(number.parse(), Ok(1500..=2100));
    let short = !street.iter().any(|piece| piece.text.chars().filter(|c| c.is_alphabetic()).count() > 2);
    is_year
        || short
        || street.iter().any(|piece| words::is_no_street(&piece.folded()) || is_calendar(&piece.text.to_lowercase()))
        || street.iter().all(|piece| words::is_label(&piece.folded()))
}
