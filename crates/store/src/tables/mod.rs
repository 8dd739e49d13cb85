//! The library as tables, on SQLite or PostgreSQL: what is written to which, and what is asked of them.
//!
//! Nothing here knows which of the two it works on, but where [`Connection::dialect`] is asked. The tables
//! themselves are made by the homes, `embedded/schema.rs` and `postgres/library.sql`.
//!
//! - [`connections`]: who writes, who reads, in either home.
//! - [`records`]: visits on their way in; [`imports`]: local files; [`forgetting`]: what goes for
//!   good; [`catalogue`]: the media and addresses they all work on.
//! - [`places`] of pages; [`said`]: what words say of media; [`locations`]: the best of all that is
//!   known of where each was made; [`whereabouts`]: the columns they share.
//! - [`descriptions`]: what files look or sound like; [`candidates`] for copies, by hashes that are [`near`]
//!   others; [`groups`] of copies; [`likeness`]: clusters of what is alike.
//! - [`persons`]: what people say and do. [`touched`]: what follows from all that is known of a file.
//! - [`wording`]: the words that they are found by; [`vocabulary`]: all words, [`terms`]: what each counts
//!   for where; [`expansion`]: what a question means in these words, with [`slips`] of the pen;
//!   [`ranking`]: the best of what has them; [`rewording`] of libraries made before.
//! - [`moving`]: from one home to another. [`orders`]: lists in an order. [`clusters`]: maps, by counted [`cells`].
//! - [`runs`]: crawls, runs and their [`tasks`]; [`figures`] (media are [`counted`] as they change), [`harvest`], [`items`] (by [`walks`]) and
//!   [`pages`], the [`nearest`] of them: what is shown.

mod boxes;
mod candidates;
mod catalogue;
mod cells;
mod clusters;
mod connections;
mod counted;
mod descriptions;
mod expansion;
mod figures;
mod forgetting;
mod groups;
mod harvest;
mod imports;
mod items;
mod lexemes;
mod licences;
mod likeness;
mod listed;
mod locations;
pub(crate) mod moving;
mod near;
mod nearest;
mod orders;
mod pages;
mod persons;
mod places;
mod ranking;
mod records;
mod rewording;
mod runs;
mod said;
mod same_bytes;
mod slips;
mod stretches;
mod tasks;
mod terms;
mod text;
pub(crate) mod timetable;
mod touched;
mod vocabulary;
mod walks;
mod whereabouts;
mod wording;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use facts::{LatLon, MediaId, MediaKind, Timestamp, UrlId};

use self::candidates::Hashes;
pub(crate) use self::connections::{Connections, change_on};
use self::forgetting::Counted;
use self::likeness::Likenesses;
use self::orders::Order;
use self::records::Records;
pub(crate) use self::records::Written;
use self::slips::Lexicon;
use crate::BlockedEntry;
use crate::embedded::SqliteConnections;
use crate::files::Names;
use crate::import::{FileAddress, IMPORTED};
use crate::postgres::{Clock, Pool};
use crate::sql::{self, Connection, Transaction};
use crate::work::off_thread;
use crate::{
    Alike, AlikeItem, Beat, Blocked, Candidate, ChangeSeen, ClusterFilter, ClusterId, Clusters, Compared, CopyGroup,
    Crawl, CrawlId, CrawlSummary, Cursor, Described, Description, Earlier, Exact, Example, Figures, Forget, Forgotten,
    Harvest, Imported, ImportedFile, ItemFilter, ItemOrder, KnownAddress, KnownByCopies, Leaders, Library,
    LibraryFigures, Listed, Matches, MediaItem, Mishap, PageFilter, PageItem, Placed, Recorded, Run, RunId, RunLimits,
    Said, SameBytes, Schedule, ScheduleId, ScheduledOutcome, ScheduledRun, ScheduledRunId, Sorted, Start, StoreError,
    Task, Undescribed, Unplaced, Visited, Which,
};

/// Bytes of the largest model, and of the largest lexicon.
const MODEL: usize = 64 << 20;

/// Bytes of the largest setting.
const SETTING: usize = 1 << 20;

/// The setting that says in which bucket files are.
pub(crate) const MEDIA_HOME: &str = "media.home";

