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

/// Longest JSON-LD script that is read, in bytes.
const LONGEST_SCRIPT: usize = 512 * 1024;
/// Longest value of a property, in bytes.
const LONGEST_VALUE: usize = 2000;
/// Most items inside each other.
const NESTED: usize = 16;
/// Most properties of a page.
const PROPERTIES: usize = 5000;

/// Reads a JSON-LD script.
pub(crate) fn json_ld(script: &str) -> Option<Value> {
    if script.len() > LONGEST_SCRIPT {
        return None;
    }
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
        self.open.push(Open { source, properties, value, node });
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
            self.put(source, names, value.into());
        }
    }

    fn put(&mut self, source: StructuredSource, names: &[String], value: Value) {
        let Some(open) = self.open.iter_mut().rev().find(|open| open.source == source) else { return };
        for name in names {
            self.written += 1;
            if self.written > PROPERTIES {
                return;
            }
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
            self.put(open.source, &open.properties, value);
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
    fn classes_name_microformats() {
        assert_eq!(microformat_root("card h-adr"), Some("h-adr"));
        assert_eq!(microformat_root("geography"), None);
        assert_eq!(microformat_property("p-locality big"), Some("locality"));
        assert_eq!(microformat_property("postal-code"), Some("postal-code"));
        assert_eq!(microformat_property("name"), None);
    }
}
