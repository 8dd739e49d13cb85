//! Polygons from a file, and whether a point lies in one of them.

use serde_json::Value as Json;

use facts::LatLon;

/// A corner: latitude and longitude, in degrees.
type Corner = (f64, f64);

/// Edges of a band, on average; fewer cost memory, more cost time.
const EDGES_A_BAND: usize = 8;
/// Most bands of a polygon.
const BANDS: usize = 4096;
/// Most times that an edge stands in a band, on average: tall edges stand in many.
const COPIES: usize = 8;
/// Collections inside each other that are looked into.
const DEPTH: usize = 8;

/// Polygons that may overlap: together they are what any of them holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Polygons(Vec<Polygon>);

impl Polygons {
    /// Those of a GeoJSON document; `None` when it has none on the Earth.
    pub fn of(json: &Json) -> Option<Self> {
        let mut polygons = Vec::new();
        gather(json, &mut polygons, 0);
        (!polygons.is_empty()).then_some(Self(polygons))
    }

    /// How many corners they have together.
    pub fn corners(&self) -> usize {
        self.0.iter().map(|polygon| polygon.edges.len()).sum()
    }

    /// The box around each: south, west, north, east.
    pub fn boxes(&self) -> impl Iterator<Item = [f64; 4]> {
        self.0.iter().map(|polygon| polygon.bounds)
    }

    /// The middle of the first one's corners.
    pub fn centre(&self) -> Option<LatLon> {
        let first = self.0.first()?;
        LatLon::new(first.middle.0, first.middle.1)
    }

    /// Whether any of them holds a point.
    pub fn contains(&self, lat: f64, lon: f64) -> bool {
        self.0.iter().any(|polygon| polygon.contains(lat, lon))
    }
}

/// An outline and its holes.
#[derive(Clone, Debug, PartialEq)]
struct Polygon {
    /// South, west, north, east.
    bounds: [f64; 4],
    /// The middle of the outline's corners.
    middle: Corner,
    edges: Vec<(Corner, Corner)>,
    /// For bands of equal height, from the south, where their edges begin in `in_bands`; one more at
    /// the end.
    bands: Vec<u32>,
    in_bands: Vec<u32>,
}

impl Polygon {
    /// A polygon with its outline first, then its holes.
    fn new(rings: &[Vec<Corner>]) -> Option<Self> {
        let outline = rings.first()?;
        let count = outline.len() as f64;
        let middle = (
            outline.iter().map(|corner| corner.0).sum::<f64>() / count,
            outline.iter().map(|corner| corner.1).sum::<f64>() / count,
        );
        let corners = rings.iter().flatten().map(|(lat, lon)| [*lat, *lon, *lat, *lon]);
        let bounds = corners.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])?;
        let edges: Vec<(Corner, Corner)> =
            rings.iter().flat_map(|ring| ring.iter().copied().zip(ring.iter().copied().cycle().skip(1))).collect();
        let mut polygon = Self { bounds, middle, edges, bands: Vec::new(), in_bands: Vec::new() };
        polygon.sort_into_bands();
        Some(polygon)
    }

    fn sort_into_bands(&mut self) {
        let mut count = (self.edges.len() / EDGES_A_BAND).clamp(1, BANDS);
        let reach =
            |count: usize, (a, b): &(Corner, Corner)| self.band(a.0.min(b.0), count)..=self.band(a.0.max(b.0), count);
        while count > 1
            && self.edges.iter().map(|edge| reach(count, edge).count()).sum::<usize>() > COPIES * self.edges.len()
        {
            count /= 2;
        }
        let mut bands = vec![0u32; count + 1];
        for edge in &self.edges {
            reach(count, edge).for_each(|band| bands[band + 1] += 1);
        }
        for band in 1..bands.len() {
            bands[band] += bands[band - 1];
        }
        let mut next = bands.clone();
        let mut in_bands = vec![0u32; bands[count] as usize];
        for (number, edge) in self.edges.iter().enumerate() {
            for band in reach(count, edge) {
                in_bands[next[band] as usize] = number as u32;
                next[band] += 1;
            }
        }
        (self.bands, self.in_bands) = (bands, in_bands);
    }

    /// The band of a latitude, of so many.
    fn band(&self, lat: f64, count: usize) -> usize {
        let height = self.bounds[2] - self.bounds[0];
        let part = if height > 0.0 { (lat - self.bounds[0]) / height } else { 0.0 };
        ((part * count as f64).max(0.0) as usize).min(count - 1)
    }

    /// Whether a line eastwards from a point crosses its edges an odd number of times.
    fn contains(&self, lat: f64, lon: f64) -> bool {
        let [south, west, north, east] = self.bounds;
        if lat < south || lat > north || lon < west || lon > east {
            return false;
        }
        let band = self.band(lat, self.bands.len() - 1);
        let mut inside = false;
        for number in &self.in_bands[self.bands[band] as usize..self.bands[band + 1] as usize] {
            let (a, b) = self.edges[*number as usize];
            if (a.0 > lat) != (b.0 > lat) && lon < a.1 + (lat - a.0) / (b.0 - a.0) * (b.1 - a.1) {
                inside = !inside;
            }
        }
        inside
    }
}

