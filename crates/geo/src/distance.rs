//! Distances on the Earth.

use facts::LatLon;

/// Mean radius of the Earth in kilometres.
const RADIUS: f64 = 6371.0088;

/// Great-circle distance in kilometres (haversine).
///
/// ```
/// use facts::LatLon;
/// let (kiel, oldenburg) = (LatLon::new(54.3233, 10.1228).unwrap(), LatLon::new(53.1412, 8.2147).unwrap());
/// assert_eq!(geo::kilometres(kiel, oldenburg).round(), 182.0);
/// ```
pub fn kilometres(a: LatLon, b: LatLon) -> f64 {
    great_circle((a.lat(), a.lon()), (b.lat(), b.lon()))
}

pub(crate) fn great_circle(a: (f64, f64), b: (f64, f64)) -> f64 {
    let (lat1, lat2) = (a.0.to_radians(), b.0.to_radians());
    let (dlat, dlon) = (lat2 - lat1, (b.1 - a.1).to_radians());
    let h = (dlat / 2.0).sin().powi(2) + lat1.cos() * lat2.cos() * (dlon / 2.0).sin().powi(2);
    2.0 * RADIUS * h.sqrt().min(1.0).asin()
}
