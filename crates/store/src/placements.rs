//! Files that are in their place and that no row of the library names yet.
//!
//! A file is placed before its visit is written. When the process is killed in between, the next
//! visit may find the same content under another host and place it there: the first file would
//! stay for ever, named by nothing. So each placement is noted before it is made, and what a
//! killed process left without a row is removed when the directory is opened again.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Lines after which the note is written anew.
const LONGEST: usize = 4_096;

/// The note of files without a row.
#[derive(Debug)]
pub(crate) struct Placements {
    path: PathBuf,
    note: File,
    lines: usize,
    pending: HashSet<String>,
}

impl Placements {
    /// Removes, as `remove` does it, what a killed process placed and `is_named` does not know. The note
    /// is below `root`.
    pub fn open(
        root: &Path,
        note: &str,
        is_named: impl Fn(&str) -> Result<bool, StoreError>,
        remove: impl Fn(&str) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let path = root.join(note);
        let mut stuck = Vec::new();
        for placed in noted(&path)? {
            if stays_below(&placed)
                && !is_named(&placed)?
                && let Err(error) = remove(&placed)
            {
                tracing::warn!(%error, "a file that nothing names could not be removed");
                stuck.push(placed);
            }
        }
        let note = File::create(&path).map_err(|error| StoreError::io(&path, &error))?;
        let mut placements = Self { path, note, lines: 0, pending: HashSet::new() };
        stuck.iter().try_for_each(|placed| placements.note(placed))?;
        Ok(placements)
    }

    /// A file is about to be placed.
    pub fn note(&mut self, placed: &str) -> Result<(), StoreError> {
        let written = self.note.write_all(format!("{placed}\n").as_bytes());
        written.map_err(|error| StoreError::io(&self.path, &error))?;
        self.lines += 1;
        self.pending.insert(placed.to_owned());
        Ok(())
    }

    /// Whether a file was placed here and no row names it yet.
    pub fn waits(&self, placed: &str) -> bool {
        self.pending.contains(placed)
    }

    /// Rows of the library name these files now.
    pub fn named<'a>(&mut self, placed: impl IntoIterator<Item = &'a str>) -> Result<(), StoreError> {
        for placed in placed {
            self.pending.remove(placed);
        }
        if self.lines < LONGEST.max(2 * self.pending.len()) {
            return Ok(());
        }
        self.rewrite()
    }

    /// Goes on with another note, in the place of the one so far.
    pub fn go_on_at(&mut self, note: PathBuf) -> Result<(), StoreError> {
        let before = std::mem::replace(&mut self.path, note);
        self.rewrite()?;
        remove(&before)
    }

    fn rewrite(&mut self) -> Result<(), StoreError> {
        // Beside the note, and with its whole name: several processes have notes here.
        let mut fresh = self.path.clone().into_os_string();
        fresh.push(".new");
        let fresh = PathBuf::from(fresh);
        let rewrite = || {
            let mut note = File::create(&fresh)?;
            for placed in &self.pending {
                writeln!(note, "{placed}")?;
            }
            fs::rename(&fresh, &self.path)?;
            Ok(note)
        };
        self.note = rewrite().map_err(|error| StoreError::io(&fresh, &error))?;
        self.lines = self.pending.len();
        Ok(())
    }
}

/// What a note says; nothing where there is none.
pub(crate) fn noted(note: &Path) -> Result<Vec<String>, StoreError> {
    let text = match fs::read_to_string(note) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(StoreError::io(note, &error)),
    };
    // A line without its end was being written when the process died: its file was not placed.
    Ok(text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(str::to_owned).collect())
}

/// A damaged note must not lead anywhere else.
pub(crate) fn stays_below(placed: &str) -> bool {
    !placed.is_empty() && Path::new(placed).components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

pub(crate) fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(StoreError::io(path, &error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(root: &Path, is_named: impl Fn(&str) -> Result<bool, StoreError>) -> Placements {
        Placements::open(root, ".placed", is_named, |placed| remove(&root.join(placed))).unwrap()
    }

    fn place(root: &Path, placements: &mut Placements, name: &str) {
        placements.note(name).unwrap();
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), name).unwrap();
    }

    #[test]
    fn files_of_a_killed_process_without_a_row_are_removed() {
        let dir = crate::scratch::dir();
        let root = dir.path();
        fs::write(root.join("kept-before"), "x").unwrap();
        let mut placements = open(root, |_| Ok(true));
        for name in ["a/1.jpg", "a/2.jpg", "b/3.jpg"] {
            place(root, &mut placements, name);
        }
        drop(placements);
        fs::write(root.join("outside"), "x").unwrap();
        let note = root.join(".placed");
        let damaged = format!("{}../outside\n/outside\na/1.jp", fs::read_to_string(&note).unwrap());
        fs::write(&note, damaged).unwrap();

        open(root, |placed| Ok(placed == "a/2.jpg"));
        let there = |name: &str| root.join(name).exists();
        assert!(there("a/2.jpg") && there("kept-before") && there("outside"));
        assert!(!there("a/1.jpg") && !there("b/3.jpg"));
    }

    #[test]
    fn notes_of_several_processes_are_written_anew_side_by_side() {
        let dir = crate::scratch::dir();
        let note = |name: &str| Placements::open(dir.path(), name, |_| Ok(true), |_| Ok(())).unwrap();
        let [mut one, mut two] = [".placed.worker-1", ".placed.worker-2"].map(note);
        one.note("of one").unwrap();
        two.note("of two").unwrap();
        std::thread::scope(|scope| {
            for notes in [&mut one, &mut two] {
                scope.spawn(|| {
                    for number in 0..4 * LONGEST {
                        let name = number.to_string();
                        notes.note(&name).unwrap();
                        notes.named([name.as_str()]).unwrap();
                    }
                });
            }
        });
        assert_eq!(noted(&dir.path().join(".placed.worker-1")).unwrap()[0], "of one");
        assert_eq!(noted(&dir.path().join(".placed.worker-2")).unwrap()[0], "of two");
    }

    #[test]
    fn what_has_no_row_is_told_by_the_next_note_too() {
        let dir = crate::scratch::dir();
        let mut placements = open(dir.path(), |_| Ok(true));
        placements.note("waits.jpg").unwrap();
        placements.note("named.jpg").unwrap();
        placements.named(["named.jpg"]).unwrap();
        placements.go_on_at(dir.path().join(".placed.worker-2")).unwrap();
        placements.note("later.jpg").unwrap();
        let mut told = noted(&dir.path().join(".placed.worker-2")).unwrap();
        told.sort();
        assert_eq!(told, ["later.jpg", "waits.jpg"]);
        assert!(!dir.path().join(".placed").exists());
    }

    #[test]
    fn the_note_stays_short_and_keeps_what_has_no_row() {
        let dir = crate::scratch::dir();
        let mut placements = open(dir.path(), |_| Ok(true));
        place(dir.path(), &mut placements, "waits.jpg");
        for number in 0..3 * LONGEST {
            let name = format!("{number}.jpg");
            placements.note(&name).unwrap();
            placements.named([name.as_str()]).unwrap();
        }
        let noted = fs::read_to_string(dir.path().join(".placed")).unwrap();
        assert!(noted.lines().count() <= LONGEST);
        drop(placements);
        open(dir.path(), |_| Ok(false));
        assert!(!dir.path().join("waits.jpg").exists());
    }
}
