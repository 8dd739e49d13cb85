//! Structured data: what a page says for machines.

use serde_json::{Map, Value};

use crate::text::clip;
use crate::tree::NodeId;

/// One piece of structured data, as found.
#[derive(Clone, Debug, PartialEq)]
pub struct Structured {
    /// In which form it was written.
    pub source: StructuredSource,
    /// JSON-LD as parsed. Microdata and microformats in the same shape: an object with `@type` and
    /// a member for each property, an array where it is repeated. A meta is an object with `name`
    /// and `content`, a geo URI a string.
    pub value: Value,
    /// Where it stands.
    pub node: NodeId,
}

/// In which form structured data were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StructuredSource {
    /// `<script type="application/ld+json">`.
    JsonLd,
    /// `itemscope`, `itemprop`.
    Microdata,
    /// `h-geo`, `h-adr`, `geo`, `adr` classes.
    Microformat,
    /// `geo.position`, `ICBM`, `place:location:…` metas.
    Meta,
    /// A link to a `geo:` URI.
    GeoUri,
}

/// Longest JSON-LD script that is read, in bytes, and how much of them is read on one page.
const LONGEST_SCRIPT: usize = 512 * 1024;
const LONGEST_SCRIPTS: usize = 4 * LONGEST_SCRIPT;
/// Most values of a JSON-LD script, and of all of them on one page: an object of three bytes takes
/// hundreds in memory.
const VALUES: usize = 20_000;
const VALUES_IN_ALL: usize = 2 * VALUES;
/// Longest value of a property, in bytes.
const LONGEST_VALUE: usize = 2000;
/// Most items inside each other.
const NESTED: usize = 16;
/// Most properties of a page.
const PROPERTIES: usize = 5000;

/// Reads the JSON-LD scripts of a page, as far as its share of memory goes.
pub(crate) struct Scripts {
    bytes: usize,
    values: usize,
}

impl Default for Scripts {
    fn default() -> Self {
        Self { bytes: LONGEST_SCRIPTS, values: VALUES_IN_ALL }
    }
}

impl Scripts {
    /// Reads a script; nothing when it is malformed, or more than is read.
    pub(crate) fn read(&mut self, script: &str) -> Option<Value> {
        // Commas in texts count too: there are far fewer than this in any that is written by hand.
        let values = memchr::memchr3_iter(b'[', b'{', b',', script.as_bytes()).count();
        if script.len() > LONGEST_SCRIPT.min(self.bytes) || values > VALUES.min(self.values) {
            return None;
        }
        self.bytes -= script.len();
        self.values -= values;
        json_ld(script)
    }
}

fn json_ld(script: &str) -> Option<Value> {
    let script = script.trim().trim_start_matches("<!--").trim_start_matches("//<![CDATA[").trim_start();
    let script = script.trim_end_matches("-->").trim_end_matches("//]]>").trim_end().trim_end_matches(';');
    // Line breaks inside strings are the commonest slip, and harmless.
    serde_json::from_str(script)
        .or_else(|_| serde_json::from_str(&script.replace(|c: char| c.is_control(), " ")))
        .ok()
        .filter(|value: &Value| value.is_object() || value.is_array())
}

/// An item whose element is still open.
struct Open {
    source: StructuredSource,
    /// The properties of the item around it that this one is the value of.
    properties: Vec<String>,
    value: Map<String, Value>,
    /// How many values it holds, with those of items inside it.
    holds: usize,
    node: NodeId,
}

/// Gathers items of microdata and microformats while the page is walked.
#[derive(Default)]
pub(crate) struct Items {
    open: Vec<Open>,
    written: usize,
}

impl Items {
    /// Starts an item; false when it is nested too deep, and then it must not be closed.
    pub(crate) fn open(
        &mut self,
        source: StructuredSource,
        types: &str,
        properties: Vec<String>,
        node: NodeId,
    ) -> bool {
        if self.open.len() >= NESTED {
            return false;
        }
        let mut value = Map::new();
        if !types.trim().is_empty() {
            value.insert("@type".into(), clip(types.trim(), LONGEST_VALUE).into());
        }
        self.open.push(Open { source, properties, value, holds: 0, node });
        true
    }

    /// Whether an item of this form is open.
    pub(crate) fn inside(&self, source: StructuredSource) -> bool {
        self.open.iter().any(|open| open.source == source)
    }

    /// A property of the innermost open item of this form.
    pub(crate) fn property(&mut self, source: StructuredSource, names: &[String], value: &str) {
        let value = clip(value.trim(), LONGEST_VALUE);
        if !value.is_empty() {
            self.put(source, names, value.into(), 1);
        }
    }

