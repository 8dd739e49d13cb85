//! Kept files moved to where they are wanted, each looked at before it is believed.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{Idle, MoveProgress, Moved, MovedPart};
use crate::files::DRAFTS;
use crate::placements::stays_below;
use crate::tables::moving::{KeptFile, files};
use crate::tables::{MEDIA_HOME, moving as tables};
use crate::{Shelf, StoreError};

/// Files that are on their way at once.
const AT_ONCE: usize = 8;

/// What came of a file and its thumbnail.
#[derive(Default)]
struct Arrived {
    count: u64,
    brought: u64,
}

/// Moves files; gives where they are then, if not in the data directory.
pub(super) fn move_files(
    from: &Idle,
    to: &Idle,
    media: Option<&str>,
    moved: &mut Moved,
    told: &mut dyn FnMut(MoveProgress),
) -> Result<Option<String>, StoreError> {
    let old = tables::setting(&from.connections, MEDIA_HOME)?;
    let old = old.and_then(|old| serde_json::from_str::<String>(&old).ok());
    let source = from.shelf()?;
    let home = match media {
        // A data directory has its files in it, unless they were kept elsewhere.
        None if old.is_none() && to.is_directory() => None,
        // They stay.
        None => return Ok(old),
        Some(given) => Shelf::home(&to.dir, given),
    };
    let target = Shelf::at(&to.dir, home.as_deref())?;
    if source.base() == target.base() {
        return Ok(home);
    }
    target.check(Duration::ZERO)?;
    let scratch = target.root(&to.dir).join(DRAFTS);
    fs::create_dir_all(&scratch).map_err(|error| StoreError::io(&scratch, &error))?;
    let (mut all, mut hash, mut after) = (Arrived::default(), Sha256::new(), 0);
    loop {
        let some = files(&from.connections, after)?;
        let Some(last) = some.last() else { break };
        after = last.0;
        some.iter().for_each(|file| hash.update(file.1));
        let arrived = move_some(&source, &target, &scratch, &some)?;
        all.count += arrived.count;
        all.brought += arrived.brought;
        told(MoveProgress { part: "files".into(), count: all.count });
    }
    let hash: [u8; 32] = hash.finalize().into();
    moved.parts.push(MovedPart {
        name: "files".into(),
        count: all.count,
        brought: all.brought,
        hash: hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect(),
    });
    Ok(home)
}

/// Moves some files, several at once.
fn move_some(source: &Shelf, target: &Shelf, scratch: &Path, some: &[KeptFile]) -> Result<Arrived, StoreError> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Ok(Arrived::default())));
    thread::scope(|scope| {
        for worker in 0..AT_ONCE.min(some.len()) {
            let (next, done) = (&next, &done);
            scope.spawn(move || {
                while let Some(file) = some.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let draft = scratch.join(format!("moving-{}-{worker}", std::process::id()));
                    let arrived = move_one(source, target, &draft, file);
                    let _ = fs::remove_file(&draft);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    match (&mut *done, arrived) {
                        (Ok(done), Ok(arrived)) => {
                            done.count += arrived.count;
                            done.brought += arrived.brought;
                        }
                        (Ok(_), Err(error)) => {
                            *done = Err(error);
                            return;
                        }
                        (Err(_), _) => return,
                    }
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn move_one(source: &Shelf, target: &Shelf, draft: &Path, file: &KeptFile) -> Result<Arrived, StoreError> {
    let (_, sha256, size, name, thumbnail) = file;
    let mut arrived = Arrived::default();
    // One that was imported where it is stays there.
    if stays_below(name) {
        arrived.count += 1;
        if !target.has(name, size.unsigned_abs())? {
            let local = source.local(name)?;
            let (copied, hash) = copy(&local, draft)?;
            if hash != *sha256 || copied != size.unsigned_abs() {
                let reason = "it is not what the library says it is: restore it from a backup, or forget it".into();
                return Err(StoreError::Damaged { path: source.base().join(name), reason });
            }
            target.put(draft, name)?;
            arrived.brought += 1;
        }
    }
    if let Some(name) = thumbnail.as_ref().filter(|name| stays_below(name)) {
        arrived.count += 1;
        // A thumbnail can be made again: one that is gone keeps nobody from moving.
        let local = match source.local(name) {
            Ok(local) if local.exists() => local,
            Ok(_) => return Ok(arrived),
            Err(StoreError::Bucket(error)) if error.is_missing() => return Ok(arrived),
            Err(error) => return Err(error),
        };
        let size = fs::metadata(&*local).map_err(|error| StoreError::io(&local, &error))?.len();
        if !target.has(name, size)? {
            copy(&local, draft)?;
            target.put(draft, name)?;
            arrived.brought += 1;
        }
    }
    Ok(arrived)
}

/// Copies a file; gives its size and hash.
fn copy(from: &Path, to: &Path) -> Result<(u64, [u8; 32]), StoreError> {
    use std::io::{Read, Write};
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| StoreError::io(&path, &error)
    };
    let mut source = fs::File::open(from).map_err(failed(from))?;
    let mut target = fs::File::create(to).map_err(failed(to))?;
    let (mut hash, mut size, mut piece) = (Sha256::new(), 0, vec![0; 256 << 10]);
    loop {
        let read = source.read(&mut piece).map_err(failed(from))?;
        let Some(some) = piece.get(..read).filter(|some| !some.is_empty()) else { break };
        hash.update(some);
        size += read as u64;
        target.write_all(some).map_err(failed(to))?;
    }
    target.sync_all().map_err(failed(to))?;
    Ok((size, hash.finalize().into()))
}
