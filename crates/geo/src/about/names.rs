//! From points to names, and from the names that people give to points.

use facts::{LatLon, Locality, Whereabouts};

use super::spoken::clip;
use crate::gazetteer::{Country, Gazetteer, Kind, Place};
use crate::parse::{Mention, Stated, country_code, precision_m};
use crate::reverse::reverse;

/// Confidence of a town by how it is said: with its state or country, alone; of an area.
const WITH_AREA: f64 = 0.9;
const ALONE: f64 = 0.6;
const AREA: f64 = 0.8;
/// A town that others of its name could be as well, by people.
const AMBIGUOUS: f64 = 0.5;
/// A town is clearly meant when it has so many times the people of the next.
const DOMINANCE: u64 = 4;

/// A mention as something to remember; `words` are those it was found in.
pub fn whereabouts(mention: &Mention, words: &str) -> Whereabouts {
    // The middle of an area has names that nobody meant.
    let locality = match mention.place {
        Some(place) => locality_of(place),
        None => locality(mention.at),
    };
    Whereabouts {
        at: mention.at,
        precision_m: mention.precision_m,
        confidence: mention.confidence,
        evidence: clip(words),
        address: mention.address.clone(),
        locality,
    }
}

/// Names of what is at a point.
///
/// ```
/// let kiel = geo::locality(facts::LatLon::new(54.3165, 10.0800).unwrap());
/// assert_eq!(kiel.place, "Kiel, Schleswig-Holstein, Germany");
/// assert_eq!((kiel.town.as_deref(), kiel.country.as_deref()), (Some("Kiel"), Some("DE")));
/// ```
pub fn locality(at: LatLon) -> Locality {
    let spot = reverse(Gazetteer::embedded(), at);
    Locality {
        place: spot.describe(),
        town: spot.town.map(|town| town.name().to_owned()),
        admin1: spot.admin1.map(|area| area.name().to_owned()),
        country: spot.country.map(|country| country.code().to_owned()),
    }
}

fn locality_of(place: Place) -> Locality {
    let town = match place.kind() {
        Kind::Town => Some(place.name().to_owned()),
        Kind::Quarter => {
            let town = reverse(place.gazetteer(), place.at()).town;
            Some(town.unwrap_or(place).name().to_owned())
        }
        _ => None,
    };
    Locality {
        place: place.full_name(),
        town,
        admin1: place.admin1().map(|area| area.name().to_owned()),
        country: place.country().map(|country| country.code().to_owned()),
    }
}

/// The place that the names a maker gave it lead to: of the town, the state, the country, as far
/// as they are known and agree. `None` when none is known, or when they contradict each other.
///
/// ```
/// let kiel = geo::named_place(Some("Kiel"), None, Some("Deutschland")).unwrap();
/// assert_eq!(kiel.locality.place, "Kiel, Schleswig-Holstein, Germany");
/// assert_eq!(geo::named_place(Some("Kiel"), None, Some("France")), None);
/// ```
pub fn named_place(city: Option<&str>, state: Option<&str>, country: Option<&str>) -> Option<Whereabouts> {
    let gazetteer = Gazetteer::embedded();
    let said = |name: Option<&str>| name.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
    let (city, state, country) = (said(city), said(state), said(country));
    let evidence = [&city, &state, &country].into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ");
    let code = country.as_deref().and_then(|country| country_code(gazetteer, country));
    let in_country = |place: &Place| code.is_none_or(|code| place.country().map(Country::code) == Some(code));
    let areas: Vec<Place> = state.as_deref().map(|state| areas_called(gazetteer, state, code)).unwrap_or_default();
    let known_areas = !areas.is_empty();
    let areas: Vec<Place> = areas.into_iter().filter(in_country).collect();
    let towns = city.as_deref().map(|city| towns_called(gazetteer, city)).unwrap_or_default();
    let (place, confidence) = if !towns.is_empty() {
        let stated = state.as_deref().map(|state| Stated::of(gazetteer, state));
        let in_state = |place: &Place| {
            !known_areas
                || areas.iter().any(|area| lies_in(*place, *area))
                || stated.as_ref().is_some_and(|stated| stated.holds(*place))
        };
        let mut towns: Vec<Place> = towns.into_iter().filter(in_country).filter(in_state).collect();
        towns.sort_by_key(|place| std::cmp::Reverse(place.population()));
        let first = *towns.first()?;
        let next =
            towns.iter().skip(1).filter(|place| place.kind() == Kind::Town).map(|place| place.population()).max();
        let clear = next.is_none_or(|next| first.population() >= next.saturating_mul(DOMINANCE));
        let sure = if code.is_some() || known_areas { WITH_AREA } else { ALONE };
        (first, if clear { sure } else { sure * AMBIGUOUS })
    } else if known_areas {
        (*areas.first()?, AREA)
    } else {
        (gazetteer.country(code?)?.place(), AREA)
    };
    let mention = Whereabouts {
        at: place.at(),
        precision_m: precision_m(place),
        confidence,
        evidence: clip(&evidence),
        address: None,
        locality: locality_of(place),
    };
    Some(mention)
}

/// Towns of a name; "Kiel, Germany" is called Kiel too.
fn towns_called(gazetteer: &'static Gazetteer, name: &str) -> Vec<Place> {
    let towns = |name: &str| -> Vec<Place> {
        let mut places = gazetteer.named(name);
        places.retain(|place| matches!(place.kind(), Kind::Town | Kind::Quarter));
        places
    };
    let found = towns(name);
    match name.split_once(',') {
        Some((first, _)) if found.is_empty() => towns(first),
        _ => found,
    }
}

/// Areas of a name or code, the largest kind first; codes mean something within a country only.
fn areas_called(gazetteer: &'static Gazetteer, name: &str, country: Option<&str>) -> Vec<Place> {
    let mut areas = gazetteer.named(name);
    areas.retain(|place| matches!(place.kind(), Kind::Admin1 | Kind::Admin2));
    areas.sort_by_key(|place| std::cmp::Reverse(place.kind()));
    if areas.is_empty() {
        areas.extend(country.and_then(|country| gazetteer.admin1_by_code(country, &name.to_uppercase())));
    }
    areas
}

fn lies_in(town: Place, area: Place) -> bool {
    town.admin1() == Some(area) || town.admin2() == Some(area)
}
