//! What can go wrong with a store.

use std::io;
use std::path::{Path, PathBuf};

/// An error with enough in it to act on.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process writes to this data directory.
    #[error("{}", in_use(.dir, *.pid, .what))]
    InUse {
        /// The data directory.
        dir: PathBuf,
        /// The other process.
        pid: u32,
        /// What it said it is doing, and how to reach it.
        what: String,
    },
    /// There is nothing to read.
    #[error(
        "there is no data directory at {dir}: start a crawl first, or name another with --data",
        dir = .dir.display()
    )]
    Missing {
        /// The directory asked for.
        dir: PathBuf,
    },
    /// The directory holds something else.
    #[error(
        "{dir} holds other files and no crawl: name a new or empty directory with --data",
        dir = .dir.display()
    )]
    Foreign {
        /// The directory asked for.
        dir: PathBuf,
    },
    /// No directory can be where one is asked for.
    #[error(
        "{dir} cannot be made a data directory ({reason}): name another with --data",
        dir = .dir.display()
    )]
    NoDirectory {
        /// The directory asked for.
        dir: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The disk is full.
    #[error(
        "the disk of {path} is full: free some space and start again, nothing written so far is lost",
        path = .path.display()
    )]
    DiskFull {
        /// What could not be written.
        path: PathBuf,
    },
    /// The process has as many files open as it may.
    #[error(
        "{path} cannot be opened: this process has as many files open as it may; allow more, as with `ulimit -n 4096`, \
         and start again, nothing written so far is lost",
        path = .path.display()
    )]
    TooManyFiles {
        /// What could not be opened: a file, or a host.
        path: PathBuf,
    },
    /// The process may have fewer files open than a store needs.
    #[error(
        "this process may have {most} files open, and needs {least}: allow more, as with `ulimit -n 4096`, and start again"
    )]
    TooFewFiles {
        /// How many it may have.
        most: u64,
        /// How many it needs.
        least: u64,
    },
    /// The directory or a file in it cannot be written.
    #[error(
        "{path} cannot be written ({reason}): change its permissions, or use another --data directory",
        path = .path.display()
    )]
    NotWritable {
        /// What could not be written.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A file of the store is not as it was written.
    #[error(
        "{path} is damaged ({reason}): restore it from a backup, or move it away to go on without what it remembers",
        path = .path.display()
    )]
    Damaged {
        /// The damaged file or directory.
        path: PathBuf,
        /// How that showed.
        reason: String,
    },
    /// Written by a later version of the program.
    #[error(
        "{path} was written by a newer version (format {found}, this program knows {known}): update the program",
        path = .path.display()
    )]
    Newer {
        /// The file or directory.
        path: PathBuf,
        /// The format it has.
        found: u32,
        /// The newest format this program knows.
        known: u32,
    },
    /// Another process holds the library for longer than anyone should.
    #[error(
        "{path} is locked by another program: close what has it open and start again",
        path = .path.display()
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The server of a shared database does not answer.
    #[error("{database} cannot be reached ({reason}): start it, or name another with --database")]
    Unreachable {
        /// The database, without its password.
        database: String,
        /// What happened.
        reason: String,
    },
    /// A shared database is named in a way that cannot be read.
    #[error("{database} names no database ({reason}): write postgres://USER@HOST/NAME")]
    NoDatabase {
        /// What was given, without its password.
        database: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The bucket that files are in.
    #[error(transparent)]
    Bucket(#[from] bucket::BucketError),
    /// The files of a library are not where they were said to be.
    #[error(
        "the files of this library are in {at}, not in {given}: leave --media out, or move them with \
         `bowerbird migrate`"
    )]
    FilesElsewhere {
        /// Where they are.
        at: String,
        /// What was given.
        given: String,
    },
    /// Somebody works where a library is moved from or to.
    #[error("{home} is in use ({what}): stop it first, a library that is moved must stand still")]
    AtWork {
        /// The database.
        home: String,
        /// Who does what there.
        what: String,
    },
    /// Somebody worked where a library is moved from, while it was.
    #[error(
        "{home} was worked on while it was moved ({what}): stop everything that works there, units that start by \
         themselves too, and run the same `bowerbird migrate` again, which goes on"
    )]
    Disturbed {
        /// The database.
        home: String,
        /// How that shows.
        what: String,
    },
    /// A library is to be moved to where there is one already.
    #[error("{home} holds something else: move to an empty database or directory")]
    Inhabited {
        /// The home.
        home: String,
    },
    /// A library that was moved to a place, but not all of it.
    #[error("what was moved to {home} is not complete: run the same `bowerbird migrate` again, which goes on with it")]
    HalfMoved {
        /// The home.
        home: String,
    },
    /// What was moved is not what was there.
    #[error(
        "{what} is not the same in {from} and in {to}: nothing may change while it is moved; empty the new home and \
         start again"
    )]
    Unlike {
        /// The part.
        what: String,
        /// The old home.
        from: String,
        /// The new home.
        to: String,
    },
    /// Both homes are of one kind.
    #[error("a library is moved from a directory to a database or back: copy a directory, or use pg_dump")]
    SameKind,
    /// Writing stopped after an earlier failure.
    #[error(
        "{path} takes no more writes since one failed: look for the first error, free disk space, start again",
        path = .path.display()
    )]
    Stopped {
        /// The part of the store.
        path: PathBuf,
    },
    /// Work on the store broke off: a fault of this program.
    #[error(
        "work on {path} broke off ({reason}): nothing of it is kept; start again, and report it if that happens again",
        path = .path.display()
    )]
    BrokeOff {
        /// The part of the store.
        path: PathBuf,
        /// What the work said last.
        reason: String,
    },
    /// Opened for reading only.
    #[error(
        "{path} was opened for reading only",
        path = .path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A file that is forgotten is still on disk.
    #[error(
        "{path} is forgotten, but its file cannot be removed ({reason}): change its permissions, the next start removes it",
        path = .path.display()
    )]
    NotRemoved {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A local file that is not named from the root of its disk.
    #[error(
        "{path} is not an absolute path: name the file from the root, as it can be found from any directory",
        path = .path.display()
    )]
    NotAbsolute {
        /// The path as it was given.
        path: PathBuf,
    },
    /// Imported files are counted under a host that is none.
    #[error("(imported) is not a host: name the imported files to forget by their paths")]
    NoHost,
    /// A number that names nothing in this library.
    #[error("there is no {what} {number} in this library")]
    Unknown {
        /// `crawl` or `run`.
        what: &'static str,
        /// The number.
        number: i64,
    },
    /// More than is kept of such a thing.
    #[error("{what} has {bytes} bytes, and at most {most} are kept: make it smaller")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        bytes: usize,
        /// The largest size.
        most: usize,
    },
    /// Anything else the system refused.
    #[error(
        "{path}: {reason}",
        path = .path.display()
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

