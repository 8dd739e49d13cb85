//! The rules before and after the body, and for what a head may hold.

use super::formatting::Entry;
use super::runs::Raw;
use super::stack::Open;
use super::tokens::TagToken;
use super::{Mode, Next, Parser};
use crate::dom::Space;
use crate::names::{Key, Tag};

impl Parser<'_> {
    /// One step towards the body, for a tag that belongs there.
    fn on(&mut self) -> Next {
        self.move_towards_body();
        Next::Again
    }

    pub(super) fn before_html(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Html) => {
                self.create_root(tag.attributes);
                self.go(Mode::BeforeHead)
            }
            (false, _) | (true, Tag::Head | Tag::Body | Tag::Html | Tag::Br) => self.on(),
            _ => Next::Done,
        }
    }

    pub(super) fn before_head(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Html) => self.in_body(tag),
            (false, Tag::Head) => {
                self.head = self.open(tag);
                self.go(Mode::InHead)
            }
            (false, _) | (true, Tag::Head | Tag::Body | Tag::Html | Tag::Br) => self.on(),
            _ => Next::Done,
        }
    }

    pub(super) fn in_head(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Html) => self.in_body(tag),
            (false, Tag::Base | Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta) => {
                self.put(tag);
                if tag.name.tag == Tag::Meta && self.has_attribute(tag, Key::Charset) {
                    self.skip_mark();
                }
                Next::Done
            }
            (false, Tag::Title) => self.whole(tag, Raw::References),
            (false, Tag::Noframes | Tag::Style) => self.whole(tag, Raw::Plain),
            (false, Tag::Noscript) => {
                self.open(tag);
                self.go(Mode::InHeadNoscript)
            }
            (false, Tag::Script) => self.whole(tag, Raw::Script),
            (false, Tag::Template) => {
                self.formatting.push(Entry::Marker);
                self.frameset_ok = false;
                self.template_modes.push(Mode::InTemplate);
                self.open(tag);
                self.go(Mode::InTemplate)
            }
            (true, Tag::Template) => {
                if self.has_open(Tag::Template) {
                    self.imply_all_ends();
                    self.pop_until(Tag::Template);
                    self.clear_to_marker();
                    self.template_modes.pop();
                    self.reset_mode();
                }
                Next::Done
            }
            (true, Tag::Head) => {
                self.stack.pop();
                self.go(Mode::AfterHead)
            }
            (false, Tag::Head) => Next::Done,
            (false, _) | (true, Tag::Body | Tag::Html | Tag::Br) => {
                self.stack.pop();
                self.again(Mode::AfterHead)
            }
            _ => Next::Done,
        }
    }

    /// An element whose inside is no markup.
    pub(super) fn whole(&mut self, tag: &TagToken, raw: Raw) -> Next {
        self.raw(tag, raw);
        Next::Done
    }

    pub(super) fn has_attribute(&self, tag: &TagToken, key: Key) -> bool {
        self.arena.attributes.get(tag.attributes.range()).unwrap_or_default().iter().any(|a| a.key == key)
    }

    pub(super) fn in_head_noscript(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Html) => self.in_body(tag),
            (true, Tag::Noscript) => {
                self.stack.pop();
                self.go(Mode::InHead)
            }
            (false, Tag::Basefont | Tag::Bgsound | Tag::Link | Tag::Meta | Tag::Noframes | Tag::Style) => {
                self.in_head(tag)
            }
            (false, Tag::Head | Tag::Noscript) => Next::Done,
            (false, _) | (true, Tag::Br) => self.on(),
            _ => Next::Done,
        }
    }

    pub(super) fn after_head(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Html) => self.in_body(tag),
            (false, Tag::Body) => {
                self.open(tag);
                self.frameset_ok = false;
                self.go(Mode::InBody)
            }
            (false, Tag::Frameset) => {
                self.given_up = true;
                Next::Done
            }
            (
                false,
                Tag::Base
                | Tag::Basefont
                | Tag::Bgsound
                | Tag::Link
                | Tag::Meta
                | Tag::Noframes
                | Tag::Script
                | Tag::Style
                | Tag::Template
                | Tag::Title,
            ) => {
                let head = self.head;
                self.stack.push(Open::new(head, Tag::Head.into(), Space::Html));
                let next = self.in_head(tag);
                self.remove(head);
                next
            }
            (true, Tag::Template) => self.in_head(tag),
            (false, Tag::Head) => Next::Done,
            (false, _) | (true, Tag::Body | Tag::Html | Tag::Br) => self.on(),
            _ => Next::Done,
        }
    }

    pub(super) fn after_body(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Html) => self.in_body(tag),
            (true, Tag::Html) if self.mode == Mode::AfterBody => self.go(Mode::AfterAfterBody),
            _ => self.again(Mode::InBody),
        }
    }

    pub(super) fn in_template(&mut self, tag: &TagToken) -> Next {
        let mode = match (tag.end, tag.name.tag) {
            (
                false,
                Tag::Base
                | Tag::Basefont
                | Tag::Bgsound
                | Tag::Link
                | Tag::Meta
                | Tag::Noframes
                | Tag::Script
                | Tag::Style
                | Tag::Template
                | Tag::Title,
            )
            | (true, Tag::Template) => return self.in_head(tag),
            (true, _) => return Next::Done,
            (_, Tag::Caption | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead) => Mode::InTable,
            (_, Tag::Col) => Mode::InColumnGroup,
            (_, Tag::Tr) => Mode::InTableBody,
            (_, Tag::Td | Tag::Th) => Mode::InRow,
            _ => Mode::InBody,
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        self.again(mode)
    }
}
