//! What was found, in the shape that scripts and the web know.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;
use store::{MediaItem, PageItem};
use utoipa::ToSchema;

use crate::{Instead, Location, Matched, SpokenPlace};

/// What a question came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Answer {
    /// How much matches.
    pub total: u64,
    /// Whether there is more than was counted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub total_is_at_least: bool,
    /// The first of it.
    pub results: Vec<Hit>,
    /// How long the library took.
    pub milliseconds: u64,
    /// What was looked for, in words; what was typed stands between asterisks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub said: String,
    /// What was not taken as it was typed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Words that nobody has, and what was looked for in their place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<Instead>,
    /// A question that is likelier to be meant, when little was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
    /// Items or pages that are not found by words yet: they are being prepared.
    #[serde(skip_serializing_if = "is_none")]
    pub unworded: u64,
}

fn is_none(number: &u64) -> bool {
    *number == 0
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Hit {
    /// A picture, film or sound.
    Media(Box<MediaHit>),
    /// A page.
    Page(Box<PageHit>),
}

/// A picture, film or sound that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MediaHit {
    /// SHA-256 of its bytes.
    pub id: String,
    /// How well it matches words, from 0 to 1; nothing when none were asked for.
    pub score: Option<f64>,
    /// How much it is like an example; nothing when there was none.
    pub similarity: Option<f64>,
    /// `image`, `video` or `audio`.
    pub kind: &'static str,
    /// Where the file is.
    pub file: String,
    /// The address it was first found at.
    pub image: Option<String>,
    /// The page it was first found on.
    pub page: Option<String>,
    /// Its own title.
    pub title: Option<String>,
    /// What pages say about it, else what it says of itself.
    pub description: String,
    /// Where it was made.
    pub location: Option<Location>,
    /// Metres from the point that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_m: Option<f64>,
    /// Why it is an answer to an example, where that is more than its similarity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Its copies: items that look or sound the same, and other addresses that hold the same bytes.
    pub copies: u64,
    /// Whether it is not on the web any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
    /// What of it matches words.
    #[serde(flatten)]
    pub matched: Matched,
}

/// A page that was found.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PageHit {
    /// Its address.
    pub id: String,
    /// How well it matches words, from 0 to 1; nothing when none were asked for.
    pub score: Option<f64>,
    /// How much it is like an example; nothing when there was none.
    pub similarity: Option<f64>,
    /// `page`.
    #[schema(value_type = String)]
    pub kind: &'static str,
    /// Its address.
    pub page: String,
    /// Its title.
    pub title: String,
    /// What it says of itself.
    pub description: String,
    /// Its language, as an ISO 639-1 code.
    pub language: Option<String>,
    /// Whether it is relevant to the region of a crawl that read it.
    pub relevant: bool,
    /// The place it is about.
    pub location: Option<Location>,
    /// Metres from the point that was asked about to the nearest of its places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance_m: Option<f64>,
    /// The places it speaks of.
    pub places: Vec<SpokenPlace>,
    /// Whether it is not there any more.
    pub gone: bool,
    /// What of it matches words.
    #[serde(flatten)]
    pub matched: Matched,
}

impl MediaHit {
    /// An item, with paths that start from the media directory.
    pub fn of(item: &MediaItem, distance_m: Option<f64>, media: &Path) -> Self {
        let said = item.found.iter().map(|sighting| sighting.description.as_str());
        let edited = item.edited.clone().unwrap_or_default();
        let written = edited.description.as_deref().into_iter();
        let description = written.chain(said).chain(item.description.as_deref()).find(|text| !text.is_empty());
        Self {
            id: item.id.to_string(),
            score: None,
            similarity: None,
            kind: item.kind.as_str(),
            file: file_of(media, &item.path),
            image: item.found.first().map(|sighting| sighting.image.clone()),
            page: item.found.iter().find_map(|sighting| sighting.page.clone()),
            title: edited.title.clone().or_else(|| item.title.clone()),
            description: description.unwrap_or_default().to_owned(),
            location: item.location.as_ref().map(Location::from),
            distance_m,
            why: None,
            copies: item.copies + item.addresses.saturating_sub(1),
            gone: item.gone.is_some(),
            matched: Matched::default(),
        }
    }
}

impl PageHit {
    /// A page with its places.
    pub fn of(page: &PageItem, distance_m: Option<f64>) -> Self {
        Self {
            id: page.url.clone(),
            score: None,
            similarity: None,
            kind: "page",
            page: page.url.clone(),
            title: page.title.clone(),
            description: page.description.clone(),
            language: page.language.clone(),
            relevant: page.relevant,
            location: page.focus.and_then(|focus| page.places.get(focus)).map(Location::from),
            distance_m,
            places: page.places.iter().map(SpokenPlace::from).collect(),
            gone: page.gone.is_some(),
            matched: Matched::default(),
        }
    }

    /// The names of its places, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        self.places.iter().filter_map(|place| place.place.as_deref()).filter(|name| seen.insert(*name)).collect()
    }
}

/// Where a file is. An absolute path, of an imported file, stays what it is.
pub fn file_of(media: &Path, path: &str) -> String {
    media.join(path).display().to_string()
}
