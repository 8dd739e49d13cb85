//! Spectral clustering (Ng, Jordan and Weiss 2002) on landmarks: what hangs together is together,
//! whatever shape it has.

use crate::chance::Chance;
use crate::points::square;
use crate::{Clustering, LANDMARKS, Points, k_means};

/// The neighbour whose distance says how far a landmark feels others (Zelnik-Manor and Perona 2004).
const NEIGHBOUR: usize = 7;
/// Times that the matrix is multiplied with itself: then one step towards the eigenvectors is 16.
const SQUARED: usize = 4;
/// Steps towards the eigenvectors.
const STEPS: usize = 24;
/// Clusters at most: more eigenvectors of so few landmarks say nothing.
const MOST: usize = 128;

/// Sorts points into at most `k` clusters by the `k` leading eigenvectors of how near landmarks are to
/// each other. Other points go with the nearest centre.
pub fn spectral(points: &Points, k: usize, seed: u64) -> Clustering {
    let (marks, places) = points.some(LANDMARKS);
    let k = k.clamp(1, MOST).min(marks.len().max(1));
    let near = nearness(&marks);
    let vectors = leading(&near, marks.len(), k, seed);
    let mut rows = Points::new(k);
    for mark in 0..marks.len() {
        let row: Vec<f32> = vectors.iter().map(|vector| vector.get(mark).copied().unwrap_or(0.0)).collect();
        let length = row.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        rows.push(&row.iter().map(|value| value / length).collect::<Vec<_>>());
    }
    let of = k_means(&rows, k, seed).of;
    let told = Clustering::told(&marks, &of);
    let mut sorted = Clustering::around(points, told.centres);
    // Landmarks stay where they are, whatever the shape of their cluster.
    for (place, cluster) in places.iter().zip(&told.of) {
        if let Some(of) = sorted.of.get_mut(*place) {
            *of = *cluster;
        }
    }
    Clustering::told(points, &sorted.of)
}

/// How near landmarks are to each other, row by row, each divided by the roots of both sums.
fn nearness(marks: &Points) -> Vec<f32> {
    let count = marks.len();
    let mut near = Vec::with_capacity(count * count);
    for point in marks.iter() {
        near.extend(marks.iter().map(|other| square(point, other)));
    }
    let reach: Vec<f32> = near
        .chunks(count.max(1))
        .map(|row| {
            let mut row = row.to_vec();
            row.sort_by(f32::total_cmp);
            row.get(NEIGHBOUR.min(count - 1)).copied().unwrap_or(0.0).sqrt().max(1e-6)
        })
        .collect();
    for (row, mine) in near.chunks_mut(count.max(1)).zip(&reach) {
        row.iter_mut().zip(&reach).for_each(|(value, theirs)| *value = (-*value / (mine * theirs)).exp());
    }
    let roots: Vec<f32> = near.chunks(count.max(1)).map(|row| row.iter().sum::<f32>().max(1e-12).sqrt()).collect();
    for (row, mine) in near.chunks_mut(count.max(1)).zip(&roots) {
        row.iter_mut().zip(&roots).for_each(|(value, theirs)| *value /= mine * theirs);
    }
    near
}

/// The `k` leading eigenvectors of a symmetric matrix, by orthogonal iteration.
fn leading(matrix: &[f32], count: usize, k: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut chance = Chance::new(seed);
    let mut vectors: Vec<Vec<f32>> =
        (0..k).map(|_| (0..count).map(|_| chance.share() as f32 - 0.5).collect()).collect();
    let mut matrix = halved(matrix, count);
    for _ in 0..SQUARED {
        matrix = squared(&matrix, count);
    }
    for _ in 0..STEPS {
        for vector in &mut vectors {
            let times = |row: &[f32]| row.iter().zip(vector.iter()).map(|(a, b)| a * b).sum::<f32>();
            let next = matrix.chunks(count.max(1)).map(times).collect();
            *vector = next;
        }
        orthogonal(&mut vectors);
    }
    vectors
}

/// The mean of the matrix and the unit matrix: eigenvalues from −1 to 1 become 0 to 1, and the largest
/// lead.
fn halved(matrix: &[f32], count: usize) -> Vec<f32> {
    let one = |place: usize| if place / count == place % count { 0.5 } else { 0.0 };
    matrix.iter().enumerate().map(|(place, value)| 0.5 * value + one(place)).collect()
}

/// A symmetric matrix times itself.
fn squared(matrix: &[f32], count: usize) -> Vec<f32> {
    let mut product = vec![0.0f32; matrix.len()];
    for (row, out) in matrix.chunks(count.max(1)).zip(product.chunks_mut(count.max(1))) {
        for (factor, other) in row.iter().zip(matrix.chunks(count.max(1))) {
            out.iter_mut().zip(other).for_each(|(out, value)| *out += factor * value);
        }
    }
    product
}

/// Makes vectors orthogonal, each of length 1 (Gram and Schmidt).
fn orthogonal(vectors: &mut [Vec<f32>]) {
    for nth in 0..vectors.len() {
        let (before, rest) = vectors.split_at_mut(nth);
        let Some(own) = rest.first_mut() else { return };
        for other in before {
            let common: f32 = own.iter().zip(other.iter()).map(|(a, b)| a * b).sum();
            own.iter_mut().zip(other.iter()).for_each(|(own, other)| *own -= common * other);
        }
        let length = own.iter().map(|value| value * value).sum::<f32>().sqrt();
        // What is nothing but the others stays nothing.
        let scale = if length > 1e-12 { 1.0 / length } else { 0.0 };
        own.iter_mut().for_each(|value| *value *= scale);
    }
}
