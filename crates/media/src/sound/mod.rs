//! What a sound sounds like.
//!
//! A [`Listener`] hears samples, as many at a time as there are, and makes a [`Sound`] of them: three
//! signatures that tell how alike two sounds are, and a fingerprint that tells whether they are the
//! same ([`same_sound`]), or one is [a part](part_of) of the other.

mod align;
mod course;
mod landmarks;
mod spectrum;
mod written;

use std::time::Duration;

pub use self::align::{SoundMatch, part_of, same_sound};
use self::course::{BLOCKS, Blocks, Course, Values};
use self::landmarks::{Landmark, Landmarks};
use self::spectrum::{FRAMES_A_SECOND, Spectrum};

/// Samples a second of what is heard: one channel, as [004 §4.3.1.1] has it.
pub const SAMPLE_RATE: u32 = 5512;

/// Of so many keys one is for the index.
const THINNED: u32 = 4;

/// Hears a sound, piece by piece.
#[derive(Default)]
pub struct Listener {
    spectrum: Spectrum,
    course: Course,
    landmarks: Landmarks,
    samples: u64,
}

impl Listener {
    /// Hears what comes next: samples from −1 to 1, [`SAMPLE_RATE`] a second.
    pub fn hear(&mut self, samples: &[f32]) {
        self.samples = self.samples.saturating_add(samples.len() as u64);
        self.spectrum.hear(samples, |tones| {
            self.course.hear(tones);
            self.landmarks.hear(tones);
        });
    }

    /// What was heard; nothing when it was shorter than a fifth of a second.
    pub fn finish(self) -> Option<Sound> {
        let milliseconds = self.samples.saturating_mul(1000) / u64::from(SAMPLE_RATE);
        let (blocks, values) = self.course.finish()?;
        Some(Sound {
            milliseconds: u32::try_from(milliseconds).unwrap_or(u32::MAX),
            blocks,
            values,
            landmarks: self.landmarks.finish(),
        })
    }
}

/// What a sound sounds like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sound {
    milliseconds: u32,
    blocks: Blocks,
    values: Values,
    landmarks: Vec<Landmark>,
}

/// A form of the three signatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Signatures {
    /// 10 × 10 blocks of time and pitch.
    #[default]
    TimeAndPitch,
    /// 100 blocks of strength [004 §4.3.1.2].
    Strength,
}

impl Sound {
    /// Goes up when any formula changes: older descriptions are made again, never compared with
    /// newer ones.
    pub const VERSION: u16 = 1;

    /// What these samples sound like; nothing when they are shorter than a fifth of a second.
    pub fn of(samples: &[f32]) -> Option<Self> {
        let mut listener = Listener::default();
        listener.hear(samples);
        listener.finish()
    }

    /// How long it lasts.
    pub fn duration(&self) -> Duration {
        Duration::from_millis(self.milliseconds.into())
    }

    /// What an index of sounds is fed with, and asked with: keys of the fingerprint, each with the
    /// moment it stands for. The same sound has many of them in common, a part of it those of its
    /// part. About five a second.
    pub fn keys(&self) -> impl Iterator<Item = (u32, Duration)> + '_ {
        // Which keys are left out depends on the key alone, so both sides leave out the same.
        let kept = |landmark: &&Landmark| landmark.key.wrapping_mul(0x9e37_79b1) >> 24 < 256 / THINNED;
        self.landmarks.iter().filter(kept).map(|landmark| (landmark.key, moment(landmark.at.into())))
    }

    /// Distances of the three signatures, each from 0 to 1.
    pub fn distances(&self, other: &Self, form: Signatures) -> [f64; 3] {
        let far = |a: &[f64], b: &[f64]| {
            let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
            (sum / BLOCKS as f64).sqrt()
        };
        let blocks = |of: &Self, nth: usize| of.blocks.get(nth).map(|b| b.map(|value| f64::from(value) / 255.0));
        let values = |of: &Self, nth: usize| of.values.get(nth).map(|v| v.map(|value| f64::from(value) / 65535.0));
        [0, 1, 2].map(|nth| {
            let both = match form {
                Signatures::TimeAndPitch => blocks(self, nth).zip(blocks(other, nth)),
                Signatures::Strength => values(self, nth).zip(values(other, nth)),
            };
            both.map_or(1.0, |(a, b)| far(&a, &b))
        })
    }

    /// How different two sounds are in an answer: the three distances, the smaller the more it
    /// weighs [004 eq. 4.9–4.15].
    pub fn difference(&self, other: &Self, form: Signatures) -> f64 {
        let distances = self.distances(other, form);
        // Each weighs T / D_j, so each adds as much, and the sum is three divided by the sum of 1 / D_j.
        match distances.contains(&0.0) {
            true => 0.0,
            false => 3.0 / distances.iter().map(|distance| 1.0 / distance).sum::<f64>(),
        }
    }

    /// How alike two sounds are, in per cent: the share of blocks that are equal, within 6 dB.
    pub fn similarity(&self, other: &Self) -> f64 {
        let step = 255.0 / 10.0;
        let pairs = self.blocks.iter().flatten().zip(other.blocks.iter().flatten());
        let equal = pairs.filter(|(a, b)| f64::from(a.abs_diff(**b)) <= step).count();
        100.0 * equal as f64 / (3 * BLOCKS) as f64
    }
}

/// When a frame is.
fn moment(frame: i64) -> Duration {
    Duration::from_millis((frame.max(0) as f64 / FRAMES_A_SECOND * 1000.0) as u64)
}
