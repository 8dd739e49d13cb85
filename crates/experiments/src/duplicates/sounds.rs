//! Sounds told again: after other codecs, at other rates and volumes, and in parts.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use facts::MediaKind;
use media::Sound;
use media::sound::{Signatures, part_of, same_sound};
use serde_json::json;
use tokio::sync::watch;

use super::Part;
use crate::recode::{Recoding, Tally, each, format, shown};
use crate::{Bar, ExperimentError, Table, Wanted};

/// Tracks that are taken of a corpus, evenly.
const TRACKS: usize = 60;
/// Bytes that a track has at least: a jingle of two seconds says nothing of parts.
const BYTES: u64 = 200_000;

/// What is taken for the original: a minute, from where music has begun.
const ORIGINAL: Recoding =
    Recoding { name: "FLAC", ending: "flac", before: &["-t", "60"], after: &["-vn", "-ac", "2", "-ar", "44100"] };

/// How copies are made. The last ones are parts.
const COPIES: &[Recoding] = &[
    Recoding { name: "MP3 96 kbit/s", ending: "mp3", before: &[], after: &["-b:a", "96k"] },
    Recoding { name: "Opus 48 kbit/s", ending: "opus", before: &[], after: &["-c:a", "libopus", "-b:a", "48k"] },
    Recoding { name: "WAV 8 kHz", ending: "wav", before: &[], after: &["-ac", "1", "-ar", "8000"] },
    Recoding {
        name: "AAC 64 kbit/s, a third as loud",
        ending: "m4a",
        before: &[],
        after: &["-b:a", "64k", "-af", "volume=-10dB"],
    },
];
/// Parts of tracks that last long enough.
pub(crate) const PARTS: &[Recoding] = &[
    Recoding {
        name: "10 s, MP3 96 kbit/s",
        ending: "mp3",
        before: &["-ss", "17.3", "-t", "10"],
        after: &["-b:a", "96k"],
    },
    Recoding {
        name: "10 s, Opus 32 kbit/s",
        ending: "opus",
        before: &["-ss", "31.77", "-t", "10"],
        after: &["-c:a", "libopus", "-b:a", "32k"],
    },
];

/// Seconds a track must last to have parts, which are shorter than their whole.
pub(crate) const HAS_PARTS: u64 = 45;

/// A track with its copies and parts.
struct Track {
    original: Sound,
    copies: Vec<Sound>,
    parts: Vec<Sound>,
}

/// Makes copies and parts of some of the sounds, and tells them; nothing when there are none.
pub(super) fn measured(files: &[PathBuf], progress: &watch::Sender<String>) -> Result<Option<Part>, ExperimentError> {
    let is_track = |file: &&PathBuf| {
        format(file).is_ok_and(|format| format.kind == MediaKind::Audio)
            && file.metadata().is_ok_and(|file| file.len() >= BYTES)
    };
    let all: Vec<&PathBuf> = files.iter().filter(is_track).collect();
    let count = all.len().min(TRACKS);
    let chosen: Vec<&PathBuf> = (0..count).filter_map(|nth| all.get(nth * all.len() / count).copied()).collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let folder = tempfile::tempdir()?;
    let tracks = each(&chosen, |nth, file| {
        progress.send_replace(format!("copies of sounds: {} of {count}", nth + 1));
        track(file, folder.path(), nth)
    });
    let tracks = tracks.into_iter().collect::<Result<Vec<Track>, _>>()?;
    let mut rows = Vec::new();
    let (mut same, mut parts) = (Tally::default(), Tally::default());
    for (nth, how) in COPIES.iter().enumerate() {
        let tally = tell(&tracks, |track| track.copies.get(nth), |copy, whole| same_sound(whole, copy).is_some());
        rows.push(row(how.name, &tally, candidates(&tracks, |track| track.copies.get(nth))));
        same.add(tally);
    }
    for (nth, how) in PARTS.iter().enumerate() {
        let tally = tell(&tracks, |track| track.parts.get(nth), |part, whole| part_of(part, whole).is_some());
        rows.push(row(how.name, &tally, candidates(&tracks, |track| track.parts.get(nth))));
        parts.add(tally);
    }
    let ours = ranked(&tracks, Signatures::TimeAndPitch);
    let theirs = ranked(&tracks, Signatures::Strength);
    let nearest = format!(
        "sounds by their three signatures of 100: {:.1} % of copies are nearest to their original by 10 × 10 blocks of \
         time and pitch (the default), {:.1} % by 100 blocks of strength [004 §4.3.1.2]",
        100.0 * ours,
        100.0 * theirs
    );
    let bytes: usize = tracks.iter().map(|track| track.original.to_bytes().len()).sum();
    let told = |tally: &Tally| json!({ "copies": tally.copies, "told": tally.told, "wrong": tally.wrong });
    Ok(Some(Part {
        name: "sounds",
        table: Table { headings: vec!["sounds", "told", "recall", "precision", "candidates by keys"], rows },
        bars: vec![
            Bar { what: "recall of copies of sounds", wanted: Wanted::AtLeast(0.95), got: same.recall() },
            Bar { what: "precision of copies of sounds", wanted: Wanted::AtLeast(0.99), got: same.precision() },
            Bar { what: "recall of parts of sounds", wanted: Wanted::AtLeast(0.95), got: parts.recall() },
            Bar { what: "precision of parts of sounds", wanted: Wanted::AtLeast(0.99), got: parts.precision() },
        ],
        notes: vec![nearest],
        figures: json!({
            "tracks": tracks.len(), "copies": told(&same), "parts": told(&parts), "bytes_a_track": bytes / tracks.len(),
            "nearest_by_time_and_pitch": ours, "nearest_by_strength": theirs,
        }),
    }))
}

