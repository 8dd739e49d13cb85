//! The fields of structured data: numbers, coordinates and addresses as pages write them.

use facts::{Address, LatLon};
use serde_json::{Map, Value};

use crate::parse::{geo_uri, is_origin, two_numbers};

/// The first of several values.
pub(super) fn first(value: &Value) -> &Value {
    match value {
        Value::Array(values) => values.first().unwrap_or(value),
        _ => value,
    }
}

pub(super) fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
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
pub(super) fn number(value: &Value) -> Option<(f64, usize)> {
    let written = match first(value) {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().replace(',', "."),
        _ => return None,
    };
    let decimals = written.split_once('.').map_or(0, |(_, digits)| digits.len());
    Some((written.parse().ok()?, decimals))
}

/// `latitude` and `longitude`, or a bare microformat's value.
pub(super) fn coordinates(object: &Map<String, Value>) -> Option<(LatLon, f64)> {
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

pub(super) fn point(value: &Value) -> Option<(LatLon, f64)> {
    match value {
        Value::Object(object) => coordinates(object),
        Value::String(text) => geo_uri(text).or_else(|| two_numbers(text)),
        _ => None,
    }
}

/// The parts of a `PostalAddress`, `h-adr` or `adr`.
pub(super) fn own_address(object: &Map<String, Value>) -> Option<Address> {
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
pub(super) fn split_number(written: &str) -> (Option<String>, Option<String>) {
    let digits = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    match (written.split_once(' '), written.rsplit_once(' ')) {
        (Some((number, street)), _) if digits(number) => (Some(street.trim().to_owned()), Some(number.to_owned())),
        (_, Some((street, number))) if digits(number) => (Some(street.trim().to_owned()), Some(number.to_owned())),
        _ => (Some(written.to_owned()), None),
    }
}
