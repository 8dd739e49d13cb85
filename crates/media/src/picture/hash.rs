//! A hash that changes little when a picture does.
//!
//! After PDQ (Davis and Rosen 2019): brightness, averaged down to 64 × 64 cells, its cosine
//! transform, and one bit for each of the 16 × 16 lowest frequencies. PDQ sets a bit where the
//! coefficient is above the median of all. Over the eight ways to hold a picture together that
//! median is zero for all that change their sign when it is mirrored, and near zero for the others;
//! here it is zero for all. So a turned picture has a permuted hash, exactly.

use std::f32::consts::PI;
use std::sync::OnceLock;

use super::sums::Sums;
use super::turn::Turn;

/// Cells of the picture that is transformed, along each side.
pub(super) const CELLS: usize = 64;
/// Frequencies along each side.
pub(super) const WAVES: usize = 16;

/// Coefficients: `[vertical][horizontal]` frequency.
pub(super) type Waves = [[f32; WAVES]; WAVES];

/// 256 bits of what a picture looks like, and how much they can be trusted.
///
/// The bits go from low frequencies to high ones: those of `bits[0]` stand for the broadest shapes
/// and change the least, those of `bits[3]` the most. The last bit of all is always 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PictureHash {
    /// The bits.
    pub bits: [u64; 4],
    /// 0 for a flat picture to 100 for one with much to see. Below [`PictureHash::LEAST_QUALITY`]
    /// the bits are noise.
    pub quality: u8,
}

impl PictureHash {
    /// A hash of less quality says nothing.
    pub const LEAST_QUALITY: u8 = 10;

    /// Bits that differ, 0 to 255.
    pub fn distance(&self, other: &Self) -> u32 {
        self.bits.iter().zip(&other.bits).map(|(a, b)| (a ^ b).count_ones()).sum()
    }

    /// The hash of the picture turned so.
    pub fn turned(&self, turn: Turn) -> Self {
        let mut bits = [0u64; 4];
        for (place, (v, u)) in order().iter().enumerate() {
            let from = if turn.transposes() { place_of(*u, *v) } else { place };
            let negative = (turn.mirrors() && u % 2 == 1) != (turn.overturns() && v % 2 == 1);
            let bit = (self.bits[from / 64] >> (from % 64) & 1 == 1) != negative;
            bits[place / 64] |= u64::from(bit) << (place % 64);
        }
        Self { bits, quality: self.quality }
    }

    pub(super) fn of(waves: &Waves, quality: u8) -> Self {
        let mut bits = [0u64; 4];
        for (place, (v, u)) in order().iter().enumerate().take(255) {
            bits[place / 64] |= u64::from(waves[*v][*u] > 0.0) << (place % 64);
        }
        Self { bits, quality }
    }
}

/// Frequencies (vertical, horizontal) from low to high; the mean, which says nothing, comes last.
fn order() -> &'static [(usize, usize); 256] {
    static ORDER: OnceLock<[(usize, usize); 256]> = OnceLock::new();
    ORDER.get_or_init(|| {
        let mut order: Vec<(usize, usize)> = (1..256).map(|i| (i / WAVES, i % WAVES)).collect();
        order.sort_by_key(|(v, u)| (v + u, v.abs_diff(*u), *v));
        order.push((0, 0));
        let mut all = [(0, 0); 256];
        all.copy_from_slice(&order);
        all
    })
}

fn place_of(v: usize, u: usize) -> usize {
    static PLACES: OnceLock<[u8; 256]> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        let mut places = [0; 256];
        for (place, (v, u)) in order().iter().enumerate() {
            places[v * WAVES + u] = place as u8;
        }
        places
    });
    usize::from(places[v * WAVES + u])
}

/// Brightness of a part of a picture in [`CELLS`] × [`CELLS`] cells.
pub(super) fn cells(sums: &Sums, part: [f32; 4]) -> Vec<[f32; CELLS]> {
    sums.grid::<CELLS>(part)
}

