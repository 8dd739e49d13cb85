//! Reservations of text and data mining rights: `/.well-known/tdmrep.json`.

use facts::Url;
use serde_json::Value;

/// Where a host keeps its reservations.
pub const TDM_PATH: &str = "/.well-known/tdmrep.json";

/// A longer file is not read to its end.
pub const TDM_LIMIT: u64 = 512 * 1024;

/// Rules of one file that are kept.
const MOST_RULES: usize = 2000;

/// Which paths of a host are reserved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tdm {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    location: String,
    reserved: bool,
}

impl Tdm {
    /// Reads the answer; without a readable file nothing is reserved.
    pub fn from_answer(status: Option<u16>, body: &[u8]) -> Self {
        if !matches!(status, Some(200..=299)) || body.len() as u64 > TDM_LIMIT {
            return Self::default();
        }
        let rules = match serde_json::from_slice(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)) {
            Ok(Value::Array(rules)) => rules,
            Ok(rule @ Value::Object(_)) => vec![rule],
            _ => return Self::default(),
        };
        Self { rules: rules.iter().filter_map(Rule::read).take(MOST_RULES).collect() }
    }

    /// Bytes of memory it takes, about.
    pub fn memory(&self) -> usize {
        self.rules.iter().map(|rule| size_of::<Rule>() + rule.location.len()).sum()
    }

    /// Whether this URL of the host is reserved. As in robots.txt the longest pattern decides; between
    /// equals the reservation does.
    pub fn reserved(&self, url: &Url) -> bool {
        let path = url.path_and_query();
        let fitting = self.rules.iter().filter(|rule| fits(&rule.location, path));
        fitting.max_by_key(|rule| (rule.location.len(), rule.reserved)).is_some_and(|rule| rule.reserved)
    }
}

impl Rule {
    fn read(value: &Value) -> Option<Self> {
        let location = value.get("location")?.as_str()?;
        let reserved = match value.get("tdm-reservation")? {
            Value::Number(number) => number.as_f64() == Some(1.0),
            Value::String(text) => text.trim() == "1",
            Value::Bool(yes) => *yes,
            _ => return None,
        };
        (!location.is_empty() && location.len() <= 2048).then(|| Self { location: location.to_owned(), reserved })
    }
}

/// `*` is any run of characters, `$` at the end the end; else a pattern fits all that begins so. The
/// leftmost fit of each part leaves the most for the rest, so nothing has to be tried twice.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let (first, rest) = match pattern.split_once('*') {
        Some((first, rest)) => (first, Some(rest)),
        None => (pattern, None),
    };
    let Some(mut path) = path.strip_prefix(first) else { return false };
    let Some(rest) = rest else { return !is_whole || path.is_empty() };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match path.find(part) {
            Some(at) => path = &path[at + part.len()..],
            None => return false,
        }
    }
    if is_whole { path.ends_with(last) } else { path.contains(last) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reserved(file: &str, path: &str) -> bool {
        Tdm::from_answer(Some(200), file.as_bytes())
            .reserved(&Url::parse(&format!("https://example.org{path}")).unwrap())
    }

    #[test]
    fn reservations_hold_for_their_paths() {
        let nested = r#"[{"location":"/","tdm-reservation":1},{"location":"/open/","tdm-reservation":0}]"#;
        for (file, path, expected) in [
            (r#"[{"location":"/","tdm-reservation":1}]"#, "/a", true),
            (r#"[{"location":"/a/","tdm-reservation":1}]"#, "/b", false),
            (r#"[{"location":"/*.jpg$","tdm-reservation":1}]"#, "/x/y.jpg", true),
            (r#"[{"location":"/*.jpg$","tdm-reservation":1}]"#, "/x/y.jpg?z", false),
            (r#"[{"location":"/*/img/*.jpg","tdm-reservation":1}]"#, "/a/img/b.jpg", true),
            (r#"[{"location":"/*/img/*.jpg","tdm-reservation":1}]"#, "/img/b.jpg", false),
            (r#"[{"location":"/a$","tdm-reservation":1}]"#, "/ab", false),
            (nested, "/closed", true),
            (nested, "/open/x", false),
            (r#"[{"location":"/","tdm-reservation":0},{"location":"/","tdm-reservation":1}]"#, "/", true),
            (r#"{"location":"/","tdm-reservation":"1","tdm-policy":"https://example.org/p"}"#, "/", true),
            (r#"[{"location":"/"},{"tdm-reservation":1},7,null]"#, "/", false),
            ("not json", "/", false),
            ("\u{feff}[{\"location\":\"/\",\"tdm-reservation\":1}]", "/", true),
        ] {
            assert_eq!(reserved(file, path), expected, "{file} {path}");
        }
    }

    #[test]
    fn without_a_file_nothing_is_reserved() {
        let file = br#"[{"location":"/","tdm-reservation":1}]"#;
        let url = Url::parse("https://example.org/").unwrap();
        for status in [None, Some(404), Some(500), Some(301)] {
            assert!(!Tdm::from_answer(status, file).reserved(&url), "{status:?}");
        }
    }

    #[test]
    fn hostile_files_do_not_hang() {
        let start = std::time::Instant::now();
        reserved(&"[".repeat(300_000), "/a");
        let stars = "*a".repeat(1000);
        let many = format!(r#"{{"location":"/{stars}b$","tdm-reservation":1}},"#).repeat(200);
        let path = format!("/{}", "a".repeat(2000));
        assert!(!reserved(&format!("[{}]", many.trim_end_matches(',')), &path));
        assert!(start.elapsed() < std::time::Duration::from_secs(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn patterns_fit_as_by_trying_everything(pattern in "/[ab*]{0,6}\\$?", path in "/[ab]{0,7}") {
            fn slow(pattern: &[u8], path: &[u8]) -> bool {
                match pattern {
                    [] => true,
                    [b'$'] => path.is_empty(),
                    [b'*', rest @ ..] => (0..=path.len()).any(|at| slow(rest, &path[at..])),
                    [first, rest @ ..] => path.first() == Some(first) && slow(rest, &path[1..]),
                }
            }
            prop_assert_eq!(fits(&pattern, &path), slow(pattern.as_bytes(), path.as_bytes()));
        }
    }
}
