//! The visible text of a page, and where each piece of it stands.

use std::ops::Range;

use crate::eight::{HIGH, all};
use crate::tree::NodeId;

/// The tags around a piece of text that say what its words are worth (algorithms §2.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tags(u16);

impl Tags {
    /// No weighted tag.
    pub const NONE: Self = Self(0);
    /// `title`; the page's title is kept apart from its text.
    pub const TITLE: Self = Self(1);
    /// `h1`.
    pub const H1: Self = Self(1 << 1);
    /// `h2`.
    pub const H2: Self = Self(1 << 2);
    /// `h3`.
    pub const H3: Self = Self(1 << 3);
    /// `h4`.
    pub const H4: Self = Self(1 << 4);
    /// `h5`.
    pub const H5: Self = Self(1 << 5);
    /// `h6`.
    pub const H6: Self = Self(1 << 6);
    /// `b`.
    pub const B: Self = Self(1 << 7);
    /// `i`.
    pub const I: Self = Self(1 << 8);
    /// `em`.
    pub const EM: Self = Self(1 << 9);
    /// `strong`.
    pub const STRONG: Self = Self(1 << 10);
    /// `font`.
    pub const FONT: Self = Self(1 << 11);
    /// `center`.
    pub const CENTER: Self = Self(1 << 12);
    /// `ins`.
    pub const INS: Self = Self(1 << 13);
    /// A link: its words speak of where it leads, not of the page. No weight.
    pub const LINK: Self = Self(1 << 14);

