//! Fills the document tree from what html5ever's tree builder says.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use html5ever::interface::{ElementFlags, ExpandedName, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{Attribute, LocalName, QualName, local_name, ns};

use crate::dom::{self, Arena, Attributes, Content, DOCUMENT, Dom, NONE, Name, Space, Span};
use crate::names::{Key, Tag};

/// A node as the tree builder holds it. The name travels with it, because the builder asks for the
/// names of open elements far more often than for anything else.
#[derive(Clone)]
pub(crate) struct Handle {
    id: u32,
    name: QualName,
}

/// Builds a [`Dom`] from what the tree builder says.
pub(crate) struct Planter {
    planted: RefCell<Planted>,
    /// Depth of the place where something was last added.
    depth: Cell<u32>,
}

struct Planted {
    arena: Arena,
    /// Attributes of elements, as the builder shares them between copies of an element; `start` of an
    /// element's attributes is a place here until the end.
    attributes: Vec<Vec<Attribute>>,
    /// Texts, which grow; the length of a text's stretch is a place here until the end.
    texts: Vec<StrTendril>,
    others: HashMap<Box<str>, u16>,
}

impl Planter {
    /// `bytes` is how long the page is, `nodes` how many nodes it may have.
    pub(crate) fn new(bytes: usize, nodes: usize) -> Self {
        let planted = Planted {
            arena: Arena::new(bytes, nodes),
            attributes: Vec::new(),
            texts: Vec::new(),
            others: HashMap::new(),
        };
        Self { planted: RefCell::new(planted), depth: Cell::new(0) }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.planted.borrow().arena.nodes.len()
    }

    /// How deep the innermost open element is, as far as the tree builder reports it.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.get()
    }

    fn insert(&self, parent: u32, next: u32, child: NodeOrText<Handle>) {
        let planted = &mut *self.planted.borrow_mut();
        let above = planted.arena.nodes[parent as usize].depth;
        match child {
            NodeOrText::AppendNode(handle) => {
                planted.arena.detach(handle.id);
                planted.arena.attach(parent, handle.id, next);
                self.depth.set(above + 1);
            }
            NodeOrText::AppendText(text) => {
                self.depth.set(above);
                match planted.arena.text_before(parent, next) {
                    Some(place) => planted.texts[place.len()].push_tendril(&text),
                    None => {
                        let id = planted.arena.add(Content::Text(Span::of_text(0, planted.texts.len())));
                        planted.texts.push(text);
                        planted.arena.attach(parent, id, next);
                    }
                }
            }
        }
    }
}

impl Planted {
    fn name(&mut self, name: &LocalName) -> Name {
        let small = name.to_ascii_lowercase();
        match Tag::of(small.as_bytes()) {
            Tag::Other => {
                let next = self.others.len();
                let other = *self.others.entry(Box::from(&*small)).or_insert(next.min(usize::from(u16::MAX)) as u16);
                if usize::from(other) == self.arena.others.len() {
                    self.arena.others.push(Box::from(&*small));
                }
                Name { tag: Tag::Other, other }
            }
            tag => tag.into(),
        }
    }

    fn finish(mut self) -> Dom<'static> {
        let mut spans: HashMap<(usize, usize), Span> = HashMap::new();
        for node in &mut self.arena.nodes {
            match &mut node.content {
                Content::Nothing => {}
                Content::Text(span) => {
                    let start = self.arena.side.len();
                    self.arena.side.push_str(&self.texts[span.len()]);
                    *span = Span::of_side(start, self.arena.side.len());
                }
                Content::Element { attributes, .. } => {
                    let start = self.arena.attributes.len();
                    let list = self.attributes.get(attributes.start as usize).filter(|_| attributes.len > 0);
                    for Attribute { name, value } in list.into_iter().flatten() {
                        let mut keep = |text: &str| {
                            let start = self.arena.side.len();
                            self.arena.side.push_str(text);
                            Span::of_side(start, self.arena.side.len())
                        };
                        // Copies of an element share the words of its attributes; they stay shared.
                        let place = (value.as_ptr() as usize, value.len());
                        let value = *spans.entry(place).or_insert_with(|| keep(value));
                        let spelled = spelled(name);
                        let key = Key::of(spelled.as_bytes());
                        let other = if key == Key::Other { keep(&spelled) } else { Span::EMPTY };
                        self.arena.attributes.push(dom::Attribute { key, other, value });
                    }
                    let len = (self.arena.attributes.len() - start) as u32;
                    *attributes = Attributes { start: start as u32, len };
                }
            }
        }
        Dom { text: Cow::Borrowed(""), arena: self.arena }
    }
}

