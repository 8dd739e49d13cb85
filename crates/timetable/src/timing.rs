//! A cron expression in a time zone.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use facts::Timestamp;
use jiff::Zoned;
use jiff::tz::TimeZone;

use crate::timestamp;

/// The five fields, with what each may be.
const FIELDS: [(&str, &str); 5] = [
    ("minute", "0 to 59"),
    ("hour", "0 to 23"),
    ("day of the month", "1 to 31"),
    ("month", "1 to 12 or JAN to DEC"),
    ("weekday", "0 to 7 (0 and 7 are Sunday) or SUN to SAT"),
];
/// The longest expression that is read.
const LONGEST: usize = 200;

/// A cron expression that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// Not five fields.
    #[error(
        "a timetable has five fields, minute hour day-of-month month weekday, such as \"0 */6 * * *\" (every six hours); this has {0}"
    )]
    Fields(usize),
    /// A field that cannot be.
    #[error("the {field} cannot be \"{found}\": it is {range}, a list (1,2), a range (1-5), a step (*/6) or *")]
    Field {
        /// Which one.
        field: &'static str,
        /// As it was given.
        found: String,
        /// What it may be.
        range: &'static str,
    },
    /// A day that no year has.
    #[error("no day is ever like that: \"{0}\"")]
    Never(String),
    /// A time zone nobody knows.
    #[error("there is no time zone \"{0}\": give a name such as Europe/Helsinki, or UTC")]
    Zone(String),
}

/// Points in time that come again.
#[derive(Clone, Debug)]
pub struct Timing {
    cron: Cron,
    zone: TimeZone,
}

impl Timing {
    /// Reads a cron expression of five fields, or a word such as `@daily`; the zone is a name of the
    /// IANA database.
    pub fn read(expression: &str, zone: &str) -> Result<Self, TimingError> {
        let zone = match zone.trim() {
            "" | "UTC" => TimeZone::UTC,
            name => TimeZone::get(name).map_err(|_| TimingError::Zone(name.chars().take(LONGEST).collect()))?,
        };
        let expression = expression.trim();
        let fields: Vec<&str> = expression.split_whitespace().collect();
        let is_word = fields.len() == 1 && expression.starts_with('@');
        if !is_word && fields.len() != FIELDS.len() || expression.len() > LONGEST {
            return Err(TimingError::Fields(fields.len()));
        }
        let Some(cron) = parse(expression) else { return Err(wrong_field(&fields, expression)) };
        let timing = Self { cron, zone };
        // "30 February".
        match timing.after(Timestamp(0)) {
            Some(_) => Ok(timing),
            None => Err(TimingError::Never(expression.to_owned())),
        }
    }

    /// In words: "At 00:30, on day 1 of the month".
    pub fn in_words(&self) -> String {
        self.cron.describe()
    }

    /// The first time after a moment.
    pub fn after(&self, moment: Timestamp) -> Option<Timestamp> {
        let moment = Zoned::new(jiff::Timestamp::from_millisecond(moment.0).ok()?, self.zone.clone());
        self.cron.find_next_occurrence(&moment, false).ok().map(|next| timestamp(&next))
    }

    /// The first times after a moment.
    pub fn next(&self, moment: Timestamp, count: usize) -> Vec<Timestamp> {
        std::iter::successors(self.after(moment), |last| self.after(*last)).take(count).collect()
    }
}

fn parse(expression: &str) -> Option<Cron> {
    CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build().parse(expression).ok()
}

