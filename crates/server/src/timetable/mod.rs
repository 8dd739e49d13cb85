//! The timetable: crawls that start by themselves [000 §4.6].
//!
//! [`Keeper::look`] compares the timetable with the clock and does what is due: it starts a crawl,
//! passes it over when one of that name still runs, puts it off while disk or memory is short, and
//! writes all of it down. [`Keeper::keep`] looks twice a second, so that what another process writes
//! into the timetable holds from then on.

mod hands;
mod keeper;
#[cfg(test)]
mod tests;

pub(crate) use self::hands::ServerHands;
pub(crate) use self::keeper::{Keeper, SystemClock, Timetable};