/// The library of a data directory or of a shared database.
#[derive(Clone)]
pub(crate) struct Tables {
    connections: Arc<Connections>,
    hashes: Arc<Hashes>,
    lexicon: Arc<Lexicon>,
    likenesses: Arc<Likenesses>,
    /// What may not come back, for whoever asked for it.
    blocked: Blocked,
    /// How far its clock is ahead of the machine's.
    ahead: Duration,
    /// The clock of a shared database's server, which counts instead of the machine's.
    clock: Option<Clock>,
}

impl Tables {
    /// The library of a data directory, for writing; its clock is so far ahead of the machine's.
    pub fn write(connections: SqliteConnections, ahead: Duration) -> Self {
        let library = Self { ahead, ..Self::over(Connections::Embedded(connections)) };
        rewording::start(&library.connections);
        library
    }

    /// The library of a data directory, for reading only.
    pub fn read(connections: SqliteConnections) -> Self {
        Self::over(Connections::Embedded(connections))
    }

    /// The library of a shared database.
    pub fn shared(pool: Arc<Pool>, ahead: Duration) -> Self {
        Self { ahead, ..Self::over(Connections::Shared(pool)) }
    }

    fn over(connections: Connections) -> Self {
        Self {
            connections: Arc::new(connections),
            hashes: Arc::default(),
            lexicon: Arc::default(),
            likenesses: Arc::default(),
            blocked: Blocked::default(),
            ahead: Duration::ZERO,
            clock: None,
        }
    }

    /// The same by the clock of its server.
    pub fn by(self, clock: Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// The files that a row names for some content, for a thread that may wait.
    pub fn names_of(&self, id: MediaId) -> Result<Option<Names>, StoreError> {
        self.connections.ask(move |db| catalogue::names(db, id))
    }

    /// Refuses a library that is being moved into. Blocking.
    pub fn is_whole(&self) -> Result<(), StoreError> {
        match moving::setting(&self.connections, moving::MOVING)? {
            None => Ok(()),
            Some(_) => Err(StoreError::HalfMoved { home: self.connections.path().display().to_string() }),
        }
    }

    /// The bucket that files are in; they are in the data directory without one. Blocking.
    pub fn media_home(&self) -> Result<Option<String>, StoreError> {
        let home = self.connections.ask(|db| persons::setting(db, MEDIA_HOME))?;
        Ok(home.and_then(|home| serde_json::from_str(&home).ok()))
    }

    /// Remembers where files are. Blocking.
    pub fn set_media_home(&self, home: Option<&str>) -> Result<(), StoreError> {
        let home = home.map(|home| serde_json::Value::from(home).to_string());
        self.connections.change_here(move |db| persons::save_setting(db, MEDIA_HOME, home.as_deref()))
    }

    /// Whether there are files that were not imported where they are. Blocking.
    pub fn keeps_files(&self) -> Result<bool, StoreError> {
        self.connections.ask(|db| {
            let sql = "SELECT EXISTS (SELECT 1 FROM media WHERE path NOT LIKE '/%' OR thumbnail IS NOT NULL)";
            db.query_row(sql, [], |row| row.get(0))
        })
    }

    /// Removes files that no row names any more, as `remove` does it; for a thread that may wait.
    pub fn sweep(&self, remove: impl Fn(&str) -> Result<(), StoreError>) -> Result<(), StoreError> {
        loop {
            let doomed = self.connections.ask(forgetting::doomed)?;
            if doomed.is_empty() {
                return Ok(());
            }
            doomed.iter().try_for_each(|path| remove(path))?;
            self.connections.change_here(move |db| forgetting::removed(db, &doomed))?;
        }
    }

    fn now(&self) -> Timestamp {
        if let Some(clock) = &self.clock {
            return clock.now();
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)) + self.ahead
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl Fn(&Connection) -> sql::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let connections = Arc::clone(&self.connections);
        off_thread(self.connections.path(), move || connections.ask(question)).await
    }

    async fn change<T: Send + 'static>(
        &self,
        work: impl Fn(&Transaction<'_>) -> sql::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        Connections::change(&self.connections, work).await
    }

    /// [`Library::record`] for visits that are shared with the queue.
    pub async fn record_shared(&self, run: RunId, visits: Arc<Vec<Visited>>) -> Result<Written<Recorded>, StoreError> {
        let written = self
            .change(move |db| {
                let Some(mut records) = Records::of_run(db, run)? else { return Ok(None) };
                visits.iter().try_for_each(|visit| records.write(visit))?;
                records.finish().map(Some)
            })
            .await?;
        written.ok_or(StoreError::Unknown { what: "run", number: run.0 })
    }

