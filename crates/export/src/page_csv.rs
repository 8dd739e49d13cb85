//! A table of the places of pages.

use std::io::{self, Write};

use crate::Spoken;
use crate::csv::{number, row, text, words};

const HEADINGS: &[&str] = &[
    "page",
    "title",
    "language",
    "page_relevant",
    "kind",
    "text",
    "lat",
    "lon",
    "place",
    "town",
    "admin1",
    "country",
    "address",
    "precision_m",
    "confidence",
    "mentions",
    "relevant",
    "focus",
    "why",
    "place_id",
    "first_seen",
];

pub(crate) fn begin(out: &mut impl Write) -> io::Result<()> {
    row(out, HEADINGS.iter().map(|heading| (*heading).to_owned()))
}

pub(crate) fn line(out: &mut impl Write, spoken: &Spoken<'_>) -> io::Result<bool> {
    let Spoken { page, place, .. } = spoken;
    let cells = [
        text(&page.url),
        text(&page.title),
        words(page.language.as_deref()),
        page.relevant.to_string(),
        text(&place.kind),
        text(&place.text),
        place.lat.to_string(),
        place.lon.to_string(),
        words(place.place.as_deref()),
        words(place.town.as_deref()),
        words(place.admin1.as_deref()),
        words(place.country.as_deref()),
        text(&place.address.as_ref().map(ToString::to_string).unwrap_or_default()),
        place.precision_m.to_string(),
        place.confidence.to_string(),
        place.mentions.to_string(),
        place.relevant.to_string(),
        spoken.is_focus().to_string(),
        text(&place.why),
        number(place.id),
        page.first_seen.0.to_string(),
    ];
    row(out, cells)?;
    Ok(true)
}