/// The lowest frequencies of the cells.
pub(super) fn waves(cells: &[[f32; CELLS]]) -> Waves {
    static COSINES: OnceLock<[[f32; CELLS]; WAVES]> = OnceLock::new();
    let cosines = COSINES.get_or_init(|| {
        let mut cosines = [[0.0; CELLS]; WAVES];
        for (frequency, wave) in cosines.iter_mut().enumerate() {
            let scale = if frequency == 0 { (1.0 / CELLS as f32).sqrt() } else { (2.0 / CELLS as f32).sqrt() };
            for (at, value) in wave.iter_mut().enumerate() {
                *value = scale * (PI * frequency as f32 * (at as f32 + 0.5) / CELLS as f32).cos();
            }
        }
        cosines
    });
    // Down first: sums of whole rows are quick.
    let mut down = [[0.0f32; CELLS]; WAVES];
    for (sum, wave) in down.iter_mut().zip(cosines) {
        for (row, factor) in cells.iter().zip(wave) {
            sum.iter_mut().zip(row).for_each(|(sum, cell)| *sum += factor * cell);
        }
    }
    let mut waves = [[0.0; WAVES]; WAVES];
    for (line, row) in waves.iter_mut().zip(&down) {
        for (value, wave) in line.iter_mut().zip(cosines) {
            *value = row.iter().zip(wave).map(|(a, b)| a * b).sum();
        }
    }
    waves
}

/// How much there is to see, 0 to 100: steps from cell to cell, small ones left out, as PDQ counts.
pub(super) fn quality(cells: &[[f32; CELLS]]) -> u8 {
    let step = |a: &f32, b: &f32| ((a - b).abs() * 100.0 / 255.0) as u32;
    let across: u32 = cells.iter().flat_map(|row| row.windows(2)).map(|two| step(&two[0], &two[1])).sum();
    let down: u32 = cells.windows(2).flat_map(|two| two[0].iter().zip(&two[1])).map(|(a, b)| step(a, b)).sum();
    ((across + down) / 90).min(100) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells without symmetry.
    fn made() -> Vec<[f32; CELLS]> {
        let at = |x: usize, y: usize| {
            let (x, y) = (x as f32 / 64.0, y as f32 / 64.0);
            120.0 + 60.0 * (7.0 * x * x + 3.0 * y).sin() + 40.0 * (11.0 * y * x + 2.0 * x).cos() + 20.0 * x - 9.0 * y
        };
        (0..CELLS).map(|y| std::array::from_fn(|x| at(x, y))).collect()
    }

    fn held(cells: &[[f32; CELLS]], turn: Turn) -> Vec<[f32; CELLS]> {
        let last = CELLS - 1;
        let from = |x: usize, y: usize| {
            let (x, y) = (if turn.mirrors() { last - x } else { x }, if turn.overturns() { last - y } else { y });
            if turn.transposes() { cells[x][y] } else { cells[y][x] }
        };
        (0..CELLS).map(|y| std::array::from_fn(|x| from(x, y))).collect()
    }

    #[test]
    fn a_turned_picture_has_the_turned_hash() {
        let cells = made();
        let hash = PictureHash::of(&waves(&cells), 100);
        for turn in Turn::ALL {
            let of_turned = PictureHash::of(&waves(&held(&cells, turn)), 100);
            assert!(hash.turned(turn).distance(&of_turned) <= 1, "{turn}: {}", hash.turned(turn).distance(&of_turned));
            assert_eq!(hash.turned(turn) == hash, turn == Turn::UPRIGHT);
        }
    }

    #[test]
    fn low_frequencies_come_first() {
        assert_eq!(order()[..5], [(0, 1), (1, 0), (1, 1), (0, 2), (2, 0)]);
        assert!(order()[..64].iter().all(|(v, u)| v + u <= 10));
        assert_eq!(order()[255], (0, 0));
    }

    #[test]
    fn flat_pictures_have_no_quality() {
        let flat = vec![[130.0; CELLS]; CELLS];
        assert_eq!(quality(&flat), 0);
        let noisy: Vec<[f32; CELLS]> =
            (0..CELLS).map(|y| std::array::from_fn(|x| 130.0 + ((x * 7 + y * 13) % 3) as f32)).collect();
        assert_eq!(quality(&noisy), 0);
        assert!(quality(&made()) > 50);
    }
}
