//! A region of interest [algorithms 3.3]: a name, a point and radius, a box, or a GeoJSON polygon.

use facts::{Circle, LatLon};
use fst::automaton::Levenshtein;
use fst::{Automaton, IntoStreamer, Streamer};
use serde_json::Value as Json;

use crate::bounds::Bounds;
use crate::distance::kilometres;
use crate::gazetteer::layout::{self, AREA, NONE16, Section, Value};
use crate::gazetteer::{Country, Gazetteer, Kind, Place};
use crate::polygon::Polygons;
use crate::reverse::{reverse, town_radius, town_reach};
use query::fold;

/// A place is meant without question when it has this many times the people of the next namesake.
const DOMINANCE: u64 = 4;
/// Of a town and an area named after it the town is meant when it has at least one in so many of
/// the area's people: New York is the city, Luxembourg the country.
const TOWN_SHARE: u64 = 5;
/// A town's region is a circle of so many of its radii, and at least so many kilometres.
const TOWN_CIRCLE: (f64, f64) = (2.0, 5.0);
/// Kilometres off the coast that still belong to a region on land.
const OFFSHORE: f64 = 20.0;
/// Kilometres around a region nobody governs ("the Alps"), of which only the middle is known.
const LOOSE_REGION: f64 = 300.0;
/// Most corners of polygons from a file.
const CORNERS: usize = 100_000;

/// A region of interest.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    name: String,
    shape: Shape,
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Circle {
        centre: LatLon,
        km: f64,
    },
    /// South, west, north, east; the west may lie east of the east, across 180°.
    Box([f64; 4]),
    Polygons(Polygons),
    Country(Country),
    Admin1(Place),
    /// An area that has a polygon of its own, below the first order.
    Area(Place),
    Admin2(Place),
    Continent(&'static str),
}

/// Why a region is not clear.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum RegionError {
    /// Nothing of that name is known.
    #[error("no place is called {name:?}{}", nearest_ones(.nearest))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Up to five names like it.
        nearest: Vec<String>,
    },
    /// Several places have that name, none much larger than the others.
    #[error("{name:?} can be several places; say which, as in {:?}:{}", example(.candidates), list(.candidates))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// The places: those whose main name it is first, then the largest first.
        candidates: Vec<Place>,
    },
    /// Numbers or GeoJSON that make no region.
    #[error("{what}; give a name, LAT,LON,KM, SOUTH,WEST,NORTH,EAST or a GeoJSON polygon")]
    Malformed {
        /// What is wrong.
        what: String,
    },
}

/// The names that somebody may have meant, one a line.
fn nearest_ones(nearest: &[String]) -> String {
    match nearest {
        [] => String::new(),
        names => names.iter().fold("; the nearest names are:".to_owned(), |text, name| text + "\n  " + name),
    }
}

/// The places that somebody may have meant, one a line, with what tells them apart.
fn list(candidates: &[Place]) -> String {
    let one = |place: &Place| {
        let (name, people, at) = (place.full_name(), thousands(place.population()), place.at());
        format!("\n  {name} ({people} people, at {:.2},{:.2})", at.lat(), at.lon())
    };
    candidates.iter().map(one).collect()
}

/// A number with its thousands apart: 167,319.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn example(candidates: &[Place]) -> String {
    candidates.first().map(|place| place.full_name()).unwrap_or_default()
}

impl Region {
    /// Understands what a person writes: `Oldenburg`, `Springfield, Illinois`, `53.14,8.21,15`
    /// (latitude, longitude, kilometres), `53.0,8.0,53.3,8.4` (south, west, north, east), or the
    /// text of a GeoJSON document.
    ///
    /// ```
    /// use geo::{Gazetteer, Region};
    /// let region = Region::find(Gazetteer::embedded(), "Oldenburg").unwrap();
    /// assert!(region.contains(facts::LatLon::new(53.14, 8.21).unwrap()));
    /// ```
    pub fn find(gazetteer: &'static Gazetteer, text: &str) -> Result<Self, RegionError> {
        let text = text.trim();
        if text.starts_with('{') {
            return Self::from_geojson(text);
        }
        let numbers: Option<Vec<f64>> = text.split([',', ';']).map(|part| part.trim().parse().ok()).collect();
        match numbers {
            Some(numbers) => Self::from_numbers(&numbers),
            None => Self::named(gazetteer, text),
        }
    }

