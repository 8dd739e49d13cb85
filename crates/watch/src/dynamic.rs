//! What scripts do to a page, as far as it can be told without running them. [004 §3.4.1]

use std::collections::HashMap;

use facts::Url;
use page::Outline;
use report::{Dynamic, Event, combine};

/// Places of one script that are looked at.
const MOST: usize = 500;
/// Bytes of a function that are looked at.
const BODY: usize = 4 << 10;
/// Bytes of a target, a value or a source.
const LONGEST: usize = 200;
/// Entries of one page.
const MOST_ENTRIES: usize = 200;

/// What was found in a script.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    bindings: Vec<Binding>,
    /// What each function sets, by its name.
    functions: HashMap<String, String>,
}

#[derive(Clone, Debug)]
struct Binding {
    event: Event,
    source: String,
    effect: Effect,
}

/// What a handler does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Effect {
    target: String,
    value: String,
}

/// The dynamic parts of a page, by its own handlers and scripts and those it loads.
pub(crate) fn dynamic(url: &Url, outline: &Outline, loaded: &[&Script]) -> Vec<Dynamic> {
    let own: Vec<Script> = outline.code.iter().map(|code| Script::read(code)).collect();
    let scripts = || own.iter().chain(loaded.iter().copied());
    let handlers = outline
        .handlers
        .iter()
        .filter_map(|handler| Some((Event::parse(&handler.event)?, handler.source.clone(), effect(&handler.code)?)));
    let bound = scripts()
        .flat_map(|script| &script.bindings)
        .map(|binding| (binding.event, binding.source.clone(), binding.effect.clone()));
    let entries = handlers.chain(bound).take(MOST_ENTRIES).map(|(event, source, mut effect)| {
        if effect.target.is_empty()
            && let Some(name) = called(&effect.value)
            && let Some(target) = scripts().find_map(|script| script.functions.get(name))
        {
            effect.target.clone_from(target);
        }
        let Effect { target, value } = effect;
        Dynamic { url: url.clone(), events: vec![event], sources: vec![clip(&source)], target, value }
    });
    let mut combined = combine(entries);
    for entry in &mut combined {
        entry.sources.truncate(100);
    }
    combined
}

impl Script {
    /// Looks for handlers and functions in a script.
    pub(crate) fn read(code: &str) -> Self {
        let plain = plain(code);
        let mut script = Self::default();
        script.functions(code, &plain);
        for at in places(code, &plain, ".addEventListener") {
            script.bindings.extend(listener(code, &plain, at));
        }
        for (name, event) in [
            (".onload", Event::OnLoad),
            (".onclick", Event::OnClick),
            (".ondblclick", Event::OnDblClick),
            (".onmouseover", Event::OnMouseOver),
        ] {
            for at in places(code, &plain, name) {
                script.bindings.extend(assigned(code, &plain, at, name, event));
            }
        }
        script
    }

    /// `function name(…) { … }`, `name = function (…) { … }`, `name = (…) => …`.
    fn functions(&mut self, code: &str, plain: &[bool]) {
        for at in places(code, plain, "function") {
            let rest = code[at + "function".len()..].trim_start();
            let mut name = identifier(rest);
            if name.is_empty() {
                let before = code[..at].trim_end();
                let Some(before) = before.strip_suffix(['=', ':']) else { continue };
                name = last_identifier(before.trim_end());
            }
            self.function(name, &code[at..]);
        }
        for at in places(code, plain, "=>") {
            let Some(equals) = code[floor(code, at.saturating_sub(LONGEST))..at].rfind('=') else { continue };
            let start = floor(code, at.saturating_sub(LONGEST));
            let name = last_identifier(code[..start + equals].trim_end());
            self.function(name, &code[at..]);
        }
    }

    fn function(&mut self, name: &str, code: &str) {
        if name.is_empty() || self.functions.len() >= MOST {
            return;
        }
        if let Some(Effect { target, .. }) = effect(body(code)).filter(|effect| !effect.target.is_empty()) {
            self.functions.entry(name.to_owned()).or_insert(target);
        }
    }
}