    /// [`Library::import`], with what became of the files.
    pub async fn import_files(&self, files: Vec<ImportedFile>) -> Result<Written<Imported>, StoreError> {
        let addressed = |file: ImportedFile| Ok((FileAddress::of(&file.source)?, file));
        let files = files.into_iter().map(addressed).collect::<Result<Vec<_>, StoreError>>()?;
        let now = self.now();
        self.change(move |db| imports::import(db, &files, now)).await
    }
}

fn known(known: bool, run: RunId) -> Result<(), StoreError> {
    if known { Ok(()) } else { Err(StoreError::Unknown { what: "run", number: run.0 }) }
}

fn scheduled<T>(found: Option<T>, id: ScheduleId) -> Result<T, StoreError> {
    found.ok_or(StoreError::Unknown { what: "schedule", number: id.0 })
}

/// The numbers of tables end at 2⁶³ − 1.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[async_trait]
impl Library for Tables {
    async fn crawl(&self, name: &str) -> Result<Option<Crawl>, StoreError> {
        let name = name.to_owned();
        self.ask(move |db| runs::crawl(db, &name)).await
    }

    async fn save_crawl(&self, name: &str, settings: &serde_json::Value) -> Result<Crawl, StoreError> {
        let (name, settings, now) = (name.to_owned(), settings.to_string(), self.now());
        self.change(move |db| runs::save_crawl(db, &name, &settings, now)).await
    }

    async fn crawls(&self) -> Result<Vec<CrawlSummary>, StoreError> {
        self.ask(figures::summaries).await
    }

    async fn start_run(&self, crawl: CrawlId, limits: RunLimits, task_pages: u64) -> Result<Run, StoreError> {
        let now = self.now();
        let run = self.change(move |db| runs::start_run(db, crawl, limits, task_pages, now)).await?;
        run.ok_or(StoreError::Unknown { what: "crawl", number: crawl.0.into() })
    }

    async fn run(&self, run: RunId) -> Result<Option<Run>, StoreError> {
        self.ask(move |db| runs::run(db, run)).await
    }

    async fn beat(&self, run: RunId, beat: &Beat, every: Duration) -> Result<(), StoreError> {
        let beat = beat.clone();
        let is_known = match &*self.connections {
            Connections::Embedded(_) => self.change(move |db| runs::beat(db, run, &beat, every)).await?,
            Connections::Shared(_) => self.ask(move |db| runs::beat_beside(db, run, &beat, every)).await?,
        };
        known(is_known, run)
    }

    async fn end_run(&self, run: RunId, seconds: f64, stopped: Option<&str>) -> Result<(), StoreError> {
        let (stopped, now) = (stopped.map(str::to_owned), self.now());
        known(self.change(move |db| runs::end_run(db, run, seconds, stopped.as_deref(), now)).await?, run)
    }

    async fn record(&self, run: RunId, visits: &[Visited]) -> Result<Recorded, StoreError> {
        self.record_shared(run, Arc::new(visits.to_vec())).await.map(|written| written.what)
    }

    async fn figures(&self, crawl: CrawlId, run: Option<RunId>) -> Result<Figures, StoreError> {
        self.ask(move |db| figures::of_crawl(db, crawl, run)).await
    }

    async fn tasks(&self, run: RunId) -> Result<Vec<Task>, StoreError> {
        self.ask(move |db| runs::tasks(db, run)).await
    }

    async fn starts(&self, crawl: CrawlId) -> Result<Vec<Start>, StoreError> {
        self.ask(move |db| runs::starts(db, crawl)).await
    }

    async fn mishaps(&self, crawl: CrawlId, most: usize) -> Result<Vec<Mishap>, StoreError> {
        self.ask(move |db| figures::mishaps(db, crawl, most)).await
    }

    async fn earlier(&self, crawl: CrawlId, addresses: &[UrlId]) -> Result<Vec<Option<Earlier>>, StoreError> {
        let addresses = addresses.to_vec();
        self.ask(move |db| records::again::earlier(db, crawl, &addresses)).await
    }

