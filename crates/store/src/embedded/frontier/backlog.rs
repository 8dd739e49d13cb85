//! What waits of one host in one crawl, while the host is in memory.

use facts::Timestamp;

use super::front::Front;
use super::keys::{self, HostKey, Lane, Rank};
use super::rows::{BacklogRow, Parked};
use super::spaces::{Changes, Space, Spaces};
use crate::{CrawlId, StoreError};

/// Rows of a host whose ranks are in memory, in each lane. So few in tests that they run out.
const HEADS: usize = if cfg!(test) { 2 } else { 16 };

/// A row that comes or goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Edit {
    Insert(Lane, Rank),
    Remove(Lane, Rank),
}

/// Where an active host stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Slot {
    /// Busy, or all its rows are claimed.
    Out,
    Ready(Lane, Rank),
    Resting(Lane, Timestamp),
}

/// An active host's queue: its first ranks and what is claimed of it.
pub(super) struct Backlog {
    pub row: BacklogRow,
    pub slot: Slot,
    fronts: [Front<Rank>; 2],
    taken: Vec<(Lane, Rank)>,
}

impl Backlog {
    pub fn new(row: BacklogRow) -> Self {
        let front = |lane: Lane| {
            let lane = row.lanes[lane as usize];
            Front::new((lane.queued > 0).then_some(lane.from), HEADS)
        };
        Self { fronts: Lane::ALL.map(front), slot: Slot::Out, taken: Vec::new(), row }
    }

    /// The row to be claimed next.
    pub fn head(&mut self, spaces: &Spaces, crawl: CrawlId, host: HostKey) -> Result<Option<(Lane, Rank)>, StoreError> {
        for lane in Lane::ALL {
            let taken = &self.taken;
            let head = self.fronts[lane as usize].first(|from, most| {
                let start = keys::row(crawl, host, lane, from);
                spaces.keys(Space::Queue, &keys::lane(crawl, host, lane), &start, most, |key| {
                    keys::read_row(key).filter(|&rank| !taken.contains(&(lane, rank)))
                })
            })?;
            if let Some(rank) = head {
                return Ok(Some((lane, rank)));
            }
        }
        Ok(None)
    }

    /// A row is claimed: it stays in the store and is not looked at any more.
    pub fn take(&mut self, lane: Lane, rank: Rank) {
        self.fronts[lane as usize].remove(&rank);
        self.taken.push((lane, rank));
    }

    /// A claimed row waits again.
    pub fn put_back(&mut self, lane: Lane, rank: Rank) {
        self.taken.retain(|&taken| taken != (lane, rank));
        self.fronts[lane as usize].insert(rank);
    }

    /// A host with claimed rows must stay in memory, where that is known.
    pub fn is_pinned(&self) -> bool {
        !self.taken.is_empty()
    }

    /// Follows what was committed.
    pub fn apply(&mut self, row: BacklogRow, edits: &[Edit]) {
        self.row = row;
        for &edit in edits {
            match edit {
                Edit::Insert(lane, rank) => self.fronts[lane as usize].insert(rank),
                Edit::Remove(lane, rank) => {
                    self.fronts[lane as usize].remove(&rank);
                    self.taken.retain(|&taken| taken != (lane, rank));
                }
            }
        }
    }

    /// A rank that no row of the lane comes before once `edits` are done, claimed rows included:
    /// after a crash those wait again.
    pub fn lower_bound(&self, lane: Lane, edits: &[Edit]) -> Option<Rank> {
        // In order: the target of a redirect may come where what led to it has just gone.
        let (mut new, mut gone) = (Vec::new(), Vec::new());
        for &edit in edits {
            match edit {
                Edit::Insert(l, rank) if l == lane => new.push(rank),
                Edit::Remove(l, rank) if l == lane => {
                    new.retain(|&inserted| inserted != rank);
                    gone.push(rank);
                }
                _ => {}
            }
        }
        let taken = self.taken.iter().filter(|(l, rank)| *l == lane && !gone.contains(rank)).map(|&(_, rank)| rank);
        self.fronts[lane as usize].lower_bound().into_iter().chain(taken).chain(new).min()
    }

    /// The row to be stored once `edits` are done.
    pub fn stored(&self, mut row: BacklogRow, edits: &[Edit]) -> BacklogRow {
        for lane in Lane::ALL {
            if let Some(from) = self.lower_bound(lane, edits) {
                row.lanes[lane as usize].from = from;
            }
        }
        row
    }
}

/// The place of a parked host in one of the two indexes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Post {
    Ready(Lane, (Rank, HostKey)),
    Resting(Lane, (Timestamp, HostKey)),
}

impl Post {
    pub fn of(row: &BacklogRow, host: HostKey) -> Option<Self> {
        let lane = row.lane()?;
        match row.parked {
            Parked::No => None,
            // A lower bound is good enough: the host is looked at when its turn seems to come.
            Parked::Ready => Some(Self::Ready(lane, (row.lanes[lane as usize].from, host))),
            Parked::Resting(until) => Some(Self::Resting(lane, (until, host))),
        }
    }

    pub fn put(self, changes: &mut Changes<'_>, crawl: CrawlId) {
        match self {
            Self::Ready(lane, at) => changes.put_bytes(Space::Ready, &keys::ready(crawl, lane, at), Vec::new()),
            Self::Resting(lane, at) => changes.put_bytes(Space::Resting, &keys::resting(crawl, lane, at), Vec::new()),
        }
    }

    pub fn remove(self, changes: &mut Changes<'_>, crawl: CrawlId) {
        match self {
            Self::Ready(lane, at) => changes.remove(Space::Ready, &keys::ready(crawl, lane, at)),
            Self::Resting(lane, at) => changes.remove(Space::Resting, &keys::resting(crawl, lane, at)),
        }
    }
}
