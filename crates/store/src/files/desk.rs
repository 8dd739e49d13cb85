//! Where a process writes what is on its way: drafts, and copies of what is in a bucket.
//!
//! Of several processes that share a directory each has a folder of its own, named by its number in the shared
//! database. One that was taken for dead has another number afterwards, and so another folder: others may have
//! cleared up the old one.

use std::fmt;
use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::left_behind::{self, COPIES_OF};

/// The number of a process that shares a database, at this moment.
pub(crate) type Number = Arc<dyn Fn() -> i64 + Send + Sync>;

/// A folder for what is on its way.
pub(super) struct Desk {
    drafts: PathBuf,
    owner: Owner,
}

enum Owner {
    /// The one who writes to a data directory.
    Alone,
    /// One of several, with the folders it has had.
    Worker(Number, Mutex<Vec<(i64, File)>>),
    /// One who only reads, and has no number: its folder is made when it needs one.
    Reader(Mutex<Option<(PathBuf, File)>>),
}

impl Desk {
    /// That of the one writer, without what a killed one left there.
    pub fn alone(drafts: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&drafts)?;
        sweep(&drafts)?;
        Ok(Self { drafts, owner: Owner::Alone })
    }

    /// That of one of several processes.
    pub fn of_worker(drafts: PathBuf, number: Number) -> Self {
        Self { drafts, owner: Owner::Worker(number, Mutex::default()) }
    }

    /// That of one who only reads.
    pub fn of_reader(drafts: PathBuf) -> Self {
        Self { drafts, owner: Owner::Reader(Mutex::default()) }
    }

    /// The directory that everybody's folders are in.
    pub fn drafts(&self) -> &Path {
        &self.drafts
    }

    /// The number of this process, if it has one.
    pub fn number(&self) -> Option<i64> {
        match &self.owner {
            Owner::Worker(number, _) => Some(number()),
            Owner::Alone | Owner::Reader(_) => None,
        }
    }

    /// The folder, which is made where it is missing.
    pub fn folder(&self) -> io::Result<PathBuf> {
        match &self.owner {
            Owner::Alone => Ok(self.drafts.clone()),
            Owner::Worker(number, held) => {
                let number = number();
                let folder = self.drafts.join(left_behind::name_of(number));
                let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                if held.last().is_none_or(|(last, _)| *last != number) || !folder.is_dir() {
                    let occupied = occupy(&folder)?;
                    sweep(&folder)?;
                    left_behind::sign(&folder)?;
                    // Those before stay held: what was begun there may still be written.
                    held.push((number, occupied));
                }
                Ok(folder)
            }
            Owner::Reader(held) => {
                let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some((folder, _)) = held.as_ref().filter(|(folder, _)| folder.is_dir()) {
                    return Ok(folder.clone());
                }
                let name = format!("{COPIES_OF}{:016x}", RandomState::new().hash_one(std::process::id()));
                let folder = self.drafts.join(name);
                *held = Some((folder.clone(), occupy(&folder)?));
                Ok(folder)
            }
        }
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("drafts", &self.drafts).field("number", &self.number()).finish()
    }
}

impl Drop for Desk {
    /// Copies go when whoever needed them is done: what is left of a reader is an empty folder.
    fn drop(&mut self) {
        if let Owner::Reader(held) = &self.owner
            && let Some((folder, _)) = held.lock().unwrap_or_else(PoisonError::into_inner).take()
        {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Makes and holds a folder.
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

/// Removes files; folders in it are those of others.
fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    #[test]
    fn who_was_taken_for_dead_goes_on_in_another_folder() {
        let dir = crate::scratch::dir();
        let number = Arc::new(AtomicI64::new(7));
        let now = Arc::clone(&number);
        let desk = Desk::of_worker(dir.path().to_owned(), Arc::new(move || now.load(Ordering::Relaxed)));
        let first = desk.folder().unwrap();
        assert_eq!((desk.folder().unwrap(), first.file_name().unwrap().to_str()), (first.clone(), Some("worker-7")));
        // Others cleared up, and it does not know yet.
        fs::remove_dir_all(&first).unwrap();
        assert!(desk.folder().unwrap() == first && first.is_dir());
        number.store(9, Ordering::Relaxed);
        let second = desk.folder().unwrap();
        assert!(second.ends_with("worker-9") && second.is_dir() && first.is_dir());
    }

    #[test]
    fn who_only_reads_leaves_no_folder() {
        let dir = crate::scratch::dir();
        let (one, other) = (Desk::of_reader(dir.path().to_owned()), Desk::of_reader(dir.path().to_owned()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        assert!(one.folder().unwrap() == one.folder().unwrap() && one.folder().unwrap() != other.folder().unwrap());
        drop((one, other));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
