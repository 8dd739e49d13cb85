//! The document tree: nodes in one vector, linked by index.
//!
//! Words are not copied: a text and the value of an attribute are stretches of the page's own text,
//! or of one buffer beside it for what had to be decoded. [`quick`](crate::quick) fills the tree, or
//! [`planter`](crate::planter) from what html5ever says; nothing else knows the parsers.

use std::borrow::Cow;

use crate::names::{Key, Tag, Traits};

pub(crate) const NONE: u32 = u32::MAX;
pub(crate) const DOCUMENT: u32 = 0;

/// Texts from here on are not read: a place in a text is 31 bits.
pub(crate) const LONGEST: usize = 1 << 30;

/// A parsed document.
pub(crate) struct Dom<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) arena: Arena,
}

/// A stretch of the page's text, or of the buffer beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    len: u32,
}

const BESIDE: u32 = 1 << 31;

impl Span {
    pub(crate) const EMPTY: Self = Self { start: 0, len: 0 };

    /// A stretch of the page's text.
    pub(crate) fn of_text(start: usize, end: usize) -> Self {
        Self { start: start as u32, len: end.saturating_sub(start) as u32 }
    }

    /// A stretch of the buffer beside.
    pub(crate) fn of_side(start: usize, end: usize) -> Self {
        Self { start: start as u32 | BESIDE, len: end.saturating_sub(start) as u32 }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The same without its first bytes.
    pub(crate) fn skip(self, bytes: usize) -> Self {
        let bytes = (bytes as u32).min(self.len);
        Self { start: self.start + bytes, len: self.len - bytes }
    }

    /// Its first bytes.
    pub(crate) fn take(self, bytes: usize) -> Self {
        Self { start: self.start, len: (bytes as u32).min(self.len) }
    }

    pub(crate) fn len(self) -> usize {
        self.len as usize
    }
}

/// The name of an element; other names are numbered as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) tag: Tag,
    pub(crate) other: u16,
}

impl From<Tag> for Name {
    fn from(tag: Tag) -> Self {
        Self { tag, other: 0 }
    }
}

/// What an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Html,
    Svg,
    Math,
}

/// An attribute; `other` is its name where that is not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute {
    pub(crate) key: Key,
    pub(crate) other: Span,
    pub(crate) value: Span,
}

/// A run of attributes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Attributes {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// The document or a template's contents: nothing to read.
    Nothing,
    Element {
        name: Name,
        space: Space,
        attributes: Attributes,
    },
    Text(Span),
}

pub(crate) struct Node {
    pub(crate) parent: u32,
    previous: u32,
    next: u32,
    first: u32,
    last: u32,
    pub(crate) depth: u32,
    pub(crate) content: Content,
}

/// The nodes of a document, and what they are made of.
pub(crate) struct Arena {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<Attribute>,
    /// Decoded words.
    pub(crate) side: String,
    /// Names of elements that are not among the known ones.
    pub(crate) others: Vec<Box<str>>,
    pub(crate) base: Option<u32>,
    /// Depth of the deepest element put anywhere.
    pub(crate) deepest: u32,
    /// Bytes of text copied because something was added to it.
    pub(crate) moved: usize,
}

impl Arena {
    /// `bytes` is how long the page is.
    pub(crate) fn new(bytes: usize, nodes: usize) -> Self {
        // Real pages have a node for each 20 to 60 bytes.
        let mut arena = Self {
            nodes: Vec::with_capacity((bytes / 24).min(nodes)),
            attributes: Vec::with_capacity((bytes / 40).min(nodes)),
            side: String::new(),
            others: Vec::new(),
            base: None,
            deepest: 0,
            moved: 0,
        };
        arena.add(Content::Nothing);
        arena
    }

