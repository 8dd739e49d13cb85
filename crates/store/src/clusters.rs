//! What a map shows of a library: items and pages that are near each other, together.

use facts::{LatLon, MediaId, MediaKind};

use crate::{ItemFilter, PageFilter};

/// What is shown on a map.
#[derive(Clone, Debug)]
pub enum ClusterFilter {
    /// Items, where they are shown to be made.
    Media(ItemFilter),
    /// Pages, at the place each is about, else at the surest that it speaks of.
    Pages(PageFilter),
}

/// What is in a view of a map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters {
    /// At most 400.
    pub clusters: Vec<Cluster>,
    /// How many items or pages they hold together.
    pub total: u64,
    /// Whether there are more than were looked at: then these are the newest.
    pub more: bool,
}

/// Some items or pages near each other, or one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The mean of their points.
    pub at: LatLon,
    /// How many there are.
    pub count: u64,
    /// South, west, north and east of where they are, not much larger than need be.
    pub bounds: [f64; 4],
    /// The newest of them.
    pub representative: Representative,
}

/// One of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Representative {
    /// An item.
    Media(MediaId, MediaKind),
    /// A page, by its address.
    Page(String),
}
