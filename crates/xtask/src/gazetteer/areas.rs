//! Countries, areas of the first and second order, and everything else that is no town.

use std::collections::HashMap;

use geo::fold;
use geo::layout::{NONE8, NONE16};

use super::{Draft, World, kilometres};
use crate::features;
use crate::geonames::Area;

/// The middle of towns, the larger weighing more, and how many people live in them.
#[derive(Clone, Copy, Default)]
struct Middle {
    weight: f64,
    lat: f64,
    lon: f64,
    population: u64,
}

impl Middle {
    fn add(&mut self, at: (f64, f64), population: u64) {
        let weight = (population as f64 + 100.0).sqrt();
        self.weight += weight;
        self.lat += at.0 * weight;
        self.lon += at.1 * weight;
        self.population += population;
    }

    fn at(&self) -> Option<(f64, f64)> {
        (self.weight > 0.0).then(|| (self.lat / self.weight, self.lon / self.weight))
    }
}

impl World {
    pub(super) fn add_countries(&mut self, areas: &[Area]) {
        let by_id: HashMap<u32, &Area> = areas.iter().map(|area| (area.id, area)).collect();
        for number in 0..self.countries.len() {
            let country = &self.countries[number];
            let area = by_id.get(&country.geonameid);
            let capital = self.drafts[..self.towns]
                .iter()
                .filter(|draft| usize::from(draft.country) == number)
                .max_by_key(|draft| (draft.name == country.capital, draft.feature == "PPLC", draft.population));
            let at = area.map(|area| (area.lat, area.lon)).or(capital.map(|town| town.at)).unwrap_or((0.0, 0.0));
            let mut names: Vec<String> = area.map(|area| area.names.clone()).unwrap_or_default();
            names.extend(also_called(&country.iso).iter().map(|name| (*name).to_owned()));
            self.country_places.push(self.drafts.len());
            self.drafts.push(Draft {
                id: Some(country.geonameid),
                name: country.name.clone(),
                at,
                population: country.population,
                feature: "PCLI",
                country: number as u8,
                admin1: NONE16,
                admin2: NONE16,
                names,
            });
        }
    }

    pub(super) fn add_admin1(&mut self, areas: &[Area]) {
        let mut middles = vec![Middle::default(); self.admin1.len()];
        for town in &self.drafts[..self.towns] {
            if let Some(middle) = middles.get_mut(usize::from(town.admin1)) {
                middle.add(town.at, town.population);
            }
        }
        let mut named: HashMap<(String, String), Vec<&Area>> = HashMap::new();
        for area in areas.iter().filter(|area| area.kind == "admin1") {
            let mut keys: Vec<String> = area.names.iter().chain([&area.name]).map(|name| fold(name)).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().for_each(|key| named.entry((area.country.clone(), key)).or_default().push(area));
        }
        let mut unmatched = 0;
        for (number, middle) in middles.into_iter().enumerate() {
            let (code, name) = self.admin1[number].clone();
            let country = code.split('.').next().unwrap_or_default().to_owned();
            let near = |area: &&&Area| middle.at().map_or(0, |at| kilometres(at, (area.lat, area.lon)) as u64);
            let area =
                named.get(&(country.clone(), fold(&name))).and_then(|areas| areas.iter().min_by_key(near)).copied();
            unmatched += usize::from(area.is_none());
            let Some(at) = area.map(|area| (area.lat, area.lon)).or(middle.at()) else { continue };
            self.admin1_places[number] = self.drafts.len();
            self.drafts.push(Draft {
                id: area.map(|area| area.id),
                name,
                at,
                population: area.map_or(middle.population, |area| area.population),
                feature: "ADM1",
                country: self.country(&country),
                admin1: number as u16,
                admin2: NONE16,
                names: area.map(|area| area.names.clone()).unwrap_or_default(),
            });
        }
        eprintln!("first-order areas: {} of {} without other names", unmatched, self.admin1.len());
    }

