//! One way to ask SQLite and PostgreSQL.
//!
//! The tables of a library are the same in both homes, and so is nearly every statement. They are
//! written once, as SQLite has them; for PostgreSQL a statement is [put](dialect) into its words when it
//! is prepared. The few that differ by more ask [`Connection::dialect`].
//!
//! - [`Connection`], [`Transaction`], [`Statement`], `Rows`: as `rusqlite` names them, blocking, on the
//!   thread that calls.
//! - [`value`]: what goes in and comes out: whole numbers, floats, texts and bytes.
//! - [`many`]: many numbers in one question.
//! - [`session`]: a connection to PostgreSQL, with the statements that it knows.

mod dialect;
mod error;
pub(crate) mod many;
mod session;
mod statement;
mod value;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Deref;

pub(crate) use self::dialect::Dialect;
pub(crate) use self::error::{Error, OptionalExtension, Result, told};
pub(crate) use self::session::Session;
pub(crate) use self::statement::{Row, Statement};
pub(crate) use self::value::{Params, ToSql, Value, ValueRef, params, params_from_iter};

/// A connection to the tables of a library.
pub(crate) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<Session>),
}

impl Connection {
    /// Whose words it understands.
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// A statement, planned once however often it is asked for.
    pub fn prepare_cached(&self, sql: &str) -> Result<Statement<'_>> {
        match self {
            Self::Sqlite(db) => Ok(Statement::Sqlite(db.prepare_cached(sql)?)),
            Self::Postgres(session) => Ok(Statement::Postgres(session, sql.into())),
        }
    }

    /// Runs a statement; gives how many rows it changed.
    pub fn execute<P: Params>(&self, sql: &str, params: P) -> Result<usize> {
        self.prepare_cached(sql)?.execute(params)
    }

    /// The connection to a shared database, for what is asked in PostgreSQL's own words.
    pub fn session(&self) -> Option<&Session> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(session) => Some(session),
        }
    }

    /// Adds a row, and gives the number it has from now on.
    pub fn insert<P: Params>(&self, sql: &str, params: P) -> Result<i64> {
        self.prepare_cached(&format!("{sql} RETURNING id"))?.query_row(params, |row| row.get(0))
    }

    /// Reads the first row of an answer.
    pub fn query_row<T, P: Params>(&self, sql: &str, params: P, read: impl FnOnce(&Row<'_>) -> Result<T>) -> Result<T> {
        self.prepare_cached(sql)?.query_row(params, read)
    }

    /// What is read through it belongs to one moment, while someone may be writing.
    pub fn moment(&self) -> Result<Transaction<'_>> {
        Transaction::begin(self, self.dialect().begin_moment())
    }

    /// Changes that are made all or not at all, by one writer at a time.
    pub fn transaction(&self) -> Result<Transaction<'_>> {
        let transaction = Transaction::begin(self, self.dialect().begin_change())?;
        if let Self::Postgres(_) = self {
            // Held to the end: whoever comes second waits here, and sees what the first wrote.
            transaction.execute("UPDATE writer SET revision = revision + 1", [])?;
        }
        Ok(transaction)
    }

    fn batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(db) => Ok(db.execute_batch(sql)?),
            Self::Postgres(session) => session.batch(sql),
        }
    }
}

/// Work that is done whole or not at all: what is not committed is rolled back.
pub(crate) struct Transaction<'c> {
    db: &'c Connection,
    open: bool,
    /// Files of which something is known now that was not, or is not any more.
    touched: RefCell<BTreeSet<i64>>,
}

impl<'c> Transaction<'c> {
    fn begin(db: &'c Connection, how: &str) -> Result<Self> {
        db.batch(how)?;
        Ok(Self { db, open: true, touched: RefCell::default() })
    }

    /// Makes it last.
    pub fn commit(mut self) -> Result<()> {
        self.db.batch("COMMIT")?;
        self.open = false;
        Ok(())
    }

    /// Notes a file that something follows for, before the end.
    pub fn touch(&self, media: i64) {
        self.touched.borrow_mut().insert(media);
    }

    /// The files that were noted.
    pub fn touched(&self) -> BTreeSet<i64> {
        self.touched.take()
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.db
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.open
            && let Err(error) = self.db.batch("ROLLBACK")
        {
            // The connection is lost, and with it all that was not committed.
            tracing::debug!(%error, "a change could not be rolled back");
        }
    }
}
