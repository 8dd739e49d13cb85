//! CEDD: colours by the direction of edges (Chatzichristofis and Boutalis, ICVS 2008).

use super::blocks::{Blocks, SIDE};
use super::colour::COLOURS;
use super::edge::edges;
use super::ehd::nearest;

/// Six kinds of texture with 24 colours each: no edge, edges of no direction, horizontal, vertical,
/// rising, falling ones. Eight levels.
pub(super) type Cedd = [u8; 6 * COLOURS];

/// A block whose strongest edge is weaker has none.
const LEAST: f32 = 14.0;
/// Beside the strongest edge of a block, how strong one must be to count as well.
const NO_DIRECTION: f32 = 0.68;
const DIRECTION: f32 = 0.98;

/// The share that each level stands for, by kind of texture.
const LEVELS: [[f32; 8]; 6] = [
    [0.0, 0.02, 0.06, 0.11, 0.18, 0.26, 0.34, 0.55],
    [0.0, 0.02, 0.06, 0.12, 0.18, 0.24, 0.33, 0.52],
    [0.0, 0.005, 0.011, 0.018, 0.027, 0.038, 0.053, 0.08],
    [0.0, 0.005, 0.011, 0.018, 0.027, 0.038, 0.053, 0.08],
    [0.001, 0.011, 0.024, 0.042, 0.063, 0.093, 0.137, 0.26],
    [0.001, 0.011, 0.024, 0.042, 0.063, 0.093, 0.137, 0.26],
];

pub(super) fn of(blocks: &Blocks) -> Cedd {
    let histogram = histogram(blocks);
    std::array::from_fn(|place| nearest(histogram[place], &LEVELS[place / COLOURS]))
}

/// Shares of all that is counted; a block counts in each texture it has.
pub(super) fn histogram(blocks: &Blocks) -> [f32; 6 * COLOURS] {
    let mut histogram = [0.0f32; 6 * COLOURS];
    for (number, shares) in blocks.shares.iter().enumerate() {
        let (x, y) = (4 * (number % SIDE), 4 * (number / SIDE));
        let quarter = |x: usize, y: usize| {
            let rows = &blocks.fine[y..y + 2];
            rows.iter().map(|row| row[x] + row[x + 1]).sum::<f32>() / 4.0
        };
        let found = edges([quarter(x, y), quarter(x + 2, y), quarter(x, y + 2), quarter(x + 2, y + 2)]);
        let strongest = found.iter().copied().fold(0.0, f32::max);
        let [vertical, horizontal, rising, falling, other] = found.map(|edge| edge / strongest);
        let textures = if strongest < LEAST {
            [true, false, false, false, false, false]
        } else {
            [
                false,
                other > NO_DIRECTION,
                horizontal > DIRECTION,
                vertical > DIRECTION,
                rising > DIRECTION,
                falling > DIRECTION,
            ]
        };
        for (texture, bins) in textures.iter().zip(histogram.as_chunks_mut::<COLOURS>().0) {
            if *texture {
                bins.iter_mut().zip(shares).for_each(|(bin, share)| *bin += share);
            }
        }
    }
    let all: f32 = histogram.iter().sum();
    histogram.map(|bin| bin / all.max(f32::MIN_POSITIVE))
}
