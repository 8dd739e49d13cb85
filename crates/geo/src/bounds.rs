//! Boxes that hold a region, for whoever looks points up by their degrees.

use crate::borders::KM_PER_DEGREE;
use crate::gazetteer::Gazetteer;
use crate::gazetteer::layout::{self, CELLS_PER_DEGREE, COLUMNS, ROWS};

/// Strips that longitudes are gathered in, each a degree wide.
const STRIPS: usize = 360;
/// Boxes at most; those closest to each other become one.
const MOST: usize = 8;
/// Kilometres by which boxes are larger than they must be, against rounding.
const SLACK: f64 = 0.1;

/// Gathers boxes, and joins what lies side by side. South, west, north, east; in degrees.
pub(crate) struct Bounds(Vec<Option<[f64; 4]>>);

impl Bounds {
    pub fn new() -> Self {
        Self(vec![None; STRIPS])
    }

    /// Takes a box and what is so many kilometres around it.
    pub fn add(&mut self, [south, west, north, east]: [f64; 4], km: f64) {
        let reach = if km > 0.0 { (km + SLACK) / KM_PER_DEGREE } else { 0.0 };
        let (south, north) = ((south - reach).max(-90.0), (north + reach).min(90.0));
        // As wide as at the latitude where it is widest, with the limit that the borders have.
        let shrink = south.abs().max(north.abs()).to_radians().cos().max(0.02);
        let (west, east) = (west - reach / shrink, east + reach / shrink);
        if east - west >= 360.0 {
            return self.mark([south, -180.0, north, 180.0]);
        }
        self.mark([south, west.max(-180.0), north, east.min(180.0)]);
        if west < -180.0 {
            self.mark([south, west + 360.0, north, 180.0]);
        }
        if east > 180.0 {
            self.mark([south, -180.0, north, east - 360.0]);
        }
    }

    fn mark(&mut self, [south, west, north, east]: [f64; 4]) {
        let strip_of = |lon: f64| ((lon + 180.0).floor().max(0.0) as usize).min(STRIPS - 1);
        for strip in strip_of(west)..=strip_of(east) {
            let (left, right) = (strip as f64 - 180.0, strip as f64 - 179.0);
            let part = [south, west.max(left), north, east.min(right)];
            if let Some(known) = self.0.get_mut(strip) {
                *known = Some(known.map_or(part, |known| joined(known, part)));
            }
        }
    }

    /// The boxes, from west to east; none of them overlap.
    pub fn boxes(self) -> Vec<[f64; 4]> {
        let mut boxes: Vec<[f64; 4]> = Vec::new();
        let mut before = None;
        for (strip, part) in self.0.into_iter().enumerate() {
            let Some(part) = part else { continue };
            match boxes.last_mut() {
                Some(last) if before == strip.checked_sub(1) => *last = joined(*last, part),
                _ => boxes.push(part),
            }
            before = Some(strip);
        }
        while boxes.len() > MOST {
            let gap = |pair: &[[f64; 4]]| pair[1][1] - pair[0][3];
            let closest = boxes.windows(2).enumerate().min_by(|(_, a), (_, b)| gap(a).total_cmp(&gap(b)));
            let Some(at) = closest.map(|(at, _)| at) else { break };
            let east = boxes.remove(at + 1);
            boxes[at] = joined(boxes[at], east);
        }
        boxes
    }
}

fn joined(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

impl Gazetteer {
    /// Gathers every cell of the grid in which some point may lie in one of these areas, and what is
    /// so many kilometres off their coasts.
    pub(crate) fn gather_areas(&self, bounds: &mut Bounds, is_one: impl Fn(u16) -> bool, km: f64) {
        let step = 1.0 / CELLS_PER_DEGREE as f64;
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                if self.has_area(row, column, &is_one) {
                    let (south, west) = (row as f64 * step - 90.0, column as f64 * step - 180.0);
                    bounds.add([south, west, south + step, west + step], km);
                }
            }
        }
    }

    fn has_area(&self, row: usize, column: usize, is_one: &impl Fn(u16) -> bool) -> bool {
        let mut found = false;
        self.areas_in(row, column, |area| found |= area != layout::NONE16 && is_one(area));
        found
    }
}