    async fn known_addresses(
        &self,
        crawl: CrawlId,
        which: Which,
        after: i64,
        most: usize,
    ) -> Result<Vec<KnownAddress>, StoreError> {
        self.ask(move |db| records::again::known_addresses(db, crawl, which, after, most)).await
    }

    async fn changes(&self, crawl: CrawlId, most: usize) -> Result<Vec<ChangeSeen>, StoreError> {
        self.ask(move |db| records::again::changes(db, crawl, most)).await
    }

    async fn library_figures(&self, hosts: usize) -> Result<LibraryFigures, StoreError> {
        self.ask(move |db| figures::of_library(db, hosts)).await
    }

    async fn media_path(&self, id: MediaId) -> Result<Option<String>, StoreError> {
        let names = self.ask(move |db| catalogue::names(db, id)).await?;
        Ok(names.map(|names| names.path))
    }

    async fn items(&self, filter: &ItemFilter, after: i64, most: usize) -> Result<Vec<MediaItem>, StoreError> {
        let filter = filter.clone();
        let lexicon = Arc::clone(&self.lexicon);
        self.ask(move |db| items::items(db, &lexicon, &filter, after, most)).await
    }

    async fn search_items(
        &self,
        filter: &ItemFilter,
        nearest_to: Option<LatLon>,
        skip: usize,
        most: usize,
    ) -> Result<Matches<MediaItem>, StoreError> {
        let filter = filter.clone();
        let lexicon = Arc::clone(&self.lexicon);
        self.ask(move |db| items::search(db, &lexicon, &filter, nearest_to, skip, most)).await
    }

    async fn list_items(
        &self,
        filter: &ItemFilter,
        order: ItemOrder,
        after: Option<&Cursor>,
        most: usize,
    ) -> Result<Listed<MediaItem>, StoreError> {
        let (filter, after) = (filter.clone(), after.cloned());
        let lexicon = Arc::clone(&self.lexicon);
        self.ask(move |db| items::list(db, &lexicon, &filter, Order::By(order), after.as_ref(), most)).await
    }

    async fn unverified(&self, after: Option<&Cursor>, most: usize) -> Result<Listed<MediaItem>, StoreError> {
        let after = after.cloned();
        let lexicon = Arc::clone(&self.lexicon);
        self.ask(move |db| items::list(db, &lexicon, &ItemFilter::default(), Order::Doubt, after.as_ref(), most)).await
    }

    async fn clusters(&self, what: &ClusterFilter, view: [f64; 4], zoom: u8) -> Result<Clusters, StoreError> {
        let what = what.clone();
        let lexicon = Arc::clone(&self.lexicon);
        self.ask(move |db| clusters::clusters(db, &lexicon, &what, view, zoom)).await
    }

    async fn item(&self, id: MediaId) -> Result<Option<MediaItem>, StoreError> {
        self.ask(move |db| items::item(db, id)).await
    }

    async fn import(&self, files: &[ImportedFile]) -> Result<Imported, StoreError> {
        self.import_files(files.to_vec()).await.map(|written| written.what)
    }

    async fn imported(&self, paths: &[String]) -> Result<Vec<Option<(u64, i64)>>, StoreError> {
        let paths = paths.to_vec();
        self.ask(move |db| imports::imported(db, &paths)).await
    }

    async fn set_location(&self, id: MediaId, said: Said) -> Result<bool, StoreError> {
        self.change(move |db| locations::set(db, id, &said)).await
    }

    async fn set_text(
        &self,
        id: MediaId,
        title: Option<Option<String>>,
        description: Option<Option<String>>,
    ) -> Result<bool, StoreError> {
        self.change(move |db| persons::set_text(db, id, &title, &description)).await
    }

    async fn remove(&self, id: MediaId) -> Result<bool, StoreError> {
        // Said again after a lost answer, it finds nothing of what it removed.
        let removed = AtomicBool::new(false);
        self.change(move |db| {
            let is = persons::remove(db, id)?;
            Ok(removed.fetch_or(is, Ordering::Relaxed) || is)
        })
        .await
    }

    async fn describe(&self, described: &[(MediaId, Described)]) -> Result<u64, StoreError> {
        let described = described.to_vec();
        self.change(move |db| descriptions::describe(db, &described)).await
    }

    async fn description(&self, id: MediaId) -> Result<Option<Described>, StoreError> {
        self.ask(move |db| descriptions::description(db, id)).await
    }

