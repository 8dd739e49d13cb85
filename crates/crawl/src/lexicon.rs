//! How common words are on the pages of a crawl, and which tell one page from the others [003 §IV].

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use page::{Page, Tags};
use query::{Language, tokens};
use serde::{Deserialize, Serialize};
use strategy::is_stop_word;

/// Words that are remembered, over all languages; when there are more, the rarest are let go.
const WORDS: usize = 200_000;
/// Different words of a page that are looked at: more have only lists and traps.
const DISTINCT: usize = 20_000;
/// Letters of a word.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=30;
/// Telling words of a page, and those among which forms of one word are looked for.
const TELLING: usize = 12;
const CANDIDATES: usize = 40;
/// How often a word must stand on a page to tell of it; once in a heading is enough.
const OFTEN: u32 = 2;

/// How common words are on the pages of a crawl, in each language.
#[derive(Default)]
pub(crate) struct Lexicon(Mutex<Seen>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Seen {
    languages: BTreeMap<String, Spoken>,
}

/// Pages in one language, and how many of them have each word.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Spoken {
    pages: u64,
    words: HashMap<u64, u32, RandomState>,
}

impl Lexicon {
    /// With what was saved; anew when that does not read.
    pub fn restored(saved: Option<Vec<u8>>) -> Self {
        let seen = saved.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        Self(Mutex::new(seen.unwrap_or_default()))
    }

    pub fn saved(&self) -> Option<Vec<u8>> {
        let seen = self.seen().clone();
        postcard::to_allocvec(&seen).ok()
    }

    /// Takes in what others counted who work on the same crawl: `theirs` is what is remembered now, `base`
    /// what this one and they had in common last. Gives all of it together.
    pub fn meet(&self, base: Option<&[u8]>, theirs: &[u8]) -> Option<Vec<u8>> {
        let read = |bytes: &[u8]| postcard::from_bytes::<Seen>(bytes).unwrap_or_default();
        let (base, mut met) = (base.map(read).unwrap_or_default(), read(theirs));
        let mut seen = self.seen();
        let nothing = Spoken::default();
        for (language, now) in &seen.languages {
            let before = base.languages.get(language).unwrap_or(&nothing);
            let spoken = met.languages.entry(language.clone()).or_default();
            spoken.pages = spoken.pages.saturating_add(now.pages.saturating_sub(before.pages));
            for (word, count) in &now.words {
                let new = count.saturating_sub(before.words.get(word).copied().unwrap_or(0));
                let sum = spoken.words.entry(*word).or_default();
                *sum = sum.saturating_add(new);
            }
        }
        met.prune();
        *seen = met.clone();
        drop(seen);
        postcard::to_allocvec(&met).ok()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The words that tell a page from the others in its language, the most telling first; a page that is
    /// `new` is counted among them. Words of titles and headings weigh more. Scripts without spaces between
    /// words have none.
    pub fn telling(&self, page: &Page, new: bool) -> Vec<String> {
        let words = weighed(page);
        let language = page.language.clone().unwrap_or_default();
        let mut scored: Vec<(f64, &str)> = {
            let mut seen = self.seen();
            if new {
                seen.count(&language, words.iter().map(|word| word.key));
            }
            let spoken = seen.languages.get(&language);
            let often = words.iter().filter(|word| word.weight >= OFTEN);
            often.map(|word| (f64::from(word.weight).ln_1p() * rarity(spoken, word.key), word.text)).collect()
        };
        // Equally telling ones by the alphabet, so that it is the same each time.
        let order = |a: &(f64, &str), b: &(f64, &str)| b.0.total_cmp(&a.0).then(a.1.cmp(b.1));
        if scored.len() > CANDIDATES {
            scored.select_nth_unstable_by(CANDIDATES, order);
            scored.truncate(CANDIDATES);
        }
        scored.sort_unstable_by(order);
        let stems = Language::of_code(&language).unwrap_or(Language::ENGLISH);
        let (mut told, mut known) = (Vec::new(), Vec::new());
        for (_, word) in scored {
            if told.len() == TELLING {
                break;
            }
            let stem = stems.stem(word).unwrap_or_else(|| word.to_owned());
            if !known.contains(&stem) {
                known.push(stem);
                told.push(word.to_owned());
            }
        }
        told
    }
}

impl Seen {
    fn count(&mut self, language: &str, words: impl Iterator<Item = u64>) {
        let spoken = match self.languages.get_mut(language) {
            Some(spoken) => spoken,
            None => self.languages.entry(language.to_owned()).or_default(),
        };
        spoken.pages = spoken.pages.saturating_add(1);
        for word in words {
            let count = spoken.words.entry(word).or_default();
            *count = count.saturating_add(1);
        }
        self.prune();
    }

    /// Lets go of the rarest words.
    fn prune(&mut self) {
        let mut least = 1u32;
        while self.languages.values().map(|spoken| spoken.words.len()).sum::<usize>() > WORDS {
            self.languages.values_mut().for_each(|spoken| spoken.words.retain(|_, count| *count > least));
            least = least.saturating_mul(2);
        }
    }
}

/// `ln(1 + N / n)`: it is never nothing, so that the first pages of a crawl have telling words too.
fn rarity(spoken: Option<&Spoken>, key: u64) -> f64 {
    let Some(spoken) = spoken else { return 1.0 };
    let having = spoken.words.get(&key).copied().unwrap_or(1).max(1);
    (spoken.pages.max(1) as f64 / f64::from(having)).ln_1p()
}

/// A word that may tell something.
struct Weighed<'p> {
    text: &'p str,
    key: u64,
    /// How much it weighs on the page.
    weight: u32,
}

