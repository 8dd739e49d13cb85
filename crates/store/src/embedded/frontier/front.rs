//! The front of an ordered set whose rest is in the store.

use std::collections::BTreeSet;

/// The least keys of a set that is kept in the store, in memory.
///
/// All keys below `beyond` are here, those from it on are only in the store. The marks that
/// deleted keys leave in the store make reading a set from its start slow; the front is read
/// again only from `beyond`, once in many removals.
#[derive(Debug)]
pub(super) struct Front<K> {
    heads: BTreeSet<K>,
    beyond: Option<K>,
    most: usize,
}

impl<K: Ord + Copy> Front<K> {
    /// A set of which nothing is in memory, and nothing in the store before `from`; `None` for an
    /// empty one. At most `most` keys will be held.
    pub fn new(from: Option<K>, most: usize) -> Self {
        Self { heads: BTreeSet::new(), beyond: from, most: most.max(2) }
    }

    /// The store has one more key.
    pub fn insert(&mut self, key: K) {
        if self.beyond.is_some_and(|beyond| key >= beyond) {
            return;
        }
        self.heads.insert(key);
        if self.heads.len() > self.most {
            let half = self.heads.iter().nth(self.most / 2).copied();
            if let Some(half) = half {
                self.heads.split_off(&half);
                self.beyond = Some(half);
            }
        }
    }

    /// The store has one key less, or it should not be looked at for now.
    pub fn remove(&mut self, key: &K) {
        self.heads.remove(key);
    }

    /// A key that no key of the set comes before; `None` when the set is empty.
    pub fn lower_bound(&self) -> Option<K> {
        self.heads.first().copied().or(self.beyond)
    }

    /// The least key. `read(from, most)` gives the least keys of the store that are not below
    /// `from`.
    pub fn first<E>(&mut self, read: impl FnOnce(K, usize) -> Result<Vec<K>, E>) -> Result<Option<K>, E> {
        if let (true, Some(from)) = (self.heads.is_empty(), self.beyond) {
            let wanted = self.most / 2 + 1;
            let mut keys = read(from, wanted)?;
            self.beyond = if keys.len() < wanted { None } else { keys.pop() };
            self.heads.extend(keys);
        }
        Ok(self.heads.first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_front_gives_what_the_whole_set_would(
            steps in proptest::collection::vec((0u8..3, 0u16..200), 0..400),
            most in 0usize..12,
        ) {
            let mut stored = BTreeSet::new();
            let mut front = Front::new(None, most);
            for (step, key) in steps {
                match step {
                    0 | 1 => { stored.insert(key); front.insert(key); }
                    _ => {
                        let least = front
                            .first(|from, most| Ok::<_, ()>(stored.range(from..).take(most).copied().collect()))
                            .unwrap();
                        prop_assert_eq!(least, stored.first().copied());
                        if let Some(least) = least {
                            stored.remove(&least);
                            front.remove(&least);
                        }
                    }
                }
                prop_assert!(front.heads.len() <= most.max(2));
                if let (Some(bound), Some(least)) = (front.lower_bound(), stored.first()) {
                    prop_assert!(bound <= *least);
                }
            }
        }
    }
}
