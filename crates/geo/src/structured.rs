//! What a page says of places for machines [algorithms 3.1.2]: JSON-LD and microdata, metas,
//! microformats, `geo:` URIs, and links to map services that carry coordinates.

use facts::{Address, LatLon};
use page::{NodeId, Page, Structured, StructuredSource};
use serde_json::{Map, Value};

use crate::gazetteer::{Gazetteer, Place};
use crate::parse::{
    Clues, Hints, Mention, MentionKind, geo_uri, is_origin, parse_with, precision_m, town, two_numbers,
};

/// Objects inside each other that are looked into.
const DEPTH: usize = 12;
/// Most places of a page's structured data.
const MOST: usize = 1000;
/// Confidence of coordinates said for machines, of addresses, of names alone, of map links (which
/// may point to anything).
const COORDINATES: f64 = 0.97;
const ADDRESS: f64 = 0.95;
const NAME: f64 = 0.7;
const MAP_LINK: f64 = 0.8;

/// A place said for machines, and where on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The place; its span is empty.
    pub mention: Mention,
    /// The element that says it; `None` for metas that come in several.
    pub node: Option<NodeId>,
}

/// The places that a page's structured data name.
pub fn structured(page: &Page, hints: &Hints<'_>) -> Vec<Located> {
    let mut reader = Reader { gazetteer: Gazetteer::embedded(), hints, found: Vec::new() };
    let mut metas: Vec<(&str, &str)> = Vec::new();
    for piece in &page.structured {
        match piece.source {
            StructuredSource::Meta => metas.extend(meta(piece)),
            StructuredSource::GeoUri => {
                if let Some(reading) = piece.value.as_str().and_then(geo_uri) {
                    reader.add(Some(piece.node), reading.0, reading.1, None, COORDINATES, "a geo URI");
                }
            }
            StructuredSource::JsonLd | StructuredSource::Microdata | StructuredSource::Microformat => {
                reader.value(&piece.value, piece.node, 0);
            }
        }
    }
    reader.metas(&metas);
    for link in &page.links {
        if let Some((point, spread)) = map_link(link.url.as_str()) {
            reader.add(Some(link.node), point, spread, None, MAP_LINK, "a link to a map");
        }
    }
    reader.found
}

fn meta(piece: &Structured) -> Option<(&str, &str)> {
    Some((piece.value.get("name")?.as_str()?, piece.value.get("content")?.as_str()?))
}

struct Reader<'r> {
    gazetteer: &'static Gazetteer,
    hints: &'r Hints<'r>,
    found: Vec<Located>,
}