fn gather(json: &Json, polygons: &mut Vec<Polygon>, depth: usize) {
    if depth > DEPTH {
        return;
    }
    let list = |key: &str| json.get(key).and_then(Json::as_array).into_iter().flatten();
    match json.get("type").and_then(Json::as_str) {
        Some("FeatureCollection") => list("features").for_each(|feature| gather(feature, polygons, depth + 1)),
        Some("GeometryCollection") => list("geometries").for_each(|geometry| gather(geometry, polygons, depth + 1)),
        Some("Feature") => json.get("geometry").into_iter().for_each(|geometry| gather(geometry, polygons, depth + 1)),
        Some("Polygon") => polygons.extend(json.get("coordinates").and_then(polygon)),
        Some("MultiPolygon") => polygons.extend(list("coordinates").filter_map(polygon)),
        _ => {}
    }
}

/// A list of rings; without its outline it is none.
fn polygon(json: &Json) -> Option<Polygon> {
    let mut rings = json.as_array()?.iter().map(ring);
    let outline = rings.next()??;
    let rings: Vec<Vec<Corner>> = std::iter::once(outline).chain(rings.flatten()).collect();
    Polygon::new(&rings)
}

fn ring(json: &Json) -> Option<Vec<Corner>> {
    let point = |json: &Json| {
        let point = LatLon::new(json.get(1)?.as_f64()?, json.get(0)?.as_f64()?)?;
        Some((point.lat(), point.lon()))
    };
    let ring: Option<Vec<_>> = json.as_array()?.iter().map(point).collect();
    ring.filter(|ring| ring.len() >= 3)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn polygons(text: &str) -> Polygons {
        Polygons::of(&serde_json::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn overlapping_polygons_are_a_union_and_holes_stay_holes() {
        let square = |west: u32| format!("[[[{west},0],[{},0],[{},10],[{west},10],[{west},0]]]", west + 10, west + 10);
        let feature = |west: u32| {
            format!(r#"{{"type":"Feature","geometry":{{"type":"Polygon","coordinates":{}}}}}"#, square(west))
        };
        for text in [
            format!(r#"{{"type":"FeatureCollection","features":[{},{}]}}"#, feature(0), feature(5)),
            format!(r#"{{"type":"MultiPolygon","coordinates":[{},{}]}}"#, square(0), square(5)),
        ] {
            let both = polygons(&text);
            assert!([2.0, 7.0, 12.0].iter().all(|lon| both.contains(5.0, *lon)), "{text}");
            assert!(!both.contains(5.0, 16.0) && !both.contains(11.0, 7.0), "{text}");
        }
        let holed = polygons(
            r#"{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,9],[0,0]],[[3,3],[6,3],[6,6],[3,6],[3,3]]]}"#,
        );
        assert!(holed.contains(1.0, 1.0) && holed.contains(8.0, 4.0) && !holed.contains(4.0, 4.0));
    }

    #[test]
    fn a_star_of_many_corners_is_tested_at_once_and_as_by_its_radius() {
        // Its edge waves between 8 and 10 degrees from the middle.
        let edge = |angle: f64| 9.0 + (angle * 400.0).sin();
        let ring: Vec<Corner> = (0..90_000)
            .map(|number| f64::from(number) / 90_000.0 * std::f64::consts::TAU)
            .map(|angle| (edge(angle) * angle.sin(), edge(angle) * angle.cos()))
            .collect();
        let star = Polygon::new(&[ring]).unwrap();
        let start = Instant::now();
        for step in 0..280_000 {
            let (radius, angle) = (f64::from(step % 541) / 541.0 * 14.0, f64::from(step) * 0.618);
            let inside = star.contains(radius * angle.sin(), radius * angle.cos());
            if (radius - edge(angle)).abs() > 0.05 {
                assert_eq!(inside, radius < edge(angle), "{radius} {angle}");
            }
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }

    #[test]
    fn tall_edges_do_not_fill_the_memory() {
        let ring: Vec<Corner> =
            (0..50_000).map(|number| (f64::from(number % 2) * 80.0, f64::from(number) / 300.0)).collect();
        let comb = Polygon::new(&[ring]).unwrap();
        assert!(comb.in_bands.len() <= COPIES * comb.edges.len() + comb.edges.len(), "{}", comb.in_bands.len());
    }
}
