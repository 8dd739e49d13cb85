//! What a page says of places for machines [algorithms 3.1.2]: JSON-LD and microdata, metas,
//! microformats, `geo:` URIs, and links to map services that carry coordinates.
//!
//! `fields` reads single values, `subject` tells whose place it is, `map_link` reads links.

mod fields;
mod map_link;
mod subject;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use facts::{Address, LatLon, Url};
use page::{NodeId, Page, Structured, StructuredSource};
use serde_json::{Map, Value};

use self::fields::{coordinates, first, own_address, point, text};
use self::map_link::map_link;
pub use self::subject::Subject;
use self::subject::Whose;
use crate::gazetteer::{Gazetteer, Place};
use crate::parse::{
    Clues, Fit, Hints, Mention, MentionKind, country_code, doubted, fit, geo_uri, parse_with, precision_m, refined,
    town, two_numbers,
};

/// Objects inside each other that are looked into.
const DEPTH: usize = 12;
/// Most places of a page's structured data.
const MOST: usize = 1000;
/// Most objects looked into: references can lead to the same one again and again.
const OBJECTS: usize = 20_000;
/// Confidence of coordinates said for machines, of addresses, of names alone, of map links (which
/// may point to anything).
const COORDINATES: f64 = 0.97;
const ADDRESS: f64 = 0.95;
const NAME: f64 = 0.7;
const MAP_LINK: f64 = 0.8;

/// A place said for machines, where on the page, and whose it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The place; its span is empty.
    pub mention: Mention,
    /// The element that says it; `None` for metas that come in several.
    pub node: Option<NodeId>,
    /// In which form it is said; `None` for a link to a map.
    pub source: Option<StructuredSource>,
    /// What it is the place of.
    pub subject: Subject,
    /// The pictures, films or sounds that were made there, or show what is there.
    pub media: Vec<Url>,
}

/// The places that a page's structured data name.
pub fn structured(page: &Page, hints: &Hints<'_>) -> Vec<Located> {
    let mut reader = Reader {
        gazetteer: Gazetteer::embedded(),
        hints,
        base: &page.base,
        named: HashMap::new(),
        objects: OBJECTS,
        found: Vec::new(),
    };
    let mut metas: Vec<(&str, &str)> = Vec::new();
    for piece in &page.structured {
        if piece.source == StructuredSource::JsonLd {
            reader.name_objects(&piece.value, 0);
        }
    }
    for piece in &page.structured {
        let told = Told { node: Some(piece.node), source: Some(piece.source), whose: Whose::default() };
        match piece.source {
            StructuredSource::Meta => metas.extend(meta(piece)),
            StructuredSource::GeoUri => {
                if let Some((at, spread)) = piece.value.as_str().and_then(geo_uri) {
                    reader.add(&told, Said::point(at, spread, COORDINATES, "a geo URI"));
                }
            }
            StructuredSource::JsonLd | StructuredSource::Microdata | StructuredSource::Microformat => {
                reader.value(&piece.value, &told, 0);
            }
        }
    }
    reader.metas(&metas);
    let links = page.links.iter().map(|link| (link.url.as_str().to_owned(), link.node));
    let fragments = page.fragments.iter().map(|link| (format!("{}#{}", link.url.as_str(), link.fragment), link.node));
    for (link, node) in links.chain(fragments) {
        if let Some((at, spread)) = map_link(&link) {
            let told = Told { node: Some(node), source: None, whose: Whose::default() };
            reader.add(&told, Said::point(at, spread, MAP_LINK, "a link to a map"));
        }
    }
    reader.found
}

fn meta(piece: &Structured) -> Option<(&str, &str)> {
    Some((piece.value.get("name")?.as_str()?, piece.value.get("content")?.as_str()?))
}

/// Where something is said, and of what.
#[derive(Clone)]
struct Told {
    node: Option<NodeId>,
    source: Option<StructuredSource>,
    whose: Whose,
}

/// What is said.
struct Said<'s> {
    at: LatLon,
    precision_m: f64,
    place: Option<Place>,
    address: Option<Address>,
    confidence: f64,
    why: &'s str,
}

