//! KML and GPX of the places of pages.

use std::io::{self, Write};

use crate::Spoken;
use crate::map::{data, element, html, link, longitude};
use crate::record::shortened;

pub(crate) fn placemark(out: &mut impl Write, spoken: &Spoken<'_>) -> io::Result<bool> {
    let place = spoken.place;
    writeln!(out, "<Placemark id=\"{}\">", spoken.id())?;
    element(out, "name", Some(&name(spoken)))?;
    element(out, "description", Some(&html(&described(spoken))))?;
    out.write_all(b"<ExtendedData>\n")?;
    let address = place.address.as_ref().map(ToString::to_string);
    for (name, value) in [
        ("page", Some(spoken.page.url.clone())),
        ("title", Some(spoken.page.title.clone())),
        ("kind", Some(place.kind.clone())),
        ("text", Some(place.text.clone())),
        ("address", address),
        ("place", place.place.clone()),
        ("country", place.country.clone()),
        ("precision_m", Some(place.precision_m.to_string())),
        ("confidence", Some(place.confidence.to_string())),
        ("mentions", Some(place.mentions.to_string())),
        ("relevant", Some(place.relevant.to_string())),
    ] {
        data(out, name, value.as_deref())?;
    }
    writeln!(
        out,
        "</ExtendedData>\n<Point><coordinates>{},{}</coordinates></Point>\n</Placemark>",
        place.lon, place.lat
    )?;
    Ok(true)
}

pub(crate) fn waypoint(out: &mut impl Write, spoken: &Spoken<'_>) -> io::Result<bool> {
    let place = spoken.place;
    writeln!(out, "<wpt lat=\"{}\" lon=\"{}\">", place.lat, longitude(place.lon))?;
    element(out, "name", Some(&name(spoken)))?;
    element(out, "desc", Some(&described(spoken)))?;
    element(out, "src", Some(&spoken.page.url))?;
    link(out, &spoken.page.url)?;
    element(out, "type", Some("page"))?;
    out.write_all(b"</wpt>\n")?;
    Ok(true)
}

/// What to call a place on a map: the words, else what is there.
fn name(spoken: &Spoken<'_>) -> String {
    let place = spoken.place;
    let said = Some(place.text.as_str()).filter(|text| !text.trim().is_empty());
    shortened(said.or(place.place.as_deref()).unwrap_or(&spoken.page.title))
}

fn described(spoken: &Spoken<'_>) -> String {
    let place = spoken.place;
    let sure = format!("{}, {:.0} % sure, ± {:.0} m", place.kind, 100.0 * place.confidence, place.precision_m);
    let lines =
        [Some(spoken.page.title.as_str()), place.place.as_deref(), Some(sure.as_str()), Some(spoken.page.url.as_str())];
    lines.into_iter().flatten().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