    pub(crate) fn add(&mut self, content: Content) -> u32 {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, depth: 0, content });
        id
    }

    pub(crate) fn create(&mut self, name: Name, space: Space, attributes: Attributes) -> u32 {
        let id = self.add(Content::Element { name, space, attributes });
        if space == Space::Html {
            match name.tag {
                Tag::Base if self.base.is_none() => self.base = Some(id),
                // Contents of a template are not part of the page: they hang on a node of their own,
                // which always follows the template's.
                Tag::Template => {
                    self.add(Content::Nothing);
                }
                _ => {}
            }
        }
        id
    }

    /// The node that holds the contents of a template.
    pub(crate) fn template_contents(&mut self, template: u32) -> u32 {
        // Templates in templates must not look shallow.
        self.nodes[template as usize + 1].depth = self.nodes[template as usize].depth;
        template + 1
    }

    pub(crate) fn parent(&self, id: u32) -> u32 {
        self.nodes[id as usize].parent
    }

    pub(crate) fn detach(&mut self, id: u32) {
        let Node { parent, previous, next, .. } = self.nodes[id as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.nodes[parent as usize].first = next,
            _ => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => self.nodes[parent as usize].last = previous,
            _ => self.nodes[next as usize].previous = previous,
        }
        let node = &mut self.nodes[id as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Puts a detached node under `parent`, before `next` or last.
    pub(crate) fn attach(&mut self, parent: u32, id: u32, next: u32) {
        let above = &mut self.nodes[parent as usize];
        let depth = above.depth + 1;
        let previous = if next == NONE {
            std::mem::replace(&mut above.last, id)
        } else {
            std::mem::replace(&mut self.nodes[next as usize].previous, id)
        };
        match previous {
            NONE => self.nodes[parent as usize].first = id,
            _ => self.nodes[previous as usize].next = id,
        }
        let node = &mut self.nodes[id as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, next, depth);
        if !matches!(node.content, Content::Text(_)) {
            self.deepest = self.deepest.max(depth);
        }
    }

    /// Puts a text under `parent`, before `next` or last; adds it to the text that is there already.
    pub(crate) fn insert_text(&mut self, text: &str, parent: u32, span: Span, next: u32) {
        let before = self.before(parent, next);
        if let Some(Node { content: Content::Text(existing), .. }) = self.nodes.get(before as usize) {
            let joined = self.join(text, *existing, span);
            self.nodes[before as usize].content = Content::Text(joined);
            return;
        }
        let id = self.add(Content::Text(span));
        self.attach(parent, id, next);
    }

    fn before(&self, parent: u32, next: u32) -> u32 {
        if next == NONE { self.nodes[parent as usize].last } else { self.nodes[next as usize].previous }
    }

    /// The text that stands right before `next`, or last under `parent`.
    pub(crate) fn text_before(&self, parent: u32, next: u32) -> Option<Span> {
        match self.nodes.get(self.before(parent, next) as usize)?.content {
            Content::Text(span) => Some(span),
            _ => None,
        }
    }

    /// One stretch of two texts.
    fn join(&mut self, text: &str, a: Span, b: Span) -> Span {
        if a.start + a.len == b.start {
            return Span { start: a.start, len: a.len + b.len };
        }
        let mut start = (a.start & !BESIDE) as usize;
        if a.start & BESIDE == 0 || start + a.len() != self.side.len() {
            start = self.side.len();
            self.moved += a.len();
            self.copy(text, a);
        }
        self.copy(text, b);
        Span::of_side(start, self.side.len())
    }

    /// Copies a stretch to the end of the buffer beside.
    fn copy(&mut self, text: &str, span: Span) {
        if span.start & BESIDE == 0 {
            self.side.push_str(slice(text, "", span));
        } else {
            let start = (span.start & !BESIDE) as usize;
            let end = (start + span.len()).min(self.side.len());
            self.side.extend_from_within(start..end);
        }
    }

    /// Moves all that is under one node to the end of what is under another.
    pub(crate) fn reparent(&mut self, from: u32, to: u32) {
        loop {
            let first = self.nodes[from as usize].first;
            if first == NONE {
                break;
            }
            self.detach(first);
            self.attach(to, first, NONE);
        }
    }
}

pub(crate) fn slice<'a>(text: &'a str, side: &'a str, span: Span) -> &'a str {
    let (from, start) =
        if span.start & BESIDE == 0 { (text, span.start as usize) } else { (side, (span.start & !BESIDE) as usize) };
    from.get(start..start + span.len()).unwrap_or_default()
}

/// An element with its attributes.
#[derive(Clone, Copy)]
pub(crate) struct Element<'d> {
    dom: &'d Dom<'d>,
    name: Name,
    space: Space,
    attributes: Attributes,
}