impl<'s> Said<'s> {
    fn point(at: LatLon, precision_m: f64, confidence: f64, why: &'s str) -> Self {
        Self { at, precision_m, place: None, address: None, confidence, why }
    }

    fn place(place: Place, address: Option<Address>, confidence: f64, why: &'s str) -> Self {
        let refined = address.as_ref().and_then(|address| refined(place, address));
        let (at, precision_m) = refined
            .and_then(|((lat, lon), precision_m, _)| Some((LatLon::new(lat, lon)?, precision_m)))
            .unwrap_or((place.at(), precision_m(place)));
        Self { at, precision_m, place: Some(place), address, confidence, why }
    }
}

struct Reader<'r> {
    gazetteer: &'static Gazetteer,
    hints: &'r Hints<'r>,
    base: &'r Url,
    /// JSON-LD objects by their `@id`.
    named: HashMap<&'r str, &'r Map<String, Value>>,
    /// Objects that may still be looked into.
    objects: usize,
    found: Vec<Located>,
}

impl<'r> Reader<'r> {
    fn add(&mut self, told: &Told, said: Said<'_>) {
        let mut address = said.address;
        if let Some(country) = address.as_mut().and_then(|address| address.country.as_mut())
            && let Some(code) = country_code(self.gazetteer, country)
        {
            *country = code.to_owned();
        }
        let media: Vec<Url> = told.whose.media.iter().filter_map(|written| self.base.join(written).ok()).collect();
        let known = self.found.iter().any(|known| {
            known.mention.at == said.at
                && (known.mention.address == address || address.is_none())
                && known.subject == told.whose.subject
                && known.media == media
        });
        if known || self.found.len() >= MOST {
            return;
        }
        let mention = Mention {
            span: 0..0,
            kind: MentionKind::Structured,
            place: said.place,
            at: said.at,
            precision_m: said.precision_m,
            confidence: said.confidence,
            address,
            why: format!("the page says so for machines: {}", said.why),
        };
        let (node, source, subject) = (told.node, told.source, told.whose.subject);
        self.found.push(Located { mention, node, source, subject, media });
    }