/// One that serves a page can be told what to do there.
fn in_use(dir: &Path, pid: u32, what: &str) -> String {
    let dir = dir.display();
    match what.split_once("http://") {
        Some((_, address)) if what.starts_with("serve") => format!(
            "{dir} is in use by process {pid}, which serves its page at http://{address}: do it there, stop that process \
             first, or use another --data directory"
        ),
        _ => format!("{dir} is in use by process {pid} ({what}): stop it first, or use another --data directory"),
    }
}

impl StoreError {
    /// What the system said about a file, sorted by what can be done about it.
    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        if crate::open_files::are_used_up_by(error) {
            return Self::TooManyFiles { path };
        }
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull { path },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable { path, reason: error.to_string() }
            }
            _ => Self::Io { path, reason: error.to_string() },
        }
    }

    pub(crate) fn fjall(path: &Path, error: &fjall::Error) -> Self {
        use fjall::{Error, LsmError};
        let io = |error: &io::Error| match error.kind() {
            // What a file that was cut off, or has gone, looks like from inside.
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::NotFound
            | io::ErrorKind::AlreadyExists
            | io::ErrorKind::InvalidData => Self::Damaged { path: path.to_owned(), reason: error.to_string() },
            _ => Self::io(path, error),
        };
        match error {
            Error::Io(error) | Error::Storage(LsmError::Io(error)) => io(error),
            Error::Poisoned => Self::Stopped { path: path.to_owned() },
            Error::Locked => Self::Locked { path: path.to_owned() },
            other => Self::Damaged { path: path.to_owned(), reason: other.to_string() },
        }
    }

    /// What a statement came to.
    pub(crate) fn sql(path: &Path, error: &crate::sql::Error) -> Self {
        use crate::sql::Error;
        match error {
            Error::Sqlite(error) => Self::sqlite(path, error),
            Error::Postgres(error) => Self::postgres(path, error),
            Error::NoRow | Error::Strange(_) => Self::Damaged { path: path.to_owned(), reason: error.to_string() },
        }
    }

    /// What the server of a shared database said, or that it said nothing.
    pub(crate) fn postgres(database: &Path, error: &tokio_postgres::Error) -> Self {
        use tokio_postgres::error::SqlState;
        let path = database.to_owned();
        match error.code() {
            Some(&SqlState::DISK_FULL) => Self::DiskFull { path },
            Some(_) => Self::Io { path, reason: crate::sql::told(error) },
            None => Self::Unreachable { database: path.display().to_string(), reason: crate::sql::told(error) },
        }
    }

    pub(crate) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        let reason = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { path, reason },
            Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) if crate::open_files::are_used_up() => {
                Self::TooManyFiles { path }
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::NotWritable { path, reason }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            _ => Self::Io { path, reason },
        }
    }
}
