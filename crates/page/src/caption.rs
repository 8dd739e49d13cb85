//! The nearest caption of each picture, for all pictures at once.
//!
//! A shortest path in a tree goes up to some ancestor and then down. So each node learns how far
//! below it the nearest caption is, one step a node, and a picture asks only its ancestors: the
//! cost is nodes + pictures × depth, never pictures × captions.
//!
//! On flat pages many captions are equally near. Then one next to the picture in the document is
//! meant, so captions before and after a picture are looked for apart: walking forwards, an ancestor
//! knows exactly what came before, walking backwards what comes after. Between the two, one that is
//! well apart in the document loses; else headings speak of what follows them, and other texts of
//! what they follow.

use std::ops::Range;

use crate::tree::{NodeId, Tree};

/// An element whose text can caption a picture.
#[derive(Clone, Debug)]
pub(crate) struct Caption {
    pub(crate) node: NodeId,
    /// Its words, as a range of the page's text.
    pub(crate) text: Range<u32>,
    pub(crate) heading: bool,
    /// The last node inside it.
    pub(crate) last: NodeId,
}

/// Captions with so many nodes more between them and the picture are not beside it.
const APART: usize = 3;

/// A caption seen from some node.
#[derive(Clone, Copy)]
struct Seen {
    distance: u32,
    caption: u32,
}

impl Seen {
    fn one_further(self) -> Self {
        Self { distance: self.distance + 1, ..self }
    }
}

/// The nearer of two; of two as near, the one seen last, which is nearer in the document.
fn nearer(earlier: Option<Seen>, later: Option<Seen>) -> Option<Seen> {
    match (earlier, later) {
        (Some(a), Some(b)) => Some(if b.distance <= a.distance { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// For each picture the index of its nearest caption. Captions and pictures are in document order.
pub(crate) fn nearest(captions: &[Caption], pictures: &[NodeId], tree: &Tree) -> Vec<Option<usize>> {
    if captions.is_empty() || pictures.is_empty() {
        return vec![None; pictures.len()];
    }
    let before = before(captions, pictures, tree);
    let after = after(captions, pictures, tree);
    let pairs = pictures.iter().zip(before.into_iter().zip(after));
    pairs
        .map(|(picture, pair)| match pair {
            (Some(a), Some(b)) if a.distance == b.distance => {
                let (before, after) = (&captions[a.caption as usize], &captions[b.caption as usize]);
                Some(if is_meant(before, *picture, after) { a } else { b })
            }
            (a, b) => nearer(a, b),
        })
        .map(|best| best.map(|seen| seen.caption as usize))
        .collect()
}

/// Whether of two captions as near the one before a picture is meant.
fn is_meant(before: &Caption, picture: NodeId, after: &Caption) -> bool {
    let to_before = picture.index().saturating_sub(before.last.index());
    let to_after = after.node.index().saturating_sub(picture.index());
    if to_before.abs_diff(to_after) > APART { to_before < to_after } else { before.heading || after.heading }
}

/// What a picture's ancestors, and it itself, have seen so far.
fn from_ancestors(picture: NodeId, below: &[Option<Seen>], tree: &Tree) -> Option<Seen> {
    let (mut at, mut up, mut best) = (Some(picture), 0, None::<Seen>);
    while let Some(node) = at {
        if let Some(seen) = below[node.index()]
            && best.is_none_or(|best| seen.distance + up < best.distance)
        {
            best = Some(Seen { distance: seen.distance + up, ..seen });
        }
        (at, up) = (tree.parent(node), up + 1);
    }
    best
}

/// Captions that start before each picture. A node is passed up when the walk has left it, so what
/// an ancestor knows when a picture is reached lies before the picture.
fn before(captions: &[Caption], pictures: &[NodeId], tree: &Tree) -> Vec<Option<Seen>> {
    let mut below = vec![None; tree.len()];
    let mut open: Vec<NodeId> = Vec::new();
    let (mut captions, mut pictures) = (captions.iter().enumerate().peekable(), pictures.iter().peekable());
    let mut found = Vec::with_capacity(pictures.len());
    for node in tree.nodes() {
        let parent = tree.parent(node);
        while let Some(&last) = open.last()
            && Some(last) != parent
        {
            open.pop();
            if let Some(above) = open.last() {
                below[above.index()] = nearer(below[above.index()], below[last.index()].map(Seen::one_further));
            }
        }
        open.push(node);
        if let Some((index, _)) = captions.next_if(|(_, caption)| caption.node == node) {
            below[node.index()] = Some(Seen { distance: 0, caption: index as u32 });
        }
        while pictures.next_if(|picture| **picture == node).is_some() {
            found.push(from_ancestors(node, &below, tree));
        }
    }
    found
}

/// Captions that start after each picture: backwards, children come before their parents.
fn after(captions: &[Caption], pictures: &[NodeId], tree: &Tree) -> Vec<Option<Seen>> {
    let mut below = vec![None; tree.len()];
    let mut captions = captions.iter().enumerate().rev().peekable();
    let mut pictures = pictures.iter().rev().peekable();
    let mut found = Vec::with_capacity(pictures.len());
    for node in tree.nodes().rev() {
        while pictures.next_if(|picture| **picture == node).is_some() {
            found.push(from_ancestors(node, &below, tree));
        }
        if let Some((index, _)) = captions.next_if(|(_, caption)| caption.node == node) {
            below[node.index()] = Some(Seen { distance: 0, caption: index as u32 });
        }
        if let Some(parent) = tree.parent(node) {
            below[parent.index()] = nearer(below[parent.index()], below[node.index()].map(Seen::one_further));
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_other_caption_is_nearer(parents in prop::collection::vec(any::<prop::sample::Index>(), 1..60),
                                      chosen in prop::collection::vec(any::<prop::sample::Index>(), 1..8),
                                      headings in any::<u64>()) {
            let mut tree = Tree::default();
            let mut nodes = vec![tree.push(None)];
            // Numbers follow the document, so a parent is the last node or one of its ancestors.
            let mut path = nodes.clone();
            for parent in parents {
                path.truncate(parent.index(path.len()) + 1);
                let node = tree.push(path.last().copied());
                path.push(node);
                nodes.push(node);
            }
            let mut chosen: Vec<NodeId> = chosen.iter().map(|i| nodes[i.index(nodes.len())]).collect();
            chosen.sort();
            chosen.dedup();
            let is_heading = |node: NodeId| (headings >> (node.index() % 64)) & 1 == 1;
            let captions: Vec<Caption> =
                chosen.iter().map(|&node| Caption { node, text: 0..0, heading: is_heading(node), last: node }).collect();
            let found = nearest(&captions, &nodes, &tree);
            for &node in &nodes {
                let captions = &captions;
                let distance = |i: usize| tree.distance(node, captions[i].node);
                let side = |after: bool| {
                    let side = (0..captions.len()).filter(move |&i| (captions[i].node > node) == after);
                    side.min_by_key(|&i| (distance(i), captions[i].node.index().abs_diff(node.index())))
                };
                let best = match (side(false), side(true)) {
                    (Some(a), Some(b)) if distance(a) == distance(b) => {
                        Some(if is_meant(&captions[a], node, &captions[b]) { a } else { b })
                    }
                    (Some(a), Some(b)) => Some(if distance(a) < distance(b) { a } else { b }),
                    (a, b) => a.or(b),
                };
                prop_assert_eq!(found[node.index()], best);
            }
        }
    }

    #[test]
    fn a_page_without_captions_has_none() {
        let mut tree = Tree::default();
        let root = tree.push(None);
        assert_eq!(nearest(&[], &[root], &tree), [None]);
    }
}
