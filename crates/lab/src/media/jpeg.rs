//! A JPEG writer for drawings.
//!
//! Photos here are small drawings enlarged. Instead of enlarging the pixels and transforming them
//! again, each block of 8 × 8 takes a few samples of the drawing and puts their small cosine
//! transform into its low frequencies, which is the same picture at a tenth of the work. Grain is
//! strewn over the higher frequencies.

use std::sync::LazyLock;

use crate::dice::Dice;
use crate::media::scene::Canvas;

/// How a drawing becomes a file.
pub(crate) struct Manner<'a> {
    pub width: usize,
    pub height: usize,
    /// 1 to 100, on the usual scale.
    pub quality: u8,
    /// Samples a block takes of the drawing in each direction: 2 for an enlargement, 8 for a
    /// drawing at its own size.
    pub samples: usize,
    /// Specks strewn over a block.
    pub grain: u64,
    /// What the grain is drawn from.
    pub seed: u64,
    pub exif: Option<&'a [u8]>,
}

/// The luminance table of the standard's annex K, used for colour as well.
const QUANTA: [u16; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];

const ZIGZAG: [usize; 64] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
];

/// Code lengths and symbols of the standard's luminance tables.
const DC_LENGTHS: [u8; 16] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const AC_LENGTHS: [u8; 16] = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d];
/// The symbols with short codes; the others follow in order.
const AC_FIRST: [u8; 37] = [
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71, 0x14,
    0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72, 0x82,
];

struct Codes {
    dc_symbols: Vec<u8>,
    ac_symbols: Vec<u8>,
    dc: [(u16, u8); 256],
    ac: [(u16, u8); 256],
}

static CODES: LazyLock<Codes> = LazyLock::new(|| {
    let dc_symbols: Vec<u8> = (0..12).collect();
    let mut ac_symbols = AC_FIRST.to_vec();
    for symbol in 0x01..=0xfau8 {
        if (1..=10).contains(&(symbol & 15)) && !AC_FIRST.contains(&symbol) {
            ac_symbols.push(symbol);
        }
    }
    let (dc, ac) = (codes(&DC_LENGTHS, &dc_symbols), codes(&AC_LENGTHS, &ac_symbols));
    Codes { dc_symbols, ac_symbols, dc, ac }
});

fn codes(lengths: &[u8; 16], symbols: &[u8]) -> [(u16, u8); 256] {
    let mut table = [(0, 0); 256];
    let (mut code, mut symbols) = (0u16, symbols.iter());
    for (length, count) in (1u8..).zip(lengths) {
        for symbol in symbols.by_ref().take(usize::from(*count)) {
            table[usize::from(*symbol)] = (code, length);
            code += 1;
        }
        code <<= 1;
    }
    table
}

/// Bits, most significant first, with the zero byte that must follow 255.
struct Bits {
    out: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, code: u32, length: u32) {
        self.held = self.held << length | u64::from(code);
        self.count += length;
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.held >> self.count) as u8;
            self.out.push(byte);
            if byte == 255 {
                self.out.push(0);
            }
        }
    }

    fn symbol(&mut self, table: &[(u16, u8); 256], symbol: u8) {
        let (code, length) = table[usize::from(symbol)];
        self.put(code.into(), length.into());
    }

    /// A number in the few bits its size needs.
    fn magnitude(&mut self, value: i32, size: u32) {
        let low = if value < 0 { value - 1 } else { value };
        self.put(low as u32 & ((1 << size) - 1), size);
    }

    /// Differences and coefficients of one block in the order of the scan.
    fn block(&mut self, coefficients: &[i32; 64], before: &mut i32) {
        let difference = coefficients[0] - *before;
        *before = coefficients[0];
        let size = 32 - difference.unsigned_abs().leading_zeros();
        self.symbol(&CODES.dc, size as u8);
        self.magnitude(difference, size);
        let mut zeros = 0;
        for &value in &coefficients[1..] {
            if value == 0 {
                zeros += 1;
                continue;
            }
            while zeros > 15 {
                self.symbol(&CODES.ac, 0xf0);
                zeros -= 16;
            }
            let size = 32 - value.unsigned_abs().leading_zeros();
            self.symbol(&CODES.ac, (zeros << 4) as u8 | size as u8);
            self.magnitude(value, size);
            zeros = 0;
        }
        if zeros > 0 {
            self.symbol(&CODES.ac, 0);
        }
    }
}

