//! Coordinates to names [algorithms 3.4].
//!
//! The country and the first-order area are those whose polygon holds the point. The town is the
//! one whose *influence* is largest there, not the one whose centre happens to be nearest: a town
//! of P people fills a circle of about `0.03 · P^0.43` km, and distances are measured in that unit.

use std::sync::LazyLock;

use facts::LatLon;

use crate::distance::great_circle;
use crate::gazetteer::layout::{self, AREA, COLUMNS, ROWS, Section};
use crate::gazetteer::{Country, Gazetteer, Kind, Place};

/// A point this far from land, in kilometres, still belongs to the area there: piers, bridges,
/// boats, and coasts that the map draws too simply.
const OFFSHORE: f64 = 20.0;
/// A town is given up to this many of its radii away …
const RADII: f64 = 2.5;
/// … and at least up to this many kilometres, at most up to that many.
pub(crate) const TOWN_REACH: (f64, f64) = (10.0, 30.0);
/// A town in another first-order area seems so much farther away: borders on the map are off by up
/// to a kilometre, so it is not ruled out.
const OTHER_ADMIN1: f64 = 3.0;
/// How far the nearest town is looked for when none is near, in rows of half a degree.
const FAR_ROWS: usize = 8;

/// The radius of the circle that a town of so many people fills, in kilometres. Areas of towns grow
/// a little slower than their populations; Kiel (247,000) fills 6.2 km, a village of 1,000 0.6 km.
pub fn town_radius(population: u64) -> f64 {
    0.03 * (population.max(200) as f64).powf(0.43)
}

/// [`town_radius`] by the leading five bits of the population: within 1.4 %, without a power.
fn quick_radius(population: u64) -> f64 {
    static RADII: LazyLock<[f64; 1024]> = LazyLock::new(|| {
        std::array::from_fn(|index| {
            let (exponent, mantissa) = (index as u64 / 16, index as u64 % 16);
            town_radius(((33 + 2 * mantissa) << exponent) >> 5)
        })
    });
    let exponent = population.max(16).ilog2();
    RADII[(exponent as usize * 16 + ((population.max(16) >> (exponent - 4)) & 15) as usize).min(1023)]
}

/// How a point lies to the land.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    /// In the polygon of the area given.
    Land,
    /// In water, this many kilometres from the area given.
    OffCoast(f64),
    /// Far from any land.
    OpenSea,
}

/// What is known of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// The country, by polygon.
    pub country: Option<Country>,
    /// The first-order area, by polygon; where a polygon holds several, that of the town.
    pub admin1: Option<Place>,
    /// The area whose polygon it is, where that is finer than the first-order area: a French
    /// department, an English county.
    pub area: Option<Place>,
    /// The second-order area of the town.
    pub admin2: Option<Place>,
    /// The town the point belongs to; `None` when it is far from any.
    pub town: Option<Place>,
    /// The town given, or the nearest when the point is far from any, and how many kilometres away
    /// its centre is.
    pub nearest: Option<(Place, f64)>,
    /// How the point lies to the land.
    pub ground: Ground,
}

impl Spot {
    /// In words: "Kiel, Schleswig-Holstein, Germany", "Lapland, Finland, 41 km from Inari",
    /// "open sea".
    pub fn describe(&self) -> String {
        let mut parts: Vec<&str> = Vec::new();
        parts.extend(self.town.map(Place::name));
        if self.town.is_none() {
            parts.extend(self.area.map(Place::name));
        }
        parts.extend(self.admin1.map(Place::name));
        parts.extend(self.country.map(Country::name));
        parts.dedup();
        let mut text = parts.join(", ");
        match self.ground {
            Ground::OpenSea => text = "open sea".into(),
            Ground::OffCoast(km) if km < 1.0 => text = format!("just off {text}"),
            Ground::OffCoast(km) => text = format!("{km:.0} km off {text}"),
            Ground::Land => {}
        }
        if let (None, Some((place, km))) = (self.town, self.nearest) {
            text = format!("{text}, {km:.0} km from {}", place.name());
        }
        text
    }
}

