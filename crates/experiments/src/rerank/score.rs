//! How many of the first answers are of the class that was asked for.

use serde::Serialize;

/// Means over all pictures, each asked for once with the others as answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Score {
    /// Mean average precision.
    pub map: f64,
    /// Precision among the first 10, 20 and 30 answers.
    pub at: [f64; 3],
    /// The place of the fifth and of the tenth answer of the class.
    pub place: [f64; 2],
}

/// Answers that precision is measured at.
const AT: [usize; 3] = [10, 20, 30];
/// Relevant answers whose places are told.
const NTH: [usize; 2] = [5, 10];

impl Score {
    /// The score of an order by distance. Pictures that are alone in their class are only answers.
    pub fn of(classes: &[usize], distance: impl Fn(usize, usize) -> f32) -> Self {
        let mut score = Self::default();
        let mut asked = 0.0;
        for query in 0..classes.len() {
            let mut answers: Vec<(f32, usize)> =
                (0..classes.len()).filter(|i| *i != query).map(|i| (distance(query, i), i)).collect();
            answers.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let relevant: Vec<bool> = answers.iter().map(|(_, i)| classes[*i] == classes[query]).collect();
            score.add(&relevant, &mut asked);
        }
        let mean = |sum: f64| if asked > 0.0 { sum / asked } else { 0.0 };
        Self { map: mean(score.map), at: score.at.map(mean), place: score.place.map(mean) }
    }

    fn add(&mut self, relevant: &[bool], asked: &mut f64) {
        let places: Vec<usize> = (1..).zip(relevant).filter(|(_, is)| **is).map(|(place, _)| place).collect();
        if places.is_empty() {
            return;
        }
        *asked += 1.0;
        let precisions = (1..).zip(&places).map(|(found, place)| f64::from(found) / *place as f64);
        self.map += precisions.sum::<f64>() / places.len() as f64;
        for (sum, at) in self.at.iter_mut().zip(AT) {
            *sum += places.iter().filter(|place| **place <= at).count() as f64 / at as f64;
        }
        for (sum, nth) in self.place.iter_mut().zip(NTH) {
            *sum += places.get(nth - 1).copied().unwrap_or(relevant.len()) as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_order_scores_one() {
        let classes: Vec<usize> = (0..44).map(|i| i / 22).collect();
        let score = Score::of(&classes, |a, b| if classes[a] == classes[b] { 0.0 } else { 1.0 });
        assert_eq!((score.map, score.at[0], score.at[1], score.place), (1.0, 1.0, 1.0, [5.0, 10.0]));
        assert!((score.at[2] - 21.0 / 30.0).abs() < 1e-9);
    }

    #[test]
    fn average_precision_counts_each_relevant_answer() {
        // Asked for 0, the answers are 1 (other), 2 (same), 3 (other); 1 and 3 likewise.
        let score = Score::of(&[0, 1, 0, 1], |a, b| a.abs_diff(b) as f32);
        let of_0 = 1.0 / 2.0;
        let of_1 = 1.0 / 3.0;
        let of_2 = 1.0 / 3.0;
        let of_3 = 1.0 / 2.0;
        assert!((score.map - (of_0 + of_1 + of_2 + of_3) / 4.0).abs() < 1e-9, "{score:?}");
        assert_eq!(Score::of(&[0, 1], |_, _| 0.0), Score::default(), "nobody has company");
    }
}
