//! Films told again: in other formats, sizes and rates, and in parts.

use std::path::{Path, PathBuf};

use facts::MediaKind;
use media::film::{part_of, same_film};
use media::{Film, Look};
use serde_json::json;
use tokio::sync::watch;

use super::Part;
use crate::recode::{Recoding, Tally, each, format, shown};
use crate::{Bar, ExperimentError, Table, Wanted};

/// How copies are made.
const COPIES: &[Recoding] = &[
    Recoding {
        name: "VP9, WebM",
        ending: "webm",
        before: &[],
        after: &["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "400k", "-c:a", "libopus"],
    },
    Recoding {
        name: "half as wide and high",
        ending: "mp4",
        before: &[],
        after: &[
            "-vf",
            "scale=trunc(iw/4)*2:trunc(ih/4)*2",
            "-preset",
            "veryfast",
            "-crf",
            "30",
            "-pix_fmt",
            "yuv420p",
        ],
    },
    Recoding {
        name: "13 frames a second",
        ending: "mkv",
        before: &[],
        after: &["-r", "13", "-preset", "veryfast", "-crf", "28", "-pix_fmt", "yuv420p"],
    },
    Recoding {
        name: "MPEG-4, AVI, no sound",
        ending: "avi",
        before: &[],
        after: &["-c:v", "mpeg4", "-q:v", "8", "-an"],
    },
];

/// Parts of films that last long enough.
pub(crate) const PARTS: &[Recoding] = &[
    Recoding {
        name: "10 s of H.264",
        ending: "mp4",
        before: &["-ss", "3.7", "-t", "10"],
        after: &["-preset", "veryfast", "-crf", "28", "-pix_fmt", "yuv420p"],
    },
    Recoding {
        name: "10 s of VP9, half as wide and high, no sound",
        ending: "webm",
        before: &["-ss", "1.23", "-t", "10"],
        after: &[
            "-an",
            "-c:v",
            "libvpx-vp9",
            "-deadline",
            "realtime",
            "-cpu-used",
            "8",
            "-b:v",
            "300k",
            "-vf",
            "scale=trunc(iw/4)*2:trunc(ih/4)*2",
        ],
    },
];
/// Seconds a film must last to have parts.
pub(crate) const HAS_PARTS: u64 = 14;

struct Original {
    name: String,
    film: Film,
    copies: Vec<Film>,
    parts: Vec<Film>,
}

/// Makes copies and parts of all films, and tells them; nothing when there are none.
pub(super) fn measured(files: &[PathBuf], progress: &watch::Sender<String>) -> Result<Option<Part>, ExperimentError> {
    let is_film = |file: &&PathBuf| format(file).is_ok_and(|format| format.kind == MediaKind::Video);
    let chosen: Vec<&PathBuf> = files.iter().filter(is_film).collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let films = each(&chosen, |nth, file| {
        progress.send_replace(format!("copies of films: {} of {}", nth + 1, chosen.len()));
        original(file, folder.path(), nth)
    });
    let films = films.into_iter().collect::<Result<Vec<Original>, _>>()?;
    let (mut rows, mut mistakes) = (Vec::new(), Vec::new());
    let (mut same, mut parts) = (Tally::default(), Tally::default());
    for (nth, how) in COPIES.iter().enumerate() {
        let is_copy = |copy: &Film, whole: &Film| same_film(whole, copy).is_some();
        let tally = tell(&films, how.name, |film| film.copies.get(nth), is_copy, &mut mistakes);
        rows.push(row(how.name, &tally, candidates(&films, |film| film.copies.get(nth))));
        same.add(tally);
    }
    for (nth, how) in PARTS.iter().enumerate() {
        let is_part = |part: &Film, whole: &Film| part_of(part, whole).is_some();
        let tally = tell(&films, how.name, |film| film.parts.get(nth), is_part, &mut mistakes);
        rows.push(row(how.name, &tally, candidates(&films, |film| film.parts.get(nth))));
        parts.add(tally);
    }
    let told = |tally: &Tally| json!({ "copies": tally.copies, "told": tally.told, "wrong": tally.wrong });
    let figures = json!({ "films": films.len(), "copies": told(&same), "parts": told(&parts) });
    Ok(Some(Part {
        name: "films",
        table: Table { headings: vec!["films", "told", "recall", "precision", "candidates by hashes"], rows },
        bars: vec![
            Bar { what: "recall of copies of films", wanted: Wanted::AtLeast(0.95), got: same.recall() },
            Bar { what: "precision of copies of films", wanted: Wanted::AtLeast(0.99), got: same.precision() },
            Bar { what: "recall of parts of films", wanted: Wanted::AtLeast(0.95), got: parts.recall() },
            Bar { what: "precision of parts of films", wanted: Wanted::AtLeast(0.99), got: parts.precision() },
        ],
        notes: mistakes,
        figures,
    }))
}

fn row(name: &str, tally: &Tally, candidates: Option<f64>) -> Vec<String> {
    let of = format!("{} of {}", tally.told, tally.copies);
    vec![name.to_owned(), of, shown(tally.recall()), shown(tally.precision()), shown(candidates)]
}

fn original(file: &Path, folder: &Path, nth: usize) -> Result<Original, ExperimentError> {
    let made = |how: &Recoding| {
        let copy = folder.join(format!("{nth}-film.{}", how.ending));
        how.make(file, &copy)?;
        let film = described(&copy);
        std::fs::remove_file(&copy)?;
        film
    };
    let film = described(file)?;
    let parts = if film.duration().as_secs() < HAS_PARTS { &[] } else { PARTS };
    let copies = COPIES.iter().map(made).collect::<Result<_, _>>()?;
    let parts = parts.iter().map(made).collect::<Result<_, _>>()?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Original { name, film, copies, parts })
}

fn described(file: &Path) -> Result<Film, ExperimentError> {
    let corpus = |error: decode::DecodeError| ExperimentError::Corpus { path: file.to_owned(), why: error.to_string() };
    decode::film(file, format(file)?, &decode::Limits::default()).map_err(corpus)
}

/// Compares one copy of each film with every original, and lists what was told wrong.
fn tell<'a>(
    films: &'a [Original],
    how: &str,
    copy: impl Fn(&'a Original) -> Option<&'a Film>,
    is_copy: impl Fn(&Film, &Film) -> bool,
    mistakes: &mut Vec<String>,
) -> Tally {
    let mut tally = Tally::default();
    for (mine, film) in films.iter().enumerate() {
        let Some(copy) = copy(film) else { continue };
        for (other, whole) in films.iter().enumerate() {
            let told = is_copy(copy, &whole.film);
            if told != (mine == other) {
                let verdict = if told { "taken for" } else { "not told to be" };
                mistakes.push(format!("{} ({how}) {verdict} {}", film.name, whole.name));
            }
            if mine == other { tally.copy(told) } else { tally.other(told) }
        }
    }
    tally
}

/// The share of copies that have a key frame near one of their original: that is how an index finds
/// it.
fn candidates<'a>(films: &'a [Original], copy: impl Fn(&'a Original) -> Option<&'a Film>) -> Option<f64> {
    let (mut found, mut all) = (0usize, 0u32);
    for (film, copy) in films.iter().filter_map(|film| Some((film, copy(film)?))) {
        let near = |(asked, _): (media::PictureHash, _)| {
            film.film.hashes().any(|(kept, _)| kept.distance(&asked) <= Look::RADIUS)
        };
        found += usize::from(copy.hashes().any(near));
        all += 1;
    }
    (all > 0).then(|| found as f64 / f64::from(all))
}
