//! The town of a point, and with it the side of a border that the point lies on.

use std::sync::LazyLock;

use super::{RADII, TOWN_REACH, town_radius};
use crate::borders::SIDES;
use crate::distance::great_circle;
use crate::gazetteer::layout::{self, AREA, COLUMNS, ROWS, Section};
use crate::gazetteer::{Gazetteer, Kind, Place};

/// Kilometres by which borders on the map may be off.
const TOLERANCE: f64 = 0.5;
/// How much farther away a town seems that the map puts on the other side, where its side is as far
/// as the tolerance; less where it is closer. Where the map is right about a town, it is more often
/// right than wrong about what is around it too.
const OTHER_SIDE: f64 = 41.0;
/// How far enclaves that the map does not show may be from their country, in kilometres.
const ENCLAVE: f64 = 25.0;
/// How far the nearest town is looked for when none is near, in rows of half a degree.
const FAR_ROWS: usize = 8;

/// [`town_radius`] by the leading five bits of the population: within 1.4 %, without a power.
pub(super) fn quick_radius(population: u64) -> f64 {
    static RADII: LazyLock<[f64; 1024]> = LazyLock::new(|| {
        std::array::from_fn(|index| {
            let (exponent, mantissa) = (index as u64 / 16, index as u64 % 16);
            town_radius(((33 + 2 * mantissa) << exponent) >> 5)
        })
    });
    let exponent = population.max(16).ilog2();
    RADII[(exponent as usize * 16 + ((population.max(16) >> (exponent - 4)) & 15) as usize).min(1023)]
}

/// A country and a first-order area, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    country: u8,
    admin1: u16,
}

impl Owner {
    const NOBODY: Self = Self { country: layout::NONE8, admin1: layout::NONE16 };

    /// That of a place.
    fn of(place: Place) -> Self {
        Self { country: place.country_number(), admin1: place.admin1_number() }
    }

    /// That of an area's polygon.
    fn of_area(gazetteer: &Gazetteer, area: Option<u16>) -> Self {
        let Some(area) = area else { return Self::NOBODY };
        let (areas, at) = (gazetteer.section(Section::Areas), usize::from(area) * AREA);
        Self { country: areas.u8(at + 5), admin1: areas.u16(at + 3) }
    }

    /// Whether a town is in what this owns. Some polygons hold several first-order areas, and some
    /// towns are in none.
    fn has(self, town: Place) -> bool {
        let admin1 = town.admin1_number();
        town.country_number() == self.country
            && (admin1 == self.admin1 || self.admin1 == layout::NONE16 || admin1 == layout::NONE16)
    }
}

/// What is found around a point.
pub(super) struct Found {
    /// The place that says on which side of a border the point is.
    pub(super) decisive: Option<Place>,
    /// The town there, and how many kilometres away its centre is.
    pub(super) town: Option<(Place, f64)>,
}

/// A point that is looked up.
pub(super) struct Search {
    gazetteer: &'static Gazetteer,
    at: (f64, f64),
    /// The polygon the point lies in, or off whose coast.
    area: Option<u16>,
    owner: Owner,
    /// Kilometres to that polygon; 0 in it.
    off: f64,
    /// The areas around the point and how far each is, once they are asked for.
    around: Option<Vec<(u16, f64)>>,
}

impl Search {
    pub(super) fn new(gazetteer: &'static Gazetteer, at: (f64, f64), area: Option<u16>, off: f64) -> Self {
        Self { gazetteer, at, area, owner: Owner::of_area(gazetteer, area), off, around: None }
    }

    /// The town with the largest influence, if it reaches here. What the map puts on another side of a
    /// border counts only where the map may be wrong; then it says which side it is, as parts of
    /// towns do too.
    pub(super) fn strongest(&mut self) -> Found {
        let owner = self.owner;
        let mut town: Option<(f64, Place)> = None;
        let mut own = f64::INFINITY;
        let mut other: Option<(f64, Place)> = None;
        near(self.gazetteer, self.at, |place, score| {
            let is_town = place.kind() == Kind::Town;
            let known = town.map_or(f64::INFINITY, |(known, _)| known);
            if owner.has(place) {
                if is_town && score < known {
                    town = Some((score, place));
                }
                if is_town || score <= 1.0 {
                    own = own.min(score);
                }
            } else if score < own && other.is_none_or(|(known, _)| score < known) {
                let doubted = self.doubt(place, score).map(|doubt| score * doubt);
                if let Some(score) = doubted.filter(|score| other.is_none_or(|(known, _)| *score < known)) {
                    other = Some((score, place));
                }
            }
            town.map_or(f64::INFINITY, |(known, _)| known)
        });
        let decisive = other.filter(|(score, _)| *score < own).map(|(_, place)| place);
        let town = match decisive {
            None => town.map(|(_, town)| town),
            Some(place) if place.kind() == Kind::Town => Some(place),
            Some(part) => self.strongest_of(Owner::of(part)),
        };
        Found { decisive: decisive.or(town), town: town.map(|town| (town, great_circle(town.degrees(), self.at))) }
    }

