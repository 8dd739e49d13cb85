//! The edge histogram of MPEG-7 (ISO/IEC 15938-3): which edges there are, and where.

use super::edge::edges;
use super::levels::{Levels, nearest};
use super::sums::Sums;

/// 4 × 4 parts of the picture, row by row, with five kinds of edges each: vertical, horizontal,
/// rising, falling, none of these. Eight levels.
pub(super) type Ehd = [u8; 80];

/// Squares that are looked at in the whole picture, about.
const SQUARES: f32 = 1100.0;
/// A square whose strongest edge is weaker has none.
const LEAST: f32 = 11.0;
/// The share of a part's squares that each level stands for, as the standard lists them.
const LEVELS: [Levels; 5] = [
    [0.010867, 0.057915, 0.099526, 0.144849, 0.195573, 0.260504, 0.358031, 0.530128],
    [0.012266, 0.069934, 0.125879, 0.182307, 0.243396, 0.314563, 0.411728, 0.564319],
    [0.004193, 0.025852, 0.046860, 0.068519, 0.093286, 0.123490, 0.161505, 0.228960],
    [0.004174, 0.025924, 0.046232, 0.067163, 0.089655, 0.115391, 0.151904, 0.217745],
    [0.006778, 0.051667, 0.108650, 0.166257, 0.224226, 0.285691, 0.356375, 0.450972],
];

pub(super) fn of(sums: &Sums) -> Ehd {
    let (width, height) = (sums.width(), sums.height());
    // Even, so that a square has four equal cells.
    let side = (((width * height) as f32 / SQUARES).sqrt() / 2.0) as usize * 2;
    let side = side.max(2);
    let mut counts = [[0u32; 5]; 16];
    let mut squares = [0u32; 16];
    let half = side / 2;
    for top in (0..(height + 1).saturating_sub(side)).step_by(side) {
        for left in (0..(width + 1).saturating_sub(side)).step_by(side) {
            let part = top * 4 / height * 4 + left * 4 / width;
            squares[part] += 1;
            let (middle, centre) = (left + half, top + half);
            let (right, bottom) = (left + side, top + side);
            let found = edges([
                sums.mean([left, top, middle, centre]),
                sums.mean([middle, top, right, centre]),
                sums.mean([left, centre, middle, bottom]),
                sums.mean([middle, centre, right, bottom]),
            ]);
            let mut strongest = 0;
            for (kind, strength) in found.iter().enumerate() {
                if *strength > found[strongest] {
                    strongest = kind;
                }
            }
            if found[strongest] >= LEAST {
                counts[part][strongest] += 1;
            }
        }
    }
    let mut levels = [0; 80];
    for (place, level) in levels.iter_mut().enumerate() {
        let (part, kind) = (place / 5, place % 5);
        let share = counts[part][kind] as f32 / squares[part].max(1) as f32;
        *level = nearest(share, &LEVELS[kind]);
    }
    levels
}

/// What a level stands for: levels are not equally far apart.
pub(super) fn share(place: usize, level: u8) -> f32 {
    LEVELS[place % 5][usize::from(level & 7)]
}
