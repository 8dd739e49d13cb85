//! What a page is joined to: its links, forms and scripts, and what its elements do when touched.
//!
//! A watcher goes over whole sites for this, so it takes only the tokeniser: no tree, no text.

use std::cell::RefCell;

use facts::Url;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::{Attribute, TokenizerResult};

use crate::{Limits, charset, guard};

/// Elements with handlers, and scripts, of one page.
const MOST: usize = 500;
/// Bytes of all scripts inside a page.
const SCRIPT_BYTES: usize = 1 << 20;
/// Bytes of one handler.
const HANDLER_BYTES: usize = 4 << 10;

/// The joints of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Where its links and frames lead, in order; an address may come more than once.
    pub links: Vec<Url>,
    /// Where its forms are sent.
    pub forms: Vec<Url>,
    /// The scripts it loads.
    pub scripts: Vec<Url>,
    /// The scripts inside it.
    pub code: Vec<String>,
    /// Attributes that set scripts off.
    pub handlers: Vec<Handler>,
    /// Whether it asks for a password.
    pub asks_password: bool,
}

/// An attribute such as `onclick`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The name of the attribute, in small letters.
    pub event: String,
    /// The element, as a CSS selector.
    pub source: String,
    /// The script.
    pub code: String,
}

/// Reads the outline of a page. `wanted` says which attributes are handlers of interest.
pub fn outline(
    body: &[u8],
    content_type: Option<&str>,
    url: &Url,
    limits: &Limits,
    wanted: impl Fn(&str) -> bool,
) -> Outline {
    let body = &body[..body.len().min(limits.bytes)];
    let (text, _) = charset::decode(body, content_type, url.host().tld());
    let text = StrTendril::from_slice(&guard::tame(&text));
    let sketch =
        Sketch { outline: Outline::default(), base: url.clone(), based: false, script: None, left: SCRIPT_BYTES };
    let sink = Sink { sketch: RefCell::new(sketch), links: limits.links, wanted };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(text);
    while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
    tokenizer.end();
    let mut sketch = tokenizer.sink.sketch.into_inner();
    sketch.end_script();
    sketch.outline
}

struct Sink<W> {
    sketch: RefCell<Sketch>,
    links: usize,
    wanted: W,
}

struct Sketch {
    outline: Outline,
    base: Url,
    based: bool,
    /// The script being read.
    script: Option<String>,
    /// Bytes of scripts that may still be read.
    left: usize,
}

impl Sketch {
    fn end_script(&mut self) {
        if let Some(code) = self.script.take().filter(|code| !code.trim().is_empty())
            && self.outline.code.len() < MOST
        {
            self.outline.code.push(code);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some(script) = &mut self.script {
            let end = (0..=self.left.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
            script.push_str(&text[..end]);
            self.left -= end;
        }
    }
}

impl<W: Fn(&str) -> bool> Sink<W> {
    fn start(&self, tag: &Tag) {
        let mut sketch = self.sketch.borrow_mut();
        let sketch = &mut *sketch;
        let link = |list: &mut Vec<Url>, base: &Url, name: &str, most: usize| {
            if let Some(url) = attribute(tag, name).and_then(|text| base.join(text).ok())
                && list.len() < most
            {
                list.push(url);
            }
        };
        match &*tag.name {
            "base" if !sketch.based => {
                if let Some(base) = attribute(tag, "href").and_then(|href| sketch.base.join(href).ok()) {
                    (sketch.base, sketch.based) = (base, true);
                }
            }
            "a" | "area" => link(&mut sketch.outline.links, &sketch.base, "href", self.links),
            "frame" | "iframe" => link(&mut sketch.outline.links, &sketch.base, "src", self.links),
            "form" => link(&mut sketch.outline.forms, &sketch.base, "action", MOST),
            "input" => {
                let kind = attribute(tag, "type").unwrap_or_default();
                sketch.outline.asks_password |= kind.trim().eq_ignore_ascii_case("password");
            }
            "script" => {
                link(&mut sketch.outline.scripts, &sketch.base, "src", MOST);
                let kind = attribute(tag, "type").unwrap_or_default().to_ascii_lowercase();
                let runs = kind.is_empty() || kind == "module" || kind.contains("javascript");
                sketch.script = (runs && attribute(tag, "src").is_none()).then(String::new);
            }
            _ => {}
        }
        for Attribute { name, value } in &tag.attrs {
            if name.local.starts_with("on")
                && (self.wanted)(&name.local)
                && sketch.outline.handlers.len() < MOST
                && value.len() <= HANDLER_BYTES
            {
                let handler = Handler {
                    event: name.local.to_string(),
                    source: selector(tag, &name.local, value),
                    code: value.to_string(),
                };
                sketch.outline.handlers.push(handler);
            }
        }
    }
}

impl<W: Fn(&str) -> bool> TokenSink for Sink<W> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                self.start(&tag);
                // Inside these, what looks like a tag is none.
                match &*tag.name {
                    "script" => return TokenSinkResult::RawData(RawKind::ScriptData),
                    "style" | "xmp" | "noembed" | "noframes" | "iframe" => {
                        return TokenSinkResult::RawData(RawKind::Rawtext);
                    }
                    "title" | "textarea" => return TokenSinkResult::RawData(RawKind::Rcdata),
                    _ => {}
                }
            }
            Token::TagToken(tag) if &*tag.name == "script" => self.sketch.borrow_mut().end_script(),
            Token::CharacterTokens(text) => self.sketch.borrow_mut().text(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn attribute<'t>(tag: &'t Tag, name: &str) -> Option<&'t str> {
    tag.attrs.iter().find(|attribute| &*attribute.name.local == name).map(|attribute| &*attribute.value)
}

