//! The words of a text, as they are looked for.

use std::ops::Range;

use crate::fold::{fold_char, is_word_char};

/// Characters of a word that are looked at.
pub const LONGEST_TOKEN: usize = 64;

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// [Folded](crate::fold()), at most [`LONGEST_TOKEN`] characters.
    pub text: String,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

/// The words of a text, folded. In scripts without spaces each character is one: what stands together is
/// looked for as a phrase.
///
/// ```
/// let words: Vec<String> = query::tokens("Die Brücke von Saint-Étienne").map(|token| token.text).collect();
/// assert_eq!(words, ["die", "brucke", "von", "saint", "etienne"]);
/// let words: Vec<String> = query::tokens("東京タワー").map(|token| token.text).collect();
/// assert_eq!(words, ["東", "京", "タ", "ワ", "ー"]);
/// ```
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

/// See [`tokens`].
pub struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let rest = self.text.get(self.at..)?;
            let start = self.at + rest.find(is_word_char)?;
            let rest = self.text.get(start..)?;
            let mut chars = rest.char_indices();
            let first = chars.next()?.1;
            let end = match stands_alone(first) {
                true => first.len_utf8(),
                false => chars.find(|(_, c)| !is_word_char(*c) || stands_alone(*c)).map_or(rest.len(), |(at, _)| at),
            };
            self.at = start + end;
            let (mut text, mut length) = (String::with_capacity(end), 0);
            for c in rest.get(..end)?.chars() {
                fold_char(c, |folded| {
                    // Folding takes letters apart; what is left over is no letter.
                    if length < LONGEST_TOKEN && is_word_char(folded) {
                        text.push(folded);
                        length += 1;
                    }
                });
            }
            if !text.is_empty() {
                return Some(Token { text, range: start..self.at });
            }
        }
    }
}

/// Whether words of its script are written without spaces between them.
fn stands_alone(c: char) -> bool {
    matches!(c as u32,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_say_where_they_stand() {
        for (text, expected) in [
            ("", &[][..]),
            (" … -- ", &[]),
            ("Straße 12a", &["strasse", "12a"]),
            ("IMG_1234.jpg", &["img", "1234", "jpg"]),
            ("rock'n'roll", &["rock", "n", "roll"]),
            ("Kölner Dom大聖堂 2", &["kolner", "dom", "大", "聖", "堂", "2"]),
            ("\u{301}\u{301} a", &["a"]),
        ] {
            let found: Vec<Token> = tokens(text).collect();
            assert_eq!(found.iter().map(|token| token.text.as_str()).collect::<Vec<_>>(), expected, "{text}");
            assert!(found.iter().all(|token| text.get(token.range.clone()).is_some()));
        }
        let long = "ä".repeat(1_000);
        assert_eq!(tokens(&long).next().map(|token| token.text.len()), Some(LONGEST_TOKEN));
    }

    #[test]
    fn every_character_is_folded_to_its_end() {
        let once = |text: &str| tokens(text).map(|token| token.text).collect::<Vec<_>>().concat();
        let unsettled: Vec<char> = ('\0'..=char::MAX)
            .filter(|c| {
                let folded = once(c.encode_utf8(&mut [0; 4]));
                once(&folded) != folded
            })
            .collect();
        assert_eq!(unsettled, Vec::<char>::new());
    }

    proptest::proptest! {
        #[test]
        fn a_token_is_a_token_of_itself(text in ".{0,200}") {
            for token in tokens(&text) {
                let again: Vec<String> = tokens(&token.text).map(|token| token.text).collect();
                proptest::prop_assert_eq!(again, vec![token.text]);
            }
        }
    }
}
