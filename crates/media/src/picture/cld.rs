//! The colour layout descriptor of MPEG-7 (ISO/IEC 15938-3): which colours are where.

use std::f32::consts::PI;
use std::sync::OnceLock;

use super::blocks::{Blocks, SIDE};

/// Coefficients of brightness, of blue and of red, from low frequencies to high ones.
pub(super) type Cld = [i8; BRIGHT + 2 * COLOURED];

/// How many are kept.
pub(super) const BRIGHT: usize = 21;
pub(super) const COLOURED: usize = 6;
/// Cells along each side.
const CELLS: usize = 8;

/// Frequencies (vertical, horizontal) in the order of JPEG.
const ZIGZAG: [(usize, usize); BRIGHT] = [
    (0, 0),
    (0, 1),
    (1, 0),
    (2, 0),
    (1, 1),
    (0, 2),
    (0, 3),
    (1, 2),
    (2, 1),
    (3, 0),
    (4, 0),
    (3, 1),
    (2, 2),
    (1, 3),
    (0, 4),
    (0, 5),
    (1, 4),
    (2, 3),
    (3, 2),
    (4, 1),
    (5, 0),
];

pub(super) fn of(blocks: &Blocks) -> Cld {
    // 5 × 5 blocks are a cell.
    let per = SIDE / CELLS;
    let mut cells = [[[0.0f32; CELLS]; CELLS]; 3];
    for (number, [red, green, blue]) in blocks.colours.iter().enumerate() {
        let (x, y) = (number % SIDE / per, number / SIDE / per);
        let bright = 0.299 * red + 0.587 * green + 0.114 * blue;
        let values = [bright, 0.564 * (blue - bright) + 128.0, 0.713 * (red - bright) + 128.0];
        for (cells, value) in cells.iter_mut().zip(values) {
            cells[y][x] += value / (per * per) as f32;
        }
    }
    let mut all = [0; BRIGHT + 2 * COLOURED];
    let places = [(0, 0, BRIGHT), (1, BRIGHT, COLOURED), (2, BRIGHT + COLOURED, COLOURED)];
    for (channel, from, count) in places {
        for (value, (v, u)) in all[from..from + count].iter_mut().zip(ZIGZAG) {
            *value = quantised(coefficient(&cells[channel], v, u), channel);
        }
    }
    all
}

fn quantised(value: f32, channel: usize) -> i8 {
    // Brightness varies twice as much as colours do.
    let step = if channel == 0 { 8.0 } else { 4.0 };
    (value / step).round().clamp(-127.0, 127.0) as i8
}

fn coefficient(cells: &[[f32; CELLS]; CELLS], v: usize, u: usize) -> f32 {
    let waves = waves();
    // Around the middle, so that the mean fits with the others.
    let row = |row: &[f32; CELLS]| row.iter().zip(&waves[u]).map(|(cell, wave)| (cell - 128.0) * wave).sum::<f32>();
    cells.iter().zip(&waves[v]).map(|(cells, wave)| row(cells) * wave).sum()
}

fn waves() -> &'static [[f32; CELLS]; 6] {
    static WAVES: OnceLock<[[f32; CELLS]; 6]> = OnceLock::new();
    WAVES.get_or_init(|| {
        std::array::from_fn(|frequency| {
            let scale = if frequency == 0 { (1.0 / CELLS as f32).sqrt() } else { 0.5 };
            std::array::from_fn(|at| scale * (PI * frequency as f32 * (at as f32 + 0.5) / CELLS as f32).cos())
        })
    })
}
