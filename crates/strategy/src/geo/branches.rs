//! The links that were followed lately, and what they led to: who teaches what.

use std::num::NonZeroUsize;

use facts::UrlId;
use lru::LruCache;
use serde::{Deserialize, Serialize};

use super::bayes::{Bayes, DEPTHS};
use super::features::Feature;

/// Followed links that are remembered: a link that is forgotten is no longer an example for what is
/// found behind it.
const REMEMBERED: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();

/// Pages behind a link that must have been visited before it is said to lead nowhere.
const ENOUGH: u32 = 3;

/// A link that was followed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Followed {
    /// Its terms; none for a seed, which no link led to.
    features: Vec<Feature>,
    /// The page it stood on.
    parent: Option<UrlId>,
    /// Pages visited after so many links behind it, less one.
    visited: [u32; DEPTHS],
    /// What it was taken as an example of.
    taught: [Option<bool>; DEPTHS],
}

/// The links that were followed lately, by the page each led to.
#[derive(Debug)]
pub(crate) struct Branches(LruCache<UrlId, Followed>);

impl Default for Branches {
    fn default() -> Self {
        Self(LruCache::new(REMEMBERED))
    }
}

impl Branches {
    /// A link was followed to a page, relevant or not: it and the links before it are examples.
    pub fn arrived(
        &mut self,
        id: UrlId,
        parent: Option<UrlId>,
        features: Vec<Feature>,
        relevant: bool,
        model: &mut Bayes,
    ) {
        if self.0.contains(&id) {
            // A page that is read again teaches nothing new.
            return;
        }
        self.0.put(id, Followed { features, parent, visited: [0; DEPTHS], taught: [None; DEPTHS] });
        let mut next = Some(id);
        for depth in 0..DEPTHS {
            let Some(link) = next.and_then(|id| self.0.get_mut(&id)) else { return };
            link.arrived(depth, relevant, model);
            next = link.parent;
        }
    }

    /// What is remembered, the latest last.
    pub fn saved(&self) -> Vec<(UrlId, Followed)> {
        self.0.iter().rev().map(|(id, followed)| (*id, followed.clone())).collect()
    }

    /// Takes up what was saved.
    pub fn restored(saved: Vec<(UrlId, Followed)>) -> Self {
        let mut branches = Self::default();
        for (id, followed) in saved {
            branches.0.put(id, followed);
        }
        branches
    }
}

impl Followed {
    fn arrived(&mut self, depth: usize, relevant: bool, model: &mut Bayes) {
        self.visited[depth] = self.visited[depth].saturating_add(1);
        if self.features.is_empty() {
            return;
        }
        match (self.taught[depth], relevant) {
            (Some(true), _) | (Some(false), false) => {}
            (Some(false), true) => {
                model.unlearn(&self.features, depth, false);
                self.teach(depth, true, model);
            }
            (None, true) => self.teach(depth, true, model),
            // A link's own page says at once that it is not relevant; of what lies behind, more
            // must have been seen.
            (None, false) if depth == 0 || self.visited[depth] >= ENOUGH => self.teach(depth, false, model),
            (None, false) => {}
        }
    }

    fn teach(&mut self, depth: usize, leads: bool, model: &mut Bayes) {
        model.learn(&self.features, depth, leads);
        self.taught[depth] = Some(leads);
    }
}

#[cfg(test)]
mod tests {
    use facts::Url;

    use super::*;

    fn id(n: u64) -> UrlId {
        Url::parse(&format!("http://a.example/{n}")).unwrap().id()
    }

    /// Pages 1 → 2 → 3 → 4, each reached by a link with one term of its own.
    fn chain(branches: &mut Branches, model: &mut Bayes, relevant: u64) {
        branches.arrived(id(0), None, Vec::new(), false, model);
        for n in 1..=4 {
            branches.arrived(id(n), Some(id(n - 1)), vec![n], n == relevant, model);
        }
    }

    fn taught(model: &Bayes, with: &[(u64, usize, bool)]) -> bool {
        let mut expected = Bayes::default();
        with.iter().for_each(|(term, depth, leads)| expected.learn(&[*term], *depth, *leads));
        *model == expected
    }

    #[test]
    fn a_relevant_page_teaches_the_links_that_led_to_it() {
        let (mut branches, mut model) = (Branches::default(), Bayes::default());
        chain(&mut branches, &mut model, 4);
        let expected = [(1, 0, false), (2, 0, false), (3, 0, false), (4, 0, true), (3, 1, true), (2, 2, true)];
        assert!(taught(&model, &expected), "{model:?}");
    }

    #[test]
    fn a_link_leads_nowhere_when_enough_behind_it_was_visited() {
        let (mut branches, mut model) = (Branches::default(), Bayes::default());
        branches.arrived(id(0), None, Vec::new(), false, &mut model);
        branches.arrived(id(1), Some(id(0)), vec![1], false, &mut model);
        for n in 2..4 {
            branches.arrived(id(n), Some(id(1)), vec![9], false, &mut model);
        }
        let own = [(1, 0, false), (9, 0, false), (9, 0, false)];
        assert!(taught(&model, &own), "{model:?}");
        branches.arrived(id(4), Some(id(1)), vec![9], false, &mut model);
        assert!(taught(&model, &[own.as_slice(), &[(9, 0, false), (1, 1, false)]].concat()), "{model:?}");
        // A later child that is relevant proves it wrong.
        branches.arrived(id(5), Some(id(1)), vec![8], true, &mut model);
        let mut known = Bayes::default();
        [(1, 0, false), (9, 0, false), (9, 0, false), (9, 0, false), (8, 0, true), (1, 1, true)]
            .iter()
            .for_each(|(term, depth, leads)| known.learn(&[*term], *depth, *leads));
        for term in [1, 8, 9] {
            assert_eq!(model.posteriors(&[term]), known.posteriors(&[term]));
        }
    }

    #[test]
    fn a_page_that_is_read_again_teaches_nothing() {
        let (mut branches, mut model) = (Branches::default(), Bayes::default());
        chain(&mut branches, &mut model, 3);
        let before = model.clone();
        branches.arrived(id(3), Some(id(2)), vec![3], true, &mut model);
        assert_eq!(model, before);
    }

    #[test]
    fn a_link_that_cannot_be_followed_more_often_is_followed_all_the_same() {
        let full = Followed { features: vec![1], parent: None, visited: [u32::MAX; DEPTHS], taught: [None; DEPTHS] };
        let (mut branches, mut model) = (Branches::restored(vec![(id(1), full)]), Bayes::default());
        branches.arrived(id(2), Some(id(1)), vec![2], true, &mut model);
        assert!(taught(&model, &[(2, 0, true), (1, 1, true)]), "{model:?}");
    }

    #[test]
    fn what_was_saved_teaches_on() {
        let (mut branches, mut model) = (Branches::default(), Bayes::default());
        chain(&mut branches, &mut model, 0);
        let (mut restored, mut other) = (Branches::restored(branches.saved()), model.clone());
        branches.arrived(id(5), Some(id(4)), vec![5], true, &mut model);
        restored.arrived(id(5), Some(id(4)), vec![5], true, &mut other);
        assert_eq!(model, other);
    }
}