    async fn undescribed(
        &self,
        kind: MediaKind,
        version: u16,
        after: Option<&Cursor>,
        most: usize,
    ) -> Result<Listed<Undescribed>, StoreError> {
        let after = after.cloned();
        self.ask(move |db| descriptions::undescribed(db, kind, version, after.as_ref(), most)).await
    }

    async fn uncompared(
        &self,
        after: Option<&Cursor>,
        most: usize,
    ) -> Result<Listed<(MediaId, MediaKind, Description)>, StoreError> {
        let after = after.cloned();
        self.ask(move |db| descriptions::uncompared(db, after.as_ref(), most)).await
    }

    async fn exact(&self, asked: &[Exact]) -> Result<Vec<Option<MediaId>>, StoreError> {
        let asked = asked.to_vec();
        self.ask(move |db| descriptions::exact(db, &asked)).await
    }

    async fn candidates(&self, example: &Example) -> Result<Vec<Candidate>, StoreError> {
        let (example, hashes) = (example.clone(), Arc::clone(&self.hashes));
        self.ask(move |db| candidates::candidates(db, &hashes, &example)).await
    }

    async fn leaders(&self, kind: MediaKind, version: u16) -> Result<Leaders, StoreError> {
        self.ask(move |db| likeness::leaders(db, kind, version)).await
    }

    async fn found_clusters(
        &self,
        kind: MediaKind,
        version: u16,
        sorted: Option<Sorted>,
        points: &[Vec<i8>],
    ) -> Result<Vec<ClusterId>, StoreError> {
        let points = points.to_vec();
        self.change(move |db| likeness::found(db, kind, version, sorted, &points)).await
    }

    async fn unplaced(&self, kind: MediaKind, version: u16, most: usize) -> Result<Vec<Unplaced>, StoreError> {
        self.ask(move |db| likeness::unplaced(db, kind, version, most)).await
    }

    async fn misplaced(
        &self,
        kind: MediaKind,
        version: u16,
        most: usize,
    ) -> Result<Vec<(MediaId, Vec<i8>)>, StoreError> {
        self.ask(move |db| likeness::misplaced(db, kind, version, most)).await
    }

    async fn place(&self, placed: &[Placed]) -> Result<(), StoreError> {
        let (placed, held) = (placed.to_vec(), Arc::clone(&self.likenesses));
        self.change(move |db| likeness::place(db, &held, &placed)).await
    }

    async fn points(&self, kind: MediaKind, version: u16, most: usize) -> Result<Vec<Vec<i8>>, StoreError> {
        self.ask(move |db| likeness::points(db, kind, version, most)).await
    }

    async fn alike(&self, asked: &Alike) -> Result<Vec<AlikeItem>, StoreError> {
        let (asked, held) = (asked.clone(), Arc::clone(&self.likenesses));
        self.ask(move |db| likeness::alike(db, &held, &asked)).await
    }

    async fn compared(&self, compared: &[Compared]) -> Result<(), StoreError> {
        let compared = compared.to_vec();
        self.change(move |db| groups::compared(db, &compared)).await
    }

    async fn copy_groups(&self, after: Option<&Cursor>, most: usize) -> Result<Listed<CopyGroup>, StoreError> {
        let after = after.cloned();
        self.ask(move |db| groups::groups(db, after.as_ref(), most)).await
    }

    async fn same_bytes(&self, after: Option<&Cursor>, most: usize) -> Result<Listed<SameBytes>, StoreError> {
        let after = after.cloned();
        self.ask(move |db| same_bytes::same_bytes(db, after.as_ref(), most)).await
    }

    async fn copy_group(&self, id: MediaId) -> Result<Option<CopyGroup>, StoreError> {
        self.ask(move |db| groups::group(db, id)).await
    }

    async fn set_apart(&self, id: MediaId) -> Result<bool, StoreError> {
        self.change(move |db| groups::set_apart(db, id)).await
    }

    async fn unset_apart(&self, id: MediaId) -> Result<bool, StoreError> {
        self.change(move |db| groups::unset_apart(db, id)).await
    }

    async fn known_by_copies(&self, id: MediaId) -> Result<KnownByCopies, StoreError> {
        self.ask(move |db| groups::known_by_copies(db, id)).await
    }

