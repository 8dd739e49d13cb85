//! What re-ranking by one answer is worth: answers of which half are relevant, in any order, and the
//! first relevant one is taken for the target.

use media::{Look, Mix};
use serde_json::{Value, json};

use crate::Table;
use crate::spread::Spread;

/// Answers of a question, half of which are relevant.
const ANSWERS: usize = 100;
/// Answers that precision is measured at.
const AT: usize = 10;
/// Questions of each class.
const QUESTIONS: u64 = 20;
/// Gain in precision of [004 Table 7.11], in the mean.
const TOLD: f64 = 0.25;

/// Gains by class.
pub(super) struct Gain {
    pub all: Spread,
    before: Spread,
    after: Spread,
}

impl Gain {
    /// Asks for each class so many times. None where no class is large enough to be half of an answer.
    pub fn of(classes: &[usize], looks: &[Look], mix: Mix) -> Option<Self> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let count = classes.iter().max().map_or(0, |most| most + 1);
        for class in 0..count {
            let (own, others): (Vec<usize>, Vec<usize>) =
                (0..classes.len()).partition(|place| classes[*place] == class);
            let half = (ANSWERS / 2).min(own.len()).min(others.len());
            if half <= AT {
                continue;
            }
            for question in 0..QUESTIONS {
                let seed = class as u64 * QUESTIONS + question;
                let mut answers = shuffled(own.clone(), seed);
                answers.truncate(half);
                answers.extend(shuffled(others.clone(), seed ^ 0xff00).into_iter().take(half));
                let answers = shuffled(answers, seed ^ 0xff_0000);
                let relevant = |place: &usize| classes[*place] == class;
                let Some(target) = answers.iter().copied().find(relevant) else { continue };
                // The target itself counts in neither order.
                let rest: Vec<usize> = answers.into_iter().filter(|place| *place != target).collect();
                let precision =
                    |order: &[usize]| order.iter().take(AT).filter(|place| relevant(place)).count() as f64 / AT as f64;
                before.push(precision(&rest));
                let mut ranked: Vec<(f32, usize)> =
                    rest.iter().map(|place| (mix.distance(&looks[target], &looks[*place]), *place)).collect();
                ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
                after.push(precision(&ranked.into_iter().map(|(_, place)| place).collect::<Vec<_>>()));
            }
        }
        let gains = Spread::of(before.iter().zip(&after).map(|(before, after)| after - before));
        (!before.is_empty()).then(|| Self { all: gains, before: Spread::of(before), after: Spread::of(after) })
    }

    pub fn table(mixes: &[(&'static str, Self)]) -> Table {
        let row = |(name, gain): &(&str, Self)| {
            vec![
                (*name).to_owned(),
                format!("{:.2}", gain.before.mean),
                format!("{:.2}", gain.after.mean),
                format!("{:+.2} ± {:.2}", gain.all.mean, gain.all.deviation),
                format!("{:+.2} to {:+.2}", gain.all.least, gain.all.most),
                format!("{TOLD:+.2}"),
            ]
        };
        Table {
            headings: vec!["re-ranked by", "P@10 before", "after", "gain", "from, to", "document (7.11)"],
            rows: mixes.iter().map(row).collect(),
        }
    }

    pub fn figures(&self) -> Value {
        json!({ "before": self.before, "after": self.after, "gain": self.all })
    }
}

/// In an order that follows from a number.
fn shuffled(mut all: Vec<usize>, number: u64) -> Vec<usize> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for last in (1..all.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        all.swap(last, (state >> 33) as usize % (last + 1));
    }
    all
}