impl Reader<'_> {
    fn add(
        &mut self,
        node: Option<NodeId>,
        at: LatLon,
        precision_m: f64,
        address: Option<Address>,
        confidence: f64,
        why: &str,
    ) {
        let known = self
            .found
            .iter()
            .any(|known| known.mention.at == at && (known.mention.address == address || address.is_none()));
        if known || self.found.len() >= MOST {
            return;
        }
        let mention = Mention {
            span: 0..0,
            kind: MentionKind::Structured,
            place: None,
            at,
            precision_m,
            confidence,
            address,
            why: format!("the page says so for machines: {why}"),
        };
        self.found.push(Located { mention, node });
    }

    fn add_place(&mut self, node: Option<NodeId>, place: Place, address: Option<Address>, confidence: f64, why: &str) {
        let before = self.found.len();
        self.add(node, place.at(), precision_m(place), address, confidence, why);
        if let Some(added) = self.found.get_mut(before) {
            added.mention.place = Some(place);
        }
    }

    fn value(&mut self, value: &Value, node: NodeId, depth: usize) {
        if depth > DEPTH || self.found.len() >= MOST {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.value(value, node, depth + 1)),
            Value::Object(object) => self.object(object, node, depth),
            _ => {}
        }
    }

    fn object(&mut self, object: &Map<String, Value>, node: NodeId, depth: usize) {
        let address = object.get("address").map(first).and_then(address).or_else(|| own_address(object));
        let point = coordinates(object).or_else(|| object.get("geo").map(first).and_then(point));
        let bare = object.get("address").map(first).and_then(Value::as_str);
        match (point, &address, bare) {
            (Some((at, spread)), _, _) => {
                let why = if address.is_some() { "coordinates with an address" } else { "coordinates" };
                self.add(Some(node), at, spread, address.clone(), COORDINATES, why);
            }
            (None, Some(address), _) => {
                let region = text(
                    object.get("address").map(first).and_then(Value::as_object).unwrap_or(object),
                    "addressRegion",
                )
                .or_else(|| text(object, "region"));
                let clues = Clues { region: region.as_deref(), countries: &[] };
                if let Some(place) = town(self.gazetteer, address, clues, self.hints) {
                    self.add_place(Some(node), place, Some(address.clone()), ADDRESS, "a postal address");
                }
            }
            (None, None, Some(bare)) => self.free_text(bare, node),
            _ => {}
        }
        if let Some((at, spread)) = object.get("hasMap").map(first).and_then(Value::as_str).and_then(map_link) {
            self.add(Some(node), at, spread, None, COORDINATES, "a map");
        }
        for (key, value) in object {
            // What was read above is not read again.
            if key != "geo" && key != "address" && key != "hasMap"
                || point.is_none() && address.is_none() && key != "address"
            {
                self.value(value, node, depth + 1);
            }
        }
    }

    /// An address in one string.
    fn free_text(&mut self, written: &str, node: NodeId) {
        let best = parse_with(self.gazetteer, written, self.hints).into_iter().min_by(|a, b| {
            (a.kind as u8, a.precision_m)
                .partial_cmp(&(b.kind as u8, b.precision_m))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        if let Some(mention) = best {
            let confidence = mention.confidence.min(ADDRESS);
            match mention.place {
                Some(place) => self.add_place(Some(node), place, mention.address, confidence, "an address in words"),
                None => self.add(Some(node), mention.at, mention.precision_m, None, confidence, "coordinates in words"),
            }
        }
    }

    fn metas(&mut self, metas: &[(&str, &str)]) {
        let get =
            |name: &str| metas.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, content)| *content);
        for name in ["geo.position", "icbm"] {
            if let Some((at, spread)) = get(name).and_then(two_numbers) {
                self.add(None, at, spread, None, COORDINATES, "a meta element with coordinates");
            }
        }
        for (lat, lon) in [("place:location:latitude", "place:location:longitude"), ("og:latitude", "og:longitude")] {
            if let (Some(lat), Some(lon)) = (get(lat), get(lon))
                && let Some((at, spread)) = two_numbers(&format!("{};{}", lat.trim(), lon.trim()))
            {
                self.add(None, at, spread, None, COORDINATES, "meta elements with coordinates");
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
        if let Some(place) = town(self.gazetteer, &asked, Clues { region, countries: &[] }, self.hints) {
            let whole = address.street.is_some();
            let confidence = if whole { ADDRESS } else { NAME };
            self.add_place(None, place, whole.then_some(asked), confidence, "meta elements naming a place");
        }
    }
}

/// The first of several values.
fn first(value: &Value) -> &Value {
    match value {
        Value::Array(values) => values.first().unwrap_or(value),
        _ => value,
    }
}

fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    let value = first(object.get(key)?);
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        // {"@type": "Country", "name": "DE"}
        Value::Object(named) => first(named.get("name")?).as_str()?.trim().to_owned(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A number, also one written with a decimal comma or in a string.
fn number(value: &Value) -> Option<(f64, usize)> {
    let written = match first(value) {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().replace(',', "."),
        _ => return None,
    };
    let decimals = written.split_once('.').map_or(0, |(_, digits)| digits.len());
    Some((written.parse().ok()?, decimals))
}

/// `latitude` and `longitude`, or a bare microformat's value.
fn coordinates(object: &Map<String, Value>) -> Option<(LatLon, f64)> {
    if let (Some(lat), Some(lon)) = (object.get("latitude"), object.get("longitude")) {
        let ((lat, decimals), (lon, _)) = (number(lat)?, number(lon)?);
        let point = LatLon::new(lat, lon).filter(|point| !is_origin(*point))?;
        return Some((point, crate::parse::spread_of(decimals)));
    }
    if let Some(middle) = object.get("geoMidpoint").map(first).and_then(Value::as_object) {
        return coordinates(middle);
    }
    let is_geo = object.get("@type").and_then(Value::as_str).is_some_and(|kind| matches!(kind, "geo" | "h-geo"));
    object.get("value").filter(|_| is_geo).and_then(Value::as_str).and_then(two_numbers)
}

fn point(value: &Value) -> Option<(LatLon, f64)> {
    match value {
        Value::Object(object) => coordinates(object),
        Value::String(text) => geo_uri(text).or_else(|| two_numbers(text)),
        _ => None,
    }
}

fn address(value: &Value) -> Option<Address> {
    own_address(value.as_object()?)
}

/// The parts of a `PostalAddress`, `h-adr` or `adr`.
fn own_address(object: &Map<String, Value>) -> Option<Address> {
    let get = |one: &str, other: &str| text(object, one).or_else(|| text(object, other));
    let written = get("streetAddress", "street-address");
    let (street, number) = match written.as_deref().map(str::trim) {
        Some(written) => split_number(written),
        None => (None, None),
    };
    let address = Address {
        street,
        number,
        postcode: get("postalCode", "postal-code"),
        city: get("addressLocality", "locality"),
        country: get("addressCountry", "country-name"),
    };
    address.city.is_some().then_some(address)
}

/// "Escherweg 2" is a street and a number.
fn split_number(written: &str) -> (Option<String>, Option<String>) {
    let digits = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    match (written.split_once(' '), written.rsplit_once(' ')) {
        (Some((number, street)), _) if digits(number) => (Some(street.trim().to_owned()), Some(number.to_owned())),
        (_, Some((street, number))) if digits(number) => (Some(street.trim().to_owned()), Some(number.to_owned())),
        _ => (Some(written.to_owned()), None),
    }
}

/// The point that a link to a map service shows: Google, OpenStreetMap, Bing, Apple, Here and what
/// names its parameters as they do.
fn map_link(url: &str) -> Option<(LatLon, f64)> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let (host, path) = rest.split_once('/')?;
    let host = host.strip_prefix("www.").unwrap_or(host);
    let known = host.starts_with("maps.")
        || host.starts_with("map.")
        || host.contains(".maps.")
        || host.contains("openstreetmap")
        || host.starts_with("osm.")
        || host.starts_with("share.here")
        || host.starts_with("wego.here")
        || host.starts_with("google.") && path.starts_with("maps")
        || host.starts_with("bing.") && path.starts_with("maps")
        || host.starts_with("geohack")
        || host.contains("kartta");
    if !known {
        return None;
    }
    let path = path.replace("%2C", ",").replace("%2c", ",");
    let parameter = |names: &[&str]| {
        path.split(['?', '&', '#']).skip(1).find_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            names.contains(&name).then(|| value.to_owned())
        })
    };
    if let (Some(lat), Some(lon)) = (parameter(&["mlat", "lat"]), parameter(&["mlon", "lon", "lng"])) {
        return two_numbers(&format!("{lat};{lon}"));
    }
    if let Some(point) = parameter(&["q", "ll", "sll", "center", "query", "cp", "daddr", "destination", "map"])
        .and_then(|value| two_numbers(&value.replace('~', ",").replace("loc:", "").replace('+', " ")))
    {
        return Some(point);
    }
    // google.…/maps/place/…/@54.3,10.1,15z and …!3d54.3!4d10.1; openstreetmap.org/#map=15/54.3/10.1
    if let Some((_, pin)) = path.split_once("!3d")
        && let Some((lat, rest)) = pin.split_once("!4d")
    {
        let lon: &str = rest.split(|c: char| !(c.is_ascii_digit() || ".-".contains(c))).next()?;
        return two_numbers(&format!("{lat};{lon}"));
    }
    if let Some((_, at)) = path.split_once('@') {
        let mut parts = at.split(',');
        return two_numbers(&format!("{};{}", parts.next()?, parts.next()?));
    }
    let (_, map) = path.split_once("#map=")?;
    let mut parts = map.split(['/', '&']).skip(1);
    two_numbers(&format!("{};{}", parts.next()?, parts.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> Vec<Located> {
        let url = facts::Url::parse("https://example.org/").unwrap();
        let page = page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &page::Limits::default());
        structured(&page, &Hints::default())
    }

    fn check(html: &str, lat: f64, lon: f64, within_km: f64) {
        let found = read(html);
        assert_eq!(found.len(), 1, "{html}: {found:?}");
        let km = crate::kilometres(found[0].mention.at, LatLon::new(lat, lon).unwrap());
        assert!(km <= within_km, "{html}: {:?}, {km} km off", found[0].mention.at);
        assert_eq!(found[0].mention.kind, MentionKind::Structured);
    }

    #[test]
    fn coordinates_are_read_from_every_form_of_structured_data() {
        for html in [
            r#"<script type="application/ld+json">{"@type":"Museum","geo":{"@type":"GeoCoordinates","latitude":54.3233,"longitude":"10.1228"}}</script>"#,
            r#"<script type="application/ld+json">{"@graph":[{"@type":"Event","location":{"@type":"Place","geo":{"latitude":"54,3233","longitude":"10,1228"}}}]}</script>"#,
            r#"<script type="application/ld+json">[{"@type":"GeoCircle","geoMidpoint":{"latitude":54.3233,"longitude":10.1228}}]</script>"#,
            r#"<div itemscope itemtype="https://schema.org/Place"><div itemprop="geo" itemscope itemtype="https://schema.org/GeoCoordinates"><meta itemprop="latitude" content="54.3233"><meta itemprop="longitude" content="10.1228"></div></div>"#,
            r#"<meta name="geo.position" content="54.3233;10.1228">"#,
            r#"<meta name="ICBM" content="54.3233, 10.1228">"#,
            r#"<meta property="place:location:latitude" content="54.3233"><meta property="place:location:longitude" content="10.1228">"#,
            r#"<span class="geo">54.3233; 10.1228</span>"#,
            r#"<p class="h-geo"><span class="p-latitude">54.3233</span> <span class="p-longitude">10.1228</span></p>"#,
            r#"<a href="geo:54.3233,10.1228">Map</a>"#,
            r#"<a href="https://www.openstreetmap.org/?mlat=54.3233&mlon=10.1228#map=15/1/2">Map</a>"#,
            r#"<a href="https://www.google.com/maps/place/Kiel/@54.3233,10.1228,15z">Map</a>"#,
            r#"<a href="https://maps.google.de/?q=54.3233,10.1228">Map</a>"#,
            r#"<a href="https://maps.apple.com/?ll=54.3233%2C10.1228">Map</a>"#,
            r#"<a href="https://www.bing.com/maps?cp=54.3233~10.1228&lvl=12">Map</a>"#,
        ] {
            check(html, 54.3233, 10.1228, 0.1);
        }
    }

    #[test]
    fn links_to_maps_are_known_by_their_services_and_parameters() {
        let kiel = LatLon::new(54.3233, 10.1228);
        for url in [
            "https://www.openstreetmap.org/#map=15/54.3233/10.1228",
            "https://www.google.de/maps/place/Kiel/data=!3m1!4b1!3d54.3233!4d10.1228",
            "https://www.google.com/maps/dir/?api=1&destination=54.3233,10.1228",
            "http://maps.google.com/maps?ll=54.3233,10.1228&z=12",
            "https://share.here.com/r/x?map=54.3233,10.1228",
        ] {
            assert_eq!(map_link(url).map(|(point, _)| point), kiel, "{url}");
        }
        for url in [
            "https://example.org/@54.3233,10.1228",
            "https://maps.google.com/?q=Kiel",
            "mailto:a@54.3,10.1",
            "https://maps.google.com/@x,y",
        ] {
            assert_eq!(map_link(url), None, "{url}");
        }
    }

    #[test]
    fn addresses_for_machines_are_located_by_their_town() {
        for html in [
            r#"<script type="application/ld+json">{"@type":"Hotel","address":{"@type":"PostalAddress","streetAddress":"Escherweg 2","postalCode":"26121","addressLocality":"Oldenburg","addressCountry":"DE"}}</script>"#,
            r#"<script type="application/ld+json">{"@type":"Hotel","address":"Escherweg 2, 26121 Oldenburg"}</script>"#,
            r#"<p class="h-adr"><span class="p-street-address">Escherweg 2</span> <span class="p-postal-code">26121</span> <span class="p-locality">Oldenburg</span></p>"#,
            r#"<meta property="og:street-address" content="Escherweg 2"><meta property="og:locality" content="Oldenburg"><meta property="og:country-name" content="Germany">"#,
            r#"<meta name="geo.placename" content="Oldenburg"><meta name="geo.region" content="DE-NI">"#,
        ] {
            check(html, 53.14, 8.21, 3.0);
        }
        let html = r#"<script type="application/ld+json">{"@type":"Shop","address":{"streetAddress":"500 Main St","addressLocality":"Springfield","addressRegion":"IL","addressCountry":{"@type":"Country","name":"US"}}}</script>"#;
        check(html, 39.8, -89.64, 5.0);
        let address = read(html)[0].mention.address.clone().unwrap();
        assert_eq!((address.street.as_deref(), address.number.as_deref()), (Some("Main St"), Some("500")));
    }

    #[test]
    fn what_is_broken_or_nowhere_is_left_out() {
        for html in [
            r#"<meta name="geo.position" content="0;0">"#,
            r#"<meta name="geo.position" content="somewhere">"#,
            r#"<script type="application/ld+json">{"geo":{"latitude":95,"longitude":10}}</script>"#,
            r#"<script type="application/ld+json">{"geo":{"latitude":"","longitude":null}}</script>"#,
            r#"<script type="application/ld+json">{"address":{"addressLocality":"Xyzhausen"}}</script>"#,
            r#"<script type="application/ld+json">{"latitude":</script>"#,
            r#"<a href="https://maps.google.com/">Map</a>"#,
            r#"<a href="https://example.com/?q=54.3,10.1">Not a map</a>"#,
        ] {
            assert!(read(html).is_empty(), "{html}: {:?}", read(html));
        }
    }
}
