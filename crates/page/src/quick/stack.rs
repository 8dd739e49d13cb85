//! The stack of open elements.

use super::{Mode, Parser};
use crate::dom::{NONE, Name, Space};
use crate::names::{Tag, Traits};

/// An open element.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) id: u32,
    pub(super) name: Name,
    pub(super) space: Space,
    traits: Traits,
}

impl Open {
    pub(super) fn new(id: u32, name: Name, space: Space) -> Self {
        let traits = match (space, name.tag) {
            (Space::Html, tag) => tag.traits(),
            (Space::Math, Tag::Mi | Tag::Mo | Tag::Mn | Tag::Ms | Tag::Mtext)
            | (Space::Svg, Tag::ForeignObject | Tag::Desc | Tag::Title) => Traits::SCOPE,
            _ => Traits::NONE,
        };
        Self { id, name, space, traits }
    }

    /// Whether it is the HTML element of this name.
    pub(super) fn is_html(&self, tag: Tag) -> bool {
        self.name.tag == tag && self.space == Space::Html
    }

    pub(super) fn is_any_html(&self) -> bool {
        self.space == Space::Html
    }

    pub(super) fn is(&self, trait_: Traits) -> bool {
        self.traits.has(trait_)
    }

    pub(super) fn is_fostering(&self) -> bool {
        self.is(Traits::FOSTERING)
    }
}

/// How far up the stack a rule looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Default,
    ListItem,
    Button,
    Table,
}

impl Scope {
    fn ends_at(self, open: &Open) -> bool {
        match self {
            Self::Table => open.is(Traits::TABLE_SCOPE),
            _ if open.is(Traits::SCOPE) => true,
            Self::ListItem => open.is_html(Tag::Ol) || open.is_html(Tag::Ul),
            Self::Button => open.is_html(Tag::Button),
            Self::Default => false,
        }
    }
}

impl Parser<'_> {
    pub(super) fn current(&self) -> Option<Open> {
        self.stack.last().copied()
    }

    pub(super) fn is_current(&self, tag: Tag) -> bool {
        self.stack.last().is_some_and(|open| open.is_html(tag))
    }

    pub(super) fn in_scope_where(&self, scope: Scope, wanted: impl Fn(&Open) -> bool) -> bool {
        for open in self.stack.iter().rev() {
            if wanted(open) {
                return true;
            }
            if scope.ends_at(open) {
                return false;
            }
        }
        false
    }

    pub(super) fn in_scope(&self, scope: Scope, tag: Tag) -> bool {
        self.in_scope_where(scope, |open| open.is_html(tag))
    }

    pub(super) fn has_open(&self, tag: Tag) -> bool {
        self.stack.iter().any(|open| open.is_html(tag))
    }

    /// Closes elements whose end tags may be left out, but for one kind.
    pub(super) fn imply_ends(&mut self, except: Tag) {
        while self.stack.last().is_some_and(|open| open.is(Traits::IMPLIED) && !open.is_html(except)) {
            self.stack.pop();
        }
    }

    pub(super) fn imply_all_ends(&mut self) {
        while self.stack.last().is_some_and(|open| open.is(Traits::THOROUGH)) {
            self.stack.pop();
        }
    }

    /// Closes elements up to and with the first that is wanted.
    pub(super) fn pop_until_where(&mut self, wanted: impl Fn(&Open) -> bool) {
        while let Some(open) = self.stack.pop() {
            if wanted(&open) {
                return;
            }
        }
    }

    pub(super) fn pop_until(&mut self, tag: Tag) {
        self.pop_until_where(|open| open.is_html(tag));
    }

    /// Closes elements up to one of a context, which stays open.
    pub(super) fn pop_to(&mut self, context: Traits) {
        while self.stack.last().is_some_and(|open| !open.is(context)) {
            self.stack.pop();
        }
    }

    pub(super) fn remove(&mut self, id: u32) {
        if let Some(place) = self.stack.iter().rposition(|open| open.id == id) {
            self.stack.remove(place);
        }
    }

    pub(super) fn close_p(&mut self) {
        if self.in_scope(Scope::Button, Tag::P) {
            self.imply_ends(Tag::P);
            self.pop_until(Tag::P);
        }
    }

    /// The mode that fits the open elements.
    pub(super) fn reset_mode(&mut self) {
        self.mode = self.fitting_mode();
    }

    fn fitting_mode(&self) -> Mode {
        for (i, open) in self.stack.iter().enumerate().rev() {
            if !open.is_any_html() {
                continue;
            }
            return match open.name.tag {
                Tag::Td | Tag::Th if i > 0 => Mode::InCell,
                Tag::Tr => Mode::InRow,
                Tag::Tbody | Tag::Thead | Tag::Tfoot => Mode::InTableBody,
                Tag::Caption => Mode::InCaption,
                Tag::Colgroup => Mode::InColumnGroup,
                Tag::Table => Mode::InTable,
                Tag::Template => self.template_modes.last().copied().unwrap_or(Mode::InBody),
                Tag::Head if i > 0 => Mode::InHead,
                Tag::Body => Mode::InBody,
                Tag::Html if self.head == NONE => Mode::BeforeHead,
                Tag::Html => Mode::AfterHead,
                _ => continue,
            };
        }
        Mode::InBody
    }
}
