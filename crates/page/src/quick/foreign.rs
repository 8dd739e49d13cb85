//! Drawings and formulas inside a page, which have rules of their own.

use super::stack::Open;
use super::tokens::TagToken;
use super::{Next, Parser};
use crate::dom::{Content, Space};
use crate::names::{Key, Tag};

impl Parser<'_> {
    /// Whether the rules of drawings and formulas hold for a tag.
    pub(super) fn is_foreign_to(&self, tag: &TagToken) -> bool {
        let Some(current) = self.current().filter(|open| !open.is_any_html()) else { return false };
        let start = !tag.end;
        if start && is_formula_text(&current) && !matches!(tag.name.tag, Tag::Mglyph | Tag::Malignmark) {
            return false;
        }
        if start && is_drawing_text(&current) {
            return false;
        }
        if start && current.space == Space::Math && current.name.tag == Tag::AnnotationXml {
            return tag.name.tag != Tag::Svg && !self.holds_html(&current);
        }
        true
    }

    pub(super) fn is_foreign_to_text(&self) -> bool {
        let Some(current) = self.current().filter(|open| !open.is_any_html()) else { return false };
        let annotation = current.space == Space::Math && current.name.tag == Tag::AnnotationXml;
        !(is_formula_text(&current) || is_drawing_text(&current) || (annotation && self.holds_html(&current)))
    }

    /// Whether an annotation of a formula says that it is HTML.
    fn holds_html(&self, open: &Open) -> bool {
        let Content::Element { attributes, .. } = self.arena.nodes[open.id as usize].content else { return false };
        let list = self.arena.attributes.get(attributes.range()).unwrap_or_default();
        list.iter().find(|attribute| attribute.key == Key::Encoding).is_some_and(|encoding| {
            let encoding = self.words(encoding.value);
            encoding.eq_ignore_ascii_case("text/html") || encoding.eq_ignore_ascii_case("application/xhtml+xml")
        })
    }

    pub(super) fn in_foreign(&mut self, tag: &TagToken) -> Next {
        let leaves = match (tag.end, tag.name.tag) {
            (
                false,
                Tag::B
                | Tag::Big
                | Tag::Blockquote
                | Tag::Body
                | Tag::Br
                | Tag::Center
                | Tag::Code
                | Tag::Dd
                | Tag::Div
                | Tag::Dl
                | Tag::Dt
                | Tag::Em
                | Tag::Embed
                | Tag::H1
                | Tag::H2
                | Tag::H3
                | Tag::H4
                | Tag::H5
                | Tag::H6
                | Tag::Head
                | Tag::Hr
                | Tag::I
                | Tag::Img
                | Tag::Li
                | Tag::Listing
                | Tag::Menu
                | Tag::Meta
                | Tag::Nobr
                | Tag::Ol
                | Tag::P
                | Tag::Pre
                | Tag::Ruby
                | Tag::S
                | Tag::Small
                | Tag::Span
                | Tag::Strong
                | Tag::Strike
                | Tag::Sub
                | Tag::Sup
                | Tag::Table
                | Tag::Tt
                | Tag::U
                | Tag::Ul
                | Tag::Var,
            )
            | (true, Tag::Br | Tag::P) => true,
            (false, Tag::Font) => {
                [Key::Color, Key::Face, Key::Size].into_iter().any(|key| self.has_attribute(tag, key))
            }
            _ => false,
        };
        if leaves {
            let inside = |open: &Open| !open.is_any_html() && !is_formula_text(open) && !is_drawing_text(open);
            while self.stack.last().is_some_and(inside) {
                self.stack.pop();
            }
            return self.by_mode(self.mode, tag);
        }
        if tag.end {
            return self.end_in_foreign(tag);
        }
        let space = self.current().map_or(Space::Html, |open| open.space);
        self.insert(tag.name, space, tag.attributes, !tag.self_closing);
        Next::Done
    }

    fn end_in_foreign(&mut self, tag: &TagToken) -> Next {
        for place in (1..self.stack.len()).rev() {
            let open = self.stack[place];
            if open.is_any_html() && place + 1 != self.stack.len() {
                return self.by_mode(self.mode, tag);
            }
            if open.name == tag.name {
                self.stack.truncate(place);
                return Next::Done;
            }
        }
        Next::Done
    }
}

/// Where the text of a formula is read as HTML.
fn is_formula_text(open: &Open) -> bool {
    open.space == Space::Math && matches!(open.name.tag, Tag::Mi | Tag::Mo | Tag::Mn | Tag::Ms | Tag::Mtext)
}

/// Where the inside of a drawing is read as HTML.
fn is_drawing_text(open: &Open) -> bool {
    open.space == Space::Svg && matches!(open.name.tag, Tag::ForeignObject | Tag::Desc | Tag::Title)
}
