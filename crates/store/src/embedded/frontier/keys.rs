//! Keys of the queue's keyspaces. Numbers are big-endian, so that bytes sort as the things do.

use facts::Timestamp;

use crate::rank::hash8;
pub(super) use crate::rank::{HostKey, Lane, Rank, band};
use crate::{CrawlId, Overrun};

/// An address of one crawl.
pub(super) type KnownKey = [u8; 20];

fn rank_bytes(rank: Rank) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&rank.band.to_be_bytes());
    bytes[8..].copy_from_slice(&rank.seq.to_be_bytes());
    bytes
}

fn read_rank(bytes: &[u8]) -> Option<Rank> {
    Some(Rank { band: number(bytes.get(..8)?)?, seq: number(bytes.get(8..16)?)? })
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
    key[13..].copy_from_slice(&rank_bytes(rank));
    key
}

/// The rank in a [`row`] key.
pub(super) fn read_row(key: &[u8]) -> Option<Rank> {
    read_rank(key.get(13..)?)
}

pub(super) fn template(crawl: CrawlId, host: HostKey, template: &str) -> [u8; 20] {
    let mut key = [0; 20];
    key[..12].copy_from_slice(&backlog(crawl, host));
    key[12..].copy_from_slice(&hash8(template));
    key
}

pub(super) fn overrun(crawl: CrawlId, overrun: &Overrun) -> [u8; 20] {
    template(crawl, HostKey::of_name(&overrun.host), overrun.shape.as_deref().unwrap_or_default())
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
    key[5..21].copy_from_slice(&rank_bytes(rank));
    key[21..].copy_from_slice(&host.0);
    key
}

/// Rank and host of a [`ready`] key.
pub(super) fn read_ready(key: &[u8]) -> Option<(Rank, HostKey)> {
    Some((read_rank(key.get(5..21)?)?, HostKey(key.get(21..)?.try_into().ok()?)))
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
