//! The embedded gazetteer's numbers of countries and areas, for those who write an imported one.

use std::collections::HashMap;

use facts::LatLon;

use crate::gazetteer::layout::{NONE8, NONE16};
use crate::gazetteer::{Gazetteer, Kind, Place};
use crate::reverse::reverse;

/// Country, first-order and second-order area, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The country's.
    pub country: u8,
    /// The first-order area's.
    pub admin1: u16,
    /// The second-order area's.
    pub admin2: u16,
}

/// What the embedded gazetteer knows, by what GeoNames calls it.
#[derive(Debug)]
pub struct Areas {
    countries: HashMap<&'static str, u8>,
    admin1: HashMap<(u8, &'static str), u16>,
    admin2: HashMap<(u16, &'static str), u16>,
    places: HashMap<u32, u32>,
}

impl Areas {
    /// Those of the embedded gazetteer.
    pub fn embedded() -> Self {
        let gazetteer = Gazetteer::embedded();
        let mut areas = Self {
            countries: gazetteer.countries().map(|country| (country.code(), country.number())).collect(),
            admin1: HashMap::new(),
            admin2: HashMap::new(),
            places: HashMap::with_capacity(gazetteer.len()),
        };
        for place in gazetteer.places() {
            match place.kind() {
                Kind::Admin1 => {
                    areas.admin1.insert((place.country_number(), place.code()), place.admin1_number());
                }
                Kind::Admin2 => {
                    areas.admin2.insert((place.admin1_number(), place.code()), place.admin2_number());
                }
                _ => {}
            }
            if let Some(id) = place.id().geonames() {
                areas.places.insert(id, place.index());
            }
        }
        areas
    }

    /// The index of a place that the embedded gazetteer has.
    pub fn known(&self, id: u32) -> Option<u32> {
        self.places.get(&id).copied()
    }

    /// The numbers of what GeoNames' codes name.
    pub fn coded(&self, country: &str, admin1: &str, admin2: &str) -> Numbers {
        let country = self.countries.get(country).copied().unwrap_or(NONE8);
        let admin1 = self.admin1.get(&(country, admin1)).copied().unwrap_or(NONE16);
        let admin2 = self.admin2.get(&(admin1, admin2)).copied().unwrap_or(NONE16);
        Numbers { country, admin1, admin2 }
    }

    /// The numbers of what a point lies in.
    pub fn at(&self, lat: f64, lon: f64) -> Option<Numbers> {
        let spot = reverse(Gazetteer::embedded(), LatLon::new(lat, lon)?);
        Some(Numbers {
            country: spot.country.map_or(NONE8, |country| country.number()),
            admin1: spot.admin1.map_or(NONE16, Place::admin1_number),
            admin2: spot.admin2.map_or(NONE16, Place::admin2_number),
        })
    }
}
