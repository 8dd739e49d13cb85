//! The street of an address: what stands before postcode and town.

use super::number::{extent, is_english_house, is_grid, is_house, is_id, is_numbered, is_ordinal, key};
use super::pieces::{Piece, Sep};
use super::vocabulary::{self as words, Meaning};
use crate::parse::cues::is_calendar;

/// Longest street name, in words.
const LONGEST: usize = 8;
/// Parts between street and town that say something else: a district, a building, a company.
const SKIPPED: usize = 2;
/// Words of such a part.
const SKIPPED_WORDS: usize = 5;

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
fn segments(pieces: &[Piece<'_>]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match found.last_mut() {
            Some(last) if piece.sep == Sep::Space => last.1 = index + 1,
            _ => found.push((index, index + 1)),
        }
    }
    found
}

fn written(pieces: &[Piece<'_>], text: &str) -> String {
    match (pieces.first(), pieces.last()) {
        (Some(first), Some(last)) => {
            let slice = text.get(first.start..last.end).unwrap_or_default();
            slice.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

/// Whether a part is a floor, a flat, a box at the post office, or what a form says of it.
fn is_aside(part: &[Piece<'_>]) -> bool {
    let keys: Vec<String> = part.iter().map(|piece| key(piece.text)).collect();
    let (Some(first), Some(last)) = (keys.first(), keys.last()) else { return true };
    let is_unit = |word: &str| words::is_unit(word);
    let label = keys.iter().all(|word| words::is_label(word));
    let ids = |keys: &[Piece<'_>]| {
        keys.iter().all(|piece| is_id(piece.text) || is_ordinal(piece.text) || is_unit(&key(piece.text)))
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
            && matches!(key(pieces[from].text).as_str(), "lote" | "lt" | "km" | "parcela" | "nave")
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
        let last = key(rest[rest.len() - 1].text);
        let sure = matches!(last.as_str(), "grand rue" | "grande rue" | "grandrue" | "grand place")
            || rest.len() > 1 && matches!(last.as_str(), "rue" | "place" | "chemin" | "cours" | "quai");
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

    /// The street before a town that stands before its postcode, as English is written.
    pub(super) fn before_town(text: &str, pieces: &[Piece<'_>]) -> Option<Self> {
        let parts = segments(pieces);
        let mut skipped = 0;
        for (index, &(from, to)) in parts.iter().enumerate().rev() {
            let found = (from..to)
                .filter(|at| is_english_house(pieces[*at].text) && !follows_unit(pieces, from, *at))
                .filter(|at| {
                    // "Nine North Drive" after a number is a name; after a flat it is the house.
                    let first = *at == from || !is_house(pieces[*at - 1].text) || follows_unit(pieces, from, *at - 1);
                    first || is_grid(pieces[*at].text)
                })
                .filter_map(|at| {
                    if at + 1 < to {
                        let next = parts.get(index + 1).map(|(from, to)| &pieces[*from..*to]);
                        return Self::english(text, pieces, at, to).map(|found| found.with_direction(next));
                    }
                    // "1234, rue Saint-Denis": the street is the part that follows.
                    let &(next_from, next_to) = parts.get(index + 1)?;
                    let languages = words::meaning(&first_key(pieces[next_from].text)).first & words::NUMBER_FIRST;
                    let street = &pieces[next_from..next_to];
                    (languages != 0 && street.len() >= 2).then(|| Self {
                        start: pieces[at].start,
                        street: written(street, text),
                        number: pieces[at].text.to_owned(),
                        sure: true,
                        languages,
                        score: 2.0,
                        apart: false,
                    })
                })
                // Of equals the last: it is nearest to its street.
                .max_by(|a, b| a.score.total_cmp(&b.score));
            if let Some(found) = found
                && (found.sure || skipped == 0 && found.score > 0.0)
            {
                return Some(Self { apart: skipped > 0, ..found });
            }
            let part = &pieces[from..to];
            let unit = |piece: &Piece<'_>| key(piece.text).len() > 1 && words::is_unit(&key(piece.text));
            let numbered = part.len() == 1 && part[0].has_digit() && is_id(part[0].text);
            if is_aside(part) || numbered || part.len() <= 4 && !part[0].has_digit() && part.iter().any(unit) {
                continue;
            }
            skipped += 1;
            if part.len() > SKIPPED_WORDS || skipped > SKIPPED + 1 || pieces[from].sep == Sep::Stop {
                return None;
            }
        }
        None
    }

    /// `1800 M Street, NW`: the direction is part of the street.
    fn with_direction(mut self, next: Option<&[Piece<'_>]>) -> Self {
        if let Some(first) = next.and_then(|next| next.first())
            && matches!(key(first.text).as_str(), "n" | "s" | "e" | "w" | "ne" | "nw" | "se" | "sw")
            && first.sep == Sep::Comma
            && self.sure
        {
            self.street = format!("{} {}", self.street, first.text);
            let more = next.and_then(|next| next.get(1)).filter(|more| first.text.len() <= 2 && more.text.len() <= 2);
            if let Some(more) = more.filter(|more| words::is_direction(&key(more.text))) {
                self.street = format!("{} {}", self.street, more.text);
            }
        }
        self
    }

    /// Number first, the kind of street last: `12 George Street`, `100 Queen St W Suite 5`.
    fn english(text: &str, pieces: &[Piece<'_>], at: usize, to: usize) -> Option<Self> {
        let mut from = at + 1;
        // "N165 W2123", "123 1/2", "400 A South Boulevard"
        if is_grid(pieces[at].text) && is_grid(pieces[from].text) || matches!(pieces[from].text, "1/2" | "½") {
            from += 1;
        } else if is_grid(pieces[at].text) && pieces[at].text.len() < 7 {
            return None;
        } else if to - from >= 3 && pieces[from].text.len() == 1 {
            let letter = key(pieces[from].text);
            let typed = words::is_english_last(&key(pieces[from + 1].text));
            let initial = matches!(key(pieces[from + 1].text).as_str(), "s" | "and");
            if letter.bytes().all(|b| b.is_ascii_alphabetic()) && !words::is_direction(&letter) && !typed && !initial {
                from += 1;
            }
        }
        let end = cut_unit(pieces, from, to);
        let left_over = if end == to { 0 } else { to - unit_end(pieces, end, to) };
        // A building may follow the street without a comma: "850 Jaeger St Jaeger Square".
        let cuts = (from + 2..end).filter(|cut| {
            let kind = key(pieces[*cut - 1].text);
            is_strong(&kind) && kind != "way" && !words::is_direction(&key(pieces[*cut].text))
                || *cut > from + 2 && words::is_direction(&kind) && is_strong(&key(pieces[*cut - 2].text))
        });
        let name = |end: usize, spare: usize| {
            let street = pieces.get(from..end).filter(|street| (1..=LONGEST).contains(&street.len()))?;
            let judged = Judged::of(street)?;
            Some((judged.score - spare as f64 * 0.8, end, judged))
        };
        let whole = name(end, left_over);
        let cut = cuts
            .filter_map(|cut| name(cut, 0).map(|(score, ..)| (score - 0.5 - 0.2 * (end - cut) as f64, cut)))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let (score, end) = match (&whole, cut) {
            (Some((score, end, _)), Some((cut_score, _))) if *score >= cut_score => (*score, *end),
            (_, Some((score, cut))) => (score, cut),
            (Some((score, end, _)), None) => (*score, *end),
            (None, None) => return None,
        };
        // What follows the kind of street and is a number is a flat: "101 W. Grand Ave. 600".
        let mut end = end;
        let mut score = score;
        if end - from >= 2 && is_flat_after(&pieces[from..end]) {
            end -= 1;
            score = name(end, left_over)?.0 - 0.1;
        }
        let judged = Judged::of(&pieces[from..end])?;
        let number = written(&pieces[at..from], text);
        // Old houses have numbers like years; new years rather are years.
        let year = matches!(number.parse(), Ok(1990..=2035));
        if !judged.sure && is_something_else(&pieces[from..end], if year { &number } else { "" }) {
            return None;
        }
        Some(Self {
            start: pieces[at].start,
            street: written(&pieces[from..end], text),
            number,
            sure: judged.sure,
            languages: judged.languages,
            score,
            apart: false,
        })
    }
}

/// How much words are like a street as English has them.
struct Judged {
    score: f64,
    sure: bool,
    languages: u16,
}

impl Judged {
    fn of(street: &[Piece<'_>]) -> Option<Self> {
        let keys: Vec<String> = street.iter().map(|piece| key(piece.text)).collect();
        let small = street.iter().all(|piece| !piece.is_capitalised());
        let mut core = keys.len();
        while core > 1
            && (words::is_direction(&keys[core - 1])
                || core > 2 && matches!(keys[core - 1].as_str(), "business" | "bus" | "ext"))
        {
            core -= 1;
        }
        let numbered = |word: &str| word.bytes().any(|b| b.is_ascii_digit());
        let leading =
            keys.iter().take_while(|word| words::is_direction(word) || matches!(word.as_str(), "old" | "new")).count();
        let lead = leading.min(core.checked_sub(1)?);
        let typed = core >= 2 && words::is_english_last(&keys[core - 1]) || core == 1 && is_whole(&keys[0]);
        let french = words::meaning(&first_key(street[lead].text)).first & words::NUMBER_FIRST != 0 && core > lead + 1;
        let last = &keys[core - 1];
        let coded = core >= 2
            && is_coded(&keys[..core - 1])
            && (numbered(last)
                || last.len() <= 3 && street[core - 1].is_capitalised() && !words::is_english_last(last))
            || core == lead + 2 && matches!(keys[lead].as_str(), "ave" | "avenue" | "avenida") && last.len() == 1
            || core >= 3 && keys[core - 2] == "no" && words::is_english_first(&keys[core - 3]) && numbered(last);
        let about_kind = core > lead + 2
            && words::is_english_last(&keys[lead])
            && matches!(keys[lead + 1].as_str(), "of" | "de" | "des");
        let grid = core >= 2 && lead + 1 == core && is_ordinal(street[core - 1].text)
            || core >= 2 && keys.len() > core && numbered(last)
            || core == 1 && keys.len() > 1 && numbered(&keys[0]);
        let mut score = match () {
            () if typed => 2.0,
            () if french || about_kind => 1.9,
            () if coded => 1.8,
            () if grid => 1.4,
            () if lead > 0 || keys.len() > core => 0.7,
            () => 0.2,
        };
        let sure = score > 1.0;
        for (index, word) in keys.iter().enumerate() {
            if index + 1 < core && index > 0 && is_strong(word) && !coded && !french && !is_final(last) {
                // "St" before a name is a saint.
                score -= if matches!(word.as_str(), "st" | "mt" | "ft") { 0.6 } else { 1.2 };
            }
            let small_word = !street[index].is_capitalised() && !numbered(word) && !words::is_particle(word);
            if small_word && !small && !words::is_direction(word) && !words::is_english_last(word) && !french {
                score -= 2.0;
            }
            if index > 0 && numbered(word) && !is_ordinal(street[index].text) && !coded && !grid {
                score -= 1.0;
            }
        }
        if small {
            score -= 0.1;
        }
        let languages = if french {
            words::NUMBER_FIRST
        } else if sure {
            words::ENGLISH
        } else {
            0
        };
        Some(Self { score, sure, languages })
    }
}

/// Whether words end with a kind of road that has a number for a name: "County Road", "Hwy".
fn is_coded(keys: &[String]) -> bool {
    let Some((last, before)) = keys.split_last() else { return false };
    let of = before.last().map_or("", String::as_str);
    let plain = matches!(last.as_str(), "road" | "rd" | "street" | "st");
    words::is_english_first(last)
        && (!plain || matches!(of, "county" | "country" | "state" | "farm" | "ranch" | "township"))
}

/// Whether the last of the words is a flat's number: after a kind of street, or after a name with a direction.
fn is_flat_after(street: &[Piece<'_>]) -> bool {
    let Some((last, rest)) = street.split_last() else { return false };
    let before = rest.last().map(|piece| key(piece.text)).unwrap_or_default();
    let code = last.has_digit() && is_id(last.text) && !is_ordinal(last.text);
    let typed = rest.len() >= 2
        && (is_strong(&before) || words::is_direction(&before) && before != "no")
        && !is_coded(&rest.iter().map(|piece| key(piece.text)).collect::<Vec<_>>());
    let directed = rest.len() >= 2 && words::is_direction(&key(rest[0].text)) && !words::is_english_first(&before);
    code && (typed || directed)
}

/// Streets whose name is a word for a street alone.
fn is_whole(word: &str) -> bool {
    matches!(
        word,
        "broadway" | "strand" | "parkway" | "esplanade" | "promenade" | "boulevard" | "bowery" | "embankment"
    ) || word.len() > 7 && words::is_english_last(word)
}

/// Kinds of streets that are hardly anything else.
fn is_strong(word: &str) -> bool {
    matches!(
        word,
        "street"
            | "st"
            | "road"
            | "rd"
            | "avenue"
            | "ave"
            | "drive"
            | "dr"
            | "lane"
            | "ln"
            | "court"
            | "ct"
            | "boulevard"
            | "blvd"
            | "circle"
            | "cir"
            | "place"
            | "pl"
            | "terrace"
            | "ter"
            | "parkway"
            | "pkwy"
            | "highway"
            | "hwy"
            | "trail"
            | "trl"
            | "crescent"
            | "cres"
    )
}

/// Of them, those that end a street whatever came before: "39th Street Pl", "Sleepy Avenue West Rd".
fn is_final(word: &str) -> bool {
    matches!(
        word,
        "street"
            | "st"
            | "road"
            | "rd"
            | "avenue"
            | "ave"
            | "drive"
            | "dr"
            | "lane"
            | "ln"
            | "court"
            | "ct"
            | "crt"
            | "circle"
            | "cir"
            | "place"
            | "pl"
            | "boulevard"
            | "blvd"
    )
}

fn follows_unit(pieces: &[Piece<'_>], from: usize, at: usize) -> bool {
    at > from && {
        let before = key(pieces[at - 1].text);
        pieces[at - 1].text == "#"
            || words::is_unit(&before)
                && !pieces[at].text.contains('/')
                && before != "no"
                && before != "ground"
                && !(at >= from + 2 && is_ordinal(pieces[at - 2].text))
            || words::is_english_first(&before) && before.len() > 1
            || words::is_box(&before)
    }
}

/// Where a street ends before a flat or floor.
fn cut_unit(pieces: &[Piece<'_>], from: usize, to: usize) -> usize {
    (from + 1..to)
        .find(|at| {
            let (word, next) = (key(pieces[*at].text), pieces.get(*at + 1).filter(|_| *at + 1 < to));
            let next_is_id = next.is_some_and(|next| is_id(next.text) || next.text.starts_with('#'));
            pieces[*at].text.starts_with('#')
                || words::is_unit(&word)
                    && next_is_id
                    && !words::is_direction(&word)
                    && !matches!(word.as_str(), "st" | "la" | "no" | "a" | "m")
                || is_ordinal(pieces[*at].text)
                    && next.is_some_and(|next| {
                        words::is_counted(&key(next.text)) && !matches!(key(next.text).as_str(), "st")
                    })
                || matches!(
                    word.as_str(),
                    "suite" | "ste" | "apt" | "apartment" | "unit" | "bldg" | "rm" | "room" | "pob" | "po"
                )
                || next.is_none() && matches!(word.as_str(), "floor" | "flr" | "penthouse") && *at > from + 1
        })
        .unwrap_or(to)
}

/// Where a flat that begins at a word ends.
fn unit_end(pieces: &[Piece<'_>], from: usize, to: usize) -> usize {
    let mut at = from;
    let mut ids = 0;
    while at < to {
        let (word, bare) = (pieces[at].text, key(pieces[at].text));
        let is_part = word.starts_with('#')
            || words::is_unit(&bare)
            || words::is_counted(&bare)
            || is_ordinal(word)
            || matches!(bare.as_str(), "box" | "po" | "pob")
            || ids < 2 && is_id(word) && (pieces[at].has_digit() || word.len() == 1);
        if !is_part {
            break;
        }
        ids += usize::from(is_id(word));
        at += 1;
    }
    at
}

/// The first word of a street, of which "C/Mayor" is two.
fn first_key(word: &str) -> String {
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
fn is_something_else(street: &[Piece<'_>], number: &str) -> bool {
    let is_year = number.len() == 4 && matches!(number.parse(), Ok(1500..=2100));
    let short = !street.iter().any(|piece| piece.text.chars().filter(|c| c.is_alphabetic()).count() > 2);
    is_year
        || short
        || street.iter().any(|piece| words::is_no_street(&piece.folded()) || is_calendar(&piece.text.to_lowercase()))
        || street.iter().all(|piece| words::is_label(&piece.folded()))
}

/// The words of a street's name that end before its number.
struct Name {
    from: usize,
    sure: bool,
    languages: u16,
}

impl Name {
    fn of(pieces: &[Piece<'_>], from: usize, to: usize) -> Option<Self> {
        if from >= to {
            return None;
        }
        Self::kind_first(pieces, from, to)
            .or_else(|| Self::kind_last(pieces, from, to))
            .or_else(|| Self::bare(pieces, from, to))
    }

    /// From the word for a street on: `at Via Roma`, `przy ul. 3 Maja`.
    fn kind_first(pieces: &[Piece<'_>], from: usize, to: usize) -> Option<Self> {
        let start = to.saturating_sub(LONGEST).max(from);
        (start..to).find_map(|at| {
            let piece = &pieces[at];
            let joined = piece.text.contains('/') && first_key(piece.text) != key(piece.text);
            let word = first_key(piece.text);
            let Meaning { first, .. } = words::meaning(&word);
            let first = first & !words::ENGLISH;
            if first == 0 || words::is_weak(&word, first) || at + 1 >= to && !joined {
                return None;
            }
            // A single letter is one only with what shortens it.
            if word.len() == 1 && !piece.text.ends_with(['.', '/', 'ª', 'º']) && !joined {
                return None;
            }
            let rest = &pieces[at + 1..to];
            let belong = rest.iter().all(|piece| belongs(piece) || piece.has_digit());
            let named =
                joined || rest.iter().any(|piece| piece.text.chars().any(char::is_uppercase) || piece.has_digit());
            (belong && named).then_some(Self { from: at, sure: true, languages: first })
        })
    }

    /// With the word for a street at its end: `Lange Straße`, `Kerkstraat`, `Karl Johans gate`.
    fn kind_last(pieces: &[Piece<'_>], from: usize, to: usize) -> Option<Self> {
        let mut kind = to - 1;
        // "Ringstraße Nord", "Storgatan V"
        if kind > from
            && words::meaning(&key(pieces[kind].text)).last == 0
            && (words::is_direction(&key(pieces[kind].text)) || pieces[kind].text.len() <= 2)
        {
            kind -= 1;
        }
        let word = last_key(pieces[kind].text);
        let languages = words::meaning(&word).last & !words::ENGLISH;
        let alone = words::is_kind(&word);
        let compound = !alone || pieces[kind].text.contains('-') || word.len() > 9 && alone && from < kind && false;
        if languages == 0 || !pieces[kind].is_capitalised() && !(alone && kind > from) {
            return None;
        }
        if is_calendar(&pieces[kind].text.to_lowercase())
            || words::is_no_street(&word)
            || words::is_label(&word) && to - from == 1
        {
            return None;
        }
        let german = languages & 1 != 0 && languages & !1 & !(1 << 5) == 0;
        let bounded = pieces[from].sep != Sep::Space && pieces[from].sep != Sep::Stop;
        let zone = &pieces[from..kind];
        let whole = bounded
            && zone.len() <= 3
            && zone.iter().all(|piece| belongs(piece) && piece.is_capitalised() || words::is_particle(&piece.folded()))
            && pieces[from].is_capitalised();
        if whole && !(german && compound && zone.len() > 2) {
            return Some(Self { from, sure: true, languages });
        }
        let mut start = kind;
        while start > from {
            let before = &pieces[start - 1];
            let small = key(before.text);
            let takes = if compound && german {
                // "Wiedner Hauptstraße"
                let of_a_town =
                    small.ends_with("er") && small.len() > 4 && !words::is_outside(&small) && before.sep == Sep::Space;
                (words::is_adjective(&small) || of_a_town && start == kind) && before.is_capitalised()
                    || is_title(before.text)
            } else if german {
                // One word before "Straße", and what joins more to it.
                start == kind && belongs(before)
                    || words::is_particle(&key(pieces[start].text))
                        && !pieces[start].is_capitalised()
                        && belongs(before)
                    || words::is_adjective(&small) && before.is_capitalised()
                    || is_title(before.text)
            } else {
                belongs(before) && !(words::is_outside(&small) && before.sep == Sep::Stop)
            };
            if !takes {
                break;
            }
            start -= 1;
        }
        start = trim(pieces, start, kind);
        if german {
            start = with_preposition(pieces, from, start);
        }
        (alone && start == kind && !pieces[kind].is_capitalised())
            .then_some(())
            .map_or(Some(Self { from: start, sure: true, languages }), |()| None)
    }

    /// A name that does not say that it is one of a street: `Unter den Linden`, `Zeil`.
    fn bare(pieces: &[Piece<'_>], from: usize, to: usize) -> Option<Self> {
        // "Pod Vodárenskou věží" goes on in small letters.
        let head = pieces[from].folded();
        let leads = words::meaning(&head).first;
        if pieces[from].sep != Sep::Space
            && pieces[from].is_capitalised()
            && (2..=4).contains(&(to - from))
            && words::speaks(leads, "CZ")
            && words::is_weak(&head, leads)
            && pieces[from + 1].is_capitalised()
            && pieces[from..to].iter().all(|piece| !piece.has_digit())
        {
            return Some(Self { from, sure: false, languages: 0 });
        }
        let run = (from..to).rev().take(LONGEST).take_while(|at| belongs(&pieces[*at])).last()?;
        // In German a name may begin with a capitalised preposition.
        let preposition = (run..to).rev().find(|at| {
            pieces[*at].is_capitalised()
                && *at + 1 < to
                && words::is_weak(&pieces[*at].folded(), words::meaning(&pieces[*at].folded()).first)
                && words::meaning(&pieces[*at].folded()).first != 0
        });
        let start = trim(pieces, preposition.unwrap_or(run), to - 1);
        let name = &pieces[start..to];
        let letters = name.iter().any(|piece| {
            (piece.is_capitalised() || is_ordinal(name[0].text))
                && piece.text.chars().filter(|c| c.is_alphabetic()).count() > 2
        });
        let clear =
            start == from && pieces[from].sep != Sep::Space || start > from && !pieces[start - 1].is_capitalised();
        let languages = preposition.map_or(0, |at| words::meaning(&pieces[at].folded()).first);
        (letters && clear && name.len() <= 5).then_some(Self { from: start, sure: false, languages })
    }
}

/// The start of a German name with what says where it runs: "Im Wiesengrund", "An der Alten Mühle".
fn with_preposition(pieces: &[Piece<'_>], from: usize, start: usize) -> usize {
    let article = |at: usize| matches!(pieces[at].text, "der" | "dem" | "den" | "des" | "die" | "das");
    let mut at = start;
    if at > from && article(at - 1) {
        at -= 1;
    }
    let leads = |piece: &Piece<'_>| {
        piece.sep != Sep::Stop
            && piece.is_capitalised()
            && matches!(
                piece.folded().as_str(),
                "am" | "an"
                    | "auf"
                    | "in"
                    | "im"
                    | "zum"
                    | "zur"
                    | "unter"
                    | "hinter"
                    | "vor"
                    | "beim"
                    | "bei"
                    | "uber"
            )
    };
    if at > from && leads(&pieces[at - 1]) { at - 1 } else { start }
}

/// Moves the start of a name past words that are none of it.
fn trim(pieces: &[Piece<'_>], mut start: usize, last: usize) -> usize {
    while start < last {
        let piece = &pieces[start];
        let folded = piece.folded();
        let kind = words::meaning(&folded).first & !words::ENGLISH != 0
            && !words::is_weak(&folded, words::meaning(&folded).first);
        let begins_sentence = piece.sep == Sep::Stop && words::is_outside(&folded);
        if piece.is_capitalised() && !begins_sentence
            || kind
            || piece.has_digit() && is_ordinal(piece.text)
            || piece.text.starts_with(['\'', '’'])
        {
            break;
        }
        start += 1;
    }
    start
}

/// `Dr.`, `St.`, `Bgm.`: shortened words before a street's.
fn is_title(word: &str) -> bool {
    word.ends_with('.') && word.len() <= 5 && word.starts_with(char::is_uppercase)
}

/// The end of a word for a street: of "Karl-Marx-Allee" the last part.
fn last_key(word: &str) -> String {
    let folded = key(word);
    match folded.rsplit_once(' ') {
        Some((_, last)) if words::meaning(last).last != 0 => last.to_owned(),
        _ => folded.replace(' ', ""),
    }
}

/// Whether a word can be part of a street's name that stands before its number.
fn belongs(piece: &Piece<'_>) -> bool {
    let folded = piece.folded();
    piece.is_capitalised()
        || is_ordinal(piece.text) && piece.text.ends_with(['.', 'º', 'ª', 'e'])
        || words::is_particle(&folded)
        || words::is_kind(&folded)
        || words::meaning(&folded).first != 0
            && !words::is_weak(&folded, words::meaning(&folded).first)
            && folded.len() > 1
        || piece.text.starts_with(['\'', '’'])
        || piece.text.contains(['\'', '’']) && piece.text.chars().any(char::is_uppercase)
}
