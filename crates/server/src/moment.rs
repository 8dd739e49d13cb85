//! Moments as the API writes them: RFC 3339 in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use facts::Timestamp;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// A moment, as `2026-01-31T12:00:00Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-01-31T12:00:00Z")]
pub struct Moment(pub Timestamp);

impl Moment {
    /// By the clock of this machine.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The moment in words that machines read; the first of 1970 for what no calendar has.
    pub fn written(self) -> String {
        media::Taken::from_timestamp(self.0).map_or_else(|| "1970-01-01T00:00:00Z".into(), |date| date.to_string())
    }
}

impl From<Timestamp> for Moment {
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        for (milliseconds, written) in [
            (0, "1970-01-01T00:00:00Z"),
            (1_769_860_801_999, "2026-01-31T12:00:01Z"),
            (i64::MAX, "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(Moment(Timestamp(milliseconds)).written(), written);
        }
    }
}
