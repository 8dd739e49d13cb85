//! Naive Bayes with two classes, one pair for each number of links ahead.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::features::Feature;

/// Links ahead that can be predicted.
pub(crate) const DEPTHS: usize = 3;

/// Terms that are remembered; when there are more, those seen least are let go.
const TERMS: usize = 200_000;

/// How many examples' worth a term is held to be as frequent in a class as it is overall.
const SMOOTHING: f64 = 50.0;

/// Links that led to a relevant page after so many links, and links that did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Counts {
    leads: [u32; DEPTHS],
    fails: [u32; DEPTHS],
}

impl Counts {
    fn of(&mut self, depth: usize, leads: bool) -> &mut u32 {
        if leads { &mut self.leads[depth] } else { &mut self.fails[depth] }
    }

    /// Adds what was counted since `before`; what was taken back since is taken from it.
    fn add(&mut self, now: &Self, before: &Self) {
        for ((sum, now), before) in (self.leads.iter_mut().chain(&mut self.fails))
            .zip(now.leads.iter().chain(&now.fails))
            .zip(before.leads.iter().chain(&before.fails))
        {
            *sum = sum.saturating_add(now.saturating_sub(*before)).saturating_sub(before.saturating_sub(*now));
        }
    }

    fn total(&self) -> u64 {
        self.leads.iter().chain(&self.fails).map(|count| u64::from(*count)).sum()
    }
}

/// What was learnt of links: for each number of links ahead, which terms go with those that lead to
/// a relevant page at exactly that distance.
///
/// The share of a term in a class is `(count + m·p) / (examples + m)`, where `p` is its share over
/// both classes. With one more for every term (Laplace) rare terms speak for the smaller class, and
/// nearly all terms of a link are rare: then everything seems to lead somewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Bayes {
    terms: HashMap<Feature, Counts>,
    examples: Counts,
}

impl Bayes {
    /// A link turned out to lead, or not, to a relevant page after `depth` links (from 0).
    pub fn learn(&mut self, features: &[Feature], depth: usize, leads: bool) {
        self.change(features, depth, leads, |count| *count = count.saturating_add(1));
        if self.terms.len() > TERMS {
            self.prune();
        }
    }

    /// What was learnt turned out wrong.
    pub fn unlearn(&mut self, features: &[Feature], depth: usize, leads: bool) {
        self.change(features, depth, leads, |count| *count = count.saturating_sub(1));
    }

    fn change(&mut self, features: &[Feature], depth: usize, leads: bool, change: impl Fn(&mut u32)) {
        change(self.examples.of(depth, leads));
        for feature in features {
            change(self.terms.entry(*feature).or_default().of(depth, leads));
        }
    }

    /// Adds to what others learnt what was learnt here since `base`.
    pub fn meet(&mut self, base: &Self, theirs: Self) {
        let own = std::mem::replace(self, theirs);
        self.examples.add(&own.examples, &base.examples);
        for (term, counts) in own.terms {
            let before = base.terms.get(&term).copied().unwrap_or_default();
            self.terms.entry(term).or_default().add(&counts, &before);
        }
        if self.terms.len() > TERMS {
            self.prune();
        }
    }

    /// `P(leads | terms)` for each number of links ahead; 0 where nothing that leads is known.
    pub fn posteriors(&self, features: &[Feature]) -> [f64; DEPTHS] {
        let examples: [(f64, f64); DEPTHS] =
            std::array::from_fn(|depth| (self.examples.leads[depth].into(), self.examples.fails[depth].into()));
        // Products instead of sums of logarithms, taken in before they can run out of range.
        let mut log_odds = [0.0; DEPTHS];
        let mut ratios = [1.0; DEPTHS];
        for (place, counts) in features.iter().filter_map(|feature| self.terms.get(feature)).enumerate() {
            for depth in 0..DEPTHS {
                let (leads, fails) = (f64::from(counts.leads[depth]), f64::from(counts.fails[depth]));
                let (all_leads, all_fails) = examples[depth];
                if leads + fails == 0.0 {
                    continue;
                }
                let expected = SMOOTHING * (leads + fails) / (all_leads + all_fails);
                ratios[depth] *=
                    (leads + expected) * (all_fails + SMOOTHING) / ((fails + expected) * (all_leads + SMOOTHING));
            }
            if place % 16 == 15 {
                take_in(&mut log_odds, &mut ratios);
            }
        }
        take_in(&mut log_odds, &mut ratios);
        std::array::from_fn(|depth| {
            let (leads, fails) = examples[depth];
            let prior = (leads / (fails + 1.0)).ln();
            if leads == 0.0 { 0.0 } else { 1.0 / (1.0 + (-log_odds[depth] - prior).exp()) }
        })
    }

