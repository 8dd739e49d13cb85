//! Subtractive clustering (Chiu 1994): where points are dense there is a centre.

use crate::points::square;
use crate::{Clustering, LANDMARKS, Points};

/// Around a centre the density goes down in a circle so many times as wide as it is felt in.
const WIDER: f32 = 1.5;
/// What has less than this share of the first density is no centre.
const LEAST: f32 = 0.02;

/// Sorts points around at most `most` centres: the densest landmarks, none of them near another.
/// Others are felt up to about `reach`.
pub fn subtractive(points: &Points, reach: f32, most: usize) -> Clustering {
    let (marks, _) = points.some(LANDMARKS);
    let reach = (reach * reach).max(f32::MIN_POSITIVE);
    let felt = |a: &[f32], b: &[f32], reach: f32| (-4.0 * square(a, b) / reach).exp();
    let mut density: Vec<f32> =
        marks.iter().map(|point| marks.iter().map(|other| felt(point, other, reach)).sum()).collect();
    let mut centres = Points::new(points.dimensions());
    let mut first = None;
    while centres.len() < most.max(1) {
        let Some((place, most)) = density.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        if most < LEAST * *first.get_or_insert(most) {
            break;
        }
        let centre = marks.get(place).to_vec();
        for (density, point) in density.iter_mut().zip(marks.iter()) {
            *density -= most * felt(point, &centre, WIDER * WIDER * reach);
        }
        // Rounding must not make a centre of it again.
        if let Some(density) = density.get_mut(place) {
            *density = f32::MIN;
        }
        centres.push(&centre);
    }
    let sorted = Clustering::around(points, centres);
    Clustering::told(points, &sorted.of)
}
