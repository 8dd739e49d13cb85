//! A look as a point: what is near by the default mix has points that are near.

use std::f32::consts::{FRAC_1_SQRT_2, PI};
use std::sync::OnceLock;

use super::ehd;
use super::look::Look;

/// Colours that SCD is folded to: neighbours in hue are added up.
const COLOURS: usize = 64;
/// Colours of JCD, all textures added up.
const TEXTURED: usize = 24;
/// Frequencies of each of the five kinds of edges over the 4 × 4 parts.
const EDGES: usize = 8;

/// How much each weighs, so that a step of one is a step of the mix for all.
const OF_COLOURS: f32 = 2.3;
const OF_TEXTURED: f32 = 2.04;
const OF_EDGES: f32 = 60.0;

impl Look {
    /// Values of a point.
    pub const DIMENSIONS: usize = COLOURS + TEXTURED + 5 * EDGES;

    /// The look as a point, for indexes: what is near by [`Mix::Balanced`](super::Mix) has points that
    /// are near, though not in quite the same order. Descriptions of some hundred have to decide.
    pub fn point(&self) -> [i8; Self::DIMENSIONS] {
        let roots = |values: &mut dyn Iterator<Item = u8>| values.map(|value| f32::from(value).sqrt()).sum::<f32>();
        let (jcd, folded) = (self.jcd(), self.scd.len() / COLOURS);
        // Differences of roots are as differences beside sums, by which the mix compares.
        let colours = self.scd.chunks(folded).map(|hues| OF_COLOURS * roots(&mut hues.iter().copied()));
        let of_colour = |colour: usize| roots(&mut jcd.iter().copied().skip(colour).step_by(TEXTURED));
        let textured = (0..TEXTURED).map(|colour| OF_TEXTURED * of_colour(colour));
        let edges = (0..5).flat_map(|kind| {
            let shares: [f32; 16] = std::array::from_fn(|part| ehd::share(kind, self.ehd[5 * part + kind]));
            waves().iter().map(move |wave| OF_EDGES * wave.iter().zip(&shares).map(|(a, b)| a * b).sum::<f32>())
        });
        let mut point = [0; Self::DIMENSIONS];
        for (value, exact) in point.iter_mut().zip(colours.chain(textured).chain(edges)) {
            *value = exact.round().clamp(-127.0, 127.0) as i8;
        }
        point
    }
}

/// The lowest frequencies over 4 × 4 parts, each weighed by how often the distance of edges counts
/// it: in parts, rows, columns, squares and the whole.
fn waves() -> &'static [[f32; 16]; EDGES] {
    static WAVES: OnceLock<[[f32; 16]; EDGES]> = OnceLock::new();
    WAVES.get_or_init(|| {
        let mut order: Vec<(usize, usize)> = (0..16).map(|place| (place / 4, place % 4)).collect();
        order.sort_by_key(|(down, across)| (down * down + across * across, *down));
        let cosine = |frequency: usize, at: usize| {
            let scale = if frequency == 0 { 0.5 } else { FRAC_1_SQRT_2 };
            scale * (PI * frequency as f32 * (at as f32 + 0.5) / 4.0).cos()
        };
        let mut waves = [[0.0; 16]; EDGES];
        for (wave, (down, across)) in waves.iter_mut().zip(order) {
            let counted = |is: bool, share: f32| if is { share } else { 0.0 };
            let rows = counted(across == 0, 0.25) + counted(down == 0, 0.25);
            let squares = counted(across < 2 && down < 2, 0.25) + counted(across + down == 0, 0.3);
            for (part, value) in wave.iter_mut().enumerate() {
                *value = (1.0 + rows + squares).sqrt() * cosine(down, part / 4) * cosine(across, part % 4);
            }
        }
        waves
    })
}
