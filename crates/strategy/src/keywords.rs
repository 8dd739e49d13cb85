//! The words of a link's title that mean something [000 §4.3.2].

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

/// Short lists of many languages, merged: a title is too short to tell its language.
static STOP_WORDS: LazyLock<HashSet<&'static str, RandomState>> = LazyLock::new(|| {
    stop_words::available_languages()
        .iter()
        // This list of mixed English and Hindi has hundreds of ordinary words, "first" among them.
        .filter(|language| **language != "hinglish")
        .filter_map(|language| stop_words::lookup(language))
        .flatten()
        .copied()
        .collect()
});

/// Whether a word, in lower case, is too common to mean anything in some language.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// The words of a title without stop words, each once, in order.
///
/// ```
/// assert_eq!(strategy::keywords("project to restore the first website"), ["project", "restore", "first", "website"]);
/// ```
pub fn keywords(title: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in page::words(title) {
        if !is_stop_word(&word) && !found.iter().any(|known| **known == *word) {
            found.push(word.into_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_stop_words_and_signs() {
        for (title, expected) in [
            ("project to restore the first website", vec!["project", "restore", "first", "website"]),
            ("  basic browser\n", vec!["basic", "browser"]),
            ("Students & Educators", vec!["students", "educators"]),
            ("Boats, boats & BOATS", vec!["boats"]),
            ("Das Schloss und der See", vec!["schloss", "see"]),
            ("Le château de la rivière", vec!["château", "rivière"]),
            ("Музей на берегу", vec!["музей", "берегу"]),
            ("The of and to", vec![]),
            ("»…«", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(keywords(title), expected, "{title}");
        }
    }

    #[test]
    fn ordinary_words_are_no_stop_words() {
        for word in ["first", "website", "project", "museum", "photo", "berlin", "paris"] {
            assert!(!is_stop_word(word), "{word}");
        }
        for word in ["the", "und", "les", "на", "ja", "och"] {
            assert!(is_stop_word(word), "{word}");
        }
    }
}
