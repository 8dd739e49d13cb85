//! Places that a text mentions, in the shape that scripts and the web know.

use std::ops::Range;

use facts::Address;
use geo::{Country, Gazetteer, Mention, code_points, reverse};
use serde::Serialize;

/// A place that a text mentions; `start` and `end` count code points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mentioned {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The words.
    pub text: String,
    /// `address`, `coordinates`, `toponym` or `structured`.
    pub kind: &'static str,
    /// What is there.
    pub place: MentionedPlace,
    /// The address, when it is one.
    pub address: Option<Address>,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// How we know.
    pub why: String,
}

/// The place that a mention means.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MentionedPlace {
    /// The number at GeoNames.
    pub id: Option<u32>,
    /// Its name.
    pub name: String,
    /// The country, as a two-letter code.
    pub country: Option<&'static str>,
    /// The first-order area.
    pub admin1: Option<&'static str>,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// How exactly it is known, in metres.
    pub precision_m: f64,
}

impl Mentioned {
    /// A mention that stands at these code points.
    pub fn new(mention: &Mention, span: Range<usize>, text: &str) -> Self {
        Self {
            start: span.start,
            end: span.end,
            text: text.to_owned(),
            kind: mention.kind.as_str(),
            place: MentionedPlace::of(mention),
            address: mention.address.clone(),
            confidence: rounded(mention.confidence, 3),
            why: mention.why.clone(),
        }
    }

    /// All that were found in a text.
    pub fn all(text: &str, mentions: &[Mention]) -> Vec<Self> {
        let words = |mention: &Mention| text.get(mention.span.clone()).unwrap_or_default();
        let spans = code_points(text, mentions);
        mentions.iter().zip(spans).map(|(mention, span)| Self::new(mention, span, words(mention))).collect()
    }

    /// What structured data say: it stands nowhere in the text.
    pub fn structured(mention: &Mention) -> Self {
        Self::new(mention, 0..0, &in_short(mention))
    }
}

impl MentionedPlace {
    fn of(mention: &Mention) -> Self {
        let (place, name, admin1, country) = match mention.place {
            Some(place) => (Some(place), place.name().to_owned(), place.admin1(), place.country()),
            None => {
                let spot = reverse(Gazetteer::embedded(), mention.at);
                let name = spot.town.map_or_else(|| spot.describe(), |town| town.name().to_owned());
                (spot.town, name, spot.admin1, spot.country)
            }
        };
        Self {
            id: place.and_then(|place| place.id().geonames()),
            name,
            country: country.map(Country::code),
            admin1: admin1.map(|area| area.name()),
            lat: rounded(mention.at.lat(), 6),
            lon: rounded(mention.at.lon(), 6),
            precision_m: rounded(mention.precision_m, 1),
        }
    }
}

fn rounded(number: f64, decimals: i32) -> f64 {
    let scale = 10f64.powi(decimals);
    (number * scale).round() / scale
}

/// What structured data say, in a few words.
fn in_short(mention: &Mention) -> String {
    match (&mention.address, mention.place) {
        (Some(address), _) => address.to_string(),
        (None, Some(place)) => place.name().to_owned(),
        (None, None) => format!("{:.5}, {:.5}", mention.at.lat(), mention.at.lon()),
    }
}
