//! Kept files: `media/<host>/<2 hex>/<sha256>.<extension>`, and beside each its thumbnail,
//! `<sha256>.thumb.jpg`; those of files that were imported where they are in `media/imported/`. In a
//! bucket their names are the same, and what is on its way there is in the media directory.
//!
//! A file is written to `media/.tmp` and renamed to its place: a half-written file is never visible.
//! It is made safe on disk before a row of the library names it, together with the others of its
//! batch: one by one, that would cost more than fetching them. What a power failure leaves without a
//! row is removed at the next open, and never trusted. A library may have another directory than `media/`.

mod desk;
mod left_behind;
mod shelf;

use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use facts::{HostName, MediaId};
use lru::LruCache;
use sha2::{Digest, Sha256};

use self::desk::Desk;
pub(crate) use self::desk::Number;
pub use self::shelf::{LocalFile, OpenedFile, Shelf};

use crate::StoreError;
use crate::placements::{Placements, stays_below};

/// The folder of a media directory with what is on its way to its place.
pub(crate) const DRAFTS: &str = ".tmp";

/// Files placed lately, which the library may not know yet.
const LATELY: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();

/// From so many files on, it costs less to make everything on their disk safe than each of them.
const MANY: usize = 4;

/// Longest directory name made of a host (file systems end at 255 bytes).
const LONGEST_HOST: usize = 200;

/// The media directory.
#[derive(Clone, Debug)]
pub struct Files(Arc<Directory>);

#[derive(Debug)]
struct Directory {
    root: PathBuf,
    shelf: Shelf,
    /// Where files are written before they are put in their place.
    desk: Arc<Desk>,
    drafts: AtomicU64,
    places: Mutex<Places>,
}

/// Which content is where, as far as the library may not know it yet.
#[derive(Debug)]
struct Places {
    lately: LruCache<MediaId, String>,
    unnamed: Placements,
    /// The number under which they are noted, where others place files too.
    noted_by: Option<i64>,
    /// Files in their place that may not be on the disk itself yet, with the directories that
    /// changed with them.
    unsynced: HashMap<String, Vec<PathBuf>>,
    /// Whether files were removed: one that a visit on its way counts on may have gone.
    removed: bool,
    /// Whether others may remove files too.
    shared: bool,
}

/// What a process knows of the others that share a directory with it.
pub(crate) struct Among<'a> {
    /// Its own number.
    pub number: Number,
    /// Which of these numbers are of processes that are gone.
    pub gone: Gone<'a>,
}

/// Says which of some processes are gone.
type Gone<'a> = &'a dyn Fn(&[i64]) -> Result<Vec<i64>, StoreError>;

/// The files that a row of the library names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    pub path: String,
    pub thumbnail: Option<String>,
}

impl Names {
    pub fn name(&self, path: &str) -> bool {
        self.path == path || self.thumbnail.as_deref() == Some(path)
    }
}

/// A file in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// SHA-256 of its bytes.
    pub id: MediaId,
    /// Bytes.
    pub size: u64,
    /// Where it is, relative to the media directory or the bucket.
    pub path: String,
}

impl Files {
    /// Opens the media directory and removes what a crash left half written, or without a row that
    /// names it; `names_of` gives what the library has for some content. Files go to the shelf, which may be the
    /// directory.
    pub(crate) fn open(
        root: PathBuf,
        shelf: Shelf,
        among: Option<Among<'_>>,
        names_of: impl Fn(MediaId) -> Result<Option<Names>, StoreError>,
    ) -> Result<Self, StoreError> {
        let drafts = root.join(DRAFTS);
        let failed = |error: std::io::Error| StoreError::io(&drafts, &error);
        let desk = match &among {
            None => Desk::alone(drafts.clone()).map_err(failed)?,
            Some(among) => Desk::of_worker(drafts.clone(), Arc::clone(&among.number)),
        };
        desk.folder().map_err(failed)?;
        let desk = Arc::new(desk);
        left_behind::clear_copies(&drafts);
        let (shelf, noted_by) = (shelf.copying_to(&desk), desk.number());
        let note = noted_by.map_or_else(|| ".placed".into(), left_behind::note_of);
        let (is_named, remove) = (|placed: &str| is_named(placed, &names_of), |placed: &str| shelf.remove(placed));
        let unnamed = Placements::open(&root, &note, is_named, remove)?;
        if let (Some(among), Some(own)) = (&among, noted_by) {
            left_behind::clear(&root, &drafts, own, among.gone, is_named, remove)?;
        }
        let (lately, unsynced, shared) = (LruCache::new(LATELY), HashMap::new(), among.is_some());
        let places = Mutex::new(Places { lately, unnamed, noted_by, unsynced, removed: false, shared });
        Ok(Self(Arc::new(Directory { root, shelf, desk, drafts: AtomicU64::new(0), places })))
    }

