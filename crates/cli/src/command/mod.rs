//! The commands, one file each.

mod crawl;
mod crawls;
mod demo;
mod duplicates;
mod export;
mod find;
mod forget;
mod gazetteer;
mod geoparse;
mod import;
mod inspect;
mod lab;
mod migrate;
mod schedule;
mod search;
mod serve;
mod similar;
mod stats;
mod watch;
mod worker;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::CommandFactory;
use store::{Options, Reader, Store, StoreError, Timetable};

pub use self::crawl::crawl;
pub use self::crawls::crawls;
pub use self::demo::demo;
pub use self::duplicates::duplicates;
pub use self::export::export;
pub use self::find::find;
pub use self::forget::forget;
pub use self::gazetteer::gazetteer;
pub use self::geoparse::geoparse;
pub use self::import::import;
pub use self::inspect::inspect;
pub use self::lab::lab;
pub use self::migrate::migrate;
pub use self::schedule::schedule;
pub use self::search::search;
pub use self::serve::serve;
pub use self::similar::similar;
pub use self::stats::stats;
pub use self::watch::watch;
pub use self::worker::worker;

/// Where a command works, and how it answers.
pub struct Place {
    pub data: PathBuf,
    /// The shared database in place of the data directory; files stay there.
    pub database: Option<String>,
    /// How long a shared database is waited for that is away.
    pub patience: Duration,
    /// The bucket that files are in; where the library says without it.
    pub media: Option<String>,
    pub json: bool,
}

impl Place {
    /// Opens the store for writing.
    pub fn open(&self, options: Options) -> Result<Store, StoreError> {
        Store::open(&self.data, self.told(options))
    }

    /// [`open`](Self::open) for a command that waits for a database that is away.
    pub async fn open_when_there(&self, options: Options) -> Result<Store, StoreError> {
        Store::open_when_there(&self.data, self.told(options)).await
    }

    fn told(&self, options: Options) -> Options {
        let Self { database, media, patience, .. } = self;
        Options { database: database.clone(), media: media.clone(), patience: *patience, ..options }
    }

    /// Opens the store for reading.
    pub fn read(&self) -> Result<Reader, StoreError> {
        match &self.database {
            Some(database) => Store::read_shared(database, &self.data, self.patience),
            None => Store::read(&self.data),
        }
    }

    /// Opens the schedules.
    pub fn timetable(&self) -> Result<Timetable, StoreError> {
        match &self.database {
            Some(database) => Timetable::open_shared(database),
            None => Timetable::open(&self.data),
        }
    }
}

impl crate::arguments::Reach {
    /// As the engine takes it; reads the certificates.
    pub fn read(self) -> anyhow::Result<::crawl::Reach> {
        let ca = match &self.ca {
            Some(file) => std::fs::read(file).with_context(|| format!("cannot read --ca {}", file.display()))?,
            None => Vec::new(),
        };
        Ok(::crawl::Reach {
            resolve: self.resolve,
            allow_private: self.allow_private,
            own_listeners: Vec::new(),
            ca,
            sources: Vec::new(),
            browser: self.browser.settings(),
        })
    }
}

/// By the clock of this machine.
fn now() -> facts::Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    facts::Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The command was used wrongly: exit code 2.
#[derive(Debug)]
pub struct WrongUse(pub String);

impl std::fmt::Display for WrongUse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUse {}

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> anyhow::Result<()> {
    let mut command = crate::arguments::Arguments::command();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "bowerbird", &mut script);
    std::io::Write::write_all(&mut std::io::stdout(), &script)?;
    Ok(())
}