/// `source.addEventListener('click', handler)`.
fn listener(code: &str, plain: &[bool], at: usize) -> Option<Binding> {
    let rest = code[at + ".addEventListener".len()..].trim_start().strip_prefix('(')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let (name, rest) = rest[1..].split_once(quote)?;
    let event = Event::parse(name.get(..name.len().min(20))?)?;
    let handler = rest.trim_start().strip_prefix(',')?.trim_start();
    Some(Binding { event, source: source(code, plain, at), effect: handled(handler)? })
}

/// `source.onclick = handler`.
fn assigned(code: &str, plain: &[bool], at: usize, name: &str, event: Event) -> Option<Binding> {
    let rest = code[at + name.len()..].trim_start().strip_prefix('=')?;
    if rest.starts_with(['=', '>']) {
        return None;
    }
    Some(Binding { event, source: source(code, plain, at), effect: handled(rest.trim_start())? })
}

/// What a handler does that is a function or the name of one.
fn handled(handler: &str) -> Option<Effect> {
    let head = &handler[..floor(handler, LONGEST.min(handler.len()))];
    let arrow = head.find("=>").filter(|arrow| !head[..*arrow].contains([';', '{']));
    if identifier(handler) == "function" || identifier(handler) == "async" || arrow.is_some() {
        return effect(body(&handler[arrow.unwrap_or(0)..]));
    }
    let name = &handler
        [..handler.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'))).unwrap_or(handler.len())];
    match (name, handler[name.len()..].trim_start().starts_with('(')) {
        ("" | "null", _) => None,
        (name, false) => Some(Effect { target: String::new(), value: clip(&format!("{name}()")) }),
        (_, true) => effect(handler),
    }
}

/// The inside of a function, or the expression that an arrow leads to.
fn body(code: &str) -> &str {
    let code = &code[..floor(code, BODY.min(code.len()))];
    if let Some(expression) = code.strip_prefix("=>").map(str::trim_start).filter(|rest| !rest.starts_with('{')) {
        return &expression[..end(expression)];
    }
    let Some(open) = code.find('{') else { return "" };
    let inside = &code[open + 1..];
    let mut depth = 0usize;
    for (place, byte) in code_of(inside) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return &inside[..place],
            b'}' => depth -= 1,
            _ => {}
        }
    }
    inside
}

/// What a piece of script does first: what it sets, or what it calls.
fn effect(code: &str) -> Option<Effect> {
    let code = code.trim_start();
    let code = code.strip_prefix("javascript:").unwrap_or(code);
    let code = &code[..floor(code, BODY.min(code.len()))];
    let plain = plain(code);
    let bytes = code.as_bytes();
    for place in (0..bytes.len()).filter(|&place| bytes[place] == b'=' && plain[place]).take(MOST) {
        let before = place.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let after = bytes.get(place + 1).copied().unwrap_or(b' ');
        if matches!(before, b'=' | b'!' | b'<' | b'>') || matches!(after, b'=' | b'>') {
            continue;
        }
        let left = code[..place].trim_end_matches(['+', '-', '*', '/', '|', '&', '?', '%', '^']).trim_end();
        let target = expression_before(left);
        // A variable is not the page.
        if !target.contains(['.', '[']) || target.starts_with('.') {
            continue;
        }
        let right = code[place + 1..].trim_start();
        let value = right[..end(right)].trim();
        if !value.is_empty() {
            return Some(Effect { target: clip(target), value: clip(value) });
        }
    }
    let open = (0..bytes.len()).find(|&place| bytes[place] == b'(' && plain[place])?;
    let name = expression_before(code[..open].trim_end());
    if name.is_empty() || matches!(name, "if" | "for" | "while" | "switch" | "function" | "catch") {
        return None;
    }
    let start = code[..open].trim_end().len() - name.len();
    let call = &code[start..];
    Some(Effect { target: String::new(), value: clip(call[..end(call)].trim()) })
}

/// How long the expression is that begins here.
fn end(code: &str) -> usize {
    let mut depth = 0usize;
    for (place, byte) in code_of(code) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return place,
            b')' | b']' | b'}' => depth -= 1,
            b';' | b',' | b'\n' if depth == 0 => return place,
            _ => {}
        }
    }
    code.len()
}

