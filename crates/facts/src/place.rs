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
}
