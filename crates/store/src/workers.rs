//! Processes that share a database, and what they take turns at.

use facts::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::MutexGuard;

use crate::RunId;
use crate::postgres::Duty;

/// A process at work on a shared database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerSeen {
    /// Its number; larger ones came later.
    pub number: i64,
    /// What it said it does.
    pub what: String,
    /// When it joined.
    pub started: Timestamp,
    /// Its last sign of life.
    pub seen: Timestamp,
    /// Without another sign of life it is gone then, and others take over.
    pub lease_until: Timestamp,
    /// Visits that it finished.
    pub visits: u64,
    /// Visits a second, lately.
    pub rate: f64,
    /// Hosts that it holds: each has a request under way.
    pub hosts: u64,
    /// Runs that it works on.
    pub runs: Vec<RunId>,
    /// Whether it is this process.
    pub own: bool,
}

/// Connections of this process to a shared database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolFigures {
    /// Those that something is asked with.
    pub used: usize,
    /// Those that are open and wait for a question.
    pub idle: usize,
    /// Questions that wait for one of them.
    pub waiting: usize,
}

/// What past and present work says of how many workers would pay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// Hosts of the crawls at work with something to visit, counted up to 100,000.
    pub hosts: u64,
    /// Seconds from one request to such a host to the next, in the mean: its delay and its answer.
    pub pause: f64,
    /// Visits a second that one worker made at its best, by those who work here and worked here lately.
    pub rate: f64,
}

impl Workload {
    /// How many workers the hosts keep busy: each host takes one request in its pause, however many ask.
    /// Nothing while nobody worked here yet.
    pub fn workers(&self) -> Option<u64> {
        let most = self.hosts as f64 / self.pause.max(0.001);
        (self.rate > 0.0).then(|| ((most / self.rate).ceil() as u64).max(1))
    }
}

/// Whose turn it is: nobody else of this process, or of those who share its database.
pub struct Turn<'s> {
    pub(crate) _here: MutexGuard<'s, ()>,
    pub(crate) _everywhere: Option<Duty>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_workers_pay_as_hosts_keep_busy() {
        let load = Workload { hosts: 400, pause: 1.25, rate: 80.0 };
        assert_eq!(load.workers(), Some(4));
        assert_eq!(Workload { hosts: 3, ..load }.workers(), Some(1));
        assert_eq!(Workload { hosts: 0, ..load }.workers(), Some(1));
        assert_eq!(Workload { rate: 0.0, ..load }.workers(), None);
        assert_eq!(Workload { pause: 0.0, hosts: 1, rate: 100.0 }.workers(), Some(10));
    }
}
