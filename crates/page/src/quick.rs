//! A quick parser: from text to tree in one pass, by the rules of the HTML standard.
//!
//! The standard's tokeniser looks at each character; this one jumps from one mark to the next, copies
//! nothing that it can point to, and asks the rules of tree construction only about tags and whole
//! texts. Where a page does what is rare and long to say (frames, null characters, a limit that is
//! hit), it gives up and the page is read by html5ever from the start; `judge` compares the two.
//!
//! [`tokens`] finds tags, [`runs`] finds texts and comments, [`references`] decodes `&amp;`,
//! [`doctype`] tells old pages from new; [`stack`] and [`formatting`] keep the open elements, and
//! [`head`], [`body`], [`table`] and [`foreign`] are the rules.

mod body;
mod doctype;
mod foreign;
mod formatting;
mod head;
mod references;
mod runs;
mod stack;
mod table;
mod tokens;

use std::borrow::Cow;
use std::collections::HashMap;

use self::formatting::Entry;
use self::stack::Open;
use self::tokens::TagToken;
use crate::dom::{Arena, Attributes, Dom, LONGEST, NONE, Name, Space, Span, slice};
use crate::formatting::{LONGEST as LONGEST_LIST, Leaks};
use crate::names::Tag;

/// Parses a document; nothing where html5ever has to do it.
pub(crate) fn parse(text: &str, depth: usize, nodes: usize) -> Option<Dom<'_>> {
    if text.len() > LONGEST || memchr::memchr(0, text.as_bytes()).is_some() {
        return None;
    }
    let text = unix_lines(text);
    let parser = Parser::new(&text, depth, nodes);
    let arena = parser.run()?;
    Some(Dom { text, arena })
}

/// Line ends as the standard wants them.
fn unix_lines(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let Some(first) = memchr::memchr(b'\r', bytes) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut from = first;
    for at in memchr::memchr_iter(b'\r', bytes) {
        out.push_str(&text[from..at]);
        from = at + 1;
        if bytes.get(from) != Some(&b'\n') {
            out.push('\n');
        }
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// The insertion modes of the standard, but for those of frames; texts of tables and of scripts are
/// dealt with where they are met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    AfterAfterBody,
}

/// What is to be done with a tag that some rule has looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Done,
    /// Look at it again, in the mode that is set now.
    Again,
}

struct Parser<'p> {
    text: &'p str,
    /// Where in the text we are.
    at: usize,
    arena: Arena,
    /// Limits on depth and number of nodes.
    depth: u32,
    nodes: usize,
    /// Numbers of names that are not among the known ones.
    others: HashMap<Box<str>, u16>,
    mode: Mode,
    stack: Vec<Open>,
    formatting: Vec<Entry>,
    leaks: Leaks,
    template_modes: Vec<Mode>,
    head: u32,
    form: u32,
    /// Texts inside a table that wait to be known as white space or not.
    pending: Vec<Span>,
    quirks: bool,
    frameset_ok: bool,
    fostering: bool,
    skip_newline: bool,
    given_up: bool,
}

impl<'p> Parser<'p> {
    fn new(text: &'p str, depth: usize, nodes: usize) -> Self {
        Self {
            text,
            at: 0,
            arena: Arena::new(text.len(), nodes),
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            nodes,
            others: HashMap::new(),
            mode: Mode::Initial,
            stack: Vec::with_capacity(32),
            formatting: Vec::new(),
            leaks: Leaks::default(),
            template_modes: Vec::new(),
            head: NONE,
            form: NONE,
            pending: Vec::new(),
            quirks: false,
            frameset_ok: true,
            fostering: false,
            skip_newline: false,
            given_up: false,
        }
    }

    fn run(mut self) -> Option<Arena> {
        self.skip_mark();
        while self.at < self.text.len() {
            self.step();
            if self.given_up || self.is_over() {
                return None;
            }
        }
        self.end();
        (!self.is_over() && !self.given_up).then_some(self.arena)
    }

    /// Whether a limit was hit, or might have been by html5ever.
    fn is_over(&self) -> bool {
        self.arena.nodes.len() >= self.nodes
            || self.arena.deepest >= self.depth
            || self.stack.len() > 2 * self.depth as usize
            || self.formatting.len() > LONGEST_LIST
            || self.leaks.are_too_many()
            || self.arena.moved > 4 * self.text.len() + (1 << 16)
            || self.arena.side.len() > LONGEST
    }

