//! Where things stand on a page: a compact copy of the document's tree.

use std::fmt;

/// A position on a page: an element or a piece of text, numbered in document order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// The number, an index into what is kept per node.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// Parent and depth of every node, in document order: a parent always comes before its children.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    parent: Vec<u32>,
    depth: Vec<u16>,
}

const NONE: u32 = u32::MAX;

impl Tree {
    /// For so many nodes.
    pub(crate) fn with_room(nodes: usize) -> Self {
        Self { parent: Vec::with_capacity(nodes), depth: Vec::with_capacity(nodes) }
    }

    pub(crate) fn push(&mut self, parent: Option<NodeId>) -> NodeId {
        let id = NodeId(self.parent.len() as u32);
        self.parent.push(parent.map_or(NONE, |p| p.0));
        self.depth.push(parent.map_or(0, |p| self.depth[p.index()].saturating_add(1)));
        id
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// True when nothing was read.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// All nodes in document order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.parent.len() as u32).map(NodeId)
    }

    /// The node above; nothing for the root, or for a node of another page.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.parent.get(node.index()).copied().filter(|&p| p != NONE).map(NodeId)
    }

    /// Edges up to the root.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.depth.get(node.index()).copied().unwrap_or(0).into()
    }

    /// Edges from one node up to their lowest common ancestor and down to the other [002 §5].
    pub fn distance(&self, a: NodeId, b: NodeId) -> u32 {
        let (mut a, mut b, mut edges) = (a, b, 0);
        while a != b {
            let (deeper, other) = if self.depth(a) >= self.depth(b) { (&mut a, b) } else { (&mut b, a) };
            match self.parent(*deeper) {
                Some(parent) => *deeper = parent,
                // Two roots meet above the page.
                None => return edges + self.depth(other) + 2,
            }
            edges += 1;
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_goes_through_the_lowest_common_ancestor() {
        // root ─ a ─ b ─ c
        //      └ d ─ e
        let mut tree = Tree::default();
        let root = tree.push(None);
        let a = tree.push(Some(root));
        let b = tree.push(Some(a));
        let c = tree.push(Some(b));
        let d = tree.push(Some(root));
        let e = tree.push(Some(d));
        for (x, y, edges) in [(c, c, 0), (c, b, 1), (c, root, 3), (c, e, 5), (e, c, 5), (a, d, 2), (b, d, 3)] {
            assert_eq!(tree.distance(x, y), edges, "{x:?} {y:?}");
        }
        assert_eq!(tree.depth(c), 3);
        assert_eq!(tree.parent(root), None);
    }
}
