//! Sums over any rectangle of a picture's brightness, at once.

use super::pixels::Small;

/// For each corner between pixels, the sum of the brightness of all pixels above and left of it.
pub(super) struct Sums {
    width: usize,
    height: usize,
    /// `(width + 1) × (height + 1)`; 640 × 640 pixels of 255 fit into 32 bits.
    sums: Vec<u32>,
}

impl Sums {
    /// Brightness as television has it (Rec. 601), which all descriptions here are defined on.
    pub(super) fn of(small: &Small) -> Self {
        let line = small.width + 1;
        let mut sums = vec![0u32; line * (small.height + 1)];
        let mut above = 0;
        for row in small.rows() {
            let (before, here) = sums.split_at_mut(above + line);
            let before = &before[above..];
            let mut sum = 0;
            for ((here, before), pixel) in here[1..].iter_mut().zip(&before[1..]).zip(row.as_chunks::<3>().0) {
                sum += luma(pixel);
                *here = before + sum;
            }
            above += line;
        }
        Self { width: small.width, height: small.height, sums }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    fn corner(&self, x: usize, y: usize) -> u32 {
        self.sums[y.min(self.height) * (self.width + 1) + x.min(self.width)]
    }

    /// The mean of whole pixels, from `left` and `top` to before `right` and `bottom`.
    pub(super) fn mean(&self, [left, top, right, bottom]: [usize; 4]) -> f32 {
        let sum = self.corner(right, bottom) + self.corner(left, top);
        let sum = sum - self.corner(left, bottom) - self.corner(right, top);
        sum as f32 / ((right - left) * (bottom - top)).max(1) as f32
    }

    /// Means of the cells of a grid of `N × N` over a part of the picture, given in pixels. Cells
    /// need not begin or end where pixels do: what is cut counts by its share.
    pub(super) fn grid<const N: usize>(&self, [left, top, right, bottom]: [f32; 4]) -> Vec<[f32; N]> {
        let (across, down) = ((right - left) / N as f32, (bottom - top) / N as f32);
        let columns: Vec<(usize, f32)> = (0..=N).map(|i| split(left + across * i as f32)).collect();
        let line = |y: f32| -> Vec<f64> {
            let (y, part) = split(y);
            let part = f64::from(part);
            let at = |x| {
                let (upper, lower) = (f64::from(self.corner(x, y)), f64::from(self.corner(x, y + 1)));
                upper + (lower - upper) * part
            };
            columns.iter().map(|(x, part)| at(*x) + (at(x + 1) - at(*x)) * f64::from(*part)).collect()
        };
        let area = f64::from(across * down).max(f64::EPSILON);
        let mut upper = line(top);
        let mut grid = Vec::with_capacity(N);
        for row in 1..=N {
            let lower = line(top + down * row as f32);
            let mut cells = [0.0; N];
            for (cell, (lower, upper)) in cells.iter_mut().zip(lower.windows(2).zip(upper.windows(2))) {
                *cell = ((lower[1] - lower[0] - upper[1] + upper[0]) / area) as f32;
            }
            grid.push(cells);
            upper = lower;
        }
        grid
    }
}

fn luma(pixel: &[u8; 3]) -> u32 {
    let [red, green, blue] = pixel.map(u32::from);
    // 0.299, 0.587, 0.114 in parts of 65,536.
    (19_595 * red + 38_470 * green + 7_471 * blue + 32_768) >> 16
}

fn split(at: f32) -> (usize, f32) {
    let whole = at.max(0.0).floor();
    (whole as usize, at.max(0.0) - whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::pixels::{Pixels, Smoothing};

    #[test]
    fn means_are_those_of_the_pixels() {
        let rgb: Vec<u8> = (0..12u8).flat_map(|value| [value * 10; 3]).collect();
        let small = Small::of(&Pixels { width: 4, height: 3, rgb: &rgb }, Smoothing::None).unwrap();
        let sums = Sums::of(&small);
        assert_eq!(sums.mean([0, 0, 4, 3]), 55.0);
        assert_eq!(sums.mean([1, 1, 3, 2]), 55.0);
        assert_eq!(sums.mean([3, 2, 4, 3]), 110.0);
        // Cells of one and a third pixels across, one and a half down.
        let grid = sums.grid::<2>([0.0, 0.0, 4.0, 3.0]);
        assert_eq!(
            grid[0],
            [(0.0 + 10.0 + 0.5 * 40.0 + 0.5 * 50.0) / 3.0, (20.0 + 30.0 + 0.5 * 60.0 + 0.5 * 70.0) / 3.0]
        );
        let third = sums.grid::<1>([0.5, 0.0, 1.5, 1.0]);
        assert_eq!(third[0], [5.0]);
    }
}
