//! The report as it is written.

use facts::{Timestamp, Url};
use serde::{Deserialize, Serialize};

use crate::dynamic::Dynamic;

/// Where a report is when nobody says otherwise.
pub const WELL_KNOWN: &str = "/.well-known/bowerbird-watcher.json";

/// The version of the shape. Fields may be added to it; what a reader relies on stays.
pub const VERSION: u32 = 1;

/// What happened to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It was not there before.
    New,
    /// It was there, and is another one now.
    Updated,
    /// It is not there any more.
    Removed,
}

/// A page that changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    /// Its address.
    pub url: Url,
    /// What happened to it.
    pub change: Change,
    /// When.
    #[serde(serialize_with = "as_text")]
    pub at: Timestamp,
    /// How many updates of it were seen.
    pub updates: u32,
    /// How close it is to the main page: 0.5 is next to it.
    pub level: f64,
    /// How much it matters, from 0 to 1.
    pub rank: f64,
}

/// What a site says has changed, or one page of it, the best rank first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`VERSION`].
    pub version: u32,
    /// The main page of the site.
    pub site: Url,
    /// 0: nobody took this report since the flag was reset; 1: somebody did, and others need not.
    pub flag: u8,
    /// When it was made.
    #[serde(serialize_with = "as_text")]
    pub made: Timestamp,
    /// What to send as `since`, next time, to be told of later changes only.
    pub token: String,
    /// The token that the list begins after; nothing when the list is of all pages.
    pub since: Option<String>,
    /// Whether the site's links were read; until then levels are those of folders.
    pub ranked: bool,
    /// Entries over all pages of the report.
    pub total: u64,
    /// Where the next page of the report is, relative to this one.
    pub next: Option<String>,
    /// The pages that changed.
    pub pages: Vec<Entry>,
    /// What scripts change on them.
    pub dynamic: Vec<Dynamic>,
}

/// A moment as RFC 3339 has it, in UTC.
pub fn moment(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string()
}

/// Reads a moment as [`moment`] writes it, with any offset; also a date alone, which is its beginning.
pub fn when(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let read = text.parse::<jiff::Timestamp>().ok().map(|at| Timestamp(at.as_millisecond()));
    read.or_else(|| midnight(text))
}

/// The beginning of a date, in UTC.
pub(crate) fn midnight(text: &str) -> Option<Timestamp> {
    let date = text.parse::<jiff::civil::Date>().ok().filter(|_| text.len() == 10)?;
    let midnight = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    Some(Timestamp(midnight.as_millisecond()))
}

fn as_text<S: serde::Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&moment(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_as_they_are_written() {
        let at = Timestamp(1_772_366_400_123);
        assert_eq!(moment(at), "2026-03-01T12:00:00.123Z");
        assert_eq!(when(&moment(at)), Some(at));
        assert_eq!(when("2026-03-01T14:00:00+02:00"), Some(Timestamp(1_772_366_400_000)));
        assert_eq!(when("2026-03-01"), Some(Timestamp(1_772_323_200_000)));
        for wrong in ["", "yesterday", "2026-13-01", "2026-03-01T25:00:00Z", "99999999999"] {
            assert_eq!(when(wrong), None, "{wrong}");
        }
        // Moments that no calendar has do not stop a report from being written.
        assert_eq!(moment(Timestamp(i64::MAX)), "1970-01-01T00:00:00Z");
    }
}