/// By its id where it has one, else by the very attribute.
fn selector(tag: &Tag, event: &str, code: &str) -> String {
    let plain = |id: &&str| {
        !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || !b.is_ascii())
    };
    match attribute(tag, "id").map(str::trim) {
        Some(id) if plain(&id) && !id.starts_with(|c: char| c.is_ascii_digit()) => format!("{}#{id}", tag.name),
        Some(id) if !id.is_empty() && id.len() <= 200 => format!("{}[id={}]", tag.name, quoted(id)),
        _ if &*tag.name == "body" => "body".into(),
        _ if code.len() <= 200 => format!("{}[{event}={}]", tag.name, quoted(code)),
        _ => format!("{}[{event}]", tag.name),
    }
}

/// A string of CSS.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' | '\r' | '\x0C' => out.push_str(&format!("\\{:x} ", c as u32)),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str) -> Outline {
        let url = Url::parse("https://example.org/a/").unwrap();
        outline(body.as_bytes(), Some("text/html; charset=utf-8"), &url, &Limits::default(), |name| name == "onclick")
    }

    #[test]
    fn links_forms_and_scripts_are_found_without_a_tree() {
        let outline = check(
            "<title><a href=no></title><!-- <a href=no> --><a href=b#x>b</a><AREA HREF='/c'><iframe src=d></iframe>
            <form action=send><input type=PASSWORD></form><script src=s.js></script>
            <script>if (a < b) { document.write('<a href=no>') }</script>
            <script type='application/ld+json'>{}</script><a href=mailto:x@example.org><a href>",
        );
        let links: Vec<&str> = outline.links.iter().map(Url::as_str).collect();
        let expected =
            ["https://example.org/a/b", "https://example.org/c", "https://example.org/a/d", "https://example.org/a/"];
        assert_eq!(links, expected);
        assert_eq!(outline.forms[0].path(), "/a/send");
        assert_eq!(outline.scripts[0].path(), "/a/s.js");
        assert_eq!(outline.code, ["if (a < b) { document.write('<a href=no>') }"]);
        assert!(outline.asks_password);
    }

    #[test]
    fn a_base_holds_for_what_follows() {
        let outline = check("<a href=x><base href=/z/><base href=/y/><a href=x>");
        assert_eq!(outline.links.iter().map(Url::path).collect::<Vec<_>>(), ["/a/x", "/z/x"]);
    }

    #[test]
    fn handlers_are_named_by_selectors() {
        let outline = check(
            r#"<div id=next onclick="go(1)"><p onclick='say("x\y")' onkeyup=no><b id="1 2" onclick=z()><body onclick=q()>"#,
        );
        let sources: Vec<&str> = outline.handlers.iter().map(|handler| handler.source.as_str()).collect();
        assert_eq!(sources, ["div#next", r#"p[onclick="say(\"x\\y\")"]"#, r#"b[id="1 2"]"#, "body"]);
        assert_eq!(outline.handlers[0].code, "go(1)");
    }

    #[test]
    fn a_page_made_to_be_long_is_bounded() {
        let many = check(&"<a href=x onclick=f()>".repeat(5_000));
        assert_eq!((many.links.len(), many.handlers.len()), (Limits::default().links, MOST));
        let long = check(&format!("<script>{}é</script>", "x".repeat(SCRIPT_BYTES - 1)));
        assert_eq!(long.code[0].len(), SCRIPT_BYTES - 1);
        assert_eq!(check("<script>unfinished").code, ["unfinished"]);
    }
}
