//! A small, poor copy of a photo, and whether the largest copy is the first that is found in a library
//! with several of them.

use crawl::{ByExample, Mode};
use decode::Picture;
use facts::{MediaId, MediaKind};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::{Part, Photos};
use crate::change::{Change, jpeg};
use crate::imported::Imported;
use crate::{Bar, ExperimentError, Table, Wanted};

/// Photos that copies are made of, evenly taken.
const PHOTOS: usize = 100;

/// Puts copies of three sizes of some photos among all photos, and asks by the smallest of them after
/// strong compression.
pub(super) async fn measured(photos: &Photos, progress: &watch::Sender<String>) -> Result<Part, ExperimentError> {
    let folder = tempfile::tempdir()?;
    let step = photos.paths.len().div_ceil(PHOTOS).max(1);
    let chosen: Vec<usize> = (0..photos.paths.len()).step_by(step).collect();
    progress.send_replace(format!("copies of {} photos into a library", chosen.len()));
    // The photos that are asked for come in three sizes of our own making, all others as they are.
    let mut files: Vec<_> =
        photos.paths.iter().enumerate().filter(|(place, _)| place % step != 0).map(|(_, path)| path.clone()).collect();
    let mut asked = Vec::new();
    for place in chosen {
        let Some(largest) = photos.pictures.get(place) else { continue };
        let half = Change::Half.made(largest);
        let quarter = Change::Half.made(&half);
        let written = |picture: &Picture, name: &str| -> Result<Option<MediaId>, ExperimentError> {
            let Some(bytes) = jpeg(picture, 85) else { return Ok(None) };
            std::fs::write(folder.path().join(format!("{place}-{name}.jpg")), &bytes)?;
            Ok(Some(MediaId::from_sha256(Sha256::digest(&bytes).into())))
        };
        written(&quarter, "quarter")?;
        written(&half, "half")?;
        let Some(best) = written(largest, "whole")? else { continue };
        if let Some(poor) = Change::Jpeg30.jpeg(&half) {
            asked.push((best, poor));
        }
    }
    files.push(folder.path().to_owned());
    let library = Imported::of(files, MediaKind::Image).await?;
    let (mut first, mut copies) = (0usize, 0usize);
    for (best, poor) in &asked {
        let example = folder.path().join("asked.jpg");
        std::fs::write(&example, poor)?;
        let example = ByExample::of_file(&example)
            .map_err(|why| ExperimentError::Corpus { path: folder.path().to_owned(), why })?;
        let (total, found) = example.ask(library.library(), Mode::Better, 0.0, 10).await?;
        first += usize::from(found.first().is_some_and(|found| found.id == *best));
        copies += total as usize;
    }
    let share = |of: usize| of as f64 / asked.len().max(1) as f64;
    let row = vec![asked.len().to_string(), format!("{:.3}", share(first)), format!("{:.2}", share(copies))];
    Ok(Part {
        name: "better",
        table: Table {
            headings: vec!["poor copies asked by", "the largest first", "copies found of 3"],
            rows: vec![row],
        },
        bars: vec![Bar {
            what: "poor copies that find the largest copy first",
            wanted: Wanted::AtLeast(0.95),
            got: (!asked.is_empty()).then(|| share(first)),
        }],
        notes: Vec::new(),
        figures: json!({ "asked": asked.len(), "first": first, "copies_found": copies }),
    })
}
