//! A self-organising map (Kohonen 1982): cells of a grid that become like what they are shown.

use crate::chance::Chance;
use crate::points::square;
use crate::{Clustering, Points};

/// Times that all points are shown.
const ROUNDS: usize = 12;

/// Sorts points into the cells of a grid with about `k` of them; empty cells go.
pub fn self_organising(points: &Points, k: usize, seed: u64) -> Clustering {
    let side = ((k.max(1) as f64).sqrt().round() as usize).max(1);
    let (rows, columns) = (k.max(1).div_ceil(side), side);
    let mut chance = Chance::new(seed);
    let mut cells: Vec<Vec<f32>> =
        (0..rows * columns).map(|_| points.get(chance.below(points.len())).to_vec()).collect();
    if points.is_empty() {
        return Clustering::told(points, &[]);
    }
    for round in 0..ROUNDS {
        let left = 1.0 - round as f32 / ROUNDS as f32;
        let (rate, reach) = (0.5 * left, (side as f32 / 2.0 * left).max(0.3));
        for _ in 0..points.len() {
            let point = points.get(chance.below(points.len()));
            let nearest =
                |a: &(usize, &Vec<f32>), b: &(usize, &Vec<f32>)| square(point, a.1).total_cmp(&square(point, b.1));
            let Some(best) = cells.iter().enumerate().min_by(nearest).map(|(cell, _)| cell) else { break };
            for (cell, values) in cells.iter_mut().enumerate() {
                let (down, across) =
                    ((cell / columns).abs_diff(best / columns), (cell % columns).abs_diff(best % columns));
                let off = (down * down + across * across) as f32;
                let pull = rate * (-off / (2.0 * reach * reach)).exp();
                if pull > 1e-4 {
                    values.iter_mut().zip(point).for_each(|(value, shown)| *value += pull * (shown - *value));
                }
            }
        }
    }
    let sorted = Clustering::around(points, Points::of(cells));
    Clustering::told(points, &sorted.of)
}
