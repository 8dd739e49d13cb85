//! The queue of every crawl and the clocks they share.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use facts::{HostName, Timestamp};

use super::clock::{Clock, Hosts};
use super::keys::{self, HostKey, Rank};
use super::parking::{PARKED_AT_ONCE, park_the_homeless};
use super::queue::{CrawlQueue, crawl_row_key};
use super::rows::{Restart, RowRef};
use super::spaces::{Changes, Safe, Space, Spaces};
use super::staging::{Finished, Recent, Staged, Staging};
use crate::{Budgets, Claim, CrawlId, FrontierFigures, Link, Outcome, Overrun, Reservation, Rest, StoreError, Visited};

pub(super) const VERSION: u32 = 1;
pub(super) const VERSION_KEY: &[u8] = b"version";
/// Present while nobody has the queue open, after a close that wrote everything.
pub(super) const CLEAN_KEY: &[u8] = b"clean";
/// How often the queue was opened.
const OPENING_KEY: &[u8] = b"opening";
/// The last [`Restart`]. Kept over clean stops: someone may stop and start again before the delays
/// that count from it have passed.
const RESTART_KEY: &[u8] = b"restart";
/// The longest delay that hosts were asked with before it, which all of them wait since.
const RESTART_DELAY_KEY: &[u8] = b"restart delay";
/// The longest delay that hosts are asked with since the last opening. Written before the first is asked so: what is
/// under way when the process is killed was asked with it, or a shorter one.
pub(super) const DELAY_KEY: &[u8] = b"delay";
/// The last moment that was written down: no later opening begins before it.
const SEEN_KEY: &[u8] = b"seen";
/// The identity of the library whose crawls wait here.
pub(super) const LIBRARY_KEY: &[u8] = b"library";

/// Addresses remembered as lately seen (about 100 bytes each).
const RECENT: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();

/// Budgets of a crawl that were used up and are looked through for the worst.
const OVERRUNS: usize = 1000;

/// Clocks are put right by some seconds all the time.
const WORTH_TELLING: Duration = Duration::from_secs(60);
/// How often the moment is written down.
const SEEN_EVERY: Duration = Duration::from_secs(1);

/// How soon to ask again for a host that is busy: nobody knows when it will be free.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct State {
    pub spaces: Spaces,
    pub clock: Clock,
    pub hosts: Hosts,
    pub crawls: HashMap<CrawlId, CrawlQueue>,
    recent: Recent,
    pub active_hosts: usize,
    closed: bool,
    /// The moment that was written down last.
    seen: Timestamp,
}

impl State {
    pub fn open(path: &Path, clock: Clock, default_delay: Duration, active_hosts: usize) -> Result<Self, StoreError> {
        let spaces = Spaces::open(path)?;
        let version: Option<u32> = spaces.read(Space::Meta, VERSION_KEY)?;
        if let Some(found) = version.filter(|&found| found > VERSION) {
            return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
        }
        if let Some(seen) = spaces.read(Space::Meta, SEEN_KEY)?
            && let Some(behind) = clock.not_before(seen)
            && behind >= WORTH_TELLING
        {
            tracing::warn!(
                "the clock of this machine was set back since {} was last worked on: its time goes on {} s ahead of it",
                path.display(),
                behind.as_secs()
            );
        }
        let clean = version.is_none() || spaces.get(Space::Meta, CLEAN_KEY)?.is_some();
        if !clean {
            park_the_homeless(&spaces)?;
        }
        let mut changes = spaces.changes();
        let opening = changes.read::<u64>(Space::Meta, OPENING_KEY)?.unwrap_or(0) + 1;
        changes.put(Space::Meta, OPENING_KEY, &opening)?;
        changes.put(Space::Meta, VERSION_KEY, &VERSION)?;
        changes.remove(Space::Meta, CLEAN_KEY);
        let now = clock.now();
        if !clean {
            let asked: Duration = changes.read(Space::Meta, DELAY_KEY)?.unwrap_or_default();
            // Killed again while all wait, they wait on.
            let waited = restart_of(&changes, default_delay)?.filter(|(restart, delay)| restart.at + *delay > now);
            let delay = asked.max(default_delay).max(waited.map_or(Duration::ZERO, |(_, delay)| delay));
            changes.put(Space::Meta, RESTART_KEY, &Restart { opening, at: now })?;
            changes.put(Space::Meta, RESTART_DELAY_KEY, &delay)?;
        }
        changes.put(Space::Meta, DELAY_KEY, &default_delay)?;
        let restart = restart_of(&changes, default_delay)?;
        changes.commit(Safe::FromPowerLoss)?;
        Ok(Self {
            hosts: Hosts::new(default_delay, opening, restart),
            crawls: HashMap::new(),
            recent: Recent::new(RECENT),
            active_hosts: active_hosts.max(1),
            closed: false,
            seen: Timestamp(0),
            spaces,
            clock,
        })
    }