/// The expression that ends here: names, dots, and what is in brackets.
fn expression_before(code: &str) -> &str {
    let from = floor(code, code.len().saturating_sub(LONGEST));
    let mut depth = 0usize;
    let mut quote = None;
    let mut start = code.len();
    for (place, c) in code[from..].char_indices().rev() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, ')' | ']') => depth += 1,
            (None, '(' | '[') if depth > 0 => depth -= 1,
            (None, '"' | '\'' | '`') if depth > 0 => quote = Some(c),
            (None, _) if depth > 0 => {}
            (None, c) if c.is_alphanumeric() || matches!(c, '_' | '$' | '.') => {}
            _ => break,
        }
        start = from + place;
    }
    &code[start..]
}

/// The element before a dot, as a selector where it can be told.
fn source(code: &str, plain: &[bool], dot: usize) -> String {
    let expression = expression_before(&code[..dot]);
    if let Some(selector) = selector(expression) {
        return selector;
    }
    let is_name = !expression.is_empty() && identifier(expression) == expression;
    if is_name && !matches!(expression, "window" | "document" | "this") {
        // A variable: what was it set to?
        for at in places(code, plain, expression).take(20) {
            let rest = &code[at + expression.len()..];
            let rest = rest[..floor(rest, LONGEST.min(rest.len()))].trim_start();
            if let Some(rest) = rest.strip_prefix('=').map(str::trim_start)
                && let Some(selector) = selector(&rest[..end(rest)])
            {
                return selector;
            }
        }
    }
    match expression {
        "document.body" => "body".into(),
        other => clip(other),
    }
}

/// `document.getElementById('x')` is `#x`.
fn selector(expression: &str) -> Option<String> {
    let (function, rest) = expression.trim().split_once('(')?;
    let text = rest.trim().strip_suffix(')')?.trim();
    let text = text.trim_matches(['"', '\'', '`']);
    if text.is_empty() || text.contains(['"', '\'', '`']) && !text.contains('[') {
        return None;
    }
    match function.trim() {
        "document.getElementById" => Some(format!("#{text}")),
        "document.querySelector" | "$" | "jQuery" => Some(text.to_owned()),
        _ => None,
    }
}

/// The name of the function that is called, if that is all.
fn called(value: &str) -> Option<&str> {
    let value = value.strip_prefix("return ").unwrap_or(value).trim_start();
    let name = identifier(value);
    (!name.is_empty() && value[name.len()..].trim_start().starts_with('(')).then_some(name)
}

fn identifier(code: &str) -> &str {
    let code = &code[..floor(code, LONGEST.min(code.len()))];
    let end = code.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
    &code[..end.unwrap_or(code.len())]
}

fn last_identifier(code: &str) -> &str {
    let start = code.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
    let start = start.map_or(0, |at| at + code[at..].chars().next().map_or(1, char::len_utf8));
    if code.len() - start > LONGEST { "" } else { &code[start..] }
}

/// Where a word stands in the code itself, not in strings and comments.
fn places<'c>(code: &'c str, plain: &'c [bool], word: &'c str) -> impl Iterator<Item = usize> {
    code.match_indices(word).map(|(at, _)| at).filter(|at| plain.get(*at) == Some(&true)).take(MOST)
}

/// Which bytes are code, not strings and comments.
fn plain(code: &str) -> Vec<bool> {
    let mut plain = vec![false; code.len()];
    for (place, _) in code_of(code) {
        plain[place] = true;
    }
    plain
}

/// The bytes that are code, not strings and comments, with their places. No more is looked at than is asked for:
/// ends of short expressions are looked for in long scripts.
fn code_of(code: &str) -> impl Iterator<Item = (usize, u8)> {
    let bytes = code.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at = match (*bytes.get(at)?, bytes.get(at + 1)) {
                (quote @ (b'"' | b'\'' | b'`'), _) => string_end(bytes, at, quote),
                (b'/', Some(b'/')) => bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |end| at + end),
                (b'/', Some(b'*')) => code[at + 2..].find("*/").map_or(bytes.len(), |end| at + 2 + end + 2),
                (byte, _) => {
                    at += 1;
                    return Some((at - 1, byte));
                }
            };
        }
    })
}

