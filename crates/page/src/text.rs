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
        let mut pieces = text.split(char::is_whitespace).peekable();
        while let Some(piece) = pieces.next() {
            if !piece.is_empty() {
                let from = self.push_piece(piece);
                start = start.or(from);
            }
            if pieces.peek().is_some() {
                self.gap = self.gap.max(Gap::Space);
            }
        }
        let end = self.text.len() as u32;
        start.unwrap_or(end)..end
    }

    fn push_piece(&mut self, piece: &str) -> Option<u32> {
        if !piece.is_ascii() && piece.chars().all(is_invisible) {
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
        if piece.is_ascii() {
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
    fn tags_are_a_set() {
        let tags = Tags::H1.with(Tags::EM);
        assert!(tags.contains(Tags::EM) && !tags.contains(Tags::B));
        assert_eq!(tags.iter().collect::<Vec<_>>(), [Tags::H1, Tags::EM]);
        assert_eq!([tags, Tags::TITLE, Tags::H3, Tags::EM, Tags::NONE].map(Tags::emphasis), [4, 5, 2, 1, 1]);
    }
}
