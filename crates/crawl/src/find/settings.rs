//! Everything a find can be told, with its defaults.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sources::SourceSettings;

use crate::quantity;

/// The longest time a find may take.
pub const LONGEST_TIME: Duration = Duration::from_secs(3600);
/// The shortest.
pub const SHORTEST_TIME: Duration = Duration::from_secs(1);
/// Requests in flight at most.
pub const MOST_IN_FLIGHT: usize = 512;
/// The longest delay between two requests to a host.
pub const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// The settings of a find. What is left out of `bowerbird.toml` or of the command line has the default given
/// here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FindSettings {
    /// How long it collects.
    #[serde(with = "quantity::duration")]
    pub time: Duration,
    /// From the end of one request to a host to the start of the next; a longer crawl-delay of robots.txt wins.
    #[serde(with = "quantity::duration")]
    pub delay: Duration,
    /// Requests in flight over all hosts.
    pub concurrency: usize,
    /// How long a host may take to connect, to answer, and between two pieces of an answer.
    #[serde(with = "quantity::duration")]
    pub timeout: Duration,
    /// How long a source may take to name start pages.
    #[serde(with = "quantity::duration")]
    pub source_timeout: Duration,
    /// Start pages that sources are asked for at a time.
    pub start_pages: usize,
    /// What names start pages.
    pub sources: Vec<SourceSettings>,
    /// It also ends after so many pages.
    pub max_pages: Option<u64>,
    /// Whether links are followed only from pages that have a word of the query outside of link texts.
    pub anchor_rule: bool,
    /// Whether alternative text and file name of a picture count as words beside it.
    pub picture_words: bool,
    /// Results whose thumbnails are fetched while it runs.
    pub shown: usize,
    /// Where site owners reach whoever asks; part of the user agent.
    pub contact: Option<String>,
}

impl Default for FindSettings {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            delay: Duration::from_millis(200),
            concurrency: 80,
            timeout: Duration::from_secs(2),
            source_timeout: Duration::from_secs(5),
            start_pages: 50,
            sources: SourceSettings::usual(),
            max_pages: None,
            anchor_rule: true,
            picture_words: true,
            shown: 24,
            contact: None,
        }
    }
}

impl FindSettings {
    /// What makes no sense, by the name of the setting.
    pub fn complaints(&self) -> Vec<(String, String)> {
        let mut wrong = Vec::new();
        let mut check = |holds: bool, name: &str, detail: &str| {
            if !holds {
                wrong.push((name.to_owned(), detail.to_owned()));
            }
        };
        check(
            (SHORTEST_TIME..=LONGEST_TIME).contains(&self.time),
            "time",
            "must be from 1s to 1h: what takes longer is a crawl",
        );
        check(self.delay <= LONGEST_DELAY, "delay", "must be at most 10s");
        check((1..=MOST_IN_FLIGHT).contains(&self.concurrency), "concurrency", "must be from 1 to 512");
        let timeouts = Duration::from_millis(100)..=Duration::from_secs(60);
        check(timeouts.contains(&self.timeout), "timeout", "must be from 100ms to 60s");
        check(timeouts.contains(&self.source_timeout), "source-timeout", "must be from 100ms to 60s");
        check((1..=1_000).contains(&self.start_pages), "start-pages", "must be from 1 to 1000");
        check(self.sources.len() <= 20, "sources", "must be at most 20");
        check(self.shown <= 200, "shown", "must be at most 200");
        let contact = self.contact.as_deref().unwrap_or_default();
        check(contact.len() <= 200 && contact.is_ascii(), "contact", "must be at most 200 plain characters");
        for (at, source) in self.sources.iter().enumerate() {
            if let Err(detail) = source.check() {
                wrong.push((format!("sources.{at}"), detail));
            }
        }
        wrong
    }

    /// The first of them.
    pub fn check(&self) -> Result<(), String> {
        match self.complaints().into_iter().next() {
            Some((name, detail)) => Err(format!("{name} {detail}")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_and_a_year_are_refused() {
        for (time, fits) in [(0, false), (1, true), (3600, true), (365 * 86_400, false)] {
            let settings = FindSettings { time: Duration::from_secs(time), ..FindSettings::default() };
            assert_eq!(settings.check().is_ok(), fits, "{time}");
        }
        assert!(FindSettings { concurrency: 0, ..FindSettings::default() }.check().is_err());
        assert!(FindSettings::default().check().is_ok());
    }
}
