//! Where kept files end up: in a directory of this machine, or in a bucket that many machines share.
//! Their names are the same in both.

use std::fs;
use std::io::{ErrorKind, SeekFrom};
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bucket::{Bucket, Pieces};
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use tokio::sync::mpsc;

use super::desk::Desk;
use super::{DRAFTS, is_there, make_directory};
use crate::StoreError;
use crate::placements::{self, stays_below};
use crate::store::MEDIA;

/// Bytes of a file that are read at once.
const PIECE: usize = 64 << 10;
/// Pieces that wait for whoever reads.
const AHEAD: usize = 4;
/// The largest file that is copied from a bucket for whoever needs one on this machine.
const LARGEST_COPY: u64 = 16 << 30;

/// A number for every copy of this process.
static COPIES: AtomicU64 = AtomicU64::new(0);

/// The files that are kept, for reading.
#[derive(Clone, Debug)]
pub struct Shelf(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Directory(PathBuf),
    /// Copies of files are made in a directory when someone needs them on this machine.
    Bucket(Arc<Bucket>, Arc<Desk>),
}

/// A file of this machine with the content of a kept one: the file itself, or a copy that goes when
/// this does.
#[derive(Debug)]
pub struct LocalFile {
    path: PathBuf,
    is_copy: bool,
}

/// A kept file, found and ready to be read.
pub struct OpenedFile {
    size: u64,
    from: From,
}

enum From {
    File(PathBuf),
    Bucket(Arc<Bucket>, String),
}

impl Shelf {
    /// Files in a directory.
    pub fn directory(root: PathBuf) -> Self {
        Self(Kind::Directory(root))
    }

    /// Files at home: in a bucket (`s3://…`) or a directory, or, without one, in a data directory.
    pub(crate) fn at(dir: &Path, home: Option<&str>) -> Result<Self, StoreError> {
        let own = dir.join(MEDIA);
        match home {
            Some(address) if is_address(address) => {
                let desk = Desk::of_reader(own.join(DRAFTS));
                Ok(Self(Kind::Bucket(Arc::new(Bucket::named(address)?), Arc::new(desk))))
            }
            Some(directory) => Ok(Self::directory(directory.into())),
            None => Ok(Self::directory(own)),
        }
    }

    /// What a library remembers of where its files are to be: a bucket, or a directory by its full name;
    /// nothing for the one in its data directory.
    pub(crate) fn home(dir: &Path, given: &str) -> Option<String> {
        if is_address(given) {
            return Some(given.trim_end_matches('/').to_owned());
        }
        // Without dots and slashes that lead nowhere.
        let full = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let directory: PathBuf = full(Path::new(given)).components().collect();
        let own: PathBuf = full(&dir.join(MEDIA)).components().collect();
        (directory != own).then(|| directory.display().to_string())
    }

    /// The directory of this machine that files are written in before they are put in their place.
    pub(crate) fn root(&self, dir: &Path) -> PathBuf {
        match &self.0 {
            Kind::Directory(root) => root.clone(),
            Kind::Bucket(..) => dir.join(MEDIA),
        }
    }

