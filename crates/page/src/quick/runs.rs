//! What stands between tags: texts, comments, and the insides of scripts and the like.

use memchr::{memchr, memchr_iter, memchr2};

use super::tokens::TagToken;
use super::{Mode, Parser, doctype};
use crate::dom::{NONE, Span};
use crate::names::{Tag, Traits};

/// What the inside of an element is when it is not markup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    /// Text with references: titles.
    References,
    /// Text as it stands: styles.
    Plain,
    Script,
}

impl<'p> Parser<'p> {
    /// Reads the text up to the next mark, and the mark.
    pub(super) fn step(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut end = start;
        let mut references = false;
        loop {
            match memchr2(b'<', b'&', &bytes[end..]) {
                None => end = bytes.len(),
                Some(found) if bytes[end + found] == b'&' => {
                    references = true;
                    end += found + 1;
                    continue;
                }
                Some(found) => {
                    end += found;
                    if !self.is_mark(end) {
                        end += 1;
                        continue;
                    }
                }
            }
            break;
        }
        self.at = end;
        if end > start {
            let span = if references { self.decode(start, end, false) } else { Span::of_text(start, end) };
            self.characters(span);
        }
        match bytes.get(end + 1) {
            None => self.at = bytes.len(),
            Some(b'!') => self.declaration(end + 2),
            Some(b'?') => self.skip_past(end + 1),
            Some(b'/') => match bytes.get(end + 2) {
                Some(b) if b.is_ascii_alphabetic() => self.read_and_process(end + 2, true),
                Some(_) => self.skip_past(end + 2),
                None => self.at = bytes.len(),
            },
            Some(_) => self.read_and_process(end + 1, false),
        }
    }

    /// Whether the `<` at a place starts a mark or is just a character.
    fn is_mark(&self, at: usize) -> bool {
        match self.text.as_bytes().get(at + 1) {
            Some(b'!' | b'?') => true,
            Some(b'/') => at + 2 < self.text.len(),
            Some(b) => b.is_ascii_alphabetic(),
            None => false,
        }
    }

    fn read_and_process(&mut self, name: usize, end: bool) {
        match self.read_tag(name, end) {
            Some(tag) => self.tag(&tag),
            // A tag the page breaks off in is none.
            None => self.at = self.text.len(),
        }
    }

    /// A byte order mark is dropped where reading starts anew.
    pub(super) fn skip_mark(&mut self) {
        if self.text[self.at..].starts_with('\u{feff}') {
            self.at += '\u{feff}'.len_utf8();
        }
    }

    /// Passes over a comment that is none, up to its `>`.
    fn skip_past(&mut self, from: usize) {
        let rest = &self.text.as_bytes()[from..];
        self.at = memchr(b'>', rest).map_or(self.text.len(), |found| from + found + 1);
    }

