//! What the server saw: requests, overlaps, gaps and breaches, host by host.
//!
//! A request starts when its head has been read. It ends when the last byte of its answer was
//! handed to the socket, or the connection broke. Memory is bounded: each host keeps sums, a small
//! histogram and a limited set of the addresses it has served.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::time::Instant;

use serde::Serialize;

/// Upper ends of the histogram of gaps, in milliseconds.
const GAP_STEPS: [u64; 9] = [1, 10, 50, 100, 200, 500, 1_000, 2_000, 5_000];
const HOSTS: usize = 200_000;
const ADDRESSES_PER_HOST: usize = 50_000;
const ADDRESSES: usize = 4_000_000;
const BREACHES_NAMED: usize = 5;
const UNSETTLED: usize = 1024;

/// What one host saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct HostLog {
    /// Requests started.
    pub requests: u64,
    /// Pairs of requests that were under way at once.
    pub overlaps: u64,
    /// Milliseconds from the end of one answer to the start of the next request, at least.
    pub shortest_gap_ms: Option<f64>,
    /// How many gaps were below 1, 10, 50, 100, 200, 500, 1000, 2000, 5000 ms, and longer.
    pub gaps: [u64; 10],
    /// Requests for what robots.txt forbids.
    pub robots_breaches: u64,
    /// The first few of them.
    pub breached: Vec<String>,
    /// Addresses that were answered with 200 more than once.
    pub urls_twice: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// When the first request started, in milliseconds since the log began.
    pub first_ms: f64,
    /// When the last request started.
    pub last_ms: f64,
}

/// What all hosts saw.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LogSummary {
    /// Hosts asked.
    pub hosts: usize,
    /// Requests started.
    pub requests: u64,
    /// Requests not ended yet.
    pub open: usize,
    /// The most requests under way at once, over all hosts.
    pub most_open: usize,
    /// Pairs of requests to one host that were under way at once.
    pub overlaps: u64,
    /// The shortest gap of any host.
    pub shortest_gap_ms: Option<f64>,
    /// Requests for what robots.txt forbids.
    pub robots_breaches: u64,
    /// Addresses that were answered with 200 more than once.
    pub urls_twice: u64,
    /// Bytes of bodies.
    pub bytes: u64,
    /// Each host by name.
    pub by_host: BTreeMap<String, HostLog>,
}

#[derive(Default)]
struct Lane {
    log: HostLog,
    active: Vec<(u64, Instant)>,
    /// Start and end of requests that ended while others were still under way.
    ended: Vec<(Instant, Instant)>,
    last_end: Option<Instant>,
    served: HashSet<u64>,
    twice: HashSet<u64>,
}

impl Lane {
    /// Counts overlaps and gaps among the requests that have ended. That an answer left is noted
    /// a little after it did, and the client may have asked again meanwhile on another
    /// connection: so this waits until none is under way, and then goes by the times alone.
    fn settle(&mut self) {
        self.ended.sort_unstable();
        for (i, (start, end)) in self.ended.iter().enumerate() {
            let (earlier, _) = self.ended.split_at(i);
            self.log.overlaps += earlier.iter().filter(|(_, other)| other > start).count() as u64;
            if let Some(last) = self.last_end
                && last <= *start
            {
                let ms = start.duration_since(last).as_secs_f64() * 1000.0;
                self.log.shortest_gap_ms = Some(self.log.shortest_gap_ms.map_or(ms, |shortest| shortest.min(ms)));
                self.log.gaps[GAP_STEPS.iter().position(|step| ms < *step as f64).unwrap_or(GAP_STEPS.len())] += 1;
            }
            self.last_end = Some(self.last_end.map_or(*end, |last| last.max(*end)));
        }
        self.ended.clear();
    }
}

struct Lanes {
    began: Instant,
    hosts: HashMap<String, Lane>,
    next: u64,
    open: usize,
    most_open: usize,
    addresses: usize,
}

/// The log, shared by all connections.
pub(crate) struct Traffic(Mutex<Lanes>);

/// A request under way.
#[derive(Debug)]
pub(crate) struct Flight {
    host: String,
    id: u64,
}

impl Traffic {
    pub fn new() -> Self {
        let began = Instant::now();
        Self(Mutex::new(Lanes { began, hosts: HashMap::new(), next: 0, open: 0, most_open: 0, addresses: 0 }))
    }

    fn lanes(&self) -> std::sync::MutexGuard<'_, Lanes> {
        // A panic elsewhere cannot leave sums half written.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A request's head has been read.
    pub fn start(&self, host: &str, target: &str, allowed: bool) -> Option<Flight> {
        self.start_at(host, target, allowed, Instant::now())
    }

    fn start_at(&self, host: &str, target: &str, allowed: bool, now: Instant) -> Option<Flight> {
        let mut lanes = self.lanes();
        if lanes.hosts.len() >= HOSTS && !lanes.hosts.contains_key(host) {
            return None;
        }
        let id = lanes.next;
        lanes.next += 1;
        lanes.open += 1;
        lanes.most_open = lanes.most_open.max(lanes.open);
        let since = now.saturating_duration_since(lanes.began).as_secs_f64() * 1000.0;
        let lane = lanes.hosts.entry(host.to_owned()).or_default();
        if lane.log.requests == 0 {
            lane.log.first_ms = since;
        }
        lane.log.requests += 1;
        lane.log.last_ms = since;
        if !allowed {
            lane.log.robots_breaches += 1;
            if lane.log.breached.len() < BREACHES_NAMED {
                lane.log.breached.push(target.chars().take(300).collect());
            }
        }
        lane.active.push((id, now));
        Some(Flight { host: host.to_owned(), id })
    }

