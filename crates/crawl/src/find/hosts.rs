//! The hosts of a find: what waits for each, and when it may be asked. Pure: time comes in.
//!
//! A host is asked for one thing at a time, and left alone for a while in between. What is quick to decide comes
//! first: files that say how to behave, pictures that someone looks at. Then pages and pictures take turns.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use facts::HostName;

/// Pictures that are looked at for each page.
const PICTURES_A_PAGE: u32 = 5;
/// Pages, and pictures, that wait for one host.
const WAITING: usize = 5_000;

/// In which line something waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    /// Before everything else, also while the host's rules are not known.
    Rules,
    /// Before pages and pictures.
    First,
    /// A page: what looks best comes first.
    Page(f32),
    /// A picture: what looks best comes first.
    Picture(f32),
}

/// All hosts of a find.
pub(super) struct Hosts<T> {
    hosts: HashMap<HostName, Host<T>>,
    /// Hosts that have something to do, by the moment from which they may be asked.
    ready: BinaryHeap<Reverse<(Instant, u64, HostName)>>,
    number: u64,
    waiting: usize,
    /// Before any moment at which a host became ready.
    began: Instant,
}

struct Host<T> {
    rules: VecDeque<T>,
    first: VecDeque<T>,
    pages: BinaryHeap<Ranked<T>>,
    pictures: BinaryHeap<Ranked<T>>,
    /// Pictures since the last page.
    turn: u32,
    /// A request was made.
    asked: bool,
    /// A request is under way.
    busy: bool,
    /// Its rules are being looked for elsewhere.
    held: bool,
    /// It is in the list of those that are ready.
    listed: bool,
    ready_at: Instant,
    /// What is known of its manners.
    pub manner: Manner,
}

/// What is known of a host's manners.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Manner {
    /// The delay that it asks for.
    pub delay: Option<Duration>,
    /// Failures in a row.
    pub failures: u32,
}

struct Ranked<T> {
    rank: f32,
    /// Of what is equally good, what came first.
    number: Reverse<u64>,
    what: T,
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank.total_cmp(&other.rank).then_with(|| self.number.cmp(&other.number))
    }
}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> Host<T> {
    fn new(now: Instant) -> Self {
        Self {
            rules: VecDeque::new(),
            first: VecDeque::new(),
            pages: BinaryHeap::new(),
            pictures: BinaryHeap::new(),
            turn: PICTURES_A_PAGE,
            asked: false,
            busy: false,
            held: false,
            listed: false,
            ready_at: now,
            manner: Manner::default(),
        }
    }

    fn len(&self) -> usize {
        self.rules.len() + self.first.len() + self.pages.len() + self.pictures.len()
    }

    fn can_be_asked(&self) -> bool {
        !self.busy && if self.held { !self.rules.is_empty() } else { self.len() > 0 }
    }

    /// What has to be asked before a picture of it can be shown, roughly.
    fn steps_to_a_picture(&self) -> u8 {
        match self {
            Self { first, .. } if !first.is_empty() => 0,
            Self { rules, pictures, .. } if !rules.is_empty() || !pictures.is_empty() => 1,
            Self { asked: true, .. } => 2,
            _ => 3,
        }
    }

    fn take(&mut self) -> Option<(Line, T)> {
        if let Some(what) = self.rules.pop_front() {
            return Some((Line::Rules, what));
        }
        if self.held {
            return None;
        }
        if let Some(what) = self.first.pop_front() {
            return Some((Line::First, what));
        }
        let page_next = self.turn >= PICTURES_A_PAGE || self.pictures.is_empty();
        if page_next && let Some(Ranked { rank, what, .. }) = self.pages.pop() {
            self.turn = 0;
            return Some((Line::Page(rank), what));
        }
        let Ranked { rank, what, .. } = self.pictures.pop()?;
        self.turn += 1;
        Some((Line::Picture(rank), what))
    }
}

impl<T> Hosts<T> {
    pub fn new() -> Self {
        Self { hosts: HashMap::new(), ready: BinaryHeap::new(), number: 0, waiting: 0, began: Instant::now() }
    }

    /// Lets something wait for its host; `false` when too much waits there.
    pub fn add(&mut self, host: &HostName, line: Line, what: T, now: Instant) -> bool {
        self.number += 1;
        let number = Reverse(self.number);
        let entry = self.hosts.entry(host.clone()).or_insert_with(|| Host::new(now));
        match line {
            Line::Rules => entry.rules.push_back(what),
            Line::First => entry.first.push_back(what),
            Line::Page(_) if entry.pages.len() >= WAITING => return false,
            Line::Picture(_) if entry.pictures.len() >= WAITING => return false,
            Line::Page(rank) => entry.pages.push(Ranked { rank, number, what }),
            Line::Picture(rank) => entry.pictures.push(Ranked { rank, number, what }),
        }
        self.waiting += 1;
        self.list(host);
        true
    }

