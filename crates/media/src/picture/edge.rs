//! Edges in a square of four cells.

use std::f32::consts::SQRT_2;

/// How much a square is an edge of each kind, by the five filters of the MPEG-7 edge histogram:
/// vertical, horizontal, rising (45°), falling (135°), none of these. The cells are upper left, upper
/// right, lower left, lower right.
pub(super) fn edges([a, b, c, d]: [f32; 4]) -> [f32; 5] {
    [
        (a - b + c - d).abs(),
        (a + b - c - d).abs(),
        SQRT_2 * (a - d).abs(),
        SQRT_2 * (b - c).abs(),
        2.0 * (a - b - c + d).abs(),
    ]
}
