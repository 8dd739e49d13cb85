//! The rules inside the body.

use super::formatting::Entry;
use super::runs::Raw;
use super::stack::Scope;
use super::tokens::TagToken;
use super::{Mode, Next, Parser};
use crate::dom::{NONE, Name, Space};
use crate::names::{Key, Tag, Traits};

impl Parser<'_> {
    pub(super) fn in_body(&mut self, tag: &TagToken) -> Next {
        if tag.end { self.end_in_body(tag) } else { self.start_in_body(tag) }
    }

    fn start_in_body(&mut self, tag: &TagToken) -> Next {
        match tag.name.tag {
            Tag::Address
            | Tag::Article
            | Tag::Aside
            | Tag::Blockquote
            | Tag::Center
            | Tag::Details
            | Tag::Dialog
            | Tag::Dir
            | Tag::Div
            | Tag::Dl
            | Tag::Fieldset
            | Tag::Figcaption
            | Tag::Figure
            | Tag::Footer
            | Tag::Header
            | Tag::Hgroup
            | Tag::Main
            | Tag::Menu
            | Tag::Nav
            | Tag::Ol
            | Tag::P
            | Tag::Search
            | Tag::Section
            | Tag::Summary
            | Tag::Ul => {
                self.close_p();
                self.open(tag);
            }
            Tag::A => {
                self.end_open_link();
                self.reconstruct();
                self.open_formatting(tag);
            }
            Tag::Li | Tag::Dd | Tag::Dt => self.start_item(tag),
            Tag::B
            | Tag::Big
            | Tag::Code
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::S
            | Tag::Small
            | Tag::Strike
            | Tag::Strong
            | Tag::Tt
            | Tag::U => {
                self.reconstruct();
                self.open_formatting(tag);
            }
            Tag::Area | Tag::Br | Tag::Embed | Tag::Img | Tag::Keygen | Tag::Wbr => self.put_shown(tag),
            Tag::Image => self.put_shown(&TagToken { name: Tag::Img.into(), ..*tag }),
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                self.close_p();
                if self.current().is_some_and(|open| open.is(Traits::HEADING)) {
                    self.stack.pop();
                }
                self.open(tag);
            }
            Tag::Base
            | Tag::Basefont
            | Tag::Bgsound
            | Tag::Link
            | Tag::Meta
            | Tag::Noframes
            | Tag::Script
            | Tag::Style
            | Tag::Template
            | Tag::Title => return self.in_head(tag),
            Tag::Html => {
                if !self.has_open(Tag::Template)
                    && let Some(root) = self.stack.first()
                {
                    self.add_missing(root.id, tag.attributes);
                }
            }
            Tag::Body => {
                if let Some(body) = self.body()
                    && !self.has_open(Tag::Template)
                {
                    self.frameset_ok = false;
                    self.add_missing(body, tag.attributes);
                }
            }
            Tag::Frameset => self.given_up |= self.frameset_ok && self.body().is_some(),
            Tag::Pre | Tag::Listing => {
                self.close_p();
                self.open(tag);
                self.skip_newline = true;
                self.frameset_ok = false;
            }
            Tag::Form => self.start_form(tag),
            // All that follows is text; nobody writes that.
            Tag::Plaintext => self.given_up = true,
            Tag::Button => {
                if self.in_scope(Scope::Default, Tag::Button) {
                    self.imply_ends(Tag::Other);
                    self.pop_until(Tag::Button);
                }
                self.reconstruct();
                self.open(tag);
                self.frameset_ok = false;
            }
            Tag::Nobr => {
                self.reconstruct();
                if self.in_scope(Scope::Default, Tag::Nobr) {
                    self.adopt(Tag::Nobr.into());
                    self.reconstruct();
                }
                self.open_formatting(tag);
            }
            Tag::Applet | Tag::Marquee | Tag::Object => {
                self.reconstruct();
                self.open(tag);
                self.formatting.push(Entry::Marker);
                self.frameset_ok = false;
            }
            Tag::Table => {
                if !self.quirks {
                    self.close_p();
                }
                self.open(tag);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            Tag::Input => {
                if self.in_scope(Scope::Default, Tag::Select) {
                    self.pop_until(Tag::Select);
                }
                self.reconstruct();
                self.put(tag);
                self.frameset_ok &= self.is_hidden_input(tag);
            }
            Tag::Param | Tag::Source | Tag::Track => {
                self.put(tag);
            }
            Tag::Hr => {
                self.close_p();
                if self.in_scope(Scope::Default, Tag::Select) {
                    self.imply_ends(Tag::Other);
                }
                self.put(tag);
                self.frameset_ok = false;
            }
            Tag::Textarea => {
                self.frameset_ok = false;
                return self.whole(tag, Raw::References);
            }
            Tag::Xmp => {
                self.close_p();
                self.reconstruct();
                self.frameset_ok = false;
                return self.whole(tag, Raw::Plain);
            }
            Tag::Iframe => {
                self.frameset_ok = false;
                return self.whole(tag, Raw::Plain);
            }
            Tag::Noembed => return self.whole(tag, Raw::Plain),
            Tag::Select => {
                if self.in_scope(Scope::Default, Tag::Select) {
                    self.pop_until(Tag::Select);
                } else {
                    self.reconstruct();
                    self.open(tag);
                    self.frameset_ok = false;
                }
            }
            Tag::Option | Tag::Optgroup => {
                if self.in_scope(Scope::Default, Tag::Select) {
                    let except = if tag.name.tag == Tag::Option { Tag::Optgroup } else { Tag::Other };
                    self.imply_ends(except);
                } else if self.is_current(Tag::Option) {
                    self.stack.pop();
                }
                self.reconstruct();
                self.open(tag);
            }
            Tag::Rb | Tag::Rtc | Tag::Rp | Tag::Rt => {
                if self.in_scope(Scope::Default, Tag::Ruby) {
                    let except = if matches!(tag.name.tag, Tag::Rp | Tag::Rt) { Tag::Rtc } else { Tag::Other };
                    self.imply_ends(except);
                }
                self.open(tag);
            }
            Tag::Math | Tag::Svg => {
                self.reconstruct();
                let space = if tag.name.tag == Tag::Svg { Space::Svg } else { Space::Math };
                self.insert(tag.name, space, tag.attributes, !tag.self_closing);
            }
            Tag::Caption
            | Tag::Col
            | Tag::Colgroup
            | Tag::Frame
            | Tag::Head
            | Tag::Tbody
            | Tag::Td
            | Tag::Tfoot
            | Tag::Th
            | Tag::Thead
            | Tag::Tr => {}
            _ => {
                self.reconstruct();
                self.open(tag);
            }
        }
        Next::Done
    }

    fn put_shown(&mut self, tag: &TagToken) {
        self.reconstruct();
        self.put(tag);
        self.frameset_ok = false;
    }

    /// The body, where it is open.
    fn body(&self) -> Option<u32> {
        self.stack.get(1).filter(|open| open.is_html(Tag::Body)).map(|open| open.id)
    }

    pub(super) fn is_hidden_input(&self, tag: &TagToken) -> bool {
        let attributes = self.arena.attributes.get(tag.attributes.range()).unwrap_or_default();
        let kind = attributes.iter().find(|attribute| attribute.key == Key::Type);
        kind.is_some_and(|kind| self.words(kind.value).eq_ignore_ascii_case("hidden"))
    }

    /// An item of a list ends the one before.
    fn start_item(&mut self, tag: &TagToken) {
        self.frameset_ok = false;
        let item = tag.name.tag == Tag::Li;
        let mut closed = None;
        for open in self.stack.iter().rev().filter(|open| open.is_any_html()) {
            let ends = if item { open.name.tag == Tag::Li } else { matches!(open.name.tag, Tag::Dd | Tag::Dt) };
            if ends {
                closed = Some(open.name.tag);
                break;
            }
            if open.is(Traits::SPECIAL) && !matches!(open.name.tag, Tag::Address | Tag::Div | Tag::P) {
                break;
            }
        }
        if let Some(closed) = closed {
            self.imply_ends(closed);
            self.pop_until(closed);
        }
        self.close_p();
        self.open(tag);
    }

    fn start_form(&mut self, tag: &TagToken) {
        let in_template = self.has_open(Tag::Template);
        if self.form != NONE && !in_template {
            return;
        }
        self.close_p();
        let id = self.open(tag);
        if !in_template {
            self.form = id;
        }
    }

    fn end_in_body(&mut self, tag: &TagToken) -> Next {
        match tag.name.tag {
            Tag::Address
            | Tag::Article
            | Tag::Aside
            | Tag::Blockquote
            | Tag::Button
            | Tag::Center
            | Tag::Details
            | Tag::Dialog
            | Tag::Dir
            | Tag::Div
            | Tag::Dl
            | Tag::Fieldset
            | Tag::Figcaption
            | Tag::Figure
            | Tag::Footer
            | Tag::Header
            | Tag::Hgroup
            | Tag::Listing
            | Tag::Main
            | Tag::Menu
            | Tag::Nav
            | Tag::Ol
            | Tag::Pre
            | Tag::Search
            | Tag::Section
            | Tag::Select
            | Tag::Summary
            | Tag::Ul => {
                if self.in_scope(Scope::Default, tag.name.tag) {
                    self.imply_ends(Tag::Other);
                    self.pop_until(tag.name.tag);
                }
            }
            Tag::P => {
                if !self.in_scope(Scope::Button, Tag::P) {
                    self.imply(Tag::P);
                }
                self.close_p();
            }
            Tag::A
            | Tag::B
            | Tag::Big
            | Tag::Code
            | Tag::Em
            | Tag::Font
            | Tag::I
            | Tag::Nobr
            | Tag::S
            | Tag::Small
            | Tag::Strike
            | Tag::Strong
            | Tag::Tt
            | Tag::U => self.adopt(tag.name),
            Tag::Li | Tag::Dd | Tag::Dt => {
                let scope = if tag.name.tag == Tag::Li { Scope::ListItem } else { Scope::Default };
                if self.in_scope(scope, tag.name.tag) {
                    self.imply_ends(tag.name.tag);
                    self.pop_until(tag.name.tag);
                }
            }
            Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => {
                if self.in_scope_where(Scope::Default, |open| open.is(Traits::HEADING)) {
                    self.imply_ends(Tag::Other);
                    self.pop_until_where(|open| open.is(Traits::HEADING));
                }
            }
            Tag::Template => return self.in_head(tag),
            Tag::Body => {
                if self.in_scope(Scope::Default, Tag::Body) {
                    self.mode = Mode::AfterBody;
                }
            }
            Tag::Html => {
                if self.in_scope(Scope::Default, Tag::Body) {
                    return self.again(Mode::AfterBody);
                }
            }
            Tag::Form => self.end_form(),
            Tag::Applet | Tag::Marquee | Tag::Object => {
                if self.in_scope(Scope::Default, tag.name.tag) {
                    self.imply_ends(Tag::Other);
                    self.pop_until(tag.name.tag);
                    self.clear_to_marker();
                }
            }
            Tag::Br => self.put_shown(&TagToken { end: false, attributes: Default::default(), ..*tag }),
            _ => self.end_tag_in_body(tag.name),
        }
        Next::Done
    }

    fn end_form(&mut self) {
        if self.has_open(Tag::Template) {
            if self.in_scope(Scope::Default, Tag::Form) {
                self.imply_ends(Tag::Other);
                self.pop_until(Tag::Form);
            }
            return;
        }
        let form = std::mem::replace(&mut self.form, NONE);
        if form != NONE && self.in_scope_where(Scope::Default, |open| open.id == form) {
            self.imply_ends(Tag::Other);
            self.remove(form);
        }
    }

    /// Any other end tag: it closes the last element of its name, unless a special one is in between.
    pub(super) fn end_tag_in_body(&mut self, name: Name) {
        for place in (0..self.stack.len()).rev() {
            let open = self.stack[place];
            if open.is_any_html() && open.name == name {
                while self.stack.len() > place + 1
                    && self
                        .stack
                        .last()
                        .is_some_and(|last| last.is(Traits::IMPLIED) && !(last.is_any_html() && last.name == name))
                {
                    self.stack.pop();
                }
                self.stack.truncate(place);
                return;
            }
            if open.is(Traits::SPECIAL) {
                return;
            }
        }
    }
}
