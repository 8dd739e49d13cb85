//! Where photographs were found before [algorithms 1.8].

use std::num::NonZeroUsize;

use facts::Url;
use lru::LruCache;
use serde::{Deserialize, Serialize};

use crate::geo::features::{Field, hash};

/// Hosts and path templates that are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(20_000).unwrap();

/// A photograph that says where it was taken counts as so many.
const LOCATED: f64 = 3.0;

/// Pages' worth of belief that a place yet unseen is a little better than the average.
const STRENGTH: f64 = 4.0;
const OPTIMISM: f64 = 1.25;

/// The most that this can change the odds of a link, as a power of e.
const MOST: f64 = 0.5;

/// What was found at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Tally {
    pages: u32,
    images: u32,
    located: u32,
}

impl Tally {
    fn photographs(&self) -> f64 {
        f64::from(self.images) + (LOCATED - 1.0) * f64::from(self.located)
    }

    /// Photographs among all that was found, drawn to `expected` while little is known.
    fn rate(&self, expected: f64) -> f64 {
        let found = self.photographs();
        (found + STRENGTH * expected) / (found + f64::from(self.pages) + STRENGTH)
    }
}

/// Pages and photographs by host and by path template.
#[derive(Debug)]
pub(crate) struct Prior {
    places: LruCache<u64, Tally>,
    all: Tally,
}

impl Default for Prior {
    fn default() -> Self {
        Self { places: LruCache::new(REMEMBERED), all: Tally::default() }
    }
}

/// A prior as it is saved.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedPrior {
    places: Vec<(u64, Tally)>,
    all: Tally,
}

impl Prior {
    pub fn page(&mut self, url: &Url) {
        self.count(url, |tally| tally.pages = tally.pages.saturating_add(1));
    }

    /// A photograph that the page shows was kept.
    pub fn photograph(&mut self, page: &Url, located: bool) {
        self.count(page, |tally| {
            tally.images = tally.images.saturating_add(1);
            tally.located = tally.located.saturating_add(u32::from(located));
        });
    }

    fn count(&mut self, url: &Url, change: impl Fn(&mut Tally)) {
        change(&mut self.all);
        for place in places(url) {
            change(self.places.get_or_insert_mut(place, Tally::default));
        }
    }

    /// A priority, raised or lowered by what was found on the link's host and under its template.
    pub fn applied(&self, url: &Url, priority: f64) -> f64 {
        let average = self.all.rate(0.5);
        let expected = (OPTIMISM * average).min(0.95);
        let rates = places(url).map(|place| self.places.peek(&place).copied().unwrap_or_default().rate(expected));
        let change = rates.iter().map(|rate| log_odds(*rate) - log_odds(average)).sum::<f64>() / 2.0;
        let odds = log_odds(priority.clamp(1e-4, 1.0 - 1e-4)) + change.clamp(-MOST, MOST);
        1.0 / (1.0 + (-odds).exp())
    }

    pub fn saved(&self) -> SavedPrior {
        SavedPrior { places: self.places.iter().rev().map(|(place, tally)| (*place, *tally)).collect(), all: self.all }
    }

    pub fn restored(saved: SavedPrior) -> Self {
        let mut prior = Self { all: saved.all, ..Self::default() };
        for (place, tally) in saved.places {
            prior.places.put(place, tally);
        }
        prior
    }
}

impl SavedPrior {
    /// Adds to what others counted what was counted here since `base`; the latest last.
    pub fn meet(self, base: &Self, theirs: Self) -> Self {
        let before: std::collections::HashMap<u64, Tally> = base.places.iter().copied().collect();
        let own: std::collections::HashMap<u64, Tally> = self.places.iter().copied().collect();
        let mut places: Vec<(u64, Tally)> =
            theirs.places.iter().filter(|(place, _)| !own.contains_key(place)).copied().collect();
        let known: std::collections::HashMap<u64, Tally> = theirs.places.into_iter().collect();
        for (place, now) in self.places {
            let theirs = known.get(&place).copied().unwrap_or_default();
            places.push((place, theirs.and_since(now, before.get(&place).copied().unwrap_or_default())));
        }
        Self { places, all: theirs.all.and_since(self.all, base.all) }
    }
}

impl Tally {
    /// With what was counted since `before`.
    fn and_since(self, now: Self, before: Self) -> Self {
        let sum = |theirs: u32, now: u32, before: u32| theirs.saturating_add(now.saturating_sub(before));
        Self {
            pages: sum(self.pages, now.pages, before.pages),
            images: sum(self.images, now.images, before.images),
            located: sum(self.located, now.located, before.located),
        }
    }
}

fn log_odds(probability: f64) -> f64 {
    (probability / (1.0 - probability)).ln()
}

/// The host and the path template of an address.
fn places(url: &Url) -> [u64; 2] {
    [hash(Field::Host, url.host_str()), hash(Field::Path, &url.template())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn places_with_photographs_gain_those_without_lose() {
        let mut prior = Prior::default();
        for n in 0..30 {
            let (rich, poor) = (url(&format!("http://rich.example/p/{n}")), url(&format!("http://poor.example/p/{n}")));
            prior.page(&rich);
            prior.page(&poor);
            (0..3).for_each(|_| prior.photograph(&rich, n % 10 == 0));
        }
        let of = |text: &str| prior.applied(&url(text), 0.4);
        let (rich, poor, new) =
            (of("http://rich.example/p/77"), of("http://poor.example/p/77"), of("http://new.example/"));
        assert!(poor < 0.4 && rich > 0.4, "{poor} {rich}");
        // What nobody has looked at yet is not put off, nor is anything put off for good.
        assert!(new > 0.4 && poor > 0.25, "{new} {poor}");
    }

    #[test]
    fn two_who_meet_know_what_each_found_once() {
        let mut base = Prior::default();
        base.page(&url("http://a.example/1"));
        let (base, copy) = (base.saved(), Prior::restored(base.saved()));
        let (mut one, mut other) = (Prior::restored(copy.saved()), Prior::restored(copy.saved()));
        one.page(&url("http://a.example/2"));
        other.photograph(&url("http://a.example/1"), true);
        other.page(&url("http://b.example/1"));
        let met = Prior::restored(one.saved().meet(&base, other.saved()));
        assert_eq!((met.all.pages, met.all.images, met.all.located), (3, 1, 1));
        let of_host = |prior: &Prior, address: &str| *prior.places.peek(&places(&url(address))[0]).unwrap();
        assert_eq!((of_host(&met, "http://a.example/").pages, of_host(&met, "http://b.example/").pages), (2, 1));
    }

    #[test]
    fn it_stays_a_probability_and_says_nothing_before_it_knows() {
        let prior = Prior::default();
        for priority in [0.0, 0.3, 1.0] {
            let applied = prior.applied(&url("http://a.example/"), priority);
            assert!((0.0..=1.0).contains(&applied) && (applied - priority).abs() < 0.15, "{priority} {applied}");
        }
        assert!(prior.applied(&url("http://a.example/"), 0.3) < prior.applied(&url("http://a.example/"), 0.31));
    }
}
