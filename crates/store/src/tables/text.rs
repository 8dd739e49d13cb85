//! How much of a text is kept.

/// Longest texts that are kept, in characters.
pub(super) const REASON: usize = 64;
pub(super) const NAME: usize = 200;
pub(super) const DETAIL: usize = 500;
pub(super) const TITLE: usize = 1_000;
pub(super) const DESCRIPTION: usize = 4_000;

/// The text up to so many characters.
pub(super) fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// [`cut`] for a text that may be missing.
pub(super) fn cut_some(text: &Option<String>, most: usize) -> Option<&str> {
    text.as_deref().map(|text| cut(text, most))
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("žluťoučký", 4), "žluť");
        assert_eq!(cut("kůň", 3), "kůň");
        assert_eq!(cut("", 3), "");
    }
}
