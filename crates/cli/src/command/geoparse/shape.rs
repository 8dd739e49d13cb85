//! What is answered: the JSON that scripts depend on.

use std::ops::Range;

use facts::Address;
use geo::{Country, Gazetteer, Mention, reverse};
use serde::Serialize;

/// A mention as it is printed; `start` and `end` count code points.
#[derive(Serialize)]
pub struct Answered<'m> {
    start: usize,
    end: usize,
    text: &'m str,
    kind: &'static str,
    place: AnsweredPlace,
    address: Option<&'m Address>,
    confidence: f64,
    why: &'m str,
}

#[derive(Serialize)]
struct AnsweredPlace {
    /// The number at GeoNames.
    id: Option<u32>,
    name: String,
    country: Option<&'static str>,
    admin1: Option<&'static str>,
    lat: f64,
    lon: f64,
    precision_m: f64,
}

impl<'m> Answered<'m> {
    pub fn new(mention: &'m Mention, span: Range<usize>, text: &'m str) -> Self {
        Self {
            start: span.start,
            end: span.end,
            text,
            kind: mention.kind.as_str(),
            place: AnsweredPlace::of(mention),
            address: mention.address.as_ref(),
            confidence: rounded(mention.confidence, 3),
            why: &mention.why,
        }
    }

    /// For people: text, kind, place, coordinates, confidence, why.
    pub fn row(&self) -> Vec<String> {
        let place = &self.place;
        let areas = [place.admin1.filter(|area| *area != place.name), place.country];
        let named = areas.into_iter().flatten().fold(place.name.clone(), |name, area| name + ", " + area);
        vec![
            self.text.split_whitespace().collect::<Vec<_>>().join(" "),
            self.kind.to_owned(),
            named,
            format!("{:.5}, {:.5}", place.lat, place.lon),
            format!("{:.2}", self.confidence),
            self.why.to_owned(),
        ]
    }
}

impl AnsweredPlace {
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
pub fn in_short(mention: &Mention) -> String {
    match (&mention.address, mention.place) {
        (Some(address), _) => address.to_string(),
        (None, Some(place)) => place.name().to_owned(),
        (None, None) => format!("{:.5}, {:.5}", mention.at.lat(), mention.at.lon()),
    }
}
