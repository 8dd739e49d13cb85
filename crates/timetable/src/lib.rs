//! When a crawl is due: cron expressions in a time zone.
//!
//! [`Timing`] reads five fields as cron does (a day counts when the day of the month *or* the weekday
//! fits, if both are given) and says when the next times are. [`Timing::due`] says what a timetable
//! that was last looked at some time ago has to do now. Time comes in as an argument: nothing here
//! looks at a clock.

use facts::Timestamp;

mod due;
mod timing;

pub use crate::due::{Due, LATE};
pub use crate::timing::{Timing, TimingError};

fn timestamp(moment: &jiff::Zoned) -> Timestamp {
    Timestamp(moment.timestamp().as_millisecond())
}
