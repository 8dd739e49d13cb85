//! How well crawls found what they were sent for [001 Figs. 7–10].

use serde::{Deserialize, Serialize};

/// Relevant pages, and how they lie to each other. Position *n* of a list counts what has length *n*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harvest {
    /// Pages read.
    pub pages: u64,
    /// Of them, those relevant to their crawl's region.
    pub relevant: u64,
    /// Pages between one relevant page and the next on a branch.
    pub bridge: Vec<u64>,
    /// Pages after the last relevant page of a branch.
    pub tail: Vec<u64>,
    /// Links from the seed to each relevant page.
    pub seed_distance: Vec<u64>,
}

impl Harvest {
    /// Relevant pages per page read.
    pub fn rate(&self) -> Option<f64> {
        (self.pages > 0).then(|| self.relevant as f64 / self.pages as f64)
    }
}
