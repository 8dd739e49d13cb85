//! What each part of a crawl did.

use serde::{Deserialize, Serialize};

use crate::{Figures, FrontierFigures};

/// The five units that a crawler is made of [004 §3.4.2], and what each did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Units {
    /// The controller: visits that it had made, each of an address whose host was free.
    pub assigned: u64,
    /// The crawler: of them, those that a server answered.
    pub fetched: u64,
    /// The link extractor: addresses on the pages that were read, on each page once, that may be visited.
    pub found: u64,
    /// The dynamic unit: of them, those that only a page's scripts brought.
    pub dynamic: u64,
    /// The dynamic unit: states of the pages whose scripts it ran.
    #[serde(default)]
    pub states: u64,
    /// The sorter: different addresses that it gave a place in the queue.
    pub ranked: u64,
}

impl Units {
    /// Of a crawl with these figures and this queue.
    pub fn of(figures: &Figures, frontier: &FrontierFigures) -> Self {
        Self {
            assigned: figures.visits,
            fetched: figures.fetched,
            found: figures.links,
            dynamic: figures.dynamic,
            states: figures.states,
            // The queue is written down less often than visits are; what was visited had its place.
            ranked: (frontier.known_pages + frontier.known_media).max(figures.visits),
        }
    }

    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            assigned: self.assigned + other.assigned,
            fetched: self.fetched + other.fetched,
            found: self.found + other.found,
            dynamic: self.dynamic + other.dynamic,
            states: self.states + other.states,
            ranked: self.ranked + other.ranked,
        }
    }
}
