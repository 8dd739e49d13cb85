//! What processes that shared a media directory left there when they were killed: drafts, and files that no row
//! names.
//!
//! Each has a folder for its drafts, named by its number in the shared database, and a note of the files it placed.
//! Whoever comes next clears up after those that are gone by the word of that database. Each also holds its folder
//! locked as long as it lives. On a directory that several machines share a lock tells nothing of the others, so
//! one that is free proves a death only where the folder says that it was made since this machine started; and one
//! that is held says that its owner lives, whatever the database believes.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::StoreError;
use crate::placements::{noted, stays_below};

/// How a note is called, before the name of who wrote it.
const NOTE: &str = ".placed.";

/// How processes are called, before their numbers.
const PROCESS: &str = "worker-";

/// How a folder with copies is called of one who only reads.
pub(super) const COPIES_OF: &str = "copies-";

/// In the folder of a process: which machine it runs on, since it was started.
const MACHINE: &str = "machine";

/// How old the last change is of copies that nobody needs any more. Who reads has no number to ask for.
const FORGOTTEN: Duration = Duration::from_secs(24 * 3600);

/// The name of a process.
pub(super) fn name_of(number: i64) -> String {
    format!("{PROCESS}{number}")
}

/// The note of a process.
pub(super) fn note_of(number: i64) -> String {
    format!("{NOTE}{PROCESS}{number}")
}

/// Says in a folder which machine its owner runs on.
pub(super) fn sign(folder: &Path) -> io::Result<()> {
    machine().map_or(Ok(()), |machine| fs::write(folder.join(MACHINE), machine))
}

/// A number of this machine that is another with each start; containers have that of their machine, and share its
/// locks too.
fn machine() -> Option<String> {
    let number = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(number.trim().to_owned()).filter(|number| !number.is_empty())
}

/// Clears up after processes that are gone, as `gone` says of these numbers. What one of them placed and another one
/// is about to name stays.
pub(super) fn clear(
    root: &Path,
    drafts: &Path,
    own: i64,
    gone: impl Fn(&[i64]) -> Result<Vec<i64>, StoreError>,
    is_named: impl Fn(&str) -> Result<bool, StoreError>,
    remove: impl Fn(&str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let folders = fs::read_dir(drafts).map_err(|error| StoreError::io(drafts, &error))?;
    let number = |name: &str| name.strip_prefix(PROCESS)?.parse::<i64>().ok();
    let numbers = folders.flatten().filter_map(|folder| number(folder.file_name().to_str()?));
    let others: Vec<i64> = numbers.filter(|number| *number != own).collect();
    if others.is_empty() {
        return Ok(());
    }
    let (ended, here) = (gone(&others)?, machine());
    for number in others {
        let folder = drafts.join(name_of(number));
        let Ok(held) = File::open(&folder) else { continue };
        let of_here = || here.is_some() && fs::read_to_string(folder.join(MACHINE)).ok() == here;
        if held.try_lock().is_err() || !(ended.contains(&number) || of_here()) {
            continue;
        }
        let note = root.join(note_of(number));
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
        for gone in [fs::remove_file(&note), fs::remove_dir_all(&folder)] {
            if let Err(error) = gone
                && error.kind() != ErrorKind::NotFound
            {
                tracing::warn!(path = %folder.display(), %error, "what a process left could not be removed");
            }
        }
    }
    Ok(())
}

/// Removes copies that someone left behind who only read.
pub(super) fn clear_copies(drafts: &Path) {
    for entry in fs::read_dir(drafts).into_iter().flatten().flatten() {
        let is_copies = entry.file_name().to_str().is_some_and(|name| name.starts_with(COPIES_OF));
        let changed = || entry.metadata().and_then(|about| about.modified());
        let is_old = || changed().is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > FORGOTTEN));
        if is_copies
            && is_old()
            && File::open(entry.path()).is_ok_and(|held| held.try_lock().is_ok())
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::warn!(path = %entry.path().display(), %error, "copies could not be removed");
        }
    }
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
    use super::super::DRAFTS;
    use super::super::desk::occupy;
    use super::*;

    #[test]
    fn what_the_dead_left_goes_and_what_the_living_place_stays() {
        let dir = crate::scratch::dir();
        let root = dir.path();
        let drafts = root.join(DRAFTS);
        let folder = |number: i64| drafts.join(name_of(number));
        fs::create_dir_all(folder(1)).unwrap();
        fs::create_dir_all(folder(2)).unwrap();
        fs::write(folder(2).join("7"), "half").unwrap();
        for name in ["a", "b", "c", "d"] {
            fs::write(root.join(name), name).unwrap();
        }
        fs::write(root.join(note_of(1)), "a\nb\n").unwrap();
        fs::write(root.join(note_of(2)), "b\nc\nd\n../outside\n").unwrap();
        let clear = |gone: &[i64]| {
            let remove = |placed: &str| crate::placements::remove(&root.join(placed));
            let gone = |of: &[i64]| Ok(gone.iter().copied().filter(|number| of.contains(number)).collect());
            clear(root, &drafts, 3, gone, |placed| Ok(placed == "d"), remove).unwrap();
        };
        let there = |name: &str| root.join(name).exists();
        clear(&[]);
        assert!(there("c") && folder(2).join("7").exists(), "on another machine its owner lives, which no lock tells");
        let lives = occupy(&folder(2)).unwrap();
        clear(&[2]);
        assert!(there("c"), "its owner lives here, whatever others believe");
        drop(lives);
        clear(&[2]);
        assert!(there("a") && there("b") && !there("c") && there("d"));
        assert!(!root.join(note_of(2)).exists() && !folder(2).exists() && folder(1).exists());
        sign(&folder(1)).unwrap();
        clear(&[]);
        assert!(!there("a") && !there("b") && there("d") && !folder(1).exists(), "of this machine, and nobody's");
    }

    #[test]
    fn copies_of_readers_go_when_nobody_needs_them() {
        let dir = crate::scratch::dir();
        let copies = |name: &str| {
            let folder = dir.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("1.jpg"), "x").unwrap();
            folder
        };
        let age = |folder: &Path| {
            let then = SystemTime::now() - FORGOTTEN - Duration::from_secs(60);
            File::open(folder).unwrap().set_modified(then).unwrap();
        };
        let (fresh, held, old) = (copies("copies-1"), copies("copies-2"), copies("copies-3"));
        let _reads = occupy(&held).unwrap();
        age(&held);
        age(&old);
        clear_copies(dir.path());
        assert!(fresh.exists() && held.exists() && !old.exists());
    }
}