/// What is at a point.
pub fn reverse(gazetteer: &'static Gazetteer, point: LatLon) -> Spot {
    // At the poles a hair off: there is no side of a border at a point where all meet.
    let (lat, lon) = (point.lat().clamp(-89.999, 89.999), point.lon());
    let (number, ground) = match gazetteer.area_at(lat, lon) {
        Some(area) => (Some(area), Ground::Land),
        None => match gazetteer.nearest_area(lat, lon, OFFSHORE) {
            Some((area, km)) => (Some(area), Ground::OffCoast(km)),
            None => (None, Ground::OpenSea),
        },
    };
    let areas = gazetteer.section(Section::Areas);
    let field = |at: usize| number.map(|number| usize::from(number) * AREA + at);
    let admin1_number = field(3).map_or(layout::NONE16, |at| areas.u16(at));
    let country = field(5).map(|at| areas.u8(at)).filter(|c| *c != layout::NONE8).map(|c| Country::new(gazetteer, c));
    let admin1 = gazetteer.admin1_place(admin1_number);
    let area = field(0)
        .map(|at| gazetteer.at(areas.u24(at)))
        .filter(|area| Some(*area) != admin1 && area.kind() != Kind::Country);
    let mut spot = Spot { country, admin1, area, admin2: None, town: None, nearest: None, ground };
    if ground == Ground::OpenSea {
        return spot;
    }
    let search = Search { gazetteer, at: (lat, lon), country: country.map(Country::number), admin1: admin1_number };
    match search.strongest() {
        Some((town, km)) => {
            spot.town = Some(town);
            spot.nearest = Some((town, km));
            spot.admin2 = town.admin2();
            // Where the polygons are coarser than the areas of today, and on the water between two
            // areas, the town knows its own.
            if spot.admin1.is_none() || ground != Ground::Land {
                spot.admin1 = town.admin1().or(spot.admin1);
            }
        }
        None => spot.nearest = search.nearest(),
    }
    spot
}

struct Search {
    gazetteer: &'static Gazetteer,
    at: (f64, f64),
    country: Option<u8>,
    admin1: u16,
}

impl Search {
    /// The town with the largest influence, if it reaches here.
    fn strongest(&self) -> Option<(Place, f64)> {
        let shrink = self.shrink();
        let mut best: Option<(f64, Place, f64)> = None;
        self.cells(TOWN_REACH.1, |at_least, first, last| {
            for index in first..last {
                let town = self.gazetteer.at(index);
                let here = town.degrees();
                let (dx, dy) = (wrap(here.1 - self.at.1) * shrink, here.0 - self.at.0);
                let square = (dx * dx + dy * dy) * (111.2 * 111.2);
                if square > TOWN_REACH.1 * TOWN_REACH.1 {
                    continue;
                }
                let radius = quick_radius(town.population());
                // The largest town of a cell stands first: what follows is weaker.
                if best.is_some_and(|(score, ..)| at_least > score * radius) {
                    return;
                }
                let km = square.sqrt();
                let mut score = km / radius;
                if score > RADII && km > TOWN_REACH.0 {
                    continue;
                }
                if self.admin1 != layout::NONE16 && town.admin1_number() != self.admin1 {
                    score *= OTHER_ADMIN1;
                }
                if best.is_none_or(|(known, ..)| score < known) && self.counts(town) {
                    best = Some((score, town, km));
                }
            }
        });
        best.map(|(_, town, _)| (town, great_circle(town.degrees(), self.at)))
    }

