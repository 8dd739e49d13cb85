//! The library: what people look at.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use facts::{LatLon, MediaId, MediaKind, Timestamp, Url, UrlId};
use serde::{Deserialize, Serialize};

use crate::{
    Alike, AlikeItem, Blocked, BlockedEntry, Candidate, ChangeSeen, ClusterFilter, ClusterId, Clusters, Compared,
    CopyGroup, Cursor, Described, Description, Earlier, Exact, Example, Forget, Forgotten, FrontierFigures, Harvest,
    Imported, ImportedFile, ItemFilter, ItemOrder, KnownAddress, KnownByCopies, Leaders, Listed, Matches, MediaItem,
    PageFilter, PageItem, Placed, Said, SameBytes, Schedule, ScheduleId, ScheduledOutcome, ScheduledRun,
    ScheduledRunId, Sorted, StoreError, Undescribed, Units, Unplaced, Visited, Which,
};

/// A crawl: a name, its settings, its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CrawlId(pub u32);

/// One order to crawl within limits; what a killed one left undone belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(pub i64);

/// A crawl as it was ordered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Crawl {
    /// Its number in this library.
    pub id: CrawlId,
    /// Its name, unique in the library.
    pub name: String,
    /// The settings it was last started with, as the engine wrote them.
    pub settings: serde_json::Value,
    /// When it was first started.
    pub created: Timestamp,
}

/// What ends a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// Pages read.
    pub pages: Option<u64>,
    /// Seconds at work, over interruptions.
    pub seconds: Option<u64>,
    /// Bytes received.
    pub bytes: Option<u64>,
}

/// A run and how far it came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its number.
    pub id: RunId,
    /// Its crawl.
    pub crawl: CrawlId,
    /// Its limits.
    pub limits: RunLimits,
    /// Pages in one task, the unit run times are compared by [000 §6].
    pub task_pages: u64,
    /// When it was first started.
    pub started: Timestamp,
    /// When it ended; nothing while it runs or when it was killed.
    pub ended: Option<Timestamp>,
    /// Seconds at work so far, over interruptions.
    pub seconds: f64,
    /// Why it ended: `max-pages`, `max-time`, `max-bytes`, `empty`, `until`, `disk`, `stopped`, `failed`;
    /// nothing for one that was interrupted or killed, which the next start resumes.
    pub stopped: Option<String>,
    /// The most memory that a process at work on it had, in bytes.
    pub peak_memory: Option<u64>,
    /// What its time was spent on, by the name of the step.
    pub steps: BTreeMap<String, Step>,
}

/// A part of the work of a run. Steps of many visits are done at once, so their times may add up to
/// more than the run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// How often it was done.
    pub count: u64,
    /// How long it took, all times together.
    pub seconds: f64,
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beat {
    /// Seconds at work, over interruptions.
    pub seconds: f64,
    /// Its queue.
    pub frontier: FrontierFigures,
    /// The most memory of the process so far, in bytes.
    pub peak_memory: Option<u64>,
    /// What its time was spent on, over interruptions.
    pub steps: BTreeMap<String, Step>,
}

/// A slice of a run: so many pages one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// 1 for the first of a run.
    pub number: u64,
    /// When the one before it ended, or the run started.
    pub started: Timestamp,
    /// When its last page was read, or the run ended; nothing while it is being filled.
    pub ended: Option<Timestamp>,
    /// Pages read in it.
    pub pages: u64,
    /// Of them, those relevant to the crawl's region.
    pub relevant: u64,
}

