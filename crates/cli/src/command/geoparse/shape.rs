//! What is answered, for people.

use search::Mentioned;

/// Text, kind, place, coordinates, confidence, why.
pub fn row(mentioned: &Mentioned) -> Vec<String> {
    let place = &mentioned.place;
    let areas = [place.admin1.filter(|area| *area != place.name), place.country];
    let named = areas.into_iter().flatten().fold(place.name.clone(), |name, area| name + ", " + area);
    vec![
        mentioned.text.split_whitespace().collect::<Vec<_>>().join(" "),
        mentioned.kind.to_owned(),
        named,
        format!("{:.5}, {:.5}", place.lat, place.lon),
        format!("{:.2}", mentioned.confidence),
        mentioned.why.clone(),
    ]
}