    /// The media directory of this machine.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Where files end up.
    pub fn shelf(&self) -> &Shelf {
        &self.0.shelf
    }

    /// Starts a file of this host. Blocking, as is all that a draft does: for threads made for it.
    pub fn draft(&self, host: &HostName) -> Result<FileDraft, StoreError> {
        let path = self.draft_path()?;
        let file = File::create_new(&path).map_err(|error| StoreError::io(&path, &error))?;
        Ok(FileDraft { files: self.clone(), file, path, host: directory_of(host), hash: Sha256::new(), size: 0 })
    }

    /// Where content was placed lately.
    pub(crate) fn lately(&self, id: &MediaId) -> Option<String> {
        self.places().lately.get(id).cloned()
    }

    /// Rows of the library name these files now.
    pub(crate) fn named<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Result<(), StoreError> {
        self.places().unnamed.named(paths)
    }

    /// Puts the thumbnail of a file in its place: beside the file, or among those of imported files
    /// when the file is elsewhere. Blocking.
    ///
    /// It is not made safe on disk as files are: one that a power failure spoils can be made again.
    pub fn place_thumbnail(&self, for_path: &str, id: MediaId, jpeg: &[u8]) -> Result<String, StoreError> {
        let hex = id.to_string();
        let directory = match for_path.rsplit_once('/') {
            Some((directory, _)) if stays_below(for_path) => directory.to_owned(),
            _ => format!("imported/{}", &hex[..2]),
        };
        let path = format!("{directory}/{hex}.thumb.jpg");
        if self.0.shelf.is_bucket() || !self.0.root.join(&path).exists() {
            self.note(&mut self.places(), &path)?;
        }
        let draft = self.draft_path()?;
        let written = fs::write(&draft, jpeg).map_err(|error| StoreError::io(&draft, &error));
        let placed = written.and_then(|()| self.0.shelf.put(&draft, &path));
        let _ = fs::remove_file(&draft);
        placed.map(|_| path)
    }

    /// Removes a file that no row names any more; `names_of` gives what the library has for some
    /// content.
    pub(crate) fn remove(
        &self,
        path: &str,
        names_of: impl Fn(MediaId) -> Result<Option<Names>, StoreError>,
    ) -> Result<(), StoreError> {
        if !stays_below(path) || is_named(path, names_of)? {
            return Ok(());
        }
        let mut places = self.places();
        places.removed = true;
        if let Some(id) = content_of(path) {
            places.lately.pop(&id);
        }
        // A bucket takes its time; one in a directory must not come back in between.
        let places = (!self.0.shelf.is_bucket()).then_some(places);
        let removed = self.0.shelf.remove(path);
        drop(places);
        removed.map_err(|error| match error {
            StoreError::NotWritable { path, reason } | StoreError::Io { path, reason } => {
                StoreError::NotRemoved { path, reason }
            }
            other => other,
        })
    }

    /// Which of these files that were placed here have been removed since. Blocking.
    pub(crate) fn gone<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Result<Vec<String>, StoreError> {
        let doubtful: Vec<String> = {
            let places = self.places();
            let may_have = |path: &str| places.removed || (places.shared && places.unnamed.waits(path));
            paths.into_iter().filter(|path| stays_below(path) && may_have(path)).map(str::to_owned).collect()
        };
        self.0.shelf.missing(doubtful)
    }

    fn draft_path(&self) -> Result<PathBuf, StoreError> {
        let folder = self.0.desk.folder().map_err(|error| StoreError::io(self.0.desk.drafts(), &error))?;
        Ok(folder.join(self.0.drafts.fetch_add(1, Ordering::Relaxed).to_string()))
    }

