//! Dates inside media files.

use std::fmt;

use facts::Timestamp;
use serde::{Deserialize, Serialize};

/// When a picture, film or sound was taken: the clock on the wall there, and how far that was from
/// UTC where the file says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Taken {
    /// 1 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 60.
    pub second: u8,
    /// Minutes east of UTC.
    pub offset: Option<i16>,
}

impl Taken {
    /// The date and time written in a text such as `2008:05:30 15:56:01`, `2008-05-30T15:56:01.25Z`,
    /// `2008-05-30T15:56+03:00` or `2008-05-30`. A date that is not in the calendar is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = |from: usize, len: usize| -> Option<u16> {
            let part = text.get(from..from + len)?;
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok())?
        };
        let separated = |at: usize, by: &[u8]| text.as_bytes().get(at).is_some_and(|byte| by.contains(byte));
        if !separated(4, b":-/.") || !separated(7, b":-/.") {
            return None;
        }
        let mut taken = Self {
            year: digits(0, 4)?,
            month: digits(5, 2)? as u8,
            day: digits(8, 2)? as u8,
            hour: 0,
            minute: 0,
            second: 0,
            offset: None,
        };
        if text.len() > 10 {
            if !separated(10, b" Tt") || !separated(13, b":") {
                return None;
            }
            taken.hour = digits(11, 2)? as u8;
            taken.minute = digits(14, 2)? as u8;
            let mut rest = text.get(16..)?;
            if separated(16, b":") {
                taken.second = digits(17, 2)? as u8;
                rest = text.get(19..)?;
            }
            let fraction = rest.strip_prefix(['.', ',']).unwrap_or("");
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            taken.offset = offset(if fraction.is_empty() { rest } else { zone });
        }
        taken.valid().then_some(taken)
    }

    /// The same moment with this offset (`+02:00`, `Z`), where none was known.
    pub fn with_offset(mut self, text: &str) -> Self {
        self.offset = self.offset.or_else(|| offset(text));
        self
    }

    /// A moment as a date in UTC; none outside of the years 1 to 9999.
    pub fn from_timestamp(moment: Timestamp) -> Option<Self> {
        let seconds = moment.0.div_euclid(1000);
        let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        let year = u16::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
        let (hour, minute, second) = ((rest / 3600) as u8, (rest / 60 % 60) as u8, (rest % 60) as u8);
        Some(Self { year, month, day, hour, minute, second, offset: Some(0) })
    }

    /// The moment, taking the clock for UTC where the offset is not known.
    pub fn timestamp(self) -> Timestamp {
        let days = days(i64::from(self.year), i64::from(self.month), i64::from(self.day));
        let minutes = days * 1440 + i64::from(self.hour) * 60 + i64::from(self.minute);
        let minutes = minutes - i64::from(self.offset.unwrap_or(0));
        Timestamp((minutes * 60 + i64::from(self.second)) * 1000)
    }

    fn valid(self) -> bool {
        let leap = self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let longest = match self.month {
            4 | 6 | 9 | 11 => 30,
            2 => 28 + u8::from(leap),
            _ => 31,
        };
        self.year > 0
            && (1..=12).contains(&self.month)
            && (1..=longest).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second <= 60
    }
}

impl fmt::Display for Taken {
    /// ISO 8601: `2008-05-30T15:56:01+03:00`, without the offset where it is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day, hour, minute, second, offset } = self;
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        match offset {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(offset) => {
                let sign = if *offset < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60)
            }
        }
    }
}

/// `+02:00`, `-0530` or `Z` in minutes.
fn offset(text: &str) -> Option<i16> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = match text.as_bytes().first()? {
        b'+' => (1, &text[1..]),
        b'-' => (-1, &text[1..]),
        _ => return None,
    };
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i16, i16) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that
/// the leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

/// The inverse of [`days`].
fn civil(since_1970: i64) -> (i64, u8, u8) {
    let shifted = since_1970 + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year_of_era + era * 400 + i64::from(month >= 10);
    (year, ((month + 2) % 12 + 1) as u8, day as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_every_way_files_write_them() {
        let cases = [
            ("2008:05:30 15:56:01", Some("2008-05-30T15:56:01")),
            ("2008-05-30T15:56:01.25Z", Some("2008-05-30T15:56:01Z")),
            ("2008-05-30T15:56+03:00", Some("2008-05-30T15:56:00+03:00")),
            ("2008-05-30T15:56:01-0530", Some("2008-05-30T15:56:01-05:30")),
            ("2024-02-29", Some("2024-02-29T00:00:00")),
            ("2023-02-29", None),
            ("0000:00:00 00:00:00", None),
            ("2008:13:30 15:56:01", None),
            ("2008:05:30 25:56:01", None),
            ("    :  :     :  :  ", None),
            ("2008", None),
            ("", None),
            ("äöü:ä-", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Taken::parse(text).map(|taken| taken.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_date_and_its_moment_agree() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-03-01T00:00:00Z", 951_868_800),
            ("2024-02-29T12:34:56Z", 1_709_210_096),
            ("1904-01-01T00:00:00Z", -2_082_844_800),
        ] {
            let taken = Taken::parse(text).unwrap();
            assert_eq!(taken.timestamp(), Timestamp(seconds * 1000), "{text}");
            assert_eq!(Taken::from_timestamp(Timestamp(seconds * 1000)), Some(taken), "{text}");
        }
        assert_eq!(Taken::parse("2008-05-30T15:56:01+03:00").unwrap().timestamp(), Timestamp(1_212_152_161_000));
        assert_eq!(Taken::from_timestamp(Timestamp(i64::MAX)), None);
    }
}
