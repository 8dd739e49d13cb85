//! The document tree: nodes in one vector, linked by index, filled by html5ever.
//!
//! Nothing outside this module and [`guard`](crate::guard) knows the parser.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::interface::{ElementFlags, ExpandedName, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

const NONE: u32 = u32::MAX;
const DOCUMENT: u32 = 0;

/// A parsed document.
pub(crate) struct Dom {
    nodes: Vec<Node>,
    base: Option<u32>,
}

struct Node {
    parent: u32,
    previous: u32,
    next: u32,
    first: u32,
    last: u32,
    depth: u32,
    content: Content,
}

enum Content {
    /// The document, a template's contents, a comment: nothing to read.
    Nothing,
    Element(Element),
    Text(StrTendril),
}

/// An element with its attributes.
pub(crate) struct Element {
    name: LocalName,
    html: bool,
    attributes: Vec<Attribute>,
}

impl Element {
    /// The name of an HTML element; nothing for SVG and MathML.
    pub(crate) fn html_name(&self) -> Option<&LocalName> {
        self.html.then_some(&self.name)
    }

    pub(crate) fn is_svg_root(&self) -> bool {
        !self.html && self.name == local_name!("svg")
    }

    pub(crate) fn attribute(&self, name: &LocalName) -> Option<&str> {
        self.attributes.iter().find(|a| a.name.local == *name).map(|a| &*a.value)
    }

    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&LocalName, &str)> {
        self.attributes.iter().map(|a| (&a.name.local, &*a.value))
    }
}