    /// Refuses a queue whose library was moved away: the numbers of its crawls would mean others.
    pub fn belong_to(&mut self, library: i32) -> Result<(), StoreError> {
        match self.spaces.read::<i32>(Space::Meta, LIBRARY_KEY)? {
            Some(known) if known == library => Ok(()),
            Some(_) => Err(self.spaces.damaged("it belongs to another library.db")),
            None => self.spaces.put(Space::Meta, LIBRARY_KEY, &library),
        }
    }

    /// Refuses work after [`close`](Self::close), which would undo its mark.
    pub fn opened(&mut self) -> Result<&mut Self, StoreError> {
        if self.closed { Err(StoreError::Stopped { path: self.spaces.path().to_owned() }) } else { Ok(self) }
    }

    pub fn queue(&mut self, crawl: CrawlId) -> Result<&mut CrawlQueue, StoreError> {
        if !self.crawls.contains_key(&crawl) {
            let queue = CrawlQueue::load(&self.spaces, crawl)?;
            self.crawls.insert(crawl, queue);
        }
        self.crawls.get_mut(&crawl).ok_or_else(|| self.spaces.damaged("a crawl was lost"))
    }

    pub fn figures(&mut self, crawl: CrawlId) -> Result<FrontierFigures, StoreError> {
        let overruns = self.spaces.values(Space::Overruns, &crawl.0.to_be_bytes(), OVERRUNS)?;
        Ok(self.queue(crawl)?.row.figures.with(Overrun::worst(overruns)))
    }

    pub fn add(&mut self, crawl: CrawlId, links: &[Link], budgets: Budgets) -> Result<u64, StoreError> {
        self.stage(crawl, budgets, |staging| {
            let number = staging.number();
            let mut new = 0;
            for (index, link) in links.iter().enumerate() {
                new += u64::from(staging.link(link, Rank::new(link.order, number, index))?);
            }
            Ok(new)
        })
    }

    pub fn finish(&mut self, crawl: CrawlId, visits: &[Visited], budgets: Budgets) -> Result<(), StoreError> {
        self.stage(crawl, budgets, |staging| {
            for visit in visits {
                let Finished::Now(place) = staging.finish(&visit.claim)? else { continue };
                // The target of a redirect takes the place of what it was found by.
                let place = place.filter(|_| matches!(visit.outcome, Outcome::Redirect(_)));
                for (index, link) in visit.links.iter().enumerate() {
                    let found = Rank::new(link.order, visit.claim.number, index);
                    staging.link(link, place.filter(|_| index == 0).or(found))?;
                }
            }
            Ok(())
        })?;
        let queue = self.queue(crawl)?;
        for visit in visits {
            queue.claimed.remove(&visit.claim.id.short());
        }
        Ok(())
    }

