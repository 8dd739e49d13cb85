//! The leader method: one pass that finds how many clusters there are.

use crate::chance::Chance;
use crate::points::square;
use crate::{Clustering, Points};

/// Pairs of points that are asked how far apart points usually are.
const PAIRS: usize = 4_096;

/// Each point goes to the first leader that is no farther than `reach`; one that is farther from all
/// leads a cluster of its own. With `most` leaders there are no new ones, and points go to the
/// nearest. Centres are the leaders themselves.
pub fn leaders(points: &Points, reach: f32, most: usize) -> Clustering {
    let reach = if reach.is_finite() { reach.max(0.0) * reach.max(0.0) } else { 0.0 };
    let mut centres = Points::new(points.dimensions());
    let mut of = Vec::with_capacity(points.len());
    for point in points.iter() {
        let led = match centres.len() < most.max(1) {
            true => centres.iter().position(|leader| square(point, leader) <= reach),
            false => centres.nearest(point).map(|(place, _)| place),
        };
        of.push(led.unwrap_or_else(|| {
            centres.push(point);
            centres.len() - 1
        }));
    }
    Clustering { centres, of }
}

/// The distance that a share of all pairs of points do not reach.
pub fn usual_distance(points: &Points, share: f64, seed: u64) -> f32 {
    if points.len() < 2 {
        return 0.0;
    }
    let mut chance = Chance::new(seed);
    let mut apart: Vec<f32> = (0..PAIRS)
        .map(|_| {
            let one = chance.below(points.len());
            let other = (one + 1 + chance.below(points.len() - 1)) % points.len();
            square(points.get(one), points.get(other)).sqrt()
        })
        .collect();
    apart.sort_by(f32::total_cmp);
    let place = (share.clamp(0.0, 1.0) * (apart.len() - 1) as f64) as usize;
    apart.get(place).copied().unwrap_or(0.0)
}
