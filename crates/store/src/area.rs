//! A part of the Earth to look in.

use std::sync::Arc;

use facts::{Circle, LatLon};

/// A part of the Earth that a library can look for: boxes that hold it, and whether a point is in it.
#[derive(Clone)]
pub struct Area {
    /// South, west, north, east; west is never larger than east. A few of them.
    pub boxes: Vec<[f64; 4]>,
    /// Whether a point in one of the boxes is in it.
    pub contains: Arc<dyn Fn(LatLon) -> bool + Send + Sync>,
}

impl Area {
    /// What is within so many metres of a point; nothing when they are less than none.
    pub fn circle(centre: LatLon, metres: f64) -> Self {
        match Circle::new(centre, metres) {
            Some(circle) => Self { boxes: circle.boxes(), contains: Arc::new(move |point| circle.contains(point)) },
            None => Self { boxes: Vec::new(), contains: Arc::new(|_| false) },
        }
    }

    /// The whole Earth.
    pub(crate) fn everywhere() -> Self {
        Self { boxes: vec![[-90.0, -180.0, 90.0, 180.0]], contains: Arc::new(|_| true) }
    }

    /// What is in both.
    pub fn and(&self, other: &Self) -> Self {
        let common = |a: &[f64; 4], b: &[f64; 4]| {
            let [south, west, north, east] = [a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])];
            (south <= north && west <= east).then_some([south, west, north, east])
        };
        let pairs = self.boxes.iter().flat_map(|a| other.boxes.iter().filter_map(move |b| common(a, b)));
        let (here, there) = (Arc::clone(&self.contains), Arc::clone(&other.contains));
        Self { boxes: pairs.collect(), contains: Arc::new(move |point| here(point) && there(point)) }
    }

    /// Whether a point is in one of the boxes, and in it.
    pub(crate) fn holds(&self, point: LatLon) -> bool {
        let in_box = |[south, west, north, east]: &[f64; 4]| {
            (*south..=*north).contains(&point.lat()) && (*west..=*east).contains(&point.lon())
        };
        self.boxes.iter().any(in_box) && (self.contains)(point)
    }
}

impl std::fmt::Debug for Area {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Area").field("boxes", &self.boxes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(lat: f64, lon: f64) -> LatLon {
        LatLon::new(lat, lon).unwrap()
    }

    #[test]
    fn what_is_in_both_is_in_the_boxes_of_both() {
        let across = Area::circle(point(0.0, 180.0), 300_000.0);
        let west = Area { boxes: vec![[-9.0, -180.0, 9.0, -90.0]], contains: Arc::new(|point| point.lat() >= 0.0) };
        let both = across.and(&west);
        assert_eq!(both.boxes.len(), 1);
        for (lat, lon, expected) in
            [(0.5, -179.0, true), (-0.5, -179.0, false), (0.5, 179.0, false), (0.0, -180.0, true), (0.5, -120.0, false)]
        {
            assert_eq!(both.holds(point(lat, lon)), expected, "{lat} {lon}");
        }
        let nowhere = Area::circle(point(0.0, 0.0), f64::NAN);
        assert!(nowhere.boxes.is_empty() && !nowhere.holds(point(0.0, 0.0)));
        assert!(across.and(&nowhere).boxes.is_empty());
    }
}
