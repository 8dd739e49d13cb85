//! `geo-distance`: near what was relevant [001 §4.1–4.2].

use facts::{Branch, Order, Priority};

use crate::{Arrival, Strategy};

/// What a link is worth less than the one before it.
const DECAY: f64 = 0.5;

/// `geo-distance`: links near the last relevant page, or near the seed, go first.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeoDistance;

impl Strategy for GeoDistance {
    fn name(&self) -> &'static str {
        "geo-distance"
    }

    fn seed(&self) -> Order {
        Order::Best(Priority::HIGHEST)
    }

    fn links(&self, arrival: &Arrival<'_>) -> Vec<Order> {
        let score = score(arrival.onward());
        vec![Order::Best(Priority::new(score)); arrival.page.links.len()]
    }
}

/// `decay ^ dist`, where `dist` counts the links since the last relevant page or seed.
pub(crate) fn score(branch: Branch) -> f64 {
    DECAY.powf(f64::from(branch.links))
}
