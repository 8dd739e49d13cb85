//! Parsing with bounds: no page, however made, costs more than its length deserves.
//!
//! html5ever follows the standard, and the standard lets a page of a few hundred kilobytes ask for
//! hours: checks walk the stack of open elements, so time grows with depth × length; formatting
//! elements are opened again and again, and looked for in a list without end; each attribute is
//! compared with all before it. A [`Guard`] between tokeniser and tree builder bounds depth, nodes
//! and that list, and [`tame`] the attributes.

use std::borrow::Cow;
use std::cell::Cell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::{NoQuirks, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{Tracer, TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult, local_name};

use crate::dom::{Dom, LONGEST};
use crate::formatting::{LONGEST as LONGEST_LIST, Leaks};
use crate::names::Tag;
use crate::planter::{Handle, Planter};
use crate::quick;
use crate::text::clip;

/// More attributes on one tag than this are dropped.
pub(crate) const ATTRIBUTES: usize = 256;

/// Parses a document. The flag says whether a limit was hit.
pub(crate) fn parse(text: &str, depth: usize, nodes: usize) -> (Dom<'_>, bool) {
    match quick::parse(text, depth, nodes) {
        Some(dom) => (dom, false),
        None => by_the_standard(text, depth, nodes),
    }
}

/// Parses a document with html5ever.
pub(crate) fn by_the_standard(text: &str, depth: usize, nodes: usize) -> (Dom<'static>, bool) {
    let short = clip(text, LONGEST);
    let cut = short.len() < text.len();
    let tamed = tame(short);
    let (dom, hit) = untamed(&tamed, depth, nodes);
    (dom, hit || cut || matches!(tamed, Cow::Owned(_)))
}

/// The same without looking at the number of attributes before.
pub(crate) fn untamed(text: &str, depth: usize, nodes: usize) -> (Dom<'static>, bool) {
    let options = TreeBuilderOpts {
        // Without scripts the inside of <noscript> is elements, not text: lazy images live there.
        scripting_enabled: false,
        drop_doctype: true,
        quirks_mode: NoQuirks,
        ..TreeBuilderOpts::default()
    };
    let planter = Planter::new(text.len(), nodes);
    let guard = Guard {
        builder: TreeBuilder::new(planter, options),
        depth: u32::try_from(depth).unwrap_or(u32::MAX),
        nodes,
        swallowed: Cell::new(0),
        hit: Cell::new(false),
        leaks: Cell::default(),
        listed: Listed::default(),
    };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(text));
    // It pauses after each script and charset declaration; neither changes anything here.
    while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    tokenizer.end();
    let guard = tokenizer.sink;
    (guard.builder.sink.finish(), guard.hit.get())
}

struct Guard {
    builder: TreeBuilder<Handle, Planter>,
    depth: u32,
    nodes: usize,
    /// Start tags left out for depth whose end tags are still to come.
    swallowed: Cell<u32>,
    hit: Cell<bool>,
    leaks: Cell<Leaks>,
    listed: Listed,
}

/// How many formatting elements the tree builder has listed. It tells those along with the open ones.
#[derive(Default)]
struct Listed {
    counted: Cell<usize>,
    /// Tags since they were counted.
    since: Cell<usize>,
}

/// Counting costs as much as the list is long: it is done only so often.
const COUNT_EVERY: usize = 1_024;

impl Tracer for Listed {
    type Handle = Handle;

    fn trace_handle(&self, _: &Handle) {
        self.counted.set(self.counted.get() + 1);
    }
}

impl Guard {
    fn admits(&self, token: &Token) -> bool {
        match token {
            Token::ParseError(_) | Token::CommentToken(_) => false,
            Token::EOFToken => true,
            _ if self.builder.sink.len() >= self.nodes || self.lists_too_much() => {
                self.hit.set(true);
                false
            }
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => {
                let swallowed = self.swallowed.get();
                let ours = swallowed > 0 && !closes_itself(&tag.name);
                self.swallowed.set(swallowed - u32::from(ours));
                !ours
            }
            Token::TagToken(tag) if self.builder.sink.depth() >= self.depth && !stays_flat(&tag.name) => {
                self.hit.set(true);
                if !closes_itself(&tag.name) {
                    self.swallowed.set(self.swallowed.get().saturating_add(1));
                }
                false
            }
            _ => true,
        }
    }

    /// Never for a page that the quick parser reads: it has at most this many listed, and open, and the
    /// builder tells three more, of document, head and form.
    fn lists_too_much(&self) -> bool {
        self.leaks.get().are_too_many() || self.listed.counted.get() > LONGEST_LIST + 2 * self.depth as usize + 3
    }

