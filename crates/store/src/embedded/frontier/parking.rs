//! Hosts on their way between memory and the store.

use facts::Timestamp;

use super::backlog::{Backlog, Post, Slot};
use super::keys::{self, HostKey, Lane};
use super::queue::CrawlQueue;
use super::rows::{BacklogRow, Parked};
use super::spaces::{Changes, Safe, Space, Spaces};
use super::state::State;
use crate::{CrawlId, StoreError};

/// Rows changed by one batch, where many hosts are moved.
pub(super) const PARKED_AT_ONCE: usize = 10_000;

impl State {
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

    pub fn stage_park(
        &self,
        changes: &mut Changes<'_>,
        crawl: CrawlId,
        host: HostKey,
    ) -> Result<Option<Post>, StoreError> {
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
        for lane in Lane::ALL {
            let mut changes = self.spaces.changes();
            while changes.len() < PARKED_AT_ONCE {
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
pub(super) fn park_the_homeless(spaces: &Spaces) -> Result<(), StoreError> {
    let mut changes = spaces.changes();
    spaces.each(Space::Backlog, |key, value| {
        let (row, id) = (postcard::from_bytes::<BacklogRow>(value), keys::read_backlog(key));
        let (Ok(row), Some((crawl, host))) = (row, id) else {
            return Err(spaces.damaged("a backlog does not read"));
        };
        if row.parked == Parked::No && row.lane().is_some() {
            let ready = BacklogRow { parked: Parked::Ready, ..row.clone() };
            move_host(&mut changes, crawl, host, &row, &ready)?;
            if changes.len() >= PARKED_AT_ONCE {
                std::mem::replace(&mut changes, spaces.changes()).commit(Safe::FromKill)?;
            }
        }
        Ok(())
    })?;
    changes.commit(Safe::FromKill)
}
