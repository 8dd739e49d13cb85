//! The scalable colour descriptor of MPEG-7 (ISO/IEC 15938-3): which colours there are.

use std::sync::OnceLock;

use super::colour::hsv;
use super::pixels::Small;

/// Sixteen levels of 256 colours: 4 values × 4 saturations × 16 hues; neighbours are of one hue and
/// the next.
pub(super) type Scd = [u8; 256];

/// Bits of each channel that a colour is told by: enough for 16 × 4 × 4 colours, and the table stays
/// in a core's own cache.
const BITS: u32 = 6;

pub(super) fn of(small: &Small) -> Scd {
    let table = table();
    // Four at a time: pixels side by side are mostly of one colour, and a count that was just
    // written has to be waited for.
    let mut counts = [[0u32; 256]; 4];
    let mut quads = small.rgb.chunks_exact(12);
    let place = |pixel: &[u8]| usize::from(table[index([pixel[0], pixel[1], pixel[2]])]);
    for four in &mut quads {
        for (counts, pixel) in counts.iter_mut().zip(four.chunks_exact(3)) {
            counts[place(pixel)] += 1;
        }
    }
    for pixel in quads.remainder().chunks_exact(3) {
        counts[0][place(pixel)] += 1;
    }
    let pixels = (small.rgb.len() / 3) as f32;
    std::array::from_fn(|colour| level(counts.iter().map(|counts| counts[colour]).sum::<u32>() as f32 / pixels))
}

fn index(rgb: [u8; 3]) -> usize {
    let [red, green, blue] = rgb.map(|value| usize::from(value >> (8 - BITS)));
    (red << BITS | green) << BITS | blue
}

fn table() -> &'static [u8] {
    static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mask = (1 << BITS) - 1;
        let value = |bits: usize| ((bits & mask) * 255 / mask) as f32;
        (0..1usize << (3 * BITS)).map(|i| colour([value(i >> (2 * BITS)), value(i >> BITS), value(i)])).collect()
    })
}

/// Which of the 256.
fn colour(rgb: [f32; 3]) -> u8 {
    let [hue, saturation, value] = hsv(rgb);
    let step = |value: f32, most: f32, steps: u8| ((value * f32::from(steps) / most) as u8).min(steps - 1);
    step(value, 256.0, 4) << 6 | step(saturation, 256.0, 4) << 4 | step(hue, 360.0, 16)
}

/// Sixteen levels, finer for small shares, as the standard asks for.
fn level(share: f32) -> u8 {
    (15.0 * share.sqrt() * 1.5 + 0.5).min(15.0) as u8
}

/// The 256 coefficients: sums and differences of neighbours in hue, then in saturation, then in
/// value (Haar). The first is the sum of all.
pub(super) fn coefficients(levels: &Scd) -> [i16; 256] {
    let mut values = levels.map(i16::from);
    let mut length = 256;
    let mut next = [0; 256];
    while length > 1 {
        let half = length / 2;
        for i in 0..half {
            let (a, b) = (values[2 * i], values[2 * i + 1]);
            next[i] = a + b;
            next[half + i] = a - b;
        }
        values[..length].copy_from_slice(&next[..length]);
        length = half;
    }
    values
}