    /// These and those.
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other` are among these.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// How much more a word counts here than in plain text when it is asked what a page is about: in its
    /// title 5 times, in the first three kinds of headings 4, 3 and 2 times [003 §IV].
    pub fn emphasis(self) -> u32 {
        [(Self::TITLE, 5), (Self::H1, 4), (Self::H2, 3), (Self::H3, 2)]
            .into_iter()
            .find(|(tag, _)| self.contains(*tag))
            .map_or(1, |(_, times)| times)
    }

    /// Each tag on its own.
    pub fn iter(self) -> impl Iterator<Item = Self> {
        (0..u16::BITS).map(|bit| Self(1 << bit)).filter(move |&tag| self.contains(tag))
    }
}

/// A stretch of visible text from one text node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextRun {
    /// The text node.
    pub node: NodeId,
    /// Where it is in the page's text, in bytes.
    pub range: Range<u32>,
    /// The weighted tags around it.
    pub tags: Tags,
}

/// The start of a text, at most so many bytes long.
pub(crate) fn clip(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Text with its white space folded, of limited length.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    text: String,
    gap: Gap,
    limit: usize,
    full: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
}

impl Folded {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    /// The same, with room for so many bytes from the start.
    pub(crate) fn with_room(limit: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes.min(limit)), ..Self::new(limit) }
    }

    /// Appends, and says which bytes were added: an empty range for white space.
    pub(crate) fn push(&mut self, text: &str) -> Range<u32> {
        let mut start = None;
        let mut at = 0;
        while !self.full
            && let Some(&byte) = text.as_bytes().get(at)
        {
            if let Some(space) = white(text, at, byte) {
                self.gap = self.gap.max(Gap::Space);
                at += space;
                continue;
            }
            let (end, plain) = stretch(text, at, self.limit.saturating_sub(self.text.len()));
            start = start.or(self.push_piece(&text[at..end], plain));
            at = end;
        }
        let end = self.text.len() as u32;
        start.unwrap_or(end)..end
    }

    fn push_piece(&mut self, piece: &str, plain: bool) -> Option<u32> {
        if !plain && piece.chars().all(is_invisible) {
            return None;
        }
        if self.full || self.text.len() + piece.len() + 1 > self.limit {
            self.full = true;
            return None;
        }
        match self.gap {
            _ if self.text.is_empty() => {}
            Gap::None => {}
            Gap::Space => self.text.push(' '),
            Gap::Line => self.text.push('\n'),
        }
        self.gap = Gap::None;
        let from = self.text.len() as u32;
        if plain {
            self.text.push_str(piece);
        } else {
            self.text.extend(piece.chars().filter(|&c| !is_invisible(c)));
        }
        Some(from)
    }

    /// What follows starts a new line.
    pub(crate) fn break_line(&mut self) {
        self.gap = Gap::Line;
    }

    /// What follows starts a new word.
    pub(crate) fn break_word(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    pub(crate) fn len(&self) -> u32 {
        self.text.len() as u32
    }

    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// A stretch of it, without white space at its ends.
    pub(crate) fn slice(&self, range: Range<u32>) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default().trim()
    }

    pub(crate) fn into_string(self) -> String {
        self.text
    }
}

/// How long the white space character at a place is, if there is one.
fn white(text: &str, at: usize, byte: u8) -> Option<usize> {
    if byte < 0x80 {
        return matches!(byte, b' ' | b'\t'..=b'\r').then_some(1);
    }
    let c = text[at..].chars().next()?;
    c.is_whitespace().then(|| c.len_utf8())
}

/// What a byte may be part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Word,
    Space,
    White,
    /// A character beyond ASCII that may be white or invisible.
    Perhaps,
}

static PARTS: [Part; 256] = parts();

const fn parts() -> [Part; 256] {
    let mut parts = [Part::Word; 256];
    parts[b' ' as usize] = Part::Space;
    let mut byte = b'\t';
    while byte <= b'\r' {
        parts[byte as usize] = Part::White;
        byte += 1;
    }
    // No other byte starts a character that is white or invisible.
    let starts = [0xC2, 0xE1, 0xE2, 0xE3, 0xEF];
    let mut i = 0;
    while i < starts.len() {
        parts[starts[i]] = Part::Perhaps;
        i += 1;
    }
    parts
}

/// Where the words that start at a place and are parted by single spaces end, as far as there is room for
/// them, and whether nothing in them is invisible. A word with something invisible stands alone, and so does
/// one that there is no room for.
fn stretch(text: &str, start: usize, room: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let bound = bytes.len().min(start.saturating_add(room));
    let before = |at: usize| bytes[start..at].iter().rposition(|b| *b == b' ').map(|last| (start + last, true));
    let mut at = start;
    loop {
        at = after_ascii(bytes, at, bound);
        // What is not plain is seldom alone.
        for _ in 0..8 {
            if at >= bound {
                let fits = at == bytes.len() && at - start < room;
                return if fits { (at, true) } else { before(bound).unwrap_or_else(|| word_end(text, at)) };
            }
            match PARTS[usize::from(bytes[at])] {
                Part::Word => {}
                Part::Space => {
                    let follows = bytes.get(at + 1).map_or(Part::White, |&next| PARTS[usize::from(next)]);
                    let parts_words = match follows {
                        Part::Word => true,
                        Part::Space | Part::White => false,
                        Part::Perhaps => text[at + 1..].chars().next().is_some_and(|c| !c.is_whitespace()),
                    };
                    if !parts_words {
                        return (at, true);
                    }
                }
                Part::White => return (at, true),
                Part::Perhaps => match text[at..].chars().next() {
                    Some(c) if is_invisible(c) => return before(at).unwrap_or_else(|| word_end(text, at)),
                    Some(c) if !c.is_whitespace() => {}
                    _ => return (at, true),
                },
            }
            at += 1;
        }
    }
}

/// Goes on over words of ASCII that are parted by single spaces, eight bytes at a time.
fn after_ascii(bytes: &[u8], mut at: usize, bound: usize) -> usize {
    while at + 8 <= bound
        && let Some(Ok(eight)) = bytes.get(at..at + 8).map(<[u8; 8]>::try_from)
    {
        let eight = u64::from_le_bytes(eight);
        // No sum of these runs over into the next byte.
        let visible = ((eight & !HIGH) + all(0x80 - b' ')) & !eight & HIGH;
        let unlike_space = eight ^ all(b' ');
        let spaces = !(((unlike_space & !HIGH) + !HIGH) | unlike_space) & HIGH;
        if visible != HIGH || spaces & (spaces >> 8) != 0 {
            break;
        }
        // A space at the end is looked at together with what follows it.
        at += if spaces >> 56 == 0 { 8 } else { 7 };
    }
    at
}

/// The end of the word that `at` is in, and that not all of it may be visible.
fn word_end(text: &str, at: usize) -> (usize, bool) {
    let at = text.floor_char_boundary(at);
    let end = text[at..].find(char::is_whitespace).map_or(text.len(), |found| at + found);
    (end, false)
}

/// Soft hyphens, zero-width spaces and byte order marks: they would cut words in two.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{feff}')
}

/// One text with its white space folded.
pub(crate) fn fold(text: &str, limit: usize) -> String {
    let mut folded = Folded::new(limit);
    folded.push(text);
    folded.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_folded_across_pieces() {
        let mut text = Folded::new(1000);
        assert_eq!(text.push("  one "), 0..3);
        assert_eq!(text.push("two"), 4..7);
        assert_eq!(text.push(""), 7..7);
        assert_eq!(text.push("\u{a0}\n"), 7..7);
        assert_eq!(text.push("thr"), 8..11);
        text.push("ee");
        text.break_line();
        text.push(" four\u{3000}five");
        assert_eq!(text.as_str(), "one two three\nfour five");
    }

    #[test]
    fn invisible_hyphens_do_not_cut_words() {
        assert_eq!(fold("Fuß\u{ad}ball\u{200b}platz", 100), "Fußballplatz");
    }

    #[test]
    fn text_stops_at_its_limit_and_says_so() {
        let mut text = Folded::new(8);
        text.push("abc defgh");
        assert_eq!(text.as_str(), "abc");
        assert!(text.is_full());
        assert_eq!(clip("äö", 3), "ä");
    }

    #[test]
    fn folding_by_stretches_is_folding_by_words() {
        let texts = [
            "a b c",
            " a  b\tc ",
            "ab üc d",
            "ü",
            "a ü",
            "aü b",
            "a\u{a0}b c",
            "\u{ad} x",
            "a \u{ad} b",
            "x y ",
            "a\u{3000}\u{ad}b",
            "ü é\u{85}ö",
            "é —\u{2009}x",
            "x é\u{200b} y",
            "дом\u{2028}и дом",
            "東京\u{3000}タワー 　x",
            "twelve words in all, of which  some are long ",
            "elevenwords and more",
        ];
        for text in texts.iter().flat_map(|a| texts.iter().map(move |b| format!("{a}{b}"))) {
            for limit in [1000, 20, 16, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0] {
                let mut folded = Folded::new(limit);
                let range = folded.push(&text);
                let mut by_word = Folded::new(limit);
                let mut start = None;
                for word in text.split_inclusive(char::is_whitespace) {
                    let range = by_word.push(word);
                    start = start.or((!range.is_empty()).then_some(range.start));
                }
                assert_eq!(folded.as_str(), by_word.as_str(), "{text:?} {limit}");
                assert_eq!(range, start.unwrap_or(by_word.len())..by_word.len(), "{text:?} {limit}");
                assert_eq!((folded.gap, folded.full), (by_word.gap, by_word.full), "{text:?} {limit}");
            }
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_gone_over_once() {
        // Word by word to the end of each stretch this would take hours.
        let text = "word ".repeat(2 << 20);
        let mut folded = Folded::new(1 << 20);
        folded.push(&text);
        assert!(folded.is_full() && folded.len() as usize > (1 << 20) - 6);
        assert_eq!(folded.push("more"), folded.len()..folded.len());
    }

    #[test]
    fn every_character_is_white_invisible_or_part_of_a_word() {
        for c in '\0'..=char::MAX {
            let mut text = Folded::new(100);
            text.push(&format!("a{c}b"));
            let expected = match c {
                c if c.is_whitespace() => "a b".to_owned(),
                c if is_invisible(c) => "ab".to_owned(),
                c => format!("a{c}b"),
            };
            assert_eq!(text.as_str(), expected, "{c:?}");
        }
    }

    #[test]
    fn tags_are_a_set() {
        let tags = Tags::H1.with(Tags::EM);
        assert!(tags.contains(Tags::EM) && !tags.contains(Tags::B));
        assert_eq!(tags.iter().collect::<Vec<_>>(), [Tags::H1, Tags::EM]);
        assert_eq!([tags, Tags::TITLE, Tags::H3, Tags::EM, Tags::NONE].map(Tags::emphasis), [4, 5, 2, 1, 1]);
    }
}
