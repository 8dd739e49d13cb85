//! Queue, library and files together: in a data directory, or in a shared database.
//!
//! ```text
//! DIR/writer.lock   who writes
//! DIR/frontier/     the queue
//! DIR/library.db    the library
//! DIR/media/        the files
//! ```
//!
//! With a shared database the first three are there, and any number of processes write at once. Files
//! may be in a bucket instead; the library remembers in which.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use facts::MediaId;
use tokio::sync::Mutex;

use crate::embedded::{EmbeddedFrontier, SqliteConnections};
use crate::files::{Among, DRAFTS};
use crate::lock::WriterLock;
use crate::open_files;
use crate::postgres::{Duty, Pool, SharedFrontier};
use crate::tables::{Tables, Written};
use crate::work::{aside, off_thread};
use crate::{
    Budgets, CrawlId, FileDraft, Files, Forget, Forgotten, Frontier, Imported, ImportedFile, Library, MediaFile,
    Outcome, PoolFigures, Recorded, Refused, RunId, Shelf, StoreError, StoredFile, Turn, Visited, WorkerSeen, Workload,
};

pub(crate) const FRONTIER: &str = "frontier";
pub(crate) const LIBRARY: &str = "library.db";
pub(crate) const MEDIA: &str = "media";

/// What a server keeps in its directory where library, queue and files are elsewhere: written once the directory was
/// found to be ours.
const SESSION_KEY: &str = "session.key";

/// What other commands make in a data directory before there is a library: uploads, the state of a watcher, imported
/// places and the folders they are sorted in.
const BESIDE: [&str; 3] = ["uploads", "watch", "gazetteer.finer"];
const IMPORTING: &str = "gazetteer.import-";

/// How soon one who waits for a duty that another process has looks again.
const ANOTHER_LOOK: Duration = Duration::from_millis(200);

/// How a store is opened for writing.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the writer does, for whoever finds the directory in use: `crawl demo`.
    pub what: String,
    /// The delay of hosts that ask for none, while nobody who asks them says another: all of them wait at least
    /// so long after an unclean stop.
    pub default_delay: Duration,
    /// Hosts whose queues are in memory; the others wait in the store.
    pub active_hosts: usize,
    /// How far its clock is ahead of the machine's: experiments let days pass in moments.
    pub ahead: Duration,
    /// The shared database that queue and library are in, as `postgres://…`; they are in the data
    /// directory without it.
    pub database: Option<String>,
    /// The bucket that files are in, as `s3://…`. Without it they are where the library says, or in the
    /// data directory.
    pub media: Option<String>,
    /// In a shared database: after how long without a sign of life others take over.
    pub lease: Duration,
    /// How long a shared database or a bucket is waited for that is away at the start. Who works on one that goes
    /// away waits for [`PATIENCE`](crate::PATIENCE).
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        let (default_delay, ahead) = (Duration::from_secs(1), Duration::ZERO);
        let (lease, patience) = (Duration::from_secs(30), Duration::ZERO);
        let (database, media) = (None, None);
        Self { what: String::new(), default_delay, active_hosts: 8_192, ahead, database, media, lease, patience }
    }
}

/// Where the queue is.
enum Queue {
    Embedded(EmbeddedFrontier),
    Shared(SharedFrontier),
}

/// A data directory or a shared database, opened for writing. A directory has one writer at a time.
pub struct Store {
    dir: PathBuf,
    queue: Queue,
    library: Tables,
    files: Files,
    shared: (Arc<dyn Frontier>, Arc<dyn Library>),
    /// Connections to a shared database.
    pool: Option<Arc<Pool>>,
    /// Held while rows and files change together: a row is not written for a file that goes.
    changing: Mutex<()>,
    /// Held by whoever describes what is here.
    describing: Mutex<()>,
    // Dropped last: the directory is free once everything else is closed.
    _lock: Option<WriterLock>,
}

/// A duty of this process, until it is dropped.
pub struct OnDuty(Option<Arc<Duty>>);

impl OnDuty {
    /// Whether it is this process's still: a connection that is lost takes the duty along.
    pub async fn holds(&self) -> bool {
        let Some(duty) = self.0.clone() else { return true };
        off_thread(Path::new("the database"), move || Ok(duty.holds())).await.unwrap_or(false)
    }
}

