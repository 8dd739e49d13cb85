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
    hosts: HashMap<i64, Taken>,
    rows: HashSet<Row>,
    takings: u64,
}

/// How a host is held.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// How often: it may be taken again before whoever gave it back has said so.
    times: u32,
    /// The number of its last taking.
    last: u64,
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
        known.takings += 1;
        let last = known.takings;
        for host in hosts {
            let taken = known.hosts.entry(host).or_default();
            *taken = Taken { times: taken.times + 1, last };
        }
        known.rows.extend(rows);
        Ok(taken)
    }

    /// A host is free again.
    pub fn released(&self, host: i64) {
        let mut known = self.known();
        match known.hosts.get_mut(&host) {
            Some(taken) if taken.times > 1 => taken.times -= 1,
            _ => drop(known.hosts.remove(&host)),
        }
    }

    /// Whether a host is held.
    pub fn has(&self, host: i64) -> bool {
        self.known().hosts.contains_key(&host)
    }

    /// The last taking of a host. When it is another than before, whoever held it then has given it back,
    /// though the answer may have got lost.
    pub fn taking(&self, host: i64) -> Option<u64> {
        self.known().hosts.get(&host).map(|taken| taken.last)
    }

    /// Others took over all of it.
    pub fn lose_all(&self) {
        let mut known = self.known();
        known.hosts.clear();
        known.rows.clear();
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
