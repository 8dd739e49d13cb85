//! Coordinates to names [algorithms 3.4].
//!
//! The country and the first-order area are those whose polygon holds the point. The town is the
//! one whose *influence* is largest there, not the one whose centre happens to be nearest: a town
//! of P people fills a circle of about `0.03 · P^0.43` km, and distances are measured in that unit.
//!
//! The polygons are drawn simply: a border is off by some hundred metres, by more at a few towns, and
//! some enclaves, small islands and new provinces are missing. Where that may be so, the town whose
//! influence holds the point says on which side it is. Town and areas always agree.

mod search;
#[cfg(test)]
mod tests;

use facts::LatLon;

use self::search::{Found, Search};
use crate::finer::Nearby;
use crate::gazetteer::layout::{self, AREA, Section};
use crate::gazetteer::{Country, Gazetteer, Kind, Place};

/// A point this far from land, in kilometres, still belongs to the area there: piers, bridges,
/// boats, and coasts that the map draws too simply.
const OFFSHORE: f64 = 20.0;
/// A town is given up to this many of its radii away …
const RADII: f64 = 2.5;
/// … and at least up to this many kilometres, at most up to that many.
const TOWN_REACH: (f64, f64) = (10.0, 30.0);
/// The radius of the circle that a town of so many people fills, in kilometres. Areas of towns grow
/// a little slower than their populations; Kiel (247,000) fills 6.2 km, a village of 1,000 0.6 km.
pub fn town_radius(population: u64) -> f64 {
    0.03 * (population.max(200) as f64).powf(0.43)
}

/// How far from its centre a town is given, in kilometres.
pub(crate) fn town_reach(population: u64) -> f64 {
    (town_radius(population) * RADII).clamp(TOWN_REACH.0, TOWN_REACH.1)
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
    /// The country: by polygon, and where the polygons may be wrong, that of the town.
    pub country: Option<Country>,
    /// The first-order area, in the same way; where a polygon holds several, that of the town.
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
    /// The street or house there, where such were imported.
    pub street: Option<Nearby>,
}

impl Spot {
    /// What a polygon says.
    fn of_area(gazetteer: &'static Gazetteer, number: Option<u16>) -> Self {
        let areas = gazetteer.section(Section::Areas);
        let field = |at: usize| number.map(|number| usize::from(number) * AREA + at);
        let country = field(5).map(|at| areas.u8(at)).filter(|c| *c != layout::NONE8);
        let admin1 = gazetteer.admin1_place(field(3).map_or(layout::NONE16, |at| areas.u16(at)));
        let area = field(0)
            .map(|at| gazetteer.at(areas.u24(at)))
            .filter(|area| Some(*area) != admin1 && area.kind() != Kind::Country);
        let country = country.map(|country| Country::new(gazetteer, country));
        Self { country, admin1, area, admin2: None, town: None, nearest: None, ground: Ground::OpenSea, street: None }
    }

    /// In words: "Kiel, Schleswig-Holstein, Germany", "Lapland, Finland, 41 km from Inari",
    /// "open sea".
    pub fn describe(&self) -> String {
        let mut parts: Vec<&str> = Vec::new();
        let street = self.street.filter(|_| self.ground == Ground::Land).map(|near| match near.number {
            Some(number) => format!("{} {number}", near.street),
            None => near.street.to_owned(),
        });
        parts.extend(street.as_deref());
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
    let street = gazetteer.finer().and_then(|finer| finer.nearest((point.lat(), point.lon())));
    Spot { street, ..town_at(gazetteer, point) }
}

fn town_at(gazetteer: &'static Gazetteer, point: LatLon) -> Spot {
    // At the poles a hair off: there is no side of a border at a point where all meet.
    let (lat, lon) = (point.lat().clamp(-89.999, 89.999), point.lon());
    let (number, ground) = match gazetteer.area_at(lat, lon) {
        Some(area) => (Some(area), Ground::Land),
        None => match gazetteer.nearest_area(lat, lon, OFFSHORE) {
            Some((area, km)) => (Some(area), Ground::OffCoast(km)),
            None => (None, Ground::OpenSea),
        },
    };
    let off = if let Ground::OffCoast(km) = ground { km } else { 0.0 };
    let mut search = Search::new(gazetteer, (lat, lon), number, off);
    let Found { decisive, town } = search.strongest();
    let Some(decisive) = decisive else {
        let nearest = if ground == Ground::OpenSea { None } else { search.nearest() };
        return Spot { nearest, ground, ..Spot::of_area(gazetteer, number) };
    };
    let mut spot = Spot { ground, ..Spot::of_area(gazetteer, search.area_of(decisive)) };
    // Where the polygons are coarser or older than the areas of today, the town knows its own.
    if spot.country != decisive.country() || decisive.admin1().is_some_and(|own| spot.admin1 != Some(own)) {
        (spot.country, spot.admin1, spot.area) = (decisive.country(), decisive.admin1(), None);
    }
    if ground == Ground::OpenSea {
        spot.ground = Ground::Land;
    }
    let admin2 = town.and_then(|(town, _)| town.admin2());
    Spot { admin2, town: town.map(|(town, _)| town), nearest: town, ..spot }
}
