//! KML and GPX: maps of what has a place.

use std::io::{self, Write};

use media::Taken;
use quick_xml::escape::escape;

use search::Location;

use crate::Record;

pub(crate) fn begin_kml(out: &mut impl Write) -> io::Result<()> {
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml xmlns=\"http://www.opengis.net/kml/2.2\">\n<Document>\n\
          <name>Bowerbird</name>\n",
    )
}

pub(crate) fn end_kml(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"</Document>\n</kml>\n")
}

pub(crate) fn placemark(out: &mut impl Write, record: &Record<'_>) -> io::Result<bool> {
    let Some(place) = &record.location else { return Ok(false) };
    writeln!(out, "<Placemark id=\"m{}\">", record.id)?;
    element(out, "name", Some(&record.name()))?;
    element(out, "description", Some(&html(&described(record, place))))?;
    if let Some(taken) = record.taken {
        writeln!(out, "<TimeStamp><when>{}</when></TimeStamp>", clean(taken))?;
    }
    out.write_all(b"<ExtendedData>\n")?;
    for (name, value) in details(record, place) {
        data(out, name, value.as_deref())?;
    }
    let altitude = place.altitude.map_or(String::new(), |metres| format!(",{metres}"));
    writeln!(
        out,
        "</ExtendedData>\n<Point><coordinates>{},{}{altitude}</coordinates></Point>\n</Placemark>",
        place.lon, place.lat
    )?;
    Ok(true)
}

pub(crate) fn begin_gpx(out: &mut impl Write) -> io::Result<()> {
    out.write_all(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
          <gpx version=\"1.1\" creator=\"Bowerbird\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n",
    )
}

pub(crate) fn end_gpx(out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"</gpx>\n")
}

/// The order of the elements is the schema's.
pub(crate) fn waypoint(out: &mut impl Write, record: &Record<'_>) -> io::Result<bool> {
    let Some(place) = &record.location else { return Ok(false) };
    writeln!(out, "<wpt lat=\"{}\" lon=\"{}\">", place.lat, longitude(place.lon))?;
    element(out, "ele", place.altitude.map(|metres| metres.to_string()).as_deref())?;
    element(out, "time", record.taken.and_then(utc).as_deref())?;
    element(out, "name", Some(&record.name()))?;
    element(out, "desc", Some(&described(record, place)))?;
    element(out, "src", record.image)?;
    if let Some(page) = record.page.or(record.image) {
        link(out, page)?;
    }
    element(out, "type", Some(record.kind))?;
    out.write_all(b"</wpt>\n")?;
    Ok(true)
}

/// GPX knows UTC alone: a time whose offset is not known cannot be said.
fn utc(taken: &str) -> Option<String> {
    let taken = Taken::parse(taken).filter(|taken| taken.offset.is_some())?;
    let utc = Taken::from_timestamp(taken.timestamp())?;
    Some(Taken { offset: Some(0), ..utc }.to_string().replace("+00:00", "Z"))
}

/// What can be said in words.
fn described(record: &Record<'_>, place: &Location) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let address = place.address.as_ref().map(ToString::to_string);
    let known = known(place);
    let author = record.author.map(|author| format!("by {author}"));
    let said = [
        Some(record.description),
        record.caption,
        address.as_deref(),
        place.place.as_deref(),
        Some(known.as_str()),
        author.as_deref(),
        record.licence,
        record.page,
    ];
    for line in said.into_iter().flatten().filter(|line| !line.is_empty()) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// How a place is known, and how well: "caption, 80 % sure, ± 500 m".
fn known(place: &Location) -> String {
    let sure = match place.verified {
        true => "confirmed".to_owned(),
        false => format!("{:.0} % sure", 100.0 * place.confidence),
    };
    let exact = place.precision_m.map_or(String::new(), |metres| format!(", ± {metres:.0} m"));
    format!("{}, {sure}{exact}", place.source)
}

fn details(record: &Record<'_>, place: &Location) -> Vec<(&'static str, Option<String>)> {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    vec![
        ("image", owned(record.image)),
        ("page", owned(record.page)),
        ("file", Some(record.file.clone())),
        ("licence", owned(record.licence)),
        ("author", owned(record.author)),
        ("make", owned(record.make)),
        ("model", owned(record.model)),
        ("direction", place.direction.map(|degrees| degrees.to_string())),
        ("location_source", Some(place.source.clone())),
        ("precision_m", place.precision_m.map(|metres| metres.to_string())),
        ("confidence", Some(place.confidence.to_string())),
        ("verified", Some(place.verified.to_string())),
        ("evidence", place.evidence.clone()),
        ("address", place.address.as_ref().map(ToString::to_string)),
        ("place", place.place.clone()),
        ("town", place.town.clone()),
        ("admin1", place.admin1.clone()),
        ("country", place.country.clone()),
    ]
}

/// Viewers take descriptions for HTML: words of strangers must not become tags there.
pub(crate) fn html(text: &str) -> String {
    escape(text).replace('\n', "<br>")
}

/// 180 degrees east is west for GPX.
pub(crate) fn longitude(lon: f64) -> f64 {
    if lon == 180.0 { -180.0 } else { lon }
}

pub(crate) fn link(out: &mut impl Write, address: &str) -> io::Result<()> {
    writeln!(out, "<link href=\"{}\"/>", clean(address))
}

/// A value with a name of our own.
pub(crate) fn data(out: &mut impl Write, name: &str, value: Option<&str>) -> io::Result<()> {
    match value.filter(|value| !value.is_empty()) {
        Some(value) => writeln!(out, "<Data name=\"{name}\"><value>{}</value></Data>", clean(value)),
        None => Ok(()),
    }
}

pub(crate) fn element(out: &mut impl Write, name: &str, text: Option<&str>) -> io::Result<()> {
    match text.filter(|text| !text.is_empty()) {
        Some(text) => writeln!(out, "<{name}>{}</{name}>", clean(text)),
        None => Ok(()),
    }
}

/// Text as XML has it: escaped, without the characters that XML 1.0 cannot hold.
fn clean(text: &str) -> String {
    let legal = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    escape(text.chars().filter(legal).collect::<String>()).into_owned()
}
