//! How much a page matters: how often it is updated, and how close it is to the main page.
//! [004 §3.4.1]

/// The level of the main page and of the pages it links to.
const TOP: f64 = 0.5;
/// Between two categories of pages further away.
const STEP: f64 = 0.1;
/// The weight of how often a page is updated.
const FREQUENCY: f64 = 0.5;
/// Categories below the top at most: levels end at 0.1.
const CATEGORIES: u32 = 4;

/// The level of a page that is `distance` links from the main page, in a site whose furthest page is
/// `length` links away. Pages are put in ⌈√(length / 2)⌉ categories, four at most.
///
/// ```
/// let levels: Vec<f64> = (0..=8).map(|distance| report::level(distance, 8)).collect();
/// assert_eq!(levels, [0.5, 0.5, 0.4, 0.4, 0.4, 0.3, 0.3, 0.3, 0.3]);
/// ```
pub fn level(distance: u32, length: u32) -> f64 {
    let distance = distance.min(length);
    if distance <= 1 {
        return TOP;
    }
    let categories = (f64::from(length) / 2.0).sqrt().ceil().min(f64::from(CATEGORIES)) as u64;
    // Whole numbers, so that a border is a border: ⌈(d − 1)·N / (length − 1)⌉.
    let category = (u64::from(distance - 1) * categories).div_ceil(u64::from(length - 1));
    // 0.5 − 0.1·2 is not the 0.3 that people write.
    ((TOP - STEP * category as f64) * 10.0).round() / 10.0
}

/// The fewest and the most updates that a page of a site has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// The fewest.
    pub least: u32,
    /// The most.
    pub most: u32,
}

impl Spread {
    /// The spread of these counts; zero when there are none.
    pub fn of(counts: impl IntoIterator<Item = u32>) -> Self {
        let mut counts = counts.into_iter();
        let Some(first) = counts.next() else { return Self::default() };
        counts.fold(Self { least: first, most: first }, |spread, count| Self {
            least: spread.least.min(count),
            most: spread.most.max(count),
        })
    }
}

/// The rank of a page: its updates, scaled into \[0, 0.5\], and its level.
///
/// ```
/// use report::{Spread, rank};
/// let spread = Spread { least: 2, most: 10 };
/// assert_eq!(rank(6, spread, 0.4), 0.65);
/// assert_eq!(rank(7, Spread { least: 7, most: 7 }, 0.5), 0.5);
/// ```
pub fn rank(updates: u32, spread: Spread, level: f64) -> f64 {
    let Spread { least, most } = spread;
    if most <= least {
        return level;
    }
    let above = updates.clamp(least, most) - least;
    FREQUENCY * f64::from(above) / f64::from(most - least) + level
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_fall_from_the_main_page_in_as_many_steps_as_the_tree_is_deep() {
        let levels = |length| (0..=length).map(|distance| level(distance, length)).collect::<Vec<_>>();
        assert_eq!(levels(0), [0.5]);
        assert_eq!(levels(1), [0.5, 0.5]);
        assert_eq!(levels(2), [0.5, 0.5, 0.4]);
        assert_eq!(levels(3), [0.5, 0.5, 0.4, 0.3]);
        // length 32: √16 = 4 categories, of 31 steps.
        assert_eq!((level(2, 32), level(8, 32), level(9, 32), level(32, 32)), (0.4, 0.4, 0.3, 0.1));
        // Never more than four.
        assert_eq!(level(1_000_000, 1_000_000), 0.1);
        assert_eq!(level(u32::MAX, u32::MAX), 0.1);
    }

    #[test]
    fn a_page_further_away_than_the_tree_is_deep_counts_as_the_furthest() {
        assert_eq!(level(9, 8), level(8, 8));
        assert_eq!(level(5, 0), 0.5);
    }

    #[test]
    fn ranks_are_between_the_level_and_half_above_it() {
        let spread = Spread::of([3, 0, 12]);
        assert_eq!(spread, Spread { least: 0, most: 12 });
        assert_eq!((rank(0, spread, 0.1), rank(12, spread, 0.5), rank(99, spread, 0.5)), (0.1, 1.0, 1.0));
        assert_eq!(Spread::of([]), Spread::default());
    }
}