    fn stage<T>(
        &mut self,
        crawl: CrawlId,
        budgets: Budgets,
        work: impl FnOnce(&mut Staging<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.queue(crawl)?;
        let Some(queue) = self.crawls.get(&crawl) else { return Err(self.spaces.damaged("a crawl was lost")) };
        let mut staging = Staging::new(&self.spaces, queue, &mut self.recent, budgets);
        let result = work(&mut staging)?;
        let staged = staging.commit()?;
        self.follow(crawl, staged)?;
        Ok(result)
    }

    /// Brings memory in line with what was committed.
    fn follow(&mut self, crawl: CrawlId, staged: Staged) -> Result<(), StoreError> {
        let now = self.clock.now();
        for (key, known) in staged.known {
            self.recent.put(key, known);
        }
        let queue = self.queue(crawl)?;
        (queue.row, queue.next) = (staged.row, staged.next);
        for (host, staged) in staged.hosts {
            let Some(queue) = self.crawls.get_mut(&crawl) else { break };
            if let Some(backlog) = queue.active.get_mut(&host) {
                backlog.apply(staged.row, &staged.edits);
                let clock = self.hosts.clock(&self.spaces, host)?;
                queue.place(&self.spaces, host, clock, now)?;
                self.forget(host);
            } else {
                queue.move_post(staged.posts.0, staged.posts.1);
            }
        }
        Ok(())
    }

    /// Writes down what time it is, now and then.
    fn note_moment(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        if now.since(self.seen) >= SEEN_EVERY {
            self.spaces.put(Space::Meta, SEEN_KEY, &now)?;
            self.seen = now;
        }
        Ok(())
    }

    pub fn release(&mut self, host: &HostName, rest: Rest) -> Result<(), StoreError> {
        self.note_moment()?;
        let host = HostKey::of(host);
        let clock = self.hosts.clock(&self.spaces, host)?;
        clock.busy = false;
        clock.row.ready_at = rest.until;
        clock.row.delay = rest.delay.or(clock.row.delay);
        clock.row.failures = rest.failures;
        self.spaces.put(Space::Hosts, &host.0, &clock.row)?;
        self.place(host)
    }

    /// Hosts are asked with this delay from now on, if they ask for none.
    pub fn note_delay(&mut self, delay: Duration) -> Result<(), StoreError> {
        if delay > self.hosts.delay() {
            let mut changes = self.spaces.changes();
            changes.put(Space::Meta, DELAY_KEY, &delay)?;
            changes.commit(Safe::FromPowerLoss)?;
            self.hosts.lengthen(delay);
        }
        Ok(())
    }

    pub fn reserve(&mut self, host: &HostName, delay: Duration) -> Result<Reservation, StoreError> {
        self.note_delay(delay)?;
        let host = HostKey::of(host);
        let now = self.clock.now();
        let clock = self.hosts.clock(&self.spaces, host)?;
        if clock.busy {
            return Ok(Reservation::NotBefore(now + BUSY_PAUSE));
        }
        if clock.row.ready_at > now {
            let ready_at = clock.row.ready_at;
            self.forget(host);
            return Ok(Reservation::NotBefore(ready_at));
        }
        clock.busy = true;
        let granted = Reservation::Granted { delay: clock.row.delay, failures: clock.row.failures, taking: 0 };
        self.place(host)?;
        Ok(granted)
    }

    pub fn put_back(&mut self, crawl: CrawlId, claim: Claim, failed: bool) -> Result<(), StoreError> {
        self.queue(crawl)?;
        let Some(queue) = self.crawls.get_mut(&crawl) else { return Ok(()) };
        let id = claim.id.short();
        let Some(&taken) = queue.claimed.get(&id) else { return Ok(()) };
        if failed {
            let row = RowRef { link: &claim.link, tries: claim.tries.saturating_add(1), round: claim.round };
            self.spaces.put(Space::Queue, &keys::row(crawl, taken.host, taken.lane, taken.rank), &row)?;
        }
        queue.claimed.remove(&id);
        if let Some(backlog) = queue.active.get_mut(&taken.host) {
            backlog.put_back(taken.lane, taken.rank);
        }
        self.place(taken.host)
    }

    /// Puts a host where it belongs in every crawl.
    pub fn place(&mut self, host: HostKey) -> Result<(), StoreError> {
        let now = self.clock.now();
        let clock = *self.hosts.clock(&self.spaces, host)?;
        for queue in self.crawls.values_mut() {
            queue.place(&self.spaces, host, &clock, now)?;
        }
        self.forget(host);
        Ok(())
    }

    /// Lets go of a clock nobody looks at.
    pub fn forget(&mut self, host: HostKey) {
        if !self.crawls.values().any(|queue| queue.active.contains_key(&host)) {
            self.hosts.forget(host);
        }
    }

    /// Leaves everything so that the next open needs to wait for nothing.
    pub fn close(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        for host in self.hosts.busy() {
            let mut row = self.hosts.clock(&self.spaces, host)?.row;
            row.ready_at = row.ready_at.max(now + self.hosts.full_delay(&row));
            self.spaces.put(Space::Hosts, &host.0, &row)?;
        }
        let crawls: Vec<CrawlId> = self.crawls.keys().copied().collect();
        for crawl in crawls {
            let queue = self.queue(crawl)?;
            queue.row.next = queue.next;
            let (row, hosts) = (queue.row.clone(), queue.active.keys().copied().collect::<Vec<HostKey>>());
            self.spaces.put(Space::Meta, &crawl_row_key(crawl), &row)?;
            for chunk in hosts.chunks(PARKED_AT_ONCE) {
                let mut changes = self.spaces.changes();
                for &host in chunk {
                    self.stage_park(&mut changes, crawl, host)?;
                }
                changes.commit(Safe::FromKill)?;
            }
        }
        self.crawls.clear();
        self.closed = true;
        let mut changes = self.spaces.changes();
        changes.put_bytes(Space::Meta, CLEAN_KEY, vec![1]);
        changes.put(Space::Meta, SEEN_KEY, &now)?;
        changes.commit(Safe::FromPowerLoss)?;
        self.spaces.sync()
    }
}

/// The last unclean stop, and how long all hosts wait since.
fn restart_of(changes: &Changes<'_>, default_delay: Duration) -> Result<Option<(Restart, Duration)>, StoreError> {
    let Some(restart) = changes.read(Space::Meta, RESTART_KEY)? else { return Ok(None) };
    Ok(Some((restart, changes.read(Space::Meta, RESTART_DELAY_KEY)?.unwrap_or(default_delay))))
}
