//! The visible text of a page, and where each piece of it stands.

use std::ops::Range;

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

    /// Appends, and says which bytes were added: an empty range for white space.
    pub(crate) fn push(&mut self, text: &str) -> Range<u32> {
        let mut start = None;
        let mut at = 0;
        while let Some(&byte) = text.as_bytes().get(at) {
            if let Some(space) = white(text, at, byte) {
                self.gap = self.gap.max(Gap::Space);
                at += space;
                continue;
            }
            let (end, piece_end, ascii) = stretch(text, at);
            let from = if self.text.len() + end - at < self.limit {
                self.push_piece(&text[at..end], ascii)
            } else {
                // Near the limit word by word, to fill it.
                let from = self.push_piece(&text[at..piece_end], ascii);
                at = piece_end;
                start = start.or(from);
                continue;
            };
            start = start.or(from);
            at = end;
        }
        let end = self.text.len() as u32;
        start.unwrap_or(end)..end
    }

    fn push_piece(&mut self, piece: &str, ascii: bool) -> Option<u32> {
        if !ascii && piece.chars().all(is_invisible) {
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
        if ascii {
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

/// Where the words that start at a place and are parted by single spaces end, where the first of
/// them ends, and whether all is ASCII. A word with other letters stands alone.
fn stretch(text: &str, start: usize) -> (usize, usize, bool) {
    let bytes = text.as_bytes();
    let mut first = None;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            0x80.. => {
                let Some(first) = first else { return word_end(text, at) };
                let last = bytes[..at].iter().rposition(|b| *b == b' ').unwrap_or(first);
                return (last, first, true);
            }
            b' ' if bytes.get(at + 1).is_some_and(|b| !matches!(b, b' ' | b'\t'..=b'\r' | 0x80..)) => {
                first = first.or(Some(at));
            }
            b' ' | b'\t'..=b'\r' => break,
            _ => {}
        }
        at += 1;
    }
    (at, first.unwrap_or(at), true)
}

/// The end of a word that has letters beyond ASCII from `at` on.
fn word_end(text: &str, at: usize) -> (usize, usize, bool) {
    let end = text[at..].find(char::is_whitespace).map_or(text.len(), |found| at + found);
    (end, end, false)
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
        ];
        for text in texts.iter().flat_map(|a| texts.iter().map(move |b| format!("{a}{b}"))) {
            for limit in [1000, 9, 6, 4] {
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
    fn tags_are_a_set() {
        let tags = Tags::H1.with(Tags::EM);
        assert!(tags.contains(Tags::EM) && !tags.contains(Tags::B));
        assert_eq!(tags.iter().collect::<Vec<_>>(), [Tags::H1, Tags::EM]);
        assert_eq!([tags, Tags::TITLE, Tags::H3, Tags::EM, Tags::NONE].map(Tags::emphasis), [4, 5, 2, 1, 1]);
    }
}
