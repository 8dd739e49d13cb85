//! Everything a crawl can be told, with its defaults.

use std::time::Duration;

use facts::{MediaKind, Url};
use geo::Granularity;
use serde::{Deserialize, Serialize};
use sources::SourceSettings;
use store::{Budgets, RunLimits};
use strategy::{Criteria, FilterSettings, NoCriteria, Scope, Weighting};

use crate::keep::Keep;
use crate::quantity;
use crate::rendering::Render;
use crate::revisit::Revisit;

/// Pages of a run that was given no limit at all, and of one task [000 §6].
pub const TASK_PAGES: u64 = 1000;

/// The settings of a crawl. What is left out of `bowerbird.toml` or of the command line has the
/// default given here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Start pages.
    pub seeds: Vec<Url>,
    /// The order of visits: one of [`strategy::NAMES`].
    pub strategy: String,
    /// What is looked for, in words: the criteria of the strategy `weighted`, and what sources are asked for
    /// when there is no start page.
    pub query: Option<String>,
    /// The region of interest: a name, `LAT,LON,KM`, `SOUTH,WEST,NORTH,EAST`, or the text of a
    /// GeoJSON document. Without one, every address counts.
    pub region: Option<String>,
    /// How exactly a page must name a place to be relevant.
    pub granularity: Granularity,
    /// Whether places are looked for in words. Without it nothing is relevant, and only what says
    /// itself where it was made is located.
    pub places: bool,
    /// The crawl whose learnt model this one starts with.
    pub model: Option<String>,
    /// Whether `geo` and `weighted` prefer where photographs were found before.
    pub prior: bool,
    /// How `weighted` weighs links.
    pub weighted: Weighting,
    /// Links ahead that `geo` predicts, 1 to 3.
    pub prediction_depth: u32,
    /// How far links may lead: `host`, `domain` or `any`.
    pub scope: Scope,
    /// Only addresses that match one of these patterns are visited (seeds always are).
    pub include: Vec<String>,
    /// Addresses that match one of these patterns are not visited.
    pub exclude: Vec<String>,
    /// Only pages in these languages (ISO 639-1) are followed further; empty means all.
    pub lang: Vec<String>,
    /// Hosts under these top-level domains are not visited.
    pub exclude_tld: Vec<String>,
    /// Links from a seed.
    pub max_depth: Option<u32>,
    /// Kinds of media to collect; with none, only pages are read.
    pub kind: Vec<MediaKind>,
    /// Content types of pages that are read, such as `text/html`; empty means all that are HTML.
    pub content_types: Vec<String>,
    /// Stop when this page has been visited.
    pub until: Option<Url>,
    /// Pages of one task, the unit in which run times are compared.
    pub task_pages: u64,
    /// Which of the media that are found are kept.
    pub keep: Keep,
    /// What ends a run.
    pub limits: Limits,
    /// How the crawl behaves towards hosts.
    pub manners: Manners,
    /// Requests in flight over all hosts; with 1 the order of visits is exact.
    pub concurrency: usize,
    /// Whether pages are shown in a browser, which runs their scripts: `never`, `auto` (those that need it) or
    /// `always`.
    pub render: Render,
    /// How the crawl comes back to what it knows.
    pub revisit: Revisit,
    /// Against traps.
    pub budgets: TrapBudgets,
    /// How many requests a page or file is worth when its host answers with an error that may pass.
    pub tries: u32,
    /// A run ends when everything that is left waits for hosts that rest longer than this, and
    /// longer than the delays between two requests ask for.
    #[serde(with = "quantity::duration")]
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seeds: Vec::new(),
            strategy: "geo".into(),
            query: None,
            region: None,
            granularity: Granularity::Address,
            places: true,
            model: None,
            prior: true,
            weighted: Weighting::default(),
            prediction_depth: 3,
            scope: Scope::Any,
            include: Vec::new(),
            exclude: Vec::new(),
            lang: Vec::new(),
            exclude_tld: Vec::new(),
            max_depth: None,
            kind: vec![MediaKind::Image],
            content_types: Vec::new(),
            until: None,
            task_pages: TASK_PAGES,
            keep: Keep::default(),
            limits: Limits::default(),
            manners: Manners::default(),
            concurrency: 64,
            render: Render::default(),
            revisit: Revisit::default(),
            budgets: TrapBudgets::default(),
            tries: 3,
            patience: Duration::from_secs(300),
        }
    }
}

impl Settings {
    /// How long a run waits for the next host to be free.
    pub(crate) fn longest_wait(&self) -> Duration {
        self.patience.max(self.manners.delay * 2).max(self.manners.longest_delay * 2)
    }

    /// Numbers that make no sense, with what would.
    pub fn check(&self) -> Result<(), String> {
        let counts =
            [("concurrency", self.concurrency as u64), ("task-pages", self.task_pages), ("tries", self.tries.into())];
        match counts.iter().find(|(_, count)| *count == 0) {
            Some((name, _)) => Err(format!("{name} must be at least 1")),
            None if !(0.0..=1.0).contains(&self.revisit.chance) => Err("revisit.chance must be from 0 to 1".into()),
            None if self.limits.max_pages == Some(0) => Err("max-pages must be at least 1".into()),
            None => Ok(()),
        }
    }

    /// What is looked for; the strategy `weighted` needs to know it.
    pub(crate) fn criteria(&self) -> Result<Criteria, NoCriteria> {
        match Criteria::of(self.query.as_deref()) {
            Err(_) if self.strategy != "weighted" => Ok(Criteria::default()),
            found => found,
        }
    }