    /// Notes a file that is about to be placed. One who was taken for dead goes on with a note of its new number:
    /// whoever cleared up after the old one took its note along.
    fn note(&self, places: &mut Places, placed: &str) -> Result<(), StoreError> {
        let number = self.0.desk.number();
        if let Some(now) = number.filter(|_| number != places.noted_by) {
            // Notes are found by the folders of those who wrote them.
            self.0.desk.folder().map_err(|error| StoreError::io(self.0.desk.drafts(), &error))?;
            places.unnamed.go_on_at(self.0.root.join(left_behind::note_of(now)))?;
            places.noted_by = number;
        }
        places.unnamed.note(placed)
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file being written; removed when dropped before it is finished.
#[derive(Debug)]
pub struct FileDraft {
    files: Files,
    file: File,
    path: PathBuf,
    host: String,
    hash: Sha256,
    size: u64,
}

impl FileDraft {
    /// Appends bytes.
    pub fn write(&mut self, chunk: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(chunk).map_err(|error| StoreError::io(&self.path, &error))?;
        self.hash.update(chunk);
        self.size += chunk.len() as u64;
        Ok(())
    }

    /// All bytes so far.
    pub fn read(&self) -> Result<Vec<u8>, StoreError> {
        fs::read(&self.path).map_err(|error| StoreError::io(&self.path, &error))
    }

    /// Reads what was written so far.
    pub fn with_file<T>(&self, read: impl FnOnce(&mut File) -> std::io::Result<T>) -> Result<T, StoreError> {
        File::open(&self.path).and_then(|mut file| read(&mut file)).map_err(|error| StoreError::io(&self.path, &error))
    }

    /// Bytes so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// SHA-256 of the bytes so far.
    pub fn id(&self) -> MediaId {
        MediaId::from_sha256(self.hash.clone().finalize().into())
    }

    /// Puts the file in its place, under its host, named by its content.
    /// [`Store::keep`](crate::Store::keep) also looks whether another host gave the same content.
    pub fn finish(self, extension: &str) -> Result<StoredFile, StoreError> {
        let id = self.id();
        let hex = id.to_string();
        let path = format!("{}/{}/{hex}.{}", self.host, &hex[..2], safe_extension(extension));
        let (path, known) = self.files.settle(id, path)?;
        self.place_at(id, path, known)
    }

    /// Puts the file where a row has its content, unless it is there.
    pub(crate) fn place(self, path: String) -> Result<StoredFile, StoreError> {
        let id = self.id();
        if !self.files.0.shelf.has(&path, self.size)? {
            self.files.note(&mut self.files.places(), &path)?;
        }
        self.place_at(id, path, true)
    }

    /// A file that nothing vouches for is replaced, also when it has the right name and size.
    fn place_at(self, id: MediaId, path: String, trusted: bool) -> Result<StoredFile, StoreError> {
        let shelf = &self.files.0.shelf;
        if !trusted || !shelf.has(&path, self.size)? {
            let changed = shelf.put(&self.path, &path)?;
            if !shelf.is_bucket() {
                self.files.places().unsynced.insert(path.clone(), changed);
            }
        }
        Ok(StoredFile { id, size: self.size, path })
    }
}

impl Files {
    /// Where content goes, and whether this process put it there: of two visits that bring the same
    /// at once, both put it where the first one says. Noted as without a row.
    fn settle(&self, id: MediaId, path: String) -> Result<(String, bool), StoreError> {
        let mut places = self.places();
        if let Some(settled) = places.lately.get(&id) {
            return Ok((settled.clone(), true));
        }
        self.note(&mut places, &path)?;
        places.lately.put(id, path.clone());
        Ok((path, false))
    }

    /// Makes files safe on disk that are about to be named. Blocking.
    pub(crate) fn make_safe<'a>(&self, paths: impl IntoIterator<Item = &'a str>) -> Result<(), StoreError> {
        let unsynced: Vec<(String, Vec<PathBuf>)> = {
            let mut places = self.places();
            paths.into_iter().filter_map(|path| places.unsynced.remove_entry(path)).collect()
        };
        let sync = || {
            if unsynced.len() >= MANY {
                return Ok(rustix::fs::syncfs(File::open(&self.0.root)?)?);
            }
            // A name is safe once its directory is; a new directory once the one above it is.
            let directories: BTreeSet<&PathBuf> = unsynced.iter().flat_map(|(_, changed)| changed).collect();
            let files = unsynced.iter().map(|(path, _)| self.0.root.join(path));
            files.chain(directories.into_iter().cloned()).try_for_each(|path| File::open(path)?.sync_all())
        };
        sync().map_err(|error: std::io::Error| StoreError::io(&self.0.root, &error))
    }
}

fn is_there(path: &Path, size: u64) -> bool {
    fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() == size)
}

