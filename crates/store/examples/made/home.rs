//! Where a measurement is made, and how it gets there what it measures.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use store::{Library, Move, Options, Reader, RunLimits, Store, StoreError, Visited};

use crate::made::{BATCH, Outcomes, size};

/// A directory, or a shared database with a directory for what is beside it.
pub struct Home {
    dir: PathBuf,
    database: Option<String>,
    /// Gone with it.
    _scratch: Option<tempfile::TempDir>,
}

impl Home {
    /// A shared database (`postgres://…`, or `host=… user=… dbname=…`) or a directory; one of neither is a
    /// directory that goes with this process.
    pub fn named(name: Option<String>) -> Result<Self, std::io::Error> {
        let database = name.clone().filter(|name| name.contains("://") || name.contains('='));
        let kept = name.filter(|_| database.is_none());
        let scratch = if kept.is_none() { Some(tempfile::tempdir_in(".")?) } else { None };
        let dir = kept.map_or_else(PathBuf::new, PathBuf::from);
        let dir = scratch.as_ref().map_or(dir, |scratch| scratch.path().to_owned());
        Ok(Self { dir, database, _scratch: scratch })
    }

    /// To write and to ask.
    pub fn open(&self) -> Result<Store, StoreError> {
        let database = self.database.clone();
        Store::open(&self.dir, Options { what: "a measurement".into(), database, ..Options::default() })
    }

    /// Brings everything from a directory into this database, which is empty, or was not quite filled so before.
    #[allow(dead_code, reason = "not every measurement does")]
    pub fn move_in(&self, from: &str) -> Outcomes {
        let url = self.database.clone().ok_or("only a shared database is moved into")?;
        let order = Move {
            from: store::Home::Directory(from.into()),
            to: store::Home::Database { url, dir: self.dir.clone() },
            media: None,
        };
        let (started, mut part) = (Instant::now(), String::new());
        let seconds = || started.elapsed().as_secs_f64();
        let moved = store::move_house(&order, &mut |progress| {
            if progress.part != part {
                println!("{} after {:.0} s", progress.part, seconds());
                part = progress.part;
            }
        })?;
        let rows: u64 = moved.parts.iter().map(|part| part.count).sum();
        println!("{rows} rows moved in {:.0} s", seconds());
        Ok(())
    }

    /// To ask, beside whoever writes.
    #[allow(dead_code, reason = "not every measurement does")]
    pub fn read(&self) -> Result<Reader, StoreError> {
        match &self.database {
            Some(database) => Store::read_shared(database, &self.dir, Duration::ZERO),
            None => Store::read(&self.dir),
        }
    }

    /// What it is, and how large where that can be seen from here.
    pub fn described(&self) -> String {
        if self.database.is_some() {
            return "a shared database".into();
        }
        format!("library.db {} MB", size(&self.dir) >> 20)
    }
}

/// Writes the visits of the items that are not there yet, as a crawl does.
pub async fn write(library: &dyn Library, crawl: &str, items: u64, visits: impl Fn(u64) -> Vec<Visited>) -> Outcomes {
    let there: u64 = library.library_figures(0).await?.media.values().sum();
    if there >= items {
        return Ok(());
    }
    let crawl = library.save_crawl(crawl, &serde_json::json!({})).await?.id;
    let run = library.start_run(crawl, RunLimits::default(), 1_000).await?.id;
    let started = Instant::now();
    for first in (there..items).step_by(BATCH as usize) {
        let visits: Vec<Visited> = (first..items.min(first + BATCH)).flat_map(&visits).collect();
        library.record(run, &visits).await?;
        if (first - there).is_multiple_of(BATCH * 200) {
            println!("{first} after {:.0} s", started.elapsed().as_secs_f64());
        }
    }
    let (took, written) = (started.elapsed().as_secs_f64(), items - there);
    println!("{written} items written in {took:.0} s, {:.0} µs each", took * 1e6 / written as f64);
    Ok(())
}
