//! What is remembered: the queue of a crawl, the library people search, and the files.
//!
//! Two traits, each with an embedded home (fjall and SQLite; no other service needed) and a shared one
//! (PostgreSQL, for many machines):
//!
//! - [`Frontier`]: which addresses are known, which wait, which host may be asked when. Claims,
//!   releases and commits are batch-shaped, so that a database on another machine fits the same
//!   trait.
//! - [`Library`]: pages, media, where each was found, crawls and their runs, and every figure
//!   that is shown.
//!
//! [`Store`] owns both and the [`Files`], and its [`commit`](Store::commit) owns the order that
//! makes a crawl survive anything: files, then library, then frontier. Each step is idempotent,
//! so a crash between two of them costs at most a repeated request. [`import`](Store::import) brings
//! local files in beside what was crawled; [`forget`](Store::forget) takes out, for good, what
//! should not have been kept.

mod again;
mod area;
mod clusters;
mod copies;
mod description;
mod embedded;
mod error;
mod files;
mod forget;
mod frontier;
mod harvest;
mod import;
mod item;
mod library;
mod likeness;
mod listing;
mod lock;
mod matches;
mod moving;
mod open_files;
mod page_item;
mod placements;
mod postgres;
mod rank;
#[cfg(test)]
mod scratch;
mod sql;
mod store;
mod tables;
mod timetable;
mod units;
mod visit;
mod work;
mod workers;

pub use facts::Order;
pub use query::Want;

pub use crate::again::{ChangeSeen, Earlier, KnownAddress, Which};
pub use crate::area::Area;
pub use crate::clusters::{Cluster, ClusterFilter, Clusters, Representative};
pub use crate::copies::{
    Compared, CopyFile, CopyFound, CopyGroup, CopyMember, CopyReason, KnownByCopies, OfferedText, SameBytes,
};
pub use crate::description::{Candidate, Clue, Described, Description, Exact, Example, Traces, Undescribed};
pub use crate::error::StoreError;
pub use crate::files::{FileDraft, Files, LocalFile, OpenedFile, Shelf, StoredFile};
pub use crate::forget::{Blocked, BlockedEntry, Forget, Forgotten};
pub use crate::frontier::{
    Budgets, Claim, ClaimLimit, Claims, Frontier, FrontierFigures, MOST_OVERRUNS, OriginFile, OriginRecord,
    OriginTrouble, Overrun, Reservation, Rest, RunPages,
};
pub use crate::harvest::Harvest;
pub use crate::import::{Imported, ImportedFile};
pub use crate::item::{Edited, ItemFilter, ItemLocation, MediaItem, Said, Sighting};
pub use crate::library::{
    Beat, Crawl, CrawlId, CrawlSummary, DiskFigures, Figures, HostFigures, ImageLibraryFigures, Library,
    LibraryFigures, MediaFigures, Mishap, Recorded, Run, RunId, RunLimits, Start, Step, Task,
};
pub use crate::likeness::{Alike, AlikeItem, ClusterId, Leader, Leaders, Placed, Sorted, Unplaced};
pub use crate::listing::{Cursor, ItemOrder, Listed};
pub use crate::matches::{Match, Matches, Slip};
pub use crate::moving::{Home, Move, MoveProgress, Moved, MovedPart, move_house};
pub use crate::open_files::{allow_open_files, most_open_files};
pub use crate::page_item::{PageFilter, PageItem};
pub use crate::postgres::PATIENCE;
pub use crate::store::{Kept, OnDuty, Options, Reader, Store};
pub use crate::timetable::{CatchUp, Schedule, ScheduleId, ScheduledOutcome, ScheduledRun, ScheduledRunId, Timetable};
pub use crate::units::Units;
pub use crate::visit::{
    ABSENT, FLAGGED, FORGOTTEN, Link, LinkContext, MediaFile, MediaReference, Outcome, PageFacts, PagePlace, Refused,
    ReportFacts, SaidLocation, SaidSource, Version, VisitKind, Visited,
};
pub use crate::workers::{PoolFigures, Turn, WorkerSeen, Workload};
