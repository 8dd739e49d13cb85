//! Universal Transverse Mercator and the military grid on top of it, to degrees.

use facts::LatLon;

/// WGS 84: equatorial radius in metres and flattening.
const A: f64 = 6_378_137.0;
const F: f64 = 1.0 / 298.257_223_563;
/// Scale on the central meridian, and false easting and northing in metres.
const K0: f64 = 0.9996;
const EAST: f64 = 500_000.0;
const SOUTH: f64 = 10_000_000.0;

/// A point in a UTM zone. Inverse Krüger series to the third order of the third flattening
/// (Karney, 2011), good to millimetres.
pub(super) fn from_utm(zone: u8, band: u8, easting: f64, northing: f64) -> Option<LatLon> {
    if !(100_000.0..=900_000.0).contains(&easting) || !(0.0..=SOUTH).contains(&northing) {
        return None;
    }
    let point = inverse(zone, band >= b'N', easting, northing)?;
    // A band is eight degrees high; a point far from it is a misreading.
    let south = f64::from(band_index(band)?) * 8.0 - 80.0;
    (south - 1.0..=south + 13.0).contains(&point.lat()).then_some(point)
}

/// A point in a square of the military grid.
pub(super) fn from_mgrs(zone: u8, band: u8, square: [u8; 2], easting: f64, northing: f64) -> Option<LatLon> {
    let column = letter_index(square[0])? as usize;
    let set = (usize::from(zone) - 1) % 3 * 8;
    // Columns of three zones run through the alphabet: A–H, J–R, S–Z.
    let column = column.checked_sub(set).filter(|column| *column < 8)?;
    let row = letter_index(square[1]).filter(|row| *row < 20)?;
    let row = if zone.is_multiple_of(2) { (row + 15) % 20 } else { row };
    let easting = (column as f64 + 1.0) * 100_000.0 + easting;
    let south = f64::from(band_index(band)?) * 8.0 - 80.0;
    let north = band >= b'N';
    // Rows repeat every two thousand kilometres: the one that lies in the band is meant.
    (0..5).find_map(|lap| {
        let northing = f64::from(row) * 100_000.0 + northing + f64::from(lap) * 2_000_000.0;
        let point = inverse(zone, north, easting, northing)?;
        let high = if band == b'X' { 84.5 } else { south + 8.5 };
        (south - 0.5..=high).contains(&point.lat()).then_some(point)
    })
}

/// Letters without I and O.
fn letter_index(letter: u8) -> Option<u32> {
    if !letter.is_ascii_uppercase() || letter == b'I' || letter == b'O' {
        return None;
    }
    let index = u32::from(letter - b'A');
    Some(index - u32::from(letter > b'I') - u32::from(letter > b'O'))
}

/// Bands from C, at 80° south.
fn band_index(band: u8) -> Option<u32> {
    letter_index(band)?.checked_sub(2).filter(|index| *index < 20)
}

fn inverse(zone: u8, north: bool, easting: f64, northing: f64) -> Option<LatLon> {
    let n = F / (2.0 - F);
    let (n2, n3) = (n * n, n * n * n);
    let radius = A / (1.0 + n) * (1.0 + n2 / 4.0 + n2 * n2 / 64.0);
    let beta = [n / 2.0 - 2.0 / 3.0 * n2 + 37.0 / 96.0 * n3, n2 / 48.0 + n3 / 15.0, 17.0 / 480.0 * n3];
    let delta = [2.0 * n - 2.0 / 3.0 * n2 - 2.0 * n3, 7.0 / 3.0 * n2 - 8.0 / 5.0 * n3, 56.0 / 15.0 * n3];
    let xi = (northing - if north { 0.0 } else { SOUTH }) / (K0 * radius);
    let eta = (easting - EAST) / (K0 * radius);
    let (mut x, mut e) = (xi, eta);
    for (j, beta) in (1..).zip(beta) {
        let j = 2.0 * f64::from(j);
        x -= beta * (j * xi).sin() * (j * eta).cosh();
        e -= beta * (j * xi).cos() * (j * eta).sinh();
    }
    let chi = (x.sin() / e.cosh()).asin();
    let lat = chi + (1..).zip(delta).map(|(j, delta)| delta * (2.0 * f64::from(j) * chi).sin()).sum::<f64>();
    let lon = e.sinh().atan2(x.cos());
    LatLon::new(lat.to_degrees(), lon.to_degrees() + f64::from(zone) * 6.0 - 183.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_points_come_out_right() {
        // The Eiffel tower, the CN Tower, the Sydney opera house.
        for (zone, band, easting, northing, lat, lon) in [
            (31, b'U', 448_251.8, 5_411_943.8, 48.8583, 2.2945),
            (17, b'T', 630_084.0, 4_833_438.0, 43.642_6, -79.387_1),
            (56, b'H', 334_900.0, 6_252_300.0, -33.856_8, 151.215_3),
        ] {
            let point = from_utm(zone, band, easting, northing).unwrap();
            let error = crate::kilometres(point, LatLon::new(lat, lon).unwrap());
            assert!(error < 0.1, "{zone}{}: {point:?}, {error} km off", char::from(band));
        }
        let point = from_mgrs(31, b'U', *b"DQ", 48_251.0, 11_943.0).unwrap();
        assert!(crate::kilometres(point, LatLon::new(48.8583, 2.2945).unwrap()) < 0.1, "{point:?}");
        let point = from_mgrs(4, b'Q', *b"FJ", 12_345.0, 67_890.0).unwrap();
        assert!(crate::kilometres(point, LatLon::new(21.409_6, -157.916_1).unwrap()) < 0.2, "{point:?}");
    }

    #[test]
    fn points_outside_their_zone_are_refused() {
        assert_eq!(from_utm(32, b'U', 573_032.0, 1_020_043.0), None);
        assert_eq!(from_utm(32, b'U', 50_000.0, 6_020_043.0), None);
        assert_eq!(from_mgrs(32, b'U', *b"ZZ", 0.0, 0.0), None);
    }
}
