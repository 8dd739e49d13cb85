//! What a timetable has to do now.

use std::time::Duration;

use facts::Timestamp;

use crate::Timing;

/// How late a run may be and still be the one that was due: whoever keeps the timetable was only busy.
pub const LATE: Duration = Duration::from_secs(60);
/// Times passed over that are counted one by one.
const COUNTED: u64 = 10_000;

/// What has become due since a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// The last time that is due; what is done, is done for it.
    pub last: Option<Timestamp>,
    /// Times that passed while nobody looked, up to some thousands.
    pub missed: u64,
    /// Whether the last one is due now, not long ago.
    pub is_now: bool,
}

impl Timing {
    /// What has become due after `seen`, until `now`.
    pub fn due(&self, seen: Timestamp, now: Timestamp) -> Due {
        let mut due = Due::default();
        let mut passed = 0;
        let mut from = seen;
        while let Some(next) = self.after(from).filter(|next| *next <= now) {
            due.last = Some(next);
            passed += 1;
            from = next;
            if passed >= COUNTED {
                // Only the last one matters: not before the moment that is late.
                from = from.max(now - LATE - Duration::from_secs(1));
            }
        }
        due.is_now = due.last.is_some_and(|last| now.since(last) <= LATE);
        due.missed = passed - u64::from(due.is_now);
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn due(expression: &str, seen: i64, now: i64) -> Due {
        Timing::read(expression, "UTC").unwrap().due(Timestamp(seen), Timestamp(now))
    }

    #[test]
    fn it_is_due_from_its_minute_on_and_once() {
        assert_eq!(due("* * * * *", MINUTE, 2 * MINUTE - 1), Due::default());
        let now = Due { last: Some(Timestamp(2 * MINUTE)), missed: 0, is_now: true };
        assert_eq!(due("* * * * *", MINUTE, 2 * MINUTE), now);
        assert_eq!(due("* * * * *", MINUTE, 2 * MINUTE + 900), now);
        assert_eq!(due("* * * * *", 2 * MINUTE, 2 * MINUTE + 900), Due::default());
    }

    #[test]
    fn what_passed_meanwhile_was_missed() {
        let hour = 60 * MINUTE;
        assert_eq!(
            due("0 * * * *", 0, 3 * hour + 5 * MINUTE),
            Due { last: Some(Timestamp(3 * hour)), missed: 3, is_now: false }
        );
        assert_eq!(
            due("0 * * * *", 0, 3 * hour + 1000),
            Due { last: Some(Timestamp(3 * hour)), missed: 2, is_now: true }
        );
        // Years of minutes are not counted one by one, and the last one is still right.
        let long = due("* * * * *", 0, 3_000_000 * MINUTE);
        assert_eq!((long.last, long.is_now), (Some(Timestamp(3_000_000 * MINUTE)), true));
        assert!(long.missed >= COUNTED - 1);
    }

    #[test]
    fn a_clock_that_went_back_makes_nothing_due() {
        assert_eq!(due("* * * * *", 10 * MINUTE, 5 * MINUTE), Due::default());
    }
}
