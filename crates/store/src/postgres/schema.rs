//! The tables of a shared database, as steps from nothing to the newest version.

use std::path::Path;

use crate::StoreError;
use crate::sql::{self, Session};

/// Step *n* brings a database of version *n* to version *n + 1*. Steps that were ever released are
/// never changed, only followed.
const STEPS: &[&[&str]] = &[
    &[include_str!("library.sql"), include_str!("frontier.sql")],
    &[include_str!("stretches.sql")],
    &[include_str!("by_key.sql")],
    &[include_str!("rests.sql")],
];

/// The newest version.
const VERSION: i32 = STEPS.len() as i32;

/// The lock that whoever makes tables holds: many may start at once.
const LOCK: i64 = 0x626f_7765_7262_6972;

/// Brings a database to the newest version.
pub(super) fn migrate(session: &Session, database: &Path) -> Result<(), StoreError> {
    let failed = |error: sql::Error| StoreError::sql(database, &error);
    let begin = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({LOCK});
         CREATE TABLE IF NOT EXISTS bowerbird (version INTEGER NOT NULL)"
    );
    session.batch(&begin).map_err(failed)?;
    let version = session.wait(session.client().query_opt("SELECT version FROM bowerbird", &[])).map_err(failed)?;
    let found: i32 = version.map_or(0, |row| row.get(0));
    if found > VERSION {
        let (path, found, known) = (database.to_owned(), found as u32, VERSION as u32);
        return Err(StoreError::Newer { path, found, known });
    }
    if found < VERSION {
        session.batch("CREATE EXTENSION IF NOT EXISTS postgis").map_err(|error| StoreError::Io {
            path: database.to_owned(),
            reason: format!("PostGIS is needed and is not there ({error}): install it, and CREATE EXTENSION postgis"),
        })?;
        let steps = STEPS.iter().skip(found.max(0) as usize).flat_map(|step| step.iter());
        steps.copied().try_for_each(|step| session.batch(step)).map_err(failed)?;
        let noted = format!("DELETE FROM bowerbird; INSERT INTO bowerbird (version) VALUES ({VERSION})");
        session.batch(&noted).map_err(failed)?;
    }
    session.batch("COMMIT").map_err(failed)
}