    async fn schedules(&self) -> Result<Vec<Schedule>, StoreError> {
        self.ask(timetable::schedules).await
    }

    async fn schedule(&self, id: ScheduleId) -> Result<Option<Schedule>, StoreError> {
        self.ask(move |db| timetable::schedule(db, id)).await
    }

    async fn save_schedule(&self, schedule: &Schedule) -> Result<Schedule, StoreError> {
        timetable::fits(schedule)?;
        let (id, schedule, made) = (schedule.id, schedule.clone(), timetable::Made::default());
        scheduled(self.change(move |db| timetable::save(db, &schedule, &made)).await?, id)
    }

    async fn remove_schedule(&self, id: ScheduleId) -> Result<bool, StoreError> {
        self.change(move |db| timetable::remove(db, id)).await
    }

    async fn start_scheduled(
        &self,
        schedule: ScheduleId,
        due: Timestamp,
        now: Timestamp,
    ) -> Result<Option<ScheduledRunId>, StoreError> {
        let made = timetable::Made::default();
        scheduled(self.change(move |db| timetable::start(db, schedule, due, now, &made)).await?, schedule)
    }

    async fn note_scheduled(
        &self,
        schedule: ScheduleId,
        due: Timestamp,
        outcome: ScheduledOutcome,
        detail: &str,
        now: Timestamp,
    ) -> Result<ScheduledRunId, StoreError> {
        let (detail, made) = (detail.to_owned(), timetable::Made::default());
        let noted = self.change(move |db| timetable::note(db, schedule, due, outcome, &detail, now, &made)).await?;
        scheduled(noted, schedule)
    }

    async fn beat_scheduled(
        &self,
        run: ScheduledRunId,
        pages: u64,
        images: u64,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.change(move |db| timetable::beat(db, run, pages, images, now)).await
    }

    async fn end_scheduled(
        &self,
        run: ScheduledRunId,
        outcome: ScheduledOutcome,
        detail: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let detail = detail.to_owned();
        self.change(move |db| timetable::end(db, run, outcome, &detail, now)).await
    }

    async fn scheduled_runs(
        &self,
        schedule: ScheduleId,
        after: Option<ScheduledRunId>,
        most: usize,
    ) -> Result<Vec<ScheduledRun>, StoreError> {
        self.ask(move |db| timetable::runs(db, schedule, after, most)).await
    }

    async fn broken_scheduled(&self) -> Result<Vec<ScheduledRun>, StoreError> {
        self.ask(timetable::at_work).await
    }

    async fn revision(&self) -> Result<Option<u64>, StoreError> {
        Connections::revision(&self.connections).await
    }

    async fn setting(&self, name: &str) -> Result<Option<serde_json::Value>, StoreError> {
        let name = name.to_owned();
        let value = self.ask(move |db| persons::setting(db, &name)).await?;
        let damaged = |error: serde_json::Error| StoreError::Damaged {
            path: self.connections.path().to_owned(),
            reason: format!("a setting is not JSON: {error}"),
        };
        value.map(|text| serde_json::from_str(&text).map_err(damaged)).transpose()
    }

    async fn save_setting(&self, name: &str, value: &serde_json::Value) -> Result<(), StoreError> {
        let (name, text) = (name.to_owned(), (!value.is_null()).then(|| value.to_string()));
        let bytes = name.len() + text.as_ref().map_or(0, String::len);
        if bytes > SETTING {
            return Err(StoreError::TooLarge { what: "a setting", bytes, most: SETTING });
        }
        self.change(move |db| persons::save_setting(db, &name, text.as_deref())).await
    }

    async fn pages(&self, filter: &PageFilter, after: i64, most: usize) -> Result<Vec<PageItem>, StoreError> {
        let filter = filter.clone();
        let lexicon = Arc::clone(&self.lexicon);
        self.ask(move |db| pages::pages(db, &lexicon, &filter, after, most)).await
    }

    async fn search_pages(
        &self,
        filter: &PageFilter,
        nearest_to: Option<LatLon>,
        skip: usize,
        most: usize,
    ) -> Result<Matches<PageItem>, StoreError> {
        let filter = filter.clone();
        let lexicon = Arc::clone(&self.lexicon);
        self.ask(move |db| pages::search(db, &lexicon, &filter, nearest_to, skip, most)).await
    }

