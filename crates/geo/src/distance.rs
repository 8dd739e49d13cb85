//! Distances on the Earth.

use facts::LatLon;

/// Great-circle distance in kilometres.
///
/// ```
/// use facts::LatLon;
/// let (kiel, oldenburg) = (LatLon::new(54.3233, 10.1228).unwrap(), LatLon::new(53.1412, 8.2147).unwrap());
/// assert_eq!(geo::kilometres(kiel, oldenburg).round(), 182.0);
/// ```
pub fn kilometres(a: LatLon, b: LatLon) -> f64 {
    a.metres_to(b) / 1000.0
}

/// The same for points as the gazetteer holds them; what is not on the Earth is infinitely far.
pub(crate) fn great_circle(a: (f64, f64), b: (f64, f64)) -> f64 {
    let point = |(lat, lon)| LatLon::new(lat, lon);
    point(a).zip(point(b)).map_or(f64::INFINITY, |(a, b)| kilometres(a, b))
}
