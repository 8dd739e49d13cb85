//! Which addresses were met already.

use std::collections::HashMap;
use std::hash::BuildHasher;

use facts::Url;
use foldhash::fast::RandomState;

/// Finds the place of an address in a list without keeping a second copy of it.
#[derive(Default)]
pub(crate) struct Known {
    hash: RandomState,
    places: HashMap<u64, u32, RandomState>,
}

impl Known {
    /// Where the address is in the list; `at` gives the address at a place.
    pub(crate) fn place<'a>(&self, url: &Url, at: impl Fn(usize) -> &'a Url) -> Option<usize> {
        let place = *self.places.get(&self.hash.hash_one(url))? as usize;
        (at(place) == url).then_some(place)
    }

    pub(crate) fn insert(&mut self, url: &Url, place: usize) {
        self.places.insert(self.hash.hash_one(url), place as u32);
    }
}
