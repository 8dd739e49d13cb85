//! Who asks and who writes, in either home.

use std::path::Path;
use std::sync::Arc;

use super::touched;
use crate::StoreError;
use crate::embedded::SqliteConnections;
use crate::postgres::Pool;
use crate::sql::{self, Connection, Transaction};
use crate::work::off_thread;

/// Connections to the tables.
pub(crate) enum Connections {
    Embedded(SqliteConnections),
    Shared(Arc<Pool>),
}

impl Connections {
    /// Asks the library, beside whoever writes. For a thread that may wait.
    pub fn ask<T>(&self, question: impl Fn(&Connection) -> sql::Result<T>) -> Result<T, StoreError> {
        match self {
            Self::Embedded(connections) => connections.ask(question),
            Self::Shared(pool) => pool.with(question),
        }
    }

    /// Changes the library, all or nothing. A shared database that went away meanwhile is waited for, and
    /// asked again: work that is done twice changes nothing.
    pub async fn change<T: Send + 'static>(
        this: &Arc<Self>,
        work: impl Fn(&Transaction<'_>) -> sql::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        if let Self::Embedded(connections) = &**this {
            return connections.change(work).await;
        }
        let connections = Arc::clone(this);
        off_thread(this.path(), move || connections.change_here(work)).await
    }

    /// [`change`](Self::change) for a thread that may wait.
    pub fn change_here<T: Send + 'static>(
        &self,
        work: impl Fn(&Transaction<'_>) -> sql::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self {
            Self::Embedded(connections) => connections.change_here(work),
            Self::Shared(pool) => pool.with(|db| change_on(db, &work)),
        }
    }

    /// A number that is another whenever something was written; nothing where that cannot be known.
    pub async fn revision(this: &Arc<Self>) -> Result<Option<u64>, StoreError> {
        let pool = match &**this {
            Self::Embedded(connections) => return Ok(connections.revision()),
            Self::Shared(pool) => Arc::clone(pool),
        };
        let read = |db: &Connection| db.query_row("SELECT revision FROM writer", [], |row| row.get::<_, i64>(0));
        let revision = off_thread(this.path(), move || pool.with(read)).await?;
        Ok(u64::try_from(revision).ok())
    }

    /// What errors speak of.
    pub fn path(&self) -> &Path {
        match self {
            Self::Embedded(connections) => connections.path(),
            Self::Shared(pool) => pool.label(),
        }
    }
}

/// Does some work as one change, with what follows from it.
pub(crate) fn change_on<T>(db: &Connection, work: &impl Fn(&Transaction<'_>) -> sql::Result<T>) -> sql::Result<T> {
    let transaction = db.transaction()?;
    let result = work(&transaction)?;
    touched::settle(&transaction)?;
    transaction.commit()?;
    Ok(result)
}
