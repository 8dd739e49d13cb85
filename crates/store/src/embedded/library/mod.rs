//! The library on SQLite: one file that any number of programs can read while a crawl writes.
//!
//! - [`schema`]: the tables; [`connections`]: who writes, who reads.
//! - [`records`]: visits on their way in; [`runs`]: crawls, runs and tasks; [`figures`]: what is
//!   shown.

mod connections;
mod figures;
mod records;
mod runs;
mod schema;

use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use facts::{MediaId, Timestamp};

use self::connections::Connections;
use self::records::Records;
use crate::work::off_thread;
use crate::{
    Crawl, CrawlId, CrawlSummary, Figures, FrontierFigures, Library, LibraryFigures, Mishap, Recorded, Run, RunId,
    RunLimits, Start, StoreError, Task, Visited,
};

/// The library of one directory.
#[derive(Clone)]
pub(crate) struct EmbeddedLibrary(Arc<Connections>);

impl EmbeddedLibrary {
    /// Opens or makes the library, for writing; gives its identity too.
    pub fn write(path: &Path) -> Result<(Self, i32), StoreError> {
        Connections::write(path).map(|(connections, identity)| (Self(Arc::new(connections)), identity))
    }

    /// Opens a library that is there, for reading only.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        Connections::read(path).map(|connections| Self(Arc::new(connections)))
    }

    /// [`Library::media_path`] for a thread that may wait.
    pub fn path_of(&self, id: MediaId) -> Result<Option<String>, StoreError> {
        self.0.ask(move |db| figures::media_path(db, id))
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let connections = Arc::clone(&self.0);
        off_thread(self.0.path(), move || connections.ask(question)).await
    }

    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.change(work).await
    }

    /// [`Library::record`] for visits that are shared with the queue.
    pub async fn record_shared(&self, run: RunId, visits: Arc<Vec<Visited>>) -> Result<Recorded, StoreError> {
        let written = self
            .change(move |db| {
                let Some(mut records) = Records::of_run(db, run)? else { return Ok(None) };
                visits.iter().try_for_each(|visit| records.write(visit))?;
                records.finish().map(Some)
            })
            .await?;
        written.ok_or(StoreError::Unknown { what: "run", number: run.0 })
    }
}

fn known(known: bool, run: RunId) -> Result<(), StoreError> {
    if known { Ok(()) } else { Err(StoreError::Unknown { what: "run", number: run.0 }) }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// SQLite's numbers end at 2⁶³ − 1.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[async_trait]
impl Library for EmbeddedLibrary {
    async fn crawl(&self, name: &str) -> Result<Option<Crawl>, StoreError> {
        let name = name.to_owned();
        self.ask(move |db| runs::crawl(db, &name)).await
    }

    async fn save_crawl(&self, name: &str, settings: &serde_json::Value) -> Result<Crawl, StoreError> {
        let (name, settings) = (name.to_owned(), settings.to_string());
        self.change(move |db| runs::save_crawl(db, &name, &settings, now())).await
    }

    async fn crawls(&self) -> Result<Vec<CrawlSummary>, StoreError> {
        self.ask(figures::summaries).await
    }

    async fn start_run(&self, crawl: CrawlId, limits: RunLimits, task_pages: u64) -> Result<Run, StoreError> {
        let run = self.change(move |db| runs::start_run(db, crawl, limits, task_pages, now())).await?;
        run.ok_or(StoreError::Unknown { what: "crawl", number: crawl.0.into() })
    }

    async fn beat(&self, run: RunId, seconds: f64, frontier: FrontierFigures) -> Result<(), StoreError> {
        known(self.change(move |db| runs::beat(db, run, seconds, &frontier)).await?, run)
    }

    async fn end_run(&self, run: RunId, seconds: f64, stopped: Option<&str>) -> Result<(), StoreError> {
        let stopped = stopped.map(str::to_owned);
        known(self.change(move |db| runs::end_run(db, run, seconds, stopped.as_deref(), now())).await?, run)
    }

    async fn record(&self, run: RunId, visits: &[Visited]) -> Result<Recorded, StoreError> {
        self.record_shared(run, Arc::new(visits.to_vec())).await
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

    async fn library_figures(&self, hosts: usize) -> Result<LibraryFigures, StoreError> {
        self.ask(move |db| figures::of_library(db, hosts)).await
    }

    async fn media_path(&self, id: MediaId) -> Result<Option<String>, StoreError> {
        self.ask(move |db| figures::media_path(db, id)).await
    }
}