impl<'d> Element<'d> {
    /// The name of an HTML element; nothing for SVG and MathML.
    pub(crate) fn html_name(self) -> Option<Tag> {
        (self.space == Space::Html).then_some(self.name.tag)
    }

    pub(crate) fn is_svg_root(self) -> bool {
        self.space != Space::Html && self.name.tag == Tag::Svg
    }

    fn entries(self) -> &'d [Attribute] {
        self.dom.arena.attributes.get(self.attributes.range()).unwrap_or_default()
    }

    pub(crate) fn attribute(self, key: Key) -> Option<&'d str> {
        self.entries().iter().find(|a| a.key == key).map(|a| self.dom.slice(a.value))
    }

    /// Attributes with names that are known.
    pub(crate) fn attributes(self) -> impl Iterator<Item = (Key, &'d str)> {
        self.entries().iter().filter(|a| a.key != Key::Other).map(move |a| (a.key, self.dom.slice(a.value)))
    }

    /// All attributes with their names.
    pub(crate) fn spelled_attributes(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        self.entries().iter().map(move |a| {
            let name = if a.key == Key::Other { self.dom.slice(a.other) } else { a.key.text() };
            (name, self.dom.slice(a.value))
        })
    }

    /// Its name as written, in small letters.
    pub(crate) fn spelled(self) -> &'d str {
        match self.name.tag {
            Tag::Other => self.dom.arena.others.get(usize::from(self.name.other)).map_or("", |name| name),
            known => known.text(),
        }
    }

    pub(crate) fn space(self) -> Space {
        self.space
    }

    /// Whether it stands on lines of its own.
    pub(crate) fn is_block(self) -> bool {
        self.space == Space::Html && self.name.tag.is(Traits::BLOCK)
    }
}

/// One step of a walk over the tree.
pub(crate) enum Step<'d> {
    Enter(Element<'d>),
    Text(&'d str),
    Leave,
}

impl<'t> Dom<'t> {
    fn slice(&self, span: Span) -> &str {
        slice(&self.text, &self.arena.side, span)
    }

    /// The first `<base>` of the document.
    pub(crate) fn base(&self) -> Option<Element<'_>> {
        self.arena.base.and_then(|id| self.element(id))
    }

    fn element(&self, id: u32) -> Option<Element<'_>> {
        match self.arena.nodes.get(id as usize)?.content {
            Content::Element { name, space, attributes } => Some(Element { dom: self, name, space, attributes }),
            _ => None,
        }
    }

    /// How many nodes there are, with those that hang on nothing.
    pub(crate) fn len(&self) -> usize {
        self.arena.nodes.len()
    }

    /// The text directly inside the element just entered.
    pub(crate) fn own_text(&self, at: Cursor) -> Cow<'_, str> {
        let nodes = &self.arena.nodes;
        let mut text = Cow::Borrowed("");
        let mut child = nodes[at.0 as usize].first;
        while child != NONE {
            let node = &nodes[child as usize];
            if let Content::Text(piece) = node.content {
                text += self.slice(piece);
            }
            child = node.next;
        }
        text
    }

    /// Walks the document in order, without recursion. `visit` is told of each element when it is
    /// entered and left, and of each text; when it answers an entered element with
    /// [`Descend::No`], what is inside is passed over.
    pub(crate) fn walk<'d>(&'d self, mut visit: impl FnMut(Cursor, Step<'d>) -> Descend) {
        let nodes = &self.arena.nodes;
        let mut at = nodes[DOCUMENT as usize].first;
        let mut entering = true;
        while at != NONE && at != DOCUMENT {
            let node = &nodes[at as usize];
            if entering {
                let descend = match node.content {
                    Content::Element { name, space, attributes } => {
                        visit(Cursor(at), Step::Enter(Element { dom: self, name, space, attributes }))
                    }
                    Content::Text(span) => visit(Cursor(at), Step::Text(self.slice(span))),
                    Content::Nothing => Descend::No,
                };
                if matches!(descend, Descend::Yes) && node.first != NONE {
                    at = node.first;
                    continue;
                }
            }
            if matches!(node.content, Content::Element { .. }) {
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
