//! Means, and how far apart what they were made of lies.

use serde::Serialize;

/// Several measurements of one thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub mean: f64,
    /// Standard deviation of the sample; 0 for a single one.
    pub deviation: f64,
    pub least: f64,
    pub most: f64,
}

impl Spread {
    /// Of these measurements; all zero when there are none.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return Self::default();
        }
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        Self {
            mean,
            deviation: if values.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 },
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            most: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// `12–17`, or `12` where they are equal.
    pub fn range(&self, digits: usize) -> String {
        let (least, most) = (format!("{:.digits$}", self.least), format!("{:.digits$}", self.most));
        if least == most { least } else { format!("{least}–{most}") }
    }
}

/// One number by another; none where that is nothing.
pub(crate) fn ratio(of: f64, to: f64) -> Option<f64> {
    (to > 0.0).then(|| of / to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_says_what_the_books_say() {
        let spread = Spread::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((spread.mean, spread.least, spread.most), (5.0, 2.0, 9.0));
        assert!((spread.deviation - 2.138).abs() < 0.001);
        assert_eq!(Spread::of([]), Spread::default());
        assert_eq!(Spread::of([3.0]), Spread { mean: 3.0, deviation: 0.0, least: 3.0, most: 3.0 });
        assert_eq!((spread.range(0).as_str(), Spread::of([1.5, 1.5]).range(1).as_str()), ("2–9", "1.5"));
    }
}