    /// What starts with `<!`; `at` is behind that.
    fn declaration(&mut self, at: usize) {
        let bytes = self.text.as_bytes();
        let rest = &bytes[at..];
        if rest.starts_with(b"--") {
            self.comment(at + 2);
        } else if rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.skip_past(at);
            self.doctype(at + 7);
        } else if rest.starts_with(b"[CDATA[") && self.current().is_some_and(|open| !open.is_any_html()) {
            let (start, end) = (at + 7, memchr::memmem::find(&bytes[at + 7..], b"]]>").map(|found| at + 7 + found));
            self.at = end.map_or(bytes.len(), |end| end + 3);
            self.characters(Span::of_text(start, end.unwrap_or(bytes.len())));
        } else {
            self.skip_past(at);
        }
    }

    fn comment(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let rest = &bytes[start..];
        let ends = |end: &usize| {
            let before = &rest[..*end];
            before.ends_with(b"--") || before.ends_with(b"--!") || before.is_empty() || before == b"-"
        };
        self.at = memchr_iter(b'>', rest).find(ends).map_or(bytes.len(), |end| start + end + 1);
    }

    fn doctype(&mut self, start: usize) {
        self.skip_newline = false;
        if self.mode != Mode::Initial {
            return;
        }
        let read = &self.text[start.min(self.at)..self.at];
        let inside = read.strip_suffix('>');
        self.quirks = doctype::is_old(inside.unwrap_or(read), inside.is_some());
        self.mode = Mode::BeforeHtml;
    }

    /// Inserts an element whose inside is no markup, with its inside.
    pub(super) fn raw(&mut self, tag: &TagToken, raw: Raw) {
        self.open(tag);
        let start = self.at;
        let end = self.raw_end(start, tag.name.tag.text(), raw);
        self.at = end;
        let mut span = match raw {
            Raw::References if memchr(b'&', &self.text.as_bytes()[start..end]).is_some() => {
                self.decode(start, end, false)
            }
            _ => Span::of_text(start, end),
        };
        if tag.name.tag == Tag::Textarea && self.words(span).starts_with('\n') {
            span = span.skip(1);
        }
        if !span.is_empty() {
            self.append_text(span);
        }
        if end < self.text.len() {
            // The end tag itself; one the page breaks off in is none.
            if self.read_tag(end + 2, true).is_none() {
                self.at = self.text.len();
            }
        }
        self.stack.pop();
        if raw == Raw::Script {
            self.skip_mark();
        }
    }

    /// Where the end tag of an element without markup starts, or the end of the text.
    fn raw_end(&self, from: usize, name: &str, raw: Raw) -> usize {
        #[derive(PartialEq)]
        enum State {
            Plain,
            Escaped,
            DoubleEscaped,
        }
        let bytes = self.text.as_bytes();
        let mut state = State::Plain;
        let mut at = from;
        // Whether `name` stands at a place and is over there.
        let named = |at: usize| {
            bytes.get(at..at + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
                && matches!(bytes.get(at + name.len()), Some(b' ' | b'\t' | b'\n' | b'\x0C' | b'/' | b'>'))
        };
        loop {
            let found = match state {
                State::Plain => memchr(b'<', &bytes[at..]),
                _ => memchr2(b'<', b'>', &bytes[at..]),
            };
            let Some(found) = found else { return bytes.len() };
            at += found;
            if bytes[at] == b'>' {
                // `-->` ends what a comment in a script hides; its dashes may be those of `<!--`.
                if at >= from + 2 && bytes[at - 2..at] == *b"--" {
                    state = State::Plain;
                }
                at += 1;
                continue;
            }
            let rest = &bytes[at + 1..];
            if rest.first() == Some(&b'/') && named(at + 2) {
                if state != State::DoubleEscaped {
                    return at;
                }
                state = State::Escaped;
                at += 2 + name.len();
            } else if raw == Raw::Script && state == State::Plain && rest.starts_with(b"!--") {
                state = State::Escaped;
                at += 4;
            } else if state == State::Escaped && named(at + 1) {
                state = State::DoubleEscaped;
                at += 1 + name.len();
            } else {
                at += 1;
            }
        }
    }

    /// A text, with nothing but white space or not, goes to where the mode wants it.
    pub(super) fn characters(&mut self, mut span: Span) {
        if std::mem::take(&mut self.skip_newline) && self.words(span).starts_with('\n') {
            span = span.skip(1);
        }
        while !span.is_empty() {
            if self.is_foreign_to_text() {
                self.note_text(span);
                self.append_text(span);
                return;
            }
            match self.mode {
                Mode::InBody | Mode::InCell | Mode::InCaption | Mode::InTemplate => {
                    self.text_in_body(span);
                    return;
                }
                Mode::InTable | Mode::InTableBody | Mode::InRow => {
                    if self.current().is_some_and(|open| open.is(Traits::FOSTERING)) {
                        self.pending.push(span);
                    } else {
                        self.foster(|parser| parser.text_in_body(span));
                    }
                    return;
                }
                _ => {}
            }
            let space = self.leading_space(span);
            let (white, rest) = (span.take(space), span.skip(space));
            match self.mode {
                Mode::InHead | Mode::InHeadNoscript | Mode::AfterHead | Mode::InColumnGroup if space > 0 => {
                    self.append_text(white);
                }
                Mode::AfterBody | Mode::AfterAfterBody if space > 0 => self.text_in_body(white),
                _ => {}
            }
            span = rest;
            if !span.is_empty() && self.text_moves_on() {
                // In a template for columns what is not white space has no place.
                let words = self.words(span);
                let end = words.bytes().position(|b| b.is_ascii_whitespace()).unwrap_or(words.len());
                span = span.skip(end);
            }
        }
    }

    /// What a text that is not white space does in a mode before or after the body: true when
    /// it is dropped.
    fn text_moves_on(&mut self) -> bool {
        match self.mode {
            Mode::Initial => {
                self.quirks = true;
                self.mode = Mode::BeforeHtml;
            }
            Mode::InColumnGroup if !self.is_current(Tag::Colgroup) => return true,
            Mode::InColumnGroup => {
                self.stack.pop();
                self.mode = Mode::InTable;
            }
            Mode::AfterBody | Mode::AfterAfterBody => self.mode = Mode::InBody,
            _ => self.move_towards_body(),
        }
        false
    }

    /// From a mode before the body one step on, with the elements that implies.
    pub(super) fn move_towards_body(&mut self) {
        match self.mode {
            Mode::Initial => {
                self.quirks = true;
                self.mode = Mode::BeforeHtml;
            }
            Mode::BeforeHtml => {
                self.create_root(Default::default());
                self.mode = Mode::BeforeHead;
            }
            Mode::BeforeHead => {
                self.head = self.imply(Tag::Head);
                self.mode = Mode::InHead;
            }
            Mode::InHeadNoscript => {
                self.stack.pop();
                self.mode = Mode::InHead;
            }
            Mode::InHead => {
                self.stack.pop();
                self.mode = Mode::AfterHead;
            }
            _ => {
                self.imply(Tag::Body);
                self.mode = Mode::InBody;
            }
        }
    }

    fn leading_space(&self, span: Span) -> usize {
        let words = self.words(span);
        words.bytes().position(|b| !b.is_ascii_whitespace()).unwrap_or(words.len())
    }

    /// A page that shows text has no frames.
    fn note_text(&mut self, span: Span) {
        if self.frameset_ok && self.leading_space(span) < span.len() {
            self.frameset_ok = false;
        }
    }

    fn text_in_body(&mut self, span: Span) {
        self.reconstruct();
        self.note_text(span);
        self.append_text(span);
    }

    /// Does something with what does not belong into a table going before it.
    pub(super) fn foster<T>(&mut self, what: impl FnOnce(&mut Self) -> T) -> T {
        self.fostering = true;
        let result = what(self);
        self.fostering = false;
        result
    }

    /// Puts the texts met in a table into it if they are white space, else before it.
    pub(super) fn flush_table_text(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.pending);
        let white = pending.iter().all(|span| self.leading_space(*span) == span.len());
        for span in pending {
            if white {
                self.append_text(span);
            } else {
                self.foster(|parser| parser.text_in_body(span));
            }
        }
    }

    /// The end of the page.
    pub(super) fn end(&mut self) {
        self.flush_table_text();
        loop {
            let in_template = match self.mode {
                Mode::AfterBody | Mode::AfterAfterBody => false,
                Mode::InTemplate => true,
                Mode::InBody
                | Mode::InTable
                | Mode::InCaption
                | Mode::InColumnGroup
                | Mode::InTableBody
                | Mode::InRow
                | Mode::InCell => !self.template_modes.is_empty(),
                _ => {
                    self.move_towards_body();
                    continue;
                }
            };
            if !in_template || !self.has_open(Tag::Template) {
                return;
            }
            self.pop_until(Tag::Template);
            self.clear_to_marker();
            self.template_modes.pop();
            self.reset_mode();
        }
    }

    pub(super) fn create_root(&mut self, attributes: crate::dom::Attributes) {
        use super::stack::Open;
        use crate::dom::{DOCUMENT, Space};
        let id = self.arena.create(Tag::Html.into(), Space::Html, attributes);
        self.arena.attach(DOCUMENT, id, NONE);
        self.stack.push(Open::new(id, Tag::Html.into(), Space::Html));
    }
}