/// A file that was put in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The file.
    pub file: StoredFile,
    /// Its content was there already.
    pub again: bool,
}

/// A data directory opened for reading, while someone may write.
pub struct Reader {
    library: Arc<dyn Library>,
    shelf: Shelf,
}

impl Store {
    /// Opens or makes a data directory or the tables of a shared database, for writing. Blocks while it
    /// reads.
    pub fn open(dir: &Path, options: Options) -> Result<Self, StoreError> {
        make_directory(dir)?;
        match options.database.clone() {
            Some(database) => aside(dir, || Self::share(dir, &database, &options)),
            None => Self::embed(dir, &options),
        }
    }

    /// [`open`](Self::open) for who cannot block, and may have to wait for a database.
    pub async fn open_when_there(dir: &Path, options: Options) -> Result<Self, StoreError> {
        let at = dir.to_owned();
        off_thread(dir, move || Self::open(&at, options)).await
    }

    fn embed(dir: &Path, options: &Options) -> Result<Self, StoreError> {
        open_files::enough()?;
        let lock = WriterLock::take(dir, &options.what)?;
        let (connections, identity) = SqliteConnections::write(&dir.join(LIBRARY))?;
        let frontier = EmbeddedFrontier::open(&dir.join(FRONTIER), identity, options)?;
        let library = Tables::write(connections, frontier.ahead());
        let shelf = lasting_shelf(dir, &library, options)?;
        let files = Files::open(shelf.root(dir), shelf, None, |id| library.names_of(id))?;
        let shared: Arc<dyn Frontier> = Arc::new(frontier.clone());
        let store = Self::with(dir, Queue::Embedded(frontier), shared, library, files)?;
        Ok(Self { _lock: Some(lock), ..store })
    }

    fn share(dir: &Path, database: &str, options: &Options) -> Result<Self, StoreError> {
        let pool = Arc::new(Pool::open(database, options.patience, options.lease)?);
        // Before it joins: who is refused must not look as if it was at work.
        let library = Tables::shared(Arc::clone(&pool), options.ahead);
        let shelf = lasting_shelf(dir, &library, options)?;
        let frontier = SharedFrontier::open(Arc::clone(&pool), options)?;
        match Self::joined(dir, &pool, &frontier, library, shelf) {
            Ok(store) => Ok(store),
            Err(error) => {
                if let Err(error) = frontier.leave() {
                    tracing::warn!("others learn only when its lease has run out that this process left: {error}");
                }
                Err(error)
            }
        }
    }

    fn joined(
        dir: &Path,
        pool: &Arc<Pool>,
        frontier: &SharedFrontier,
        library: Tables,
        shelf: Shelf,
    ) -> Result<Self, StoreError> {
        // Somebody may have begun to move a library there, who did not see this process yet.
        library.is_whole()?;
        let library = library.by(frontier.clock());
        let among = Among { number: frontier.number(), gone: &|numbers| frontier.gone(numbers) };
        let files = Files::open(shelf.root(dir), shelf, Some(among), |id| library.names_of(id))?;
        let shared: Arc<dyn Frontier> = Arc::new(frontier.clone());
        let store = Self::with(dir, Queue::Shared(frontier.clone()), shared, library, files)?;
        Ok(Self { pool: Some(Arc::clone(pool)), ..store })
    }

    fn with(
        dir: &Path,
        queue: Queue,
        frontier: Arc<dyn Frontier>,
        library: Tables,
        files: Files,
    ) -> Result<Self, StoreError> {
        match sweep(&library, &files) {
            // The library does without it; whoever forgets something next is told again.
            Err(error @ StoreError::NotRemoved { .. }) => tracing::warn!("{error}"),
            result => result?,
        }
        let shared: (Arc<dyn Frontier>, Arc<dyn Library>) = (frontier, Arc::new(library.clone()));
        let (changing, describing) = (Mutex::default(), Mutex::default());
        let (dir, pool) = (dir.to_owned(), None);
        Ok(Self { dir, queue, library, files, shared, pool, changing, describing, _lock: None })
    }

