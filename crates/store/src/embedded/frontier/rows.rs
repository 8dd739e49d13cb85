//! Values of the queue's keyspaces.

use std::time::Duration;

use facts::Timestamp;
use serde::{Deserialize, Serialize};

use super::keys::{Lane, Rank};
use crate::{FrontierFigures, Link, Overrun};

/// What is known of an address. Claims are not here: they live in memory, so that a killed crawl
/// finds its claimed rows still queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Waiting at this place, for the visit after `round` earlier ones.
    Queued { lane: Lane, rank: Rank, round: u32 },
    /// Visited this often, and not waiting.
    Visited { rounds: u32 },
}

impl Known {
    pub fn encode(self) -> Vec<u8> {
        match self {
            Self::Queued { lane, rank, round } => {
                let mut bytes = Vec::with_capacity(21);
                bytes.push(lane as u8);
                bytes.extend(rank.band.to_be_bytes());
                bytes.extend(rank.seq.to_be_bytes());
                bytes.extend(round.to_be_bytes());
                bytes
            }
            Self::Visited { rounds } => rounds.to_be_bytes().to_vec(),
        }
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        if let Ok(rounds) = bytes.try_into() {
            return Some(Self::Visited { rounds: u32::from_be_bytes(rounds) });
        }
        let bytes: [u8; 21] = bytes.try_into().ok()?;
        let [lane, rest @ ..] = bytes;
        let lane = *Lane::ALL.get(usize::from(lane))?;
        let number = |from: usize| Some(u64::from_be_bytes(rest[from..from + 8].try_into().ok()?));
        let round = u32::from_be_bytes(rest[16..].try_into().ok()?);
        Some(Self::Queued { lane, rank: Rank { band: number(0)?, seq: number(8)? }, round })
    }
}

/// A waiting address.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub link: Link,
    pub tries: u32,
    pub round: u32,
}

/// A [`Row`] to be written.
#[derive(Debug, Serialize)]
pub(super) struct RowRef<'a> {
    pub link: &'a Link,
    pub tries: u32,
    pub round: u32,
}

/// What of a host waits in one crawl.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct BacklogRow {
    pub host: String,
    /// By [`Lane`].
    pub lanes: [LaneRow; 2],
    /// Pages ever queued, for the budget.
    pub pages: u64,
    pub parked: Parked,
}

impl BacklogRow {
    pub fn new(host: &str) -> Self {
        let empty = LaneRow { from: Rank::FIRST, queued: 0 };
        Self { host: host.to_owned(), lanes: [empty; 2], pages: 0, parked: Parked::No }
    }

    /// The lane to be served first.
    pub fn lane(&self) -> Option<Lane> {
        Lane::ALL.into_iter().find(|&lane| self.lanes[lane as usize].queued > 0)
    }
}

/// One queue of a host.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LaneRow {
    /// No row stands before it. Reading starts here and not at the start of the lane, where the
    /// marks of deleted rows are.
    pub from: Rank,
    pub queued: u64,
}

/// Where a host with work waits when it is not in memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Parked {
    /// It is in memory, or has no work.
    No,
    /// Among the ready, by its lane and the lane's `from`.
    Ready,
    /// Among the resting, by its lane and this moment.
    Resting(Timestamp),
}

/// The politeness clock of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct HostRow {
    pub ready_at: Timestamp,
    pub delay: Option<Duration>,
    pub failures: u32,
    /// The opening of the store in which this was written.
    pub opening: u64,
}

/// An opening of the store after an unclean stop: requests may have been under way then, whose
/// end nobody saw.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Restart {
    pub opening: u64,
    pub at: Timestamp,
}

/// The sums among [`FrontierFigures`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub known_pages: u64,
    pub known_media: u64,
    pub queued_pages: u64,
    pub queued_media: u64,
    pub over_budget: u64,
}

impl Counts {
    pub fn of(figures: &FrontierFigures) -> Self {
        let FrontierFigures { known_pages, known_media, queued_pages, queued_media, over_budget, .. } = *figures;
        Self { known_pages, known_media, queued_pages, queued_media, over_budget }
    }

    pub fn with(&self, overruns: Vec<Overrun>) -> FrontierFigures {
        let Self { known_pages, known_media, queued_pages, queued_media, over_budget } = *self;
        FrontierFigures { known_pages, known_media, queued_pages, queued_media, over_budget, overruns }
    }
}

/// What the queue knows of a crawl as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CrawlRow {
    pub figures: Counts,
    /// Claims from this number on were never made; those below may have been.
    pub next: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_read_back() {
        let rank = Rank { band: u64::MAX - 3, seq: 12 << 20 };
        for known in [Known::Visited { rounds: 1 }, Known::Queued { lane: Lane::Pages, rank, round: 2 }] {
            assert_eq!(Known::decode(&known.encode()), Some(known));
        }
        assert_eq!(Known::decode(b""), None);
        assert_eq!(Known::decode(&[9; 21]), None);
    }
}
