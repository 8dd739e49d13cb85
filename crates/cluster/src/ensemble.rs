//! Three opinions and a vote.

use std::collections::HashMap;

use crate::{Clustering, Points, k_means, leaders, spectral, subtractive};

/// What a vote came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Voted {
    /// The clusters.
    pub clustering: Clustering,
    /// Points whose cluster all three agree on.
    pub agreed: usize,
    /// Points of which no two do: they lead clusters of their own.
    pub disputed: usize,
}

/// Sorts points by k-means, subtractive and spectral clustering, with as many clusters as the leader
/// method finds for `reach` (`most` at most), and gives each point to the cluster that two of the
/// three agree on. Points of which no two agree found new clusters, those of them that are within
/// `reach` of each other one [004 §6.3].
pub fn ensemble(points: &Points, reach: f32, most: usize, seed: u64) -> Voted {
    let k = leaders(points, reach, most).len();
    let three = [k_means(points, k, seed), subtractive(points, reach, k), spectral(points, k, seed)];
    voted(points, &three, reach)
}

/// The vote of three clusterings of the same points.
pub fn voted(points: &Points, three: &[Clustering; 3], reach: f32) -> Voted {
    let [first, second, third] = three;
    let (second, third) = (aligned(first, second), aligned(first, third));
    // What neither of the others has a name for is told by its own.
    let (mut told, mut disputed, mut agreed) = (Vec::with_capacity(points.len()), Vec::new(), 0);
    for (place, own) in first.of.iter().enumerate() {
        let own = Name::Of(*own);
        let others = (second.get(place).copied().unwrap_or(own), third.get(place).copied().unwrap_or(own));
        agreed += usize::from(others == (own, own));
        told.push(match others {
            (a, b) if a == own || b == own => Some(own),
            (a, b) if a == b => Some(a),
            _ => {
                disputed.push(place);
                None
            }
        });
    }
    let mut alone = Points::new(points.dimensions());
    disputed.iter().for_each(|place| alone.push(points.get(*place)));
    let new = leaders(&alone, reach, usize::MAX);
    let mut new = new.of.into_iter();
    let mut numbers = HashMap::new();
    let told: Vec<usize> = told
        .into_iter()
        .map(|name| {
            let name = name.unwrap_or_else(|| Name::New(new.next().unwrap_or(0)));
            let next = numbers.len();
            *numbers.entry(name).or_insert(next)
        })
        .collect();
    Voted { clustering: Clustering::told(points, &told), agreed, disputed: disputed.len() }
}

/// What a cluster is called, so that names of the three can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    /// A cluster of the first.
    Of(usize),
    /// A cluster that the first has no counterpart of.
    Own(usize),
    /// Led by a point of which no two agree.
    New(usize),
}

/// The clusters of another, called by the cluster of the first that they have most points in common
/// with; each name is given once, the largest overlap first.
fn aligned(first: &Clustering, other: &Clustering) -> Vec<Name> {
    let mut common: HashMap<(usize, usize), usize> = HashMap::new();
    first.of.iter().zip(&other.of).for_each(|(a, b)| *common.entry((*a, *b)).or_default() += 1);
    let mut common: Vec<((usize, usize), usize)> = common.into_iter().collect();
    common.sort_by_key(|((a, b), count)| (usize::MAX - count, *a, *b));
    let (mut names, mut given) = (HashMap::new(), vec![false; first.len()]);
    for ((a, b), _) in common {
        if let Some(given) = given.get_mut(a).filter(|given| !**given)
            && !names.contains_key(&b)
        {
            names.insert(b, Name::Of(a));
            *given = true;
        }
    }
    other.of.iter().map(|cluster| names.get(cluster).copied().unwrap_or(Name::Own(*cluster))).collect()
}
