//! How near places on a page are to words on it, for all of them at once.
//!
//! A word counts for a place by how far apart they are in the document: `2 / (1 + distance)`, times what the
//! word weighs [002 §5]. The way between the two goes up to some ancestor of the place and down again. So each
//! ancestor of a place learns how much weight lies how deep below it, and a place asks its ancestors, without
//! what each knows from below the place itself: the cost is (words + places × depth) × depth, never
//! places × words.

use crate::tree::{NodeId, Tree};

/// Edges up from a place, or from a word, that are counted one by one. What is further away counts as if it
/// were twice as far: no weight that matters, and no way to make a page that takes long.
const REACH: usize = 32;

/// Weight by depth below a node.
type Below = [f32; REACH + 1];

const NONE: u32 = u32::MAX;

/// For each place the sum over all words of `weight × 2 / (1 + distance)`.
pub fn nearness(tree: &Tree, places: &[NodeId], words: &[(NodeId, f32)]) -> Vec<f32> {
    if places.is_empty() || words.is_empty() {
        return vec![0.0; places.len()];
    }
    let mut slots = vec![NONE; tree.len()];
    let mut below: Vec<Below> = Vec::new();
    for place in places {
        for node in upwards(tree, *place) {
            if let Some(slot) = slots.get_mut(node.index()).filter(|slot| **slot == NONE) {
                *slot = below.len() as u32;
                below.push([0.0; REACH + 1]);
            }
        }
    }
    let slot = |node: NodeId| slots.get(node.index()).copied().filter(|slot| *slot != NONE).map(|slot| slot as usize);
    let mut all = 0.0;
    for (word, weight) in words {
        all += weight;
        for (depth, node) in upwards(tree, *word).enumerate() {
            if let Some(slot) = slot(node) {
                below[slot][depth] += weight;
            }
        }
    }
    let far = 2.0 / (1.0 + 2.0 * REACH as f32);
    let near = |place: &NodeId| {
        let (mut sum, mut met) = (0.0, 0.0);
        let mut from: Option<usize> = None;
        for (up, node) in upwards(tree, *place).enumerate() {
            let Some(at) = slot(node) else { break };
            for depth in 0..=REACH {
                // What is below the place's own branch was counted there.
                let known = from.zip(depth.checked_sub(1)).map_or(0.0, |(from, depth)| below[from][depth]);
                let weight = (below[at][depth] - known).max(0.0);
                if weight > 0.0 {
                    sum += weight * 2.0 / (1 + up + depth) as f32;
                    met += weight;
                }
            }
            from = Some(at);
        }
        sum + (all - met).max(0.0) * far
    };
    places.iter().map(near).collect()
}

/// A node and what is above it, as far as it is looked at.
fn upwards(tree: &Tree, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    std::iter::successors(Some(node), |node| tree.parent(*node)).take(REACH + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slowly(tree: &Tree, place: NodeId, words: &[(NodeId, f32)]) -> f32 {
        words.iter().map(|(word, weight)| weight * 2.0 / (1 + tree.distance(place, *word)) as f32).sum()
    }

    /// A tree whose nodes hang below the node so many steps up from the last.
    fn tree(steps: &[prop::sample::Index]) -> (Tree, Vec<NodeId>) {
        let mut tree = Tree::default();
        let mut nodes = vec![tree.push(None)];
        let mut path = nodes.clone();
        for step in steps {
            path.truncate(step.index(path.len()) + 1);
            let node = tree.push(path.last().copied());
            path.push(node);
            nodes.push(node);
        }
        (tree, nodes)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn sums_are_those_of_all_pairs(steps in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
                                       words in prop::collection::vec((any::<prop::sample::Index>(), 1u8..9), 0..12)) {
            let (tree, nodes) = tree(&steps);
            prop_assume!(nodes.iter().all(|node| tree.depth(*node) <= REACH as u32));
            let words: Vec<(NodeId, f32)> =
                words.iter().map(|(at, weight)| (nodes[at.index(nodes.len())], f32::from(*weight))).collect();
            for (place, found) in nodes.iter().zip(nearness(&tree, &nodes, &words)) {
                let expected = slowly(&tree, *place, &words);
                prop_assert!((found - expected).abs() < 1e-3 * (1.0 + expected), "{found} {expected}");
            }
        }
    }

    #[test]
    fn what_is_far_away_counts_little_and_costs_nothing() {
        let mut tree = Tree::default();
        let root = tree.push(None);
        let deep = |tree: &mut Tree| (0..500).fold(root, |above, _| tree.push(Some(above)));
        let (place, word) = (deep(&mut tree), deep(&mut tree));
        let found = nearness(&tree, &[place], &[(word, 1.0)])[0];
        assert!(found > 0.0 && found < 0.05, "{found}");
        assert_eq!(nearness(&tree, &[place], &[]), [0.0]);
    }
}
