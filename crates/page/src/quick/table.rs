//! The rules inside tables.

use super::formatting::Entry;
use super::stack::Scope;
use super::tokens::TagToken;
use super::{Mode, Next, Parser};
use crate::dom::NONE;
use crate::names::{Tag, Traits};

impl Parser<'_> {
    pub(super) fn in_table(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Caption) => {
                self.pop_to(Traits::TABLE_SCOPE);
                self.formatting.push(Entry::Marker);
                self.open(tag);
                self.go(Mode::InCaption)
            }
            (false, Tag::Colgroup) => {
                self.pop_to(Traits::TABLE_SCOPE);
                self.open(tag);
                self.go(Mode::InColumnGroup)
            }
            (false, Tag::Col) => {
                self.pop_to(Traits::TABLE_SCOPE);
                self.imply(Tag::Colgroup);
                self.again(Mode::InColumnGroup)
            }
            (false, Tag::Tbody | Tag::Tfoot | Tag::Thead) => {
                self.pop_to(Traits::TABLE_SCOPE);
                self.open(tag);
                self.go(Mode::InTableBody)
            }
            (false, Tag::Td | Tag::Th | Tag::Tr) => {
                self.pop_to(Traits::TABLE_SCOPE);
                self.imply(Tag::Tbody);
                self.again(Mode::InTableBody)
            }
            (end, Tag::Table) => {
                if !self.in_scope(Scope::Table, Tag::Table) {
                    return Next::Done;
                }
                self.pop_until(Tag::Table);
                self.reset_mode();
                if end { Next::Done } else { Next::Again }
            }
            (
                true,
                Tag::Body
                | Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Html
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr,
            ) => Next::Done,
            (false, Tag::Style | Tag::Script) | (_, Tag::Template) => self.in_head(tag),
            (false, Tag::Input) if self.is_hidden_input(tag) => {
                self.put(tag);
                Next::Done
            }
            (false, Tag::Form) => {
                if self.form == NONE && !self.has_open(Tag::Template) {
                    self.form = self.put(tag);
                }
                Next::Done
            }
            _ => self.foster(|parser| parser.in_body(tag)),
        }
    }

    pub(super) fn in_caption(&mut self, tag: &TagToken) -> Next {
        let ends = match (tag.end, tag.name.tag) {
            (
                false,
                Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr,
            )
            | (true, Tag::Table) => Next::Again,
            (true, Tag::Caption) => Next::Done,
            (
                true,
                Tag::Body
                | Tag::Col
                | Tag::Colgroup
                | Tag::Html
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr,
            ) => return Next::Done,
            _ => return self.in_body(tag),
        };
        if !self.in_scope(Scope::Table, Tag::Caption) {
            return Next::Done;
        }
        self.imply_ends(Tag::Other);
        self.pop_until(Tag::Caption);
        self.clear_to_marker();
        self.mode = Mode::InTable;
        ends
    }

    pub(super) fn in_column_group(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Html) => self.in_body(tag),
            (false, Tag::Col) => {
                self.put(tag);
                Next::Done
            }
            (true, Tag::Col) => Next::Done,
            (_, Tag::Template) => self.in_head(tag),
            (end, name) => {
                if !self.is_current(Tag::Colgroup) {
                    return Next::Done;
                }
                self.stack.pop();
                self.mode = Mode::InTable;
                if end && name == Tag::Colgroup { Next::Done } else { Next::Again }
            }
        }
    }

    pub(super) fn in_table_body(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Tr) => {
                self.pop_to(Traits::BODY_CONTEXT);
                self.open(tag);
                self.go(Mode::InRow)
            }
            (false, Tag::Th | Tag::Td) => {
                self.pop_to(Traits::BODY_CONTEXT);
                self.imply(Tag::Tr);
                self.again(Mode::InRow)
            }
            (true, Tag::Tbody | Tag::Tfoot | Tag::Thead) => {
                if self.in_scope(Scope::Table, tag.name.tag) {
                    self.pop_to(Traits::BODY_CONTEXT);
                    self.stack.pop();
                    self.mode = Mode::InTable;
                }
                Next::Done
            }
            (false, Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead)
            | (true, Tag::Table) => {
                let inside = |tag| matches!(tag, Tag::Table | Tag::Tbody | Tag::Tfoot);
                if !self.in_scope_where(Scope::Table, |open| open.is_any_html() && inside(open.name.tag)) {
                    return Next::Done;
                }
                self.pop_to(Traits::BODY_CONTEXT);
                self.stack.pop();
                self.again(Mode::InTable)
            }
            (true, Tag::Body | Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Html | Tag::Td | Tag::Th | Tag::Tr) => {
                Next::Done
            }
            _ => self.in_table(tag),
        }
    }

    fn close_row(&mut self) {
        self.pop_to(Traits::ROW_CONTEXT);
        // html5ever insists on a row here.
        self.given_up |= !self.is_current(Tag::Tr);
        self.stack.pop();
    }

    pub(super) fn in_row(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (false, Tag::Th | Tag::Td) => {
                self.pop_to(Traits::ROW_CONTEXT);
                self.open(tag);
                self.formatting.push(Entry::Marker);
                self.go(Mode::InCell)
            }
            (true, Tag::Tr) => {
                if self.in_scope(Scope::Table, Tag::Tr) {
                    self.close_row();
                    self.mode = Mode::InTableBody;
                }
                Next::Done
            }
            (false, Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Tbody | Tag::Tfoot | Tag::Thead | Tag::Tr)
            | (true, Tag::Table) => {
                if !self.in_scope(Scope::Table, Tag::Tr) {
                    return Next::Done;
                }
                self.close_row();
                self.again(Mode::InTableBody)
            }
            (true, Tag::Tbody | Tag::Tfoot | Tag::Thead) => {
                if !self.in_scope(Scope::Table, tag.name.tag) || !self.in_scope(Scope::Table, Tag::Tr) {
                    return Next::Done;
                }
                self.close_row();
                self.again(Mode::InTableBody)
            }
            (true, Tag::Body | Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Html | Tag::Td | Tag::Th) => Next::Done,
            _ => self.in_table(tag),
        }
    }

    pub(super) fn in_cell(&mut self, tag: &TagToken) -> Next {
        match (tag.end, tag.name.tag) {
            (true, Tag::Td | Tag::Th) => {
                if self.in_scope(Scope::Table, tag.name.tag) {
                    self.imply_ends(Tag::Other);
                    self.pop_until(tag.name.tag);
                    self.clear_to_marker();
                    self.mode = Mode::InRow;
                }
                Next::Done
            }
            (
                false,
                Tag::Caption
                | Tag::Col
                | Tag::Colgroup
                | Tag::Tbody
                | Tag::Td
                | Tag::Tfoot
                | Tag::Th
                | Tag::Thead
                | Tag::Tr,
            ) => {
                let cell = self.in_scope(Scope::Table, Tag::Td) || self.in_scope(Scope::Table, Tag::Th);
                self.end_cell_if(cell)
            }
            (true, Tag::Table | Tag::Tbody | Tag::Tfoot | Tag::Thead | Tag::Tr) => {
                self.end_cell_if(self.in_scope(Scope::Table, tag.name.tag))
            }
            (true, Tag::Body | Tag::Caption | Tag::Col | Tag::Colgroup | Tag::Html) => Next::Done,
            _ => self.in_body(tag),
        }
    }

    fn end_cell_if(&mut self, ends: bool) -> Next {
        if !ends {
            return Next::Done;
        }
        self.imply_ends(Tag::Other);
        self.pop_until_where(|open| open.is_html(Tag::Td) || open.is_html(Tag::Th));
        self.clear_to_marker();
        self.again(Mode::InRow)
    }
}