    /// The nearest town of the country within a few hundred kilometres.
    fn nearest(&self) -> Option<(Place, f64)> {
        let grid = self.gazetteer.section(Section::TownGrid);
        let (row, column) = layout::cell_of(self.at.0, self.at.1);
        for rows in [1, 3, FAR_ROWS] {
            let columns = ((rows as f64 / self.shrink()).ceil() as usize).min(COLUMNS / 2);
            let (west, east) = (column.saturating_sub(columns), (column + columns).min(COLUMNS - 1));
            let mut best: Option<(Place, f64)> = None;
            for row in row.saturating_sub(rows)..=(row + rows).min(ROWS - 1) {
                // The towns of a row of cells stand together.
                let (first, last) = (grid.u24((row * COLUMNS + west) * 3), grid.u24((row * COLUMNS + east) * 3 + 3));
                for town in (first..last).map(|index| self.gazetteer.at(index)) {
                    let km = great_circle(town.degrees(), self.at);
                    if best.is_none_or(|(_, known)| km < known) && self.counts(town) {
                        best = Some((town, km));
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
        self.country.is_none_or(|country| town.country_number() == country) && town.kind() == Kind::Town
    }

    fn shrink(&self) -> f64 {
        self.at.0.to_radians().cos().max(0.02)
    }

    /// Calls `each` for the cells around, the own one first, with how many kilometres away a cell is
    /// at least, and its towns.
    fn cells(&self, reach: f64, mut each: impl FnMut(f64, u32, u32)) {
        let step = 1.0 / layout::CELLS_PER_DEGREE as f64;
        let grid = self.gazetteer.section(Section::TownGrid);
        let (row, column) = layout::cell_of(self.at.0, self.at.1);
        let shrink = self.shrink();
        let cell_km = 111.2 * step;
        let rows = (reach / cell_km).ceil() as isize;
        let columns = ((reach / (cell_km * shrink)).ceil() as isize).min(COLUMNS as isize / 2);
        let mut visit = |r: isize, c: isize| {
            let (south, west) = (r as f64 * step - 90.0, c as f64 * step - 180.0);
            let away = |low: f64, x: f64| (low - x).max(x - low - step).max(0.0);
            let km = away(south, self.at.0).hypot(away(west, self.at.1) * shrink) * 111.2;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(lat: f64, lon: f64) -> Spot {
        reverse(Gazetteer::embedded(), LatLon::new(lat, lon).unwrap())
    }

    fn check(lat: f64, lon: f64, country: &str, admin1: &str) {
        let spot = at(lat, lon);
        assert_eq!(spot.country.map_or("", Country::code), country, "{lat},{lon}: {}", spot.describe());
        if !admin1.is_empty() {
            assert_eq!(spot.admin1.map_or("", Place::name), admin1, "{lat},{lon}: {}", spot.describe());
        }
    }

    #[test]
    fn countries_and_areas_are_those_that_contain_the_point() {
        for (lat, lon, country, admin1) in [
            (54.3233, 10.1228, "DE", "Schleswig-Holstein"),
            (62.6010, 29.7636, "FI", "North Karelia"),
            (48.8566, 2.3522, "FR", "Île-de-France"),
            (51.5072, -0.1276, "GB", "England"),
            (41.9028, 12.4964, "IT", "Lazio"),
            (40.4168, -3.7038, "ES", "Madrid"),
            (34.0522, -118.2437, "US", "California"),
            (-33.8688, 151.2093, "AU", "New South Wales"),
            (55.7558, 37.6173, "RU", ""),
            (35.6762, 139.6503, "JP", "Tokyo"),
        ] {
            check(lat, lon, country, admin1);
        }
    }

    #[test]
    fn points_near_borders_lie_on_their_own_side() {
        for (lat, lon, country) in [
            (47.5450, 7.6000, "CH"),   // Basel, a kilometre or two from France and Germany
            (47.6150, 7.6650, "DE"),   // Lörrach
            (47.5900, 7.5500, "FR"),   // Saint-Louis
            (50.7700, 6.0300, "DE"),   // Aachen, Vaals is Dutch
            (31.7750, -106.460, "US"), // El Paso
            (31.6900, -106.424, "MX"), // Ciudad Juárez
            (61.0550, 28.1900, "FI"),  // Lappeenranta
            (60.7100, 28.7500, "RU"),  // Vyborg
            (36.1408, -5.3536, "GI"),  // Gibraltar
            (45.9400, 8.9700, "CH"),   // Lugano's southern bay, near Campione
        ] {
            check(lat, lon, country, "");
        }
    }

    #[test]
    fn enclaves_are_not_their_surroundings() {
        for (lat, lon, country) in [
            (41.9022, 12.4533, "VA"),
            (43.9424, 12.4578, "SM"),
            (-29.6100, 28.2336, "LS"),
            (43.7384, 7.4246, "MC"),
            (47.1410, 9.5209, "LI"),
            (42.4640, 1.9800, "ES"),   // Llívia in France
            (35.8890, -5.3160, "ES"),  // Ceuta in Africa
            (54.7100, 20.5100, "RU"),  // Kaliningrad
            (39.2090, 45.4120, "AZ"),  // Nakhchivan
            (-5.5600, 12.1900, "AO"),  // Cabinda
            (48.9850, -123.060, "US"), // Point Roberts
            (47.5800, 10.4500, "AT"),  // Jungholz
            (41.9050, 12.4600, "IT"),  // a street from the Vatican
            (-90.0, 0.0, "AQ"),
        ] {
            check(lat, lon, country, "");
        }
    }

    #[test]
    fn islands_and_points_off_the_coast_belong_to_the_land_there_and_the_open_sea_to_none() {
        for (lat, lon, country) in [
            (54.1800, 7.8850, "DE"),
            (60.0973, 19.9348, "AX"),
            (28.2916, -16.6291, "ES"),
            (-17.7134, 178.0650, "FJ"),
            (-16.8, -179.99, "FJ"),
        ] {
            check(lat, lon, country, "");
        }
        let off = at(54.4600, 10.2900);
        assert!(matches!(off.ground, Ground::OffCoast(km) if km < 10.0), "{off:?}");
        assert_eq!(off.country.map(Country::code), Some("DE"));
        let sea = at(45.0, -35.0);
        assert_eq!((sea.ground, sea.country, sea.town), (Ground::OpenSea, None, None));
        assert_eq!(sea.describe(), "open sea");
    }

    #[test]
    fn nearly_every_town_of_the_world_lies_in_its_own_country_and_area() {
        let gazetteer = Gazetteer::embedded();
        let towns: Vec<Place> = gazetteer
            .places()
            .filter(|place| place.kind() == Kind::Town && place.population() >= 5000)
            .step_by(7)
            .collect();
        let share = |agrees: &dyn Fn(&Place, Spot) -> bool| {
            towns.iter().filter(|town| agrees(town, reverse(gazetteer, town.at()))).count() as f64 / towns.len() as f64
        };
        let countries = share(&|town, spot| spot.country == town.country());
        let areas = share(&|town, spot| spot.admin1 == town.admin1());
        assert!(towns.len() > 5000 && countries > 0.996 && areas > 0.975, "{countries} {areas}");
    }

    #[test]
    fn the_town_is_the_one_whose_influence_is_largest_not_the_nearest() {
        for (lat, lon, town) in [
            (54.3165, 10.0800, "Kiel"), // Kronshagen's centre is closer
            (54.3336, 10.0870, "Kronshagen"),
            (53.1412, 8.2147, "Oldenburg"),
            (48.8620, 2.2870, "Paris"),
            (60.1699, 24.9384, "Helsinki"),
            (60.2055, 24.6559, "Espoo"),
            (51.5300, -0.1500, "London"),
        ] {
            let spot = at(lat, lon);
            assert_eq!(spot.town.map_or("", Place::name), town, "{lat},{lon}: {spot:?}");
        }
    }

    #[test]
    fn the_quick_radius_is_nearly_the_exact_one() {
        for population in [0, 1, 500, 1_000, 4_321, 252_668, 3_500_000, 24_874_500] {
            let (quick, exact) = (quick_radius(population), town_radius(population));
            assert!((quick / exact - 1.0).abs() < 0.02, "{population}: {quick} {exact}");
        }
    }

    #[test]
    fn far_from_any_town_the_area_is_given_and_the_nearest_town_named() {
        let spot = at(68.2, 28.3);
        assert_eq!((spot.town, spot.country.map(Country::code)), (None, Some("FI")), "{}", spot.describe());
        assert!(spot.nearest.is_some_and(|(_, km)| km > 10.0));
        assert!(spot.describe().contains(" km from "), "{}", spot.describe());
        let desert = at(23.5, 4.5);
        assert_eq!((desert.town, desert.country.map(Country::code)), (None, Some("DZ")));
    }

    #[test]
    fn every_point_of_the_world_has_an_answer() {
        for lat in -90..=90 {
            for lon in -180..=180 {
                let _ = at(f64::from(lat), f64::from(lon)).describe();
            }
        }
    }
}
