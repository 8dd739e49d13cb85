//! The queue of one crawl: a bounded number of hosts in memory, the others parked in the store.
//!
//! An *active* host stands among the ready (by its best row) or the resting (by when it is free),
//! or out of both while it is busy. A *parked* host with work stands in one of two indexes of the
//! store, ordered alike, of which only the front is in memory.

use std::collections::{BTreeSet, HashMap};

use facts::Timestamp;

use super::backlog::{Backlog, Post, Slot};
use super::clock::HostClock;
use super::front::Front;
use super::keys::{self, HostKey, Lane, Rank};
use super::rows::CrawlRow;
use super::spaces::{Space, Spaces};
use crate::{CrawlId, StoreError};

/// Parked hosts whose places are in memory, in each lane of each index. So few in tests that they
/// run out.
const PARKED_HEADS: usize = if cfg!(test) { 2 } else { 1024 };

/// Claim numbers set aside by one write.
const NUMBERS: u64 = 1024;

/// Where a claimed row stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub host: HostKey,
    pub lane: Lane,
    pub rank: Rank,
}

pub(super) struct CrawlQueue {
    pub id: CrawlId,
    pub row: CrawlRow,
    /// The number of the next claim. At most `row.next`, which is stored.
    pub next: u64,
    pub active: HashMap<HostKey, Backlog>,
    /// By short URL id.
    pub claimed: HashMap<[u8; 16], Taken>,
    ready: BTreeSet<(Lane, Rank, HostKey)>,
    resting: BTreeSet<(Lane, Timestamp, HostKey)>,
    parked_ready: [Front<(Rank, HostKey)>; 2],
    parked_resting: [Front<(Timestamp, HostKey)>; 2],
}

impl CrawlQueue {
    pub fn load(spaces: &Spaces, id: CrawlId) -> Result<Self, StoreError> {
        let first = HostKey([0; 8]);
        let row: CrawlRow = spaces.read(Space::Meta, &crawl_row_key(id))?.unwrap_or_default();
        Ok(Self {
            id,
            next: row.next,
            row,
            active: HashMap::new(),
            claimed: HashMap::new(),
            ready: BTreeSet::new(),
            resting: BTreeSet::new(),
            parked_ready: Lane::ALL.map(|_| Front::new(Some((Rank::FIRST, first)), PARKED_HEADS)),
            parked_resting: Lane::ALL.map(|_| Front::new(Some((Timestamp(0), first)), PARKED_HEADS)),
        })
    }

    pub fn is_empty(&self) -> bool {
        self.row.figures.queued_pages + self.row.figures.queued_media == 0
    }

    /// A number for a claim, never used before, also not by a process that was killed.
    pub fn number(&mut self, spaces: &Spaces) -> Result<u64, StoreError> {
        if self.next >= self.row.next {
            self.row.next = self.next + NUMBERS;
            spaces.put(Space::Meta, &crawl_row_key(self.id), &self.row)?;
        }
        self.next += 1;
        Ok(self.next - 1)
    }

    /// The best active host that is free.
    pub fn best_active(&self, pages: bool) -> Option<(Lane, Rank, HostKey)> {
        self.ready.first().copied().filter(|&(lane, ..)| pages || lane == Lane::Media)
    }

    /// The best parked host that may be free.
    pub fn best_parked(&mut self, spaces: &Spaces, pages: bool) -> Result<Option<(Lane, Rank, HostKey)>, StoreError> {
        for lane in lanes(pages) {
            let prefix = keys::parked(self.id, lane);
            let first = self.parked_ready[lane as usize].first(|from, most| {
                spaces.keys(Space::Ready, &prefix, &keys::ready(self.id, lane, from), most, keys::read_ready)
            })?;
            if let Some((rank, host)) = first {
                return Ok(Some((lane, rank, host)));
            }
        }
        Ok(None)
    }

    /// The parked host that is free next.
    pub fn next_parked(&mut self, spaces: &Spaces, lane: Lane) -> Result<Option<(Timestamp, HostKey)>, StoreError> {
        let prefix = keys::parked(self.id, lane);
        self.parked_resting[lane as usize].first(|from, most| {
            spaces.keys(Space::Resting, &prefix, &keys::resting(self.id, lane, from), most, keys::read_resting)
        })
    }