    /// What was answered.
    pub fn answered(&self, flight: &Flight, target: &str, status: u16, bytes: usize) {
        let mut lanes = self.lanes();
        let room = lanes.addresses < ADDRESSES;
        let Some(lane) = lanes.hosts.get_mut(&flight.host) else { return };
        lane.log.bytes += bytes as u64;
        if status != 200 {
            return;
        }
        let mut hasher = DefaultHasher::new();
        target.hash(&mut hasher);
        let address = hasher.finish();
        let mut added = false;
        if lane.served.contains(&address) {
            if lane.twice.len() < ADDRESSES_PER_HOST && lane.twice.insert(address) {
                lane.log.urls_twice += 1;
            }
        } else if room && lane.served.len() < ADDRESSES_PER_HOST {
            added = lane.served.insert(address);
        }
        lanes.addresses += usize::from(added);
    }

    /// The last byte was handed over at this moment.
    pub fn end(&self, flight: &Flight, at: Instant) {
        let mut lanes = self.lanes();
        lanes.open = lanes.open.saturating_sub(1);
        let Some(lane) = lanes.hosts.get_mut(&flight.host) else { return };
        let Some(place) = lane.active.iter().position(|(id, _)| *id == flight.id) else { return };
        let (_, start) = lane.active.swap_remove(place);
        lane.ended.push((start, at));
        if lane.active.is_empty() || lane.ended.len() >= UNSETTLED {
            lane.settle();
        }
    }

    /// Whether no request is under way.
    pub fn is_idle(&self) -> bool {
        self.lanes().open == 0
    }

    /// Everything seen since the log began; of one host when it is named.
    pub fn summary(&self, host: Option<&str>) -> LogSummary {
        let lanes = self.lanes();
        let settled = |lane: &Lane| {
            let mut lane =
                Lane { log: lane.log.clone(), ended: lane.ended.clone(), last_end: lane.last_end, ..Lane::default() };
            lane.settle();
            lane.log
        };
        let mut sum = LogSummary { open: lanes.open, most_open: lanes.most_open, ..LogSummary::default() };
        for (name, lane) in lanes.hosts.iter().filter(|(name, _)| host.is_none_or(|host| host == name.as_str())) {
            let log = settled(lane);
            sum.hosts += 1;
            sum.requests += log.requests;
            sum.overlaps += log.overlaps;
            sum.robots_breaches += log.robots_breaches;
            sum.urls_twice += log.urls_twice;
            sum.bytes += log.bytes;
            sum.shortest_gap_ms = match (sum.shortest_gap_ms, log.shortest_gap_ms) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
            sum.by_host.insert(name.clone(), log);
        }
        sum
    }

    /// Forgets everything but the requests under way.
    pub fn reset(&self) {
        let mut lanes = self.lanes();
        lanes.began = Instant::now();
        lanes.addresses = 0;
        lanes.most_open = lanes.open;
        lanes.hosts.retain(|_, lane| {
            *lane = Lane { active: std::mem::take(&mut lane.active), ..Lane::default() };
            !lane.active.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(traffic: &Traffic, ms: u64) -> Instant {
        traffic.lanes().began + Duration::from_millis(ms)
    }

    #[test]
    fn overlaps_and_gaps_are_told_apart() {
        let traffic = Traffic::new();
        let flight = |host, start| traffic.start_at(host, "/", true, at(&traffic, start)).unwrap();
        let a = flight("a", 0);
        let b = flight("b", 5);
        traffic.end(&a, at(&traffic, 10));
        let a2 = flight("a", 250);
        traffic.end(&a2, at(&traffic, 260));
        traffic.end(&b, at(&traffic, 270));
        let log = traffic.summary(None);
        assert_eq!((log.requests, log.overlaps, log.shortest_gap_ms, log.most_open), (3, 0, Some(240.0), 2));
        let a3 = flight("a", 300);
        let a4 = flight("a", 310);
        traffic.end(&a4, at(&traffic, 320));
        traffic.end(&a3, at(&traffic, 330));
        assert_eq!(traffic.summary(Some("a")).overlaps, 1);
    }

    #[test]
    fn a_request_that_follows_the_last_byte_is_no_overlap_even_when_its_end_is_noted_late() {
        for first_noted_first in [true, false] {
            let traffic = Traffic::new();
            let first = traffic.start_at("a", "/", true, at(&traffic, 0)).unwrap();
            let second = traffic.start_at("a", "/", true, at(&traffic, 12)).unwrap();
            let mut ends = [(&first, 10), (&second, 20)];
            if !first_noted_first {
                ends.reverse();
            }
            for (flight, ms) in ends {
                traffic.end(flight, at(&traffic, ms));
            }
            let log = traffic.summary(None);
            assert_eq!((log.overlaps, log.shortest_gap_ms), (0, Some(2.0)));
        }
    }

    #[test]
    fn breaches_and_repeats_are_counted_and_forgotten_on_reset() {
        let traffic = Traffic::new();
        for _ in 0..3 {
            let flight = traffic.start("a", "/private", false).unwrap();
            traffic.answered(&flight, "/private", 200, 10);
            traffic.end(&flight, Instant::now());
        }
        let log = traffic.summary(None);
        assert_eq!((log.robots_breaches, log.urls_twice, log.bytes), (3, 1, 30));
        traffic.reset();
        assert_eq!(traffic.summary(None).requests, 0);
    }
}
