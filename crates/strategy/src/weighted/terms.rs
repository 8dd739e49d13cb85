//! Texts as vectors of terms [003 eq. 2–4].

use std::collections::{BTreeMap, HashMap};

use page::{Page, Tags};
use query::{Language, fold, tokens};

use crate::is_stop_word;

/// How often each term stands in a text. In order, so that sums are the same each time.
pub(super) type Counts = BTreeMap<Box<str>, u32>;

/// Makes terms of the words of one page, each word once.
pub(super) struct Speech {
    language: Language,
    stemming: bool,
    terms: HashMap<Box<str>, Option<Box<str>>>,
}

impl Speech {
    pub fn of(language: Language, stemming: bool) -> Self {
        Self { language, stemming, terms: HashMap::new() }
    }

    /// The term of a word in lower case: its stem, or itself, folded; nothing for a stop word.
    fn term(&mut self, word: &str) -> Option<&str> {
        if !self.terms.contains_key(word) {
            let term = (!is_stop_word(word)).then(|| {
                let stem = if self.stemming { self.language.stem(word) } else { None };
                stem.unwrap_or_else(|| fold(word)).into_boxed_str()
            });
            self.terms.insert(word.into(), term);
        }
        self.terms.get(word).and_then(Option::as_deref)
    }

    /// The terms of a few words.
    pub fn counts(&mut self, text: &str) -> Counts {
        let mut counts = Counts::new();
        self.add(text, 1, &mut counts);
        counts
    }

    fn add(&mut self, text: &str, times: u32, counts: &mut Counts) {
        for token in tokens(text) {
            let word = text.get(token.range).unwrap_or_default().to_lowercase();
            add(self.term(&word), times, counts);
        }
    }

    /// The terms of a page's title and text; with `headings`, those in title and headings count more.
    pub fn page(&mut self, page: &Page, headings: bool) -> Counts {
        let mut counts = Counts::new();
        for (words, count) in page.words().iter() {
            // Scripts without spaces have whole sentences in one word.
            if words.is_ascii() {
                add(self.term(words), count, &mut counts);
            } else {
                self.add(words, count, &mut counts);
            }
        }
        self.add(&page.title, if headings { Tags::TITLE.emphasis() } else { 1 }, &mut counts);
        if headings {
            for run in page.runs.iter().filter(|run| run.tags.emphasis() > 1) {
                let text = page.text.get(run.range.start as usize..run.range.end as usize).unwrap_or_default();
                // Once it is counted with the text.
                self.add(text, run.tags.emphasis() - 1, &mut counts);
            }
        }
        counts
    }
}

fn add(term: Option<&str>, times: u32, counts: &mut Counts) {
    let Some(term) = term.filter(|term| !term.is_empty()) else { return };
    match counts.get_mut(term) {
        Some(count) => *count = count.saturating_add(times),
        None => {
            counts.insert(term.into(), times);
        }
    }
}

/// `1 + ln(tf)`.
pub(super) fn weight(count: u32) -> f64 {
    1.0 + f64::from(count.max(1)).ln()
}

/// The cosine of two vectors; `rarity` weighs the terms of the second only. 0 where one of them is nothing.
pub(super) fn cosine(wanted: &Counts, text: &Counts, rarity: impl Fn(&str) -> f64) -> f64 {
    // Most texts have none of what is wanted: nothing else needs to be worked out.
    let shared: f64 =
        wanted.iter().filter_map(|(term, count)| Some(weight(*count) * weight(*text.get(term)?) * rarity(term))).sum();
    if shared == 0.0 {
        return 0.0;
    }
    let length = |squares: f64| squares.sqrt();
    let wanted = length(wanted.values().map(|count| weight(*count).powi(2)).sum());
    let text = length(text.iter().map(|(term, count)| (weight(*count) * rarity(term)).powi(2)).sum());
    (shared / (wanted * text)).clamp(0.0, 1.0)
}
