//! The queue of every crawl and the clocks they share, behind one lock.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use facts::{HostName, Timestamp};

use super::backlog::{Backlog, Post, Slot};
use super::clock::{Clock, Hosts};
use super::keys::{self, HostKey};
use super::queue::{CrawlQueue, crawl_row_key};
use super::rows::{BacklogRow, Parked, Restart, RowRef};
use super::spaces::{Changes, Safe, Space, Spaces};
use super::staging::{Recent, Staged, Staging};
use crate::{Budgets, Claim, CrawlId, FrontierFigures, Link, Rest, StoreError, Visited};

const VERSION: u32 = 1;
const VERSION_KEY: &[u8] = b"version";
/// Present while nobody has the queue open, after a close that wrote everything.
const CLEAN_KEY: &[u8] = b"clean";
/// How often the queue was opened.
const OPENING_KEY: &[u8] = b"opening";
/// The last [`Restart`]. Kept over clean stops: someone may stop and start again before the delays
/// that count from it have passed.
const RESTART_KEY: &[u8] = b"restart";

/// Addresses remembered as lately seen (about 100 bytes each).
const RECENT: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();

/// Rows changed by one batch while opening, closing and waking hosts.
const BATCH: usize = 10_000;

/// How soon to ask again for a host that is busy: nobody knows when it will be free.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

pub(super) struct State {
    pub spaces: Spaces,
    pub clock: Clock,
    pub hosts: Hosts,
    pub crawls: HashMap<CrawlId, CrawlQueue>,
    recent: Recent,
    active_hosts: usize,
    closed: bool,
}

