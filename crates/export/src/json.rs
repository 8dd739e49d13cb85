//! GeoJSON and JSON lines.

use std::io::{self, Write};

use serde_json::{Value, json};

use search::PageHit;
use store::PageItem;

use crate::{Record, Spoken};

pub(crate) fn begin(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"type\":\"FeatureCollection\",\"features\":[")
}

pub(crate) fn end(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"\n]}\n")
}

/// An item whose place is not known is a feature without a geometry, as RFC 7946 §3.2 has it.
pub(crate) fn feature(out: &mut impl Write, record: &Record<'_>, first: bool) -> io::Result<bool> {
    let geometry = record.location.as_ref().map(|place| {
        let mut coordinates = vec![place.lon, place.lat];
        coordinates.extend(place.altitude);
        json!({ "type": "Point", "coordinates": coordinates })
    });
    let feature = json!({
        "type": "Feature", "id": record.id, "geometry": geometry, "properties": serde_json::to_value(record)?,
    });
    out.write_all(if first { b"\n" } else { b",\n" })?;
    write_value(out, &feature)
}

/// A place of a page, with the page.
pub(crate) fn place_feature(out: &mut impl Write, spoken: &Spoken<'_>, first: bool) -> io::Result<bool> {
    let Spoken { page, place, .. } = spoken;
    let mut properties = json!({
        "page": page.url, "title": page.title, "language": page.language, "page_relevant": page.relevant,
        "focus": spoken.is_focus(), "first_seen": page.first_seen.0,
    });
    if let (Value::Object(properties), Value::Object(more)) = (&mut properties, serde_json::to_value(place)?) {
        properties.extend(more);
    }
    let feature = json!({
        "type": "Feature", "id": spoken.id(), "properties": properties,
        "geometry": { "type": "Point", "coordinates": [place.lon, place.lat] },
    });
    out.write_all(if first { b"\n" } else { b",\n" })?;
    write_value(out, &feature)
}

/// A page as a search shows it, without how well it matched.
pub(crate) fn page_line(out: &mut impl Write, page: &PageItem, hit: &PageHit) -> io::Result<bool> {
    let mut value = serde_json::to_value(hit)?;
    if let Value::Object(fields) = &mut value {
        fields.remove("score");
        fields.remove("similarity");
        fields.remove("matched");
        fields.remove("marks");
        fields.insert("first_seen".into(), page.first_seen.0.into());
    }
    write_value(out, &value)?;
    out.write_all(b"\n")?;
    Ok(true)
}

pub(crate) fn line(out: &mut impl Write, record: &Record<'_>) -> io::Result<bool> {
    write_value(out, &serde_json::to_value(record)?)?;
    out.write_all(b"\n")?;
    Ok(true)
}

fn write_value(out: &mut impl Write, value: &Value) -> io::Result<bool> {
    serde_json::to_writer(out, value)?;
    Ok(true)
}
