//! What processes that shared a media directory left there when they were killed: drafts, and files that no row
//! names.
//!
//! Each has a folder for its drafts, which it holds locked as long as it lives, and a note of the files it placed.
//! Whoever comes next and finds a folder that nobody holds clears up after its owner.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::StoreError;
use crate::placements::{noted, stays_below};

/// How a note is called, before the name of who wrote it.
const NOTE: &str = ".placed.";

/// Where the folders for drafts are.
const DRAFTS: &str = ".tmp";

/// How processes are called, before their numbers.
const PROCESS: &str = "worker-";

/// The name of a process.
pub(super) fn name_of(number: i64) -> String {
    format!("{PROCESS}{number}")
}

/// The note of a process.
pub(super) fn note_of(name: &str) -> String {
    format!("{NOTE}{name}")
}

/// Makes and holds the folder for the drafts of a process.
pub(super) fn occupy(folder: &Path) -> io::Result<File> {
    loop {
        fs::create_dir_all(folder)?;
        let held = match File::open(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            held => held?,
        };
        held.lock()?;
        // Someone may have taken it for one that was left, before it was held.
        if fs::metadata(folder).is_ok_and(|there| held.metadata().is_ok_and(|held| held.ino() == there.ino())) {
            return Ok(held);
        }
    }
}

/// Clears up after processes that are gone. What one of them placed and another one is about to name stays.
pub(super) fn clear(
    root: &Path,
    is_named: impl Fn(&str) -> Result<bool, StoreError>,
    remove: impl Fn(&str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let drafts = root.join(DRAFTS);
    let folders = fs::read_dir(&drafts).map_err(|error| StoreError::io(&drafts, &error))?;
    for folder in folders.flatten() {
        let Ok(name) = folder.file_name().into_string() else { continue };
        if !name.starts_with(PROCESS) {
            continue;
        }
        let Ok(held) = File::open(folder.path()) else { continue };
        if held.try_lock().is_err() {
            continue;
        }
        let note = root.join(note_of(&name));
        let (left, placing) = (noted(&note)?, noted_by_others(root, &note)?);
        let mut stuck = false;
        for placed in left.iter().filter(|placed| stays_below(placed) && !placing.contains(*placed)) {
            if !is_named(placed)?
                && let Err(error) = remove(placed)
            {
                tracing::warn!(%error, "a file that nothing names could not be removed");
                stuck = true;
            }
        }
        if stuck {
            continue;
        }
        for gone in [fs::remove_file(&note), fs::remove_dir_all(folder.path())] {
            if let Err(error) = gone
                && error.kind() != ErrorKind::NotFound
            {
                tracing::warn!(path = %folder.path().display(), %error, "what a process left could not be removed");
            }
        }
    }
    Ok(())
}

/// What all notes say but for one.
fn noted_by_others(root: &Path, one: &Path) -> Result<HashSet<String>, StoreError> {
    let mut placing = HashSet::new();
    let entries = fs::read_dir(root).map_err(|error| StoreError::io(root, &error))?;
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(NOTE) && entry.path() != one {
            placing.extend(noted(&entry.path())?);
        }
    }
    Ok(placing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_dead_left_goes_and_what_the_living_place_stays() {
        let dir = crate::scratch::dir();
        let root = dir.path();
        let lives = occupy(&root.join(DRAFTS).join("worker-1")).unwrap();
        let dead = occupy(&root.join(DRAFTS).join("worker-2")).unwrap();
        fs::write(root.join(DRAFTS).join("worker-2/7"), "half").unwrap();
        for name in ["a", "b", "c", "d"] {
            fs::write(root.join(name), name).unwrap();
        }
        fs::write(root.join(".placed.worker-1"), "a\nb\n").unwrap();
        fs::write(root.join(".placed.worker-2"), "b\nc\nd\n../outside\n").unwrap();
        let clear = || {
            let remove = |placed: &str| crate::placements::remove(&root.join(placed));
            clear(root, |placed| Ok(placed == "d"), remove).unwrap();
        };
        let there = |name: &str| root.join(name).exists();
        clear();
        assert!(there("c"), "its owner lives");
        drop(dead);
        clear();
        assert!(there("a") && there("b") && !there("c") && there("d"));
        assert!(!there(".placed.worker-2") && !there(".tmp/worker-2") && there(".tmp/worker-1"));
        drop(lives);
        clear();
        assert!(!there("a") && !there("b") && there("d") && !there(".tmp/worker-1"));
    }
}
