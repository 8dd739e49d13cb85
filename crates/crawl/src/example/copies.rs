//! Copies of an example, and which of them is the best.

use std::collections::{BTreeMap, BTreeSet};

use facts::{MediaId, MediaKind};
use store::{Clue, Described, Library, MediaItem, StoreError};

use super::{ByExample, Found};
use crate::describe::Likeness;

impl ByExample {
    /// All copies, those with the same bytes and pixels first.
    pub(super) async fn copies(&self, library: &dyn Library) -> Result<Vec<Found>, StoreError> {
        let mut why: BTreeMap<MediaId, (u8, String)> = BTreeMap::new();
        let mut groups = BTreeSet::new();
        if library.item(self.id).await?.is_some() {
            groups.insert(self.id);
            if !self.is_item {
                why.insert(self.id, (0, "the same bytes".to_owned()));
            }
        }
        let asked = self.likeness.example(self.pixels, self.is_item.then_some(self.id));
        for candidate in library.candidates(&asked).await? {
            if let Some(verdict) = self.likeness.copy(&candidate) {
                groups.insert(candidate.id);
                let rank = if candidate.clue == Clue::Pixels { 1 } else { 2 };
                why.entry(candidate.id).or_insert((rank, verdict.copy.detail));
            }
        }
        for id in groups {
            let Some(group) = library.copy_group(id).await? else { continue };
            why.entry(group.kept.id).or_insert((3, "the original of its copies".to_owned()));
            for copy in group.copies {
                why.entry(copy.file.id).or_insert((3, copy.detail));
            }
        }
        let mut found = Vec::new();
        for (id, (rank, why)) in why.into_iter().filter(|(id, _)| !self.is_item || *id != self.id) {
            let similarity = self.similarity_of(library, id).await?;
            let similarity = if rank < 2 { 100.0 } else { similarity };
            found.push((rank, Found { id, similarity, why: Some(why) }));
        }
        found.sort_by(|(rank, a), (other, b)| {
            rank.min(&2).cmp(other.min(&2)).then(b.similarity.total_cmp(&a.similarity)).then(a.id.cmp(&b.id))
        });
        Ok(found.into_iter().map(|(_, found)| found).collect())
    }

    /// All copies, and the example itself where it is in the library, the best first.
    pub(super) async fn better(&self, library: &dyn Library) -> Result<Vec<Found>, StoreError> {
        let mut found = self.copies(library).await?;
        if self.is_item {
            found.push(Found { id: self.id, similarity: 100.0, why: Some("the example itself".to_owned()) });
        }
        let mut ranked = Vec::new();
        for one in found {
            if let Some(item) = library.item(one.id).await? {
                let quality = Quality::of(&item);
                ranked.push((quality, Found { why: Some(quality.told(&item)), ..one }));
            }
        }
        ranked.sort_by(|(a, one), (b, other)| b.cmp(a).then(one.id.cmp(&other.id)));
        Ok(ranked.into_iter().map(|(_, found)| found).collect())
    }

    pub(super) async fn similarity_of(&self, library: &dyn Library, id: MediaId) -> Result<f64, StoreError> {
        let Some(Described::As(description)) = library.description(id).await? else { return Ok(0.0) };
        let other = Likeness::read(self.kind(), &description);
        Ok(other.map_or(0.0, |other| self.likeness.similarity(&other)))
    }
}

/// What makes one copy better than another, what counts most first: pixels, nothing lost in coding,
/// bytes a second (of pictures, in all), seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Quality {
    pixels: u64,
    lossless: bool,
    rate: u64,
    seconds: u64,
}

impl Quality {
    fn of(item: &MediaItem) -> Self {
        let pixels = item.width.zip(item.height).map_or(0, |(width, height)| u64::from(width) * u64::from(height));
        let lossless = matches!(item.format.as_str(), "png" | "bmp" | "tiff" | "flac" | "wav" | "aiff");
        let seconds = item.duration.filter(|seconds| *seconds > 0.0);
        let rate = match item.kind {
            MediaKind::Image => item.size,
            _ => seconds.map_or(0, |seconds| (item.size as f64 / seconds) as u64),
        };
        Self { pixels, lossless, rate, seconds: seconds.unwrap_or(0.0).round() as u64 }
    }

    fn told(self, item: &MediaItem) -> String {
        let mut parts = Vec::new();
        parts.extend(item.width.zip(item.height).map(|(width, height)| format!("{width} × {height} pixels")));
        if item.kind != MediaKind::Image {
            parts.push(format!("{} kbit/s", self.rate * 8 / 1000));
            parts.push(format!("{} s", self.seconds));
        }
        if self.lossless {
            parts.push("lossless".to_owned());
        }
        parts.join(", ")
    }
}