    /// Puts something back that was taken and not asked for.
    pub fn put_back(&mut self, host: &HostName, line: Line, what: T, now: Instant) {
        let entry = self.hosts.entry(host.clone()).or_insert_with(|| Host::new(now));
        match line {
            Line::Rules => entry.rules.push_front(what),
            Line::First => entry.first.push_front(what),
            // Before others of its rank.
            Line::Page(rank) => entry.pages.push(Ranked { rank, number: Reverse(0), what }),
            Line::Picture(rank) => entry.pictures.push(Ranked { rank, number: Reverse(0), what }),
        }
        self.waiting += 1;
        self.list(host);
    }

    fn list(&mut self, host: &HostName) {
        if let Some(entry) = self.hosts.get_mut(host)
            && entry.can_be_asked()
            && !entry.listed
        {
            entry.listed = true;
            self.number += 1;
            self.ready.push(Reverse((entry.ready_at, self.number, host.clone())));
        }
    }

    /// The next thing whose host may be asked now; the host is busy with it until [`release`](Self::release).
    pub fn take(&mut self, now: Instant) -> Option<(HostName, Line, T)> {
        while let Some(Reverse((at, _, host))) = self.ready.peek().cloned() {
            if at > now {
                return None;
            }
            self.ready.pop();
            let Some(entry) = self.hosts.get_mut(&host) else { continue };
            entry.listed = false;
            if !entry.can_be_asked() {
                continue;
            }
            // It may have been told to rest for longer since.
            if entry.ready_at > now {
                self.list(&host);
                continue;
            }
            if let Some((line, what)) = entry.take() {
                (entry.busy, entry.asked) = (true, true);
                self.waiting -= 1;
                return Some((host, line, what));
            }
        }
        None
    }

    /// The same, but of all hosts that may be asked now the one that is nearest to showing a picture: someone looks
    /// at an empty page. Goes over all hosts that are ready, so only for the beginning.
    pub fn take_nearest(&mut self, now: Instant) -> Option<(HostName, Line, T)> {
        let steps = |host: &HostName| self.hosts.get(host).map_or(u8::MAX, Host::steps_to_a_picture);
        let ready = self.ready.iter().map(|Reverse(entry)| entry).filter(|(at, ..)| *at <= now);
        let (at, _, host) = ready.min_by_key(|(at, number, host)| (steps(host), *at, *number))?.clone();
        self.ready.retain(|Reverse((_, _, other))| *other != host);
        self.number += 1;
        // Before all others.
        self.ready.push(Reverse((at.min(self.began), 0, host)));
        self.take(now)
    }

    /// The request to a host has ended: it rests until then.
    pub fn release(&mut self, host: &HostName, until: Instant) {
        if let Some(entry) = self.hosts.get_mut(host) {
            entry.busy = false;
            entry.ready_at = entry.ready_at.max(until);
        }
        self.list(host);
    }

    /// A host that was asked before the find began: it rests until then.
    pub fn rest(&mut self, host: &HostName, until: Instant) {
        self.hosts.entry(host.clone()).or_insert_with(|| Host::new(until));
    }

    /// All requests were broken off: their hosts rest until then.
    pub fn release_all(&mut self, until: Instant) {
        let broken_off: Vec<HostName> =
            self.hosts.iter().filter(|(_, host)| host.busy || host.held).map(|(name, _)| name.clone()).collect();
        for host in broken_off {
            self.hold(&host, false);
            self.release(&host, until);
        }
    }

    /// Only what is about rules is asked of it for now, or everything again.
    pub fn hold(&mut self, host: &HostName, held: bool) {
        if let Some(entry) = self.hosts.get_mut(host) {
            entry.held = held;
        }
        self.list(host);
    }

    /// What is known of a host's manners, to be changed.
    pub fn manner(&mut self, host: &HostName) -> Option<&mut Manner> {
        self.hosts.get_mut(host).map(|entry| &mut entry.manner)
    }

    /// Lets go of all that waits for a host.
    pub fn give_up(&mut self, host: &HostName) -> Vec<T> {
        let Some(entry) = self.hosts.get_mut(host) else { return Vec::new() };
        self.waiting -= entry.len();
        let mut all: Vec<T> = entry.rules.drain(..).chain(entry.first.drain(..)).collect();
        all.extend(entry.pages.drain().chain(entry.pictures.drain()).map(|ranked| ranked.what));
        all
    }

