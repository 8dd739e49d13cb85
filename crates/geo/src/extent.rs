//! How far areas reach from their middles.

use std::collections::HashMap;

use crate::borders::KM_PER_DEGREE;
use crate::gazetteer::layout::{AREA, NONE8, NONE16, Section};
use crate::gazetteer::{Country, Gazetteer, Kind, Place};
use crate::reverse::town_radius;

/// Of the corners of borders every so many are looked at; the others lie between.
const STEP: usize = 4;
/// Kilometres below which an area is so small that the map may draw it too large.
const SMALL: f32 = 10.0;
/// One in so many corners, the farthest, is left out: remote islands do not make a country as large as
/// the ocean between.
const REMOTE: usize = 100;
/// Kilometres of a radian.
const RADIAN: f64 = 6371.0;

/// Kilometres from the middles of areas to the farthest points in them, by the areas' indexes.
pub(crate) type Extents = HashMap<u32, f32>;

impl Place {
    /// Kilometres from its middle to the farthest point of it, where it is an area whose borders or
    /// towns are known.
    pub(crate) fn extent_km(self) -> Option<f64> {
        let extents = self.gazetteer().extents(measure);
        extents.get(&self.index()).map(|km| f64::from(*km))
    }
}

/// A direction from the middle of the Earth.
type Vector = [f64; 3];

fn vector((lat, lon): (f64, f64)) -> Vector {
    let ((up, flat), (east, ahead)) = (lat.to_radians().sin_cos(), lon.to_radians().sin_cos());
    [flat * ahead, flat * east, up]
}

/// The cosine of the angle between two directions.
fn cosine(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// All extents, in a few milliseconds.
fn measure(gazetteer: &'static Gazetteer) -> Extents {
    let areas = gazetteer.section(Section::Areas);
    // What each polygon is part of: its own place, a first-order area, a country.
    let owners: Vec<Vec<u32>> = (0..areas.records(AREA))
        .map(|number| {
            let at = number * AREA;
            let (admin1, country) = (areas.u16(at + 3), areas.u8(at + 5));
            let mut owners = vec![areas.u24(at)];
            owners.extend(
                Some(admin1).filter(|one| *one != NONE16).and_then(|one| gazetteer.admin1_place(one)).map(Place::index),
            );
            owners.extend((country != NONE8).then(|| Country::new(gazetteer, country).place().index()));
            owners.sort_unstable();
            owners.dedup();
            owners.retain(|place| (*place as usize) < gazetteer.len());
            owners
        })
        .collect();
    // The middle of each, and the cosines of its corners.
    let mut seen: HashMap<u32, (Vector, Vec<f64>)> = HashMap::new();
    for place in owners.iter().flatten() {
        seen.entry(*place).or_insert_with(|| (vector(gazetteer.at(*place).degrees()), Vec::new()));
    }
    gazetteer.arcs(|sides, corners| {
        let count = corners.len();
        let some = corners.enumerate().filter(|(number, _)| number % STEP == 0 || number + 1 == count);
        let corners: Vec<Vector> = some.map(|(_, corner)| vector(corner)).collect();
        let mut places: Vec<u32> =
            sides.iter().filter_map(|area| owners.get(usize::from(*area))).flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            if let Some((middle, cosines)) = seen.get_mut(&place) {
                cosines.extend(corners.iter().map(|corner| cosine(middle, corner)));
            }
        }
    });
    let mut extents: Extents = seen
        .into_iter()
        .filter_map(|(place, (_, mut cosines))| {
            let left_out = cosines.len() / REMOTE;
            let (_, least, _) =
                (!cosines.is_empty()).then(|| cosines.select_nth_unstable_by(left_out, f64::total_cmp))?;
            Some((place, (least.clamp(-1.0, 1.0).acos() * RADIAN) as f32))
        })
        .collect();
    add_by_towns(gazetteer, &mut extents);
    extents
}

/// Adds second-order areas that have no polygon, by their towns, and corrects the smallest areas, which
/// the map draws larger than they are.
fn add_by_towns(gazetteer: &'static Gazetteer, extents: &mut Extents) {
    let is_wanted = |place: u32| extents.get(&place).is_none_or(|km| *km < SMALL);
    let countries: Vec<bool> = gazetteer.countries().map(|country| is_wanted(country.place().index())).collect();
    let mut reached: HashMap<u32, f64> = HashMap::new();
    for town in gazetteer.places().filter(|place| place.kind() == Kind::Town) {
        let country = countries.get(usize::from(town.country_number())) == Some(&true);
        let country = if country { town.country().map(Country::place) } else { None };
        for area in [town.admin2(), country].into_iter().flatten() {
            let km = quick_km(town.degrees(), area.degrees()) + town_radius(town.population());
            let farthest = reached.entry(area.index()).or_insert(0.0);
            *farthest = farthest.max(km);
        }
    }
    for (area, km) in reached {
        let known = extents.entry(area).or_insert(f32::INFINITY);
        if *known == f32::INFINITY || *known < SMALL {
            *known = known.min(km as f32);
        }
    }
}

/// Kilometres between two points that are not far apart.
fn quick_km(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (dlat, dlon) = (a.0 - b.0, (a.1 - b.1 + 540.0).rem_euclid(360.0) - 180.0);
    dlat.hypot(dlon * b.0.to_radians().cos()) * KM_PER_DEGREE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_reach_as_far_as_their_borders_or_towns() {
        let gazetteer = Gazetteer::embedded();
        for (name, kind, least, most) in [
            ("Monaco", Kind::Country, 1.0, 4.0),
            ("Liechtenstein", Kind::Country, 8.0, 25.0),
            ("Germany", Kind::Country, 400.0, 560.0),
            ("Norway", Kind::Country, 800.0, 2500.0),
            ("Russia", Kind::Country, 2000.0, 6000.0),
            ("Texas", Kind::Admin1, 550.0, 750.0),
            ("Schleswig-Holstein", Kind::Admin1, 70.0, 180.0),
            ("Fiji", Kind::Country, 50.0, 700.0),
            ("Los Angeles County", Kind::Admin2, 40.0, 130.0),
        ] {
            let place = gazetteer.named(name).into_iter().find(|place| place.kind() == kind).unwrap();
            let km = place.extent_km().unwrap();
            assert!((least..=most).contains(&km), "{name}: {km}");
        }
    }
}
