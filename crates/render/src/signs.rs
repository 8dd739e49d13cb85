//! Whether a page is likely to be more with its scripts than without.

use memchr::{memchr, memchr_iter};

/// Bytes of a page that are looked at.
const LOOKED_AT: usize = 1 << 20;
/// A page with scripts that says less than this, in letters, says the rest by them.
const LITTLE: usize = 250;
/// A page made by a framework that says less than this may have the rest in its scripts.
const SOME: usize = 1_500;

/// A sign that a page needs its scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// It has scripts, and says next to nothing without them.
    LittleText,
    /// An empty element waits to be filled.
    Shell,
    /// It says that it needs scripts.
    Noscript,
    /// It is made by a framework that works in the browser.
    Framework,
}

/// Elements that applications fill.
const SHELLS: &[&str] =
    &["root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "react-root", "app-root"];

/// What frameworks leave in their pages.
const FRAMEWORKS: &[&str] = &[
    "ng-app",
    "ng-version",
    "<app-root",
    "data-reactroot",
    "__next_data__",
    "window.__nuxt__",
    "data-v-app",
    "data-server-rendered",
    "data-sveltekit",
    "ember-application",
    "data-turbo-",
    "hx-get=",
    "x-data=",
    "data-infinite-scroll",
];

/// The signs that a page shows; none for one that is all there without scripts.
pub fn signs(body: &[u8]) -> Vec<Sign> {
    let body = body.get(..LOOKED_AT).unwrap_or(body);
    let seen = Seen::of(body);
    if !seen.scripts {
        return Vec::new();
    }
    let asks = ["javascript", "script", "enable", "aktivier", "activer", "habilit", "abilit"];
    let mut signs = Vec::new();
    if seen.letters < LITTLE {
        signs.push(Sign::LittleText);
    }
    if seen.shell {
        signs.push(Sign::Shell);
    }
    if seen.letters < SOME && asks.iter().any(|word| seen.noscript.contains(word)) {
        signs.push(Sign::Noscript);
    }
    if seen.letters < SOME {
        let text = small(body);
        if FRAMEWORKS.iter().any(|mark| text.contains(mark)) {
            signs.push(Sign::Framework);
        }
    }
    signs
}

#[derive(Default)]
struct Seen {
    /// Letters outside of tags, scripts and styles, as far as it matters.
    letters: usize,
    scripts: bool,
    /// What is said to browsers without scripts, while there is little else.
    noscript: String,
    shell: bool,
}

impl Seen {
    /// Goes over a page once, from tag to tag, without making a tree of it.
    fn of(page: &[u8]) -> Self {
        let mut seen = Self::default();
        let mut rest = page;
        while let Some(open) = memchr(b'<', rest) {
            seen.count(&rest[..open]);
            rest = &rest[open + 1..];
            if let Some(comment) = rest.strip_prefix(b"!--") {
                rest = after(comment, b"-->");
                continue;
            }
            let end = memchr(b'>', rest).unwrap_or(rest.len());
            let tag = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or_default();
            let stop = tag.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'/');
            let name = &tag[..stop.unwrap_or(tag.len())];
            let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
            match name.first().map(u8::to_ascii_lowercase) {
                Some(b's') if is(&["script"]) => {
                    let tag = small(tag);
                    let is_code = !tag.contains("json") && !tag.contains("template");
                    seen.scripts |= is_code;
                    rest = after(rest, b"</script");
                }
                Some(b's') if is(&["style"]) => rest = after(rest, b"</style"),
                Some(b't') if is(&["title"]) => rest = after(rest, b"</title"),
                Some(b'n') if is(&["noscript"]) => {
                    let all = rest;
                    rest = after(rest, b"</noscript");
                    if seen.noscript.len() < 4096 && seen.letters < SOME {
                        seen.noscript.push_str(&small(&all[..all.len() - rest.len()]));
                    }
                }
                Some(b'd' | b'm' | b's' | b'a' | b'b') if is(&["div", "main", "section", "app-root", "body"]) => {
                    let close = without_space(rest).strip_prefix(b"</").and_then(|close| close.get(..name.len()));
                    if close.is_some_and(|close| close.eq_ignore_ascii_case(name)) {
                        let tag = small(tag);
                        seen.shell |= is(&["app-root"]) || SHELLS.contains(&attribute(&tag, "id"));
                    }
                }
                _ => {}
            }
        }
        seen.count(rest);
        seen
    }

    fn count(&mut self, text: &[u8]) {
        // More than some is enough.
        if self.letters < SOME {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
            self.letters += text.utf8_chunks().map(|chunk| letters(chunk.valid())).sum::<usize>();
        }
    }
}

