//! How common terms are among the descriptions of links.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::terms::Counts;
use crate::geo::features::{Field, hash};

/// Terms that are remembered; when there are more, the rarest are let go.
const TERMS: usize = 100_000;

/// Descriptions of links seen so far, and how many of them have each term.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Descriptions {
    seen: u64,
    terms: HashMap<u64, u32>,
}

impl Descriptions {
    pub fn count(&mut self, description: &Counts) {
        self.seen = self.seen.saturating_add(1);
        for term in description.keys() {
            let count = self.terms.entry(key(term)).or_default();
            *count = count.saturating_add(1);
        }
        if self.terms.len() > TERMS {
            let mut least = 1u32;
            while self.terms.len() > TERMS * 3 / 4 {
                self.terms.retain(|_, count| *count > least);
                least = least.saturating_mul(2);
            }
        }
    }

    /// `ln(N / n_t)`; of a term that was let go, as if one had it.
    pub fn rarity(&self, term: &str) -> f64 {
        let having = self.terms.get(&key(term)).copied().unwrap_or(1).max(1);
        (self.seen.max(1) as f64 / f64::from(having)).ln().max(0.0)
    }
}

fn key(term: &str) -> u64 {
    hash(Field::Around, term)
}

#[cfg(test)]
mod tests {
    use super::super::terms::Speech;
    use super::*;

    #[test]
    fn terms_of_many_descriptions_are_worth_less() {
        let (mut seen, mut speech) = (Descriptions::default(), Speech::of(query::Language::ENGLISH, true));
        for n in 0..100 {
            seen.count(&speech.counts(if n % 10 == 0 { "museum photos" } else { "photos" }));
        }
        assert_eq!(seen.rarity("photo"), 0.0);
        assert!((seen.rarity("museum") - 10_f64.ln()).abs() < 1e-9);
        assert!((seen.rarity("airplan") - 100_f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn memory_is_bounded_and_common_terms_stay() {
        let mut seen = Descriptions::default();
        for n in 0..TERMS / 8 {
            let words = (0..10).map(|m| format!("w{}", 10 * n + m)).chain(["common".to_owned()]);
            seen.count(&words.map(|word| (word.into_boxed_str(), 1)).collect());
        }
        assert!(seen.terms.len() <= TERMS + 11 && seen.rarity("common") < 1e-9);
    }

    #[test]
    fn counts_that_cannot_grow_any_more_neither_stop_a_crawl_nor_keep_it() {
        let terms = (0..TERMS as u64 + 1).map(|term| (term, u32::MAX)).collect();
        let mut full = Descriptions { seen: u64::MAX, terms };
        full.count(&[("boats".into(), 1)].into_iter().collect());
        assert!(full.terms.len() <= TERMS && full.rarity("boats").is_finite());
    }
}
