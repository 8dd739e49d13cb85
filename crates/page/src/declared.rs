//! Media a page declares without showing them in a place: Open Graph and JSON-LD.

use facts::MediaKind;
use serde_json::Value;

use crate::media::{MediaOrigin, kind_of_type};
use crate::rights::Rights;

/// A declared media file; its address is still as written.
#[derive(Debug, PartialEq)]
pub(crate) struct Declared<'a> {
    pub(crate) url: &'a str,
    pub(crate) kind: MediaKind,
    pub(crate) alt: &'a str,
    pub(crate) size: Option<(u32, u32)>,
    pub(crate) rights: Rights,
    pub(crate) origin: MediaOrigin,
}

/// Reads `og:image`, `og:image:alt`, … in document order: parts belong to the last address.
pub(crate) fn open_graph(metas: &[(String, String)]) -> Vec<Declared<'_>> {
    let mut found: Vec<Declared> = Vec::new();
    for (name, content) in metas {
        let stem = name.trim_start_matches("og:").trim_start_matches("twitter:");
        let (kind, part) = stem.split_once(':').unwrap_or((stem, ""));
        let Some(kind) = MediaKind::parse(kind) else { continue };
        let last = found.last_mut().filter(|last| last.kind == kind);
        match (part, last) {
            // The same file once more, over another protocol.
            ("url" | "secure_url", Some(last)) if same_but_scheme(last.url, content) => {}
            ("" | "src" | "url" | "secure_url", _) => {
                found.push(Declared {
                    url: content,
                    kind,
                    alt: "",
                    size: None,
                    rights: Rights::default(),
                    origin: MediaOrigin::OpenGraph,
                });
            }
            ("alt", Some(last)) => last.alt = content,
            ("width", Some(last)) => last.size = with_size(last.size, content.parse().ok(), None),
            ("height", Some(last)) => last.size = with_size(last.size, None, content.parse().ok()),
            // A player page is no film.
            ("type", Some(_)) if kind_of_type(content).is_none() => {
                found.pop();
            }
            _ => {}
        }
    }
    found
}

fn same_but_scheme(a: &str, b: &str) -> bool {
    fn bare(url: &str) -> &str {
        url.trim_start_matches("https:").trim_start_matches("http:")
    }
    bare(a) == bare(b)
}

fn with_size(size: Option<(u32, u32)>, width: Option<u32>, height: Option<u32>) -> Option<(u32, u32)> {
    let (w, h) = size.unwrap_or_default();
    Some((width.unwrap_or(w), height.unwrap_or(h))).filter(|size| *size != (0, 0))
}

/// Most values looked at in one script.
const VALUES: usize = 20_000;

/// Finds images, films and sounds anywhere in a JSON-LD value, in document order.
pub(crate) fn json_ld(root: &Value) -> Vec<Declared<'_>> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    for _ in 0..VALUES {
        let Some(value) = waiting.pop() else { break };
        match value {
            Value::Array(values) => waiting.extend(values.iter().rev()),
            Value::Object(members) => {
                if let Some(kind) = object_kind(value)
                    && let Some(url) = text(value, "contentUrl").or_else(|| {
                        // For films and sounds `url` is the page about them.
                        text(value, "url").filter(|_| kind == MediaKind::Image)
                    })
                {
                    found.push(Declared {
                        url,
                        kind,
                        alt: ["caption", "name", "description"].iter().find_map(|key| text(value, key)).unwrap_or(""),
                        size: with_size(None, number(value, "width"), number(value, "height")),
                        rights: Rights::of(value),
                        origin: MediaOrigin::JsonLd,
                    });
                }
                for key in ["image", "photo", "thumbnailUrl"] {
                    let values =
                        members.get(key).map_or(&[][..], |v| v.as_array().map_or(std::slice::from_ref(v), |a| a));
                    found.extend(values.iter().filter_map(image));
                }
                waiting.extend(members.values().rev());
            }
            _ => {}
        }
    }
    found
}