/// One step of a walk over the tree.
pub(crate) enum Step<'d> {
    Enter(&'d Element),
    Text(&'d str),
    Leave,
}

impl Dom {
    /// The first `<base>` of the document.
    pub(crate) fn base(&self) -> Option<&Element> {
        self.base.and_then(|id| self.element(id))
    }

    fn element(&self, id: u32) -> Option<&Element> {
        match &self.nodes[id as usize].content {
            Content::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The text directly inside the element just entered.
    pub(crate) fn own_text(&self, at: Cursor) -> String {
        let mut text = String::new();
        let mut child = self.nodes[at.0 as usize].first;
        while child != NONE {
            let node = &self.nodes[child as usize];
            if let Content::Text(piece) = &node.content {
                text.push_str(piece);
            }
            child = node.next;
        }
        text
    }

    /// Walks the document in order, without recursion. `visit` is told of each element when it is
    /// entered and left, and of each text; when it answers an entered element with
    /// [`Descend::No`], what is inside is passed over.
    pub(crate) fn walk<'d>(&'d self, mut visit: impl FnMut(Cursor, Step<'d>) -> Descend) {
        let mut at = self.nodes[DOCUMENT as usize].first;
        let mut entering = true;
        while at != NONE && at != DOCUMENT {
            let node = &self.nodes[at as usize];
            if entering {
                let descend = match &node.content {
                    Content::Element(element) => visit(Cursor(at), Step::Enter(element)),
                    Content::Text(text) => visit(Cursor(at), Step::Text(text)),
                    Content::Nothing => Descend::No,
                };
                if matches!(descend, Descend::Yes) && node.first != NONE {
                    at = node.first;
                    continue;
                }
            }
            if matches!(node.content, Content::Element(_)) {
                visit(Cursor(at), Step::Leave);
            }
            entering = node.next != NONE;
            at = if entering { node.next } else { node.parent };
        }
    }
}

/// A node during a walk.
#[derive(Clone, Copy)]
pub(crate) struct Cursor(u32);

/// Whether a walk goes into an element.
pub(crate) enum Descend {
    Yes,
    No,
}

/// A node as the tree builder holds it. The name travels with it, because the builder asks for the
/// names of open elements far more often than for anything else.
#[derive(Clone)]
pub(crate) struct Handle {
    id: u32,
    name: QualName,
}

/// Builds a [`Dom`] from what the tree builder says.
pub(crate) struct Planter {
    nodes: RefCell<Vec<Node>>,
    base: Cell<Option<u32>>,
    /// Depth of the place where something was last added.
    depth: Cell<u32>,
}

impl Planter {
    /// `capacity` is how many nodes to expect.
    pub(crate) fn new(capacity: usize) -> Self {
        let planter =
            Self { nodes: RefCell::new(Vec::with_capacity(capacity)), base: Cell::new(None), depth: Cell::new(0) };
        planter.add(Content::Nothing);
        planter
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// How deep the innermost open element is, as far as the tree builder reports it.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.get()
    }

    fn add(&self, content: Content) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let id = nodes.len() as u32;
        nodes.push(Node { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, depth: 0, content });
        id
    }

    fn detach(&self, id: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let Node { parent, previous, next, .. } = nodes[id as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first = next,
            _ => nodes[previous as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last = previous,
            _ => nodes[next as usize].previous = previous,
        }
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Puts a detached node under `parent`, before `next` or last.
    fn attach(&self, parent: u32, id: u32, next: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let previous = if next == NONE { nodes[parent as usize].last } else { nodes[next as usize].previous };
        match previous {
            NONE => nodes[parent as usize].first = id,
            _ => nodes[previous as usize].next = id,
        }
        match next {
            NONE => nodes[parent as usize].last = id,
            _ => nodes[next as usize].previous = id,
        }
        let depth = nodes[parent as usize].depth + 1;
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, next, depth);
        self.depth.set(if matches!(node.content, Content::Text(_)) { depth - 1 } else { depth });
    }

    /// Adds to the text before `next` (or the last one) when there is one.
    fn extend_text(&self, parent: u32, next: u32, text: &StrTendril) -> bool {
        let mut nodes = self.nodes.borrow_mut();
        let before = if next == NONE { nodes[parent as usize].last } else { nodes[next as usize].previous };
        self.depth.set(nodes[parent as usize].depth);
        match nodes.get_mut(before as usize).map(|node| &mut node.content) {
            Some(Content::Text(existing)) => {
                existing.push_tendril(text);
                true
            }
            _ => false,
        }
    }

    fn insert(&self, parent: u32, next: u32, child: NodeOrText<Handle>) {
        let id = match child {
            NodeOrText::AppendNode(handle) => {
                self.detach(handle.id);
                handle.id
            }
            NodeOrText::AppendText(text) => {
                if self.extend_text(parent, next, &text) {
                    return;
                }
                self.add(Content::Text(text))
            }
        };
        self.attach(parent, id, next);
    }

    fn parent_of(&self, id: u32) -> u32 {
        self.nodes.borrow()[id as usize].parent
    }
}

fn nameless(id: u32) -> Handle {
    Handle { id, name: QualName::new(None, ns!(), local_name!("")) }
}

impl TreeSink for Planter {
    type Handle = Handle;
    type Output = Dom;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Dom {
        Dom { nodes: self.nodes.into_inner(), base: self.base.get() }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        nameless(DOCUMENT)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let html = name.ns == ns!(html);
        let id = self.add(Content::Element(Element { name: name.local.clone(), html, attributes }));
        if html && name.local == local_name!("base") && self.base.get().is_none() {
            self.base.set(Some(id));
        }
        if flags.template {
            // Contents of a template are not part of the page: they hang on a node of their own,
            // which always follows the template's.
            self.add(Content::Nothing);
        }
        Handle { id, name }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        nameless(self.add(Content::Nothing))
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        nameless(self.add(Content::Nothing))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.id, NONE, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if self.parent_of(element.id) != NONE {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn pop(&self, node: &Handle) {
        self.depth.set(self.nodes.borrow()[node.id as usize].depth.saturating_sub(1));
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        let mut nodes = self.nodes.borrow_mut();
        // Templates in templates must not look shallow.
        nodes[target.id as usize + 1].depth = nodes[target.id as usize].depth;
        nameless(target.id + 1)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = &child {
            self.detach(child.id);
        }
        match self.parent_of(sibling.id) {
            NONE => {}
            parent => self.insert(parent, sibling.id, child),
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        if let Content::Element(element) = &mut self.nodes.borrow_mut()[target.id as usize].content {
            for attribute in attributes {
                if element.attributes.len() < crate::guard::ATTRIBUTES
                    && element.attribute(&attribute.name.local).is_none()
                {
                    element.attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        loop {
            let first = self.nodes.borrow()[node.id as usize].first;
            if first == NONE {
                break;
            }
            self.detach(first);
            self.attach(new_parent.id, first, NONE);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        let nodes = self.nodes.borrow();
        let Content::Element(element) = &nodes[target.id as usize].content else { return false };
        element.attribute(&local_name!("encoding")).is_some_and(|encoding| {
            encoding.eq_ignore_ascii_case("text/html") || encoding.eq_ignore_ascii_case("application/xhtml+xml")
        })
    }
}
