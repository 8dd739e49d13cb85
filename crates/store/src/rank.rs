//! Where an address stands in a queue, whatever the queue is made of.

use facts::{HostName, Order};
use sha2::{Digest, Sha256};

use crate::VisitKind;

/// A host, as keys hold it: 8 bytes of a hash. Should two hosts of a million ever share one
/// (chance 10⁻⁸), they share a queue and a clock, and nothing else goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct HostKey(pub [u8; 8]);

impl HostKey {
    pub fn of(host: &HostName) -> Self {
        Self::of_name(host.as_str())
    }

    pub fn of_name(name: &str) -> Self {
        Self(hash8(name))
    }
}

/// Eight bytes of the text's SHA-256.
pub(crate) fn hash8(text: &str) -> [u8; 8] {
    let hash = Sha256::digest(text.as_bytes());
    let mut short = [0; 8];
    short.copy_from_slice(&hash[..8]);
    short
}

/// The two queues of a host. Media go first: they belong to pages already visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Lane {
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
pub(crate) struct Rank {
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
}

/// The leading half of a rank.
pub(crate) fn band(order: Order, claim: u64) -> u64 {
    match order {
        Order::FirstIn => 0,
        Order::LastIn => u64::MAX - claim,
        Order::Best(priority) => priority.descending_key().into(),
    }
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
}
