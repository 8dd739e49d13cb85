//! What a word is, said once for the whole program.

use std::borrow::Cow;
use std::collections::HashMap;

/// The words of a text: runs of letters and digits in lower case.
///
/// ```
/// let words: Vec<_> = page::words("Students & Educators, 2013").collect();
/// assert_eq!(words, ["students", "educators", "2013"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(lower)
}

fn lower(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.to_lowercase())
    }
}

/// How often each word occurs in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    counts: HashMap<Box<str>, u32>,
    total: usize,
}

impl Words {
    /// Counts the words of a text in one pass.
    pub fn of(text: &str) -> Self {
        let mut counted = Self::default();
        for word in words(text) {
            counted.total += 1;
            match counted.counts.get_mut(&*word) {
                Some(count) => *count += 1,
                None => {
                    counted.counts.insert(word.into(), 1);
                }
            }
        }
        counted
    }

    /// Occurrences of a word, given in lower case.
    pub fn count(&self, word: &str) -> u32 {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// Occurrences of all words together.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Number of different words.
    pub fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Each word with its count, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counts.iter().map(|(word, &count)| (&**word, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        for (text, expected) in [
            ("Berners-Lee's NeXT", vec!["berners", "lee", "s", "next"]),
            ("  Äiti, ÄITI! ", vec!["äiti", "äiti"]),
            ("IMG_1234.jpg", vec!["img", "1234", "jpg"]),
            ("Москва—ОДЕССА", vec!["москва", "одесса"]),
            // A capital sigma at the end of a word becomes a final one, as people write it.
            ("ΟΔΟΣ οδος", vec!["οδος", "οδος"]),
            ("…", vec![]),
        ] {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn words_are_counted_whole() {
        let counted = Words::of("The web, the WEB and the website");
        assert_eq!(counted.count("web"), 2);
        assert_eq!(counted.count("the"), 3);
        assert_eq!(counted.count("site"), 0);
        assert_eq!((counted.total(), counted.distinct()), (7, 4));
    }
}
