//! The words that name a region.

use std::collections::HashSet;

/// The words that name a region and what is in it, in lower case.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary(HashSet<String>);

impl Vocabulary {
    /// The words of these names; short ones and those too common to mean a place are left out.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut words = HashSet::new();
        for name in names {
            for word in page::words(name) {
                if word.chars().count() > 2 && !crate::is_stop_word(&word) {
                    words.insert(word.into_owned());
                }
            }
        }
        Self(words)
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}
