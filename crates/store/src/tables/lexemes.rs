//! Words as PostgreSQL finds them: vectors of lexemes with their places, and queries over them.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::wording::BETWEEN;

/// The last place that a vector can hold, and how many it holds of a lexeme.
const LAST: u32 = 16_383;
const PLACES: usize = 256;

/// Bytes of the longest lexeme.
const LONGEST: usize = 2_000;

/// The words of a text, in their places, and prominent ones, which need none.
pub(super) fn vector(text: &str, prominent: &str) -> String {
    let mut words: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    let mut place = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        place += 1;
        // Nothing stands there: no phrase goes over it.
        if word == BETWEEN.trim() || word.len() > LONGEST {
            continue;
        }
        let places = words.entry(word).or_default();
        if place <= LAST && places.len() < PLACES {
            places.push(place);
        }
    }
    for word in prominent.split(' ').filter(|word| !word.is_empty() && word.len() <= LONGEST) {
        words.entry(word).or_default();
    }
    let mut written = String::with_capacity(text.len() + prominent.len());
    for (word, places) in words {
        written.push_str(&lexeme(word));
        for (n, place) in places.iter().enumerate() {
            let _ = write!(written, "{}{place}", if n == 0 { ':' } else { ',' });
        }
        written.push(' ');
    }
    written
}

/// A word in quotes.
pub(super) fn lexeme(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len() + 2);
    quoted.push('\'');
    for c in word.chars().filter(|c| *c != '\0') {
        if matches!(c, '\'' | '\\') {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted.push('\'');
    quoted
}

/// Words that follow each other; of the last perhaps only how it starts.
pub(super) fn phrase(words: &[String], start: bool) -> String {
    let mut lexemes: Vec<String> = words.iter().map(|word| lexeme(word)).collect();
    if let Some(last) = lexemes.last_mut().filter(|_| start) {
        last.push_str(":*");
    }
    format!("({})", lexemes.join(" <-> "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_places_and_fields_a_gap_between() {
        let text = format!("old town {BETWEEN} o'neil old \\");
        assert_eq!(vector(&text, "\u{e000}old "), "'\\\\':6 'o''neil':4 'old':1,5 'town':2 '\u{e000}old' ");
        let many = "a ".repeat(20_000);
        assert_eq!(vector(&many, "").matches(',').count(), PLACES - 1);
        assert_eq!(vector("", ""), "");
        assert_eq!(phrase(&["old".into(), "tow".into()], true), "('old' <-> 'tow':*)");
    }
}