    /// Lets go of the rarest terms.
    fn prune(&mut self) {
        let mut least = 1u64;
        while self.terms.len() > TERMS * 3 / 4 {
            self.terms.retain(|_, counts| counts.total() > least);
            least = least.saturating_mul(2);
        }
    }
}

fn take_in(log_odds: &mut [f64; DEPTHS], ratios: &mut [f64; DEPTHS]) {
    for (log_odds, ratio) in log_odds.iter_mut().zip(ratios) {
        *log_odds += ratio.ln();
        *ratio = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_predicted_before_something_led_somewhere() {
        let mut model = Bayes::default();
        assert_eq!(model.posteriors(&[1, 2]), [0.0; DEPTHS]);
        model.learn(&[1, 2], 0, false);
        assert_eq!(model.posteriors(&[1, 2]), [0.0; DEPTHS]);
    }

    #[test]
    fn terms_that_went_with_relevant_pages_raise_the_probability() {
        let mut model = Bayes::default();
        for n in 0..100 {
            model.learn(&[1, 100 + n], 0, true);
            (0..9).for_each(|m| model.learn(&[2, 1000 + 10 * n + m], 0, false));
        }
        let [likely, ..] = model.posteriors(&[1]);
        let [base, ..] = model.posteriors(&[]);
        let [unlikely, ..] = model.posteriors(&[2]);
        let [unknown, ..] = model.posteriors(&[7]);
        assert!(likely > 0.8 && unlikely < 0.05, "{likely} {unlikely}");
        assert!((base - 0.1).abs() < 0.01 && unknown == base, "{base} {unknown}");
    }

    #[test]
    fn terms_seen_once_in_the_larger_class_do_not_speak_for_the_smaller() {
        let mut model = Bayes::default();
        (0..5).for_each(|_| model.learn(&[1], 0, true));
        (0..500).for_each(|n| model.learn(&[10 + n], 0, false));
        let rare: Vec<u64> = (10..50).collect();
        assert!(model.posteriors(&rare)[0] < model.posteriors(&[])[0]);
    }

    #[test]
    fn the_two_classes_share_the_whole_probability() {
        // The same counts with the classes exchanged give what is missing to one, but for the one
        // example by which the prior of few examples is held down.
        let (mut model, mut mirrored) = (Bayes::default(), Bayes::default());
        for n in 0..5000u64 {
            let (leads, features) = (n % 3 == 0, [n % 7, 100 + n % 11]);
            model.learn(&features, 1, leads);
            mirrored.learn(&features, 1, !leads);
        }
        for features in [[1, 101], [2, 105], [6, 110]] {
            let sum = model.posteriors(&features)[1] + mirrored.posteriors(&features)[1];
            assert!((sum - 1.0).abs() < 0.001, "{sum}");
        }
    }

    #[test]
    fn what_is_unlearnt_leaves_no_trace_in_predictions() {
        let mut model = Bayes::default();
        model.learn(&[1, 2], 2, true);
        model.learn(&[3], 2, false);
        let before = model.posteriors(&[1, 3]);
        model.learn(&[1], 2, false);
        assert_ne!(model.posteriors(&[1, 3]), before);
        model.unlearn(&[1], 2, false);
        assert_eq!(model.posteriors(&[1, 3]), before);
    }

    #[test]
    fn two_who_meet_know_what_each_learnt_once() {
        let mut base = Bayes::default();
        base.learn(&[1], 0, true);
        let (mut one, mut other, mut both) = (base.clone(), base.clone(), base.clone());
        for n in 0..20 {
            one.learn(&[1, n], 0, n % 3 == 0);
            both.learn(&[1, n], 0, n % 3 == 0);
            other.learn(&[2, n], 1, n % 2 == 0);
            both.learn(&[2, n], 1, n % 2 == 0);
        }
        one.unlearn(&[1], 0, true);
        both.unlearn(&[1], 0, true);
        one.meet(&base, other.clone());
        assert_eq!(one, both);
        // Nothing is learnt twice, however often they meet.
        let shared = one.clone();
        one.meet(&shared, shared.clone());
        other.meet(&other.clone(), shared.clone());
        assert_eq!((&one, &other), (&both, &both));
    }

    #[test]
    fn memory_is_bounded() {
        let mut model = Bayes::default();
        for n in 0..TERMS as u64 / 8 {
            let features: Vec<u64> = (0..10).map(|m| n * 10 + m).chain([u64::MAX]).collect();
            model.learn(&features, 0, n % 5 == 0);
        }
        assert!(model.terms.len() <= TERMS + 11 && model.terms.contains_key(&u64::MAX));
    }
}