    /// Opens a data directory for reading.
    pub fn read(dir: &Path) -> Result<Reader, StoreError> {
        let path = dir.join(LIBRARY);
        match fs::metadata(&path) {
            Ok(_) => {}
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(StoreError::Missing { dir: dir.to_owned() });
            }
            Err(error) => return Err(StoreError::io(&path, &error)),
        }
        let library = Tables::read(SqliteConnections::read(&path)?);
        let shelf = shelf_of(dir, &library, None)?;
        Ok(Reader { library: Arc::new(library), shelf })
    }

    /// Opens a shared database for reading; files that are in no bucket are in a directory. A server that is
    /// away is waited for, for so long.
    pub fn read_shared(database: &str, dir: &Path, patience: Duration) -> Result<Reader, StoreError> {
        let pool = aside(dir, || Pool::open(database, patience, Options::default().lease))?;
        let library = Tables::shared(Arc::new(pool), Duration::ZERO);
        let shelf = aside(dir, || shelf_of(dir, &library, None))?;
        Ok(Reader { library: Arc::new(library), shelf })
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Bytes that are free on this machine for what comes: on the disk of the directory, or on that of the files
    /// if there is less.
    pub fn free_disk(&self) -> Option<u64> {
        let free = |dir: &Path| {
            let disk = rustix::fs::statvfs(dir).ok()?;
            Some(disk.f_bavail.saturating_mul(disk.f_frsize))
        };
        [&self.dir, self.files.root()].into_iter().filter_map(free).min()
    }

    /// The queue. To be dropped before another store opens the directory.
    pub fn frontier(&self) -> &Arc<dyn Frontier> {
        &self.shared.0
    }

    /// The library.
    pub fn library(&self) -> &Arc<dyn Library> {
        &self.shared.1
    }

    /// The files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Whose turn it is to describe what is here: two would do it twice.
    pub async fn describing(&self) -> Result<Turn<'_>, StoreError> {
        let here = self.describing.lock().await;
        let everywhere = match &self.pool {
            None => None,
            Some(_) => Some(loop {
                match self.duty("describing").await? {
                    Some(duty) => break duty,
                    None => tokio::time::sleep(ANOTHER_LOOK).await,
                }
            }),
        };
        Ok(Turn { _here: here, _everywhere: everywhere })
    }

    /// [`describing`](Self::describing) without waiting for others who share the store: nothing while one of them
    /// describes, who comes to all there is.
    pub async fn describing_unless_others_do(&self) -> Result<Option<Turn<'_>>, StoreError> {
        if !self.is_shared() {
            return self.describing().await.map(Some);
        }
        let Ok(here) = self.describing.try_lock() else { return Ok(None) };
        let duty = self.duty("describing").await?;
        Ok(duty.map(|duty| Turn { _here: here, _everywhere: Some(duty) }))
    }

    /// Takes a duty that one of the processes that share a database has at a time: nothing when another has
    /// it. Alone in a data directory, one has every duty.
    pub async fn on_duty(&self, name: &str) -> Result<Option<OnDuty>, StoreError> {
        match &self.pool {
            None => Ok(Some(OnDuty(None))),
            Some(_) => Ok(self.duty(name).await?.map(|duty| OnDuty(Some(Arc::new(duty))))),
        }
    }

    async fn duty(&self, name: &str) -> Result<Option<Duty>, StoreError> {
        let Some(pool) = self.pool.clone() else { return Ok(None) };
        let name = name.to_owned();
        off_thread(&self.dir, move || pool.duty(&name)).await
    }

    /// Whether others may work on the same queue and library.
    pub fn is_shared(&self) -> bool {
        self.pool.is_some()
    }

    /// How many processes were taken for dead within the last hour, of those that worked on a shared database.
    pub async fn lost_workers(&self) -> Result<u64, StoreError> {
        match &self.queue {
            Queue::Embedded(_) => Ok(0),
            Queue::Shared(frontier) => frontier.lost_workers().await,
        }
    }

    /// The connections to a shared database.
    pub fn pool_figures(&self) -> Option<PoolFigures> {
        self.pool.as_ref().map(|pool| pool.figures())
    }

    /// The processes at work on a shared database; none where there is only this one.
    pub async fn workers(&self) -> Result<Vec<WorkerSeen>, StoreError> {
        match &self.queue {
            Queue::Embedded(_) => Ok(Vec::new()),
            Queue::Shared(frontier) => frontier.workers().await,
        }
    }

    /// What past and present work on a shared database says of how many workers would pay for these crawls, with the
    /// delays that they ask for.
    pub async fn workload(&self, crawls: &[(CrawlId, Duration)]) -> Result<Option<Workload>, StoreError> {
        match &self.queue {
            Queue::Embedded(_) => Ok(None),
            Queue::Shared(frontier) => frontier.workload(crawls).await.map(Some),
        }
    }

    /// Tells others that this process fills the queue of a crawl, or does not any more: until it is filled, an
    /// empty one is not at its end.
    pub async fn fill(&self, crawl: CrawlId, fills: bool) -> Result<(), StoreError> {
        match &self.queue {
            Queue::Embedded(_) => Ok(()),
            Queue::Shared(frontier) => frontier.fill(crawl, fills).await,
        }
    }

    /// Tells others that this process works on a run from now on.
    pub async fn attend(&self, run: RunId) -> Result<(), StoreError> {
        match &self.queue {
            Queue::Embedded(_) => Ok(()),
            Queue::Shared(frontier) => frontier.attend(run, true).await.map(drop),
        }
    }

    /// Tells others that this process works on a run no more; gives how many others still do.
    pub async fn leave(&self, run: RunId) -> Result<usize, StoreError> {
        match &self.queue {
            Queue::Embedded(_) => Ok(0),
            Queue::Shared(frontier) => frontier.attend(run, false).await,
        }
    }

    /// Puts a draft in its place, or lets go of it when its content is kept already. Blocking, as
    /// all that a draft does.
    pub fn keep(&self, draft: FileDraft, extension: &str) -> Result<Kept, StoreError> {
        let id = draft.id();
        let known = match self.files.lately(&id) {
            Some(path) => Some(path),
            // One that was imported where it is may change there: then a copy of our own is kept.
            None => self.library.names_of(id)?.map(|names| names.path).filter(|path| !Path::new(path).is_absolute()),
        };
        let again = known.is_some();
        let file = match known {
            Some(path) => draft.place(path),
            None => draft.finish(extension),
        }?;
        Ok(Kept { file, again })
    }

    /// Writes what visits found, then marks them as visited and queues their links. Their files
    /// are in place already. Doing it again changes nothing, so a crash in between costs at most
    /// a repeated request.
    pub async fn commit(
        &self,
        crawl: CrawlId,
        run: RunId,
        mut visits: Vec<Visited>,
        budgets: Budgets,
    ) -> Result<Recorded, StoreError> {
        let changing = self.changing.lock().await;
        let lost = self.find_again(visits.iter_mut().filter_map(kept_file).collect()).await?;
        if !lost.is_empty() {
            visits = self.without_files(crawl, visits, &lost).await?;
        }
        let visits = Arc::new(visits);
        if visits.iter().any(|visit| matches!(visit.outcome, Outcome::Media(_))) {
            let (files, visits) = (self.files.clone(), Arc::clone(&visits));
            let safe = move || files.make_safe(visits.iter().filter_map(kept_path));
            off_thread(self.files.root(), safe).await?;
        }
        let written = self.library.record_shared(run, Arc::clone(&visits)).await?;
        let files = visits.iter().filter_map(|visit| match &visit.outcome {
            Outcome::Media(file) => Some(file),
            _ => None,
        });
        let recorded = self.written(written, files).await?;
        drop(changing);
        match &self.queue {
            Queue::Embedded(frontier) => frontier.finish_shared(crawl, visits, budgets).await?,
            Queue::Shared(frontier) => frontier.finish_shared(crawl, visits, budgets).await?,
        }
        Ok(recorded)
    }

    /// Takes local files into the library, as if they had been crawled; what is to be kept of them
    /// in the media directory is in its place already. Doing it again changes nothing.
    pub async fn import(&self, mut files: Vec<ImportedFile>) -> Result<Imported, StoreError> {
        let _changing = self.changing.lock().await;
        let lost = self.find_again(files.iter_mut().filter_map(|file| file.outcome.as_mut().ok()).collect()).await?;
        for file in &mut files {
            if file.outcome.as_ref().is_ok_and(|kept| lost.contains(&kept.path)) {
                file.outcome = Err(Refused::unseen("removed"));
            }
        }
        let kept: Vec<MediaFile> = files.iter().filter_map(|file| file.outcome.clone().ok()).collect();
        let written = self.library.import_files(files).await?;
        self.written(written, kept.iter()).await
    }

    /// Removes what is there, and lets it not come back. The rows go first: files that a crash
    /// leaves behind go at the next open.
    pub async fn forget(&self, what: &Forget) -> Result<Forgotten, StoreError> {
        let _changing = self.changing.lock().await;
        let forgotten = self.library.forget(what).await?;
        if forgotten.files > 0 {
            self.remove_doomed().await?;
        }
        Ok(forgotten)
    }

    /// Removes an item with its file; a later crawl or import may bring it again. Gives whether there
    /// was such an item.
    pub async fn remove(&self, id: MediaId) -> Result<bool, StoreError> {
        let _changing = self.changing.lock().await;
        let removed = self.library.remove(id).await?;
        if removed {
            self.remove_doomed().await?;
        }
        Ok(removed)
    }

    /// Rows name these files now, but for those they do not; others may have lost theirs.
    async fn written<T>(&self, written: Written<T>, files: impl Iterator<Item = &MediaFile>) -> Result<T, StoreError> {
        let paths = files.flat_map(|file| [Some(file.path.as_str()), file.thumbnail.as_deref()]).flatten();
        self.files.named(paths.filter(|path| !written.unnamed.contains(*path)))?;
        if !written.unnamed.is_empty() {
            // The same content came in elsewhere at the same time, and that file is the one that is named. What
            // cannot be removed now is removed at the next start.
            let (library, files, unnamed) = (self.library.clone(), self.files.clone(), written.unnamed);
            let remove = move || {
                let gone = |path: &&String| match files.remove(path, |id| library.names_of(id)) {
                    Ok(()) => true,
                    Err(error) => {
                        tracing::warn!("{error}");
                        false
                    }
                };
                // All of them before the note is taken in hand, which removing one takes too.
                let gone: Vec<&String> = unnamed.iter().filter(gone).collect();
                files.named(gone.into_iter().map(String::as_str))
            };
            off_thread(self.files.root(), remove).await?;
        }
        if written.doomed {
            self.remove_doomed().await?;
        }
        Ok(written.what)
    }

    /// Looks for files that have gone again. When the same content came in elsewhere at the same time, the file
    /// that a row names is the one; gives the paths of those that are nowhere.
    async fn find_again(&self, kept: Vec<&mut MediaFile>) -> Result<Vec<String>, StoreError> {
        if kept.is_empty() {
            return Ok(Vec::new());
        }
        let (files, paths) = (self.files.clone(), kept.iter().map(|file| file.path.clone()).collect::<Vec<_>>());
        let gone = off_thread(self.files.root(), move || files.gone(paths.iter().map(String::as_str))).await?;
        let mut lost = Vec::new();
        for file in kept.into_iter().filter(|file| gone.contains(&file.path)) {
            let (library, id) = (self.library.clone(), file.id);
            let names = off_thread(self.files.root(), move || library.names_of(id)).await?;
            match names.map(|names| names.path).filter(|path| *path != file.path) {
                Some(path) => {
                    let gone = std::mem::replace(&mut file.path, path);
                    self.files.named([gone.as_str()])?;
                }
                None => lost.push(file.path.clone()),
            }
        }
        Ok(lost)
    }

    /// The visits whose files are not among the lost ones. Of the others, someone removed the item here; in a
    /// shared home it may have been another who cleared up after a killed process, so they are made again.
    async fn without_files(
        &self,
        crawl: CrawlId,
        visits: Vec<Visited>,
        lost: &[String],
    ) -> Result<Vec<Visited>, StoreError> {
        let mut left = Vec::with_capacity(visits.len());
        for mut visit in visits {
            let is_lost = kept_path(&visit).is_some_and(|path| lost.iter().any(|lost| lost == path));
            if is_lost && self.is_shared() {
                self.frontier().put_back(crawl, visit.claim, true).await?;
                continue;
            }
            if is_lost {
                let detail = format!("the file of {} was removed before it was written down", visit.claim.link.url);
                visit.outcome = Outcome::Failed { reason: "removed".into(), detail };
            }
            left.push(visit);
        }
        Ok(left)
    }

    async fn remove_doomed(&self) -> Result<(), StoreError> {
        let (library, files) = (self.library.clone(), self.files.clone());
        off_thread(self.files.root(), move || sweep(&library, &files)).await
    }

    /// Leaves the directory so that the next crawl goes on at once. A store that is dropped
    /// instead is one that was killed: every host waits its full delay then.
    pub async fn close(self) -> Result<(), StoreError> {
        match self.queue {
            Queue::Embedded(frontier) => frontier.close().await,
            Queue::Shared(frontier) => frontier.close().await,
        }
    }
}

