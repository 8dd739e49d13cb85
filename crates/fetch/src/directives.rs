//! What the headers of an answer forbid.

use facts::{Directives, Timestamp};
use http::HeaderMap;

use crate::settings::product;

/// Directives with a value of their own, which are not names of crawlers.
const VALUED: &[&str] = &["max-snippet", "max-image-preview", "max-video-preview"];

/// Reads `X-Robots-Tag` (for everybody, and for the crawler called `agent`) and `tdm-reservation`.
/// What is not to be remembered after a moment that is past is not to be remembered.
pub(crate) fn from_headers(headers: &HeaderMap, agent: &str, now: Timestamp) -> Directives {
    let mut tags = Tags::default();
    for value in headers.get_all("x-robots-tag") {
        tags.read(&String::from_utf8_lossy(value.as_bytes()), product(agent));
    }
    let reserved = headers.get_all("tdm-reservation").iter().any(|value| value.as_bytes().trim_ascii() == b"1");
    let over = tags.unavailable_after.is_some_and(|moment| moment <= now);
    Directives { tdm_reservation: reserved, noindex: tags.directives.noindex || over, ..tags.directives }
}

#[derive(Default)]
struct Tags {
    directives: Directives,
    unavailable_after: Option<Timestamp>,
}

impl Tags {
    /// One header: rules separated by commas. A name with a colon says whom the rules after it are for.
    fn read(&mut self, text: &str, agent: &str) {
        let mut is_for_us = true;
        let mut rules = text.split(',').peekable();
        while let Some(rule) = rules.next() {
            let (name, rest) = match rule.split_once(':') {
                Some((name, rest)) => (name.trim(), Some(rest.trim())),
                None => (rule.trim(), None),
            };
            match rest {
                Some(date) if name.eq_ignore_ascii_case("unavailable_after") => {
                    let mut date = date.to_owned();
                    // The comma of "Fri, 25 Jun 2010" is not the end of a rule.
                    if !date.contains(|c: char| c.is_ascii_digit())
                        && let Some(more) = rules.next()
                    {
                        date = more.trim().to_owned();
                    }
                    if is_for_us {
                        self.unavailable_after = read_date(&date).or(self.unavailable_after);
                    }
                }
                Some(_) if VALUED.iter().any(|valued| name.eq_ignore_ascii_case(valued)) => {}
                Some(rule) => {
                    is_for_us = name == "*" || name.eq_ignore_ascii_case(agent);
                    self.apply(rule, is_for_us);
                }
                None => self.apply(name, is_for_us),
            }
        }
    }

    fn apply(&mut self, rule: &str, is_for_us: bool) {
        if is_for_us {
            self.directives.add(rule);
        }
    }
}

/// A moment as people write it: `25 Jun 2010 15:00:00 PST`, `2010-06-25`, `2010-06-25T15:00:00+00:00`,
/// `Friday, 25-Jun-10 15:00:00 UTC`. A zone other than UTC is not worth a table: it is read as UTC.
fn read_date(text: &str) -> Option<Timestamp> {
    let parts: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != ':').filter(|part| !part.is_empty()).collect();
    let number = |part: &&str| part.parse::<i64>().ok();
    let month = |part: &&str| {
        let name = part.get(..3)?.to_ascii_lowercase();
        let at = "janfebmaraprmayjunjulaugsepoctnovdec".find(&name)?;
        (at % 3 == 0 && !part.starts_with(|c: char| c.is_ascii_digit())).then_some(at as i64 / 3 + 1)
    };
    let (year, month, day) = match parts.iter().position(|part| month(part).is_some()) {
        Some(at) => {
            let before = at.checked_sub(1).and_then(|before| parts.get(before)).and_then(number);
            let after = parts.get(at + 1).and_then(number)?;
            // "Jun 25 2010" or "25 Jun 2010".
            let (day, year) = match before {
                Some(day) => (day, after),
                None => (after, parts.get(at + 2).and_then(number)?),
            };
            (year, parts.get(at).and_then(month)?, day)
        }
        None => {
            let day = parts.get(2)?.split(['T', 't']).next()?;
            (number(parts.first()?)?, number(parts.get(1)?)?, number(&day)?)
        }
    };
    let year = if year < 100 { year + 2000 } else { year };
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let clock = parts.iter().find(|part| part.contains(':'));
    let clock = clock.map(|part| part.rsplit(['T', 't']).next().unwrap_or(part)).unwrap_or("00:00");
    let mut seconds = 0;
    for (unit, part) in [3600, 60, 1].into_iter().zip(clock.split(':')) {
        seconds += unit * part.parse::<i64>().ok().filter(|part| (0..=60).contains(part))?;
    }
    Some(Timestamp((days_since_1970(year, month, day) * 86_400 + seconds) * 1000))
}

