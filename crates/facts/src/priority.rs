//! How soon something should be visited.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// A number in [0, 1]; larger goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Priority(f32);

impl Priority {
    /// The lowest.
    pub const LOWEST: Self = Self(0.0);
    /// The highest: seeds have it.
    pub const HIGHEST: Self = Self(1.0);

    /// Brings any number into range; what is not a number is the lowest.
    pub fn new(value: f64) -> Self {
        // Adding zero turns −0.0, whose bits would sort last, into 0.0.
        if value.is_nan() { Self::LOWEST } else { Self(value.clamp(0.0, 1.0) as f32 + 0.0) }
    }

    /// The number.
    pub fn value(self) -> f32 {
        self.0
    }

    /// A key that sorts the highest priority first.
    pub fn descending_key(self) -> u32 {
        // Bits of non-negative floats sort as the floats do.
        u32::MAX - self.0.to_bits()
    }
}

impl Eq for Priority {}

impl PartialOrd for Priority {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Priority {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// When a link should be visited, as its strategy says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// In order of discovery (`bfs`).
    FirstIn,
    /// Children of the page visited last before everything older, in document order (`dfs`).
    LastIn,
    /// Largest first, ties in order of discovery; raised when found again with a larger one.
    Best(Priority),
}

#[cfg(test)]
mod tests {
    use super::Priority;
    use proptest::prelude::*;

    #[test]
    fn anything_becomes_a_priority() {
        assert_eq!(Priority::new(f64::NAN), Priority::LOWEST);
        assert_eq!(Priority::new(7.0), Priority::HIGHEST);
        assert_eq!(Priority::new(-1.0), Priority::LOWEST);
        assert_eq!(Priority::new(-0.0).descending_key(), Priority::LOWEST.descending_key());
    }

    proptest! {
        #[test]
        fn keys_sort_the_highest_first(a in 0.0f64..=1.0, b in 0.0f64..=1.0) {
            let (a, b) = (Priority::new(a), Priority::new(b));
            prop_assert_eq!(a.cmp(&b), b.descending_key().cmp(&a.descending_key()));
        }
    }
}
