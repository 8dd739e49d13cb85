//! What a run came to.

use std::collections::BTreeMap;

use serde::Serialize;
use store::{Figures, FrontierFigures, MediaFigures};

/// The figures a run ends with, all counted by the store.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The crawl's name.
    pub name: String,
    /// Its strategy.
    pub strategy: String,
    /// Pages read.
    pub pages: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Bytes of files that were not fetched, because their first ones said enough.
    pub bytes_saved: u64,
    /// Images.
    pub images: ImageFigures,
    /// Films and sounds kept: `video`, `audio`.
    pub media: BTreeMap<String, u64>,
    /// Kept images that carry coordinates.
    pub geotagged: u64,
    /// Media that name a place that cannot be, kept or not, by what is wrong with it.
    pub wrong_coordinates: BTreeMap<String, u64>,
    /// Kept images that carry none, and whose place was found in words.
    pub located: u64,
    /// Pages relevant to the region.
    pub relevant: u64,
    /// Their share.
    pub harvest_rate: f64,
    /// Pages whose scripts were run.
    pub rendered: u64,
    /// States of those pages.
    pub states: u64,
    /// Blocks of structured data that could not be read, and were left out.
    pub malformed: u64,
    /// Files that came again under another address.
    pub duplicates: u64,
    /// Files that turned out to be copies of others that are not the same bytes.
    pub near_copies: u64,
    /// Failed visits by reason.
    pub errors: BTreeMap<String, u64>,
    /// What later visits of known addresses found, by kind (`page`, `image` …): `unchanged`, `changed`,
    /// `gone`, `back`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub revisits: BTreeMap<String, BTreeMap<String, u64>>,
    /// Links that were not queued because their host or path template had used up its budget.
    pub over_budget: u64,
    /// Addresses still waiting.
    pub queued: u64,
    /// Time at work.
    pub seconds: f64,
    /// Pages per second of it.
    pub pages_per_second: f64,
    /// Why it stopped.
    pub stopped: String,
}

/// Figures of the images of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImageFigures {
    /// Distinct addresses found on pages.
    pub seen: u64,
    /// Files kept.
    pub kept: u64,
    /// Not kept, by reason.
    pub refused: BTreeMap<String, u64>,
}

impl From<MediaFigures> for ImageFigures {
    fn from(figures: MediaFigures) -> Self {
        Self { seen: figures.seen, kept: figures.kept, refused: figures.refused }
    }
}

impl Summary {
    /// Of a run that was told to end before it began.
    pub fn unbegun(name: &str, strategy: &str, frontier: &FrontierFigures) -> Self {
        Self::new(name, strategy, Figures::default(), frontier, 0, 0.0, "interrupted")
    }

    pub(crate) fn new(
        name: &str,
        strategy: &str,
        mut figures: Figures,
        frontier: &FrontierFigures,
        near_copies: u64,
        seconds: f64,
        stopped: &str,
    ) -> Self {
        let images = figures.media.remove("image").unwrap_or_default().into();
        let media = ["video", "audio"]
            .map(|kind| (kind.to_owned(), figures.media.get(kind).map_or(0, |media| media.kept)))
            .into();
        Self {
            name: name.into(),
            strategy: strategy.into(),
            pages: figures.pages,
            bytes: figures.bytes,
            bytes_saved: figures.saved,
            images,
            media,
            geotagged: figures.geotagged,
            wrong_coordinates: figures.wrong_locations,
            located: figures.located,
            relevant: figures.relevant,
            harvest_rate: if figures.pages > 0 { figures.relevant as f64 / figures.pages as f64 } else { 0.0 },
            rendered: figures.rendered,
            states: figures.states,
            malformed: figures.malformed,
            duplicates: figures.duplicates,
            near_copies,
            errors: figures.errors,
            revisits: figures.revisits,
            over_budget: frontier.over_budget,
            queued: frontier.queued_pages + frontier.queued_media,
            seconds,
            pages_per_second: if seconds > 0.0 { figures.pages as f64 / seconds } else { 0.0 },
            stopped: stopped.into(),
        }
    }
}