impl State {
    pub fn open(
        path: &Path,
        mut clock: Clock,
        default_delay: Duration,
        active_hosts: usize,
    ) -> Result<Self, StoreError> {
        let spaces = Spaces::open(path)?;
        let version: Option<u32> = spaces.read(Space::Meta, VERSION_KEY)?;
        if let Some(found) = version.filter(|&found| found > VERSION) {
            return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
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
        if !clean {
            changes.put(Space::Meta, RESTART_KEY, &Restart { opening, at: clock.now() })?;
        }
        let restart = changes.read(Space::Meta, RESTART_KEY)?;
        changes.commit(Safe::FromPowerLoss)?;
        Ok(Self {
            hosts: Hosts::new(default_delay, opening, restart),
            crawls: HashMap::new(),
            recent: Recent::new(RECENT),
            active_hosts: active_hosts.max(1),
            closed: false,
            spaces,
            clock,
        })
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
        Ok(self.queue(crawl)?.row.figures.clone())
    }

    pub fn add(&mut self, crawl: CrawlId, links: &[Link], budgets: Budgets) -> Result<u64, StoreError> {
        self.stage(crawl, budgets, |staging| {
            let number = staging.number();
            let mut new = 0;
            for (index, link) in links.iter().enumerate() {
                new += u64::from(staging.link(link, number, index)?);
            }
            Ok(new)
        })
    }

    pub fn finish(&mut self, crawl: CrawlId, visits: &[Visited], budgets: Budgets) -> Result<(), StoreError> {
        self.stage(crawl, budgets, |staging| {
            for visit in visits {
                if !staging.finish(&visit.claim)? {
                    continue;
                }
                for (index, link) in visit.links.iter().enumerate() {
                    staging.link(link, visit.claim.number, index)?;
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

    pub fn release(&mut self, host: &HostName, rest: Rest) -> Result<(), StoreError> {
        let host = HostKey::of(host);
        let clock = self.hosts.clock(&self.spaces, host)?;
        clock.busy = false;
        clock.row.ready_at = rest.until;
        clock.row.delay = rest.delay.or(clock.row.delay);
        clock.row.failures = rest.failures;
        self.spaces.put(Space::Hosts, &host.0, &clock.row)?;
        self.place(host)
    }

    pub fn reserve(&mut self, host: &HostName) -> Result<Option<Timestamp>, StoreError> {
        let host = HostKey::of(host);
        let now = self.clock.now();
        let clock = self.hosts.clock(&self.spaces, host)?;
        if clock.busy {
            return Ok(Some(now + BUSY_PAUSE));
        }
        if clock.row.ready_at > now {
            let ready_at = clock.row.ready_at;
            self.forget(host);
            return Ok(Some(ready_at));
        }
        clock.busy = true;
        self.place(host)?;
        Ok(None)
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
    fn forget(&mut self, host: HostKey) {
        if !self.crawls.values().any(|queue| queue.active.contains_key(&host)) {
            self.hosts.forget(host);
        }
    }

    /// Brings a parked host into memory.
    pub fn activate(&mut self, crawl: CrawlId, host: HostKey) -> Result<(), StoreError> {
        self.make_room(crawl, 1)?;
        let row = self.stored_backlog(crawl, host)?;
        let active = BacklogRow { parked: Parked::No, ..row.clone() };
        let mut changes = self.spaces.changes();
        move_host(&mut changes, crawl, host, &row, &active)?;
        changes.commit(Safe::FromKill)?;
        let queue = self.queue(crawl)?;
        queue.move_post(Post::of(&row, host), None);
        queue.active.insert(host, Backlog::new(active));
        self.place(host)
    }

    /// Parks hosts until so many more fit into memory. Busy hosts and those with claimed rows stay;
    /// there are no more of them than requests under way.
    pub fn make_room(&mut self, crawl: CrawlId, more: usize) -> Result<(), StoreError> {
        while self.crawls.values().map(|queue| queue.active.len()).sum::<usize>() + more > self.active_hosts {
            let Some(least) = self.crawls.get(&crawl).and_then(CrawlQueue::least_needed) else { break };
            self.park(crawl, least)?;
        }
        Ok(())
    }

    /// Sends an active host back into the store.
    fn park(&mut self, crawl: CrawlId, host: HostKey) -> Result<(), StoreError> {
        let mut changes = self.spaces.changes();
        let post = self.stage_park(&mut changes, crawl, host)?;
        changes.commit(Safe::FromKill)?;
        if let Some(queue) = self.crawls.get_mut(&crawl) {
            queue.unslot(host);
            queue.active.remove(&host);
            queue.move_post(None, post);
        }
        self.forget(host);
        Ok(())
    }

    fn stage_park(&self, changes: &mut Changes<'_>, crawl: CrawlId, host: HostKey) -> Result<Option<Post>, StoreError> {
        let Some(backlog) = self.crawls.get(&crawl).and_then(|queue| queue.active.get(&host)) else { return Ok(None) };
        let mut row = backlog.stored(backlog.row.clone(), &[]);
        row.parked = match backlog.slot {
            Slot::Resting(_, until) => Parked::Resting(until),
            _ => Parked::Ready,
        };
        move_host(changes, crawl, host, &backlog.row, &row)?;
        Ok(Post::of(&row, host))
    }

    /// Parked hosts whose rest is over become ready. So many at most that nobody waits for long.
    pub fn wake_parked(&mut self, crawl: CrawlId, now: Timestamp) -> Result<(), StoreError> {
        for lane in keys::Lane::ALL {
            let mut changes = self.spaces.changes();
            while changes.len() < BATCH {
                let Some(queue) = self.crawls.get_mut(&crawl) else { break };
                let due = queue.next_parked(&self.spaces, lane)?.filter(|&(until, _)| until <= now);
                let Some((_, host)) = due else { break };
                let key = keys::backlog(crawl, host);
                let Some(row) = self.spaces.read::<BacklogRow>(Space::Backlog, &key)? else {
                    return Err(self.spaces.damaged("a parked host has no backlog"));
                };
                let ready = BacklogRow { parked: Parked::Ready, ..row.clone() };
                move_host(&mut changes, crawl, host, &row, &ready)?;
                queue.move_post(Post::of(&row, host), Post::of(&ready, host));
            }
            changes.commit(Safe::FromKill)?;
        }
        Ok(())
    }

    fn stored_backlog(&self, crawl: CrawlId, host: HostKey) -> Result<BacklogRow, StoreError> {
        let row = self.spaces.read(Space::Backlog, &keys::backlog(crawl, host))?;
        row.ok_or_else(|| self.spaces.damaged("a parked host has no backlog"))
    }

    /// Leaves everything so that the next open needs to wait for nothing.
    pub fn close(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        for host in self.hosts.busy() {
            let mut row = self.hosts.clock(&self.spaces, host)?.row;
            row.ready_at = row.ready_at.max(now + self.hosts.delay(&row));
            self.spaces.put(Space::Hosts, &host.0, &row)?;
        }
        let crawls: Vec<CrawlId> = self.crawls.keys().copied().collect();
        for crawl in crawls {
            let queue = self.queue(crawl)?;
            queue.row.next = queue.next;
            let (row, hosts) = (queue.row.clone(), queue.active.keys().copied().collect::<Vec<HostKey>>());
            self.spaces.put(Space::Meta, &crawl_row_key(crawl), &row)?;
            for chunk in hosts.chunks(BATCH) {
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
        changes.commit(Safe::FromPowerLoss)?;
        self.spaces.sync()
    }
}

/// Writes a host's backlog and moves it between the indexes.
fn move_host(
    changes: &mut Changes<'_>,
    crawl: CrawlId,
    host: HostKey,
    from: &BacklogRow,
    to: &BacklogRow,
) -> Result<(), StoreError> {
    if let Some(post) = Post::of(from, host) {
        post.remove(changes, crawl);
    }
    if let Some(post) = Post::of(to, host) {
        post.put(changes, crawl);
    }
    changes.put(Space::Backlog, &keys::backlog(crawl, host), to)
}

/// Hosts that were in memory when the process was killed stand in no index: one look at every
/// backlog finds them.
fn park_the_homeless(spaces: &Spaces) -> Result<(), StoreError> {
    let mut changes = spaces.changes();
    spaces.each(Space::Backlog, |key, value| {
        let (row, id) = (postcard::from_bytes::<BacklogRow>(value), keys::read_backlog(key));
        let (Ok(row), Some((crawl, host))) = (row, id) else {
            return Err(spaces.damaged("a backlog does not read"));
        };
        if row.parked == Parked::No && row.lane().is_some() {
            let ready = BacklogRow { parked: Parked::Ready, ..row.clone() };
            move_host(&mut changes, crawl, host, &row, &ready)?;
            if changes.len() >= BATCH {
                std::mem::replace(&mut changes, spaces.changes()).commit(Safe::FromKill)?;
            }
        }
        Ok(())
    })?;
    changes.commit(Safe::FromKill)
}
