//! What a find came to.

use std::collections::BTreeMap;

use serde::Serialize;
use sources::SourceState;

use super::asked::Asked;
use super::board::FindProgress;
use super::keep::{STRATEGY, name_of};

/// The figures a find ends with. Those that crawls have too go by the same names.
#[derive(Clone, Debug, Serialize)]
pub struct FindSummary {
    /// What is kept of it goes by this name.
    pub name: String,
    /// Always `query`.
    pub strategy: &'static str,
    /// As it was typed.
    pub query: String,
    /// What was understood, in words.
    pub said: String,
    /// What was not taken as it was typed.
    pub notes: Vec<String>,
    /// Pages read.
    pub pages: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Images.
    pub images: FoundImages,
    /// Films and sounds: none are found.
    pub media: BTreeMap<&'static str, u64>,
    /// As for crawls; a find does not look for it.
    pub geotagged: u64,
    /// As for crawls; a find does not look for it.
    pub located: u64,
    /// Pages with a word of the query outside of link texts.
    pub relevant: u64,
    /// Their share.
    pub harvest_rate: f64,
    /// Addresses that were seen again, and files that are the same as others.
    pub duplicates: u64,
    /// What went wrong, by reason.
    pub errors: BTreeMap<String, u64>,
    /// What was left to ask for.
    pub queued: u64,
    /// Hosts that were met.
    pub hosts: u64,
    /// Requests made.
    pub requests: u64,
    /// Time it took.
    pub seconds: f64,
    /// Pages per second of it.
    pub pages_per_second: f64,
    /// Bytes for each picture that was looked at.
    pub bytes_per_probe: f64,
    /// Seconds until the first picture had a score.
    pub first_result: Option<f64>,
    /// Seconds until the first thumbnail was there.
    pub first_thumbnail: Option<f64>,
    /// Why it stopped.
    pub stopped: String,
    /// Why it found nothing.
    pub error: Option<String>,
    /// How sources did.
    pub sources: Vec<SourceState>,
}

/// Images of a find.
#[derive(Clone, Debug, Serialize)]
pub struct FoundImages {
    /// Addresses on the pages that were read.
    pub seen: u64,
    /// Those that are no icons, banners or thumbnails.
    pub kept: u64,
    /// Those whose first bytes were asked for.
    pub probed: u64,
    /// Those of which the page alone said enough.
    pub markup: u64,
    /// Not kept, by reason.
    pub refused: BTreeMap<String, u64>,
}

impl FindSummary {
    pub(super) fn of(asked: &Asked, progress: &FindProgress) -> Self {
        let share = |part: u64, of: f64| if of > 0.0 { part as f64 / of } else { 0.0 };
        let images = &progress.images;
        Self {
            name: name_of(&asked.text),
            strategy: STRATEGY,
            query: asked.text.clone(),
            said: asked.said.clone(),
            notes: asked.notes.clone(),
            pages: progress.pages,
            bytes: progress.bytes,
            images: FoundImages {
                seen: images.seen,
                kept: images.selected,
                probed: images.probed,
                markup: images.markup,
                refused: images.refused.clone(),
            },
            media: [("video", 0), ("audio", 0)].into(),
            geotagged: 0,
            located: 0,
            relevant: progress.relevant,
            harvest_rate: share(progress.relevant, progress.pages as f64),
            duplicates: images.duplicates,
            errors: progress.errors.clone(),
            queued: progress.queued,
            hosts: progress.hosts,
            requests: progress.requests,
            seconds: progress.elapsed,
            pages_per_second: share(progress.pages, progress.elapsed),
            bytes_per_probe: share(progress.probe_bytes, images.probed as f64),
            first_result: progress.first_result,
            first_thumbnail: progress.first_thumbnail,
            stopped: progress.stopped.unwrap_or("running").to_owned(),
            error: progress.error.clone(),
            sources: progress.sources.clone(),
        }
    }
}
