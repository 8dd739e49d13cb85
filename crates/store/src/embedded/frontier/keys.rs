//! Keys of the queue's keyspaces. Numbers are big-endian, so that bytes sort as the things do.

use facts::{HostName, Order, Timestamp};
use sha2::{Digest, Sha256};

use crate::{CrawlId, VisitKind};

/// A host, as keys hold it: 8 bytes of a hash. Should two hosts of a million ever share one
/// (chance 10⁻⁸), they share a queue and a clock, and nothing else goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct HostKey(pub [u8; 8]);

impl HostKey {
    pub fn of(host: &HostName) -> Self {
        Self::of_name(host.as_str())
    }

    pub fn of_name(name: &str) -> Self {
        Self(hash8(name))
    }
}

/// An address of one crawl.
pub(super) type KnownKey = [u8; 20];

/// Eight bytes of the text's SHA-256.
fn hash8(text: &str) -> [u8; 8] {
    let hash = Sha256::digest(text.as_bytes());
    let mut short = [0; 8];
    short.copy_from_slice(&hash[..8]);
    short
}

/// The two queues of a host. Media go first: they belong to pages already visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Lane {
    Media = 0,
    Pages = 1,
}

impl Lane {
    pub const ALL: [Self; 2] = [Self::Media, Self::Pages];

    pub fn of(kind: VisitKind) -> Self {
        match kind {
            VisitKind::Page => Self::Pages,
            // What a site lists decides which of its pages are visited: it is asked for before them.
            VisitKind::Media(_) | VisitKind::Report | VisitKind::Sitemap => Self::Media,
        }
    }
}

/// Where a row stands in its lane; the least goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(super) struct Rank {
    pub band: u64,
    pub seq: u64,
}

/// Links of one page that have a place in the order.
const LINKS_OF_ONE_PAGE: u64 = 1 << 20;

impl Rank {
    pub const FIRST: Self = Self { band: 0, seq: 0 };

    /// The rank of the `index`-th link found by the claim of that number; `None` for a page with
    /// more links than any has. It follows claims, not completions, so that two crawls of one web
    /// go the same way.
    pub fn new(order: Order, claim: u64, index: usize) -> Option<Self> {
        let index = u64::try_from(index).ok().filter(|&index| index < LINKS_OF_ONE_PAGE)?;
        let seq = claim.checked_mul(LINKS_OF_ONE_PAGE)?.checked_add(index)?;
        Some(Self { band: band(order, claim), seq })
    }

    fn bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.band.to_be_bytes());
        bytes[8..].copy_from_slice(&self.seq.to_be_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self { band: number(bytes.get(..8)?)?, seq: number(bytes.get(8..16)?)? })
    }
}

/// The leading half of a rank.
pub(super) fn band(order: Order, claim: u64) -> u64 {
    match order {
        Order::FirstIn => 0,
        Order::LastIn => u64::MAX - claim,
        Order::Best(priority) => priority.descending_key().into(),
    }
}

