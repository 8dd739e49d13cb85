//! Made places: most pictures around 2,000 towns, a fifth at the very point that stands for a town, a tenth
//! anywhere.

use facts::{LatLon, Locality};

use crate::made::scattered;

const TOWNS: u64 = 2_000;
const COUNTRIES: [&str; 5] = ["AT", "DE", "ES", "FI", "IT"];

/// The town of the `n`-th picture.
pub fn town_of(n: u64) -> u64 {
    // Large towns have many times the pictures of small ones.
    (scattered(n, 3).powi(3) * TOWNS as f64) as u64
}

/// What is there.
pub fn names(town: u64) -> Locality {
    let country = COUNTRIES[(town % 5) as usize];
    Locality {
        place: format!("Town{town}, Land{}, {country}", town % 50),
        town: Some(format!("Town{town}")),
        admin1: Some(format!("Land{}", town % 50)),
        country: Some(country.into()),
    }
}

/// Where the `n`-th picture was made.
pub fn place(n: u64) -> LatLon {
    let town = town_of(n);
    let (lat, lon) = (37.0 + 28.0 * scattered(town, 11), -9.0 + 38.0 * scattered(town, 12));
    let spread = |salt| (scattered(n, salt) + scattered(n, salt + 1) - 1.0) * 0.15;
    let (lat, lon) = match n % 10 {
        0 | 1 => (lat, lon),
        2 => (170.0 * scattered(n, 1) - 85.0, 360.0 * scattered(n, 2) - 180.0),
        _ => (lat + spread(21), lon + spread(31)),
    };
    LatLon::new(lat, lon).expect("a point on the Earth")
}