    /// When the next host may be asked; nothing when none has anything to do but those that are busy.
    pub fn next(&self) -> Option<Instant> {
        self.ready.peek().map(|Reverse((at, ..))| *at)
    }

    /// What waits, over all hosts.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// Hosts that were met.
    pub fn len(&self) -> usize {
        self.hosts.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str) -> HostName {
        HostName::parse(name).unwrap()
    }

    #[test]
    fn a_host_is_asked_for_one_thing_at_a_time_and_rests() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let mut hosts = Hosts::new();
        let (a, b) = (host("a.example"), host("b.example"));
        for (name, what) in [(&a, 1), (&a, 2), (&b, 3)] {
            assert!(hosts.add(name, Line::Page(0.0), what, start));
        }
        let taken: Vec<i32> = std::iter::from_fn(|| hosts.take(start)).map(|(_, _, what)| what).collect();
        assert_eq!(taken, [1, 3]);
        assert_eq!(hosts.next(), None);
        hosts.release(&a, start + second);
        assert!(hosts.take(start + second / 2).is_none());
        assert_eq!(hosts.next(), Some(start + second));
        assert_eq!(hosts.take(start + second).map(|(_, _, what)| what), Some(2));
        assert_eq!(hosts.waiting(), 0);
    }

    #[test]
    fn pages_and_pictures_take_turns_and_the_best_comes_first() {
        let now = Instant::now();
        let mut hosts = Hosts::new();
        let a = host("a.example");
        for n in 0..20u8 {
            hosts.add(&a, Line::Picture(f32::from(n)), format!("picture {n}"), now);
        }
        for (rank, name) in [(1.0, "page b"), (2.0, "page a"), (1.0, "page c")] {
            hosts.add(&a, Line::Page(rank), name.into(), now);
        }
        hosts.add(&a, Line::First, "first".into(), now);
        let mut order = Vec::new();
        while let Some((host, _, what)) = hosts.take(now) {
            order.push(what);
            hosts.release(&host, now);
        }
        assert_eq!(order[..4], ["first", "page a", "picture 19", "picture 18"]);
        let places: Vec<usize> = (0..order.len()).filter(|at| order[*at].starts_with("page")).collect();
        assert_eq!(places, [1, 7, 13]);
        assert_eq!(order[7], "page b");
    }

    #[test]
    fn what_is_nearest_to_a_picture_is_asked_first_when_that_is_wanted() {
        let now = Instant::now();
        let mut hosts = Hosts::new();
        let [a, b, c, d] = ["a.example", "b.example", "c.example", "d.example"].map(host);
        hosts.add(&b, Line::Page(0.0), "robots of b", now);
        assert!(hosts.take(now).is_some());
        hosts.add(&a, Line::Page(0.0), "start", now);
        hosts.add(&b, Line::Page(0.0), "page", now);
        hosts.add(&c, Line::Picture(0.0), "picture", now);
        hosts.add(&d, Line::First, "thumbnail", now);
        hosts.release(&b, now);
        let taken: Vec<&str> = std::iter::from_fn(|| hosts.take_nearest(now)).map(|(_, _, what)| what).collect();
        assert_eq!(taken, ["thumbnail", "picture", "page", "start"]);
        assert_eq!((hosts.waiting(), hosts.next()), (0, None));
    }

    #[test]
    fn a_host_that_is_held_is_asked_for_rules_only() {
        let now = Instant::now();
        let mut hosts = Hosts::new();
        let a = host("a.example");
        hosts.add(&a, Line::Page(0.0), "page", now);
        hosts.hold(&a, true);
        assert!(hosts.take(now).is_none());
        hosts.add(&a, Line::Rules, "rules", now);
        assert_eq!(hosts.take(now).map(|(_, _, what)| what), Some("rules"));
        hosts.release(&a, now);
        assert!(hosts.take(now).is_none());
        hosts.hold(&a, false);
        let (_, line, what) = hosts.take(now).unwrap();
        hosts.put_back(&a, line, what, now);
        hosts.release(&a, now);
        assert_eq!(hosts.give_up(&a), ["page"]);
        assert_eq!((hosts.waiting(), hosts.len()), (0, 1));
    }

    #[test]
    fn too_much_for_one_host_is_not_taken() {
        let now = Instant::now();
        let mut hosts = Hosts::new();
        let a = host("a.example");
        let taken = (0..WAITING + 10).filter(|n| hosts.add(&a, Line::Picture(0.0), *n, now)).count();
        assert_eq!(taken, WAITING);
    }
}
