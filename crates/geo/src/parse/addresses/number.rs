//! House numbers: `12`, `12a`, `12-14`, `4/6`, `2 B 12`, `15 m. 3`, `24 bus 3`.

use super::pieces::Piece;
use super::vocabulary as words;

/// Most digits of a house number on the continent.
const DIGITS: usize = 4;
/// Most digits of one in countries that number along miles.
const ENGLISH_DIGITS: usize = 6;
/// House numbers in words.
const IN_WORDS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
/// Words that belong to the number with what follows them: a box, a flat.
const JOINED: [&str; 20] = [
    "bus", "bte", "boite", "bt", "m", "lok", "as", "hs", "huis", "top", "tur", "tuer", "stiege", "stg", "bis", "ter",
    "quater", "app", "box", "boîte",
];
/// Words before a number that are no part of the street.
const NUMBERED: [&str; 14] =
    ["nr", "no", "n", "nº", "n°", "num", "numero", "nummer", "number", "č", "c", "cp", "čp", "n o"];

/// A word in one spelling: no full stops, no diacritics, small letters.
pub(super) fn key(word: &str) -> String {
    crate::fold(&word.replace(['.', 'º', 'ª', '°'], ""))
}

/// Whether a word says that a number follows.
pub(super) fn is_numbered(word: &str) -> bool {
    NUMBERED.contains(&key(word).as_str())
}

/// Whether a word is a house number, as the continent writes them.
pub(super) fn is_house(word: &str) -> bool {
    is_digits_and_more(word.trim_end_matches('.'), DIGITS) || words::is_numberless(word)
}

/// Whether a word is a house number where English is written.
pub(super) fn is_english_house(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    is_digits_and_more(word, ENGLISH_DIGITS)
        || is_grid(word)
        || word.starts_with(char::is_uppercase) && IN_WORDS.iter().any(|number| word.eq_ignore_ascii_case(number))
}

/// Coordinates of a grid of streets: `N165`, `W2123`, `N165W2123`.
pub(super) fn is_grid(word: &str) -> bool {
    let mut rest = word;
    for part in 0..2 {
        if part > 0 && rest.is_empty() {
            return true;
        }
        let letter = rest.bytes().next().map(|byte| byte.to_ascii_uppercase());
        if !letter.is_some_and(|letter| b"NSEW".contains(&letter)) {
            return false;
        }
        let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        if !(2..=5).contains(&digits) {
            return false;
        }
        rest = &rest[1 + digits..];
    }
    rest.is_empty()
}

fn is_digits_and_more(word: &str, most: usize) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=most).contains(&digits) {
        return false;
    }
    let tail = &word[digits..];
    if tail.is_empty() {
        return true;
    }
    // "5th" and "3rd" name streets.
    let lower = tail.to_lowercase();
    if matches!(lower.as_str(), "st" | "nd" | "rd" | "th" | "er" | "eme" | "ème" | "e" | "h" | "km" | "m" | "x")
        && lower.len() > 1
    {
        return false;
    }
    if tail.len() > 18 {
        return false;
    }
    tail.split(['-', '–', '/', '+', ' ', '—']).enumerate().all(|(index, part)| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let letters = &part[digits..];
        let named = || {
            matches!(
                letters.to_lowercase().as_str(),
                "bis" | "ter" | "quater" | "hs" | "top" | "sn" | "stiege" | "stg" | "tur"
            )
        };
        let roman = || digits == 0 && !letters.is_empty() && letters.bytes().all(|b| b"IVX".contains(&b));
        digits <= most
            && (index > 0 || digits == 0)
            && (letters.len() <= 1 && letters.bytes().all(|b| b.is_ascii_alphabetic()) || named() || roman())
    })
}