    /// Takes note of a tag that goes to the tree builder.
    fn note(&self, tag: &html5ever::tokenizer::Tag) {
        let mut leaks = self.leaks.get();
        leaks.tag(Tag::of(tag.name.as_bytes()), tag.kind == TagKind::EndTag);
        self.leaks.set(leaks);
        if tag.kind == TagKind::StartTag {
            self.listed.since.set(self.listed.since.get() + 1);
        }
        if self.listed.since.get() >= COUNT_EVERY {
            self.listed.since.set(0);
            self.listed.counted.set(0);
            self.builder.trace_handles(&self.listed);
        }
    }
}

impl TokenSink for Guard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if !self.admits(&token) {
            return TokenSinkResult::Continue;
        }
        if let Token::TagToken(tag) = &token {
            self.note(tag);
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Elements that never have elements inside: void ones, and those whose inside is plain text, which
/// the tree builder must see so that the tokeniser reads it as such.
fn stays_flat(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("iframe")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("param")
            | local_name!("script")
            | local_name!("source")
            | local_name!("style")
            | local_name!("textarea")
            | local_name!("title")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("xmp")
    )
}

/// Elements whose end tag people leave out; waiting for it would swallow somebody else's.
fn closes_itself(name: &LocalName) -> bool {
    stays_flat(name)
        || matches!(
            *name,
            local_name!("p")
                | local_name!("li")
                | local_name!("dt")
                | local_name!("dd")
                | local_name!("td")
                | local_name!("th")
                | local_name!("tr")
                | local_name!("tbody")
                | local_name!("thead")
                | local_name!("tfoot")
                | local_name!("option")
                | local_name!("optgroup")
        )
}

/// Cuts tags after their first [`ATTRIBUTES`] attributes.
pub(crate) fn tame(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut tamed = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find('<') {
        at += found + 1;
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let tag = attributes_of(text, at);
        at = tag.end;
        if let Some(excess) = tag.excess {
            tamed.push_str(&text[kept..excess]);
            kept = tag.end;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    tamed.push_str(&text[kept..]);
    Cow::Owned(tamed)
}

struct TagSpan {
    /// Where the tag ends: its `>`, or the end of the text.
    end: usize,
    /// Where its first attribute too many starts.
    excess: Option<usize>,
}

/// Reads the attributes of the tag whose name starts at `at`, as the tokeniser will.
fn attributes_of(text: &str, at: usize) -> TagSpan {
    let bytes = text.as_bytes();
    let mut at = position(bytes, at, |b| is_space(b) || matches!(b, b'/' | b'>'));
    let mut attributes = 0;
    let mut excess = None;
    loop {
        at = position(bytes, at, |b| !is_space(b) && b != b'/');
        if bytes.get(at).is_none_or(|b| *b == b'>') {
            return TagSpan { end: at, excess };
        }
        attributes += 1;
        if attributes > ATTRIBUTES && excess.is_none() {
            excess = Some(at);
        }
        // An equals sign in first place belongs to the name.
        at = position(bytes, at + 1, |b| is_space(b) || matches!(b, b'/' | b'>' | b'='));
        let value = position(bytes, at, |b| !is_space(b));
        if bytes.get(value) != Some(&b'=') {
            continue;
        }
        let value = position(bytes, value + 1, |b| !is_space(b));
        at = match bytes.get(value) {
            Some(&quote @ (b'"' | b'\'')) => {
                text[value + 1..].find(quote as char).map_or(bytes.len(), |found| value + 1 + found + 1)
            }
            _ => position(bytes, value, |b| is_space(b) || b == b'>'),
        };
    }
}

fn position(bytes: &[u8], from: usize, stop: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().position(|&b| stop(b)).map_or(bytes.len(), |found| from + found)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_pages_are_left_alone() {
        let page = "<p class=\"a > b\" title='x'>1 < 2 <br/><a href=x>y</a><script>if(a<b&&c>d){}</script>";
        assert!(matches!(tame(page), Cow::Borrowed(_)));
    }

    #[test]
    fn attributes_past_the_limit_are_cut_and_the_tag_still_ends() {
        let many: String = (0..ATTRIBUTES + 10).map(|i| format!(" a{i}='>' ")).collect();
        let page = format!("<p>before<x{many}>after</x>");
        let tamed = tame(&page);
        assert!(tamed.contains(&format!("a{}='>'", ATTRIBUTES - 1)));
        assert!(!tamed.contains(&format!("a{ATTRIBUTES}=")));
        assert!(tamed.ends_with(">after</x>"));
    }

    #[test]
    fn unfinished_tags_end_with_the_text() {
        for page in ["<", "<a", "<a b", "<a b=", "<a b='", "<a b='c", "<a =", "<a / /"] {
            assert_eq!(tame(page), page);
        }
    }
}