    /// The town with the largest influence of those that somebody owns.
    fn strongest_of(&self, owner: Owner) -> Option<Place> {
        let mut best: Option<(f64, Place)> = None;
        near(self.gazetteer, self.at, |place, score| {
            let known = best.map_or(f64::INFINITY, |(known, _)| known);
            if score < known && owner.has(place) && place.kind() == Kind::Town {
                best = Some((score, place));
            }
            best.map_or(f64::INFINITY, |(known, _)| known)
        });
        best.map(|(_, town)| town)
    }

    /// How many times farther away a town seems that the map puts on another side than the point;
    /// `None` when it is there without doubt.
    fn doubt(&mut self, town: Place, score: f64) -> Option<f64> {
        let compatriot = town.country_number() == self.owner.country;
        // Nothing holds a point at a distance but its own town.
        if score > 1.0 && !compatriot {
            return None;
        }
        let off = self.off;
        let here = self.distance_to(town).map(|km| (km - off).max(0.0));
        let (lat, lon) = town.degrees();
        let area = self.gazetteer.area_at(lat, lon);
        // By how much the map is off at the town itself.
        let there = if Owner::of_area(self.gazetteer, area).has(town) {
            Some(0.0)
        } else if area == self.area || self.off > 0.0 {
            distance(&around(self.gazetteer, (lat, lon)), self.gazetteer, town)
        } else {
            return None;
        };
        match (here, there) {
            // The map does not know the town's area, or not here: new provinces, an island, an enclave.
            (_, None) => (compatriot || area.is_none() || self.is_near_its_country(town)).then_some(1.0),
            (None, Some(_)) => None,
            (Some(here), Some(there)) => {
                let excess = (here - there).max(0.0) / TOLERANCE;
                let doubt = 1.0 + (OTHER_SIDE - 1.0) * excess;
                (excess <= 1.0 && score * doubt <= 1.0).then_some(doubt)
            }
        }
    }

    /// Whether a town is as near to its country as enclaves are. What lies farther away in another is
    /// rather a slip of the gazetteer.
    fn is_near_its_country(&self, town: Place) -> bool {
        let ((lat, lon), country) = (town.degrees(), town.country_number());
        let mut found = false;
        self.gazetteer.sides(lat, lon, ENCLAVE, |area, _| {
            found |= Owner::of_area(self.gazetteer, Some(area)).country == country;
        });
        found
    }

    /// Kilometres from the point to the nearest land of a town's area, where that is near.
    fn distance_to(&mut self, town: Place) -> Option<f64> {
        let around = self.around.get_or_insert_with(|| around(self.gazetteer, self.at));
        distance(around, self.gazetteer, town)
    }

    /// The polygon of a town's area around the point, if the point is in none of its own.
    pub(super) fn area_of(&mut self, town: Place) -> Option<u16> {
        if self.owner.has(town) {
            return self.area;
        }
        let gazetteer = self.gazetteer;
        let around = self.around.get_or_insert_with(|| around(gazetteer, self.at));
        let own = around.iter().filter(|(area, _)| Owner::of_area(gazetteer, Some(*area)).has(town));
        own.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(area, _)| *area)
    }

    /// The nearest town of the country within a few hundred kilometres.
    pub(super) fn nearest(&self) -> Option<(Place, f64)> {
        let grid = self.gazetteer.section(Section::TownGrid);
        let (row, column) = layout::cell_of(self.at.0, self.at.1);
        for rows in [1, 3, FAR_ROWS] {
            let columns = ((rows as f64 / shrink(self.at.0)).ceil() as usize).min(COLUMNS / 2 - 1);
            // The grid is a ring: what goes on past its end begins at its first column.
            let (west, width) = ((column + COLUMNS - columns) % COLUMNS, 2 * columns + 1);
            let parts = [(west, (west + width).min(COLUMNS)), (0, (west + width).saturating_sub(COLUMNS))];
            let mut best: Option<(Place, f64)> = None;
            for row in row.saturating_sub(rows)..=(row + rows).min(ROWS - 1) {
                for (from, to) in parts.into_iter().filter(|(from, to)| from < to) {
                    // The towns of a row of cells stand together.
                    let (first, last) = (grid.u24((row * COLUMNS + from) * 3), grid.u24((row * COLUMNS + to) * 3));
                    for town in (first..last).map(|index| self.gazetteer.at(index)) {
                        let km = great_circle(town.degrees(), self.at);
                        if best.is_none_or(|(_, known)| km < known) && self.counts(town) {
                            best = Some((town, km));
                        }
                    }
                }
            }
            if best.is_some() {
                return best;
            }
        }
        None
    }

    fn counts(&self, town: Place) -> bool {
        let country = self.owner.country;
        (country == layout::NONE8 || town.country_number() == country) && town.kind() == Kind::Town
    }
}