    /// The region of a place.
    pub fn of(place: Place) -> Self {
        let name = place.full_name();
        let circle = |km: f64| Shape::Circle { centre: place.at(), km };
        let shape = match place.kind() {
            Kind::Country => place.country().map_or(circle(LOOSE_REGION), Shape::Country),
            Kind::Admin1 => Shape::Admin1(place),
            Kind::Admin2 if has_polygon(place) => Shape::Area(place),
            Kind::Admin2 if place.admin2() == Some(place) => Shape::Admin2(place),
            Kind::Continent => match continent(place) {
                Some(code) => Shape::Continent(code),
                None => circle(LOOSE_REGION),
            },
            Kind::Region => circle(LOOSE_REGION),
            Kind::Town | Kind::Quarter | Kind::Admin2 => {
                circle((town_radius(place.population()) * TOWN_CIRCLE.0).max(TOWN_CIRCLE.1))
            }
        };
        Self { name, shape }
    }

    /// A point and what is around it.
    pub fn around(centre: LatLon, km: f64) -> Self {
        Self {
            name: format!("{km} km around {:.4},{:.4}", centre.lat(), centre.lon()),
            shape: Shape::Circle { centre, km },
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its middle, where it has one that means something.
    pub fn centre(&self) -> Option<LatLon> {
        match &self.shape {
            Shape::Circle { centre, .. } => Some(*centre),
            Shape::Box([south, west, north, east]) => {
                let lon = if west <= east { (west + east) / 2.0 } else { (west + east + 360.0) / 2.0 };
                LatLon::new((south + north) / 2.0, if lon > 180.0 { lon - 360.0 } else { lon })
            }
            Shape::Polygons(polygons) => polygons.centre(),
            Shape::Country(country) => Some(country.place().at()),
            Shape::Admin1(place) | Shape::Area(place) | Shape::Admin2(place) => Some(place.at()),
            Shape::Continent(_) => None,
        }
    }

    /// The country it lies in, where it lies in one.
    pub fn country(&self) -> Option<Country> {
        match &self.shape {
            Shape::Country(country) => Some(*country),
            Shape::Admin1(place) | Shape::Area(place) | Shape::Admin2(place) => place.country(),
            Shape::Continent(_) => None,
            _ => self.centre().and_then(|centre| reverse(Gazetteer::embedded(), centre).country),
        }
    }

    /// Whether a point lies in it.
    pub fn contains(&self, point: LatLon) -> bool {
        match &self.shape {
            Shape::Circle { centre, km } => kilometres(*centre, point) <= *km,
            Shape::Box([south, west, north, east]) => {
                let (lat, lon) = (point.lat(), point.lon());
                let across = if west <= east { *west <= lon && lon <= *east } else { lon >= *west || lon <= *east };
                *south <= lat && lat <= *north && across
            }
            Shape::Polygons(polygons) => polygons.contains(point.lat(), point.lon()),
            Shape::Country(country) => reverse(country.place().gazetteer(), point).country == Some(*country),
            Shape::Admin1(place) => reverse(place.gazetteer(), point).admin1 == Some(*place),
            Shape::Area(place) => area_of(place.gazetteer(), point).place == place.index(),
            Shape::Admin2(place) => reverse(place.gazetteer(), point).admin2 == Some(*place),
            Shape::Continent(code) => {
                reverse(Gazetteer::embedded(), point).country.is_some_and(|country| country.continent() == *code)
            }
        }
    }

    /// Boxes that hold it, as south, west, north, east: a few, none of which reaches over the 180th
    /// meridian. Tight for circles, boxes and polygons; to half a degree for areas and what is off
    /// their coasts.
    pub fn bounds(&self) -> Vec<[f64; 4]> {
        let mut bounds = Bounds::new();
        match &self.shape {
            Shape::Circle { centre, km } => {
                return Circle::new(*centre, km * 1000.0).map_or(Vec::new(), |circle| circle.boxes());
            }
            Shape::Box([south, west, north, east]) if west <= east => bounds.add([*south, *west, *north, *east], 0.0),
            Shape::Box([south, west, north, east]) => {
                bounds.add([*south, *west, *north, 180.0], 0.0);
                bounds.add([*south, -180.0, *north, *east], 0.0);
            }
            Shape::Polygons(polygons) => polygons.boxes().for_each(|one| bounds.add(one, 0.0)),
            Shape::Country(country) => {
                let number = country.number();
                gather(country.place().gazetteer(), &mut bounds, |area| area.country == number);
                gather_towns(country.place().gazetteer(), &mut bounds, |town| town.country_number() == number);
            }
            Shape::Admin1(place) => {
                let number = place.admin1_number();
                gather(place.gazetteer(), &mut bounds, |area| area.admin1 == number);
                // In a polygon of several areas, and near borders, towns say which it is.
                gather_towns(place.gazetteer(), &mut bounds, |town| town.admin1_number() == number);
            }
            Shape::Area(place) => gather(place.gazetteer(), &mut bounds, |area| area.place == place.index()),
            Shape::Admin2(place) => {
                gather_towns(place.gazetteer(), &mut bounds, |town| town.admin2() == Some(*place));
            }
            Shape::Continent(code) => {
                let gazetteer = Gazetteer::embedded();
                gather(gazetteer, &mut bounds, |area| {
                    area.country != layout::NONE8 && Country::new(gazetteer, area.country).continent() == *code
                });
                gather_towns(gazetteer, &mut bounds, |town| {
                    town.country().is_some_and(|country| country.continent() == *code)
                });
            }
        }
        bounds.boxes()
    }

    /// Whether a place lies in it: areas by what they are part of, everything else by its centre.
    pub fn contains_place(&self, place: Place) -> bool {
        match &self.shape {
            Shape::Country(country) => place.country() == Some(*country),
            Shape::Admin1(area) => place.admin1() == Some(*area),
            _ => self.contains(place.at()),
        }
    }

    fn from_numbers(numbers: &[f64]) -> Result<Self, RegionError> {
        let wrong = |what: &str| RegionError::Malformed { what: what.into() };
        match *numbers {
            [lat, lon, km] => {
                let centre = LatLon::new(lat, lon).ok_or_else(|| wrong("this point is not on the Earth"))?;
                if !(km > 0.0 && km <= 20_100.0) {
                    return Err(wrong("the radius must be more than 0 and at most 20,100 km"));
                }
                Ok(Self::around(centre, km))
            }
            [south, west, north, east] => {
                if LatLon::new(south, west).is_none() || LatLon::new(north, east).is_none() || south >= north {
                    return Err(wrong("this box is not on the Earth, or its south is north of its north"));
                }
                Ok(Self {
                    name: format!("{south},{west} to {north},{east}"),
                    shape: Shape::Box([south, west, north, east]),
                })
            }
            [_] => Err(wrong("one number is no region, and postcodes are not known here: name the town")),
            [_, _] => Err(wrong("two numbers are a point without a radius")),
            _ => Err(RegionError::Malformed {
                what: format!("a point with a radius is three numbers, a box four, and these are {}", numbers.len()),
            }),
        }
    }

    /// A polygon, several, or features with them.
    pub fn from_geojson(text: &str) -> Result<Self, RegionError> {
        let wrong = |what: String| RegionError::Malformed { what };
        let json: Json = serde_json::from_str(text).map_err(|error| wrong(format!("this is no GeoJSON: {error}")))?;
        let Some(polygons) = Polygons::of(&json) else {
            return Err(wrong("this GeoJSON has no polygon on the Earth".into()));
        };
        if polygons.corners() > CORNERS {
            return Err(wrong(format!("this polygon has {} points, more than {CORNERS}", polygons.corners())));
        }
        let named = json.pointer("/properties/name").or_else(|| json.pointer("/features/0/properties/name"));
        let name = named.and_then(Json::as_str).unwrap_or("a polygon").to_owned();
        Ok(Self { name, shape: Shape::Polygons(polygons) })
    }

    fn named(gazetteer: &'static Gazetteer, text: &str) -> Result<Self, RegionError> {
        let mut parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let name = parts.next().unwrap_or_default();
        let qualifiers: Vec<&str> = parts.collect();
        if qualifiers.is_empty()
            && let Some(found) = Self::coded(gazetteer, name)
        {
            return found;
        }
        let mut candidates = gazetteer.named(name);
        if !qualifiers.is_empty() {
            candidates.extend(longer_names(gazetteer, name));
            candidates.retain(|place| qualifiers.iter().all(|qualifier| is_in(gazetteer, *place, qualifier)));
        } else {
            // A name that some place only happens to have as well does not make it unclear, unless that
            // is the larger one, or the city of the area: New York's main name is New York City.
            let exact: Vec<Place> =
                candidates.iter().copied().filter(|place| fold(place.name()) == fold(name)).collect();
            if let Some(largest) = exact.iter().map(|place| place.population()).max() {
                let city = |place: &Place| place.admin1().is_some_and(|area| area != *place && exact.contains(&area));
                candidates.retain(|place| exact.contains(place) || place.population() >= largest || city(place));
            }
        }
        let mut seen = Vec::new();
        candidates.retain(|place| !seen.contains(&place.index()) && (seen.push(place.index()), true).1);
        if let Some(place) = meant(&mut candidates) {
            return Ok(Self::of(place));
        }
        if candidates.is_empty() {
            return Err(RegionError::Unknown { name: text.to_owned(), nearest: nearest_names(gazetteer, name) });
        }
        // Those that are called so themselves come before those that have another main name.
        let key = fold(name);
        candidates.sort_by_key(|place| !fold(place.name()).starts_with(&key));
        candidates.truncate(10);
        Err(RegionError::Ambiguous { name: text.to_owned(), candidates })
    }

    /// The country of a code in capitals, "DE" or "DEU"; not clear when something else is called so
    /// in capitals, as "LA" is.
    fn coded(gazetteer: &'static Gazetteer, code: &str) -> Option<Result<Self, RegionError>> {
        if !(2..=3).contains(&code.len()) || !code.bytes().all(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let country = gazetteer.country(code)?.place();
        let key = fold(code);
        let value = gazetteer.value(&key);
        let named = value.into_iter().flat_map(|value| gazetteer.entries(value));
        let others = named.filter(|named| named.acronym).map(|named| named.place);
        let mut candidates = vec![country];
        others.for_each(|other| {
            if !candidates.contains(&other) {
                candidates.push(other)
            }
        });
        Some(match candidates.as_slice() {
            [_] => Ok(Self::of(country)),
            _ => Err(RegionError::Ambiguous { name: code.to_owned(), candidates }),
        })
    }
}

/// The candidate that is clearly meant; the candidates are left sorted, the largest first.
fn meant(candidates: &mut [Place]) -> Option<Place> {
    candidates.sort_by_key(|place| std::cmp::Reverse((place.population(), place.kind())));
    // A town stands for the areas named after it, or they for it.
    let mut merged: Vec<Place> = Vec::new();
    for place in candidates.iter().copied() {
        let same = merged.iter_mut().find(|known| {
            let (town, area) = if place.kind() <= Kind::Quarter { (place, **known) } else { (**known, place) };
            let part = town.admin1() == Some(area)
                || town.admin2() == Some(area)
                || town.country().map(Country::place) == Some(area);
            let inner = area.kind() == Kind::Country && town.kind() == Kind::Admin1 || town.kind() == Kind::Country;
            let close = kilometres(town.at(), area.at()) < 50.0 && area.kind() == Kind::Admin2;
            (part || close || inner) && town.country() == area.country()
        });
        match same {
            Some(known) => {
                let (town, area) = if place.kind() <= Kind::Quarter { (place, *known) } else { (*known, place) };
                if town.kind() <= Kind::Quarter && area.kind() > Kind::Quarter {
                    let is_town = town.population() * TOWN_SHARE >= area.population();
                    // A city that is its own state has that state's borders.
                    let city_state = area.kind() == Kind::Admin1 && town.population() * 4 >= area.population() * 3;
                    *known = if is_town && !city_state { town } else { area };
                }
            }
            None => merged.push(place),
        }
    }
    let people = |place: &Place| place.population().max(1);
    match merged.as_slice() {
        [] => None,
        [one] => Some(*one),
        several => {
            let largest = several.iter().max_by_key(|place| people(place))?;
            let next = several.iter().filter(|place| *place != largest).map(people).max().unwrap_or(1);
            (people(largest) >= next * DOMINANCE).then_some(*largest)
        }
    }
}

/// Places whose name begins with this one: "Oldenburg in Holstein" for "Oldenburg".
fn longer_names(gazetteer: &'static Gazetteer, name: &str) -> Vec<Place> {
    let prefix = fold(name) + " ";
    let Some(keys) = gazetteer.keys() else { return Vec::new() };
    let mut stream = keys.range().ge(prefix.as_bytes()).into_stream();
    let mut places = Vec::new();
    while let Some((key, value)) = stream.next() {
        if !key.starts_with(prefix.as_bytes()) || places.len() > 200 {
            break;
        }
        places.extend(gazetteer.entries(Value::unpack(value.value())).map(|named| named.place));
    }
    places
}

/// Whether a place lies in what is called so: an area, its code, or a word of its own longer name.
fn is_in(gazetteer: &'static Gazetteer, place: Place, qualifier: &str) -> bool {
    let key = fold(qualifier);
    let country = place.country();
    if country.is_some_and(|country| {
        country.code().eq_ignore_ascii_case(qualifier) || country.code3().eq_ignore_ascii_case(qualifier)
    }) {
        return true;
    }
    let around = [place.admin1(), place.admin2(), country.map(Country::place)];
    if around.iter().flatten().any(|area| area.code().eq_ignore_ascii_case(qualifier)) {
        return true;
    }
    if gazetteer.named(qualifier).iter().any(|area| around.contains(&Some(*area)) && *area != place) {
        return true;
    }
    let words = |name: &str| fold(name).split(' ').any(|word| word == key);
    words(place.name()) && fold(place.name()) != key || around.iter().flatten().any(|area| words(area.name()))
}

/// Five names like one that is not known.
fn nearest_names(gazetteer: &'static Gazetteer, name: &str) -> Vec<String> {
    let key = fold(name);
    let Some(keys) = gazetteer.keys() else { return Vec::new() };
    let mut found: Vec<(u32, std::cmp::Reverse<u64>, Place)> = Vec::new();
    let best = |value: u64| {
        gazetteer.entries(Value::unpack(value)).map(|named| named.place).max_by_key(|place| place.population())
    };
    let add = |found: &mut Vec<_>, distance: u32, value: u64| {
        found.extend(best(value).map(|place| (distance, std::cmp::Reverse(place.population()), place)));
    };
    for distance in 1..=2 {
        // The automaton of a long name grows large; then only its beginning is compared.
        if let Ok(automaton) = Levenshtein::new(&key, distance) {
            let mut stream = keys.search(automaton).into_stream();
            while let Some((_, value)) = stream.next() {
                add(&mut found, distance, value.value());
            }
        }
    }
    let distinct = |found: &[(u32, std::cmp::Reverse<u64>, Place)]| {
        let mut places: Vec<u32> = found.iter().map(|(_, _, place)| place.index()).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    };
    let mut prefix: String = key.chars().take(key.chars().count().saturating_sub(2).clamp(2, 20)).collect();
    while distinct(&found) < 8 && !prefix.is_empty() {
        let mut stream = keys.search(fst::automaton::Str::new(&prefix).starts_with()).into_stream();
        let mut looked = 0;
        while let Some((_, value)) = stream.next() {
            add(&mut found, 3 + (key.chars().count() - prefix.chars().count()) as u32, value.value());
            looked += 1;
            if looked > 2000 {
                break;
            }
        }
        prefix.pop();
    }
    found.sort_by_key(|(distance, population, _)| (*distance, *population));
    let mut names = Vec::new();
    for (_, _, place) in found {
        let name = place.full_name();
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == 5 {
            break;
        }
    }
    names
}

/// What a polygon is about.
struct Area {
    /// The index of its place.
    place: u32,
    admin1: u16,
    country: u8,
}

impl Area {
    fn read(gazetteer: &'static Gazetteer, number: usize) -> Self {
        let (areas, at) = (gazetteer.section(Section::Areas), number * AREA);
        Self { place: areas.u24(at), admin1: areas.u16(at + 3), country: areas.u8(at + 5) }
    }
}

/// The polygon a point lies in, or off whose coast.
fn area_of(gazetteer: &'static Gazetteer, point: LatLon) -> Area {
    let (lat, lon) = (point.lat(), point.lon());
    let number = gazetteer.area_at(lat, lon).or_else(|| Some(gazetteer.nearest_area(lat, lon, OFFSHORE)?.0));
    let none = Area { place: layout::NONE24, admin1: NONE16, country: layout::NONE8 };
    number.map_or(none, |number| Area::read(gazetteer, usize::from(number)))
}

fn for_each_area(gazetteer: &'static Gazetteer, mut each: impl FnMut(Area)) {
    (0..gazetteer.section(Section::Areas).records(AREA)).for_each(|number| each(Area::read(gazetteer, number)));
}

/// Gathers where these polygons are, and what is off their coasts.
fn gather(gazetteer: &'static Gazetteer, bounds: &mut Bounds, is_one: impl Fn(&Area) -> bool) {
    let mut wanted = Vec::new();
    for_each_area(gazetteer, |area| wanted.push(is_one(&area)));
    let is_wanted = |number: u16| wanted.get(usize::from(number)).copied().unwrap_or_default();
    gazetteer.gather_areas(bounds, is_wanted, OFFSHORE);
}

/// Gathers all that may be said to belong to one of these towns.
fn gather_towns(gazetteer: &'static Gazetteer, bounds: &mut Bounds, is_one: impl Fn(Place) -> bool) {
    let towns = gazetteer.places().filter(|place| place.kind() == Kind::Town && is_one(*place));
    towns.for_each(|town| {
        let (lat, lon) = town.degrees();
        bounds.add([lat, lon, lat, lon], town_reach(town.population()));
    });
}

fn has_polygon(place: Place) -> bool {
    let mut found = false;
    for_each_area(place.gazetteer(), |area| found |= area.place == place.index());
    found
}

pub(crate) fn continent(place: Place) -> Option<&'static str> {
    // Their numbers at GeoNames.
    Some(match place.id().geonames()? {
        6_255_146 => "AF",
        6_255_147 => "AS",
        6_255_148 => "EU",
        6_255_149 => "NA",
        6_255_150 => "SA",
        6_255_151 => "OC",
        6_255_152 => "AN",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str) -> Result<Region, RegionError> {
        Region::find(Gazetteer::embedded(), text)
    }

    fn at(lat: f64, lon: f64) -> LatLon {
        LatLon::new(lat, lon).unwrap()
    }

    #[test]
    fn a_clearly_dominant_place_is_taken_and_a_qualifier_makes_it_exact() {
        for (text, name) in [
            ("Oldenburg", "Oldenburg, Lower Saxony, Germany"),
            ("oldenburg, holstein", "Oldenburg in Holstein, Schleswig-Holstein, Germany"),
            ("Paris", "Paris, Île-de-France, France"),
            ("Paris, Texas", "Paris, Texas, United States"),
            ("Paris, TX", "Paris, Texas, United States"),
            ("Springfield, Illinois", "Springfield, Illinois, United States"),
            ("Springfield, IL, USA", "Springfield, Illinois, United States"),
            ("Kiel", "Kiel, Schleswig-Holstein, Germany"),
            ("Luxembourg", "Luxembourg"),
            ("New York", "New York City, New York, United States"),
            ("Deutschland", "Germany"),
            ("Suomi", "Finland"),
            ("Joensuu", "Joensuu, North Karelia, Finland"),
            ("東京", "Tokyo, Japan"),
            ("California", "California, United States"),
        ] {
            match find(text) {
                Ok(region) => assert_eq!(region.name(), name, "{text}"),
                Err(error) => panic!("{text}: {error}"),
            }
        }
    }

    #[test]
    fn an_ambiguous_name_lists_its_places_with_areas_and_people() {
        let error = find("Springfield").unwrap_err();
        let RegionError::Ambiguous { candidates, .. } = &error else { panic!("{error}") };
        assert!(candidates.len() > 3);
        let text = error.to_string();
        let line =
            text.lines().find(|line| line.starts_with("  Springfield, Missouri")).unwrap_or_else(|| panic!("{text}"));
        assert!(line.starts_with("  Springfield, Missouri, United States (1"), "{line}");
        assert_eq!(text.lines().count(), candidates.len() + 1);
        assert_eq!([0, 999, 1000, 167_319, 1_000_000].map(thousands), ["0", "999", "1,000", "167,319", "1,000,000"]);
        assert!(matches!(find("Georgia"), Err(RegionError::Ambiguous { .. })));
    }

    #[test]
    fn an_unknown_name_gets_the_five_nearest() {
        for (name, expected) in [("Oldenbrug", "Oldenburg"), ("Joennsuu", "Joensuu"), ("Tamperre", "Tampere")] {
            let Err(RegionError::Unknown { nearest, .. }) = find(name) else { panic!("{name}: {:?}", find(name)) };
            assert_eq!(nearest.len(), 5, "{nearest:?}");
            assert!(nearest.iter().any(|near| near.starts_with(expected)), "{name}: {nearest:?}");
        }
        let Err(RegionError::Unknown { nearest, .. }) = find("Xqzwvy Bfgtrlm and something long") else { panic!() };
        assert_eq!(nearest.len(), 5);
    }

    #[test]
    fn regions_contain_what_lies_in_them() {
        for (text, inside, outside) in [
            ("Oldenburg", at(53.16, 8.20), at(53.55, 9.99)),
            ("53.14,8.21,15", at(53.20, 8.25), at(53.40, 8.25)),
            ("53.0,8.0,53.3,8.4", at(53.1, 8.2), at(53.1, 8.5)),
            ("-20,177,-15,-178", at(-17.0, 179.5), at(-17.0, 170.0)),
            ("Germany", at(48.1, 11.6), at(48.2, 16.4)),
            ("Bavaria", at(48.1, 11.6), at(52.5, 13.4)),
            ("Europe", at(48.1, 11.6), at(40.7, -74.0)),
            ("Hamburg", at(53.55, 9.99), at(53.87, 10.69)),
            (
                r#"{"type":"Polygon","coordinates":[[[8,53],[9,53],[9,54],[8,54],[8,53]],[[8.4,53.4],[8.6,53.4],[8.6,53.6],[8.4,53.6],[8.4,53.4]]]}"#,
                at(53.2, 8.2),
                at(53.5, 8.5),
            ),
        ] {
            let region = find(text).unwrap();
            assert!(region.contains(inside), "{text} contains {inside:?}");
            assert!(!region.contains(outside), "{text} does not contain {outside:?}");
        }
    }

    fn holds(boxes: &[[f64; 4]], point: LatLon) -> bool {
        boxes.iter().any(|[south, west, north, east]| {
            (*south..=*north).contains(&point.lat()) && (*west..=*east).contains(&point.lon())
        })
    }

    const POLYGONS: &str = r#"{"type":"MultiPolygon","coordinates":[
        [[[176,-19],[180,-19],[180,-15],[176,-15],[176,-19]]], [[[-180,-19],[-178,-19],[-178,-15],[-180,-19]]]]}"#;

    #[test]
    fn bounds_hold_the_region_and_are_boxes() {
        let mut points: Vec<LatLon> = Gazetteer::embedded().places().step_by(11).map(|place| place.at()).collect();
        // Off the coasts too, and at the ends of the world.
        points
            .extend((-180..180).flat_map(|lat| (-180..=180).map(move |lon| at(f64::from(lat) / 2.0, f64::from(lon)))));
        points.extend([at(90.0, 0.0), at(-90.0, 180.0), at(89.9, -180.0), at(-17.0, 180.0)]);
        for text in [
            "Oldenburg",
            "53.14,8.21,15",
            "89.5,10,200",
            "0,179.9,500",
            "0,0,20100",
            "53.0,8.0,53.3,8.4",
            "-20,177,-15,-178",
            "Germany",
            "Russia",
            "Fiji",
            "United States",
            "New Zealand",
            "Antarctica",
            "Norway",
            "Netherlands",
            "Bavaria",
            "Hamburg",
            "Alaska",
            "Scotland",
            "Chukotka",
            "Kent",
            "Finistère",
            "Landkreis Oldenburg",
            "Europe",
            "Oceania",
            "Asia",
            POLYGONS,
        ] {
            let Ok(region) = find(text) else { panic!("{text}: {:?}", find(text)) };
            let boxes = region.bounds();
            assert!(!boxes.is_empty() && boxes.len() <= 8, "{text}: {boxes:?}");
            for [south, west, north, east] in &boxes {
                assert!(-90.0 <= *south && south <= north && *north <= 90.0, "{text}: {boxes:?}");
                assert!(-180.0 <= *west && west <= east && *east <= 180.0, "{text}: {boxes:?}");
            }
            for point in &points {
                assert!(holds(&boxes, *point) || !region.contains(*point), "{text}: {point:?} {boxes:?}");
            }
        }
    }

    #[test]
    fn bounds_are_tight() {
        for (text, most, outside) in [
            ("53.14,8.21,15", 0.13, at(53.14, 8.5)),
            ("53.0,8.0,53.3,8.4", 0.1201, at(53.1, 8.41)),
            ("-20,177,-15,-178", 25.01, at(-17.0, 0.0)),
            (POLYGONS, 24.01, at(-17.0, 0.0)),
            ("Germany", 100.0, at(48.2, 16.6)),
            ("Bavaria", 30.0, at(52.5, 13.4)),
            ("Fiji", 120.0, at(-17.0, 0.0)),
            ("United States", 6500.0, at(48.0, 10.0)),
        ] {
            let boxes = find(text).unwrap().bounds();
            let size: f64 = boxes.iter().map(|[south, west, north, east]| (north - south) * (east - west)).sum();
            assert!(size <= most && !holds(&boxes, outside), "{text}: {size} {boxes:?}");
        }
    }

    #[test]
    fn a_country_code_in_capitals_is_its_country() {
        for (code, name) in [("DE", "Germany"), ("DEU", "Germany"), ("FI", "Finland"), ("US", "United States")] {
            assert_eq!(find(code).map(|region| region.name().to_owned()), Ok(name.to_owned()));
        }
    }

    #[test]
    fn the_example_for_a_name_of_many_places_is_called_so() {
        let error = find("Neustadt").unwrap_err();
        let RegionError::Ambiguous { candidates, .. } = &error else { panic!("{error}") };
        assert!(candidates[0].name().starts_with("Neustadt"), "{error}");
    }

    #[test]
    fn the_advice_about_numbers_fits_how_many_there_are() {
        for (text, advice) in [("26122", "one number"), ("53.1,8.2", "two numbers"), ("1,2,3,4,5", "these are 5")] {
            let error = find(text).unwrap_err().to_string();
            assert!(error.starts_with(advice) || error.contains(advice), "{error}");
            assert_eq!(error.contains("two numbers"), advice == "two numbers", "{error}");
        }
    }

    #[test]
    fn what_makes_no_region_is_refused_with_advice() {
        for text in ["91,0,5", "53,8", "53,8,0", "53,8,nan", "54,8,53,9", "{}", "{\"type\":\"Point\"}", "{"] {
            let error = find(text).unwrap_err();
            assert!(matches!(error, RegionError::Malformed { .. }), "{text}: {error}");
            assert!(error.to_string().contains("GeoJSON"), "{error}");
        }
        assert!(matches!(find(""), Err(RegionError::Unknown { .. })));
    }
}