/// Counted outcomes of a crawl or of one run, all summed in the transaction that wrote them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// Pages read.
    pub pages: u64,
    /// Visits of any kind.
    pub visits: u64,
    /// Of them, those that a server answered.
    #[serde(default)]
    pub fetched: u64,
    /// Addresses on pages that may be visited, on each page once.
    #[serde(default)]
    pub links: u64,
    /// Of them, those that only scripts brought.
    #[serde(default)]
    pub dynamic: u64,
    /// Pages whose scripts were run.
    #[serde(default)]
    pub rendered: u64,
    /// States of those pages.
    #[serde(default)]
    pub states: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Media seen on pages, kept, and refused by reason, by kind (`image`, `video`, `audio`).
    pub media: BTreeMap<String, MediaFigures>,
    /// Kept files whose bytes were known already.
    pub duplicates: u64,
    /// Bytes of refused files that were not fetched.
    pub saved: u64,
    /// Kept images that say where they were made.
    pub geotagged: u64,
    /// Kept images that do not, and whose place is known from words.
    pub located: u64,
    /// Pages relevant to the crawl's region.
    pub relevant: u64,
    /// Blocks of structured data on pages that could not be read.
    pub malformed: u64,
    /// Addresses of media, kept or not, that name a location which cannot be, by reason.
    pub wrong_locations: BTreeMap<String, u64>,
    /// Failed visits by reason.
    pub errors: BTreeMap<String, u64>,
    /// What later visits of known addresses found, by kind (`page`, `image` …): `unchanged`, `changed`,
    /// `gone`, `back`.
    pub revisits: BTreeMap<String, BTreeMap<String, u64>>,
}

impl Figures {
    /// Pages that were asked for: read, or found as they had been.
    pub fn pages_asked(&self) -> u64 {
        let unchanged = self.revisits.get("page").and_then(|page| page.get("unchanged"));
        self.pages + unchanged.copied().unwrap_or(0)
    }
}

/// Figures of one kind of media.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaFigures {
    /// Distinct addresses seen on pages.
    pub seen: u64,
    /// Kept.
    pub kept: u64,
    /// Not kept, by reason.
    pub refused: BTreeMap<String, u64>,
}

/// What was new to the library in one [`Library::record`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Pages read, and pages found unchanged.
    pub pages: u64,
    /// Bytes received.
    pub bytes: u64,
}

/// A start page and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Its address, or that of the page it redirected to.
    pub url: Url,
    /// Whether its last visit failed.
    pub failed: bool,
}

/// A crawl in the list of crawls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CrawlSummary {
    /// The crawl.
    pub crawl: Crawl,
    /// Its figures over all runs.
    pub figures: Figures,
    /// Its queue when it was last written down.
    pub frontier: FrontierFigures,
    /// Its runs, oldest first.
    pub runs: Vec<Run>,
}

/// Something that went wrong, for the log of a crawl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mishap {
    /// When.
    pub at: Timestamp,
    /// Where.
    pub url: String,
    /// The reason it is counted by.
    pub reason: String,
    /// What happened.
    pub detail: String,
}

/// Figures of the whole library.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LibraryFigures {
    /// Addresses discovered and visited, over all crawls.
    pub discovered: u64,
    /// See `discovered`.
    pub visited: u64,
    /// Pages read.
    pub pages: u64,
    /// Distinct kept files by kind.
    pub media: BTreeMap<String, u64>,
    /// Distinct kept images.
    pub images: ImageLibraryFigures,
    /// Hosts with the most pages first, at most as many as asked for.
    pub hosts: Vec<HostFigures>,
    /// Images with a location in their metadata by the top-level domain they came from, most first.
    pub tlds: Vec<(String, u64)>,
    /// Images by the country they are shown to be made in, most first.
    pub by_country: Vec<(String, u64)>,
    /// Images by the month they were made in, as they say: `2008-05`, the earliest first.
    pub by_month: Vec<(String, u64)>,
    /// What became of the images that crawls saw: `kept`, or why they were refused.
    pub results: BTreeMap<String, u64>,
    /// Bytes on disk.
    pub disk: DiskFigures,
    /// Pages that speak of a place.
    pub pages_with_places: u64,
    /// How well crawls found what they were sent for.
    pub harvest: Harvest,
    /// What each part of the crawls did.
    pub units: Units,
    /// Runs, oldest first.
    pub runs: Vec<(String, Run, u64)>,
}

/// What a library takes on disk, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskFigures {
    /// Its tables.
    pub library: u64,
    /// The kept files, without thumbnails and without those that were imported where they are.
    pub media: u64,
}

