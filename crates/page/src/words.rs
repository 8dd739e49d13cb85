//! What a word is, said once for the whole program.

use std::borrow::Cow;
use std::fmt;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use crate::eight::{HIGH, all, padded};

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
    key: Key,
    end: u32,
    count: u32,
}

/// What tells a word from others: a short one is its own key, of a long one it is the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    low: u64,
    /// The last byte is the length of a short word, or [`LONG`].
    high: u64,
}

/// Bytes of a word that is its own key.
const SHORT: usize = 15;
const LONG: u8 = u8::MAX;

impl Key {
    fn short(low: u64, high: u64, len: usize) -> Self {
        Self { low, high: high | (len as u64) << 56 }
    }

    fn of(word: &str, hash: &RandomState) -> Self {
        let bytes = word.as_bytes();
        if bytes.len() <= SHORT {
            let first = &bytes[..bytes.len().min(8)];
            return Self::short(padded(first), padded(&bytes[first.len()..]), bytes.len());
        }
        Self { low: hash.hash_one(word), high: u64::from(LONG) << 56 }
    }

    fn is_long(self) -> bool {
        self.high >> 56 == u64::from(LONG)
    }
}

impl Words {
    /// Counts the words of a text in one pass.
    pub fn of(text: &str) -> Self {
        let mut counted = Self::default();
        let seed = counted.seed();
        let mut lower = String::new();
        let mut at = 0;
        while at < text.len() {
            let ahead = Ahead::of(text.as_bytes(), at);
            if let Some(len) = ahead.word() {
                if len > 0 {
                    counted.add(&text[at..at + len], ahead.key(len), seed);
                }
                at += ahead.next(len);
                continue;
            }
            let Some((start, end)) = next_word(text, at) else { break };
            lower.clear();
            lower_into(&text[start..end], &mut lower);
            let key = Key::of(&lower, &counted.hash);
            counted.add(&lower, key, seed);
            at = end;
        }
        counted
    }

    /// What hashes of this list begin with, so that no page can know which of its words collide.
    fn seed(&self) -> u64 {
        self.hash.hash_one(0_u8)
    }

    /// Counts a word; ASCII may have capitals, their small ones are in the key.
    fn add(&mut self, word: &str, key: Key, seed: u64) {
        self.total += 1;
        if self.entries.len() * 2 >= self.table.len() {
            self.grow(seed);
        }
        match self.find(key, word, seed) {
            Ok(entry) => self.entries[entry].count += 1,
            Err(free) => {
                let start = self.text.len();
                self.text.push_str(word);
                if let Some(new) = self.text.get_mut(start..) {
                    new.make_ascii_lowercase();
                }
                self.entries.push(Entry { key, end: self.text.len() as u32, count: 1 });
                self.table[free] = self.entries.len() as u32;
            }
        }
    }

    fn word(&self, entry: usize) -> &str {
        let start = entry.checked_sub(1).map_or(0, |before| self.entries[before].end as usize);
        &self.text[start..self.entries[entry].end as usize]
    }

    /// The entry of a word, or the place in the table where it would be.
    fn find(&self, key: Key, word: &str, seed: u64) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut place = place(key, seed) & mask;
        loop {
            let Some(entry) = (self.table[place] as usize).checked_sub(1) else { return Err(place) };
            if self.entries[entry].key == key && (!key.is_long() || self.word(entry) == word) {
                return Ok(entry);
            }
            place = (place + 1) & mask;
        }
    }

    fn grow(&mut self, seed: u64) {
        let places = (self.table.len() * 2).max(1024);
        self.table = vec![0; places];
        for (i, entry) in self.entries.iter().enumerate() {
            let mut place = place(entry.key, seed) & (places - 1);
            while self.table[place] != 0 {
                place = (place + 1) & (places - 1);
            }
            self.table[place] = i as u32 + 1;
        }
    }

    /// Where among the different words one stands, given in lower case.
    pub fn place(&self, word: &str) -> Option<usize> {
        if self.table.is_empty() {
            return None;
        }
        self.find(Key::of(word, &self.hash), word, self.seed()).ok()
    }

    /// Occurrences of a word, given in lower case.
    pub fn count(&self, word: &str) -> u32 {
        self.place(word).map_or(0, |entry| self.entries[entry].count)
    }

    /// Occurrences of all words together.
    pub fn total(&self) -> usize {
        self.total
    }

    /// Number of different words.
    pub fn distinct(&self) -> usize {
        self.entries.len()
    }

    /// Each word with its count, by [`place`](Self::place).
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        let mut start = 0;
        self.entries.iter().map(move |entry| {
            let word = &self.text[start..entry.end as usize];
            start = entry.end as usize;
            (word, entry.count)
        })
    }
}

