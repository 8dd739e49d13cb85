//! How often something changes, as far as looks at it tell.

use std::time::Duration;

const DAY: f64 = 24.0 * 3600.0;

/// A rate of change, learnt: changes are thought to come by chance, at a rate that is the same all the
/// time (a Poisson process). The rate begins with what is usual and is drawn to what was seen (the mean
/// of a gamma distribution after so many changes in so much time).
///
/// ```
/// use std::time::Duration;
/// use strategy::ChangeRate;
/// let day = Duration::from_secs(24 * 3600);
/// let often = ChangeRate::of_page(10, 20 * day);
/// let never = ChangeRate::of_page(0, 20 * day);
/// assert!(often.chance(day) > 0.3 && never.chance(day) < 0.02);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChangeRate {
    /// Changes a second.
    rate: f64,
}

/// What is usual: how sure that is, as if so many changes had been seen in so many days.
struct Usual {
    changes: f64,
    days: f64,
}

/// A page changes once in 20 days.
const PAGE: Usual = Usual { changes: 0.25, days: 5.0 };
/// A file at an address is replaced once in 400 days.
const FILE: Usual = Usual { changes: 0.25, days: 100.0 };

impl ChangeRate {
    /// Of a page that was seen to change so often in so much time.
    pub fn of_page(changes: u32, watched: Duration) -> Self {
        Self::learnt(PAGE, changes, watched)
    }

    /// Of a media file.
    pub fn of_file(changes: u32, watched: Duration) -> Self {
        Self::learnt(FILE, changes, watched)
    }

    fn learnt(usual: Usual, changes: u32, watched: Duration) -> Self {
        Self { rate: (usual.changes + f64::from(changes)) / (usual.days * DAY + watched.as_secs_f64()) }
    }

    /// How likely it is that it changed in a time: from 0 to 1.
    pub fn chance(self, time: Duration) -> f64 {
        -(-self.rate * time.as_secs_f64()).exp_m1()
    }

    /// Changes a day.
    pub fn a_day(self) -> f64 {
        self.rate * DAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_as_usual_and_looks_change_that() {
        let days = |days: u32| days * Duration::from_secs(24 * 3600);
        assert!((ChangeRate::of_page(0, Duration::ZERO).a_day() - 0.05).abs() < 1e-12);
        let rates: Vec<f64> = (0..5).map(|n| ChangeRate::of_page(0, days(10 * n)).a_day()).collect();
        assert!(rates.is_sorted_by(|a, b| a > b), "{rates:?}");
        // After many looks only they count.
        assert!((ChangeRate::of_page(200, days(1_000)).a_day() - 0.2).abs() < 0.002);
        assert!(ChangeRate::of_file(0, Duration::ZERO).a_day() < 0.01);
    }

    #[test]
    fn chances_grow_with_time_and_end_at_one() {
        let rate = ChangeRate::of_page(1, Duration::from_secs(24 * 3600));
        assert_eq!(rate.chance(Duration::ZERO), 0.0);
        let chances: Vec<f64> = (0..40).map(|n| rate.chance(Duration::from_secs(1 << n))).collect();
        assert!(chances.is_sorted() && chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
        assert!(rate.chance(Duration::MAX) > 0.999);
    }
}
