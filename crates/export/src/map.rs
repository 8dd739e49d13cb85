//! KML and GPX: maps of what has a place.

use std::io::{self, Write};

use media::Taken;
use quick_xml::escape::escape;

use crate::Record;
use crate::record::Place;

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
    // Viewers take this element for HTML: words of strangers must not become tags there.
    let html = escape(described(record)).replace('\n', "<br>");
    element(out, "description", Some(&html))?;
    if let Some(taken) = record.taken {
        writeln!(out, "<TimeStamp><when>{}</when></TimeStamp>", clean(taken))?;
    }
    out.write_all(b"<ExtendedData>\n")?;
    for (name, value) in details(record, place) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            writeln!(out, "<Data name=\"{name}\"><value>{}</value></Data>", clean(&value))?;
        }
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
    // 180 degrees east is west for GPX.
    let lon = if place.lon == 180.0 { -180.0 } else { place.lon };
    writeln!(out, "<wpt lat=\"{}\" lon=\"{lon}\">", place.lat)?;
    element(out, "ele", place.altitude.map(|metres| metres.to_string()).as_deref())?;
    element(out, "time", record.taken.and_then(utc).as_deref())?;
    element(out, "name", Some(&record.name()))?;
    element(out, "desc", Some(&described(record)))?;
    element(out, "src", record.image)?;
    if let Some(page) = record.page.or(record.image) {
        writeln!(out, "<link href=\"{}\"/>", clean(page))?;
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
fn described(record: &Record<'_>) -> String {
    let mut lines: Vec<&str> = Vec::new();
    let author = record.author.map(|author| format!("by {author}"));
    let said = [Some(record.description), record.caption, author.as_deref(), record.licence, record.page];
    for line in said.into_iter().flatten().filter(|line| !line.is_empty()) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

fn details(record: &Record<'_>, place: &Place<'_>) -> Vec<(&'static str, Option<String>)> {
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
        ("location_source", Some(place.source.to_owned())),
    ]
}

fn element(out: &mut impl Write, name: &str, text: Option<&str>) -> io::Result<()> {
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
