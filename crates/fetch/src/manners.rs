//! How long a host is left alone after an answer. Pure: time comes in, a moment comes out.

use std::time::Duration;

use facts::Timestamp;

use crate::error::FetchError;

/// The rules of politeness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manners {
    /// Between the end of one request and the start of the next.
    pub delay: Duration,
    /// The longest delay a host can ask for with `Crawl-delay`.
    pub max_delay: Duration,
    /// The longest rest a host can ask for with `Retry-After`.
    pub max_retry_after: Duration,
    /// The rest after a first failure; it doubles with each further one.
    pub back_off: Duration,
    /// Failures in a row after which the host is taken to be down.
    pub open_after: u32,
    /// The rest of a host that is down; it doubles with each further failure.
    pub open_rest: Duration,
    /// The longest rest.
    pub longest_rest: Duration,
    /// Failures in a row after which a host is given up.
    pub give_up_after: u32,
}

/// How a request went, as far as politeness is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The host answered; whether with what was wanted is no matter.
    Fine,
    /// 429 or 503: too much, with the rest it asks for.
    Busy {
        /// The `Retry-After`, if there was one.
        retry_after: Option<Duration>,
    },
    /// Another 5xx: this page is broken, which says little about the others.
    Failing,
    /// No answer: no connection, no secure one, none in time, or a gateway that says so.
    Silent,
}

/// What to do with a host now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestAdvice {
    /// No request before this moment.
    pub until: Timestamp,
    /// Failures in a row, to be remembered for the next call.
    pub failures: u32,
    /// Whether the host should not be tried again at all.
    pub give_up: bool,
}

impl Default for Manners {
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(1),
            max_delay: Duration::from_secs(60),
            max_retry_after: Duration::from_secs(3600),
            back_off: Duration::from_secs(10),
            open_after: 5,
            open_rest: Duration::from_secs(600),
            longest_rest: Duration::from_secs(6 * 3600),
            give_up_after: 12,
        }
    }
}

impl Answer {
    /// The answer a status code means.
    pub fn of_status(status: u16, retry_after: Option<Duration>) -> Self {
        match status {
            429 | 503 => Self::Busy { retry_after },
            502 | 504 => Self::Silent,
            500.. => Self::Failing,
            _ => Self::Fine,
        }
    }

    /// The answer an error means.
    pub fn of_error(error: &FetchError) -> Self {
        if error.was_answered() { Self::Fine } else { Self::Silent }
    }
}

impl Manners {
    /// How long to leave a host alone after a request that ended `now`. `host_delay` is its
    /// `Crawl-delay`, `failures` what the last advice said.
    pub fn rest(&self, now: Timestamp, host_delay: Option<Duration>, failures: u32, answer: &Answer) -> RestAdvice {
        let delay = self.delay.max(host_delay.unwrap_or_default().min(self.max_delay));
        if *answer == Answer::Fine {
            return RestAdvice { until: now + delay, failures: 0, give_up: false };
        }
        let failures = match answer {
            // Broken pages slow the host down, but do not make it count as down.
            Answer::Failing => failures.max(failures.saturating_add(1).min(self.open_after.saturating_sub(1))),
            _ => failures.saturating_add(1),
        };
        let backed_off = self.after(failures);
        let rest = match answer {
            // A host that says when it is ready again is believed, unless it has failed too often.
            Answer::Busy { retry_after: Some(asked) } if failures < self.open_after => {
                (*asked).min(self.max_retry_after)
            }
            Answer::Busy { retry_after: Some(asked) } => (*asked).min(self.max_retry_after).max(backed_off),
            _ => backed_off,
        };
        RestAdvice { until: now + rest.max(delay), failures, give_up: failures >= self.give_up_after }
    }

    fn after(&self, failures: u32) -> Duration {
        let (base, doublings) = match failures.checked_sub(self.open_after) {
            Some(since) => (self.open_rest, since),
            None => (self.back_off, failures.saturating_sub(1)),
        };
        base.saturating_mul(1 << doublings.min(20)).min(self.longest_rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    fn seconds(host_delay: Option<u64>, failures: u32, answer: Answer) -> (u64, u32, bool) {
        let advice = Manners::default().rest(NOW, host_delay.map(Duration::from_secs), failures, &answer);
        (advice.until.since(NOW).as_secs(), advice.failures, advice.give_up)
    }

    #[test]
    fn every_answer_has_its_rest() {
        let busy = |retry_after: Option<u64>| Answer::Busy { retry_after: retry_after.map(Duration::from_secs) };
        for (host_delay, failures, answer, expected) in [
            (None, 0, Answer::Fine, (1, 0, false)),
            (Some(5), 0, Answer::Fine, (5, 0, false)),
            (Some(0), 0, Answer::Fine, (1, 0, false)),
            (Some(9999), 0, Answer::Fine, (60, 0, false)),
            (None, 11, Answer::Fine, (1, 0, false)),
            (None, 0, busy(Some(30)), (30, 1, false)),
            (None, 0, busy(Some(0)), (1, 1, false)),
            (Some(7), 0, busy(Some(3)), (7, 1, false)),
            (None, 0, busy(Some(u64::MAX)), (3600, 1, false)),
            (None, 0, busy(None), (10, 1, false)),
            (None, 1, busy(None), (20, 2, false)),
            (None, 6, busy(Some(1)), (2400, 7, false)),
            (None, 0, Answer::Failing, (10, 1, false)),
            (None, 2, Answer::Silent, (40, 3, false)),
            (None, 3, Answer::Silent, (80, 4, false)),
            (None, 4, Answer::Silent, (600, 5, false)),
            (None, 5, Answer::Silent, (1200, 6, false)),
            (None, 2, Answer::Failing, (40, 3, false)),
            (None, 3, Answer::Failing, (80, 4, false)),
            (None, 4, Answer::Failing, (80, 4, false)),
            (None, 9, Answer::Failing, (9_600, 9, false)),
            (None, u32::MAX, Answer::Failing, (21_600, u32::MAX, true)),
            (None, 10, Answer::Silent, (21_600, 11, false)),
            (None, 11, Answer::Silent, (21_600, 12, true)),
            (None, u32::MAX, Answer::Silent, (21_600, u32::MAX, true)),
        ] {
            assert_eq!(seconds(host_delay, failures, answer), expected, "{host_delay:?} {failures} {answer:?}");
        }
    }

    #[test]
    fn statuses_and_errors_say_how_the_host_is() {
        let minute = Some(Duration::from_secs(60));
        for (status, expected) in [
            (200, Answer::Fine),
            (304, Answer::Fine),
            (404, Answer::Fine),
            (403, Answer::Fine),
            (429, Answer::Busy { retry_after: minute }),
            (503, Answer::Busy { retry_after: minute }),
            (500, Answer::Failing),
            (502, Answer::Silent),
            (504, Answer::Silent),
        ] {
            assert_eq!(Answer::of_status(status, minute), expected, "{status}");
        }
        let host = || "example.org".to_owned();
        assert_eq!(Answer::of_error(&FetchError::TooLarge { host: host(), limit: 1 }), Answer::Fine);
        let dns = FetchError::Dns { host: host(), why: String::new(), transient: true };
        assert_eq!(Answer::of_error(&dns), Answer::Silent);
    }
}
