//! The broad shapes of a picture, to lay two over each other.

use std::f32::consts::PI;

use super::hash::{WAVES, Waves};
use super::turn::Turn;

/// Points along each side where two reliefs are compared.
pub(super) const POINTS: usize = 24;

/// The 16 × 16 lowest frequencies of a picture's brightness, the higher ones raised so that all weigh
/// about the same, in steps of equal size whatever the contrast: neither brightness nor contrast
/// shows in them, and different pictures have next to nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relief(pub(super) [i8; WAVES * WAVES]);

/// The reliefs of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reliefs {
    pub(super) whole: Relief,
    /// Of what is within bars and borders, where there are any: they are so plain that they would
    /// drown what they are around.
    pub(super) within: Option<Relief>,
}

/// Steps that a coefficient of usual size has.
const STEPS: f32 = 24.0;

impl Relief {
    pub(super) fn of(waves: &Waves) -> Self {
        let mut raised = [0.0f32; WAVES * WAVES];
        for (place, value) in raised.iter_mut().enumerate().skip(1) {
            let (v, u) = (place / WAVES, place % WAVES);
            // Of natural pictures, brightness falls off with the frequency.
            *value = waves[v][u] * ((v * v + u * u) as f32).sqrt();
        }
        let usual = (raised.iter().map(|value| value * value).sum::<f32>() / raised.len() as f32).sqrt();
        let steps = if usual > f32::MIN_POSITIVE { STEPS / usual } else { 0.0 };
        Self(raised.map(|value| (value * steps).round().clamp(-127.0, 127.0) as i8))
    }

    pub(super) fn turned(&self, turn: Turn) -> Self {
        let mut turned = [0; WAVES * WAVES];
        for (place, value) in turned.iter_mut().enumerate() {
            let (v, u) = (place / WAVES, place % WAVES);
            let from = self.0[if turn.transposes() { u * WAVES + v } else { place }];
            let negative = (turn.mirrors() && u % 2 == 1) != (turn.overturns() && v % 2 == 1);
            *value = if negative { from.saturating_neg() } else { from };
        }
        Self(turned)
    }

    /// How many waves make up the picture: as many as there would be if all that count were equally strong.
    pub(super) fn waves(&self) -> f32 {
        let squares = self.0.iter().map(|value| f32::from(*value).powi(2));
        let (sum, of_squares) =
            squares.fold((0.0f32, 0.0f32), |(sum, all), square| (sum + square, all + square * square));
        sum * sum / of_squares.max(1.0)
    }

    /// How alike the broadest shapes are, −1 to 1.
    pub(super) fn broadly(&self, other: &Self) -> f32 {
        const BROAD: usize = 6;
        let [mut both, mut mine, mut theirs] = [0.0f32; 3];
        for place in (0..BROAD * WAVES).filter(|place| place % WAVES < BROAD) {
            let (a, b) = (f32::from(self.0[place]), f32::from(other.0[place]));
            both += a * b;
            mine += a * a;
            theirs += b * b;
        }
        both / (mine * theirs).sqrt().max(f32::MIN_POSITIVE)
    }

    /// Heights at points of a part of the picture; sides are shares of the whole.
    pub(super) fn heights(&self, [left, top, right, bottom]: [f32; 4]) -> [[f32; POINTS]; POINTS] {
        let across = cosines(left, right);
        let down = cosines(top, bottom);
        let mut lines = [[0.0f32; POINTS]; WAVES];
        for (line, values) in lines.iter_mut().zip(self.0.as_chunks::<WAVES>().0) {
            for (value, wave) in values.iter().zip(&across) {
                let value = f32::from(*value);
                line.iter_mut().zip(wave).for_each(|(sum, wave)| *sum += value * wave);
            }
        }
        let mut heights = [[0.0f32; POINTS]; POINTS];
        for (line, wave) in lines.iter().zip(&down) {
            for (row, factor) in heights.iter_mut().zip(wave) {
                row.iter_mut().zip(line).for_each(|(sum, value)| *sum += factor * value);
            }
        }
        heights
    }
}

/// Waves of each frequency at points between two shares of a side.
fn cosines(from: f32, to: f32) -> [[f32; POINTS]; WAVES] {
    let mut waves = [[0.5f32.sqrt(); POINTS]; WAVES];
    for point in 0..POINTS {
        let at = from + (to - from) * (point as f32 + 0.5) / POINTS as f32;
        let once = (PI * at).cos();
        let (mut before, mut here) = (1.0, once);
        for wave in &mut waves[1..] {
            wave[point] = here;
            // cos(n + 1)x = 2 cos x cos nx − cos(n − 1)x
            (before, here) = (here, 2.0 * once * here - before);
        }
    }
    waves
}
