//! What a queue is made of, whatever it is kept in.

use std::collections::BTreeMap;
use std::time::Duration;

use facts::Timestamp;
use sha2::{Digest, Sha256};

use crate::rank::{HostKey, Lane, Rank};
use crate::{FrontierFigures, Link, Overrun, StoreError};

/// A part of a queue on its way.
#[derive(Clone, Debug)]
pub(crate) enum Queued {
    /// A crawl as a whole. next: the number of its next claim.
    Crawl { crawl: u32, figures: FrontierFigures, next: u64 },
    /// A budget of a crawl that was used up.
    Overrun { crawl: u32, overrun: Overrun },
    /// An address that waits.
    Waiting { crawl: u32, host: HostKey, lane: Lane, rank: Rank, link: Box<Link>, tries: u32, round: u32 },
    /// One that was visited so often. Its host is not known everywhere.
    Visited { crawl: u32, id: [u8; 16], rounds: u32, host: Option<HostKey> },
    /// Pages of a host that were ever queued.
    Host { crawl: u32, host: HostKey, pages: u64 },
    /// Pages of a host by the shape of their addresses.
    Shape { crawl: u32, host: HostKey, shape: [u8; 8], pages: u64 },
    /// When a host may be asked again.
    Clock { host: HostKey, ready_at: Timestamp, delay: Option<Duration>, failures: u32 },
    /// What an origin said about manners.
    Origin { name: String, record: Vec<u8> },
}

/// Takes the parts of a queue one after the other.
pub(crate) type Take<'t> = &'t mut dyn FnMut(Queued) -> Result<(), StoreError>;

impl Queued {
    /// What it is called in a table of what was moved.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Crawl { .. } => "queue: crawls",
            Self::Overrun { .. } => "queue: overruns",
            Self::Waiting { .. } => "queue: waiting",
            Self::Visited { .. } => "queue: visited",
            Self::Host { .. } => "queue: hosts",
            Self::Shape { .. } => "queue: shapes",
            Self::Clock { .. } => "queue: clocks",
            Self::Origin { .. } => "queue: origins",
        }
    }

    /// A hash of what is the same in every home.
    fn hash(&self) -> Result<u128, StoreError> {
        let bytes = match self {
            Self::Crawl { crawl, figures, next } => postcard::to_stdvec(&(crawl, figures, next)),
            Self::Overrun { crawl, overrun } => postcard::to_stdvec(&(crawl, overrun)),
            Self::Waiting { crawl, host, lane, rank, link, tries, round } => {
                postcard::to_stdvec(&(crawl, host.0, *lane as u8, rank, link, tries, round))
            }
            Self::Visited { crawl, id, rounds, .. } => postcard::to_stdvec(&(crawl, id, rounds)),
            Self::Host { crawl, host, pages } => postcard::to_stdvec(&(crawl, host.0, pages)),
            Self::Shape { crawl, host, shape, pages } => postcard::to_stdvec(&(crawl, host.0, shape, pages)),
            // The time moves on.
            Self::Clock { host, delay, failures, .. } => {
                postcard::to_stdvec(&(host.0, delay.map(|delay| delay.as_millis()), failures))
            }
            Self::Origin { name, record } => postcard::to_stdvec(&(name, record)),
        };
        let bytes = bytes.map_err(|error| StoreError::Io { path: "the queue".into(), reason: error.to_string() })?;
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        let mut half = [0; 16];
        half.copy_from_slice(&hash[..16]);
        Ok(u128::from_be_bytes(half))
    }
}

/// How many parts there are of each sort, and a hash of them all that does not depend on their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums(pub BTreeMap<&'static str, (u64, u128)>);

impl Sums {
    pub fn add(&mut self, part: &Queued) -> Result<(), StoreError> {
        let (count, hash) = self.0.entry(part.name()).or_default();
        *count += 1;
        *hash = hash.wrapping_add(part.hash()?);
        Ok(())
    }
}
