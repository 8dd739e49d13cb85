//! Which points are near another.

use facts::LatLon;

/// Degrees by which boxes are larger than they must be, against rounding: a hand's breadth.
const SLACK: f64 = 1e-6;

/// A circle on the Earth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circle {
    centre: LatLon,
    metres: f64,
}

/// Latitudes and longitudes between which a circle lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub south: f64,
    pub north: f64,
    /// West to east; the second range is there when the circle reaches over the 180th meridian.
    pub longitudes: [Option<(f64, f64)>; 2],
}

impl Circle {
    /// `None` when no point can be in it.
    pub fn new(centre: LatLon, metres: f64) -> Option<Self> {
        (metres >= 0.0).then_some(Self { centre, metres })
    }

    pub fn contains(&self, point: LatLon) -> bool {
        self.centre.metres_to(point) <= self.metres
    }

    /// A circle that holds a pole reaches all longitudes; another is widest a little towards the
    /// pole, where the meridians that touch it do: sin Δλ = sin δ / cos φ.
    pub fn bounds(&self) -> Bounds {
        let angle = self.metres / LatLon::EARTH_RADIUS;
        let reach = angle.to_degrees() + SLACK;
        let (south, north) = (self.centre.lat() - reach, self.centre.lat() + reach);
        if south <= -90.0 || north >= 90.0 {
            let longitudes = [Some((-180.0, 180.0)), None];
            return Bounds { south: south.max(-90.0), north: north.min(90.0), longitudes };
        }
        let width = (angle.sin() / self.centre.lat().to_radians().cos()).min(1.0).asin().to_degrees() + SLACK;
        let (west, east) = (self.centre.lon() - width, self.centre.lon() + width);
        let longitudes = if west <= -180.0 {
            [Some((-180.0, east)), Some((west + 360.0, 180.0))]
        } else if east >= 180.0 {
            [Some((west, 180.0)), Some((-180.0, east - 360.0))]
        } else {
            [Some((west, east)), None]
        };
        Bounds { south, north, longitudes }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn point(lat: f64, lon: f64) -> LatLon {
        LatLon::new(lat, lon).unwrap()
    }

    fn holds(bounds: &Bounds, point: LatLon) -> bool {
        let east_west = bounds.longitudes.iter().flatten().any(|(west, east)| (*west..=*east).contains(&point.lon()));
        (bounds.south..=bounds.north).contains(&point.lat()) && east_west
    }

    #[test]
    fn a_small_circle_has_a_small_box() {
        let bounds = Circle::new(point(60.0, 25.0), 1_000.0).unwrap().bounds();
        let (west, east) = bounds.longitudes[0].unwrap();
        assert!(bounds.north - bounds.south < 0.02 && east - west < 0.04 && bounds.longitudes[1].is_none());
        assert!(Circle::new(point(0.0, 0.0), -1.0).is_none() && Circle::new(point(0.0, 0.0), f64::NAN).is_none());
    }

    #[test]
    fn the_meridian_and_the_poles_are_no_borders() {
        for (centre, metres, inside) in [
            ((0.0, 179.99), 5_000.0, (0.0, -179.99)),
            ((0.0, -179.99), 5_000.0, (0.0, 179.99)),
            ((0.0, 180.0), 1.0, (0.0, -180.0)),
            ((89.99, 10.0), 5_000.0, (89.99, -170.0)),
            ((-90.0, 0.0), 1.0, (-90.0, 123.0)),
            ((-89.9, 0.0), 30_000.0, (-89.9, 180.0)),
        ] {
            let (circle, inside) = (Circle::new(point(centre.0, centre.1), metres).unwrap(), point(inside.0, inside.1));
            assert!(circle.contains(inside) && holds(&circle.bounds(), inside), "{centre:?} {inside:?}");
        }
    }

    proptest! {
        #[test]
        fn the_box_holds_the_circle(
            lat in -90.0..=90.0f64, lon in -180.0..=180.0f64, exponent in 0.0..7.5f64,
            bearing in 0.0..6.3f64, share in 0.0..=1.0f64,
        ) {
            // A point at a bearing and a distance, so that borders of circles are met.
            let (metres, from) = (10f64.powf(exponent), point(lat, lon));
            let (angle, phi) = (share * metres / LatLon::EARTH_RADIUS, lat.to_radians());
            let sine = phi.sin() * angle.cos() + phi.cos() * angle.sin() * bearing.cos();
            let turn = (bearing.sin() * angle.sin() * phi.cos()).atan2(angle.cos() - phi.sin() * sine);
            let east = (lon + turn.to_degrees() + 540.0).rem_euclid(360.0) - 180.0;
            let to = point(sine.clamp(-1.0, 1.0).asin().to_degrees(), east.clamp(-180.0, 180.0));
            let circle = Circle::new(from, metres).unwrap();
            prop_assert!(!circle.contains(to) || holds(&circle.bounds(), to), "{from:?} {metres} {to:?}");
        }
    }
}