    /// Remembers objects by their names, for others that refer to them.
    fn name_objects(&mut self, value: &'r Value, depth: usize) {
        if depth > DEPTH || self.named.len() >= OBJECTS {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.name_objects(value, depth + 1)),
            Value::Object(object) => {
                if object.len() > 1
                    && let Some(id) = object.get("@id").and_then(Value::as_str)
                {
                    self.named.entry(id).or_insert(object);
                }
                object.values().for_each(|value| self.name_objects(value, depth + 1));
            }
            _ => {}
        }
    }

    /// The first of several values; of a bare reference, what it refers to.
    fn resolved<'v>(&self, value: &'v Value) -> Option<&'v Map<String, Value>>
    where
        'r: 'v,
    {
        let object = first(value).as_object()?;
        match object.get("@id").and_then(Value::as_str) {
            Some(id) if object.len() == 1 => self.named.get(id).copied(),
            _ => Some(object),
        }
    }

    fn value(&mut self, value: &Value, told: &Told, depth: usize) {
        if depth > DEPTH || self.found.len() >= MOST {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.value(value, told, depth + 1)),
            Value::Object(_) => {
                if let Some(object) = self.resolved(value) {
                    self.object(object, told, depth);
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, object: &Map<String, Value>, told: &Told, depth: usize) {
        let Some(left) = self.objects.checked_sub(1) else { return };
        self.objects = left;
        let told = Told { whose: told.whose.of(object), ..told.clone() };
        let postal = object.get("address").and_then(|value| self.resolved(value)).unwrap_or(object);
        let address = own_address(postal).or_else(|| own_address(object));
        let geo = object.get("geo");
        let point = coordinates(object)
            .or_else(|| geo.and_then(|geo| self.resolved(geo)).and_then(coordinates))
            .or_else(|| geo.map(first).and_then(point));
        let bare = object.get("address").map(first).and_then(Value::as_str);
        match (point, &address, bare) {
            (Some((at, spread)), _, _) => {
                let why = if address.is_some() { "coordinates with an address" } else { "coordinates" };
                self.add(&told, Said { address: address.clone(), ..Said::point(at, spread, COORDINATES, why) });
            }
            (None, Some(address), _) => {
                let region = text(postal, "addressRegion").or_else(|| text(object, "region"));
                let clues = Clues { region: region.as_deref(), ..Clues::default() };
                if let Some(place) = town(self.gazetteer, address, clues, self.hints) {
                    let fit = fit(place, address);
                    let why = format!("a postal address{}", Fit::describe(fit));
                    self.add(&told, Said::place(place, Some(address.clone()), doubted(ADDRESS, fit), &why));
                }
            }
            (None, None, Some(bare)) => self.free_text(bare, &told),
            _ => {}
        }
        if let Some((at, spread)) = object.get("hasMap").map(first).and_then(Value::as_str).and_then(map_link) {
            self.add(&told, Said::point(at, spread, COORDINATES, "a map"));
        }
        for (key, value) in object {
            // What was read above is not read again.
            let was_read = matches!(&**key, "geo" | "address" | "hasMap");
            let nothing_found = point.is_none() && address.is_none() && key != "address";
            if (!was_read || nothing_found) && (value.is_object() || value.is_array()) {
                let inner = Told { whose: told.whose.under(key), ..told.clone() };
                self.value(value, &inner, depth + 1);
            }
        }
    }

    /// An address in one string.
    fn free_text(&mut self, written: &str, told: &Told) {
        let best = parse_with(self.gazetteer, written, self.hints).into_iter().min_by(|a, b| {
            (a.kind as u8, a.precision_m)
                .partial_cmp(&(b.kind as u8, b.precision_m))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        if let Some(mention) = best {
            let confidence = mention.confidence.min(ADDRESS);
            let said = match mention.place {
                Some(place) => Said::place(place, mention.address, confidence, "an address in words"),
                None => Said::point(mention.at, mention.precision_m, confidence, "coordinates in words"),
            };
            self.add(told, said);
        }
    }

    fn metas(&mut self, metas: &[(&str, &str)]) {
        let told = Told { node: None, source: Some(StructuredSource::Meta), whose: Whose::default() };
        let get =
            |name: &str| metas.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, content)| *content);
        for name in ["geo.position", "icbm"] {
            if let Some((at, spread)) = get(name).and_then(two_numbers) {
                self.add(&told, Said::point(at, spread, COORDINATES, "a meta element with coordinates"));
            }
        }
        for (lat, lon) in [("place:location:latitude", "place:location:longitude"), ("og:latitude", "og:longitude")] {
            if let (Some(lat), Some(lon)) = (get(lat), get(lon))
                && let Some((at, spread)) = two_numbers(&format!("{};{}", lat.trim(), lon.trim()))
            {
                self.add(&told, Said::point(at, spread, COORDINATES, "meta elements with coordinates"));
            }
        }
        let owned = |name: &str| get(name).map(str::to_owned);
        let address = Address {
            street: owned("og:street-address"),
            number: None,
            postcode: owned("og:postal-code"),
            city: owned("og:locality").or_else(|| owned("geo.placename")),
            country: owned("og:country-name").or_else(|| owned("geo.country")).or_else(|| {
                // "DE-NI" is a region; its country comes first.
                get("geo.region").map(|region| region.split('-').next().unwrap_or_default().to_owned())
            }),
        };
        let region = get("og:region");
        // A placename may say more than a town: "Oldenburg, Germany".
        let city = address.city.as_deref().map(|city| city.split(',').next().unwrap_or_default().trim().to_owned());
        let asked = Address { city, ..address.clone() };
        if let Some(place) = town(self.gazetteer, &asked, Clues { region, ..Clues::default() }, self.hints) {
            let whole = address.street.is_some();
            let confidence = if whole { ADDRESS } else { NAME };
            let address = whole.then_some(asked);
            self.add(&told, Said::place(place, address, confidence, "meta elements naming a place"));
        }
    }
}
