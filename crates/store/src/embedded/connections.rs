//! Connections to the library's file: one that writes, a few that read.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{ErrorCode, OpenFlags};

use super::schema;
use crate::StoreError;
use crate::sql::{self, Connection, Transaction};
use crate::tables::change_on;
use crate::work::{HalfDone, Worker};

/// Readers kept open between questions.
const IDLE_READERS: usize = 4;

pub(crate) struct SqliteConnections {
    path: PathBuf,
    writer: Option<Worker<Connection>>,
    readers: Mutex<Vec<Connection>>,
    /// How often something was written.
    revision: Arc<AtomicU64>,
}

impl SqliteConnections {
    /// Opens or makes the library, for writing; gives its identity too.
    pub fn write(path: &Path) -> Result<(Self, i32), StoreError> {
        let open = || {
            let db = rusqlite::Connection::open(path)?;
            db.busy_timeout(Duration::from_secs(10))?;
            db.pragma_update(None, "journal_mode", "WAL")?;
            // Each commit reaches the disk, and so comes before the queue's mark of the visit
            // also when the power fails.
            db.pragma_update(None, "synchronous", "FULL")?;
            db.pragma_update(None, "foreign_keys", "ON")?;
            db.pragma_update(None, "cache_size", -8_192)?;
            db.pragma_update(None, "journal_size_limit", 16 << 20)?;
            db.pragma_update(None, "temp_store", "MEMORY")?;
            db.set_prepared_statement_cache_capacity(128);
            plan_once(&db)?;
            Ok(db)
        };
        let mut db = open().map_err(|error| StoreError::sqlite(path, &error))?;
        schema::migrate(&mut db, path)?;
        let identity = schema::identity(&db).map_err(|error| StoreError::sqlite(path, &error))?;
        // A transaction that is not committed is rolled back.
        let writer = Worker::start(path, Connection::Sqlite(db), HalfDone::Undone)?;
        let (readers, revision) = (Mutex::default(), Arc::default());
        Ok((Self { path: path.to_owned(), writer: Some(writer), readers, revision }, identity))
    }

    /// Opens a library that is there, for reading only.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let (readers, revision) = (Mutex::default(), Arc::default());
        let connections = Self { path: path.to_owned(), writer: None, readers, revision };
        let db = connections.reader()?;
        let found = schema::version(&db, path)?;
        // Whoever makes it has not come to its tables yet.
        if found == 0 {
            return Err(StoreError::Missing { dir: path.parent().unwrap_or(path).to_owned() });
        }
        if found < schema::VERSION {
            // Readers do not change files: the next writer brings the tables up to date.
            let reason = "its tables are older than this program; the next crawl brings them up to date".into();
            return Err(StoreError::Io { path: path.to_owned(), reason });
        }
        connections.keep(Connection::Sqlite(db));
        Ok(connections)
    }

    /// Asks the library, beside whoever writes.
    pub fn ask<T>(&self, question: impl Fn(&Connection) -> sql::Result<T>) -> Result<T, StoreError> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let db = match idle {
            Some(db) => db,
            None => Connection::Sqlite(self.reader()?),
        };
        let answer = question(&db).map_err(|error| StoreError::sql(&self.path, &error))?;
        self.keep(db);
        Ok(answer)
    }

    /// Changes the library, all or nothing.
    pub async fn change<T: Send + 'static>(
        &self,
        work: impl Fn(&Transaction<'_>) -> sql::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.run(self.transaction(work)).await
    }

    /// [`change`](Self::change) for a thread that may wait.
    pub fn change_here<T: Send + 'static>(
        &self,
        work: impl Fn(&Transaction<'_>) -> sql::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.run_here(self.transaction(work))
    }

    /// How often something was written here; nothing where another process writes.
    pub fn revision(&self) -> Option<u64> {
        self.writer.as_ref().map(|_| self.revision.load(Ordering::Acquire))
    }

    fn transaction<T, W: Fn(&Transaction<'_>) -> sql::Result<T>>(
        &self,
        work: W,
    ) -> impl FnOnce(&mut Connection) -> Result<T, StoreError> + use<T, W> {
        let (path, revision) = (self.path.clone(), Arc::clone(&self.revision));
        move |db| {
            let result = change_on(db, &work).map_err(|error| StoreError::sql(&path, &error));
            revision.fetch_add(1, Ordering::AcqRel);
            result
        }
    }

    fn writer(&self) -> Result<&Worker<Connection>, StoreError> {
        self.writer.as_ref().ok_or_else(|| StoreError::ReadOnly { path: self.path.clone() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn keep(&self, db: Connection) {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < IDLE_READERS {
            readers.push(db);
        }
    }

    fn reader(&self) -> Result<rusqlite::Connection, StoreError> {
        // A reader may have to make the index of the write-ahead log, so it is let to write; where
        // the directory cannot be written nobody else writes either, and it can do without.
        open_reader(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .or_else(|error| match unchanging(&self.path) {
                Some(path) if error.sqlite_error_code() != Some(ErrorCode::NotADatabase) => {
                    open_reader(Path::new(&path), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI)
                }
                _ => Err(error),
            })
            .map_err(|error| StoreError::sqlite(&self.path, &error))
    }
}

fn open_reader(path: &Path, flags: OpenFlags) -> rusqlite::Result<rusqlite::Connection> {
    let db = rusqlite::Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(Duration::from_secs(10))?;
    db.pragma_update(None, "query_only", "ON")?;
    db.pragma_update(None, "cache_size", -2_048)?;
    plan_once(&db)?;
    db.pragma_query_value(None, "schema_version", |_| Ok(()))?;
    Ok(db)
}

/// A statement is planned without a look at the values bound to it: else SQLite plans it anew for
/// each, which takes longer than what most of ours do.
fn plan_once(db: &rusqlite::Connection) -> rusqlite::Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// The file as one that cannot change, when the file system says so.
fn unchanging(path: &Path) -> Option<String> {
    let read_only = std::fs::OpenOptions::new().append(true).open(path).is_err();
    let text = path.to_str().filter(|_| read_only)?;
    let escaped = text.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file:{escaped}?immutable=1"))
}
