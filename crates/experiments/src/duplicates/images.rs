//! Copies of pictures.

use std::collections::HashMap;
use std::path::PathBuf;

use decode::{Limits, Picture};
use facts::{MediaId, MediaKind};
use media::{Look, PictureHash, Turn, near_copy};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::{Example, Traces};
use tokio::sync::watch;

use super::Part;
use crate::change::Change;
use crate::imported::Imported;
use crate::{Bar, ExperimentError, Table, Wanted, pictures};

/// Pictures that copies are made of, at least, where there are as many.
const ENOUGH: usize = 220;
/// Two files whose hashes differ in fewer bits are taken for the same photo: no photos of different
/// things come near that.
const SAME_PHOTO: u32 = 24;
/// Candidates that an import compares a picture with.
const CANDIDATES: usize = 64;
/// What an index is sure to find, or nearly so.
const SURE: u32 = 40;

/// How copies of one kind were found.
#[derive(Default)]
struct Tally {
    made: usize,
    found: usize,
    /// Other photos that were taken for the original.
    wrong: usize,
    /// Pairs of files that are taken for copies of each other, and are.
    right: usize,
    /// Bits between what is asked for and what is stored of the original.
    distances: Vec<u32>,
}

impl Tally {
    fn recall(&self) -> f64 {
        self.found as f64 / self.made.max(1) as f64
    }

    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn sure(&self) -> f64 {
        self.distances.iter().filter(|distance| **distance <= SURE).count() as f64 / self.made.max(1) as f64
    }

    fn distance(&self, share: f64) -> u32 {
        let mut sorted = self.distances.clone();
        sorted.sort_unstable();
        sorted.get((share * sorted.len() as f64) as usize).copied().unwrap_or_default()
    }
}

struct Known {
    path: PathBuf,
    id: MediaId,
    picture: Picture,
    look: Look,
    /// The first file that shows the same photo.
    photo: usize,
}

/// Makes copies of pictures and looks for them; nothing for a folder without pictures.
pub(super) async fn measured(
    files: &[PathBuf],
    progress: &watch::Sender<String>,
) -> Result<Option<Part>, ExperimentError> {
    let known = known(files, progress)?;
    let originals: Vec<usize> = (0..known.len()).filter(|number| known[*number].photo == *number).collect();
    let clear: Vec<usize> = originals
        .iter()
        .copied()
        .filter(|number| known[*number].look.quality() >= PictureHash::LEAST_QUALITY)
        .collect();
    if clear.is_empty() {
        return Ok(None);
    }
    progress.send_replace(format!("{} pictures into a library", known.len()));
    let library = Imported::of(known.iter().map(|one| one.path.clone()).collect(), MediaKind::Image).await?;
    // Of the same bytes, the first.
    let mut numbers = HashMap::new();
    for (number, one) in known.iter().enumerate() {
        numbers.entry(one.id).or_insert(number);
    }
    let step = (clear.len() / ENOUGH).max(1);
    let chosen: Vec<usize> = clear.iter().copied().step_by(step).collect();
    let mut tallies = Vec::new();
    for change in Change::ALL {
        progress.send_replace(format!("{} copies: {}", chosen.len(), change.as_str()));
        tallies.push((change, tally(change, &chosen, &known, &library, &numbers).await?));
    }
    Ok(Some(part(&tallies, &known, originals.len(), chosen.len())))
}

fn known(files: &[PathBuf], progress: &watch::Sender<String>) -> Result<Vec<Known>, ExperimentError> {
    let mut known: Vec<Known> = Vec::new();
    for (done, path) in files.iter().enumerate() {
        progress.send_replace(format!("{done} of {} files", files.len()));
        let Some(picture) = pictures::read(path) else { continue };
        let Some(look) = Look::of(&pictures::pixels(&picture)) else { continue };
        let same = known.iter().find(|other| same_photo(&other.look, &look)).map(|other| other.photo);
        let photo = same.unwrap_or(known.len());
        let id = MediaId::from_sha256(Sha256::digest(std::fs::read(path)?).into());
        known.push(Known { path: path.clone(), id, picture, look, photo });
    }
    Ok(known)
}

/// Whether two files are one photo beyond doubt, in whichever way they are held. Flat pictures cannot
/// be told apart, and are taken for one.
fn same_photo(a: &Look, b: &Look) -> bool {
    match (a.hashes().first(), b.hashes().first()) {
        (Some(a), Some(b)) => Turn::ALL.iter().any(|turn| a.turned(*turn).distance(b) < SAME_PHOTO),
        (None, None) => true,
        _ => false,
    }
}

async fn tally(
    change: Change,
    chosen: &[usize],
    known: &[Known],
    library: &Imported,
    numbers: &HashMap<MediaId, usize>,
) -> Result<Tally, ExperimentError> {
    let mut tally = Tally::default();
    for number in chosen {
        let original = &known[*number];
        let Some(look) = change.jpeg(&original.picture).and_then(|file| look(&file)) else { continue };
        tally.made += 1;
        let asked = look.asked();
        let distances = asked.iter().flat_map(|a| original.look.hashes().iter().map(|b| a.distance(b)));
        tally.distances.extend(distances.min());
        let mut copies = candidates(&look, library, numbers).await?;
        copies.retain(|candidate| near_copy(&known[*candidate].look, &look).is_some());
        // Of several files of one photo, one stands for all.
        let right = copies.iter().filter(|copy| known[**copy].photo == original.photo).count();
        tally.found += right.min(1);
        tally.right += right;
        tally.wrong += copies.len() - right;
    }
    Ok(tally)
}

