//! Points sorted into clusters.

use crate::Points;

/// Clusters: each point is in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// The mean of each cluster.
    pub centres: Points,
    /// The cluster of each point.
    pub of: Vec<usize>,
}

impl Clustering {
    /// Each point to the nearest centre.
    pub fn around(points: &Points, centres: Points) -> Self {
        let of = points.iter().map(|point| centres.nearest(point).map_or(0, |(place, _)| place)).collect();
        Self { centres, of }
    }

    /// Points that were told their clusters, which are numbered anew without gaps, in order of their
    /// first point.
    pub fn told(points: &Points, told: &[usize]) -> Self {
        let mut numbers = std::collections::HashMap::new();
        let of: Vec<usize> = told
            .iter()
            .map(|cluster| {
                let next = numbers.len();
                *numbers.entry(*cluster).or_insert(next)
            })
            .collect();
        let centres = means(points, &of, numbers.len());
        Self { centres, of }
    }

    /// How many clusters there are.
    pub fn len(&self) -> usize {
        self.centres.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.centres.is_empty()
    }

    /// Points of each cluster.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.len()];
        for cluster in &self.of {
            if let Some(size) = sizes.get_mut(*cluster) {
                *size += 1;
            }
        }
        sizes
    }

    /// How far points are from their centres, in the mean.
    pub fn spread(&self, points: &Points) -> f32 {
        let apart = points.iter().zip(&self.of).map(|(point, of)| crate::points::square(point, self.centres.get(*of)));
        apart.map(f32::sqrt).sum::<f32>() / points.len().max(1) as f32
    }
}

/// The mean of each of so many clusters; of an empty one, nothing but zeros.
pub(crate) fn means(points: &Points, of: &[usize], clusters: usize) -> Points {
    let dimensions = points.dimensions();
    let mut sums = vec![0.0f64; clusters * dimensions];
    let mut counts = vec![0u32; clusters];
    for (point, cluster) in points.iter().zip(of) {
        let from = cluster * dimensions;
        if let (Some(sum), Some(count)) = (sums.get_mut(from..from + dimensions), counts.get_mut(*cluster)) {
            sum.iter_mut().zip(point).for_each(|(sum, value)| *sum += f64::from(*value));
            *count += 1;
        }
    }
    let mut centres = Points::new(dimensions);
    for (sum, count) in sums.chunks(dimensions.max(1)).zip(counts) {
        let mean: Vec<f32> = sum.iter().map(|sum| (sum / f64::from(count.max(1))) as f32).collect();
        centres.push(&mean);
    }
    centres
}
