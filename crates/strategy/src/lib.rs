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
mod best_first;
mod filter;
mod keywords;
mod pattern;
mod plain;

use facts::Order;

pub use crate::arrival::Arrival;
pub use crate::best_first::{BestFirst, relevance};
pub use crate::filter::{Filter, FilterError, FilterSettings, Refusal, Scope};
pub use crate::keywords::{is_stop_word, keywords};
pub use crate::plain::{BreadthFirst, DepthFirst};

/// Orders the links of pages.
pub trait Strategy: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// How soon a seed is visited.
    fn seed(&self) -> Order;

    /// How soon each link of a page is visited, in the order of [`page::Page::links`]. A strategy
    /// that learns does so here.
    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order>;
}

/// The names [`by_name`] knows.
pub const NAMES: &[&str] = &["bfs", "dfs", "best-first"];

/// The strategy of a name.
pub fn by_name(name: &str) -> Option<Box<dyn Strategy>> {
    Some(match name {
        "bfs" => Box::new(BreadthFirst),
        "dfs" => Box::new(DepthFirst),
        "best-first" => Box::new(BestFirst),
        _ => return None,
    })
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
