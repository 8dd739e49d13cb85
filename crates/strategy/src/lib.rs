//! What to visit next.
//!
//! A [`Filter`] says whether an address may be visited at all; a [`Strategy`] says how soon, for
//! all links of a page at once. Both are pure: facts in, verdicts out. The frontier that obeys them
//! is elsewhere.
//!
//! ```
//! use strategy::{Arrival, by_name};
//! let url = facts::Url::parse("https://example.org/").unwrap();
//! let body = b"<p>Old boats in the harbour. <a href=/boats>Boats</a> <a href=/shop>Shop</a>";
//! let page = page::read(body, None, &url, &page::Limits::default());
//! let order = by_name("best-first").unwrap().links(&Arrival::at(&page));
//! assert_eq!(order[0], facts::Order::Best(facts::Priority::new(1.0)));
//! assert_eq!(order[1], facts::Order::Best(facts::Priority::new(0.5)));
//! ```

mod arrival;
mod backlink;
mod best_first;
mod change;
mod criteria;
mod filter;
mod geo;
mod geo_distance;
mod inlinks;
mod keywords;
mod pattern;
mod plain;
mod prior;
mod saved;
mod vocabulary;
mod weighted;

use facts::{Order, Url};

pub use crate::arrival::Arrival;
pub use crate::backlink::Backlink;
pub use crate::best_first::{BestFirst, relevance};
pub use crate::change::ChangeRate;
pub use crate::criteria::{Criteria, NoCriteria};
pub use crate::filter::{Filter, FilterError, FilterSettings, Refusal, Scope};
pub use crate::geo::Geo;
pub use crate::geo_distance::GeoDistance;
pub use crate::keywords::{is_stop_word, keywords};
pub use crate::plain::{BreadthFirst, DepthFirst};
pub use crate::vocabulary::Vocabulary;
pub use crate::weighted::{LinkWords, VertexWeight, Weighted, Weighting};

/// Orders the links of pages.
pub trait Strategy: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// How soon a seed is visited.
    fn seed(&self) -> Order;

    /// How soon each link of a page is visited, in the order of [`page::Page::links`]. A strategy
    /// that learns does so here.
    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order>;

    /// A picture that a page shows was kept; `located` when it says where it was taken.
    fn kept(&self, page: &Url, located: bool) {
        let _ = (page, located);
    }

    /// What it has learnt, to be given back as [`Told::resumed`] or to another crawl as
    /// [`Told::taught`]; none for a strategy that does not learn.
    fn learnt(&self) -> Option<Vec<u8>> {
        None
    }

    /// Takes in what others learnt who work on the same crawl: `theirs` is what is remembered of it now,
    /// `base` what this one and they had in common last. Gives all of it together, to be remembered. A
    /// strategy that cannot take it in gives what it has learnt itself.
    fn meet(&self, base: Option<&[u8]>, theirs: &[u8]) -> Result<Option<Vec<u8>>, BadModel> {
        let _ = (base, theirs);
        Ok(self.learnt())
    }
}

/// What a strategy is told besides its name.
#[derive(Clone, Debug)]
pub struct Told {
    /// The words that name the region of interest.
    pub region: Vocabulary,
    /// Links ahead that are predicted, 1 to 3.
    pub depth: usize,
    /// Whether places where photographs were found are preferred.
    pub prior: bool,
    /// What the user looks for.
    pub criteria: Criteria,
    /// How links are weighed by it.
    pub weighting: Weighting,
    /// What it learnt before, in the same crawl.
    pub resumed: Option<Vec<u8>>,
    /// What another crawl learnt, for a start.
    pub taught: Option<Vec<u8>>,
}

impl Default for Told {
    fn default() -> Self {
        Self {
            region: Vocabulary::default(),
            depth: 3,
            prior: true,
            criteria: Criteria::default(),
            weighting: Weighting::default(),
            resumed: None,
            taught: None,
        }
    }
}

/// A model that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what was learnt does not read: it is damaged, of another version, or of another strategy")]
pub struct BadModel;

/// The names [`told`] knows.
pub const NAMES: &[&str] = &["bfs", "dfs", "best-first", "weighted", "geo-distance", "geo", "backlink"];

/// The strategy of a name, told nothing else.
pub fn by_name(name: &str) -> Option<Box<dyn Strategy>> {
    told(name, Told::default()).ok().flatten()
}

/// The strategy of a name, if there is one.
pub fn told(name: &str, told: Told) -> Result<Option<Box<dyn Strategy>>, BadModel> {
    Ok(Some(match name {
        "bfs" => Box::new(BreadthFirst),
        "dfs" => Box::new(DepthFirst),
        "best-first" => Box::new(BestFirst),
        "weighted" => Box::new(Weighted::new(told)?),
        "geo-distance" => Box::new(GeoDistance),
        "geo" => Box::new(Geo::new(told)?),
        "backlink" => Box::new(Backlink::new(told)?),
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_strategy() {
        for name in NAMES {
            assert_eq!(by_name(name).map(|strategy| strategy.name()), Some(*name));
        }
        assert!(by_name("random").is_none());
    }
}
