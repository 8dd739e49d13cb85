//! Where addresses stand, as the tables have it.

use tokio_postgres::Row;

use crate::rank::{HostKey, Lane, Rank, hash8};

/// The place of an address in the queue of its host: the least goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub lane: i16,
    pub band: i64,
    pub seq: i64,
}

impl Place {
    pub fn new(lane: Lane, rank: Rank) -> Self {
        Self { lane: lane.code(), band: signed(rank.band), seq: rank.seq as i64 }
    }

    /// The place without its lane.
    pub fn rank(self) -> Rank {
        Rank { band: (self.band as u64) ^ (1 << 63), seq: self.seq as u64 }
    }

    /// The same with another band.
    pub fn raised(self, band: u64) -> Self {
        Self { band: signed(band), ..self }
    }
}

/// The tables' numbers go below zero: the order stays.
fn signed(band: u64) -> i64 {
    (band ^ (1 << 63)) as i64
}

/// Reads lane, band and sequence, the first of which is in this column.
pub(super) fn read_place(row: &Row, first: usize) -> Option<Place> {
    let lane: Option<i16> = row.get(first);
    lane.map(|lane| Place { lane, band: row.get(first + 1), seq: row.get(first + 2) })
}

/// A host as the tables have it.
pub(super) fn host_number(name: &str) -> i64 {
    i64::from_be_bytes(HostKey::of_name(name).0)
}

/// The shape of an address as the tables have it.
pub(super) fn shape_number(template: &str) -> i64 {
    i64::from_be_bytes(hash8(template))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_ranks() {
        let bands = [0, 1, u64::from(u32::MAX), (1 << 63) - 1, 1 << 63, u64::MAX];
        let places = bands.map(|band| Place::new(Lane::Pages, Rank { band, seq: 5 }));
        assert!(places.is_sorted());
        assert_eq!(places.map(|place| place.rank().band), bands);
        assert!(Place::new(Lane::Media, Rank { band: u64::MAX, seq: 9 }) < places[0]);
        assert_eq!(places[3].raised(0), places[0]);
    }
}