    async fn harvest(&self, crawl: Option<CrawlId>) -> Result<Harvest, StoreError> {
        self.ask(move |db| harvest::read(db, crawl)).await
    }

    async fn harvest_curve(&self, crawl: CrawlId, points: usize) -> Result<Vec<(u64, u64)>, StoreError> {
        self.ask(move |db| harvest::curve(db, crawl, points)).await
    }

    async fn model(&self, crawl: CrawlId) -> Result<Option<Vec<u8>>, StoreError> {
        self.ask(move |db| runs::model(db, crawl)).await
    }

    async fn save_model(&self, crawl: CrawlId, model: Vec<u8>) -> Result<(), StoreError> {
        if model.len() > MODEL {
            return Err(StoreError::TooLarge { what: "what a strategy has learnt", bytes: model.len(), most: MODEL });
        }
        let known = self.change(move |db| runs::save_model(db, crawl, &model)).await?;
        if known { Ok(()) } else { Err(StoreError::Unknown { what: "crawl", number: crawl.0.into() }) }
    }

    async fn swap_model(&self, crawl: CrawlId, before: Option<Vec<u8>>, model: Vec<u8>) -> Result<bool, StoreError> {
        if model.len() > MODEL {
            return Err(StoreError::TooLarge { what: "what a strategy has learnt", bytes: model.len(), most: MODEL });
        }
        self.change(move |db| runs::swap(db, "model", crawl, before.as_deref(), &model)).await
    }

    async fn swap_lexicon(
        &self,
        crawl: CrawlId,
        before: Option<Vec<u8>>,
        lexicon: Vec<u8>,
    ) -> Result<bool, StoreError> {
        if lexicon.len() > MODEL {
            return Err(StoreError::TooLarge { what: "the words of a crawl", bytes: lexicon.len(), most: MODEL });
        }
        self.change(move |db| runs::swap(db, "lexicon", crawl, before.as_deref(), &lexicon)).await
    }

    async fn lexicon(&self, crawl: CrawlId) -> Result<Option<Vec<u8>>, StoreError> {
        self.ask(move |db| runs::lexicon(db, crawl)).await
    }

    async fn save_lexicon(&self, crawl: CrawlId, lexicon: Vec<u8>) -> Result<(), StoreError> {
        if lexicon.len() > MODEL {
            return Err(StoreError::TooLarge { what: "the words of a crawl", bytes: lexicon.len(), most: MODEL });
        }
        let known = self.change(move |db| runs::save_lexicon(db, crawl, &lexicon)).await?;
        if known { Ok(()) } else { Err(StoreError::Unknown { what: "crawl", number: crawl.0.into() }) }
    }

    async fn forget(&self, what: &Forget) -> Result<Forgotten, StoreError> {
        let (now, counted) = (self.now(), Counted::default());
        let forgotten = match what.clone() {
            Forget::Host(host) if host.as_str() == IMPORTED => Err(StoreError::NoHost),
            Forget::Host(host) => {
                self.change(move |db| forgetting::forget_host(db, &host, now).map(|some| counted.add(some))).await
            }
            Forget::Address(url) => {
                self.change(move |db| forgetting::forget_address(db, &url, now).map(|some| counted.add(some))).await
            }
            Forget::File(path) => {
                let address = FileAddress::of(&path)?;
                let forget = move |db: &Transaction<'_>| forgetting::forget_file(db, &path, &address, now);
                self.change(move |db| forget(db).map(|some| counted.add(some))).await
            }
        }?;
        self.look_for_forgotten().await?;
        Ok(forgotten)
    }

    async fn forgotten(&self) -> Result<Blocked, StoreError> {
        self.blocked.renew(self.ask(forgetting::blocked).await?);
        Ok(self.blocked.clone())
    }

    async fn look_for_forgotten(&self) -> Result<(), StoreError> {
        let Some(known) = self.blocked.times() else { return Ok(()) };
        let more = move |db: &Connection| match forgetting::times(db)? {
            times if times == known => Ok(None),
            _ => forgetting::blocked(db).map(Some),
        };
        if let Some(lists) = self.ask(more).await? {
            self.blocked.renew(lists);
        }
        Ok(())
    }

    async fn forgotten_list(&self, after: usize, most: usize) -> Result<Vec<BlockedEntry>, StoreError> {
        self.ask(move |db| forgetting::list(db, after, most)).await
    }
}