/// Where the number that begins at a word ends, and where what else is said of the house does: a
/// letter, a flat, a floor.
pub(super) fn extent(pieces: &[Piece<'_>], first: usize, end: usize) -> (usize, usize) {
    let mut at = first + 1;
    let mut number_end = at;
    let mut counts = false;
    while at < end {
        let word = pieces[at].text;
        let bare = pieces[at].key();
        // "21/Stiege 1/Top 7"
        let open = pieces[at - 1].text.rsplit_once('/').is_some_and(|(_, last)| JOINED.contains(&key(last).as_str()));
        if open && is_digits_and_more(word, DIGITS) {
            at += 1;
            number_end = at;
            continue;
        }
        let next_is_id = || at + 1 < end && is_id(pieces[at + 1].text);
        if bare.len() == 1
            && bare.bytes().all(|b| b.is_ascii_alphabetic())
            && !next_is_id_of_unit(bare, pieces, at, end)
        {
            at += 1;
            number_end = at;
            counts = true;
        } else if JOINED.contains(&bare) {
            at += 1 + usize::from(next_is_id());
            number_end = at;
        } else if is_roman(word) || counts && is_id(word) {
            at += 1;
            number_end = at;
            counts = false;
        } else if words::is_unit(bare) || is_ordinal(word) {
            at += 1;
            while at < end
                && (is_id(pieces[at].text) || words::is_counted(pieces[at].key()) || words::is_unit(pieces[at].key()))
            {
                at += 1;
            }
        } else {
            break;
        }
    }
    (number_end, at)
}

/// "m. 3": the letter is the word for a flat.
fn next_is_id_of_unit(bare: &str, pieces: &[Piece<'_>], at: usize, end: usize) -> bool {
    JOINED.contains(&bare) && at + 1 < end && is_id(pieces[at + 1].text)
}

/// What names a flat or floor: a few digits, a letter, both.
pub(super) fn is_id(word: &str) -> bool {
    let word = word.trim_start_matches('#').trim_end_matches('.');
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    (1..=7).contains(&word.len())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-/º.".contains(c))
        && (letters <= 1 || letters <= 2 && word.bytes().any(|b| b.is_ascii_digit()))
}

/// `3.`, `2º`, `2nd`, `1er`, `5e`.
pub(super) fn is_ordinal(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return false;
    }
    let tail = word.get(digits..).unwrap_or_default().to_lowercase();
    (digits < 3 || tail.len() == 2)
        && matches!(
            tail.as_str(),
            "." | "º" | "ª" | ".º" | ".ª" | "°" | "st" | "nd" | "rd" | "th" | "er" | "e" | "eme" | "ème" | "de" | "ste"
        )
}

fn is_roman(word: &str) -> bool {
    (1..=4).contains(&word.len()) && word.bytes().all(|b| b"IVX".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::addresses::pieces::before;

    #[test]
    fn numbers_have_letters_ranges_and_flats() {
        for word in
            ["12", "12a", "12B", "5-7", "5–7", "12/3", "12/3/15", "343/10", "15/A", "12-II", "12bis", "s/n", "10-12a"]
        {
            assert!(is_house(word), "{word}");
        }
        for word in ["", "a", "12345", "3rd", "12abc", "1.5", "Straße", "24-103-5-a-b-c-d-e-f-g-h"] {
            assert!(!is_house(word), "{word}");
        }
        assert!(is_english_house("12345") && is_english_house("N165") && is_english_house("One"));
    }

    #[test]
    fn what_follows_a_number_is_told_from_it() {
        for (text, number, all) in [
            ("2 B 12", 3, 3),
            ("15 m. 3", 3, 3),
            ("24 bus 3", 3, 3),
            ("12 a", 2, 2),
            ("4 bis", 2, 2),
            ("12 3. OG", 1, 3),
            ("12 Kiel", 1, 1),
            ("71 lgh 1203", 1, 3),
        ] {
            let (pieces, _) = before(text, text.len());
            assert_eq!(extent(&pieces, 0, pieces.len()), (number, all), "{text}");
        }
    }
}
