//! `best-first`: links that speak of what their page speaks of [000 §4.3].

use facts::{Order, Priority};
use page::{Link, Page};

use crate::{Arrival, Strategy, keywords};

/// `best-first`: links to the same host, and links whose title shares words with the page, go first.
#[derive(Clone, Copy, Debug, Default)]
pub struct BestFirst;

impl Strategy for BestFirst {
    fn name(&self) -> &'static str {
        "best-first"
    }

    fn seed(&self) -> Order {
        Order::Best(Priority::HIGHEST)
    }

    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order> {
        let page = arrival.page;
        page.links.iter().map(|link| Order::Best(Priority::new(relevance(link, page)))).collect()
    }
}

/// `R = (h + |{k in K : TF(k) > 1}|) / (1 + |K|)`: `h` is 1 on the page's own host, `K` are the
/// keywords of the link's title, and `TF` counts them in the page's text, in which the title itself
/// is one occurrence.
///
/// The document counts by scanning the page once per keyword; the page's words are counted already,
/// so a page of N words and links of M words cost O(N + M).
pub fn relevance(link: &Link, page: &Page) -> f64 {
    let keywords = keywords(&link.text);
    let repeated = keywords.iter().filter(|keyword| page.words().count(keyword) > 1).count();
    let same_host = usize::from(link.url.host_str() == page.url.host_str());
    (same_host + repeated) as f64 / (1 + keywords.len()) as f64
}