/// Where in a table a word is looked for first.
fn place(key: Key, seed: u64) -> usize {
    let product = u128::from(key.low ^ seed) * u128::from((key.high ^ seed.rotate_left(32)) | 1);
    (product ^ (product >> 64)) as usize
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

/// Sixteen bytes of a text, looked at in one step.
struct Ahead {
    /// The bytes, ASCII letters among them small.
    small: u128,
    /// The high bits of bytes that are ASCII letters or digits.
    word: u128,
    /// The high bits of bytes beyond ASCII.
    beyond: u128,
}

impl Ahead {
    fn of(bytes: &[u8], at: usize) -> Self {
        let sixteen = match bytes.get(at..at + 16).map(<[u8; 16]>::try_from) {
            Some(Ok(sixteen)) => u128::from_le_bytes(sixteen),
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                let first = &rest[..rest.len().min(8)];
                u128::from(padded(first)) | u128::from(padded(&rest[first.len()..])) << 64
            }
        };
        let (low, high) = (sixteen as u64, (sixteen >> 64) as u64);
        let both = |look: fn(u64) -> u64| u128::from(look(low)) | u128::from(look(high)) << 64;
        Self { small: both(small), word: both(word_bytes), beyond: both(|eight| eight & HIGH) }
    }

    /// The length of the word that starts here, perhaps none; nothing for one that is not short, or has
    /// other letters than ASCII.
    fn word(&self) -> Option<usize> {
        let len = (!self.word & BOTH_HIGH).trailing_zeros() as usize / 8;
        (len <= SHORT && self.beyond >> (8 * len) & 0x80 == 0).then_some(len)
    }

    fn key(&self, len: usize) -> Key {
        let word = self.small & !(u128::MAX << (8 * len));
        Key::short(word as u64, (word >> 64) as u64, len)
    }

    /// How far it is to what may be the next word, behind one of this length.
    fn next(&self, len: usize) -> usize {
        let after = (self.word | self.beyond) >> (8 * len);
        len + (after.trailing_zeros() as usize / 8).min(16 - len)
    }
}

const BOTH_HIGH: u128 = HIGH as u128 | (HIGH as u128) << 64;

fn small(eight: u64) -> u64 {
    eight | all(0x20)
}

/// The high bits of bytes that are ASCII letters or digits.
fn word_bytes(eight: u64) -> u64 {
    let plain = eight & !HIGH;
    let small = small(plain);
    // No sum of these runs over into the next byte.
    let letters = (small + all(0x80 - b'a')) & !(small + all(0x7F - b'z'));
    let digits = (plain + all(0x80 - b'0')) & !(plain + all(0x7F - b'9'));
    (letters | digits) & !eight & HIGH
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
            (is_letter(c), c.len_utf8())
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

/// Whether a character beyond ASCII is a letter or digit. Those that are met most are known without a look
/// into the tables of Unicode.
fn is_letter(c: char) -> bool {
    match c {
        '\u{a0}' | '×' | '÷' | '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3004}' => false,
        'À'..='ɏ'
        | 'Έ'..='Ί'
        | 'Ύ'..='Ρ'
        | 'Σ'..='ϵ'
        | 'А'..='ҁ'
        | 'Ҋ'..='ԯ'
        | 'ぁ'..='ゖ'
        | 'ァ'..='ヺ'
        | '一'..='龥'
        | '가'..='힣' => true,
        _ => c.is_alphanumeric(),
    }
}

/// Appends a word in lower case, as [`str::to_lowercase`] has it.
fn lower_into(word: &str, out: &mut String) {
    // What a sigma becomes depends on what stands around it.
    if word.contains('Σ') {
        out.push_str(&word.to_lowercase());
        return;
    }
    for c in word.chars() {
        match c {
            'a'..='z' | '0'..='9' | 'ß'..='ö' | 'ø'..='ÿ' | 'а'..='џ' | 'α'..='ω' => out.push(c),
            'ぁ'..='ゖ' | 'ァ'..='ヺ' | '一'..='龥' | '가'..='힣' => out.push(c),
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            // Small letters of these stand 32 places after their capitals.
            'À'..='Ö' | 'Ø'..='Þ' | 'Α'..='Ρ' | 'Τ'..='Ϋ' | 'А'..='Я' => {
                out.extend(char::from_u32(u32::from(c) + 32));
            }
            _ => out.extend(c.to_lowercase()),
        }
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
        for (i, (word, count)) in counted.iter().enumerate() {
            assert_eq!((counted.place(word), counted.count(word)), (Some(i), count));
        }
    }

    #[test]
    fn a_word_ends_where_it_ends_whatever_its_length_and_neighbours() {
        let around = ["", " ", "-", "@", "[", "`", "{", "/", ":", "\0", "\x10", "\x7f", "é", "×", "Z9", "\u{a0}"];
        for len in 0..=40 {
            let word: String = "aZ09yBqXm5".chars().cycle().take(len).collect();
            for (before, after) in around.iter().flat_map(|before| around.iter().map(move |after| (before, after))) {
                let text = format!("{before}{word}{after}{word}");
                let counted = Words::of(&text);
                let listed: Vec<_> = words(&text).collect();
                assert_eq!(counted.total(), listed.len(), "{text:?}");
                let found: std::collections::BTreeSet<&str> = counted.iter().map(|(word, _)| word).collect();
                assert_eq!(found, listed.iter().map(|word| &**word).collect(), "{text:?}");
            }
        }
        assert_eq!(Words::of("a").count("a\0"), 0);
    }

    #[test]
    fn letters_are_made_small_as_the_standard_says() {
        for c in '\0'..=char::MAX {
            let (word, mut small) = (format!("x{c}"), String::new());
            lower_into(&word, &mut small);
            assert_eq!(small, word.to_lowercase());
            assert!(c.is_ascii() || is_letter(c) == c.is_alphanumeric(), "{c}");
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