fn row(name: &str, tally: &Tally, candidates: f64) -> Vec<String> {
    let of = format!("{} of {}", tally.told, tally.copies);
    vec![name.to_owned(), of, shown(tally.recall()), shown(tally.precision()), shown(Some(candidates))]
}

fn track(file: &Path, folder: &Path, nth: usize) -> Result<Track, ExperimentError> {
    let original = folder.join(format!("{nth}.flac"));
    ORIGINAL.make(file, &original)?;
    let made = |how: &Recoding| {
        let copy = folder.join(format!("{nth}-copy.{}", how.ending));
        how.make(&original, &copy)?;
        let sound = described(&copy);
        std::fs::remove_file(&copy)?;
        sound
    };
    let whole = described(&original)?;
    let parts = if whole.duration().as_secs() < HAS_PARTS { &[] } else { PARTS };
    let copies = COPIES.iter().map(made).collect::<Result<_, _>>()?;
    let parts = parts.iter().map(made).collect::<Result<_, _>>()?;
    std::fs::remove_file(&original)?;
    Ok(Track { original: whole, copies, parts })
}

fn described(file: &Path) -> Result<Sound, ExperimentError> {
    let corpus = |error: decode::DecodeError| ExperimentError::Corpus { path: file.to_owned(), why: error.to_string() };
    decode::sound(file, format(file)?, &decode::Limits::default()).map_err(corpus)
}

/// Compares one copy of each track with every original.
fn tell(
    tracks: &[Track],
    copy: impl Fn(&Track) -> Option<&Sound> + Sync,
    is_copy: impl Fn(&Sound, &Sound) -> bool + Sync,
) -> Tally {
    let tallies = each(tracks, |mine, track| {
        let mut tally = Tally::default();
        let Some(copy) = copy(track) else { return tally };
        for (other, whole) in tracks.iter().enumerate() {
            let told = is_copy(copy, &whole.original);
            if mine == other { tally.copy(told) } else { tally.other(told) }
        }
        tally
    });
    let mut all = Tally::default();
    tallies.into_iter().for_each(|tally| all.add(tally));
    all
}

/// The share of copies whose original is among the ten that have most keys in common with it.
fn candidates<'a>(tracks: &'a [Track], copy: impl Fn(&'a Track) -> Option<&'a Sound>) -> f64 {
    let mut index: HashMap<u32, HashSet<usize>> = HashMap::new();
    for (nth, track) in tracks.iter().enumerate() {
        track.original.keys().for_each(|(key, _)| {
            index.entry(key).or_default().insert(nth);
        });
    }
    let (mut found, mut all) = (0usize, 0u32);
    for (nth, copy) in tracks.iter().enumerate().filter_map(|(nth, track)| Some((nth, copy(track)?))) {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for original in copy.keys().filter_map(|(key, _)| index.get(&key)).flatten() {
            *shared.entry(*original).or_default() += 1;
        }
        let mine = shared.get(&nth).copied().unwrap_or(0);
        let better = shared.values().filter(|keys| **keys > mine).count();
        found += usize::from(mine > 0 && better < 10);
        all += 1;
    }
    found as f64 / f64::from(all.max(1))
}

/// The share of copies that are nearer to their original than to any other.
fn ranked(tracks: &[Track], form: Signatures) -> f64 {
    let (mut first, mut all) = (0, 0);
    for (nth, track) in tracks.iter().enumerate() {
        for copy in &track.copies {
            let far = |of: &Track| of.original.difference(copy, form);
            let mine = far(track);
            let nearest = tracks.iter().enumerate().all(|(other, track)| other == nth || far(track) > mine);
            first += usize::from(nearest);
            all += 1;
        }
    }
    first as f64 / f64::from(all.max(1))
}
