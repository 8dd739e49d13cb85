//! Who made a media file, and under which licence, as a page says it.

use serde_json::Value;

use crate::text::clip;

/// Longest name or licence, in bytes.
const LONGEST: usize = 300;
/// Most people named for one file.
const PEOPLE: usize = 5;

/// What a page says about the rights in a media file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// The licence, by address or name.
    pub licence: Option<String>,
    /// Who made it.
    pub author: Option<String>,
}

impl Rights {
    /// What an object of JSON-LD says of itself.
    pub(crate) fn of(object: &Value) -> Self {
        let licence = object.get("license").and_then(named).or_else(|| object.get("copyrightNotice").and_then(named));
        let people = ["creator", "author", "copyrightHolder", "creditText"];
        Self { licence, author: people.iter().find_map(|key| object.get(key).and_then(named)) }
    }

    /// Takes over what is not known yet.
    pub(crate) fn fill(&mut self, other: Self) {
        self.licence = self.licence.take().or(other.licence);
        self.author = self.author.take().or(other.author);
    }
}

/// A text, the name or address of an object, or several of them.
fn named(value: &Value) -> Option<String> {
    let of_object = |value: &Value| {
        match value {
            Value::String(text) => Some(text.as_str()),
            object => ["name", "url", "@id"].iter().find_map(|key| object.get(key).and_then(Value::as_str)),
        }
        .map(|text| clip(text.trim(), LONGEST).to_owned())
        .filter(|text| !text.is_empty())
    };
    match value {
        Value::Array(values) => {
            let names: Vec<String> = values.iter().filter_map(of_object).take(PEOPLE).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        value => of_object(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rights_are_read_in_every_shape_pages_write_them_in() {
        for (object, licence, author) in [
            (
                json!({"license": "https://cc.example/by", "creator": {"@type": "Person", "name": "Aino"}}),
                Some("https://cc.example/by"),
                Some("Aino"),
            ),
            (
                json!({"license": {"@id": "https://cc.example/by"}, "author": ["A", {"name": "B"}]}),
                Some("https://cc.example/by"),
                Some("A, B"),
            ),
            (json!({"copyrightNotice": "© Aino", "creditText": "Aino's"}), Some("© Aino"), Some("Aino's")),
            (json!({"license": 5, "creator": {"name": 7}, "author": " "}), None, None),
        ] {
            let expected = Rights { licence: licence.map(str::to_owned), author: author.map(str::to_owned) };
            assert_eq!(Rights::of(&object), expected, "{object}");
        }
    }
}
