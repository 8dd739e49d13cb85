//! The condition that a point is in a part of the Earth, by the index of each home.

use crate::Area;
use crate::sql::{Dialect, Value};

/// The condition that a point of a table is in a box, whose south, west, north and east are the next
/// values.
pub(super) fn in_box(dialect: Dialect) -> &'static str {
    dialect.choose("lat >= ? AND lon >= ? AND lat <= ? AND lon <= ?", "spot && box_of(?, ?, ?, ?)")
}

/// The condition that a point is in the boxes of an area, and its values.
pub(super) fn in_boxes(dialect: Dialect, area: &Area) -> (String, Vec<Value>) {
    let boxes = vec![in_box(dialect); area.boxes.len()].join(" OR ");
    let corners = area.boxes.iter().flatten().copied();
    if dialect == Dialect::Postgres {
        return (format!("({boxes})"), corners.map(Value::from).collect());
    }
    // One range of latitudes comes first, for the index.
    let south = area.boxes.iter().map(|corners| corners[0]).fold(f64::INFINITY, f64::min);
    let north = area.boxes.iter().map(|corners| corners[2]).fold(f64::NEG_INFINITY, f64::max);
    let values = [south, north].into_iter().chain(corners);
    (format!("lat BETWEEN ? AND ? AND ({boxes})"), values.map(Value::from).collect())
}
