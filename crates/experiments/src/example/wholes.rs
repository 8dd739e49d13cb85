//! Parts of films and sounds, made anew, and whether the whole is the first that is found in a library of
//! all of them.

use std::path::PathBuf;

use crawl::{ByExample, Mode};
use facts::{MediaId, MediaKind};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::Part;
use crate::duplicates::{films, sounds};
use crate::imported::Imported;
use crate::recode::{Recoding, each, format};
use crate::{Bar, ExperimentError, Table, Wanted};

/// Answers that are looked at.
const TOP: usize = 10;

/// How parts of one kind of media are made.
pub(super) struct Kind {
    kind: MediaKind,
    name: &'static str,
    what: &'static str,
    parts: &'static [Recoding],
    /// Seconds that the whole lasts at least.
    long: u64,
}

pub(super) const KINDS: [Kind; 2] = [
    Kind {
        kind: MediaKind::Video,
        name: "wholes_of_films",
        what: "parts of films that find their whole first",
        parts: films::PARTS,
        long: films::HAS_PARTS,
    },
    Kind {
        kind: MediaKind::Audio,
        name: "wholes_of_sounds",
        what: "parts of sounds that find their whole first",
        parts: sounds::PARTS,
        long: sounds::HAS_PARTS,
    },
];

/// Asks a library of all files of the kind by parts of each; nothing when none is long enough.
pub(super) async fn measured(
    files: &[PathBuf],
    kind: Kind,
    progress: &watch::Sender<String>,
) -> Result<Option<Part>, ExperimentError> {
    let is_one = |file: &&PathBuf| format(file).is_ok_and(|format| format.kind == kind.kind);
    let all: Vec<PathBuf> = files.iter().filter(is_one).cloned().collect();
    if all.is_empty() {
        return Ok(None);
    }
    progress.send_replace(format!("{} files into a library", all.len()));
    let library = Imported::of(all.clone(), kind.kind).await?;
    let mut wholes: Vec<(PathBuf, MediaId)> = Vec::new();
    for path in all {
        let id = MediaId::from_sha256(Sha256::digest(std::fs::read(&path)?).into());
        let item = library.library().item(id).await?;
        let lasts = item.and_then(|item| item.duration).unwrap_or_default();
        if lasts >= kind.long as f64 && !wholes.iter().any(|(_, other)| *other == id) {
            wholes.push((path, id));
        }
    }
    let folder = tempfile::tempdir()?;
    let (mut rows, mut missed) = (Vec::new(), Vec::new());
    let (mut first, mut asked) = (0usize, 0usize);
    for how in kind.parts {
        progress.send_replace(format!("{} parts: {}", wholes.len(), how.name));
        let read = |nth: usize, (path, _): &(PathBuf, MediaId)| {
            let part = folder.path().join(format!("{nth}.{}", how.ending));
            how.make(path, &part)?;
            let example = ByExample::of_file(&part);
            std::fs::remove_file(&part)?;
            example.map_err(|why| ExperimentError::Corpus { path: path.clone(), why })
        };
        let (mut found_first, mut found) = (0usize, 0usize);
        for ((path, id), example) in wholes.iter().zip(each(&wholes, read)) {
            let (_, answers) = example?.ask(library.library(), Mode::Whole, 0.0, TOP).await?;
            match answers.iter().position(|answer| answer.id == *id) {
                Some(place) => {
                    found += 1;
                    found_first += usize::from(place == 0);
                }
                None => missed.push(format!("{} ({}) is not found", path.display(), how.name)),
            }
        }
        asked += wholes.len();
        first += found_first;
        let share = |found: usize| format!("{:.3}", found as f64 / wholes.len().max(1) as f64);
        rows.push(vec![how.name.to_owned(), wholes.len().to_string(), share(found_first), share(found)]);
    }
    if asked == 0 {
        return Ok(None);
    }
    Ok(Some(Part {
        name: kind.name,
        table: Table { headings: vec!["part", "asked", "its whole first", "within ten"], rows },
        bars: vec![Bar { what: kind.what, wanted: Wanted::AtLeast(0.95), got: Some(first as f64 / asked as f64) }],
        notes: missed,
        figures: json!({ "asked": asked, "first": first }),
    }))
}