    /// When the next resting host with work that may be taken is free.
    pub fn next(&mut self, spaces: &Spaces, pages: bool) -> Result<Option<Timestamp>, StoreError> {
        let mut next: Option<Timestamp> = None;
        for lane in lanes(pages) {
            let active = self.next_active(lane).map(|(until, _)| until);
            let parked = self.next_parked(spaces, lane)?.map(|(until, _)| until);
            next = next.into_iter().chain(active).chain(parked).min();
        }
        Ok(next)
    }

    /// Whether something that may be taken waits for a host that is busy.
    pub fn is_busy(&self, pages: bool) -> bool {
        let waits = |backlog: &Backlog| match backlog.row.lane() {
            Some(Lane::Media) => true,
            Some(Lane::Pages) => pages,
            None => false,
        };
        self.active.values().any(|backlog| matches!(backlog.slot, Slot::Out) && waits(backlog))
    }

    /// The active host that is free next.
    pub fn next_active(&self, lane: Lane) -> Option<(Timestamp, HostKey)> {
        let from = (lane, Timestamp(i64::MIN), HostKey([0; 8]));
        let &(found, until, host) = self.resting.range(from..).next()?;
        (found == lane).then_some((until, host))
    }

    /// An active host that is needed least: the worst of the ready, or who rests longest.
    pub fn least_needed(&self) -> Option<HostKey> {
        let ready = self.ready.iter().rev().map(|&(.., host)| host);
        let resting = self.resting.iter().rev().map(|&(.., host)| host);
        ready.chain(resting).find(|host| self.active.get(host).is_some_and(|backlog| !backlog.is_pinned()))
    }

    /// Takes an active host out of its order.
    pub fn unslot(&mut self, host: HostKey) {
        let Some(backlog) = self.active.get_mut(&host) else { return };
        match std::mem::replace(&mut backlog.slot, Slot::Out) {
            Slot::Out => {}
            Slot::Ready(lane, rank) => {
                self.ready.remove(&(lane, rank, host));
            }
            Slot::Resting(lane, until) => {
                self.resting.remove(&(lane, until, host));
            }
        }
    }

    /// Puts an active host where it belongs now; out of memory when nothing of it waits.
    pub fn place(
        &mut self,
        spaces: &Spaces,
        host: HostKey,
        clock: &HostClock,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.unslot(host);
        let Some(backlog) = self.active.get_mut(&host) else { return Ok(()) };
        if backlog.row.lane().is_none() {
            self.active.remove(&host);
            return Ok(());
        }
        if clock.busy {
            return Ok(());
        }
        let Some((lane, rank)) = backlog.head(spaces, self.id, host)? else { return Ok(()) };
        if clock.is_free(now) {
            backlog.slot = Slot::Ready(lane, rank);
            self.ready.insert((lane, rank, host));
        } else {
            backlog.slot = Slot::Resting(lane, clock.row.ready_at);
            self.resting.insert((lane, clock.row.ready_at, host));
        }
        Ok(())
    }

    /// Follows a change of the indexes.
    pub fn move_post(&mut self, from: Option<Post>, to: Option<Post>) {
        match from {
            Some(Post::Ready(lane, at)) => self.parked_ready[lane as usize].remove(&at),
            Some(Post::Resting(lane, at)) => self.parked_resting[lane as usize].remove(&at),
            None => {}
        }
        match to {
            Some(Post::Ready(lane, at)) => self.parked_ready[lane as usize].insert(at),
            Some(Post::Resting(lane, at)) => self.parked_resting[lane as usize].insert(at),
            None => {}
        }
    }
}

fn lanes(pages: bool) -> impl Iterator<Item = Lane> {
    Lane::ALL.into_iter().filter(move |&lane| pages || lane == Lane::Media)
}

/// Where the row of a crawl is.
pub(super) fn crawl_row_key(crawl: CrawlId) -> Vec<u8> {
    [b"crawl/".as_slice(), &crawl.0.to_be_bytes()].concat()
}