/// In small letters.
fn small(text: &[u8]) -> String {
    String::from_utf8_lossy(text).to_ascii_lowercase()
}

/// What follows on an end, which begins with its only `<` or `-`, in large or small letters.
fn after<'t>(text: &'t [u8], end: &[u8]) -> &'t [u8] {
    let Some(&first) = end.first() else { return text };
    let ends = |at: &usize| text.get(*at..at + end.len()).is_some_and(|found| found.eq_ignore_ascii_case(end));
    let found = memchr_iter(first, text).find(ends);
    found.and_then(|at| text.get(at + end.len()..)).unwrap_or_default()
}

fn without_space(mut text: &[u8]) -> &[u8] {
    loop {
        let ahead = text.get(..4).unwrap_or(text).utf8_chunks().next();
        let Some(c) = ahead.and_then(|chunk| chunk.valid().chars().next()).filter(|c| c.is_whitespace()) else {
            return text;
        };
        text = &text[c.len_utf8()..];
    }
}

fn attribute<'t>(tag: &'t str, name: &str) -> &'t str {
    let Some(at) = tag.find(&format!(" {name}=")) else { return "" };
    let value = tag.get(at + name.len() + 2..).unwrap_or_default();
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split(quote).next().unwrap_or_default(),
        _ => value.split(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_tell_pages_that_need_their_scripts() {
        use Sign::*;
        let long = "A long walk through the town and along its river. ".repeat(40);
        let some = "A walk through the town. ".repeat(20);
        for (page, expected) in [
            (format!("<p>{long}<script src=a.js></script>"), vec![]),
            ("<p>Short</p>".into(), vec![]),
            ("<p>Short</p><script type=application/ld+json>{}</script>".into(), vec![]),
            ("<p>Short</p><script src=a.js></script>".into(), vec![LittleText]),
            (format!("<p>Short<!-- {long} --><style>{long}</style><script>{long}</script>"), vec![LittleText]),
            ("<div id=\"root\"></div><script src=a.js></script>".into(), vec![LittleText, Shell]),
            (format!("<p>{long}<div id=app> </div><script>1</script>"), vec![Shell]),
            (format!("<p>{long}<div id=app>{some}</div><script>1</script>"), vec![]),
            ("<App-Root></app-root><script>1</script>".into(), vec![LittleText, Shell, Framework]),
            (
                format!(
                    "<p>{some}<noscript>You need to enable JavaScript to run this app.</noscript><script>1</script>"
                ),
                vec![Noscript],
            ),
            (format!("<p>{long}<noscript>Please enable JavaScript</noscript><script>1</script>"), vec![]),
            (format!("<p ng-app=x>{some}<script>1</script>"), vec![Framework]),
            (format!("<p>{long}<DIV class=x ID=App>\u{a0}\n</Div><SCRIPT>'</scrip'</Script>"), vec![Shell]),
            (format!("<p>{some}<NoScript>Please ENABLE it</NOSCRIPT><script>1</script>"), vec![Noscript]),
            ("<script".into(), vec![LittleText]),
            ("<!--".into(), vec![]),
            ("<div id='".into(), vec![]),
        ] {
            assert_eq!(signs(page.as_bytes()), expected, "{page:.80}");
        }
        assert!(signs(&[0xff, b'<', 0xfe]).is_empty());
    }
}