    /// What may be visited at all.
    pub(crate) fn filter(&self) -> FilterSettings {
        FilterSettings {
            scope: self.scope,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            languages: self.lang.clone(),
            exclude_tlds: self.exclude_tld.clone(),
            max_depth: self.max_depth,
            kinds: self.kind.clone(),
            content_types: self.content_types.clone(),
        }
    }

    /// How hosts are treated. Back-off grows with the delay, so that a crawl that may be quick
    /// with its hosts is not slow to try them again.
    pub(crate) fn manners(&self) -> fetch::Manners {
        let delay = self.manners.delay;
        let back_off = (delay * 5).clamp(Duration::from_millis(100), Duration::from_secs(10));
        fetch::Manners { delay, max_delay: self.manners.longest_delay, back_off, ..fetch::Manners::default() }
    }

    /// The limits of a run: as set, or one task when nothing was set.
    pub fn run_limits(&self) -> RunLimits {
        let Limits { max_pages, max_time, max_bytes, .. } = self.limits;
        let unlimited = max_pages.is_none() && max_time.is_none() && max_bytes.is_none() && self.until.is_none();
        RunLimits {
            pages: if unlimited { Some(self.task_pages) } else { max_pages },
            seconds: max_time.map(|time| time.as_secs().max(1)),
            bytes: max_bytes,
        }
    }
}

/// What ends a run. With none of them a run is one task of [`Settings::task_pages`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    /// Pages read. The media of these pages are still collected.
    pub max_pages: Option<u64>,
    /// Time at work.
    #[serde(with = "quantity::optional_duration", skip_serializing_if = "Option::is_none")]
    pub max_time: Option<Duration>,
    /// Bytes received.
    #[serde(deserialize_with = "optional_bytes")]
    pub max_bytes: Option<u64>,
    /// The run stops when less than this is free on the disk of the data directory.
    #[serde(with = "quantity::bytes")]
    pub min_free_disk: u64,
    /// Time for one answer, from the request to its last byte. Connecting, the first byte and the pauses in
    /// between have shorter limits of their own.
    #[serde(with = "quantity::duration")]
    pub max_answer: Duration,
    /// Time for the scripts of one page, all that is tried on it included.
    #[serde(with = "quantity::duration")]
    pub max_render: Duration,
    /// The largest page, after decompression.
    #[serde(with = "quantity::bytes")]
    pub max_page: u64,
    /// The largest media file.
    #[serde(with = "quantity::bytes")]
    pub max_file: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_pages: None,
            max_time: None,
            max_bytes: None,
            min_free_disk: 500_000_000,
            max_answer: Duration::from_secs(300),
            max_render: Duration::from_secs(15),
            max_page: 10 << 20,
            max_file: 100 << 20,
        }
    }
}

/// How the crawl behaves towards hosts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Manners {
    /// From the end of one request to a host to the start of the next; a longer crawl-delay of
    /// robots.txt wins.
    #[serde(with = "quantity::duration")]
    pub delay: Duration,
    /// A crawl-delay longer than this is cut to it.
    #[serde(with = "quantity::duration")]
    pub longest_delay: Duration,
    /// An address or page where site owners reach whoever runs the crawl; part of the user agent.
    pub contact: Option<String>,
}

impl Default for Manners {
    fn default() -> Self {
        Self { delay: Duration::from_secs(1), longest_delay: Duration::from_secs(120), contact: None }
    }
}

/// How much of one host or one path template a crawl queues.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrapBudgets {
    /// Pages of one host.
    pub per_host: u64,
    /// Pages of one host whose addresses differ only in digits and long tokens.
    pub per_template: u64,
}

impl Default for TrapBudgets {
    fn default() -> Self {
        Self { per_host: 100_000, per_template: 10_000 }
    }
}

impl From<TrapBudgets> for Budgets {
    fn from(budgets: TrapBudgets) -> Self {
        Self { per_host: budgets.per_host, per_template: budgets.per_template }
    }
}

/// How this machine reaches hosts; said anew with each start and never stored with the crawl.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    /// `--resolve PATTERN=ADDR:PORT` rules.
    pub resolve: Vec<fetch::ResolveRule>,
    /// Admit private addresses for the seeds' own hosts.
    pub allow_private: bool,
    /// Where this very program listens: never asked, whatever else is allowed.
    pub own_listeners: Vec<std::net::SocketAddr>,
    /// Certificates (PEM) trusted besides the system's.
    pub ca: Vec<u8>,
    /// What names start pages for a crawl that has none; the usual sources when there are none.
    pub sources: Vec<SourceSettings>,
    /// The browser that renders pages, and how it is run.
    pub browser: render::Settings,
}

fn optional_bytes<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct Bytes(#[serde(with = "quantity::bytes")] u64);
    Ok(Option::<Bytes>::deserialize(deserializer)?.map(|Bytes(bytes)| bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_being_stored() {
        let settings = Settings {
            limits: Limits { max_time: Some(Duration::from_secs(90)), max_bytes: Some(5), ..Limits::default() },
            ..Settings::default()
        };
        for settings in [settings, Settings::default()] {
            let stored = serde_json::to_value(&settings).unwrap();
            assert_eq!(serde_json::from_value::<Settings>(stored).unwrap(), settings);
        }
    }

    #[test]
    fn a_run_without_limits_is_one_task() {
        assert_eq!(Settings::default().run_limits().pages, Some(TASK_PAGES));
        let timed = Settings {
            limits: Limits { max_time: Some(Duration::from_secs(60)), ..Limits::default() },
            ..Settings::default()
        };
        assert_eq!(timed.run_limits(), RunLimits { pages: None, seconds: Some(60), bytes: None });
    }
}