    /// Asks a bucket whether it may be used; one that is away is waited for, for so long. Blocking.
    pub(crate) fn check(&self, patience: Duration) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Directory(_) => Ok(()),
            Kind::Bucket(bucket, _) => Ok(bucket.wait_for(patience)?),
        }
    }

    /// The same, with copies where this process writes.
    pub(super) fn copying_to(self, desk: &Arc<Desk>) -> Self {
        match self.0 {
            Kind::Bucket(bucket, _) => Self(Kind::Bucket(bucket, Arc::clone(desk))),
            directory => Self(directory),
        }
    }

    /// What names of files start from: a directory, by its full name, or `s3://…`. Joined with the name of
    /// a file it says where that is.
    pub fn base(&self) -> PathBuf {
        match &self.0 {
            Kind::Directory(root) => std::path::absolute(root).unwrap_or_else(|_| root.clone()),
            Kind::Bucket(bucket, _) => PathBuf::from(bucket.label()),
        }
    }

    /// A kept file as one of this machine. Blocking; waits for a bucket that is away.
    pub fn local(&self, name: &str) -> Result<LocalFile, StoreError> {
        match &self.0 {
            Kind::Bucket(bucket, desk) if stays_below(name) => {
                let number = COPIES.fetch_add(1, Ordering::Relaxed);
                // Drafts are in the same folder, and have no ending.
                let ending = name.rsplit_once('.').map_or("bin", |(_, ending)| ending);
                let folder = desk.folder().map_err(|error| StoreError::io(desk.drafts(), &error))?;
                let path = folder.join(format!("{number}.{ending}"));
                let copy = LocalFile { path, is_copy: true };
                bucket.fetch(name, &copy.path, LARGEST_COPY)?;
                Ok(copy)
            }
            _ => Ok(LocalFile { path: self.path(name), is_copy: false }),
        }
    }

    /// Finds a kept file; nothing when it is gone.
    pub async fn open(&self, name: &str) -> Result<Option<OpenedFile>, StoreError> {
        match &self.0 {
            Kind::Bucket(bucket, _) if stays_below(name) => {
                let size = bucket.look_up(name).await?;
                let from = From::Bucket(Arc::clone(bucket), name.to_owned());
                Ok(size.map(|size| OpenedFile { size, from }))
            }
            _ => {
                let path = self.path(name);
                match tokio::fs::metadata(&path).await {
                    Ok(about) if about.is_file() => Ok(Some(OpenedFile { size: about.len(), from: From::File(path) })),
                    _ => Ok(None),
                }
            }
        }
    }

    /// Where a file is that is not in a bucket: one that was imported where it is has a full name.
    fn path(&self, name: &str) -> PathBuf {
        match &self.0 {
            Kind::Directory(root) => root.join(name),
            Kind::Bucket(_, desk) => desk.drafts().join(name),
        }
    }

    /// Whether a file of this size is in its place.
    pub(crate) fn has(&self, name: &str, size: u64) -> Result<bool, StoreError> {
        match &self.0 {
            Kind::Directory(root) => Ok(is_there(&root.join(name), size)),
            Kind::Bucket(bucket, _) => Ok(bucket.size(name)? == Some(size)),
        }
    }

    /// Puts a file in its place, or over what is there; gives the directories that changed with it, which
    /// are not safe on disk yet.
    pub(crate) fn put(&self, draft: &Path, name: &str) -> Result<Vec<PathBuf>, StoreError> {
        match &self.0 {
            Kind::Directory(root) => {
                let target = root.join(name);
                let place = || {
                    let changed = make_directory(&target)?.into_iter().map(Path::to_owned).collect();
                    fs::rename(draft, &target)?;
                    Ok(changed)
                };
                place().map_err(|error| StoreError::io(&target, &error))
            }
            Kind::Bucket(bucket, _) => {
                bucket.put_file(name, draft)?;
                Ok(Vec::new())
            }
        }
    }

    /// Whether it is in a bucket, where what is put is safe at once.
    pub fn is_bucket(&self) -> bool {
        matches!(self.0, Kind::Bucket(..))
    }

    /// Removes a file, if it is there.
    pub(crate) fn remove(&self, name: &str) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Directory(root) => placements::remove(&root.join(name)),
            Kind::Bucket(bucket, _) => Ok(bucket.remove(name)?),
        }
    }

    /// Which of these files are not there.
    pub(super) fn missing(&self, names: Vec<String>) -> Result<Vec<String>, StoreError> {
        match &self.0 {
            Kind::Directory(root) => Ok(names.into_iter().filter(|name| !root.join(name).exists()).collect()),
            Kind::Bucket(bucket, _) => Ok(bucket.missing(&names)?),
        }
    }
}

/// Whether a place for files is written as that of a service, rightly or not.
fn is_address(given: &str) -> bool {
    given.split('/').next().is_some_and(|first| first.contains(':'))
}

impl Deref for LocalFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl Drop for LocalFile {
    fn drop(&mut self) {
        if self.is_copy
            && let Err(error) = fs::remove_file(&self.path)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(path = %self.path.display(), %error, "a copy could not be removed");
        }
    }
}

impl OpenedFile {
    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads a part of it, ahead of whoever takes it, but not far.
    pub async fn read(self, part: Range<u64>) -> Result<Pieces, StoreError> {
        if part.is_empty() {
            return Ok(mpsc::channel(1).1);
        }
        match self.from {
            From::Bucket(bucket, name) => Ok(bucket.read(&name, part).await?),
            From::File(path) => {
                let (sender, pieces) = mpsc::channel(AHEAD);
                tokio::spawn(async move {
                    if let Err(error) = read_file(&path, part, &sender).await {
                        let _ = sender.send(Err(error)).await;
                    }
                });
                Ok(pieces)
            }
        }
    }
}

async fn read_file(path: &Path, part: Range<u64>, to: &mpsc::Sender<std::io::Result<Bytes>>) -> std::io::Result<()> {
    let mut file = tokio::fs::File::open(path).await?;
    file.seek(SeekFrom::Start(part.start)).await?;
    let mut rest = file.take(part.end - part.start);
    while rest.limit() > 0 {
        let mut piece = Vec::with_capacity(PIECE.min(usize::try_from(rest.limit()).unwrap_or(PIECE)));
        if (&mut rest).take(PIECE as u64).read_to_end(&mut piece).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if to.send(Ok(piece.into())).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}
