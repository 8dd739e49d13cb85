//! `backlink`: what many pages link to [004 §3.4.2 E].

use std::sync::{Mutex, MutexGuard, PoisonError};

use facts::{Order, Priority};

use crate::inlinks::Inlinks;
use crate::saved::{self, Kind};
use crate::{Arrival, BadModel, Strategy, Told};

/// Pages linking to an address that make it as urgent as can be.
const MOST: f64 = 10_000.0;

/// `backlink`: addresses that more pages link to go first.
///
/// A queued address is raised whenever another page links to it; what each page has counted for is
/// remembered, so that a page read twice counts once.
pub struct Backlink {
    inlinks: Mutex<Inlinks>,
}

impl Backlink {
    /// With what it counted before in the same crawl. Another crawl has nothing to teach.
    pub fn new(told: Told) -> Result<Self, BadModel> {
        let own = told.resumed.as_deref().map(|own| saved::resumed(Kind::Backlink, own)).transpose()?.flatten();
        Ok(Self { inlinks: Mutex::new(own.map_or_else(Inlinks::default, Inlinks::restored)) })
    }

    fn inlinks(&self) -> MutexGuard<'_, Inlinks> {
        self.inlinks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Strategy for Backlink {
    fn name(&self) -> &'static str {
        "backlink"
    }

    fn seed(&self) -> Order {
        Order::Best(Priority::HIGHEST)
    }

    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order> {
        let ids: Vec<_> = arrival.page.links.iter().map(|link| link.url.id()).collect();
        let mut inlinks = self.inlinks();
        let new = inlinks.is_new(arrival.id);
        let pages = |id| if new { inlinks.count(id, 1.0) } else { inlinks.with(id, 1.0) };
        ids.into_iter().map(pages).map(|pages| Order::Best(Priority::new(urgency(pages)))).collect()
    }

    fn learnt(&self) -> Option<Vec<u8>> {
        let saved = self.inlinks().saved();
        saved::write(Kind::Backlink, &saved)
    }
}

/// `ln(1 + pages) / ln(1 + most)`. Beyond 32 pages steps are a sixteenth wide, so that an address that
/// every page of a large site links to is not moved in the queue by each of them.
fn urgency(pages: f32) -> f64 {
    let pages = f64::from(pages).max(1.0);
    let step = (pages.log2().floor() - 4.0).max(0.0).exp2();
    let counted = (pages / step).floor() * step;
    counted.ln_1p() / MOST.ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_pages_are_more_urgent_within_bounds() {
        let mut last = 0.0;
        for pages in 1..=32 {
            let now = urgency(pages as f32);
            assert!(now > last, "{pages}");
            last = now;
        }
        for pages in [40.0, 100.0, 1_000.0, 9_999.0] {
            assert!(urgency(pages) > urgency(pages / 1.1), "{pages}");
            assert!(urgency(pages) <= urgency(pages + 1.0));
        }
        assert!((0.0..0.1).contains(&urgency(1.0)) && urgency(1e9) >= 1.0);
        let steps = (1..10_000).map(|pages| urgency(pages as f32).to_bits()).collect::<std::collections::HashSet<_>>();
        assert!(steps.len() < 200, "{}", steps.len());
    }
}