/// One of the three planes of a drawing: brightness or a colour difference.
struct Plane {
    width: usize,
    values: Vec<f32>,
}

fn planes(canvas: &Canvas) -> [Plane; 3] {
    let plane = |r: f32, g: f32, b: f32, shift: f32| Plane {
        width: canvas.width,
        values: canvas
            .rgb
            .chunks_exact(3)
            .map(|p| r * f32::from(p[0]) + g * f32::from(p[1]) + b * f32::from(p[2]) + shift)
            .collect(),
    };
    [plane(0.299, 0.587, 0.114, -128.0), plane(-0.1687, -0.3313, 0.5, 0.0), plane(0.5, -0.4187, -0.0813, 0.0)]
}

/// For each sample along one side of the file, the two drawn pixels it lies between and how far.
fn samples_along(drawn: usize, full: usize, count: usize, spacing: f32) -> Vec<(usize, usize, f32)> {
    let scale = drawn as f32 / full as f32;
    (0..count)
        .map(|i| {
            let at = ((i as f32 + 0.5) * spacing * scale - 0.5).clamp(0.0, (drawn - 1) as f32);
            let low = at as usize;
            (low, (low + 1).min(drawn - 1), at - low as f32)
        })
        .collect()
}

/// Samples of a plane on a grid over the file, and their transforms.
struct Grid<'a> {
    plane: &'a Plane,
    columns: Vec<(usize, usize, f32)>,
    rows: Vec<(usize, usize, f32)>,
    basis: &'a [f32],
    n: usize,
}

impl Grid<'_> {
    /// The block's coefficients, divided by their quanta, in zigzag order.
    fn block(&self, x: usize, y: usize, quanta: &[f32; 64]) -> [i32; 64] {
        let n = self.n;
        let mut rows = [0.0f32; 64];
        for j in 0..n {
            let (y0, y1, ty) = self.rows[y * n + j];
            let (upper, lower) = (y0 * self.plane.width, y1 * self.plane.width);
            for i in 0..n {
                let (x0, x1, tx) = self.columns[x * n + i];
                let value = |row: usize| {
                    let (a, b) = (self.plane.values[row + x0], self.plane.values[row + x1]);
                    a + (b - a) * tx
                };
                let (a, b) = (value(upper), value(lower));
                let sample = a + (b - a) * ty;
                for u in 0..n {
                    rows[j * 8 + u] += sample * self.basis[u * n + i];
                }
            }
        }
        let mut out = [0; 64];
        for (place, &at) in ZIGZAG.iter().enumerate() {
            let (v, u) = (at / 8, at % 8);
            if u < n && v < n {
                let sum: f32 = (0..n).map(|j| rows[j * 8 + u] * self.basis[v * n + j]).sum();
                out[place] = (sum / quanta[at]).round() as i32;
            } else if n == 2 && place > 4 {
                break;
            }
        }
        out
    }
}

/// The rows of the cosine transform of `n` samples, scaled so that they fill a block of eight.
fn basis(n: usize) -> Vec<f32> {
    let scale = (8.0 / n as f64).sqrt();
    let mut rows = Vec::with_capacity(n * n);
    for u in 0..n {
        let norm = if u == 0 { (1.0 / n as f64).sqrt() } else { (2.0 / n as f64).sqrt() };
        for i in 0..n {
            let angle = std::f64::consts::PI * (2 * i + 1) as f64 * u as f64 / (2 * n) as f64;
            rows.push((norm * scale * angle.cos()) as f32);
        }
    }
    rows
}

