//! Who links to what waits.

use std::num::NonZeroUsize;

use facts::UrlId;
use lru::LruCache;
use serde::{Deserialize, Serialize};

/// Addresses whose links are remembered: those that nobody linked to for longest are let go. They keep the
/// place they have in the queue, and count from the beginning when they are linked to again.
const TARGETS: NonZeroUsize = NonZeroUsize::new(300_000).unwrap();

/// Pages whose links were counted.
const PAGES: NonZeroUsize = NonZeroUsize::new(100_000).unwrap();

/// For each address the sum of what links to it weigh, of each page one.
#[derive(Debug)]
pub(crate) struct Inlinks {
    targets: LruCache<u64, f32>,
    pages: LruCache<u64, ()>,
}

impl Default for Inlinks {
    fn default() -> Self {
        Self { targets: LruCache::new(TARGETS), pages: LruCache::new(PAGES) }
    }
}

/// The same as it is saved, the latest last.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedInlinks {
    targets: Vec<(u64, f32)>,
    pages: Vec<u64>,
}

impl Inlinks {
    /// A page was read; whether its links were not counted before.
    pub fn is_new(&mut self, page: UrlId) -> bool {
        self.pages.put(key(page), ()).is_none()
    }

    /// Counts a link of a page that is new; gives the sum of all.
    pub fn count(&mut self, target: UrlId, weight: f32) -> f32 {
        let sum = self.targets.get_or_insert_mut(key(target), || 0.0);
        *sum += weight;
        *sum
    }

    /// The sum so far, with a link that may be among them already.
    pub fn with(&self, target: UrlId, weight: f32) -> f32 {
        self.targets.peek(&key(target)).copied().unwrap_or(0.0).max(weight)
    }

    pub fn saved(&self) -> SavedInlinks {
        SavedInlinks {
            targets: self.targets.iter().rev().map(|(target, sum)| (*target, *sum)).collect(),
            pages: self.pages.iter().rev().map(|(page, ())| *page).collect(),
        }
    }

    pub fn restored(saved: SavedInlinks) -> Self {
        let mut inlinks = Self::default();
        for (target, sum) in saved.targets {
            inlinks.targets.put(target, if sum.is_finite() { sum } else { 0.0 });
        }
        for page in saved.pages {
            inlinks.pages.put(page, ());
        }
        inlinks
    }
}

/// Enough of an identity: of 300,000 addresses two have the same with a chance of 1 in 400 million.
fn key(id: UrlId) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&id.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u64) -> UrlId {
        facts::Url::parse(&format!("http://a.example/{n}")).unwrap().id()
    }

    #[test]
    fn a_page_counts_once_and_what_is_saved_counts_on() {
        let mut inlinks = Inlinks::default();
        assert!(inlinks.is_new(id(1)) && !inlinks.is_new(id(1)));
        assert_eq!(inlinks.count(id(9), 1.0), 1.0);
        assert_eq!(inlinks.count(id(9), 0.5), 1.5);
        assert_eq!((inlinks.with(id(9), 1.0), inlinks.with(id(8), 1.0)), (1.5, 1.0));
        let mut again = Inlinks::restored(inlinks.saved());
        assert!(!again.is_new(id(1)) && again.is_new(id(2)));
        assert_eq!(again.count(id(9), 1.0), 2.5);
    }

    #[test]
    fn memory_is_bounded_and_what_was_linked_to_lately_stays() {
        let mut inlinks = Inlinks::default();
        for n in 0..TARGETS.get() as u64 + 10 {
            inlinks.targets.put(n, 1.0);
            if n % 1000 == 0 {
                inlinks.count(id(9), 1.0);
            }
        }
        assert!(inlinks.targets.len() <= TARGETS.get());
        assert!(inlinks.with(id(9), 0.0) > 300.0);
    }
}