    /// A tag goes through the rules until one of them has dealt with it.
    fn tag(&mut self, tag: &TagToken) {
        self.skip_newline = false;
        self.leaks.tag(tag.name.tag, tag.end);
        self.flush_table_text();
        // Each turn leaves an element or a mode for good; the bound is for mistakes in the rules.
        for _ in 0..1000 {
            let next = if self.is_foreign_to(tag) { self.in_foreign(tag) } else { self.by_mode(self.mode, tag) };
            if next == Next::Done {
                return;
            }
        }
        self.given_up = true;
    }

    fn by_mode(&mut self, mode: Mode, tag: &TagToken) -> Next {
        match mode {
            Mode::Initial => {
                self.quirks = true;
                self.again(Mode::BeforeHtml)
            }
            Mode::BeforeHtml => self.before_html(tag),
            Mode::BeforeHead => self.before_head(tag),
            Mode::InHead => self.in_head(tag),
            Mode::InHeadNoscript => self.in_head_noscript(tag),
            Mode::AfterHead => self.after_head(tag),
            Mode::InBody => self.in_body(tag),
            Mode::InTable => self.in_table(tag),
            Mode::InCaption => self.in_caption(tag),
            Mode::InColumnGroup => self.in_column_group(tag),
            Mode::InTableBody => self.in_table_body(tag),
            Mode::InRow => self.in_row(tag),
            Mode::InCell => self.in_cell(tag),
            Mode::InTemplate => self.in_template(tag),
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body(tag),
        }
    }

    fn again(&mut self, mode: Mode) -> Next {
        self.mode = mode;
        Next::Again
    }

    fn go(&mut self, mode: Mode) -> Next {
        self.mode = mode;
        Next::Done
    }

    /// Inserts the element of a start tag and opens it.
    fn open(&mut self, tag: &TagToken) -> u32 {
        self.insert(tag.name, Space::Html, tag.attributes, true)
    }

    /// Inserts the element of a start tag that has no inside.
    fn put(&mut self, tag: &TagToken) -> u32 {
        self.insert(tag.name, Space::Html, tag.attributes, false)
    }

    /// Inserts and opens an element the page left out.
    fn imply(&mut self, tag: Tag) -> u32 {
        self.insert(tag.into(), Space::Html, Attributes::default(), true)
    }

    fn insert(&mut self, name: Name, space: Space, attributes: Attributes, open: bool) -> u32 {
        let (parent, next) = self.place(self.current());
        let id = self.arena.create(name, space, attributes);
        self.arena.attach(parent, id, next);
        if open {
            self.stack.push(Open::new(id, name, space));
        }
        id
    }

    /// Inserts a text where the current node wants it.
    fn append_text(&mut self, span: Span) {
        let (parent, next) = self.place(self.current());
        self.arena.insert_text(self.text, parent, span, next);
    }

    /// The appropriate place for inserting a node into `target`: under which node, before which.
    fn place(&mut self, target: Option<Open>) -> (u32, u32) {
        use crate::dom::DOCUMENT;
        let Some(target) = target else { return (DOCUMENT, NONE) };
        if !(self.fostering && target.is_fostering()) {
            return if target.is_html(Tag::Template) {
                (self.arena.template_contents(target.id), NONE)
            } else {
                (target.id, NONE)
            };
        }
        for i in (0..self.stack.len()).rev() {
            let open = self.stack[i];
            if open.is_html(Tag::Template) {
                return (self.arena.template_contents(open.id), NONE);
            }
            if open.is_html(Tag::Table) {
                let parent = self.arena.parent(open.id);
                return match parent {
                    NONE => (self.stack[i.saturating_sub(1)].id, NONE),
                    _ => (parent, open.id),
                };
            }
        }
        (self.stack.first().map_or(DOCUMENT, |root| root.id), NONE)
    }

    fn words(&self, span: Span) -> &str {
        slice(self.text, &self.arena.side, span)
    }

    /// Attributes a second `<html>` or `<body>` adds to the first.
    fn add_missing(&mut self, id: u32, more: Attributes) {
        use crate::dom::Content;
        let Content::Element { attributes, .. } = self.arena.nodes[id as usize].content else { return };
        let mut list: Vec<_> = self.arena.attributes.get(attributes.range()).unwrap_or_default().to_vec();
        let known = list.len();
        for attribute in self.arena.attributes.get(more.range()).unwrap_or_default() {
            if list.len() < crate::guard::ATTRIBUTES && !list.iter().any(|old| self.same_name(old, attribute)) {
                list.push(*attribute);
            }
        }
        if list.len() > known {
            let place = Attributes { start: self.arena.attributes.len() as u32, len: list.len() as u32 };
            self.arena.attributes.append(&mut list);
            if let Content::Element { attributes, .. } = &mut self.arena.nodes[id as usize].content {
                *attributes = place;
            }
        }
    }
}
