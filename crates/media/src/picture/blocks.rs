//! The 1,600 blocks that CEDD and FCTH look at, and the colour of each.

use super::colour::{Shares, shares};
use super::pixels::Small;
use super::sums::Sums;

/// Blocks along each side.
pub(super) const SIDE: usize = 40;

/// Mean colours and brightness of 40 × 40 blocks.
pub(super) struct Blocks {
    /// Red, green and blue.
    pub(super) colours: Vec<[f32; 3]>,
    /// How much each is of the 24 colours.
    pub(super) shares: Vec<Shares>,
    /// Brightness of a sixteenth of a block: 160 × 160.
    pub(super) fine: Vec<[f32; 4 * SIDE]>,
}

impl Blocks {
    pub(super) fn of(small: &Small, sums: &Sums) -> Self {
        let columns = edges(small.width);
        let rows = edges(small.height);
        let mut colours = Vec::with_capacity(SIDE * SIDE);
        for (top, bottom) in rows {
            let mut block = [[0u32; 3]; SIDE];
            for y in top..bottom {
                let row = &small.rgb[3 * y * small.width..3 * (y + 1) * small.width];
                for (sum, (left, right)) in block.iter_mut().zip(&columns) {
                    for pixel in row[3 * left..3 * right].as_chunks::<3>().0 {
                        sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u32::from(*value));
                    }
                }
            }
            for (sum, (left, right)) in block.iter().zip(&columns) {
                let pixels = ((bottom - top) * (right - left)) as f32;
                colours.push(sum.map(|sum| sum as f32 / pixels));
            }
        }
        let shares = colours.iter().map(|colour| shares(*colour)).collect();
        let whole = [0.0, 0.0, sums.width() as f32, sums.height() as f32];
        Self { colours, shares, fine: sums.grid(whole) }
    }
}

/// First and last pixel of each block; small pictures have pixels that belong to several.
fn edges(side: usize) -> [(usize, usize); SIDE] {
    std::array::from_fn(|i| {
        let from = i * side / SIDE;
        (from, ((i + 1) * side / SIDE).max(from + 1))
    })
}
