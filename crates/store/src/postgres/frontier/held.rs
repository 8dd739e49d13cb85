//! What this process holds, as far as it knows. An answer that is lost with the connection may have given it
//! more, which nobody would ever give back while it lives.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use crate::sql::{self, Session};

/// A claimed address: host, crawl, and the first half of its identity.
pub(super) type Row = (i64, i64, [u8; 16]);

/// Hosts and addresses that this process holds.
#[derive(Default)]
pub(super) struct Held {
    known: Mutex<Known>,
    /// Shared by those who take something until it is known here.
    taking: RwLock<()>,
    /// Something may have been taken of which no answer came.
    doubtful: AtomicBool,
}

#[derive(Default)]
struct Known {
    /// How often each is held: one may be taken again before whoever gave it back has said so.
    hosts: HashMap<i64, u32>,
    rows: HashSet<Row>,
}

impl Held {
    /// Takes hosts and addresses; `which` says what of an answer. What was taken before without an answer is
    /// given back first.
    pub fn take<T>(
        &self,
        session: &Session,
        workers: &[i64],
        take: impl FnOnce() -> sql::Result<T>,
        which: impl FnOnce(&T) -> (Vec<i64>, Vec<Row>),
    ) -> sql::Result<T> {
        if self.doubtful.load(Ordering::Acquire) {
            self.settle(session, workers)?;
        }
        let _taking = self.taking.read().unwrap_or_else(PoisonError::into_inner);
        let taken = take().inspect_err(|_| self.doubtful.store(true, Ordering::Release))?;
        let (hosts, rows) = which(&taken);
        let mut known = self.known();
        for host in hosts {
            *known.hosts.entry(host).or_default() += 1;
        }
        known.rows.extend(rows);
        Ok(taken)
    }

    /// A host is free again.
    pub fn released(&self, host: i64) {
        let mut known = self.known();
        match known.hosts.get_mut(&host) {
            Some(times) if *times > 1 => *times -= 1,
            _ => drop(known.hosts.remove(&host)),
        }
    }

    /// Whether a host is held.
    pub fn has(&self, host: i64) -> bool {
        self.known().hosts.contains_key(&host)
    }

    /// Others took over all of it.
    pub fn lose_all(&self) {
        *self.known() = Known::default();
    }

    /// These addresses were visited, or wait again.
    pub fn let_go(&self, rows: impl IntoIterator<Item = Row>) {
        let mut known = self.known();
        for row in rows {
            known.rows.remove(&row);
        }
    }

    /// Gives back what was taken without an answer.
    fn settle(&self, session: &Session, workers: &[i64]) -> sql::Result<()> {
        let _nobody_takes = self.taking.write().unwrap_or_else(PoisonError::into_inner);
        if !self.doubtful.load(Ordering::Acquire) {
            return Ok(());
        }
        let (hosts, of, crawls, ids) = {
            let known = self.known();
            let (mut of, mut crawls, mut ids) = (Vec::new(), Vec::new(), Vec::new());
            for (host, crawl, id) in &known.rows {
                of.push(*host);
                crawls.push(*crawl);
                ids.push(id.to_vec());
            }
            (known.hosts.keys().copied().collect::<Vec<i64>>(), of, crawls, ids)
        };
        let give = session.own("SELECT give_back_but($1, $2, $3, $4, $5)")?;
        session.wait(session.client().execute(&give, &[&workers, &hosts, &of, &crawls, &ids]))?;
        self.doubtful.store(false, Ordering::Release);
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