/// The pictures that one is compared with when it comes in.
async fn candidates(
    look: &Look,
    library: &Imported,
    numbers: &HashMap<MediaId, usize>,
) -> Result<Vec<usize>, ExperimentError> {
    let hashes = look.asked().iter().map(|hash| hash.bits).collect();
    let example = Example {
        kind: MediaKind::Image,
        version: Look::VERSION,
        traces: Traces { pixels: None, hashes, keys: Vec::new() },
        radius: Look::RADIUS,
        except: None,
        most: CANDIDATES,
    };
    let found = library.library().candidates(&example).await?;
    Ok(found.iter().filter_map(|candidate| numbers.get(&candidate.id).copied()).collect())
}

fn look(file: &[u8]) -> Option<Look> {
    let picture = decode::picture(file, media::sniff(file)?, 1, Look::LONG_SIDE, &Limits::default()).ok()?;
    Look::of(&pictures::pixels(&picture))
}

fn part(tallies: &[(Change, Tally)], known: &[Known], photos: usize, chosen: usize) -> Part {
    let rows = tallies.iter().map(|(change, tally)| {
        vec![
            change.as_str().to_owned(),
            tally.made.to_string(),
            format!("{:.3}", tally.recall()),
            format!("{:.4}", tally.precision()),
            tally.distance(0.5).to_string(),
            tally.distance(0.95).to_string(),
            format!("{:.3}", tally.sure()),
        ]
    });
    let table = Table {
        headings: vec!["picture", "copies", "recall", "precision", "bits apart, median", "95 of 100", "within 40 bits"],
        rows: rows.collect(),
    };
    let least = |of: fn(&Tally) -> f64, hard: bool| {
        tallies
            .iter()
            .filter(|(change, _)| (change.wanted() < 0.95) == hard)
            .map(|(_, tally)| of(tally))
            .min_by(f64::total_cmp)
    };
    let bars = vec![
        Bar {
            what: "pictures: least recall, cropped or captioned",
            wanted: Wanted::AtLeast(0.90),
            got: least(Tally::recall, true),
        },
        Bar {
            what: "pictures: least recall, other copies",
            wanted: Wanted::AtLeast(0.95),
            got: least(Tally::recall, false),
        },
        Bar {
            what: "pictures: least precision",
            wanted: Wanted::AtLeast(0.99),
            got: tallies.iter().map(|(_, tally)| tally.precision()).min_by(f64::total_cmp),
        },
    ];
    let asked: usize = known.iter().map(|one| one.look.asked().len()).sum();
    let stored: usize = known.iter().map(|one| one.look.hashes().len()).sum();
    let mean = |sum: usize| sum as f64 / known.len().max(1) as f64;
    let notes = vec![
        format!(
            "{} pictures of {photos} photos are known; copies are made of {chosen}, and each is looked for in a library of them",
            known.len()
        ),
        format!("files whose hashes differ in fewer than {SAME_PHOTO} bits are taken for one photo"),
        format!(
            "hashes kept for a picture: {:.1}; asked for: {:.1}, all orientations included",
            mean(stored),
            mean(asked)
        ),
    ];
    let figures: serde_json::Map<_, _> = tallies
        .iter()
        .map(|(change, tally)| {
            let figures = json!({
                "copies": tally.made, "found": tally.found, "recall": tally.recall(), "precision": tally.precision(),
                "wrong": tally.wrong, "bits_median": tally.distance(0.5), "bits_95": tally.distance(0.95),
                "within_40_bits": tally.sure(),
            });
            (change.as_str().to_owned(), figures)
        })
        .collect();
    let figures = json!({
        "pictures": known.len(), "photos": photos, "copied": chosen, "hashes_kept": mean(stored),
        "hashes_asked": mean(asked), "changes": figures,
    });
    Part { name: "pictures", table, bars, notes, figures }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::scene;
    use crate::{Order, duplicates};

    #[tokio::test]
    async fn copies_of_made_pictures_are_found() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..8 {
            std::fs::write(folder.path().join(format!("{number}.jpg")), scene(number)).unwrap();
        }
        // A second file of one photo, and one that is no picture.
        std::fs::write(folder.path().join("again.jpg"), scene(3)).unwrap();
        std::fs::write(folder.path().join("notes.txt"), "nothing").unwrap();
        let order = Order { corpus: Some(folder.path().to_owned()), ..Order::default() };
        let report = duplicates::run(&order, &watch::channel(String::new()).0).await.unwrap();
        let figures = &report.figures["pictures"];
        assert_eq!((&figures["pictures"], &figures["photos"]), (&json!(9), &json!(8)), "{figures}");
        for change in ["JPEG quality 30", "half the size", "mirrored", "turned by 90°", "grey", "20 % darker"] {
            let of = &figures["changes"][change];
            assert_eq!((&of["recall"], &of["precision"]), (&json!(1.0), &json!(1.0)), "{change}: {of}");
        }
        assert_eq!(report.tables[0].rows.len(), Change::ALL.len());
    }

    #[tokio::test]
    async fn a_folder_without_pictures_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let order = Order { corpus: Some(folder.path().to_owned()), ..Order::default() };
        let refused = duplicates::run(&order, &watch::channel(String::new()).0).await.unwrap_err();
        assert!(refused.to_string().contains("too few"), "{refused}");
    }
}