    /// Gives a value, which `holds` so many others with itself, to each of these properties. The first
    /// takes those that were counted already; what is copied for another counts again, all of it: else
    /// items inside each other, of several names each, would double with each level.
    fn put(&mut self, source: StructuredSource, names: &[String], value: Value, holds: usize) {
        let Some(open) = self.open.iter_mut().rev().find(|open| open.source == source) else { return };
        for (i, name) in names.iter().enumerate() {
            let counts = if i == 0 { 1 } else { holds };
            if counts > PROPERTIES - self.written {
                return;
            }
            self.written += counts;
            open.holds += holds;
            match open.value.get_mut(name) {
                None => {
                    open.value.insert(name.clone(), value.clone());
                }
                Some(Value::Array(values)) => values.push(value.clone()),
                Some(single) => *single = Value::Array(vec![single.take(), value.clone()]),
            }
        }
    }

    /// Ends the innermost item. `text` is what the element says, for a bare
    /// `<span class="geo">62.6; 29.7</span>`.
    pub(crate) fn close(&mut self, text: &str) -> Option<Structured> {
        let mut open = self.open.pop()?;
        let bare = open.value.keys().all(|key| key == "@type");
        if bare && open.source == StructuredSource::Microformat {
            let is_geo = open.value.get("@type").and_then(Value::as_str).is_some_and(|kind| kind.contains("geo"));
            if !is_geo || !text.contains(|c: char| c.is_ascii_digit()) {
                return None;
            }
            open.value.insert("value".into(), clip(text, 100).into());
        } else if bare {
            return None;
        }
        let value = Value::Object(open.value);
        if !open.properties.is_empty() && self.inside(open.source) {
            self.put(open.source, &open.properties, value, 1 + open.holds);
            return None;
        }
        Some(Structured { source: open.source, value, node: open.node })
    }
}

/// The microformat a class list is the root of.
pub(crate) fn microformat_root(classes: &str) -> Option<&'static str> {
    classes.split_ascii_whitespace().find_map(|class| {
        Some(match class {
            "h-geo" => "h-geo",
            "h-adr" => "h-adr",
            "geo" => "geo",
            "adr" => "adr",
            _ => return None,
        })
    })
}

/// The microformat property a class list names.
pub(crate) fn microformat_property(classes: &str) -> Option<&'static str> {
    const NAMES: [&str; 11] = [
        "latitude",
        "longitude",
        "altitude",
        "street-address",
        "extended-address",
        "post-office-box",
        "locality",
        "region",
        "postal-code",
        "country-name",
        "name",
    ];
    classes.split_ascii_whitespace().find_map(|class| {
        let name = class.strip_prefix("p-").unwrap_or(class);
        NAMES.into_iter().find(|known| *known == name && (*known != "name" || class == "p-name"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_ld_is_read_with_its_usual_slips_and_otherwise_refused() {
        for (script, expected) in [
            (r#" {"@type":"Place"} "#, Some(json!({"@type": "Place"}))),
            ("<!-- {\"a\":1} -->", Some(json!({"a": 1}))),
            ("//<![CDATA[\n{\"a\":1}\n//]]>", Some(json!({"a": 1}))),
            ("{\"a\":\"two\nlines\"};", Some(json!({"a": "two lines"}))),
            ("[]", Some(json!([]))),
            ("{\"a\":1,}", None),
            ("\"text\"", None),
            ("", None),
        ] {
            assert_eq!(json_ld(script), expected, "{script}");
        }
        assert_eq!(json_ld(&"[".repeat(100_000)), None);
    }

    #[test]
    fn scripts_are_read_until_a_page_has_had_its_share() {
        let of = |objects: usize| format!("[{}]", vec!["{\"\":{}}"; objects].join(","));
        assert!(Scripts::default().read(&of(6_000)).is_some());
        assert!(Scripts::default().read(&of(10_000)).is_none());
        let read = |script: &str| {
            let mut scripts = Scripts::default();
            (0..100).filter(|_| scripts.read(script).is_some()).count()
        };
        assert_eq!(read(&of(6_000)), 2);
        assert_eq!(read(&format!("{{\"text\":\"{}\"}}", "x".repeat(500_000))), 4);
        assert_eq!(read(&of(10)), 100);
    }

    #[test]
    fn items_of_several_names_inside_each_other_are_copied_only_so_often() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        let source = StructuredSource::Microdata;
        let values = |depth: usize| {
            let mut items = Items::default();
            for _ in 0..depth {
                assert!(items.open(source, "", names.clone(), crate::tree::Tree::default().push(None)));
            }
            items.property(source, &names, "x");
            let item = (0..depth).filter_map(|_| items.close("")).last().unwrap();
            item.value.to_string().matches('x').count()
        };
        // One that is said to be two things is both.
        assert_eq!((values(1), values(2), values(3)), (4, 16, 64));
        assert!((1_000..=PROPERTIES).contains(&values(9)), "{}", values(9));
    }

    #[test]
    fn classes_name_microformats() {
        assert_eq!(microformat_root("card h-adr"), Some("h-adr"));
        assert_eq!(microformat_root("geography"), None);
        assert_eq!(microformat_property("p-locality big"), Some("locality"));
        assert_eq!(microformat_property("postal-code"), Some("postal-code"));
        assert_eq!(microformat_property("name"), None);
    }
}
