//! The street of an address as English is written: number first, the kind of street last.

use super::number::{is_english_house, is_grid, is_house, is_id, is_ordinal};
use super::pieces::{Piece, Sep};
use super::street::{
    LONGEST, SKIPPED, SKIPPED_WORDS, Street, cut_unit, first_key, is_aside, is_something_else, segments, written,
};
use super::vocabulary as words;

impl Street {
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
            let unit = |piece: &Piece<'_>| piece.key().len() > 1 && words::is_unit(piece.key());
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
            && matches!(first.key(), "n" | "s" | "e" | "w" | "ne" | "nw" | "se" | "sw")
            && first.sep == Sep::Comma
            && self.sure
        {
            self.street = format!("{} {}", self.street, first.text);
            let more = next.and_then(|next| next.get(1)).filter(|more| first.text.len() <= 2 && more.text.len() <= 2);
            if let Some(more) = more.filter(|more| words::is_direction(more.key())) {
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
            let letter = pieces[from].key();
            let typed = words::is_english_last(pieces[from + 1].key());
            let initial = matches!(pieces[from + 1].key(), "s" | "and");
            if letter.bytes().all(|b| b.is_ascii_alphabetic()) && !words::is_direction(letter) && !typed && !initial {
                from += 1;
            }
        }
        let end = cut_unit(pieces, from, to);
        let left_over = if end == to { 0 } else { to - unit_end(pieces, end, to) };
        // A building may follow the street without a comma: "850 Jaeger St Jaeger Square".
        // A longer name would be none, wherever it is cut.
        let cuts = (from + 2..end.min(from + LONGEST + 1)).filter(|cut| {
            let kind = pieces[*cut - 1].key();
            is_strong(kind) && kind != "way" && !words::is_direction(pieces[*cut].key())
                || *cut > from + 2 && words::is_direction(kind) && is_strong(pieces[*cut - 2].key())
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
        let keys: Vec<&str> = street.iter().map(Piece::key).collect();
        let small = street.iter().all(|piece| !piece.is_capitalised());
        let mut core = keys.len();
        while core > 1
            && (words::is_direction(keys[core - 1]) || core > 2 && matches!(keys[core - 1], "business" | "bus" | "ext"))
        {
            core -= 1;
        }
        let numbered = |word: &str| word.bytes().any(|b| b.is_ascii_digit());
        let leading =
            keys.iter().take_while(|word| words::is_direction(word) || matches!(**word, "old" | "new")).count();
        let lead = leading.min(core.checked_sub(1)?);
        let typed = core >= 2 && words::is_english_last(keys[core - 1]) || core == 1 && is_whole(keys[0]);
        let french = words::meaning(&first_key(street[lead].text)).first & words::NUMBER_FIRST != 0 && core > lead + 1;
        let last = keys[core - 1];
        let coded = core >= 2
            && is_coded(&keys[..core - 1])
            && (numbered(last)
                || last.len() <= 3 && street[core - 1].is_capitalised() && !words::is_english_last(last))
            || core == lead + 2 && matches!(keys[lead], "ave" | "avenue" | "avenida") && last.len() == 1
            || core >= 3 && keys[core - 2] == "no" && words::is_english_first(keys[core - 3]) && numbered(last);
        let about_kind =
            core > lead + 2 && words::is_english_last(keys[lead]) && matches!(keys[lead + 1], "of" | "de" | "des");
        let grid = core >= 2 && lead + 1 == core && is_ordinal(street[core - 1].text)
            || core >= 2 && keys.len() > core && numbered(last)
            || core == 1 && keys.len() > 1 && numbered(keys[0]);
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
                score -= if matches!(*word, "st" | "mt" | "ft") { 0.6 } else { 1.2 };
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
fn is_coded(keys: &[&str]) -> bool {
    let Some((last, before)) = keys.split_last() else { return false };
    let of = before.last().copied().unwrap_or_default();
    let plain = matches!(*last, "road" | "rd" | "street" | "st");
    words::is_english_first(last)
        && (!plain || matches!(of, "county" | "country" | "state" | "farm" | "ranch" | "township"))
}

/// Whether the last of the words is a flat's number: after a kind of street, or after a name with a direction.
fn is_flat_after(street: &[Piece<'_>]) -> bool {
    let Some((last, rest)) = street.split_last() else { return false };
    let before = rest.last().map(Piece::key).unwrap_or_default();
    let code = last.has_digit() && is_id(last.text) && !is_ordinal(last.text);
    let typed = rest.len() >= 2
        && (is_strong(before) || words::is_direction(before) && before != "no")
        && !is_coded(&rest.iter().map(Piece::key).collect::<Vec<_>>());
    let directed = rest.len() >= 2 && words::is_direction(rest[0].key()) && !words::is_english_first(before);
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
        let before = pieces[at - 1].key();
        pieces[at - 1].text == "#"
            || words::is_unit(before)
                && !pieces[at].text.contains('/')
                && before != "no"
                && before != "ground"
                && !(at >= from + 2 && is_ordinal(pieces[at - 2].text))
            || words::is_english_first(before) && before.len() > 1
            || words::is_box(before)
    }
}

/// Where a flat that begins at a word ends.
fn unit_end(pieces: &[Piece<'_>], from: usize, to: usize) -> usize {
    let mut at = from;
    let mut ids = 0;
    while at < to {
        let (word, bare) = (pieces[at].text, pieces[at].key());
        let is_part = word.starts_with('#')
            || words::is_unit(bare)
            || words::is_counted(bare)
            || is_ordinal(word)
            || matches!(bare, "box" | "po" | "pob")
            || ids < 2 && is_id(word) && (pieces[at].has_digit() || word.len() == 1);
        if !is_part {
            break;
        }
        ids += usize::from(is_id(word));
        at += 1;
    }
    at
}
