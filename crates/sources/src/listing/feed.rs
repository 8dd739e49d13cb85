//! Feeds: RSS, Atom and JSON Feed, with what they enclose.

use facts::{MediaKind, Url};
use quick_xml::events::BytesStart;
use serde::Deserialize;

use super::xml::{Step, attribute, local, walk};
use super::{Listing, MEDIA, MOST};
use crate::source::{Start, StartMedia};

#[derive(Default)]
struct Item {
    page: Option<Url>,
    title: String,
    media: Vec<StartMedia>,
}

/// Reads RSS (also 1.0) or Atom; nothing when it is neither.
pub(super) fn read_xml(text: &str, from: &Url) -> Option<Listing> {
    let (mut listing, mut is_one) = (Listing::default(), false);
    let mut item: Option<Item> = None;
    walk(text, |step| {
        match step {
            Step::Start(name, start) => {
                match local(name) {
                    "rss" | "feed" | "RDF" | "channel" => is_one = true,
                    "item" | "entry" => item = Some(Item::default()),
                    _ => {}
                }
                if let Some(item) = &mut item {
                    begin(name, start, from, item);
                }
            }
            Step::End(name, said) => match (local(name), &mut item) {
                ("item" | "entry", Some(_)) => {
                    let done = item.take().unwrap_or_default();
                    listing.starts.extend(done.page.map(|url| Start { url, title: done.title, media: done.media }));
                }
                ("link" | "guid" | "id", Some(item)) if !said.is_empty() => {
                    // An address that is meant as such comes before a mere identity.
                    let url = from.join(said).ok().filter(|_| said.contains("://") || name == "link");
                    item.page = if name == "link" { url.or(item.page.take()) } else { item.page.take().or(url) };
                }
                ("title", Some(item)) if item.title.is_empty() => item.title = said.chars().take(300).collect(),
                _ => {}
            },
        }
        is_one && listing.starts.len() < MOST
    });
    is_one.then_some(listing)
}

fn begin(name: &str, start: &BytesStart<'_>, from: &Url, item: &mut Item) {
    let value = |name: &str| attribute(start, name);
    match local(name) {
        "link" if value("href").is_some() => {
            let rel = value("rel").unwrap_or_else(|| "alternate".into());
            let url = value("href").and_then(|href| from.join(&href).ok());
            match rel.as_str() {
                "alternate" => item.page = item.page.take().or(url),
                "enclosure" => add(item, url, value("type")),
                _ => {}
            }
        }
        "enclosure" => add(item, value("url").and_then(|url| from.join(&url).ok()), value("type")),
        // Media RSS.
        "content" | "thumbnail" if value("url").is_some() => {
            let kind = value("type").or_else(|| value("medium")).or(Some("image".into()));
            add(item, value("url").and_then(|url| from.join(&url).ok()), kind);
        }
        _ => {}
    }
}

fn add(item: &mut Item, url: Option<Url>, kind: Option<String>) {
    let kind = kind.and_then(|kind| MediaKind::parse(kind.split('/').next().unwrap_or_default()));
    if let (Some(url), Some(kind)) = (url, kind)
        && item.media.len() < MEDIA
    {
        item.media.push(StartMedia { url, kind, words: item.title.clone() });
    }
}

#[derive(Deserialize)]
struct JsonFeed {
    items: Vec<JsonItem>,
}

#[derive(Deserialize)]
struct JsonItem {
    url: Option<String>,
    external_url: Option<String>,
    title: Option<String>,
    image: Option<String>,
    #[serde(default)]
    attachments: Vec<Attachment>,
}

#[derive(Deserialize)]
struct Attachment {
    url: String,
    #[serde(default)]
    mime_type: String,
}

/// Reads a JSON Feed; nothing when it is none.
pub(super) fn read_json(text: &str, from: &Url) -> Option<Listing> {
    let feed: JsonFeed = serde_json::from_str(text).ok()?;
    let start = |found: JsonItem| {
        let url = from.join(&found.url.or(found.external_url)?).ok()?;
        let title: String = found.title.unwrap_or_default().chars().take(300).collect();
        let mut item = Item { page: None, title, media: Vec::new() };
        add(&mut item, found.image.and_then(|image| from.join(&image).ok()), Some("image".into()));
        for attachment in found.attachments {
            add(&mut item, from.join(&attachment.url).ok(), Some(attachment.mime_type));
        }
        Some(Start { url, title: item.title, media: item.media })
    };
    Some(Listing { starts: feed.items.into_iter().take(MOST).filter_map(start).collect(), maps: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from() -> Url {
        Url::parse("https://example.org/feed").unwrap()
    }

    /// Address, title and media of each item.
    fn shown(listing: Option<Listing>) -> Vec<(String, String, Vec<String>)> {
        let media = |start: &Start| start.media.iter().map(|media| format!("{} {}", media.kind, media.url)).collect();
        let starts = listing.unwrap().starts;
        starts.iter().map(|start| (start.url.to_string(), start.title.clone(), media(start))).collect()
    }

    fn entry(url: &str, title: &str, media: &[&str]) -> (String, String, Vec<String>) {
        (url.into(), title.into(), media.iter().map(|text| (*text).to_owned()).collect())
    }

    #[test]
    fn feeds_of_all_kinds_name_pages_and_what_they_enclose() {
        let rss = "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><title>All</title><link>https://example.org/</link>
            <item><title>Castle</title><link>https://example.org/1</link><guid>https://example.org/?p=1</guid>
            <enclosure url='/1.mp3' type='audio/mpeg'/><media:content url='/1.jpg' medium='image'/></item>
            <item><guid isPermaLink='true'>https://example.org/2</guid></item></channel></rss>";
        let expected = [
            entry(
                "https://example.org/1",
                "Castle",
                &["audio https://example.org/1.mp3", "image https://example.org/1.jpg"],
            ),
            entry("https://example.org/2", "", &[]),
        ];
        assert_eq!(shown(read_xml(rss, &from())), expected);
        let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://example.org/'/>
            <entry><title>Tower</title><id>tag:x</id><link rel='self' href='/no'/><link href='/3'/>
            <link rel='enclosure' type='video/mp4' href='/3.mp4'/></entry></feed>";
        assert_eq!(
            shown(read_xml(atom, &from())),
            [entry("https://example.org/3", "Tower", &["video https://example.org/3.mp4"])]
        );
        let json = "{\"items\": [{\"id\": \"4\", \"url\": \"https://example.org/4\", \"title\": \"Gate\", \"image\": \"/4.jpg\",
            \"attachments\": [{\"url\": \"/4.mp3\", \"mime_type\": \"audio/mpeg\"}]}, {\"id\": \"5\"}]}";
        let expected = ["image https://example.org/4.jpg", "audio https://example.org/4.mp3"];
        assert_eq!(shown(read_json(json, &from())), [entry("https://example.org/4", "Gate", &expected)]);
        assert_eq!(read_xml("<html><body><item><link>/x</link></item>", &from()), None);
    }
}
