//! Days, as people write them.

use std::time::Duration;

use facts::Timestamp;

const DAY: Duration = Duration::from_secs(86_400);

/// The first day of a year, month or day: `2020`, `2020-06`, `2020-06-30`. And the first after it.
pub(crate) fn days(text: &str) -> Option<[Timestamp; 2]> {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, digits: usize| -> Option<i64> {
        (part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit())).then(|| part.parse().ok()).flatten()
    };
    let year = number(parts.first()?, 4).filter(|year| *year > 0)?;
    let month = parts.get(1).map(|part| number(part, 2).filter(|month| (1..=12).contains(month)));
    let day = parts.get(2).map(|part| number(part, 2));
    match (month, day, parts.len()) {
        (None, None, 1) => Some([first(year, 1), first(year + 1, 1)]),
        (Some(Some(month)), None, 2) => Some([first(year, month), next(year, month)]),
        (Some(Some(month)), Some(Some(day)), 3) => {
            let at = first(year, month) + DAY * u32::try_from(day.checked_sub(1)?).ok()?;
            (day >= 1 && at < next(year, month)).then_some([at, at + DAY])
        }
        _ => None,
    }
}

/// The day of a moment, as `2020-06-30`.
pub(crate) fn written(at: Timestamp) -> String {
    let days = at.0.div_euclid(86_400_000);
    let (mut year, mut month) = (1970 + days.div_euclid(366), 1);
    let since = |year: i64, month: i64| first(year, month).0.div_euclid(86_400_000);
    while since(year + 1, 1) <= days {
        year += 1;
    }
    while month < 12 && since(year, month + 1) <= days {
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", days - since(year, month) + 1)
}

fn next(year: i64, month: i64) -> Timestamp {
    if month == 12 { first(year + 1, 1) } else { first(year, month + 1) }
}

/// The first day of a month of the Gregorian calendar.
fn first(year: i64, month: i64) -> Timestamp {
    // Years begin in March here, so that the day that is not always there comes last.
    let (shifted, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let days = of_era * 365 + of_era / 4 - of_era / 100 + (153 * months + 2) / 5;
    Timestamp((era * 146_097 + days - 719_468) * 86_400_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_months_and_years_begin_and_end() {
        for (text, start, end) in [
            ("1970", "1970-01-01", "1971-01-01"),
            ("2020-02", "2020-02-01", "2020-03-01"),
            ("2020-12", "2020-12-01", "2021-01-01"),
            ("2020-02-29", "2020-02-29", "2020-03-01"),
            ("1999-12-31", "1999-12-31", "2000-01-01"),
            ("1815-06-18", "1815-06-18", "1815-06-19"),
        ] {
            assert_eq!(days(text).unwrap().map(written), [start, end], "{text}");
        }
        assert_eq!(days("1970-01-02").unwrap()[0], Timestamp(86_400_000));
        for none in [
            "",
            "20",
            "0000",
            "2020-13",
            "2020-00",
            "2019-02-29",
            "2020-06-00",
            "2020-6-1",
            "2020-06-30-1",
            "yesterday",
            "-2020",
        ] {
            assert_eq!(days(none), None, "{none}");
        }
    }
}
