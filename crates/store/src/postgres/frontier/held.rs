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
    /// All takings up to this one were lost.
    lost: u64,
}

impl Known {
    /// Whether others took over what was taken so; of what has no number nobody knows.
    fn lost(&self, taking: u64) -> bool {
        taking != 0 && taking <= self.lost
    }
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
    /// Takes hosts and addresses; `which` says what of an answer. Gives the number of the taking too. What was
    /// taken before without an answer is given back first.
    pub fn take<T>(
        &self,
        session: &Session,
        workers: impl Fn() -> Vec<i64>,
        take: impl FnOnce() -> sql::Result<T>,
        which: impl FnOnce(&T) -> (Vec<i64>, Vec<Row>),
    ) -> sql::Result<(T, u64)> {
        if self.doubtful.load(Ordering::Acquire) {
            self.settle(session, &workers())?;
        }
        let _taking = self.taking.read().unwrap_or_else(PoisonError::into_inner);
        // Numbered before it is asked for: what is lost while the answer is on its way was taken before that.
        let taking = self.begin();
        let taken = take().inspect_err(|_| self.doubtful.store(true, Ordering::Release))?;
        let (hosts, rows) = which(&taken);
        self.took(taking, hosts, rows);
        Ok((taken, taking))
    }

    fn begin(&self) -> u64 {
        let mut known = self.known();
        known.takings += 1;
        known.takings
    }

    fn took(&self, taking: u64, hosts: Vec<i64>, rows: Vec<Row>) {
        let mut known = self.known();
        if known.lost(taking) {
            // Others have it. What was taken after all, as whoever this process is now, is given back.
            self.doubtful.store(true, Ordering::Release);
            return;
        }
        for host in hosts {
            let taken = known.hosts.entry(host).or_default();
            *taken = Taken { times: taken.times + 1, last: taken.last.max(taking) };
        }
        known.rows.extend(rows);
    }

    /// A host is free again that was taken so.
    pub fn released(&self, host: i64, taking: Option<u64>) {
        let mut known = self.known();
        if taking.is_some_and(|taking| known.lost(taking)) {
            return;
        }
        match known.hosts.get_mut(&host) {
            Some(taken) if taken.times > 1 => taken.times -= 1,
            _ => drop(known.hosts.remove(&host)),
        }
    }

    /// Whether a host is held that was taken so.
    pub fn has(&self, host: i64, taking: u64) -> bool {
        let known = self.known();
        !known.lost(taking) && known.hosts.contains_key(&host)
    }

    /// Whether others took over what was taken so.
    pub fn is_lost(&self, taking: u64) -> bool {
        self.known().lost(taking)
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
        known.lost = known.takings;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_while_the_answer_is_on_its_way_is_not_held() {
        let held = Held::default();
        let (late, host) = (held.begin(), 7);
        held.lose_all();
        held.took(late, vec![host], Vec::new());
        assert!(!held.has(host, late) && held.is_lost(late) && held.taking(host).is_none());
        assert!(held.doubtful.load(Ordering::Acquire), "what it took all the same is given back");
        // Taken again, it is held for the new taking alone, whatever becomes of the old one.
        let new = held.begin();
        held.took(new, vec![host], Vec::new());
        held.released(host, Some(late));
        assert!(held.has(host, new) && !held.has(host, late));
        held.released(host, Some(new));
        assert!(!held.has(host, new));
    }

    #[test]
    fn a_host_that_is_taken_again_before_its_release_was_heard_stays_held() {
        let (held, host) = (Held::default(), 7);
        let takings = [held.begin(), held.begin()];
        takings.into_iter().for_each(|taking| held.took(taking, vec![host], Vec::new()));
        held.released(host, Some(takings[0]));
        assert!(held.has(host, takings[1]) && held.taking(host) == Some(takings[1]));
    }
}