/// A name as pages write it, in small letters: the tree builder takes those of drawings apart.
fn spelled(name: &QualName) -> Cow<'_, str> {
    match &name.prefix {
        Some(prefix) if !prefix.is_empty() => Cow::Owned(format!("{prefix}:{}", name.local).to_ascii_lowercase()),
        _ if name.local.bytes().any(|b| b.is_ascii_uppercase()) => {
            Cow::Owned(name.local.to_ascii_lowercase().to_string())
        }
        _ => Cow::Borrowed(&name.local),
    }
}

fn nameless(id: u32) -> Handle {
    Handle { id, name: QualName::new(None, ns!(), local_name!("")) }
}

impl TreeSink for Planter {
    type Handle = Handle;
    type Output = Dom<'static>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Dom<'static> {
        self.planted.into_inner().finish()
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        nameless(DOCUMENT)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Handle {
        let planted = &mut *self.planted.borrow_mut();
        let space = match name.ns {
            ns!(html) => Space::Html,
            ns!(svg) => Space::Svg,
            _ => Space::Math,
        };
        let place = Attributes { start: planted.attributes.len() as u32, len: attributes.len() as u32 };
        planted.attributes.push(attributes);
        let short = planted.name(&name.local);
        Handle { id: planted.arena.create(short, space, place), name }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        nameless(self.planted.borrow_mut().arena.add(Content::Nothing))
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        nameless(self.planted.borrow_mut().arena.add(Content::Nothing))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.insert(parent.id, NONE, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if self.planted.borrow().arena.parent(element.id) != NONE {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn pop(&self, node: &Handle) {
        self.depth.set(self.planted.borrow().arena.nodes[node.id as usize].depth.saturating_sub(1));
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        nameless(self.planted.borrow_mut().arena.template_contents(target.id))
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.id == y.id
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = &child {
            self.planted.borrow_mut().arena.detach(child.id);
        }
        let parent = self.planted.borrow().arena.parent(sibling.id);
        if parent != NONE {
            self.insert(parent, sibling.id, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, more: Vec<Attribute>) {
        let planted = &mut *self.planted.borrow_mut();
        let Content::Element { attributes, .. } = &mut planted.arena.nodes[target.id as usize].content else { return };
        let Some(list) = planted.attributes.get_mut(attributes.start as usize) else { return };
        for attribute in more {
            if list.len() < crate::guard::ATTRIBUTES && list.iter().all(|a| a.name.local != attribute.name.local) {
                list.push(attribute);
            }
        }
        attributes.len = list.len() as u32;
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.planted.borrow_mut().arena.detach(target.id);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.planted.borrow_mut().arena.reparent(node.id, new_parent.id);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        let planted = self.planted.borrow();
        let Content::Element { attributes, .. } = planted.arena.nodes[target.id as usize].content else { return false };
        let list = planted.attributes.get(attributes.start as usize);
        list.into_iter().flatten().find(|a| a.name.local == local_name!("encoding")).is_some_and(|a| {
            a.value.eq_ignore_ascii_case("text/html") || a.value.eq_ignore_ascii_case("application/xhtml+xml")
        })
    }
}
