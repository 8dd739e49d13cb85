//! What is alike, by points: each described item is in the cluster of the nearest leader.
//!
//! `media` makes points of descriptions, and compares descriptions; `cluster` finds leaders. The store
//! keeps both and finds, by the leaders nearest to a point, the few items worth comparing.

use facts::{MediaId, MediaKind};

/// A cluster of items of one kind, described by formulas of one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClusterId(pub i64);

/// A cluster, and where its middle is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leader {
    /// The cluster.
    pub cluster: ClusterId,
    /// Which clustering founded it: items of older ones are to be moved.
    pub generation: u32,
    /// Its middle.
    pub point: Vec<i8>,
    /// Items in it.
    pub members: u64,
}

/// How items of a kind were last sorted into clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sorted {
    /// How often they were: 0 when they never were.
    pub generation: u32,
    /// Items there were then.
    pub items: u64,
    /// How far they were from their leaders, in the mean.
    pub spread: f32,
}

/// Leaders of a kind, and how they were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Leaders {
    /// The last clustering.
    pub sorted: Sorted,
    /// All clusters, those of older clusterings too while they have members.
    pub leaders: Vec<Leader>,
}

/// An item that is in no cluster yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplaced {
    /// The item.
    pub id: MediaId,
    /// Its description, as `media` wrote it.
    pub bytes: Vec<u8>,
}

/// An item with its point, in a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The item.
    pub id: MediaId,
    /// The cluster.
    pub cluster: ClusterId,
    /// The point: 1,024 values at most.
    pub point: Vec<i8>,
}

/// A question for what is near a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alike {
    /// What kind of items.
    pub kind: MediaKind,
    /// The version of their descriptions.
    pub version: u16,
    /// The point.
    pub point: Vec<i8>,
    /// Items whose points are compared: clusters are read, the nearest first, until they hold so many.
    pub compared: usize,
    /// Items that are given: 10,000 at most.
    pub most: usize,
    /// Also copies of others: without it, only originals.
    pub copies: bool,
    /// An item that is not to be found: the example itself.
    pub except: Option<MediaId>,
}

/// An item that is near a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlikeItem {
    /// The item.
    pub id: MediaId,
    /// Its description.
    pub bytes: Vec<u8>,
}
