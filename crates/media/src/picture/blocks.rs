//! The 1,600 blocks that CEDD and FCTH look at, and the colour of each.

use super::colour::{COLOURS, Shares, shares};
use super::levels::{Levels, nearest};
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

    /// How much there is of each colour in each texture, in levels. `textures` says how much a block
    /// is of each, of its 4 × 4 brightnesses.
    pub(super) fn by_texture<const TEXTURES: usize, const BINS: usize>(
        &self,
        levels: &[Levels; TEXTURES],
        textures: impl Fn(&[[f32; 4]; 4]) -> [f32; TEXTURES],
    ) -> [u8; BINS] {
        let mut histogram = [[0.0f32; COLOURS]; TEXTURES];
        for (number, shares) in self.shares.iter().enumerate() {
            let (x, y) = (4 * (number % SIDE), 4 * (number / SIDE));
            let cells = std::array::from_fn(|row| std::array::from_fn(|column| self.fine[y + row][x + column]));
            for (texture, bins) in textures(&cells).iter().zip(&mut histogram) {
                if *texture > 0.0 {
                    bins.iter_mut().zip(shares).for_each(|(bin, share)| *bin += texture * share);
                }
            }
        }
        let all = histogram.as_flattened().iter().sum::<f32>().max(f32::MIN_POSITIVE);
        std::array::from_fn(|bin| {
            let (texture, colour) = (bin / COLOURS, bin % COLOURS);
            nearest(histogram[texture][colour] / all, &levels[texture])
        })
    }
}

/// First and last pixel of each block; small pictures have pixels that belong to several.
fn edges(side: usize) -> [(usize, usize); SIDE] {
    std::array::from_fn(|i| {
        let from = i * side / SIDE;
        (from, ((i + 1) * side / SIDE).max(from + 1))
    })
}