impl Reader {
    /// The library.
    pub fn library(&self) -> &Arc<dyn Library> {
        &self.library
    }

    /// Where files are.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }
}

fn kept_file(visit: &mut Visited) -> Option<&mut MediaFile> {
    match &mut visit.outcome {
        Outcome::Media(file) => Some(file),
        _ => None,
    }
}

fn kept_path(visit: &Visited) -> Option<&str> {
    match &visit.outcome {
        Outcome::Media(file) => Some(&file.path),
        _ => None,
    }
}

/// Where the files of a library are, and stay.
fn lasting_shelf(dir: &Path, library: &Tables, options: &Options) -> Result<Shelf, StoreError> {
    let shelf = shelf_of(dir, library, options.media.as_deref())?;
    library.is_whole()?;
    shelf.check(options.patience)?;
    if let Some(given) = &options.media
        && let Some(home) = Shelf::home(dir, given)
        && library.media_home()?.is_none()
    {
        if library.keeps_files()? {
            let at = dir.join(MEDIA).display().to_string();
            return Err(StoreError::FilesElsewhere { at, given: given.clone() });
        }
        library.set_media_home(Some(&home))?;
    }
    Ok(shelf)
}

/// Where the files of a library are: where it remembers, or where is named, or in the data directory.
fn shelf_of(dir: &Path, library: &Tables, given: Option<&str>) -> Result<Shelf, StoreError> {
    let remembered = library.media_home()?;
    match (given, remembered) {
        (Some(given), Some(home)) if Shelf::home(dir, given).as_deref() != Some(home.trim_end_matches('/')) => {
            Err(StoreError::FilesElsewhere { at: home, given: given.to_owned() })
        }
        (_, Some(home)) => Shelf::at(dir, Some(&home)),
        (given, None) => Shelf::at(dir, given.and_then(|given| Shelf::home(dir, given)).as_deref()),
    }
}

