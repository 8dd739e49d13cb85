//! The list of active formatting elements: `<b>` that is still open where a new paragraph starts is
//! opened again there, and `<b><p></b>` is taken apart by the "adoption agency".

use super::Parser;
use super::stack::{Open, Scope};
use super::tokens::TagToken;
use crate::dom::{Attributes, NONE, Name, Space};
use crate::names::{Tag, Traits};

/// An entry of the list.
#[derive(Clone, Copy)]
pub(super) enum Entry {
    /// Formatting does not reach past cells, captions, templates and objects.
    Marker,
    Element {
        id: u32,
        name: Name,
        attributes: Attributes,
    },
}

impl Entry {
    fn id(&self) -> u32 {
        match self {
            Self::Marker => NONE,
            Self::Element { id, .. } => *id,
        }
    }
}

impl Parser<'_> {
    pub(super) fn clear_to_marker(&mut self) {
        while let Some(Entry::Element { .. }) = self.formatting.pop() {}
    }

    fn is_listed(&self, id: u32) -> Option<usize> {
        self.formatting.iter().position(|entry| entry.id() == id)
    }

    fn is_open(&self, id: u32) -> bool {
        self.stack.iter().rev().any(|open| open.id == id)
    }

    /// The last formatting element of a name behind the last marker, with its place.
    fn last_listed(&self, name: Name) -> Option<(usize, u32, Attributes)> {
        for (place, entry) in self.formatting.iter().enumerate().rev() {
            match entry {
                Entry::Marker => return None,
                Entry::Element { id, name: listed, attributes } if *listed == name => {
                    return Some((place, *id, *attributes));
                }
                Entry::Element { .. } => {}
            }
        }
        None
    }

    /// Opens again what was closed by the end of a block only.
    pub(super) fn reconstruct(&mut self) {
        let done = |parser: &Self, entry: &Entry| matches!(entry, Entry::Marker) || parser.is_open(entry.id());
        match self.formatting.last() {
            None => return,
            Some(last) if done(self, last) => return,
            Some(_) => {}
        }
        let first = self.formatting.iter().rposition(|entry| done(self, entry)).map_or(0, |place| place + 1);
        for place in first..self.formatting.len() {
            if let Entry::Element { name, attributes, .. } = self.formatting[place] {
                let id = self.insert(name, Space::Html, attributes, true);
                self.formatting[place] = Entry::Element { id, name, attributes };
            }
        }
    }

    /// Inserts a formatting element. Of four alike the first is forgotten.
    pub(super) fn open_formatting(&mut self, tag: &TagToken) {
        let (mut first, mut alike) = (None, 0);
        for (place, entry) in self.formatting.iter().enumerate().rev() {
            match entry {
                Entry::Marker => break,
                Entry::Element { name, attributes, .. } => {
                    if *name == tag.name && self.are_alike(*attributes, tag.attributes) {
                        (first, alike) = (Some(place), alike + 1);
                    }
                }
            }
        }
        if let Some(first) = first.filter(|_| alike >= 3) {
            self.formatting.remove(first);
        }
        let id = self.open(tag);
        self.formatting.push(Entry::Element { id, name: tag.name, attributes: tag.attributes });
    }

    /// Whether two elements have the same attributes, in any order.
    fn are_alike(&self, a: Attributes, b: Attributes) -> bool {
        let list = |attributes: Attributes| self.arena.attributes.get(attributes.range()).unwrap_or_default();
        a.len == b.len
            && list(a).iter().all(|one| {
                let same = list(b).iter().find(|other| self.same_name(one, other));
                same.is_some_and(|other| self.words(one.value) == self.words(other.value))
            })
    }

    /// A link inside a link ends the first.
    pub(super) fn end_open_link(&mut self) {
        if let Some((_, id, _)) = self.last_listed(Tag::A.into()) {
            self.adopt(Tag::A.into());
            if let Some(place) = self.is_listed(id) {
                self.formatting.remove(place);
            }
            self.remove(id);
        }
    }

    /// The adoption agency algorithm, for the end tag of a formatting element.
    pub(super) fn adopt(&mut self, subject: Name) {
        if let Some(current) = self.current()
            && current.is_any_html()
            && current.name == subject
            && self.is_listed(current.id).is_none()
        {
            self.stack.pop();
            return;
        }
        for _ in 0..8 {
            if !self.adopt_once(subject) {
                return;
            }
        }
    }

    /// One turn; whether there may be another.
    fn adopt_once(&mut self, subject: Name) -> bool {
        let Some((listed, formatting, attributes)) = self.last_listed(subject) else {
            self.end_tag_in_body(subject);
            return false;
        };
        let Some(place) = self.stack.iter().rposition(|open| open.id == formatting) else {
            self.formatting.remove(listed);
            return false;
        };
        if place == 0 || !self.in_scope_where(Scope::Default, |open| open.id == formatting) {
            return false;
        }
        let block = self.stack.iter().skip(place).position(|open| open.is(Traits::SPECIAL));
        let Some(block_place) = block.map(|offset| place + offset) else {
            self.stack.truncate(place);
            self.formatting.remove(listed);
            return false;
        };
        let block = self.stack[block_place];
        let ancestor = self.stack[place - 1];
        let (last, after) = self.rebuild_between(formatting, block_place);

        self.arena.detach(last);
        let (parent, next) = self.place(Some(ancestor));
        self.arena.attach(parent, last, next);

        let new = self.arena.create(subject, Space::Html, attributes);
        // It will be under the block; what it takes over must know how deep that is.
        self.arena.nodes[new as usize].depth = self.arena.nodes[block.id as usize].depth + 1;
        self.arena.reparent(block.id, new);
        self.arena.attach(block.id, new, NONE);

        let entry = Entry::Element { id: new, name: subject, attributes };
        match after.and_then(|id| self.is_listed(id)) {
            Some(before) => {
                self.formatting.insert(before + 1, entry);
                if let Some(old) = self.is_listed(formatting) {
                    self.formatting.remove(old);
                }
            }
            None => {
                if let Some(old) = self.is_listed(formatting) {
                    self.formatting[old] = entry;
                }
            }
        }
        self.remove(formatting);
        if let Some(place) = self.stack.iter().position(|open| open.id == block.id) {
            self.stack.insert(place + 1, Open::new(new, subject, Space::Html));
        }
        !self.is_over()
    }

    /// Makes new copies of the formatting elements between a formatting element and a block inside
    /// it, each holding the next. Gives the outermost, or the block itself, and the element behind
    /// which the formatting element is to be listed anew.
    fn rebuild_between(&mut self, formatting: u32, block_place: usize) -> (u32, Option<u32>) {
        let block = self.stack[block_place].id;
        let (mut last, mut after) = (block, None);
        let mut at = block_place;
        let mut turns = 0;
        while at > 0 {
            turns += 1;
            at -= 1;
            let node = self.stack[at];
            if node.id == formatting {
                break;
            }
            let listed = self.is_listed(node.id);
            let Some(place) = listed.filter(|_| turns <= 3) else {
                if let Some(place) = listed {
                    self.formatting.remove(place);
                }
                self.stack.remove(at);
                continue;
            };
            let Entry::Element { name, attributes, .. } = self.formatting[place] else { continue };
            let new = self.arena.create(name, Space::Html, attributes);
            self.stack[at] = Open::new(new, name, Space::Html);
            self.formatting[place] = Entry::Element { id: new, name, attributes };
            if last == block {
                after = Some(new);
            }
            self.arena.detach(last);
            self.arena.attach(new, last, NONE);
            last = new;
        }
        (last, after)
    }
}