fn number(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

/// Moments before 1970 do not occur, but must not sort last if they do.
fn moment(at: Timestamp) -> [u8; 8] {
    (at.0.max(0) as u64).to_be_bytes()
}

pub(super) fn known(crawl: CrawlId, id: [u8; 16]) -> KnownKey {
    let mut key = [0; 20];
    key[..4].copy_from_slice(&crawl.0.to_be_bytes());
    key[4..].copy_from_slice(&id);
    key
}

pub(super) fn backlog(crawl: CrawlId, host: HostKey) -> [u8; 12] {
    let mut key = [0; 12];
    key[..4].copy_from_slice(&crawl.0.to_be_bytes());
    key[4..].copy_from_slice(&host.0);
    key
}

/// The crawl and host of a [`backlog`] key.
pub(super) fn read_backlog(key: &[u8]) -> Option<(CrawlId, HostKey)> {
    let crawl = u32::from_be_bytes(key.get(..4)?.try_into().ok()?);
    Some((CrawlId(crawl), HostKey(key.get(4..12)?.try_into().ok()?)))
}

pub(super) fn lane(crawl: CrawlId, host: HostKey, lane: Lane) -> [u8; 13] {
    let mut key = [0; 13];
    key[..12].copy_from_slice(&backlog(crawl, host));
    key[12] = lane as u8;
    key
}

pub(super) fn row(crawl: CrawlId, host: HostKey, in_lane: Lane, rank: Rank) -> [u8; 29] {
    let mut key = [0; 29];
    key[..13].copy_from_slice(&lane(crawl, host, in_lane));
    key[13..].copy_from_slice(&rank.bytes());
    key
}

/// The rank in a [`row`] key.
pub(super) fn read_row(key: &[u8]) -> Option<Rank> {
    Rank::read(key.get(13..)?)
}

pub(super) fn template(crawl: CrawlId, host: HostKey, template: &str) -> [u8; 20] {
    let mut key = [0; 20];
    key[..12].copy_from_slice(&backlog(crawl, host));
    key[12..].copy_from_slice(&hash8(template));
    key
}

/// All parked hosts of a crawl with work in a lane.
pub(super) fn parked(crawl: CrawlId, lane: Lane) -> [u8; 5] {
    let mut key = [0; 5];
    key[..4].copy_from_slice(&crawl.0.to_be_bytes());
    key[4] = lane as u8;
    key
}

pub(super) fn ready(crawl: CrawlId, lane: Lane, (rank, host): (Rank, HostKey)) -> [u8; 29] {
    let mut key = [0; 29];
    key[..5].copy_from_slice(&parked(crawl, lane));
    key[5..21].copy_from_slice(&rank.bytes());
    key[21..].copy_from_slice(&host.0);
    key
}

/// Rank and host of a [`ready`] key.
pub(super) fn read_ready(key: &[u8]) -> Option<(Rank, HostKey)> {
    Some((Rank::read(key.get(5..21)?)?, HostKey(key.get(21..)?.try_into().ok()?)))
}

pub(super) fn resting(crawl: CrawlId, lane: Lane, (until, host): (Timestamp, HostKey)) -> [u8; 21] {
    let mut key = [0; 21];
    key[..5].copy_from_slice(&parked(crawl, lane));
    key[5..13].copy_from_slice(&moment(until));
    key[13..].copy_from_slice(&host.0);
    key
}

/// Moment and host of a [`resting`] key.
pub(super) fn read_resting(key: &[u8]) -> Option<(Timestamp, HostKey)> {
    let until = i64::try_from(number(key.get(5..13)?)?).ok()?;
    Some((Timestamp(until), HostKey(key.get(13..)?.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use facts::Priority;

    #[test]
    fn ranks_follow_the_order_a_strategy_asks_for() {
        let rank = |order, claim, index| Rank::new(order, claim, index).unwrap();
        let best = |p| Order::Best(Priority::new(p));
        assert!(rank(Order::FirstIn, 1, 9) < rank(Order::FirstIn, 2, 0));
        assert!(rank(Order::LastIn, 2, 0) < rank(Order::LastIn, 1, 0));
        assert!(rank(Order::LastIn, 2, 0) < rank(Order::LastIn, 2, 1));
        assert!(rank(best(0.9), 7, 0) < rank(best(0.1), 1, 0));
        assert!(rank(best(0.5), 1, 0) < rank(best(0.5), 1, 1));
    }

    #[test]
    fn a_page_of_millions_of_links_does_not_reach_into_the_next() {
        assert!(Rank::new(Order::FirstIn, 1, (1 << 20) - 1) < Rank::new(Order::FirstIn, 2, 0));
        assert_eq!(Rank::new(Order::FirstIn, 1, 1 << 20), None);
    }

    #[test]
    fn keys_are_read_back() {
        let (crawl, host) = (CrawlId(3), HostKey::of_name("example.org"));
        let rank = Rank { band: 5, seq: 8 };
        assert_eq!(read_row(&row(crawl, host, Lane::Pages, rank)), Some(rank));
        assert_eq!(read_ready(&ready(crawl, Lane::Media, (rank, host))), Some((rank, host)));
        let until = Timestamp(77);
        assert_eq!(read_resting(&resting(crawl, Lane::Pages, (until, host))), Some((until, host)));
        assert_eq!(read_backlog(&backlog(crawl, host)), Some((crawl, host)));
        assert_eq!(read_row(b"short"), None);
    }
}
