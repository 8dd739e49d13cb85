//! Which areas and countries the polygons are, by the towns that lie in them.

use std::collections::{BTreeMap, HashMap};

use geo::Gazetteer;
use geo::layout::{NONE8, NONE16};

use super::{Draft, World};
use crate::natural_earth::Polygons;

/// Share of a polygon's people that must live in one first-order area for it to be that area's.
const WHOLE_AREA: f64 = 0.7;
/// Share of a polygon's people that must live in another country, by GeoNames, to move it there.
const OTHER_COUNTRY: f64 = 0.9;

/// An area of the borders: its place, first-order area and country.
pub(super) struct NumberedArea {
    pub(super) place: usize,
    pub(super) admin1: u16,
    pub(super) country: u8,
}

impl World {
    /// Says of each polygon which first-order area it is, or is part of, by the towns that lie in it.
    pub(super) fn add_polygons(&mut self, polygons: &[Polygons], borders: &Gazetteer) -> Vec<NumberedArea> {
        let countries = self.countries_of(polygons, borders);
        let mut votes: Vec<BTreeMap<u16, u64>> = vec![BTreeMap::new(); polygons.len()];
        for town in &self.drafts[..self.towns] {
            if let Some(area) = borders.area_at(town.at.0, town.at.1)
                && town.admin1 != NONE16
                && town.country == countries[usize::from(area)]
            {
                *votes[usize::from(area)].entry(town.admin1).or_default() += town.population + 100;
            }
        }
        let winners: Vec<Option<u16>> = votes
            .iter()
            .map(|votes| {
                let (admin1, people) = votes.iter().max_by_key(|(_, people)| **people)?;
                let all: u64 = votes.values().sum();
                // A polygon of several areas says nothing; there the town decides.
                (*people as f64 >= all as f64 * WHOLE_AREA).then_some(*admin1)
            })
            .collect();
        let mut polygons_of: HashMap<u16, usize> = HashMap::new();
        winners.iter().flatten().for_each(|winner| *polygons_of.entry(*winner).or_default() += 1);
        let by_id: HashMap<u32, usize> =
            self.drafts.iter().enumerate().filter_map(|(index, draft)| Some((draft.id?, index))).collect();
        let mut numbered = Vec::new();
        for ((polygon, winner), country) in polygons.iter().zip(&winners).zip(countries) {
            let whole =
                winner.filter(|winner| polygons_of[winner] == 1).map(|winner| self.admin1_places[usize::from(winner)]);
            let same_id = polygon.id.and_then(|id| by_id.get(&id)).copied().filter(|index| *index >= self.towns);
            let place = match whole.filter(|place| *place != usize::MAX).or(same_id) {
                Some(place) => {
                    self.drafts[place].names.push(polygon.name.clone());
                    self.drafts[place].names.extend(polygon.names.iter().cloned());
                    place
                }
                None => {
                    let middle = if polygon.label == (0.0, 0.0) { middle_of(polygon) } else { polygon.label };
                    self.drafts.push(Draft {
                        id: polygon.id,
                        name: if polygon.name.is_empty() { self.country_name(country) } else { polygon.name.clone() },
                        at: middle,
                        population: 0,
                        feature: "ADMD",
                        country,
                        admin1: winner.unwrap_or(NONE16),
                        admin2: NONE16,
                        names: polygon.names.clone(),
                    });
                    self.drafts.len() - 1
                }
            };
            numbered.push(NumberedArea { place, admin1: winner.unwrap_or(NONE16), country });
        }
        eprintln!("polygons: {}, in {} first-order areas", polygons.len(), polygons_of.len());
        numbered
    }

    /// The country of each polygon: Natural Earth's, unless nearly all who live there live in another
    /// one by GeoNames. So overseas parts of France have their own ISO codes, and the Crimea is
    /// where the United Nations have it.
    fn countries_of(&self, polygons: &[Polygons], borders: &Gazetteer) -> Vec<u8> {
        let mut people: Vec<BTreeMap<u8, u64>> = vec![BTreeMap::new(); polygons.len()];
        for town in &self.drafts[..self.towns] {
            if let Some(area) = borders.area_at(town.at.0, town.at.1) {
                *people[usize::from(area)].entry(town.country).or_default() += town.population + 100;
            }
        }
        let decide = |(polygon, people): (&Polygons, BTreeMap<u8, u64>)| {
            let named = self.country_of(polygon);
            let all: u64 = people.values().sum();
            match people.iter().max_by_key(|(_, people)| **people) {
                Some((country, most)) if *most as f64 >= all as f64 * OTHER_COUNTRY => *country,
                _ => named,
            }
        };
        polygons.iter().zip(people).map(decide).collect()
    }

    fn country_name(&self, country: u8) -> String {
        self.countries.get(usize::from(country)).map(|country| country.name.clone()).unwrap_or_default()
    }

    /// Natural Earth's country of a polygon; parts without a code belong to the country that GeoNames
    /// counts them to.
    fn country_of(&self, polygon: &Polygons) -> u8 {
        if let Some(number) = self.country_numbers.get(&polygon.country) {
            return *number;
        }
        let code = match polygon.country3.as_str() {
            "KOS" => "XK",
            "SOL" => "SO",
            "CYN" | "CNM" | "ESB" | "WSB" => "CY",
            "KAS" | "SPI" => "IN",
            "USG" => "CU",
            "KAB" => "KZ",
            "SDS" => "SS",
            "PSX" => "PS",
            "SAH" => "EH",
            "ALD" => "AX",
            "BRT" => "EG",
            "PGA" | "SCR" | "SPR" => "",
            "CLP" => "FR",
            "CSI" | "ATC" => "AU",
            "UMI" => "UM",
            code3 => return self.countries.iter().position(|c| c.iso3 == code3).map_or(NONE8, |number| number as u8),
        };
        self.country(code)
    }
}

/// The middle of a polygon's largest ring's box.
fn middle_of(polygon: &Polygons) -> (f64, f64) {
    let ring = polygon.polygons.iter().filter_map(|rings| rings.first()).max_by_key(|ring| ring.len());
    let Some(ring) = ring else { return (0.0, 0.0) };
    let fold = |pick: fn(&[f64; 2]) -> f64| {
        let low = ring.iter().map(pick).fold(f64::INFINITY, f64::min);
        let high = ring.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
        (low + high) / 2.0
    };
    (fold(|p| p[1]), fold(|p| p[0]))
}