fn string_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\\' => at += 1,
            b if b == quote => return at + 1,
            // An apostrophe in a comment or a regular expression, most likely.
            b'\n' if quote != b'`' => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The nearest place before this one where a character begins.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

fn clip(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text[..floor(&text, LONGEST.min(text.len()))].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each entry as `events | sources | target | value`.
    fn check(html: &str, scripts: &[&str]) -> Vec<String> {
        let url = Url::parse("https://www.test.com/main.asp").unwrap();
        let limits = page::Limits::default();
        let outline = page::outline(html.as_bytes(), None, &url, &limits, |name| Event::parse(name).is_some());
        let scripts: Vec<Script> = scripts.iter().map(|code| Script::read(code)).collect();
        let shown = |entry: &Dynamic| {
            let events: Vec<String> = entry.events.iter().map(|event| format!("{event:?}").to_lowercase()).collect();
            format!("{} | {} | {} | {}", events.join(","), entry.sources.join(","), entry.target, entry.value)
        };
        dynamic(&url, &outline, &scripts.iter().collect::<Vec<_>>()).iter().map(shown).collect()
    }

    #[test]
    fn the_example_of_the_paper_is_one_entry() {
        let html = r#"<body onload="text.innerHTML = Updateinfo()"><button id="move" onclick="text.innerHTML=Updateinfo()">
            <div id=next onclick="text.innerHTML = Updateinfo();">"#;
        assert_eq!(check(html, &[]), ["onload,onclick | body,button#move,div#next | text.innerHTML | Updateinfo()"]);
    }

    #[test]
    fn a_function_says_what_it_sets() {
        let html = "<p id=a onclick='more(1)'><script>
            // function more() { no.innerHTML = 1 }
            function more(n) { var x = 1; if (x == 2) return; document.getElementById('list').innerHTML = load(n); }</script>";
        assert_eq!(check(html, &[]), ["onclick | p#a | document.getElementById('list').innerHTML | more(1)"]);
        let arrow = "const more = n => { list.textContent = n; };";
        assert_eq!(check("<p id=a onclick='more(1)'>", &[arrow]), ["onclick | p#a | list.textContent | more(1)"]);
    }

    #[test]
    fn listeners_are_found_in_scripts() {
        let script = r#"
            const button = document.getElementById("next");
            button.addEventListener("click", function (e) { e.preventDefault; out.innerHTML = "a; b"; });
            document.querySelector('.more a').addEventListener('dblclick', () => { show(2) }, false);
            window.addEventListener(`load`, start);
            window.onload = start;
            document.getElementById('x').onmouseover = () => out.textContent = "hi";
            button.onclick == null; "x.onclick = no()"; // y.onclick = no()
            form.addEventListener('submit', send);
        "#;
        assert_eq!(
            check("<script src=s.js></script>", &[script]),
            [
                "onclick | #next | out.innerHTML | \"a; b\"",
                "ondblclick | .more a |  | show(2)",
                "onload | window |  | start()",
                "onmouseover | #x | out.textContent | \"hi\"",
            ]
        );
    }

    #[test]
    fn events_that_do_not_matter_and_empty_handlers_are_left_out() {
        assert!(check("<p onkeyup=a() onclick=''><a onclick='return false'><b onclick=';'>", &[]).is_empty());
        assert!(check("<p>", &["x.onclick = null; y.onclick = "]).is_empty());
    }

    #[test]
    fn scripts_made_to_be_slow_are_bounded() {
        for piece in
            ["a.onclick=function(){", "a.addEventListener('click',", "function f(){", "=>", "((((", "'", "/*", "é=>"]
        {
            let script = Script::read(&piece.repeat((1 << 20) / piece.len()));
            assert!(script.bindings.len() <= 5 * MOST && script.functions.len() <= MOST);
        }
        let many: String = (0..5_000).map(|i| format!("<p id=p{i} onclick='f({i})'>")).collect();
        assert_eq!(check(&many, &[]).len(), MOST_ENTRIES);
    }
}
