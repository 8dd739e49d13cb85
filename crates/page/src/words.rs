//! What a word is, said once for the whole program.

use std::borrow::Cow;
use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

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
///
/// All different words stand in one string, one after the other, and a table of places finds them: a
/// page has hundreds, and a piece of memory for each would cost more than reading them.
#[derive(Clone, Default)]
pub struct Words {
    text: String,
    entries: Vec<Entry>,
    /// Places in `entries`, one more than each, by hash; 0 where there is none.
    table: Vec<u32>,
    hash: RandomState,
    total: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    end: u32,
    count: u32,
    /// Part of its hash: nearly always enough to tell it from others.
    hash: u32,
}

impl Words {
    /// Counts the words of a text in one pass.
    pub fn of(text: &str) -> Self {
        let mut counted = Self::default();
        let mut from = 0;
        while let Some((start, end)) = next_word(text, from) {
            counted.add(&text[start..end]);
            from = end;
        }
        counted
    }

    fn add(&mut self, word: &str) {
        self.total += 1;
        let start = self.text.len();
        if word.is_ascii() {
            self.text.push_str(word);
            if let Some(new) = self.text.get_mut(start..) {
                new.make_ascii_lowercase();
            }
        } else {
            self.text.push_str(&word.to_lowercase());
        }
        if self.entries.len() * 2 >= self.table.len() {
            self.grow();
        }
        let hash = self.hash_of(&self.text[start..]);
        match self.find(hash, &self.text[start..]) {
            Ok(entry) => {
                self.text.truncate(start);
                self.entries[entry].count += 1;
            }
            Err(free) => {
                self.entries.push(Entry { end: self.text.len() as u32, count: 1, hash });
                self.table[free] = self.entries.len() as u32;
            }
        }
    }

    fn hash_of(&self, word: &str) -> u32 {
        let hash = self.hash.hash_one(word);
        (hash ^ (hash >> 32)) as u32
    }

    fn word(&self, entry: usize) -> &str {
        let start = entry.checked_sub(1).map_or(0, |before| self.entries[before].end as usize);
        &self.text[start..self.entries[entry].end as usize]
    }

    /// The entry of a word, or the place in the table where it would be.
    fn find(&self, hash: u32, word: &str) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let Some(entry) = (self.table[place] as usize).checked_sub(1) else { return Err(place) };
            if self.entries[entry].hash == hash && self.word(entry) == word {
                return Ok(entry);
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let places = (self.table.len() * 2).max(256);
        self.table = vec![0; places];
        for (i, entry) in self.entries.iter().enumerate() {
            let mut place = entry.hash as usize & (places - 1);
            while self.table[place] != 0 {
                place = (place + 1) & (places - 1);
            }
            self.table[place] = i as u32 + 1;
        }
    }

    /// Occurrences of a word, given in lower case.
    pub fn count(&self, word: &str) -> u32 {
        if self.table.is_empty() {
            return 0;
        }
        self.find(self.hash_of(word), word).map_or(0, |entry| self.entries[entry].count)
    }

    /// Occurrences of all words together.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Number of different words.
    pub fn distinct(&self) -> usize {
        self.entries.len()
    }

    /// Each word with its count, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        self.entries.iter().enumerate().map(|(i, entry)| (self.word(i), entry.count))
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        (self.total, self.distinct()) == (other.total, other.distinct())
            && self.iter().all(|(word, count)| other.count(word) == count)
    }
}

impl Eq for Words {}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Where the next word starts and ends.
fn next_word(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut start = None;
    let mut at = from;
    while let Some(&byte) = bytes.get(at) {
        let (within, len) = if byte < 0x80 {
            (byte.is_ascii_alphanumeric(), 1)
        } else {
            let c = text[at..].chars().next()?;
            (c.is_alphanumeric(), c.len_utf8())
        };
        match start {
            None if within => start = Some(at),
            Some(start) if !within => return Some((start, at)),
            _ => {}
        }
        at += len;
    }
    start.map(|start| (start, at))
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
    fn counting_finds_the_same_words_as_listing() {
        let text = "Ein Ährenfeld, ein ΟΔΟΣ; x1-y2 \u{2014}İstanbul ﬁn ".repeat(40)
            + &(0..3000).map(|i| format!("w{i} ")).collect::<String>();
        let counted = Words::of(&text);
        let mut listed = std::collections::HashMap::new();
        for word in words(&text) {
            *listed.entry(word.into_owned()).or_insert(0) += 1;
        }
        assert_eq!(
            counted.iter().map(|(word, count)| (word.to_owned(), count)).collect::<std::collections::HashMap<_, _>>(),
            listed
        );
        assert!(listed.iter().all(|(word, count)| counted.count(word) == *count));
        assert_eq!(Words::of(""), Words::default());
        assert_eq!(Words::default().count("x"), 0);
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
