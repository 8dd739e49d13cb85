//! k-means (Lloyd 1957) from well-spread starts (k-means++, Arthur and Vassilvitskii 2007).

use crate::chance::Chance;
use crate::points::square;
use crate::{Clustering, Points};

/// Rounds at most; most are done after ten.
const ROUNDS: usize = 25;
/// Fewer points that change their cluster than this share end it.
const SETTLED: f64 = 0.002;

/// Sorts points into at most `k` clusters, so that each is with the nearest mean.
pub fn k_means(points: &Points, k: usize, seed: u64) -> Clustering {
    let starts = spread_out(points, k.clamp(1, points.len().max(1)), seed);
    refined(points, starts, ROUNDS)
}

/// Moves centres to the means of what is nearest to them, so many times at most. An empty cluster
/// goes.
pub fn refined(points: &Points, starts: Points, rounds: usize) -> Clustering {
    let mut sorted = Clustering::around(points, starts);
    for _ in 0..rounds {
        let before = Clustering::told(points, &sorted.of);
        let next = Clustering::around(points, before.centres);
        let changed = next.of.iter().zip(&before.of).filter(|(a, b)| a != b).count();
        sorted = next;
        if changed as f64 <= SETTLED * points.len() as f64 {
            break;
        }
    }
    Clustering::told(points, &sorted.of)
}

/// Starts that are far apart: each is drawn by the square of its distance from those there are.
fn spread_out(points: &Points, k: usize, seed: u64) -> Points {
    let mut chance = Chance::new(seed);
    let mut starts = Points::new(points.dimensions());
    if points.is_empty() {
        return starts;
    }
    starts.push(points.get(chance.below(points.len())));
    let mut apart: Vec<f32> = points.iter().map(|point| square(point, starts.get(0))).collect();
    while starts.len() < k {
        let all: f64 = apart.iter().map(|apart| f64::from(*apart)).sum();
        if all <= 0.0 {
            break;
        }
        let mut left = chance.share() * all;
        let drawn = apart.iter().position(|apart| {
            left -= f64::from(*apart);
            left < 0.0 && *apart > 0.0
        });
        let Some(drawn) = drawn.or_else(|| apart.iter().rposition(|apart| *apart > 0.0)) else { break };
        let start = points.get(drawn).to_vec();
        for (apart, point) in apart.iter_mut().zip(points.iter()) {
            *apart = apart.min(square(point, &start));
        }
        starts.push(&start);
    }
    starts
}
