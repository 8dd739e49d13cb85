//! A connection to a library beside that of its writer.

use std::path::Path;
use std::time::Duration;

use rusqlite::OpenFlags;

use super::{SqliteConnections, schema};
use crate::StoreError;
use crate::sql::Connection;

/// Whether there is a library with tables of this version.
pub(crate) fn is_there(path: &Path) -> Result<bool, StoreError> {
    if !path.exists() {
        return Ok(false);
    }
    let db = connect(path).map_err(|error| StoreError::sqlite(path, &error))?;
    Ok(schema::version(&db, path)? == schema::VERSION)
}

/// Makes the library, or brings it up to date, for who has the right to write.
pub(crate) fn make(path: &Path) -> Result<(), StoreError> {
    SqliteConnections::write(path).map(drop)
}

/// A connection beside that of the writer.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    connect(path).map(Connection::Sqlite).map_err(|error| StoreError::sqlite(path, &error))
}

fn connect(path: &Path) -> rusqlite::Result<rusqlite::Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = rusqlite::Connection::open_with_flags(path, flags)?;
    db.busy_timeout(Duration::from_secs(10))?;
    db.pragma_update(None, "synchronous", "FULL")?;
    db.pragma_update(None, "foreign_keys", "ON")?;
    Ok(db)
}
