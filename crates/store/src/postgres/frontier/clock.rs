//! The time of the database's server, known here without asking for it each time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use facts::Timestamp;

use super::super::Pool;
use super::millis;
use crate::sql::{Connection, Session};
use crate::{StoreError, sql};

/// How often the server is asked before it is believed: of the answers the quickest counts.
const LOOKS: usize = 3;

/// The server's clock. Never ahead of it, and behind by no more than an answer took.
#[derive(Clone)]
pub(crate) struct Clock(Arc<Mutex<Reading>>);

struct Reading {
    at: Timestamp,
    since: Instant,
    /// No moment before this is told any more.
    told: Timestamp,
    ahead: Duration,
}

impl Clock {
    /// A clock that is so far ahead of the server's.
    pub(super) fn read(pool: &Pool, ahead: Duration) -> Result<Self, StoreError> {
        let (at, since) = pool.with(|db| match db {
            Connection::Postgres(session) => look(session),
            Connection::Sqlite(_) => Err(sql::Error::Strange("a queue on SQLite".into())),
        })?;
        Ok(Self(Arc::new(Mutex::new(Reading { at, since, told: at + ahead, ahead }))))
    }

    pub fn now(&self) -> Timestamp {
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = reading.at + reading.since.elapsed() + reading.ahead;
        reading.told = reading.told.max(now);
        reading.told
    }

    /// Looks again: clocks drift, and are set.
    pub(super) fn look(&self, session: &Session) -> sql::Result<()> {
        let (at, since) = look(session)?;
        let mut reading = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (reading.at, reading.since) = (at, since);
        Ok(())
    }

    /// Milliseconds that it is ahead of the server's by order.
    pub(super) fn ahead(&self) -> i64 {
        millis(self.0.lock().unwrap_or_else(PoisonError::into_inner).ahead)
    }
}

fn look(session: &Session) -> sql::Result<(Timestamp, Instant)> {
    let ask = session.own("SELECT now_ms()")?;
    let mut best: Option<(Timestamp, Instant, Duration)> = None;
    for _ in 0..LOOKS {
        let asked = Instant::now();
        let row = session.wait(session.client().query_one(&ask, &[]))?;
        let answered = Instant::now();
        let took = answered - asked;
        if best.is_none_or(|(.., quickest)| took < quickest) {
            best = Some((Timestamp(row.get(0)), answered, took));
        }
    }
    let best = best.map(|(at, answered, _)| (at, answered));
    best.ok_or_else(|| sql::Error::Strange("the server's clock was not read".into()))
}
