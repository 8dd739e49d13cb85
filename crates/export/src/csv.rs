//! A table that spreadsheets read, and that cannot do anything there.

use std::io::{self, Write};

use crate::Record;

const HEADINGS: &[&str] = &[
    "id",
    "kind",
    "format",
    "size",
    "file",
    "thumbnail",
    "image",
    "page",
    "description",
    "width",
    "height",
    "duration",
    "taken",
    "make",
    "model",
    "lat",
    "lon",
    "altitude",
    "direction",
    "location_source",
    "precision_m",
    "confidence",
    "verified",
    "evidence",
    "address",
    "place",
    "town",
    "admin1",
    "country",
    "wrong_location",
    "title",
    "caption",
    "keywords",
    "licence",
    "author",
    "first_seen",
    "sightings",
    "page_keywords",
];

pub(crate) fn begin(out: &mut impl Write) -> io::Result<()> {
    row(out, HEADINGS.iter().map(|heading| (*heading).to_owned()))
}

pub(crate) fn line(out: &mut impl Write, record: &Record<'_>) -> io::Result<bool> {
    let place = record.location.as_ref();
    let cells = [
        text(&record.id),
        text(record.kind),
        text(record.format),
        record.size.to_string(),
        text(&record.file),
        words(record.thumbnail.as_deref()),
        words(record.image),
        words(record.page),
        text(record.description),
        number(record.width),
        number(record.height),
        number(record.duration),
        words(record.taken),
        words(record.make),
        words(record.model),
        number(place.map(|place| place.lat)),
        number(place.map(|place| place.lon)),
        number(place.and_then(|place| place.altitude)),
        number(place.and_then(|place| place.direction)),
        text(place.map(|place| place.source.as_str()).unwrap_or_default()),
        number(place.and_then(|place| place.precision_m)),
        number(place.map(|place| place.confidence)),
        number(place.map(|place| place.verified)),
        words(place.and_then(|place| place.evidence.as_deref())),
        text(&place.and_then(|place| place.address.as_ref()).map(ToString::to_string).unwrap_or_default()),
        words(place.and_then(|place| place.place.as_deref())),
        words(place.and_then(|place| place.town.as_deref())),
        words(place.and_then(|place| place.admin1.as_deref())),
        words(place.and_then(|place| place.country.as_deref())),
        words(record.wrong_location),
        words(record.title),
        words(record.caption),
        text(&record.keywords.join("; ")),
        words(record.licence),
        words(record.author),
        record.first_seen.to_string(),
        record.found.len().to_string(),
        text(&record.page_keywords.join("; ")),
    ];
    row(out, cells)?;
    Ok(true)
}

pub(crate) fn row(out: &mut impl Write, cells: impl IntoIterator<Item = String>) -> io::Result<()> {
    out.write_all(cells.into_iter().collect::<Vec<_>>().join(",").as_bytes())?;
    out.write_all(b"\r\n")
}

/// A cell of text that may not be known.
pub(crate) fn words(words: Option<&str>) -> String {
    text(words.unwrap_or_default())
}

pub(crate) fn number(number: Option<impl ToString>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

/// A cell of text. Spreadsheets take what starts with one of these for a formula: an apostrophe
/// before it says that it is none. Numbers are ours, and may start with a minus.
pub(crate) fn text(text: &str) -> String {
    let formula = text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
        || text.starts_with(['\t', '\r', '\n']);
    let harmless = if formula { format!("'{text}") } else { text.to_owned() };
    if harmless.contains([',', '"', '\n', '\r']) || harmless != harmless.trim() {
        format!("\"{}\"", harmless.replace('"', "\"\""))
    } else {
        harmless
    }
}
