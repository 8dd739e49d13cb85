//! The nearest caption of each picture, for all pictures at once.
//!
//! A shortest path in a tree goes up to some ancestor and then down. So the nearest caption of a
//! node is the best over its ancestors of "edges up, plus the nearest caption below that ancestor":
//! one pass from the leaves finds what is below each node, one from the root hands it down. The
//! cost is two steps a node, however many pictures there are.

use std::ops::Range;

use crate::tree::{NodeId, Tree};

/// An element whose text can caption a picture.
#[derive(Clone, Debug)]
pub(crate) struct Caption {
    pub(crate) node: NodeId,
    /// Its words, as a range of the page's text.
    pub(crate) text: Range<u32>,
}

/// For each node the index of its nearest caption.
pub(crate) struct Nearest(Vec<Found>);

#[derive(Clone, Copy)]
struct Found {
    distance: u32,
    caption: u32,
}

const NOTHING: Found = Found { distance: u32::MAX, caption: u32::MAX };

impl Found {
    /// The nearer one; of two as near, the earlier in the document.
    fn or_nearer(self, other: Self) -> Self {
        if (other.distance, other.caption) < (self.distance, self.caption) { other } else { self }
    }

    fn one_further(self) -> Self {
        Self { distance: self.distance.saturating_add(1), ..self }
    }
}

impl Nearest {
    /// `captions` are in document order.
    pub(crate) fn among(captions: &[Caption], tree: &Tree) -> Self {
        let mut found = vec![NOTHING; tree.len()];
        for (index, caption) in captions.iter().enumerate() {
            found[caption.node.index()] = Found { distance: 0, caption: index as u32 };
        }
        for node in tree.nodes().rev() {
            if let Some(parent) = tree.parent(node) {
                found[parent.index()] = found[parent.index()].or_nearer(found[node.index()].one_further());
            }
        }
        for node in tree.nodes() {
            if let Some(parent) = tree.parent(node) {
                found[node.index()] = found[node.index()].or_nearer(found[parent.index()].one_further());
            }
        }
        Self(found)
    }

    /// The index of the caption nearest to a node.
    pub(crate) fn to(&self, node: NodeId) -> Option<usize> {
        self.0.get(node.index()).filter(|found| found.caption != u32::MAX).map(|found| found.caption as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_other_caption_is_nearer(parents in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
                                      chosen in prop::collection::vec(any::<prop::sample::Index>(), 1..8)) {
            let mut tree = Tree::default();
            let mut nodes = vec![tree.push(None)];
            for parent in parents {
                nodes.push(tree.push(Some(nodes[parent.index(nodes.len())])));
            }
            let mut chosen: Vec<NodeId> = chosen.iter().map(|i| nodes[i.index(nodes.len())]).collect();
            chosen.sort();
            chosen.dedup();
            let captions: Vec<Caption> = chosen.iter().map(|&node| Caption { node, text: 0..0 }).collect();
            let nearest = Nearest::among(&captions, &tree);
            for &node in &nodes {
                let best = (0..captions.len()).min_by_key(|&i| (tree.distance(node, captions[i].node), i));
                prop_assert_eq!(nearest.to(node), best);
            }
        }
    }

    #[test]
    fn a_page_without_captions_has_none() {
        let mut tree = Tree::default();
        let root = tree.push(None);
        assert_eq!(Nearest::among(&[], &tree).to(root), None);
    }
}
