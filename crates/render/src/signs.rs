//! Whether a page is likely to be more with its scripts than without.

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
    let text = String::from_utf8_lossy(body).to_ascii_lowercase();
    let seen = Seen::of(&text);
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
    if seen.letters < SOME && FRAMEWORKS.iter().any(|mark| text.contains(mark)) {
        signs.push(Sign::Framework);
    }
    signs
}

#[derive(Default)]
struct Seen {
    /// Letters outside of tags, scripts and styles.
    letters: usize,
    scripts: bool,
    /// What is said to browsers without scripts.
    noscript: String,
    shell: bool,
}

impl Seen {
    /// Goes over a page in small letters once, without making a tree of it.
    fn of(text: &str) -> Self {
        let mut seen = Self::default();
        let mut rest = text;
        while let Some(open) = rest.find('<') {
            seen.count(&rest[..open]);
            rest = &rest[open + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                rest = after(comment, "-->");
                continue;
            }
            let end = rest.find('>').unwrap_or(rest.len());
            let tag = &rest[..end];
            rest = rest.get(end + 1..).unwrap_or_default();
            let name = tag.split(|c: char| c.is_ascii_whitespace() || c == '/').next().unwrap_or_default();
            match name {
                "script" => {
                    let is_code = !tag.contains("json") && !tag.contains("template");
                    seen.scripts |= is_code;
                    rest = after(rest, "</script");
                }
                "style" => rest = after(rest, "</style"),
                "title" => rest = after(rest, "</title"),
                "noscript" => {
                    let all = rest;
                    rest = after(rest, "</noscript");
                    let inside = &all[..all.len() - rest.len()];
                    if seen.noscript.len() < 4096 {
                        seen.noscript.push_str(inside);
                    }
                }
                "div" | "main" | "section" | "app-root" | "body" => {
                    let empty = rest.trim_start().strip_prefix("</").is_some_and(|close| close.starts_with(name));
                    let id = attribute(tag, "id");
                    let called = name == "app-root" || SHELLS.contains(&id);
                    seen.shell |= empty && called;
                }
                _ => {}
            }
        }
        seen.count(rest);
        seen
    }

    fn count(&mut self, text: &str) {
        self.letters += text.chars().filter(|c| c.is_alphanumeric()).count();
    }
}

fn after<'t>(text: &'t str, end: &str) -> &'t str {
    text.find(end).and_then(|at| text.get(at + end.len()..)).unwrap_or_default()
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
            ("<script".into(), vec![LittleText]),
            ("<!--".into(), vec![]),
            ("<div id='".into(), vec![]),
        ] {
            assert_eq!(signs(page.as_bytes()), expected, "{page:.80}");
        }
        assert!(signs(&[0xff, b'<', 0xfe]).is_empty());
    }
}
