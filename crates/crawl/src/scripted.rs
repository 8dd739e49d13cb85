//! What scripts change on pages, as the reports of their sites say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use facts::{Url, UrlId};
use lru::LruCache;
use report::Dynamic;

/// Changes of one page that are remembered, and their bytes: it is rendered in no more states than this.
const CHANGES: usize = 100;
const PAGE_BYTES: usize = 64 << 10;
/// Bytes of all pages; those that were told of least lately are forgotten first.
const BYTES: usize = 32 << 20;

/// Remembers what scripts change on the pages that reports told of lately.
pub(crate) struct Scripted(Mutex<Remembered>);

struct Remembered {
    pages: LruCache<UrlId, Arc<[Dynamic]>>,
    bytes: usize,
}

impl Scripted {
    pub fn new() -> Self {
        // The bytes are the bound.
        Self(Mutex::new(Remembered { pages: LruCache::unbounded(), bytes: 0 }))
    }

    /// What is known of a page.
    pub fn of(&self, url: &Url) -> Arc<[Dynamic]> {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.pages.get(&url.id()).cloned().unwrap_or_default()
    }

    /// Takes note of what a report says, in place of what was known of the same pages.
    pub fn note(&self, entries: &[Dynamic]) {
        let mut pages: HashMap<UrlId, (Vec<Dynamic>, usize)> = HashMap::new();
        for entry in entries {
            let (changes, bytes) = pages.entry(entry.url.id()).or_default();
            if changes.len() < CHANGES && *bytes + bytes_of(entry) <= PAGE_BYTES {
                *bytes += bytes_of(entry);
                changes.push(entry.clone());
            }
        }
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (page, (changes, _)) in pages {
            remembered.put(page, changes.into());
        }
    }
}

impl Remembered {
    fn put(&mut self, page: UrlId, changes: Arc<[Dynamic]>) {
        let all = |changes: &[Dynamic]| changes.iter().map(bytes_of).sum::<usize>();
        self.bytes += all(&changes);
        if let Some(old) = self.pages.put(page, changes) {
            self.bytes -= all(&old);
        }
        while self.bytes > BYTES
            && let Some((_, forgotten)) = self.pages.pop_lru()
        {
            self.bytes -= all(&forgotten);
        }
    }
}

/// What a change takes in memory, about.
fn bytes_of(change: &Dynamic) -> usize {
    let sources: usize = change.sources.iter().map(|source| size_of::<String>() + source.len()).sum();
    size_of::<Dynamic>() + change.url.as_str().len() + change.target.len() + change.value.len() + sources
}

#[cfg(test)]
mod tests {
    use report::Event;

    use super::*;

    fn change(page: usize, number: usize, source: usize) -> Dynamic {
        Dynamic {
            url: Url::parse(&format!("https://example.org/{page}")).unwrap(),
            events: vec![Event::OnClick],
            sources: vec!["s".repeat(source)],
            target: number.to_string(),
            value: "more()".into(),
        }
    }

    #[test]
    fn of_a_page_with_many_changes_only_some_are_remembered() {
        let scripted = Scripted::new();
        let many: Vec<Dynamic> = (0..10_000).map(|number| change(0, number, 1)).collect();
        scripted.note(&many);
        assert_eq!(*scripted.of(&many[0].url), many[..CHANGES]);
        scripted.note(&(0..100).map(|number| change(0, number, 1_000)).collect::<Vec<_>>());
        assert!((50..64).contains(&scripted.of(&many[0].url).len()));
        assert!(scripted.of(&change(1, 0, 0).url).is_empty());
    }

    #[test]
    fn of_many_pages_those_told_of_last_are_remembered() {
        let scripted = Scripted::new();
        let bytes = || scripted.0.lock().unwrap().bytes;
        for page in 0..2_000 {
            scripted.note(&(0..20).map(|number| change(page, number, 2_000)).collect::<Vec<_>>());
            assert!(bytes() <= BYTES);
        }
        assert!(bytes() > BYTES / 2);
        assert!(scripted.of(&change(0, 0, 0).url).is_empty());
        assert_eq!(scripted.of(&change(1_999, 0, 0).url).len(), 20);
        // What is told again takes the place of what was told.
        let before = bytes();
        scripted.note(&[change(1_999, 0, 2_000)]);
        assert!(bytes() < before && scripted.of(&change(1_999, 0, 0).url).len() == 1);
    }
}