/// Days from 1970-01-01 in the Gregorian calendar, counting years from March so that the leap day is last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    let leap_days = year / 4 - year / 100 + year / 400;
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(lines: &[&str]) -> Directives {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append("x-robots-tag", line.parse().unwrap());
        }
        from_headers(&headers, "Bowerbird/0.1 (+me)", Timestamp(0))
    }

    fn words(directives: &Directives) -> String {
        [
            (directives.noindex, "noindex"),
            (directives.nofollow, "nofollow"),
            (directives.noimageindex, "noimageindex"),
            (directives.noai, "noai"),
            (directives.noimageai, "noimageai"),
        ]
        .iter()
        .filter_map(|(is_set, word)| is_set.then_some(*word))
        .collect::<Vec<_>>()
        .join(" ")
    }

    #[test]
    fn tags_are_read_for_everybody_and_for_us() {
        for (lines, expected) in [
            (&[][..], ""),
            (&["noindex"], "noindex"),
            (&["NoIndex, NOFOLLOW"], "noindex nofollow"),
            (&["none"], "noindex nofollow"),
            (&["noai, noimageai"], "noai noimageai"),
            (&["noimageindex", "noindex"], "noindex noimageindex"),
            (&["googlebot: noindex"], ""),
            (&["bowerbird: noindex"], "noindex"),
            (&["*: noindex"], "noindex"),
            (&["otherbot: noindex, nofollow, bowerbird: noai"], "noai"),
            (&["otherbot: noindex", "nofollow"], "nofollow"),
            (&["max-snippet: 20, noindex"], "noindex"),
            (&["unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"], "noindex"),
            (&["all"], ""),
            (&["index, follow"], ""),
            (&[", ,:,"], ""),
        ] {
            assert_eq!(words(&read(lines)), expected, "{lines:?}");
        }
    }

    #[test]
    fn dates_are_read_as_people_write_them() {
        for (text, expected) in [
            ("unavailable_after: 25 Jun 2010 15:00:00 GMT", Some(1_277_478_000)),
            ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT", Some(1_277_478_000)),
            ("unavailable_after: Friday, 25-Jun-10 15:00:00 UTC", Some(1_277_478_000)),
            ("unavailable_after: 2010-06-25T15:00:00+00:00", Some(1_277_478_000)),
            ("unavailable_after: 2010-06-25 15:00:00", Some(1_277_478_000)),
            ("unavailable_after: 2010-06-25", Some(1_277_424_000)),
            ("unavailable_after: Jun 25 2010", Some(1_277_424_000)),
            ("unavailable_after: 2000-02-29", Some(951_782_400)),
            ("unavailable_after: soon", None),
            ("unavailable_after: 99 Jun 2010", None),
            ("unavailable_after: 1 Jun 99999999999", None),
            ("otherbot: nofollow, unavailable_after: 2010-06-25", None),
        ] {
            let expected = expected.map(|seconds: i64| Timestamp(seconds * 1000));
            let mut tags = Tags::default();
            tags.read(text, "Bowerbird");
            assert_eq!(tags.unavailable_after, expected, "{text}");
        }
    }

    #[test]
    fn a_reservation_is_a_one() {
        for (value, expected) in [("1", true), (" 1 ", true), ("0", false), ("yes", false)] {
            let mut headers = HeaderMap::new();
            headers.insert("tdm-reservation", value.parse().unwrap());
            assert_eq!(from_headers(&headers, "Bowerbird", Timestamp(0)).tdm_reservation, expected, "{value:?}");
        }
    }

    #[test]
    fn what_is_not_to_be_remembered_any_more_is_not() {
        let mut headers = HeaderMap::new();
        headers.insert("x-robots-tag", "unavailable_after: 2010-06-25".parse().unwrap());
        let moment = Timestamp(1_277_424_000_000);
        for (now, expected) in [(Timestamp(0), false), (moment, true), (Timestamp(i64::MAX), true)] {
            assert_eq!(from_headers(&headers, "Bowerbird", now).noindex, expected, "{now:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn nothing_panics(text in "[ -~]{0,80}") {
            read(&[&text]);
            read_date(&text);
        }
    }
}