/// Figures of the distinct images of a library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImageLibraryFigures {
    /// All of them.
    pub total: u64,
    /// Those that say where they were made.
    pub with_location_in_metadata: u64,
    /// The others.
    pub without: u64,
    /// Of the others, those whose place is known from words.
    pub located_by_text: u64,
    /// Of the others, those that name a location which cannot be.
    pub wrong_coordinates: u64,
    /// Pixels, right way up, over those whose size is known.
    pub average_width: Option<f64>,
    /// See `average_width`.
    pub average_height: Option<f64>,
}

/// Figures of one host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFigures {
    /// Its name.
    pub host: String,
    /// Pages read there.
    pub pages: u64,
    /// Addresses there that hold a kept image.
    pub images: u64,
    /// Of them, those whose image says where it was made.
    pub geotagged: u64,
}

/// Pages, media, crawls, and every figure that is shown.
#[async_trait]
pub trait Library: Send + Sync {
    /// The crawl of that name.
    async fn crawl(&self, name: &str) -> Result<Option<Crawl>, StoreError>;

    /// Makes a crawl, or gives the one of that name new settings.
    async fn save_crawl(&self, name: &str, settings: &serde_json::Value) -> Result<Crawl, StoreError>;

    /// All crawls, newest first.
    async fn crawls(&self) -> Result<Vec<CrawlSummary>, StoreError>;

    /// Goes on with the crawl's unfinished run, or starts a new one; with these limits.
    async fn start_run(&self, crawl: CrawlId, limits: RunLimits, task_pages: u64) -> Result<Run, StoreError>;

    /// A run as it is now; nothing when there is none of that number.
    async fn run(&self, run: RunId) -> Result<Option<Run>, StoreError>;

    /// Writes down how far the run has come, so that a kill loses at most what came since. When whoever works on it
    /// wrote that less than `every` ago, it is not written again; zero writes it always.
    async fn beat(&self, run: RunId, beat: &Beat, every: Duration) -> Result<(), StoreError>;

    /// The run is over (`Some(reason)`) or interrupted (`None`).
    async fn end_run(&self, run: RunId, seconds: f64, stopped: Option<&str>) -> Result<(), StoreError>;

    /// Writes what visits found. Writing a visit again changes nothing, also no figure.
    /// Called by [`Store::commit`](crate::Store::commit).
    async fn record(&self, run: RunId, visits: &[Visited]) -> Result<Recorded, StoreError>;

    /// Figures of one run, or of all runs of a crawl.
    async fn figures(&self, crawl: CrawlId, run: Option<RunId>) -> Result<Figures, StoreError>;

    /// The tasks of a run, in order.
    async fn tasks(&self, run: RunId) -> Result<Vec<Task>, StoreError>;

    /// The visited start pages of a crawl, and where they redirected.
    async fn starts(&self, crawl: CrawlId) -> Result<Vec<Start>, StoreError>;

    /// What went wrong in a crawl, newest first.
    async fn mishaps(&self, crawl: CrawlId, most: usize) -> Result<Vec<Mishap>, StoreError>;

    /// What earlier visits of these addresses left, for those that brought something.
    async fn earlier(&self, crawl: CrawlId, addresses: &[UrlId]) -> Result<Vec<Option<Earlier>>, StoreError>;

    /// The next `most` addresses of a crawl that can be visited again, after the one with this number
    /// (0 for the first).
    async fn known_addresses(
        &self,
        crawl: CrawlId,
        which: Which,
        after: i64,
        most: usize,
    ) -> Result<Vec<KnownAddress>, StoreError>;

    /// Changes that a crawl saw when it came again, newest first.
    async fn changes(&self, crawl: CrawlId, most: usize) -> Result<Vec<ChangeSeen>, StoreError>;

    /// Figures of the library, with at most `hosts` hosts.
    async fn library_figures(&self, hosts: usize) -> Result<LibraryFigures, StoreError>;

    /// Where the kept file with this content is, relative to the media directory.
    async fn media_path(&self, id: MediaId) -> Result<Option<String>, StoreError>;

    /// The next `most` items in order of arrival, after the one with this number (0 for the first);
    /// each with at most 100 of the places it was found at.
    async fn items(&self, filter: &ItemFilter, after: i64, most: usize) -> Result<Vec<MediaItem>, StoreError>;

