//! GeoJSON and JSON lines.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::Record;

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

pub(crate) fn line(out: &mut impl Write, record: &Record<'_>) -> io::Result<bool> {
    write_value(out, &serde_json::to_value(record)?)?;
    out.write_all(b"\n")?;
    Ok(true)
}

fn write_value(out: &mut impl Write, value: &Value) -> io::Result<bool> {
    serde_json::to_writer(out, value)?;
    Ok(true)
}
