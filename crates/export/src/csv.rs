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
    "wrong_location",
    "title",
    "caption",
    "keywords",
    "licence",
    "author",
    "first_seen",
    "sightings",
];

pub(crate) fn begin(out: &mut impl Write) -> io::Result<()> {
    out.write_all(HEADINGS.join(",").as_bytes())?;
    out.write_all(b"\r\n")
}

pub(crate) fn line(out: &mut impl Write, record: &Record<'_>) -> io::Result<bool> {
    let place = record.location.as_ref();
    let cells = [
        text(&record.id),
        text(record.kind),
        text(record.format),
        record.size.to_string(),
        text(&record.file),
        text(record.thumbnail.as_deref().unwrap_or_default()),
        text(record.image.unwrap_or_default()),
        text(record.page.unwrap_or_default()),
        text(record.description),
        number(record.width),
        number(record.height),
        number(record.duration),
        text(record.taken.unwrap_or_default()),
        text(record.make.unwrap_or_default()),
        text(record.model.unwrap_or_default()),
        number(place.map(|place| place.lat)),
        number(place.map(|place| place.lon)),
        number(place.and_then(|place| place.altitude)),
        number(place.and_then(|place| place.direction)),
        text(place.map(|place| place.source).unwrap_or_default()),
        text(record.wrong_location.unwrap_or_default()),
        text(record.title.unwrap_or_default()),
        text(record.caption.unwrap_or_default()),
        text(&record.keywords.join("; ")),
        text(record.licence.unwrap_or_default()),
        text(record.author.unwrap_or_default()),
        record.first_seen.to_string(),
        record.found.len().to_string(),
    ];
    out.write_all(cells.join(",").as_bytes())?;
    out.write_all(b"\r\n")?;
    Ok(true)
}

fn number(number: Option<impl ToString>) -> String {
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
