//! Points on the Earth.

use serde::{Deserialize, Serialize};

/// A point in degrees (WGS 84), known to be on the Earth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatLon {
    lat: f64,
    lon: f64,
}

impl LatLon {
    /// `None` for what is not a number or out of range.
    pub fn new(lat: f64, lon: f64) -> Option<Self> {
        ((-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon)).then_some(Self { lat, lon })
    }

    /// Degrees north.
    pub fn lat(self) -> f64 {
        self.lat
    }

    /// Degrees east.
    pub fn lon(self) -> f64 {
        self.lon
    }

    /// Mean radius of the Earth in metres (IUGG).
    pub const EARTH_RADIUS: f64 = 6_371_008.8;

    /// Metres to another point along a great circle, by the haversine formula.
    ///
    /// ```
    /// use facts::LatLon;
    /// let (kiel, oldenburg) = (LatLon::new(54.3233, 10.1228).unwrap(), LatLon::new(53.1412, 8.2147).unwrap());
    /// assert_eq!((kiel.metres_to(oldenburg) / 1000.0).round(), 182.0);
    /// ```
    pub fn metres_to(self, other: Self) -> f64 {
        let half = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
        let across = self.lat.to_radians().cos() * other.lat.to_radians().cos() * half(self.lon, other.lon);
        // Rounding may lead a hair beyond 1 for points opposite each other.
        2.0 * Self::EARTH_RADIUS * (half(self.lat, other.lat) + across).clamp(0.0, 1.0).sqrt().asin()
    }
}

#[cfg(test)]
mod tests {
    use super::LatLon;

    #[test]
    fn only_points_on_the_earth_are_points() {
        assert!(LatLon::new(62.6, 29.76).is_some());
        assert!(LatLon::new(90.0, -180.0).is_some());
        assert!(LatLon::new(90.1, 0.0).is_none());
        assert!(LatLon::new(0.0, 180.5).is_none());
        assert!(LatLon::new(f64::NAN, 0.0).is_none());
    }

    #[test]
    fn distances_are_those_of_the_sphere() {
        for (a, b, metres) in [
            // A degree of latitude, a quarter of the equator, from pole to pole.
            ((0.0, 0.0), (1.0, 0.0), 111_195.0),
            ((0.0, -45.0), (0.0, 45.0), 10_007_557.0),
            ((90.0, 0.0), (-90.0, 77.0), 20_015_115.0),
            ((10.0, 180.0), (10.0, -180.0), 0.0),
        ] {
            let point = |(lat, lon)| LatLon::new(lat, lon).unwrap();
            let found = point(a).metres_to(point(b));
            assert!((found - metres).abs() < 1.0, "{a:?} {b:?}: {found}");
        }
    }
}
