//! Whose place it is that structured data name: the page's, a picture's, or somebody's aside.

use serde_json::{Map, Value};

use super::fields::first;

/// Most media that one place is said of.
const MEDIA: usize = 50;

/// What a place said for machines is the place of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Subject {
    /// The page as a whole, or one of the things it is about.
    #[default]
    Page,
    /// A picture, film or sound.
    Media,
    /// Something else: who publishes the page, where its author was born.
    Aside,
}

/// The subject of an object on the way down to the places in it.
#[derive(Clone, Default)]
pub(super) struct Whose {
    pub(super) subject: Subject,
    /// Addresses of media, as written.
    pub(super) media: Vec<String>,
}

impl Whose {
    /// That of an object found where this one was.
    pub(super) fn of(&self, object: &Map<String, Value>) -> Self {
        if self.subject == Subject::Aside {
            return self.clone();
        }
        if is_a(object, &["ImageObject", "Photograph", "VideoObject", "AudioObject"]) {
            let media =
                ["contentUrl", "url", "thumbnailUrl"].iter().filter_map(|key| first(object.get(*key)?).as_str());
            return Self { subject: Subject::Media, media: media.map(str::to_owned).collect() };
        }
        if is_a(object, &["Organization", "Corporation", "NewsMediaOrganization", "Person", "WebSite"]) {
            return Self { subject: Subject::Aside, media: Vec::new() };
        }
        let own: Vec<String> = ["image", "photo"]
            .iter()
            .filter_map(|key| object.get(*key))
            .flat_map(|value| value.as_array().map_or(std::slice::from_ref(value), |values| values))
            .filter_map(address_of)
            .take(MEDIA)
            .map(str::to_owned)
            .collect();
        Self { subject: self.subject, media: if own.is_empty() { self.media.clone() } else { own } }
    }

    /// That of what stands under a property.
    pub(super) fn under(&self, property: &str) -> Self {
        match property {
            // Who made it, and what is only touched on.
            "publisher" | "author" | "creator" | "provider" | "organizer" | "performer" | "contributor" | "editor"
            | "copyrightHolder" | "sponsor" | "funder" | "founder" | "member" | "memberOf" | "employee"
            | "worksFor" | "affiliation" | "alumniOf" | "parentOrganization" | "subOrganization" | "branchOf"
            | "brand" | "manufacturer" | "seller" | "offers" | "birthPlace" | "deathPlace" | "homeLocation"
            | "workLocation" | "nationality" | "foundingLocation" | "areaServed" | "containedInPlace"
            | "containedIn" | "isPartOf" | "mentions" | "review" | "reviews" | "comment" | "isRelatedTo"
            | "citation" | "sourceOrganization" | "accountablePerson" | "maintainer" | "translator" => {
                Self { subject: Subject::Aside, media: Vec::new() }
            }
            // Where it is.
            "location" | "contentLocation" | "locationCreated" | "spatialCoverage" | "spatial" | "geo" | "address"
            | "itemLocation" | "jobLocation" | "geoMidpoint" => self.clone(),
            // Another thing of the same page.
            _ if self.subject == Subject::Media => Self { subject: Subject::Aside, media: Vec::new() },
            _ => Self { subject: self.subject, media: Vec::new() },
        }
    }
}

/// The value of an `image` property: an address, or an object with one.
fn address_of(value: &Value) -> Option<&str> {
    match value {
        Value::String(url) => Some(url),
        Value::Object(object) => ["contentUrl", "url"].iter().find_map(|key| object.get(*key)?.as_str()),
        _ => None,
    }
}

fn is_a(object: &Map<String, Value>, kinds: &[&str]) -> bool {
    let named = |value: &Value| {
        value.as_str().is_some_and(|written| {
            // Microdata names several types in one string.
            written
                .split_ascii_whitespace()
                .any(|written| kinds.contains(&written.rsplit('/').next().unwrap_or(written)))
        })
    };
    match object.get("@type") {
        Some(Value::Array(values)) => values.iter().any(named),
        Some(value) => named(value),
        None => false,
    }
}