    /// `most` items that match, after the first `skip` (10,000 at most): about a point, the nearest
    /// first; with words, those that fit best; else in order of arrival. And how many match. Of words that
    /// more than 2,500 have, so many of the newest are compared, and of those where they are prominent.
    async fn search_items(
        &self,
        filter: &ItemFilter,
        nearest_to: Option<LatLon>,
        skip: usize,
        most: usize,
    ) -> Result<Matches<MediaItem>, StoreError>;

    /// The next `most` items in an order, after what the last page gave as next; each with at most
    /// 100 of the places it was found at.
    async fn list_items(
        &self,
        filter: &ItemFilter,
        order: ItemOrder,
        after: Option<&Cursor>,
        most: usize,
    ) -> Result<Listed<MediaItem>, StoreError>;

    /// Items whose shown location nobody confirmed, the least certain first and of equally certain
    /// ones the coarsest.
    async fn unverified(&self, after: Option<&Cursor>, most: usize) -> Result<Listed<MediaItem>, StoreError>;

    /// What a map shows of a view (south, west, north, east; over the date line when west is larger
    /// than east), at the zoom of a map with tiles of 512 pixels. Cells that the view touches are
    /// counted whole. Filters other than kinds and relevance look at the newest 10,000 that match.
    async fn clusters(&self, what: &ClusterFilter, view: [f64; 4], zoom: u8) -> Result<Clusters, StoreError>;

    /// The item with this content.
    async fn item(&self, id: MediaId) -> Result<Option<MediaItem>, StoreError>;

    /// Sets where an item was made, as a person says; nothing any source says later changes that. It
    /// is kept by content, and there again when the content is. Gives whether there is such an item,
    /// and a location to confirm.
    async fn set_location(&self, id: MediaId, said: Said) -> Result<bool, StoreError>;

    /// Writes a person's title or description over what file and pages say, or takes it back
    /// (`Some(None)`); `None` leaves it as it is. They are cut at 500 and 5,000 characters, and kept
    /// by content as places are. Gives whether there is such an item.
    async fn set_text(
        &self,
        id: MediaId,
        title: Option<Option<String>>,
        description: Option<Option<String>>,
    ) -> Result<bool, StoreError>;

    /// The next `most` pages that speak of a place, in order of arrival, after the one with this
    /// number (0 for the first).
    async fn pages(&self, filter: &PageFilter, after: i64, most: usize) -> Result<Vec<PageItem>, StoreError>;

    /// `most` pages that match, after the first `skip`, as items are: about a point, those that speak
    /// of the nearest places first. And how many match.
    async fn search_pages(
        &self,
        filter: &PageFilter,
        nearest_to: Option<LatLon>,
        skip: usize,
        most: usize,
    ) -> Result<Matches<PageItem>, StoreError>;

    /// How well a crawl, or all of them, found what it was sent for.
    async fn harvest(&self, crawl: Option<CrawlId>) -> Result<Harvest, StoreError>;

    /// Relevant pages after so many pages, in at most `points` steps: the harvest curve of a crawl.
    async fn harvest_curve(&self, crawl: CrawlId, points: usize) -> Result<Vec<(u64, u64)>, StoreError>;

