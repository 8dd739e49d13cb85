//! Fuzzy c-means (Bezdek 1981): each point belongs to every cluster, to one more than to others.

use crate::points::square;
use crate::{Clustering, Points, k_means};

/// How fuzzy: 1 would be k-means.
const FUZZY: f32 = 1.2;
const ROUNDS: usize = 15;

/// What soft clustering came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Fuzzy {
    /// Each point in the cluster that it belongs to most.
    pub clustering: Clustering,
    /// How much each point belongs to that one, 0 to 1, in the mean.
    pub belonging: f32,
}

/// Sorts points softly into `k` clusters.
pub fn fuzzy(points: &Points, k: usize, seed: u64) -> Fuzzy {
    let mut centres = k_means(points, k, seed).centres;
    let mut belonging = 0.0;
    for _ in 0..ROUNDS {
        let dimensions = points.dimensions();
        let mut sums = vec![0.0f64; centres.len() * dimensions];
        let mut weights = vec![0.0f64; centres.len()];
        belonging = 0.0;
        for point in points.iter() {
            let shares = shares(point, &centres);
            belonging += shares.iter().copied().fold(0.0, f32::max);
            for ((share, sum), weight) in shares.iter().zip(sums.chunks_mut(dimensions)).zip(&mut weights) {
                let share = f64::from(share.powf(FUZZY));
                sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += share * f64::from(*value));
                *weight += share;
            }
        }
        let mut moved = Points::new(dimensions);
        for (sum, weight) in sums.chunks(dimensions).zip(&weights) {
            moved.push(&sum.iter().map(|sum| (sum / weight.max(1e-300)) as f32).collect::<Vec<_>>());
        }
        centres = moved;
    }
    let sorted = Clustering::around(points, centres);
    Fuzzy { clustering: Clustering::told(points, &sorted.of), belonging: belonging / points.len().max(1) as f32 }
}

/// How much a point belongs to each centre: all together 1.
fn shares(point: &[f32], centres: &Points) -> Vec<f32> {
    let apart: Vec<f32> = centres.iter().map(|centre| square(point, centre)).collect();
    let least = apart.iter().copied().fold(f32::INFINITY, f32::min);
    if least <= 0.0 {
        let there = apart.iter().filter(|apart| **apart <= 0.0).count().max(1) as f32;
        return apart.iter().map(|apart| if *apart <= 0.0 { 1.0 / there } else { 0.0 }).collect();
    }
    // By shares of the least, so that nothing overflows.
    let weights: Vec<f32> = apart.iter().map(|apart| (least / apart).powf(1.0 / (FUZZY - 1.0))).collect();
    let all: f32 = weights.iter().sum();
    weights.iter().map(|weight| weight / all).collect()
}