/// Writes the drawing as a baseline JPEG with halved colour resolution.
pub(crate) fn jpeg(canvas: &Canvas, manner: &Manner<'_>) -> Vec<u8> {
    let (width, height, n) = (manner.width.max(1), manner.height.max(1), manner.samples.clamp(1, 8));
    let quality = i32::from(manner.quality.clamp(1, 100));
    let scale = if quality < 50 { 5_000 / quality } else { 200 - 2 * quality };
    let quanta = QUANTA.map(|q| ((i32::from(q) * scale + 50) / 100).clamp(1, 255) as u8);
    let divisors = quanta.map(f32::from);
    let (across, down) = (width.div_ceil(16), height.div_ceil(16));
    let planes = planes(canvas);
    let basis = basis(n);
    let grid = |plane, blocks: usize, spacing: f32| Grid {
        plane,
        columns: samples_along(canvas.width, width, across * blocks * n, spacing),
        rows: samples_along(canvas.height, height, down * blocks * n, spacing),
        basis: &basis,
        n,
    };
    let luma = grid(&planes[0], 2, 8.0 / n as f32);
    let colours = [grid(&planes[1], 1, 16.0 / n as f32), grid(&planes[2], 1, 16.0 / n as f32)];

    let mut bits = Bits { out: header(width, height, &quanta, manner.exif), held: 0, count: 0 };
    let mut dice = Dice::new(manner.seed, "grain", []);
    let mut before = [0; 3];
    for y in 0..down {
        for x in 0..across {
            for corner in 0..4 {
                let mut block = luma.block(x * 2 + corner % 2, y * 2 + corner / 2, &divisors);
                let mut throw = dice.next();
                for _ in 0..manner.grain {
                    // Five bits choose a middle frequency, one the sign.
                    block[3 + (throw & 31) as usize] += if throw & 32 == 0 { 1 } else { -1 };
                    throw >>= 6;
                }
                bits.block(&block, &mut before[0]);
            }
            for (colour, before) in colours.iter().zip(&mut before[1..]) {
                bits.block(&colour.block(x, y, &divisors), before);
            }
        }
    }
    bits.put(0x7f, 7);
    bits.out.extend([0xff, 0xd9]);
    bits.out
}

fn header(width: usize, height: usize, quanta: &[u8; 64], exif: Option<&[u8]>) -> Vec<u8> {
    let mut out = vec![0xff, 0xd8];
    let mut segment = |marker: u8, body: &[u8]| {
        out.extend([0xff, marker]);
        out.extend((body.len() as u16 + 2).to_be_bytes());
        out.extend(body);
    };
    segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    if let Some(tiff) = exif {
        segment(0xe1, &[b"Exif\0\0", tiff].concat());
    }
    segment(0xdb, &[&[0][..], &ZIGZAG.map(|at| quanta[at])].concat());
    let size = [(height as u16).to_be_bytes(), (width as u16).to_be_bytes()].concat();
    segment(0xc0, &[&[8][..], &size, &[3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0]].concat());
    segment(0xc4, &[&[0x00][..], &DC_LENGTHS, &CODES.dc_symbols].concat());
    segment(0xc4, &[&[0x10][..], &AC_LENGTHS, &CODES.ac_symbols].concat());
    segment(0xda, &[3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::scene::draw;

    #[test]
    fn a_drawing_comes_back_as_it_was() {
        let canvas = draw(7, 160, 120);
        let manner = Manner { width: 160, height: 120, quality: 92, samples: 8, grain: 0, seed: 0, exif: None };
        let read = image::load_from_memory(&jpeg(&canvas, &manner)).unwrap().to_rgb8();
        let pairs = canvas.rgb.iter().zip(read.as_raw());
        let off: i64 = pairs.map(|(a, b)| (i64::from(*a) - i64::from(*b)).abs()).sum();
        let mean = off as f64 / canvas.rgb.len() as f64;
        assert!(mean < 6.0, "off by {mean} on average");
    }

    #[test]
    fn an_enlargement_is_like_its_drawing() {
        let canvas = draw(11, 120, 90);
        let manner = Manner { width: 475, height: 361, quality: 85, samples: 2, grain: 4, seed: 3, exif: None };
        let read = image::load_from_memory(&jpeg(&canvas, &manner)).unwrap();
        assert_eq!((read.width(), read.height()), (475, 361));
        let small = read.resize_exact(120, 90, image::imageops::FilterType::Triangle).to_rgb8();
        let pairs = canvas.rgb.iter().zip(small.as_raw());
        let off: i64 = pairs.map(|(a, b)| (i64::from(*a) - i64::from(*b)).abs()).sum();
        assert!((off as f64) / (canvas.rgb.len() as f64) < 12.0);
    }
}
