//! Places as answers and exports show them.

use facts::{Address, LatLon, Locality};
use serde::Serialize;
use store::{ItemLocation, PagePlace};
use utoipa::ToSchema;

/// Where an item was made, or what a page is about.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Location {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// Metres above the sea.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub altitude: Option<f64>,
    /// Where the camera looked, in degrees from north, clockwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<f64>,
    /// The address, when one is given.
    #[schema(value_type = Option<AddressParts>)]
    pub address: Option<Address>,
    /// What is there, in words: "Kiel, Schleswig-Holstein, Germany".
    pub place: Option<String>,
    /// The town.
    pub town: Option<String>,
    /// The first-order area.
    pub admin1: Option<String>,
    /// The country, as a two-letter code.
    pub country: Option<String>,
    /// How it is known: for an item `person`, `exif` … `page`, for a page in which form it says so.
    pub source: String,
    /// How exactly it is known, in metres, where that can be said.
    pub precision_m: Option<f64>,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// The words it was found in.
    pub evidence: Option<String>,
    /// Whether a person confirmed it.
    pub verified: bool,
}

/// [`Address`] as the description of an API tells of it.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(crate) struct AddressParts {
    /// Street, without the number.
    street: Option<String>,
    /// House number.
    number: Option<String>,
    /// Postcode.
    postcode: Option<String>,
    /// Town.
    city: Option<String>,
    /// Country, as a two-letter code.
    country: Option<String>,
}

/// A place that a page speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct SpokenPlace {
    /// In which form the page says so: `address`, `coordinates`, `toponym`, `structured`.
    pub kind: String,
    /// The words it was found in.
    pub text: String,
    /// What is there, in words.
    pub place: Option<String>,
    /// The town.
    pub town: Option<String>,
    /// The first-order area.
    pub admin1: Option<String>,
    /// The country, as a two-letter code.
    pub country: Option<String>,
    /// The address, when one is given.
    #[schema(value_type = Option<AddressParts>)]
    pub address: Option<Address>,
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lon: f64,
    /// How exactly it is known, in metres.
    pub precision_m: f64,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// How often it is mentioned.
    pub mentions: u32,
    /// Whether it lies in the region of a crawl, exactly enough to count.
    pub relevant: bool,
    /// How we know.
    pub why: String,
    /// Its number in the gazetteer, when it is a place there.
    pub id: Option<u32>,
}

/// Nothing is known of a place without a name.
fn place(locality: &Locality) -> Option<String> {
    Some(locality.place.clone()).filter(|place| !place.is_empty())
}

impl From<&ItemLocation> for Location {
    fn from(location: &ItemLocation) -> Self {
        let ItemLocation { at, altitude, direction, source, precision_m, confidence, .. } = location;
        Self {
            lat: at.lat(),
            lon: at.lon(),
            altitude: *altitude,
            direction: *direction,
            address: location.address.clone(),
            place: place(&location.locality),
            town: location.locality.town.clone(),
            admin1: location.locality.admin1.clone(),
            country: location.locality.country.clone(),
            source: source.clone(),
            precision_m: *precision_m,
            confidence: *confidence,
            evidence: location.evidence.clone(),
            verified: location.verified,
        }
    }
}

impl From<&PagePlace> for Location {
    fn from(spoken: &PagePlace) -> Self {
        let SpokenPlace {
            kind, text, place, town, admin1, country, address, lat, lon, precision_m, confidence, ..
        } = spoken.into();
        Self {
            lat,
            lon,
            altitude: None,
            direction: None,
            address,
            place,
            town,
            admin1,
            country,
            source: kind,
            precision_m: Some(precision_m),
            confidence,
            evidence: Some(text),
            verified: false,
        }
    }
}

impl From<&PagePlace> for SpokenPlace {
    fn from(spoken: &PagePlace) -> Self {
        let there = &spoken.whereabouts;
        Self {
            kind: spoken.kind.clone(),
            text: there.evidence.clone(),
            place: place(&there.locality),
            town: there.locality.town.clone(),
            admin1: there.locality.admin1.clone(),
            country: there.locality.country.clone(),
            address: there.address.clone(),
            lat: there.at.lat(),
            lon: there.at.lon(),
            precision_m: there.precision_m,
            confidence: there.confidence,
            mentions: spoken.mentions,
            relevant: spoken.relevant,
            why: spoken.why.clone(),
            id: spoken.id,
        }
    }
}

impl SpokenPlace {
    /// Whether the page says where it is to the house, and not just its name.
    pub fn is_exact(&self) -> bool {
        match self.kind.as_str() {
            "address" | "coordinates" => true,
            "structured" => self.id.is_none() || self.address.as_ref().is_some_and(|address| address.street.is_some()),
            _ => false,
        }
    }

    /// The point.
    pub fn at(&self) -> Option<LatLon> {
        LatLon::new(self.lat, self.lon)
    }
}