fn weighed(page: &Page) -> Vec<Weighed<'_>> {
    if page.words().distinct() > DISTINCT {
        return Vec::new();
    }
    let mut weights: Vec<u32> = page.words().iter().map(|(_, count)| count).collect();
    let mut add = |text: &str, times: u32| {
        for word in page::words(text) {
            if let Some(weight) = page.words().place(&word).and_then(|place| weights.get_mut(place)) {
                *weight = weight.saturating_add(times);
            }
        }
    };
    add(&page.title, Tags::TITLE.emphasis());
    for run in page.runs.iter().filter(|run| run.tags.emphasis() > 1) {
        let text = page.text.get(run.range.start as usize..run.range.end as usize).unwrap_or_default();
        add(text, run.tags.emphasis() - 1);
    }
    let words = page.words().iter().zip(weights).filter(|((word, _), _)| may_tell(word));
    words.map(|((text, _), weight)| Weighed { text, key: key(text), weight }).collect()
}

fn may_tell(word: &str) -> bool {
    if word.is_ascii() {
        // Of letters and digits: one word for whoever looks for it too.
        return LETTERS.contains(&word.len())
            && word.bytes().any(|byte| byte.is_ascii_alphabetic())
            && !is_stop_word(word);
    }
    LETTERS.contains(&word.chars().count())
        && word.chars().any(char::is_alphabetic)
        && !is_stop_word(word)
        && tokens(word).nth(1).is_none()
}

/// FNV-1a: the same in every version, since it is kept.
fn key(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(n: usize, language: &str, body: &str) -> Page {
        let url = facts::Url::parse(&format!("http://a.example/{n}")).unwrap();
        let html = format!("<html lang={language}>{body}");
        page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &page::Limits::default())
    }

    /// A crawl of pages about weather, and what it says of one about boats.
    fn crawled() -> (Lexicon, Page) {
        let lexicon = Lexicon::default();
        for n in 0..40 {
            lexicon.telling(&page(n, "en", "<p>weather forecast weather forecast menu imprint menu imprint</p>"), true);
        }
        let text = "<title>Boats</title><p>The weather forecast says weather and forecast, menu, imprint, menu. A boat and \
                    the boats of the harbour; boats, harbour, harbour 2024 2024 2024.</p>";
        (lexicon, page(99, "en", text))
    }

    #[test]
    fn what_other_pages_do_not_say_is_telling() {
        let (lexicon, boats) = crawled();
        let told = lexicon.telling(&boats, true);
        assert_eq!(told[..2], ["boats", "harbour"], "{told:?}");
        assert!(!told.iter().any(|word| word == "boat" || word == "2024" || word == "the"), "{told:?}");
        let last = told.iter().position(|word| word == "weather");
        assert!(last.is_none_or(|place| place > 1));
    }

    #[test]
    fn each_language_is_counted_by_itself() {
        let (lexicon, _) = crawled();
        let german = page(1, "de", "<p>Weather weather weather. Hafen hafen hafen.</p>");
        let told = lexicon.telling(&german, true);
        assert!(told.contains(&"weather".to_owned()), "not common in German: {told:?}");
    }

    #[test]
    fn what_was_counted_survives_a_restart() {
        let (lexicon, boats) = crawled();
        let again = Lexicon::restored(lexicon.saved());
        assert_eq!(*again.seen(), *lexicon.seen());
        assert_eq!(again.telling(&boats, false), lexicon.telling(&boats, false));
        assert_eq!(*Lexicon::restored(Some(vec![1, 2, 3])).seen(), Seen::default());
    }

    #[test]
    fn memory_is_bounded_and_common_words_stay() {
        let mut seen = Seen::default();
        let made: Vec<String> = (0..WORDS + 5_000).map(|n| format!("word{n}")).collect();
        for some in made.chunks(1_000) {
            seen.count("en", some.iter().map(|word| key(word)).chain([key("common")]));
        }
        let spoken = &seen.languages["en"];
        assert!(spoken.words.len() <= WORDS && spoken.words.contains_key(&key("common")));
    }

    #[test]
    fn counts_that_cannot_grow_any_more_neither_stop_a_crawl_nor_keep_it() {
        let words = (0..WORDS as u64 + 1).map(|word| (word, u32::MAX)).collect();
        let full = Seen { languages: [("en".to_owned(), Spoken { pages: u64::MAX, words })].into_iter().collect() };
        let saved = postcard::to_allocvec(&full).unwrap();
        let lexicon = Lexicon::restored(Some(saved.clone()));
        let (_, boats) = crawled();
        assert!(!lexicon.telling(&boats, true).is_empty());
        assert!(lexicon.meet(None, &saved).is_some());
        assert!(lexicon.seen().languages["en"].words.len() <= WORDS);
    }
}