/// Removes the files of rows that are gone.
fn sweep(library: &Tables, files: &Files) -> Result<(), StoreError> {
    library.sweep(|path| files.remove(path, |id| library.names_of(id)))
}

/// Makes a data directory where there is none.
pub(crate) fn make_directory(dir: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(dir).map_err(|error| match StoreError::io(dir, &error) {
        // A file of that name, or where a folder on the way should be.
        StoreError::Io { path, reason } => StoreError::NoDirectory { dir: path, reason },
        other => other,
    })?;
    refuse_foreign(dir)
}

/// A directory that holds something, but nothing of ours, was named by mistake.
fn refuse_foreign(dir: &Path) -> Result<(), StoreError> {
    let entries = fs::read_dir(dir).map_err(|error| StoreError::io(dir, &error))?;
    let mut foreign = false;
    for entry in entries {
        let name = entry.map_err(|error| StoreError::io(dir, &error))?.file_name();
        let name = name.to_string_lossy();
        let of_shared = || name == MEDIA && dir.join(MEDIA).join(DRAFTS).is_dir();
        if [LIBRARY, FRONTIER, "writer.lock", SESSION_KEY].contains(&&*name) || of_shared() {
            return Ok(());
        }
        let beside = BESIDE.contains(&&*name) || name.starts_with(IMPORTING);
        foreign |= !beside && !name.starts_with('.') && name != "lost+found" && !name.ends_with(".toml");
    }
    if foreign { Err(StoreError::Foreign { dir: dir.to_owned() }) } else { Ok(()) }
}
