//! The slices of a run, filled one after the other.

use crate::sql::{self, OptionalExtension, Transaction, params};
use facts::Timestamp;

use super::signed;

/// The task that is being filled.
pub(super) struct Filling<'a> {
    db: &'a Transaction<'a>,
    run: i64,
    id: Option<i64>,
    number: i64,
    pages: u64,
    relevant: u64,
    full: u64,
    /// When the next one starts.
    boundary: Timestamp,
}

impl<'a> Filling<'a> {
    /// The last task of a run, which started then and has tasks of so many pages.
    pub fn of_run(db: &'a Transaction<'a>, run: i64, full: i64, started: Timestamp) -> sql::Result<Self> {
        let full = full.max(1) as u64;
        let mut task = Self { db, run, id: None, number: 0, pages: 0, relevant: 0, full, boundary: started };
        let last = db
            .prepare_cached(
                "SELECT id, number, pages, relevant, ended FROM task WHERE run = ?1 ORDER BY number DESC LIMIT 1",
            )?
            .query_row([run], |row| {
                let counts = (row.get::<_, i64>(2)? as u64, row.get::<_, i64>(3)? as u64);
                Ok((row.get::<_, i64>(0)?, row.get(1)?, counts, row.get::<_, Option<i64>>(4)?))
            })
            .optional()?;
        if let Some((id, number, counts, ended)) = last {
            task.number = number;
            match ended {
                Some(ended) => task.boundary = Timestamp(ended),
                None => (task.id, (task.pages, task.relevant)) = (Some(id), counts),
            }
        }
        Ok(task)
    }

    /// The task of a visit at this moment; a new one after a full one.
    pub fn at(&mut self, at: Timestamp) -> sql::Result<i64> {
        if let Some(id) = self.id {
            return Ok(id);
        }
        self.number += 1;
        (self.pages, self.relevant) = (0, 0);
        let started = self.boundary.min(at);
        let id = self.db.insert(
            "INSERT INTO task (run, number, started) VALUES (?1, ?2, ?3)",
            [self.run, self.number, started.0],
        )?;
        self.id = Some(id);
        Ok(id)
    }

    /// A page was read.
    pub fn page(&mut self, at: Timestamp, relevant: bool) -> sql::Result<()> {
        let id = self.at(at)?;
        self.pages += 1;
        self.relevant += u64::from(relevant);
        let full = self.pages >= self.full;
        self.db.prepare_cached("UPDATE task SET pages = ?2, relevant = ?3, ended = ?4 WHERE id = ?1")?.run(params![
            id,
            signed(self.pages),
            signed(self.relevant),
            full.then_some(at.0)
        ])?;
        if full {
            self.id = None;
            self.boundary = at;
        }
        Ok(())
    }
}
