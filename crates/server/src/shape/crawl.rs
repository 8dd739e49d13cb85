//! A crawl as lists and events show it.

use crawl::Progress;
use serde::Serialize;
use store::{CrawlSummary, Figures, Run};
use utoipa::ToSchema;

use crate::crawls::Crawls;
use crate::moment::Moment;

/// How a crawl is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CrawlState {
    /// It works.
    Running,
    /// It was asked to stop and lets what is in flight land.
    Stopping,
    /// It was paused, or the program was ended; resume goes on with the run.
    Paused,
    /// The program was killed while it ran; resume goes on with the run.
    Interrupted,
    /// Its last run is over; resume makes a new one.
    Finished,
    /// Its last run failed.
    Failed,
}

/// Images seen on pages, and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct ImageCount {
    /// Distinct addresses seen on pages.
    pub seen: u64,
    /// Files kept.
    pub kept: u64,
}

/// A crawl. Figures are over all its runs.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct CrawlShape {
    /// Its name.
    pub name: String,
    pub state: CrawlState,
    /// The order of visits.
    pub strategy: Option<String>,
    /// The region of interest, as it was given.
    pub region: Option<String>,
    /// When it was first started.
    pub created: Moment,
    /// When its last run was first started.
    pub started: Option<Moment>,
    /// When its last run ended.
    pub ended: Option<Moment>,
    /// Why its last run ended.
    pub stopped: Option<String>,
    /// Why its last run failed.
    pub error: Option<String>,
    #[serde(flatten)]
    pub tally: Tally,
    /// Relevant pages among the pages, from 0 to 1.
    pub harvest_rate: f64,
    /// Addresses that wait.
    pub queued: u64,
    /// Pages per second at work.
    pub pages_per_second: f64,
}

/// A crawl in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct CrawlEntry {
    #[serde(flatten)]
    pub crawl: CrawlShape,
    /// How many runs it had.
    pub runs: usize,
}

impl CrawlEntry {
    /// A crawl of the library, as it is now.
    pub fn of(summary: &CrawlSummary, crawls: &Crawls) -> Self {
        Self { crawl: CrawlShape::of(summary, crawls), runs: summary.runs.len() }
    }
}

/// What is counted of a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct Tally {
    /// Pages read.
    pub pages: u64,
    pub images: ImageCount,
    /// Kept images that say where they were made.
    pub geotagged: u64,
    /// Kept images whose place is known from words.
    pub located: u64,
    /// Pages relevant to the region.
    pub relevant: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Seconds at work.
    pub seconds: f64,
}

impl Tally {
    /// Counted figures, and the time they took.
    pub fn of(figures: &Figures, seconds: f64) -> Self {
        let images = figures.media.get("image");
        Self {
            pages: figures.pages,
            images: ImageCount {
                seen: images.map_or(0, |images| images.seen),
                kept: images.map_or(0, |images| images.kept),
            },
            geotagged: figures.geotagged,
            located: figures.located,
            relevant: figures.relevant,
            bytes: figures.bytes,
            seconds,
        }
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            pages: self.pages + other.pages,
            images: ImageCount {
                seen: self.images.seen + other.images.seen,
                kept: self.images.kept + other.images.kept,
            },
            geotagged: self.geotagged + other.geotagged,
            located: self.located + other.located,
            relevant: self.relevant + other.relevant,
            bytes: self.bytes + other.bytes,
            seconds: self.seconds + other.seconds,
        }
    }

    fn pages_per_second(&self) -> f64 {
        if self.seconds > 0.0 { self.pages as f64 / self.seconds } else { 0.0 }
    }
}

/// How a crawl is doing right now.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct CrawlProgress {
    pub state: CrawlState,
    #[serde(flatten)]
    pub tally: Tally,
    /// Addresses that wait.
    pub queued: u64,
    /// Requests in flight.
    pub in_flight: usize,
    /// Pages per second at work.
    pub pages_per_second: f64,
}

impl CrawlProgress {
    /// A run that works, after what earlier runs did.
    pub fn of(state: CrawlState, before: Tally, progress: &Progress) -> Self {
        let tally = before.and(Tally::of(&progress.figures, progress.seconds));
        let queued = progress.frontier.queued_pages + progress.frontier.queued_media;
        Self { state, tally, queued, in_flight: progress.in_flight, pages_per_second: tally.pages_per_second() }
    }
}

impl From<&CrawlShape> for CrawlProgress {
    fn from(shape: &CrawlShape) -> Self {
        Self {
            state: shape.state,
            tally: shape.tally,
            queued: shape.queued,
            in_flight: 0,
            pages_per_second: shape.pages_per_second,
        }
    }
}

/// How a crawl is doing, by its last run and by what runs now.
fn state_of(crawls: &Crawls, name: &str, last: Option<&Run>) -> CrawlState {
    match (crawls.running(name), last) {
        (Some(true), _) => CrawlState::Stopping,
        (Some(false), _) => CrawlState::Running,
        (None, Some(run)) if run.stopped.is_none() && run.ended.is_none() && crawls.runs_elsewhere(run.id) => {
            CrawlState::Running
        }
        (None, _) if crawls.failure(name).is_some() => CrawlState::Failed,
        (None, Some(run)) if run.stopped.is_some() => CrawlState::Finished,
        (None, Some(run)) if run.ended.is_some() => CrawlState::Paused,
        (None, _) => CrawlState::Interrupted,
    }
}

impl CrawlShape {
    /// A crawl of the library, as it is now.
    pub fn of(summary: &CrawlSummary, crawls: &Crawls) -> Self {
        let last = summary.runs.last();
        let name = &summary.crawl.name;
        let seconds = summary.runs.iter().map(|run| run.seconds).sum();
        let tally = Tally::of(&summary.figures, seconds);
        let setting = |key: &str| summary.crawl.settings.get(key).and_then(|value| value.as_str());
        let shown = |text: &str| text.chars().take(200).collect();
        Self {
            name: name.clone(),
            state: state_of(crawls, name, last),
            strategy: setting("strategy").map(shown),
            region: setting("region").map(shown),
            created: summary.crawl.created.into(),
            started: last.map(|run| run.started.into()),
            ended: last.and_then(|run| run.ended).map(Into::into),
            stopped: last.and_then(|run| run.stopped.clone()),
            error: crawls.failure(name).map(|failure| failure.to_string()),
            tally,
            harvest_rate: if tally.pages > 0 { tally.relevant as f64 / tally.pages as f64 } else { 0.0 },
            queued: summary.frontier.queued_pages + summary.frontier.queued_media,
            pages_per_second: tally.pages_per_second(),
        }
    }
}