/// Makes the directory of a file; gives the directories whose entries change with the file.
fn make_directory(file: &Path) -> std::io::Result<Vec<&Path>> {
    let mut changed = Vec::new();
    for directory in file.ancestors().skip(1) {
        changed.push(directory);
        if directory.exists() {
            break;
        }
    }
    if let Some(directory) = changed.first() {
        fs::create_dir_all(directory)?;
    }
    Ok(changed)
}

/// Whether a row names this file, which is named by its content; others are not ours to judge.
fn is_named(placed: &str, names_of: impl Fn(MediaId) -> Result<Option<Names>, StoreError>) -> Result<bool, StoreError> {
    match content_of(placed) {
        Some(id) => Ok(names_of(id)?.is_some_and(|names| names.name(placed))),
        None => Ok(true),
    }
}

/// The content a file or a thumbnail is named by.
fn content_of(path: &str) -> Option<MediaId> {
    let name = path.rsplit('/').next()?.split('.').next()?;
    let digit = |at: usize| name.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let mut hash = [0; 32];
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = digit(2 * at)?;
    }
    (name.len() == 64).then(|| MediaId::from_sha256(hash))
}

impl Drop for FileDraft {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(path = %self.path.display(), %error, "a draft could not be removed");
        }
    }
}

/// A host as a directory name: an IPv6 address without its brackets and colons, a name that is too
/// long cut and told apart by its hash.
fn directory_of(host: &HostName) -> String {
    let safe: String = host
        .as_str()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' })
        .collect();
    let trimmed = safe.trim_matches(['_', '.']);
    if trimmed == host.as_str() && trimmed.len() <= LONGEST_HOST && !trimmed.is_empty() {
        return safe;
    }
    let hash = MediaId::from_sha256(Sha256::digest(host.as_str().as_bytes()).into()).to_string();
    let start: String = trimmed.chars().take(LONGEST_HOST - 17).collect();
    format!("{start}~{}", &hash[..16])
}

