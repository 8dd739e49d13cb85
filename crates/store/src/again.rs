//! Addresses that were visited and may be again.

use std::time::Duration;

use facts::{Timestamp, UrlId};
use serde::{Deserialize, Serialize};

use crate::{Link, Version};

/// What earlier visits of an address left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Earlier {
    /// The visit that this is of: where a visit was written and not finished, its own.
    pub round: u32,
    /// The version that was found last; of a report, its token is the `ETag`.
    pub version: Version,
    /// When it was last known to be that.
    pub checked: Timestamp,
    /// When the address was last asked, whatever came of it.
    pub asked: Timestamp,
    /// How often it was seen to have changed.
    pub changes: u32,
    /// Over which time: the looks at it lie so far apart, all together.
    pub watched: Duration,
    /// Whether nothing was there any more.
    pub gone: bool,
    /// Why the last visit brought nothing, or what kept a report from being used.
    pub reason: Option<String>,
}

/// Which addresses are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Pages and media.
    Content,
    /// Reports and sitemaps.
    Reports,
}

/// An address that a crawl visited.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownAddress {
    /// Its place in the list: where the list goes on.
    pub number: i64,
    /// The way back there.
    pub link: Link,
    /// What is known of it.
    pub earlier: Earlier,
}

impl KnownAddress {
    /// The identity of the address.
    pub fn id(&self) -> UrlId {
        self.link.url.id()
    }
}

/// A change that a later visit found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeSeen {
    /// When it was seen.
    pub at: Timestamp,
    /// Where.
    pub url: String,
    /// `page`, `image`, `video` or `audio`.
    pub kind: String,
    /// `changed`, `gone` or `back`.
    pub change: String,
}