    /// What the strategy of a crawl has learnt.
    async fn model(&self, crawl: CrawlId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Remembers it in place of what was there: 64 MiB at most.
    async fn save_model(&self, crawl: CrawlId, model: Vec<u8>) -> Result<(), StoreError>;

    /// Remembers what a strategy has learnt where what is remembered is still `before`; gives whether it was.
    /// Who finds that it is not takes in what others learnt meanwhile, and tries again.
    async fn swap_model(&self, crawl: CrawlId, before: Option<Vec<u8>>, model: Vec<u8>) -> Result<bool, StoreError>;

    /// How common words are on the pages of a crawl.
    async fn lexicon(&self, crawl: CrawlId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Remembers it in place of what was there: 64 MiB at most.
    async fn save_lexicon(&self, crawl: CrawlId, lexicon: Vec<u8>) -> Result<(), StoreError>;

    /// As [`swap_model`](Self::swap_model), for how common words are.
    async fn swap_lexicon(&self, crawl: CrawlId, before: Option<Vec<u8>>, lexicon: Vec<u8>)
    -> Result<bool, StoreError>;

    /// Takes local files in as if they had been crawled, all or nothing. Doing it again changes
    /// nothing. Called by [`Store::import`](crate::Store::import).
    async fn import(&self, files: &[ImportedFile]) -> Result<Imported, StoreError>;

    /// Size and time of change that each of these files had when it was taken; none for one that
    /// was refused, for other rules may take it.
    async fn imported(&self, paths: &[String]) -> Result<Vec<Option<(u64, i64)>>, StoreError>;

    /// Takes rows out for good and lets nothing of it come back, also what was never there.
    /// Called by [`Store::forget`](crate::Store::forget), which removes the files.
    async fn forget(&self, what: &Forget) -> Result<Forgotten, StoreError>;

    /// Takes an item out. Its addresses stay known and it may come back, with what a person said of
    /// it. Gives whether there was such an item. Called by [`Store::remove`](crate::Store::remove),
    /// which removes the files.
    async fn remove(&self, id: MediaId) -> Result<bool, StoreError>;

    /// Writes what came of describing items, all or nothing, in place of what was there; gives how many
    /// of them there are. Each is to be compared then.
    async fn describe(&self, described: &[(MediaId, Described)]) -> Result<u64, StoreError>;

    /// What came of describing an item.
    async fn description(&self, id: MediaId) -> Result<Option<Described>, StoreError>;

    /// The next items of a kind that nobody tried to describe by the formulas of this version.
    async fn undescribed(
        &self,
        kind: MediaKind,
        version: u16,
        after: Option<&Cursor>,
        most: usize,
    ) -> Result<Listed<Undescribed>, StoreError>;

    /// The next items that are described and were not compared since, in order of arrival: those that
    /// came in last, and those that a kill left.
    async fn uncompared(
        &self,
        after: Option<&Cursor>,
        most: usize,
    ) -> Result<Listed<(MediaId, MediaKind, Description)>, StoreError>;

    /// The item with these bytes, or the first with these pixels, for each of these.
    async fn exact(&self, asked: &[Exact]) -> Result<Vec<Option<MediaId>>, StoreError>;

    /// Items that may be copies of this one, the likeliest first: 1,000 at most. Only what the
    /// descriptions of both say decides.
    async fn candidates(&self, example: &Example) -> Result<Vec<Candidate>, StoreError>;

    /// The leaders of the clusters of a kind, described by formulas of this version.
    async fn leaders(&self, kind: MediaKind, version: u16) -> Result<Leaders, StoreError>;

    /// Founds clusters with these middles, and gives their numbers. With `sorted` they are a clustering
    /// of their own: all others are older from then on, and go when their last member does. 65,536 at
    /// most.
    async fn found_clusters(
        &self,
        kind: MediaKind,
        version: u16,
        sorted: Option<Sorted>,
        points: &[Vec<i8>],
    ) -> Result<Vec<ClusterId>, StoreError>;

    /// The next items of a kind that are described by formulas of this version and in no cluster.
    async fn unplaced(&self, kind: MediaKind, version: u16, most: usize) -> Result<Vec<Unplaced>, StoreError>;

    /// The next items that are in clusters of an older clustering, with their points.
    async fn misplaced(
        &self,
        kind: MediaKind,
        version: u16,
        most: usize,
    ) -> Result<Vec<(MediaId, Vec<i8>)>, StoreError>;

    /// Puts items into clusters, out of those they were in, all or nothing. Items and clusters that are
    /// gone are left out.
    async fn place(&self, placed: &[Placed]) -> Result<(), StoreError>;

    /// Points of items of a kind, taken evenly from all: so many at most.
    async fn points(&self, kind: MediaKind, version: u16, most: usize) -> Result<Vec<Vec<i8>>, StoreError>;

    /// Items near a point, the nearest first: only clusters whose leaders are nearest are read, and
    /// only what the descriptions say decides.
    async fn alike(&self, asked: &Alike) -> Result<Vec<AlikeItem>, StoreError>;

    /// Writes what was found when items were compared with their candidates, all or nothing. What are
    /// copies of each other is one group from then on, unless a person said otherwise, and the best of
    /// it is the original. Doing it again changes nothing.
    async fn compared(&self, compared: &[Compared]) -> Result<(), StoreError>;

    /// Groups of copies, the newest first.
    async fn copy_groups(&self, after: Option<&Cursor>, most: usize) -> Result<Listed<CopyGroup>, StoreError>;

    /// Items that were found more than once with the same bytes, in order of arrival.
    async fn same_bytes(&self, after: Option<&Cursor>, most: usize) -> Result<Listed<SameBytes>, StoreError>;

    /// The group that an item belongs to, as original or as copy.
    async fn copy_group(&self, id: MediaId) -> Result<Option<CopyGroup>, StoreError>;

    /// A person says that an item is no copy of any other of its group. It is kept by content, as
    /// places are. Gives whether it was in one.
    async fn set_apart(&self, id: MediaId) -> Result<bool, StoreError>;

    /// Takes that back: the item is to be compared again. Gives whether a person had said so.
    async fn unset_apart(&self, id: MediaId) -> Result<bool, StoreError>;

    /// What the best 100 copies of an original know that it does not.
    async fn known_by_copies(&self, id: MediaId) -> Result<KnownByCopies, StoreError>;

    /// All schedules, by name.
    async fn schedules(&self) -> Result<Vec<Schedule>, StoreError>;

    /// One schedule.
    async fn schedule(&self, id: ScheduleId) -> Result<Option<Schedule>, StoreError>;

    /// Makes a schedule (number 0) or changes one, but not when it was made; when it was last due can
    /// only be set to later. Gives it as it is now.
    async fn save_schedule(&self, schedule: &Schedule) -> Result<Schedule, StoreError>;

    /// Removes a schedule with what is known of its runs; `false` when there is none.
    async fn remove_schedule(&self, id: ScheduleId) -> Result<bool, StoreError>;

    /// A run that was due is started; nothing when another who keeps the timetable has started what was due
    /// then. The last 1,000 runs of a schedule are kept.
    async fn start_scheduled(
        &self,
        schedule: ScheduleId,
        due: Timestamp,
        now: Timestamp,
    ) -> Result<Option<ScheduledRunId>, StoreError>;

    /// A run that was due is not started: skipped, put off, missed.
    async fn note_scheduled(
        &self,
        schedule: ScheduleId,
        due: Timestamp,
        outcome: ScheduledOutcome,
        detail: &str,
        now: Timestamp,
    ) -> Result<ScheduledRunId, StoreError>;

    /// A run is still at work, and has come so far; `false` when it is not known to be.
    async fn beat_scheduled(
        &self,
        run: ScheduledRunId,
        pages: u64,
        images: u64,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// A run is over; `false` when it is not known.
    async fn end_scheduled(
        &self,
        run: ScheduledRunId,
        outcome: ScheduledOutcome,
        detail: &str,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// The next `most` runs of a schedule, the newest first, after the one that was listed last.
    async fn scheduled_runs(
        &self,
        schedule: ScheduleId,
        after: Option<ScheduledRunId>,
        most: usize,
    ) -> Result<Vec<ScheduledRun>, StoreError>;

    /// Runs that are marked as being at work: when a server starts, those that died with the last.
    async fn broken_scheduled(&self) -> Result<Vec<ScheduledRun>, StoreError>;

    /// A number that is another whenever something was written: what was answered under the same number
    /// is still so. Nothing where that cannot be known.
    async fn revision(&self) -> Result<Option<u64>, StoreError>;

    /// A value that was saved under this name.
    async fn setting(&self, name: &str) -> Result<Option<serde_json::Value>, StoreError>;

    /// Saves a value under a name, in place of what was there: 1 MiB at most. Null takes it away.
    async fn save_setting(&self, name: &str, value: &serde_json::Value) -> Result<(), StoreError>;

    /// All that may not come back. What this process forgets later is among it at once.
    async fn forgotten(&self) -> Result<Blocked, StoreError>;

    /// Brings what [`forgotten`](Self::forgotten) gave up to date, if another process forgot something since.
    async fn look_for_forgotten(&self) -> Result<(), StoreError>;

    /// The latest `most` things that may not come back, newest first, after so many others.
    async fn forgotten_list(&self, after: usize, most: usize) -> Result<Vec<BlockedEntry>, StoreError>;
}