/// Short, lower case, letters and digits; `bin` when nothing is left.
fn safe_extension(extension: &str) -> String {
    let safe: String =
        extension.chars().filter(char::is_ascii_alphanumeric).take(8).collect::<String>().to_ascii_lowercase();
    if safe.is_empty() { "bin".into() } else { safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> (tempfile::TempDir, Files) {
        let dir = crate::scratch::dir();
        let files =
            Files::open(dir.path().join("media"), Shelf::directory(dir.path().join("media")), None, |_| Ok(None))
                .unwrap();
        (dir, files)
    }

    fn host(name: &str) -> HostName {
        HostName::parse(name).unwrap()
    }

    fn drafts(files: &Files) -> usize {
        fs::read_dir(files.root().join(DRAFTS)).unwrap().count()
    }

    #[test]
    fn a_finished_file_is_named_by_its_content() {
        let (_dir, files) = files();
        let mut draft = files.draft(&host("example.org")).unwrap();
        draft.write(b"hel").unwrap();
        draft.write(b"lo").unwrap();
        let stored = draft.finish("JPEG").unwrap();
        let hex = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        assert_eq!(stored.path, format!("example.org/2c/{hex}.jpeg"));
        assert_eq!((stored.id.to_string().as_str(), stored.size), (hex, 5));
        assert_eq!(fs::read(files.root().join(&stored.path)).unwrap(), b"hello");
        assert_eq!(drafts(&files), 0);
    }

    #[test]
    fn the_same_content_again_leaves_one_file() {
        let (_dir, files) = files();
        let store = || {
            let mut draft = files.draft(&host("example.org")).unwrap();
            draft.write(b"twice").unwrap();
            draft.finish("png").unwrap()
        };
        assert_eq!(store(), store());
        assert_eq!(drafts(&files), 0);
    }

    #[test]
    fn a_dropped_draft_leaves_nothing_and_so_does_a_crash() {
        let (dir, files) = files();
        let mut draft = files.draft(&host("example.org")).unwrap();
        draft.write(b"half").unwrap();
        assert_eq!(drafts(&files), 1);
        drop(draft);
        assert_eq!(drafts(&files), 0);

        fs::write(files.root().join(".tmp/7"), b"half").unwrap();
        let files =
            Files::open(dir.path().join("media"), Shelf::directory(dir.path().join("media")), None, |_| Ok(None))
                .unwrap();
        assert_eq!(drafts(&files), 0);
    }

    #[test]
    fn a_cut_off_file_of_the_same_name_is_replaced() {
        let (_dir, files) = files();
        let store = || {
            let mut draft = files.draft(&host("example.org")).unwrap();
            draft.write(b"whole").unwrap();
            draft.finish("png").unwrap()
        };
        let path = files.root().join(store().path);
        fs::write(&path, b"who").unwrap();
        store();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn thumbnails_are_beside_their_files() {
        let (_dir, files) = files();
        let mut draft = files.draft(&host("example.org")).unwrap();
        draft.write(b"hello").unwrap();
        let stored = draft.finish("jpeg").unwrap();
        let hex = stored.id.to_string();
        for (path, thumbnail) in [
            (stored.path.as_str(), format!("example.org/2c/{hex}.thumb.jpg")),
            ("/home/me/hello.jpg", format!("imported/2c/{hex}.thumb.jpg")),
            ("../elsewhere/hello.jpg", format!("imported/2c/{hex}.thumb.jpg")),
            ("hello.jpg", format!("imported/2c/{hex}.thumb.jpg")),
        ] {
            for jpeg in [&b"small"[..], b"smaller"] {
                assert_eq!(files.place_thumbnail(path, stored.id, jpeg).unwrap(), thumbnail);
                assert_eq!(fs::read(files.root().join(&thumbnail)).unwrap(), jpeg);
            }
        }
        assert_eq!(drafts(&files), 0);
    }

    #[test]
    fn thumbnails_without_a_row_are_removed_at_the_next_open() {
        let (dir, files) = files();
        let place = |content: &str| {
            let id = MediaId::from_sha256(Sha256::digest(content.as_bytes()).into());
            (id, files.place_thumbnail("/elsewhere/a.jpg", id, b"small").unwrap())
        };
        let ((named, stays), (_, goes)) = (place("named"), place("not named"));
        drop(files);
        let names_of = |id| {
            let names = Names { path: "/elsewhere/a.jpg".into(), thumbnail: Some(stays.clone()) };
            Ok((id == named).then_some(names))
        };
        let files =
            Files::open(dir.path().join("media"), Shelf::directory(dir.path().join("media")), None, names_of).unwrap();
        assert!(files.root().join(&stays).exists() && !files.root().join(&goes).exists());
    }

    #[test]
    fn only_what_no_row_names_is_removed() {
        let (_dir, files) = files();
        let mut draft = files.draft(&host("example.org")).unwrap();
        draft.write(b"hello").unwrap();
        let stored = draft.finish("jpeg").unwrap();
        let names = Names { path: stored.path.clone(), thumbnail: None };
        files.remove(&stored.path, |_| Ok(Some(names.clone()))).unwrap();
        assert!(files.root().join(&stored.path).exists() && files.lately(&stored.id).is_some());
        files.remove(&stored.path, |_| Ok(None)).unwrap();
        assert!(
            files.gone([stored.path.as_str()]).unwrap() == [stored.path.clone()] && files.lately(&stored.id).is_none()
        );
        files.remove(&stored.path, |_| Ok(None)).expect("again");
        let outside = files.root().with_file_name("outside.jpg");
        fs::write(&outside, "x").unwrap();
        files.remove("../outside.jpg", |_| Ok(None)).unwrap();
        files.remove(outside.to_str().unwrap(), |_| Ok(None)).unwrap();
        assert!(outside.exists());
    }

    #[test]
    fn every_host_has_a_directory_of_its_own() {
        let long = format!("{}.example", ["a".repeat(60), "b".repeat(60), "c".repeat(60), "d".repeat(60)].join("."));
        let longer = format!("x{long}");
        let hosts = ["example.org", "127.0.0.1", "[::1]", "[2001:db8::1]", "a_b.example", "..example", &long, &longer];
        let names: Vec<String> =
            hosts.iter().filter_map(|name| HostName::parse(name)).map(|h| directory_of(&h)).collect();
        assert!(names.len() >= 7);
        for (i, name) in names.iter().enumerate() {
            assert!(name.len() <= 255 && !name.contains([':', '[', '/']) && !name.starts_with('.'), "{name}");
            assert!(!names[..i].contains(name), "{name} twice");
        }
        assert_eq!(names[0], "example.org");
    }

    #[test]
    fn extensions_are_harmless() {
        for (given, safe) in [("jpeg", "jpeg"), ("../../etc", "etc"), ("", "bin"), ("PNG", "png"), ("a/b", "ab")] {
            assert_eq!(safe_extension(given), safe);
        }
    }
}
