//! The time of the store, and the politeness clock of each host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use facts::Timestamp;

use super::keys::HostKey;
use super::rows::{HostRow, Restart};
use super::spaces::{Space, Spaces};
use crate::StoreError;

/// Wall-clock time that never goes back, also not from one process to the next: a clock set back must
/// not make hosts wait for hours, nor keep an old robots.txt, nor one set forward twice be believed
/// twice. A clone is the same clock.
#[derive(Clone)]
pub(super) struct Clock(Arc<Mutex<Reading>>);

struct Reading {
    base: Timestamp,
    since: Instant,
    ahead: Duration,
    #[cfg(test)]
    set: Option<Timestamp>,
}

impl Clock {
    /// A clock that is so far ahead of the machine's.
    pub fn start(ahead: Duration) -> Self {
        Self(Arc::new(Mutex::new(Reading {
            base: wall() + ahead,
            since: Instant::now(),
            ahead,
            #[cfg(test)]
            set: None,
        })))
    }

    pub fn now(&self) -> Timestamp {
        let mut reading = self.reading();
        #[cfg(test)]
        if let Some(set) = reading.set {
            return set;
        }
        let steady = reading.base + reading.since.elapsed();
        let wall = wall() + reading.ahead;
        if wall > steady {
            (reading.base, reading.since) = (wall, Instant::now());
            return wall;
        }
        steady
    }

    /// Goes on from a moment that was seen before, when the machine's clock was set back since. Gives by
    /// how much it was.
    pub fn not_before(&self, seen: Timestamp) -> Option<Duration> {
        let behind = seen.since(self.now());
        let mut reading = self.reading();
        if behind == Duration::ZERO {
            return None;
        }
        reading.ahead += behind;
        (reading.base, reading.since) = (seen, Instant::now());
        Some(behind)
    }

    /// How far it is ahead of the machine's.
    pub fn ahead(&self) -> Duration {
        self.reading().ahead
    }

    /// A clock that stands still at a moment of a test's choosing.
    #[cfg(test)]
    pub fn stopped(now: Timestamp) -> Self {
        let clock = Self::start(Duration::ZERO);
        clock.reading().set = Some(now);
        clock
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A host as politeness sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostClock {
    pub row: HostRow,
    /// A request to it is under way.
    pub busy: bool,
}

impl HostClock {
    pub fn is_free(&self, now: Timestamp) -> bool {
        !self.busy && self.row.ready_at <= now
    }
}

/// The clocks of the hosts in use. All others are in the store.
pub(super) struct Hosts {
    clocks: HashMap<HostKey, HostClock>,
    /// The longest delay that hosts were asked with since this opening.
    delay: Duration,
    /// The number of this opening of the store.
    opening: u64,
    /// The last unclean stop, and the longest delay that hosts were asked with before it.
    restart: Option<(Restart, Duration)>,
}

impl Hosts {
    pub fn new(delay: Duration, opening: u64, restart: Option<(Restart, Duration)>) -> Self {
        Self { clocks: HashMap::new(), delay, opening, restart }
    }

    /// The longest delay that hosts were asked with since this opening.
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// Hosts are asked with a longer one from now on.
    pub fn lengthen(&mut self, delay: Duration) {
        self.delay = self.delay.max(delay);
    }

    /// Before this no host is free; those with a delay of their own may have to wait longer.
    pub fn quiet_until(&self) -> Option<Timestamp> {
        self.restart.map(|(restart, delay)| restart.at + delay)
    }

    /// How long a host rests after a request of which nobody knows how it ended.
    pub fn full_delay(&self, row: &HostRow) -> Duration {
        row.delay.unwrap_or_default().max(self.delay)
    }

    /// The clock of a host, from the store if need be.
    pub fn clock(&mut self, spaces: &Spaces, host: HostKey) -> Result<&mut HostClock, StoreError> {
        if !self.clocks.contains_key(&host) {
            let mut row: HostRow = spaces.read(Space::Hosts, &host.0)?.unwrap_or_default();
            if let Some((restart, delay)) = self.restart.filter(|(restart, _)| row.opening < restart.opening) {
                row.ready_at = row.ready_at.max(restart.at + row.delay.unwrap_or_default().max(delay));
            }
            row.opening = self.opening;
            self.clocks.insert(host, HostClock { row, busy: false });
        }
        Ok(self.clocks.entry(host).or_insert(HostClock { row: HostRow::default(), busy: false }))
    }

    /// The host is of no more use, unless a request to it is under way.
    pub fn forget(&mut self, host: HostKey) {
        if self.clocks.get(&host).is_some_and(|clock| !clock.busy) {
            self.clocks.remove(&host);
        }
    }

    /// Hosts with a request under way.
    pub fn busy(&self) -> Vec<HostKey> {
        self.clocks.iter().filter(|(_, clock)| clock.busy).map(|(&host, _)| host).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_go_back() {
        let clock = Clock::start(Duration::ZERO);
        let base = clock.now();
        clock.reading().base = base + Duration::from_secs(3600);
        let ahead = clock.now();
        assert!(ahead.since(wall()) > Duration::from_secs(3000), "the clock was set back by an hour");
        assert!(clock.now() >= ahead);
    }
}
