//! Hierarchical clustering: the two nearest clusters become one, until few enough are left.

use crate::points::square;
use crate::{Clustering, LANDMARKS, Points};

/// Sorts points into `k` clusters: landmarks by the mean distance of their members (average linkage),
/// the others with the nearest centre.
pub fn hierarchical(points: &Points, k: usize) -> Clustering {
    let (marks, _) = points.some(LANDMARKS);
    let count = marks.len();
    let mut apart: Vec<Vec<f32>> = marks.iter().map(|a| marks.iter().map(|b| square(a, b).sqrt()).collect()).collect();
    let mut sizes = vec![1.0f32; count];
    let mut of: Vec<usize> = (0..count).collect();
    let mut left: Vec<usize> = (0..count).collect();
    while left.len() > k.max(1) {
        let mut best = (f32::INFINITY, 0, 0);
        for (nth, a) in left.iter().enumerate() {
            for b in left.iter().skip(nth + 1) {
                if apart[*a][*b] < best.0 {
                    best = (apart[*a][*b], *a, *b);
                }
            }
        }
        let (_, a, b) = best;
        if a == b {
            break;
        }
        let (mine, theirs) = (sizes[a], sizes[b]);
        for other in left.iter().copied().filter(|other| *other != a && *other != b) {
            // The mean over all pairs (Lance and Williams 1967).
            let mean = (mine * apart[a][other] + theirs * apart[b][other]) / (mine + theirs);
            apart[a][other] = mean;
            apart[other][a] = mean;
        }
        sizes[a] += theirs;
        left.retain(|other| *other != b);
        of.iter_mut().filter(|cluster| **cluster == b).for_each(|cluster| *cluster = a);
    }
    let sorted = Clustering::around(points, Clustering::told(&marks, &of).centres);
    Clustering::told(points, &sorted.of)
}