    pub(super) fn add_admin2(&mut self, areas: &[Area]) {
        let mut middles = vec![Middle::default(); self.admin2.len()];
        for town in &self.drafts[..self.towns] {
            if let Some(middle) = middles.get_mut(usize::from(town.admin2)) {
                middle.add(town.at, town.population);
            }
        }
        let mut named: HashMap<(String, String), Vec<&Area>> = HashMap::new();
        for area in areas.iter().filter(|area| area.kind == "admin2") {
            let mut keys: Vec<String> = area.names.iter().chain([&area.name]).map(|name| fold(name)).collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().for_each(|key| named.entry((area.country.clone(), key)).or_default().push(area));
        }
        for (number, middle) in middles.into_iter().enumerate() {
            let (code, name) = self.admin2[number].clone();
            let country = code.split('.').next().unwrap_or_default().to_owned();
            let Some(centre) = middle.at() else { continue };
            let distance = |area: &Area| kilometres(centre, (area.lat, area.lon));
            let area = named
                .get(&(country.clone(), fold(&name)))
                .and_then(|areas| areas.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))))
                .filter(|area| distance(area) < 150.0)
                .copied();
            let admin1 = code.rsplit_once('.').and_then(|(code, _)| self.admin1_numbers.get(code)).copied();
            self.admin2_places[number] = self.drafts.len();
            self.drafts.push(Draft {
                id: area.map(|area| area.id),
                name,
                at: area.map_or(centre, |area| (area.lat, area.lon)),
                population: area.map_or(middle.population, |area| area.population),
                feature: "ADM2",
                country: self.country(&country),
                admin1: admin1.unwrap_or(NONE16),
                admin2: number as u16,
                names: area.map(|area| area.names.clone()).unwrap_or_default(),
            });
        }
    }

    /// Continents, regions, and lower areas that are not just a town again.
    pub(super) fn add_others(&mut self, areas: &[Area]) {
        let mut at: HashMap<String, Vec<(f64, f64)>> = HashMap::new();
        for draft in &self.drafts {
            at.entry(fold(&draft.name)).or_default().push(draft.at);
        }
        let known: std::collections::HashSet<u32> = self.drafts.iter().filter_map(|draft| draft.id).collect();
        let grid = TownGrid::new(&self.drafts[..self.towns]);
        for area in areas.iter().filter(|area| !known.contains(&area.id)) {
            let feature = match area.kind.as_str() {
                "continent" => "CONT",
                "region" if area.country.is_empty() || area.population > 0 || area.names.len() >= 3 => "RGN",
                "admin1" => "ADM1",
                "admin2" => "ADM2",
                "admin3" => "ADM3",
                "admin4" => "ADM4",
                "admin_other" => "ADMD",
                _ => continue,
            };
            let position = (area.lat, area.lon);
            let lower = feature.starts_with("ADM");
            if lower
                && at.get(&fold(&area.name)).is_some_and(|near| near.iter().any(|p| kilometres(*p, position) < 30.0))
            {
                continue;
            }
            let town = grid.nearest(&self.drafts, position);
            let (admin1, admin2) = match town {
                Some(town) if lower && self.drafts[town].country == self.country(&area.country) => {
                    (self.drafts[town].admin1, self.drafts[town].admin2)
                }
                _ => (NONE16, NONE16),
            };
            self.drafts.push(Draft {
                id: Some(area.id),
                name: area.name.clone(),
                at: position,
                population: area.population,
                // An area of the first order that is none of the codes of today.
                feature: if feature == "ADM1" || feature == "ADM2" { "ADMD" } else { feature },
                country: self.country(&area.country),
                admin1,
                admin2: if feature == "ADM2" { NONE16 } else { admin2 },
                names: area.names.clone(),
            });
        }
    }

    pub(super) fn add_features(&mut self) {
        for (feature, lat, lon, names) in features::FEATURES {
            let mut names = names.split('|').map(str::to_owned);
            let name = names.next().unwrap_or_default();
            let mut draft = Draft {
                id: None,
                name,
                at: (lat, lon),
                population: 0,
                feature,
                country: NONE8,
                admin1: NONE16,
                admin2: NONE16,
                names: names.collect(),
            };
            // Known already, if perhaps by fewer names.
            let known =
                self.drafts[self.towns..].iter_mut().find(|known| known.feature == "RGN" && known.name == draft.name);
            match known {
                Some(known) => known.names.append(&mut draft.names),
                None => self.drafts.push(draft),
            }
        }
    }
}

/// Finds towns near a point.
struct TownGrid(HashMap<(i32, i32), Vec<usize>>);

impl TownGrid {
    fn new(towns: &[Draft]) -> Self {
        let mut cells: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
        for (index, town) in towns.iter().enumerate() {
            cells.entry((town.at.0.floor() as i32, town.at.1.floor() as i32)).or_default().push(index);
        }
        Self(cells)
    }

    fn nearest(&self, drafts: &[Draft], at: (f64, f64)) -> Option<usize> {
        let (row, column) = (at.0.floor() as i32, at.1.floor() as i32);
        (row - 1..=row + 1)
            .flat_map(|row| (column - 1..=column + 1).map(move |column| (row, column)))
            .filter_map(|cell| self.0.get(&cell))
            .flatten()
            .copied()
            .min_by(|a, b| kilometres(drafts[*a].at, at).total_cmp(&kilometres(drafts[*b].at, at)))
    }
}

/// Everyday names of countries that the packages lack or list only in part.
fn also_called(iso: &str) -> &'static [&'static str] {
    match iso {
        "US" => &["US", "U.S.", "USA", "U.S.A.", "United States", "United States of America", "America"],
        "GB" => &["UK", "U.K.", "United Kingdom", "Britain", "Great Britain"],
        "AE" => &["UAE", "U.A.E.", "Emirates"],
        "CZ" => &["Czech Republic", "Czechia"],
        "CI" => &["Ivory Coast", "Côte d'Ivoire"],
        "CD" => &["DRC", "Democratic Republic of Congo", "Congo-Kinshasa"],
        "CG" => &["Republic of Congo", "Congo"],
        "MK" => &["Macedonia", "North Macedonia"],
        "MM" => &["Burma", "Myanmar"],
        "KR" => &["South Korea"],
        "KP" => &["North Korea"],
        "NL" => &["Holland", "The Netherlands", "Netherlands"],
        "SZ" => &["Swaziland", "Eswatini"],
        "TR" => &["Turkey", "Türkiye"],
        "VA" => &["Vatican", "Vatican City", "Holy See"],
        "PS" => &["Palestine", "Palestinian Territories"],
        "BA" => &["Bosnia", "Bosnia and Herzegovina"],
        "TL" => &["East Timor", "Timor-Leste"],
        "CV" => &["Cape Verde"],
        _ => &[],
    }
}