/// The value of an `image` property: an address, or an object without a type.
fn image(value: &Value) -> Option<Declared<'_>> {
    let url = match value {
        Value::String(url) => url,
        _ if object_kind(value).is_some() => return None,
        _ => text(value, "contentUrl").or_else(|| text(value, "url"))?,
    };
    let alt = text(value, "caption").or_else(|| text(value, "name")).unwrap_or("");
    let size = with_size(None, number(value, "width"), number(value, "height"));
    Some(Declared { url, kind: MediaKind::Image, alt, size, rights: Rights::of(value), origin: MediaOrigin::JsonLd })
}

fn object_kind(value: &Value) -> Option<MediaKind> {
    let kinds = value.get("@type")?;
    let kinds = kinds.as_array().map_or(std::slice::from_ref(kinds), |kinds| kinds);
    kinds.iter().filter_map(Value::as_str).find_map(|kind| {
        match kind.trim_start_matches("http://schema.org/").trim_start_matches("https://schema.org/") {
            "ImageObject" | "Photograph" => Some(MediaKind::Image),
            "VideoObject" => Some(MediaKind::Video),
            "AudioObject" => Some(MediaKind::Audio),
            _ => None,
        }
    })
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn number(value: &Value, key: &str) -> Option<u32> {
    let number = value.get(key)?;
    let number = number.get("value").unwrap_or(number);
    number
        .as_u64()
        .and_then(|n| u32::try_from(n).ok())
        .or_else(|| number.as_str()?.trim_end_matches("px").trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn open_graph_parts_belong_to_the_last_address() {
        let metas: Vec<(String, String)> = [
            ("og:image", "http://a.example/1.jpg"),
            ("og:image:secure_url", "https://a.example/1.jpg"),
            ("og:image:width", "1200"),
            ("og:image:height", "630"),
            ("og:image:alt", "A harbour"),
            ("og:image", "http://a.example/2.jpg"),
            ("og:video", "http://a.example/player"),
            ("og:video:type", "text/html"),
            ("og:video:url", "http://a.example/film.mp4"),
            ("twitter:image:src", "http://a.example/3.jpg"),
        ]
        .map(|(name, content)| (name.to_owned(), content.to_owned()))
        .into();
        let found: Vec<_> = open_graph(&metas).into_iter().map(|d| (d.url, d.kind, d.alt, d.size)).collect();
        assert_eq!(
            found,
            [
                ("http://a.example/1.jpg", MediaKind::Image, "A harbour", Some((1200, 630))),
                ("http://a.example/2.jpg", MediaKind::Image, "", None),
                ("http://a.example/film.mp4", MediaKind::Video, "", None),
                ("http://a.example/3.jpg", MediaKind::Image, "", None),
            ]
        );
    }

    #[test]
    fn json_ld_media_are_found_wherever_they_are() {
        let value = json!({"@graph": [
            {"@type": "Article", "image": ["a.jpg", {"url": "b.jpg", "width": 800, "height": "600"}]},
            {"@type": "VideoObject", "name": "A film", "contentUrl": "f.mp4", "url": "/watch", "thumbnailUrl": "t.jpg"},
            {"@type": ["AudioObject"], "contentUrl": "s.mp3"},
            {"@type": "Restaurant", "image": {"@type": "ImageObject", "url": "c.jpg", "caption": "The terrace"}},
            {"@type": "VideoObject", "url": "/only-a-page"}
        ]});
        let found: Vec<_> = json_ld(&value).into_iter().map(|d| (d.url, d.kind, d.alt)).collect();
        assert_eq!(
            found,
            [
                ("a.jpg", MediaKind::Image, ""),
                ("b.jpg", MediaKind::Image, ""),
                ("f.mp4", MediaKind::Video, "A film"),
                ("t.jpg", MediaKind::Image, ""),
                ("s.mp3", MediaKind::Audio, ""),
                ("c.jpg", MediaKind::Image, "The terrace"),
            ]
        );
    }
}