/// The areas around a point, and how many kilometres each is away.
fn around(gazetteer: &Gazetteer, at: (f64, f64)) -> Vec<(u16, f64)> {
    let mut found: Vec<(u16, f64)> = Vec::new();
    gazetteer.sides(at.0, at.1, SIDES, |area, km| match found.iter_mut().find(|(known, _)| *known == area) {
        Some((_, nearest)) => *nearest = nearest.min(km),
        None => found.push((area, km)),
    });
    found
}

/// How far the nearest of these areas is that has a town.
fn distance(around: &[(u16, f64)], gazetteer: &Gazetteer, town: Place) -> Option<f64> {
    let own = around.iter().filter(|(area, _)| Owner::of_area(gazetteer, Some(*area)).has(town));
    own.map(|(_, km)| *km).min_by(f64::total_cmp)
}

/// Calls `each` for the populated places that reach a point, with how many of its radii each is away;
/// it answers with the number of radii from which a place is of no interest.
fn near(gazetteer: &'static Gazetteer, at: (f64, f64), mut each: impl FnMut(Place, f64) -> f64) {
    let shrink = shrink(at.0);
    let mut bound = f64::INFINITY;
    cells(gazetteer, at, TOWN_REACH.1, |at_least, first, last| {
        for index in first..last {
            let place = gazetteer.at(index);
            let here = place.degrees();
            let (dx, dy) = (wrap(here.1 - at.1) * shrink, here.0 - at.0);
            let square = (dx * dx + dy * dy) * (111.2 * 111.2);
            if square > TOWN_REACH.1 * TOWN_REACH.1 {
                continue;
            }
            let radius = quick_radius(place.population());
            // The largest place of a cell stands first: what follows is weaker.
            if at_least > bound * radius {
                return;
            }
            let km = square.sqrt();
            let score = km / radius;
            if score < bound && (score <= RADII || km <= TOWN_REACH.0) {
                bound = each(place, score);
            }
        }
    });
}

fn shrink(lat: f64) -> f64 {
    lat.to_radians().cos().max(0.02)
}

/// Calls `each` for the cells around, the own one first, with how many kilometres away a cell is at
/// least, and its towns.
fn cells(gazetteer: &Gazetteer, at: (f64, f64), reach: f64, mut each: impl FnMut(f64, u32, u32)) {
    let step = 1.0 / layout::CELLS_PER_DEGREE as f64;
    let grid = gazetteer.section(Section::TownGrid);
    let (row, column) = layout::cell_of(at.0, at.1);
    let shrink = shrink(at.0);
    let cell_km = 111.2 * step;
    let rows = (reach / cell_km).ceil() as isize;
    let columns = ((reach / (cell_km * shrink)).ceil() as isize).min(COLUMNS as isize / 2);
    let mut visit = |r: isize, c: isize| {
        let (south, west) = (r as f64 * step - 90.0, c as f64 * step - 180.0);
        let away = |low: f64, x: f64| (low - x).max(x - low - step).max(0.0);
        let km = away(south, at.0).hypot(away(west, at.1) * shrink) * 111.2;
        if km <= reach {
            // The grid is a ring: west of the first column lies the last.
            let cell = r as usize * COLUMNS + c.rem_euclid(COLUMNS as isize) as usize;
            each(km, grid.u24(cell * 3), grid.u24(cell * 3 + 3));
        }
    };
    visit(row as isize, column as isize);
    for r in (row as isize - rows).max(0)..=(row as isize + rows).min(ROWS as isize - 1) {
        for c in column as isize - columns..=column as isize + columns {
            if (r, c) != (row as isize, column as isize) {
                visit(r, c);
            }
        }
    }
}

fn wrap(dlon: f64) -> f64 {
    if dlon > 180.0 {
        dlon - 360.0
    } else if dlon < -180.0 {
        dlon + 360.0
    } else {
        dlon
    }
}
