//! The name of a street that stands before its number.

use super::number::{is_ordinal, key};
use super::pieces::{Piece, Sep};
use super::street::{LONGEST, first_key};
use super::vocabulary::{self as words, Meaning};
use crate::parse::cues::is_calendar;

/// The words of a street's name that end before its number.
pub(super) struct Name {
    pub(super) from: usize,
    pub(super) sure: bool,
    pub(super) languages: u16,
}

impl Name {
    pub(super) fn of(pieces: &[Piece<'_>], from: usize, to: usize) -> Option<Self> {
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
            let joined = piece.text.contains('/') && first_key(piece.text) != piece.key();
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
            && words::meaning(pieces[kind].key()).last == 0
            && (words::is_direction(pieces[kind].key()) || pieces[kind].text.len() <= 2)
        {
            kind -= 1;
        }
        let word = last_key(pieces[kind].text);
        let languages = words::meaning(&word).last & !words::ENGLISH;
        let alone = words::is_kind(&word);
        let compound = !alone || pieces[kind].text.contains('-');
        if languages == 0 || !(pieces[kind].is_capitalised() || alone && kind > from) {
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
            let small = before.key();
            let takes = if compound && german {
                // "Wiedner Hauptstraße"
                let of_a_town =
                    small.ends_with("er") && small.len() > 4 && !words::is_outside(small) && before.sep == Sep::Space;
                (words::is_adjective(small) || of_a_town && start == kind) && before.is_capitalised()
                    || is_title(before.text)
            } else if german {
                // One word before "Straße", and what joins more to it.
                start == kind && belongs(before)
                    || words::is_particle(pieces[start].key()) && !pieces[start].is_capitalised() && belongs(before)
                    || words::is_adjective(small) && before.is_capitalised()
                    || is_title(before.text)
            } else {
                belongs(before) && !(words::is_outside(small) && before.sep == Sep::Stop)
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
        // A small "gate" alone is a word, not a street.
        let nameless = alone && start == kind && !pieces[kind].is_capitalised();
        (!nameless).then_some(Self { from: start, sure: true, languages })
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
