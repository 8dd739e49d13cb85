//! Crawls that start by themselves: when, and what came of it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use facts::Timestamp;
use serde::{Deserialize, Serialize};

use crate::embedded::beside;
use crate::lock::WriterLock;
use crate::postgres::Pool;
use crate::sql::{self, Connection};
use crate::store::{LIBRARY, make_directory};
use crate::tables::timetable;
use crate::work::aside;
use crate::{Options, StoreError};

/// The number of a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ScheduleId(pub i64);

/// The number of a run that a schedule started, or should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ScheduledRunId(pub i64);

/// A crawl that starts by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    /// Its number; 0 for one that is to be made.
    pub id: ScheduleId,
    /// What people call it.
    pub name: String,
    /// When it is due: minute, hour, day of the month, month, day of the week.
    pub cron: String,
    /// The time zone that is meant: `Europe/Berlin`.
    pub zone: String,
    /// Whether it is due at all.
    pub enabled: bool,
    /// What happens with what was due while nobody was there to start it.
    pub catch_up: CatchUp,
    /// The name of the crawl.
    pub crawl: String,
    /// The settings it is started with.
    pub settings: serde_json::Value,
    /// When it was made.
    pub created: Timestamp,
    /// The last moment it was due and something was done or noted; nothing before the first.
    pub last_due: Option<Timestamp>,
}

/// What happens with runs that were due while no server was running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CatchUp {
    /// They are noted as missed.
    #[default]
    Skip,
    /// However many they are, one is made.
    Once,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScheduledOutcome {
    /// It is at work.
    Running,
    /// It came to its end.
    Done,
    /// It ended with an error.
    Failed,
    /// It was not started: the crawl was running already.
    Skipped,
    /// It was not started now: disk or memory was short.
    PutOff,
    /// The server went away while it was at work.
    Died,
    /// No server was there when it was due.
    Missed,
}

/// A run that was due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScheduledRun {
    /// Its number; larger ones are later.
    pub id: ScheduledRunId,
    /// Its schedule.
    pub schedule: ScheduleId,
    /// When it was due.
    pub due: Timestamp,
    /// When it was started, if it was.
    pub started: Option<Timestamp>,
    /// When it was last heard of.
    pub seen: Option<Timestamp>,
    /// When it ended, or it was decided not to start it.
    pub ended: Option<Timestamp>,
    /// What came of it.
    pub outcome: ScheduledOutcome,
    /// Why, in words.
    pub detail: String,
    /// Pages it read.
    pub pages: u64,
    /// Images it kept.
    pub images: u64,
}

impl CatchUp {
    /// `skip`, `once`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Once => "once",
        }
    }

    /// What [`as_str`](Self::as_str) gives.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Skip, Self::Once].into_iter().find(|known| known.as_str() == text)
    }
}

impl ScheduledOutcome {
    const ALL: [Self; 7] =
        [Self::Running, Self::Done, Self::Failed, Self::Skipped, Self::PutOff, Self::Died, Self::Missed];

    /// `running`, `done`, `failed`, `skipped`, `put-off`, `died`, `missed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::PutOff => "put-off",
            Self::Died => "died",
            Self::Missed => "missed",
        }
    }

    /// What [`as_str`](Self::as_str) gives.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// The schedules of a data directory or a shared database, which can be changed while another process
/// writes to it. Blocks while it works.
pub struct Timetable {
    path: PathBuf,
    home: Home,
}

enum Home {
    Embedded(Mutex<Connection>),
    Shared(Box<Pool>),
}

impl Timetable {
    /// Opens the schedules of a data directory; makes the library where there is none, for which
    /// nobody else may be writing.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let path = dir.join(LIBRARY);
        if !beside::is_there(&path)? {
            make_directory(dir)?;
            let _lock = WriterLock::take(dir, "schedule")?;
            beside::make(&path)?;
        }
        let db = beside::open(&path)?;
        Ok(Self { path, home: Home::Embedded(Mutex::new(db)) })
    }

    /// Opens the schedules of a shared database.
    pub fn open_shared(database: &str) -> Result<Self, StoreError> {
        let pool = aside(Path::new("the database"), || Pool::open(database, Duration::ZERO, Options::default().lease))?;
        Ok(Self { path: pool.label().to_owned(), home: Home::Shared(Box::new(pool)) })
    }

    /// All schedules, by name.
    pub fn schedules(&self) -> Result<Vec<Schedule>, StoreError> {
        self.with(timetable::schedules)
    }

    /// One schedule.
    pub fn schedule(&self, id: ScheduleId) -> Result<Option<Schedule>, StoreError> {
        self.with(|db| timetable::schedule(db, id))
    }

    /// As [`Library::save_schedule`](crate::Library::save_schedule).
    pub fn save_schedule(&self, schedule: &Schedule) -> Result<Schedule, StoreError> {
        timetable::fits(schedule)?;
        let made = timetable::Made::default();
        let saved = self.with(|db| {
            let transaction = db.transaction()?;
            let saved = timetable::save(&transaction, schedule, &made)?;
            transaction.commit()?;
            Ok(saved)
        })?;
        saved.ok_or(StoreError::Unknown { what: "schedule", number: schedule.id.0 })
    }

    /// As [`Library::remove_schedule`](crate::Library::remove_schedule).
    pub fn remove_schedule(&self, id: ScheduleId) -> Result<bool, StoreError> {
        self.with(|db| timetable::remove(db, id))
    }

    /// As [`Library::scheduled_runs`](crate::Library::scheduled_runs).
    pub fn scheduled_runs(
        &self,
        schedule: ScheduleId,
        after: Option<ScheduledRunId>,
        most: usize,
    ) -> Result<Vec<ScheduledRun>, StoreError> {
        self.with(|db| timetable::runs(db, schedule, after, most))
    }

    fn with<T: Send>(&self, work: impl Fn(&Connection) -> sql::Result<T> + Send + Sync) -> Result<T, StoreError> {
        match &self.home {
            Home::Embedded(db) => {
                let db = db.lock().unwrap_or_else(PoisonError::into_inner);
                work(&db).map_err(|error| StoreError::sql(&self.path, &error))
            }
            Home::Shared(pool) => aside(&self.path, || pool.with(&work)),
        }
    }
}