/// The field that is wrong when all others are left open.
fn wrong_field(fields: &[&str], expression: &str) -> TimingError {
    for (index, (field, range)) in FIELDS.iter().enumerate() {
        let Some(found) = fields.get(index) else { break };
        let mut alone = ["*"; FIELDS.len()];
        alone[index] = found;
        if parse(&alone.join(" ")).is_none() {
            return TimingError::Field { field, found: (*found).to_owned(), range };
        }
    }
    TimingError::Never(expression.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
    }

    /// The next times, as they are written in the zone.
    fn times(expression: &str, zone: &str, after: &str, count: usize) -> Vec<String> {
        let timing = Timing::read(expression, zone).unwrap();
        let shown = |moment: Timestamp| {
            let moment = jiff::Timestamp::from_millisecond(moment.0).unwrap().to_zoned(timing.zone.clone());
            moment.strftime("%a %Y-%m-%d %H:%M").to_string()
        };
        timing.next(at(after), count).into_iter().map(shown).collect()
    }

    #[test]
    fn every_six_hours_is_four_times_a_day() {
        let expected = ["Mon 2026-11-16 06:00", "Mon 2026-11-16 12:00", "Mon 2026-11-16 18:00", "Tue 2026-11-17 00:00"];
        assert_eq!(times("0 */6 * * *", "UTC", "2026-11-16T00:00:00Z", 4), expected);
    }

    /// [000 Table 7], line by line.
    #[test]
    fn the_documents_lines_mean_what_they_say_there() {
        let from = "2026-12-31T12:00:00Z";
        let first_of_three_months =
            ["Fri 2027-01-01 00:30", "Mon 2027-02-01 00:30", "Mon 2027-03-01 00:30", "Sat 2028-01-01 00:30"];
        assert_eq!(times("30 0 1 1,2,3 *", "UTC", from, 4), first_of_three_months);
        let five_minutes = times("*/5 3 * * *", "UTC", from, 13);
        assert_eq!(
            (&*five_minutes[0], &*five_minutes[11], &*five_minutes[12]),
            ("Fri 2027-01-01 03:00", "Fri 2027-01-01 03:55", "Sat 2027-01-02 03:00")
        );
        let first_week = times("0 0 1-7 * *", "UTC", from, 8);
        assert_eq!((&*first_week[6], &*first_week[7]), ("Thu 2027-01-07 00:00", "Mon 2027-02-01 00:00"));
        // Mondays and the 20th: either is enough.
        let mondays_and_20th = times("15,30 12 20 * 1", "UTC", "2027-01-17T00:00:00Z", 6);
        assert_eq!(
            mondays_and_20th,
            [
                "Mon 2027-01-18 12:15",
                "Mon 2027-01-18 12:30",
                "Wed 2027-01-20 12:15",
                "Wed 2027-01-20 12:30",
                "Mon 2027-01-25 12:15",
                "Mon 2027-01-25 12:30",
            ]
        );
        // [000 §4.6]: "when the current date is day 27 of the month or it is Thursday".
        assert_eq!(
            times("0 0 27 * 4", "UTC", "2027-01-22T00:00:00Z", 3),
            ["Wed 2027-01-27 00:00", "Thu 2027-01-28 00:00", "Thu 2027-02-04 00:00"]
        );
    }

    #[test]
    fn a_zone_keeps_its_hour_over_the_change_of_the_clock() {
        assert_eq!(
            times("0 6 * * *", "Europe/Helsinki", "2026-10-24T00:00:00Z", 2),
            ["Sat 2026-10-24 06:00", "Sun 2026-10-25 06:00"]
        );
        let timing = Timing::read("0 6 * * *", "Europe/Helsinki").unwrap();
        let [summer, winter] = [0, 1].map(|n| timing.next(at("2026-10-24T00:00:00Z"), 2)[n]);
        assert_eq!((summer, winter), (at("2026-10-24T03:00:00Z"), at("2026-10-25T04:00:00Z")));
        // 03:30 does not exist on the last Sunday of March there, and the run is not lost; 03:30 comes
        // twice on the last of October, and there is one run.
        let spring = times("30 3 * * *", "Europe/Helsinki", "2027-03-27T12:00:00Z", 2);
        assert!(spring[0].starts_with("Sun 2027-03-28 04:"), "{spring:?}");
        assert_eq!(spring[1], "Mon 2027-03-29 03:30");
        let autumn = times("30 3 * * *", "Europe/Helsinki", "2026-10-24T12:00:00Z", 2);
        assert_eq!(autumn, ["Sun 2026-10-25 03:30", "Mon 2026-10-26 03:30"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said = |expression: &str| Timing::read(expression, "UTC").unwrap_err().to_string();
        assert!(said("61 * * * *").contains("the minute cannot be \"61\": it is 0 to 59"));
        assert!(said("0 25 * * *").contains("the hour"));
        assert!(said("0 0 32 * *").contains("the day of the month"));
        assert!(said("0 0 * 13 *").contains("the month"));
        assert!(said("0 0 * * 8").contains("the weekday"));
        assert!(said("0 0 * * * *").contains("this has 6"));
        assert!(said("").contains("this has 0"));
        assert!(said("0 0 31 2 *").contains("no day is ever like that"));
        assert!(said("0 */0 * * *").contains("the hour"));
        assert!(Timing::read("0 0 * * *", "Mars/Olympus").unwrap_err().to_string().contains("no time zone"));
        assert!(Timing::read("@daily", "UTC").is_ok());
        assert!(Timing::read(&"*".repeat(10_000), "UTC").is_err());
    }

    #[test]
    fn it_says_itself_in_words() {
        assert_eq!(Timing::read("0 */6 * * *", "UTC").unwrap().in_words(), "At minute 0, of every 6 hours.");
    }
}
