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
const THINNED: u32 = 3;

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
    pub const VERSION: u16 = 2;

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
    /// part. Up to ten a second.
    pub fn keys(&self) -> impl Iterator<Item = (u32, Duration)> + '_ {
        // The time between two peaks is kept to two frames, for it may be one more or less in a copy.
        let keys = self.landmarks.iter().map(|landmark| (landmark.key >> 1, moment(landmark.at.into())));
        // Which keys are left out depends on the key alone, so both sides leave out the same.
        keys.filter(|(key, _)| key.wrapping_mul(0x9e37_79b1) >> 24 < 256 / THINNED)
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

    /// Values of a point.
    pub const DIMENSIONS: usize = 75;

    /// The sound as a point, for indexes: its blocks of time and pitch, four as one.
    pub fn point(&self) -> [i8; Self::DIMENSIONS] {
        let mut point = [0; Self::DIMENSIONS];
        for (place, value) in point.iter_mut().enumerate() {
            let (third, row, column) = (place / 25, place / 5 % 5, place % 5);
            let at = |down: usize, across: usize| (2 * row + down) * 10 + 2 * column + across;
            let of = |block: usize| self.blocks.get(third).and_then(|blocks| blocks.get(block)).copied().unwrap_or(0);
            let sum: u32 = [at(0, 0), at(0, 1), at(1, 0), at(1, 1)].map(|block| u32::from(of(block))).iter().sum();
            *value = (sum / 8) as i8;
        }
        point
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

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use proptest::prelude::*;

    use super::*;

    const SECOND: usize = SAMPLE_RATE as usize;

    fn tone(hertz: f32, loud: f32, samples: usize) -> Vec<f32> {
        (0..samples).map(|n| loud * (n as f32 * hertz / SAMPLE_RATE as f32 * TAU).sin()).collect()
    }

    /// Notes that fade, by number.
    fn notes(number: u32, seconds: usize) -> Vec<f32> {
        let mut state = number.wrapping_mul(2_654_435_761) | 1;
        let mut samples = Vec::new();
        while samples.len() < seconds * SECOND {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let hertz = 100.0 * 1.07f32.powi((state >> 27) as i32);
            let note = tone(hertz, 0.6, SECOND / 4 + (state >> 12 & 1023) as usize);
            samples.extend(note.iter().enumerate().map(|(n, sample)| sample * (-(n as f32) / 900.0).exp()));
        }
        samples.truncate(seconds * SECOND);
        samples
    }

    fn sound(samples: &[f32]) -> Sound {
        Sound::of(samples).expect("long enough")
    }

    #[test]
    fn a_tone_is_in_the_block_of_its_pitch_and_time() {
        // High in the first third, low in the last, nothing between.
        let silence = vec![0.0; 3 * SECOND];
        let sound = sound(&[tone(1500.0, 0.5, 3 * SECOND), silence, tone(40.0, 0.5, 3 * SECOND)].concat());
        let [first, middle, last] = sound.blocks;
        let loudest = |blocks: [u8; BLOCKS]| {
            let row = blocks.get(50..60).unwrap();
            (0..10).max_by_key(|nth| row[*nth]).unwrap()
        };
        assert_eq!((loudest(first), loudest(last)), (9, 1));
        assert!(middle[20..80].iter().all(|block| *block == 0), "{middle:?}");
        assert!(first[59] > 100, "{first:?}");
    }

    #[test]
    fn volume_changes_nothing() {
        let loud = notes(1, 10);
        let quiet: Vec<f32> = loud.iter().map(|sample| sample / 20.0).collect();
        let (loud, quiet) = (sound(&loud), sound(&quiet));
        assert!(same_sound(&loud, &quiet).is_some_and(|told| told.share > 0.95));
        assert!(loud.similarity(&quiet) > 99.0);
        assert!(loud.difference(&quiet, Signatures::TimeAndPitch) < 0.01);
    }

    #[test]
    fn a_part_is_found_wherever_it_begins_and_others_are_not() {
        let (whole, other) = (notes(2, 60), sound(&notes(3, 60)));
        for from in [0, 10_007, 150_001, 49 * SECOND] {
            let part = sound(&whole[from..from + 10 * SECOND]);
            let found = part_of(&part, &sound(&whole)).unwrap_or_else(|| panic!("from {from}"));
            assert!((found.at.as_secs_f64() - from as f64 / SECOND as f64).abs() < 0.1, "{found:?}");
            assert_eq!(part_of(&part, &other), None);
        }
        assert_eq!(same_sound(&sound(&whole), &other), None);
    }

    #[test]
    fn a_part_has_keys_of_its_whole() {
        let whole: Vec<f32> = notes(4, 60).iter().zip(notes(9, 60)).map(|(a, b)| a + b).collect();
        let part = sound(&whole[20 * SECOND..30 * SECOND]);
        let kept: std::collections::HashSet<u32> = sound(&whole).keys().map(|(key, _)| key).collect();
        let shared = part.keys().filter(|(key, _)| kept.contains(key)).count();
        assert!(shared >= 3 && shared * 3 > part.keys().count(), "{shared} of {}", part.keys().count());
    }

    #[test]
    fn differences_are_none_to_itself_and_the_same_both_ways() {
        let (a, b) = (sound(&notes(5, 8)), sound(&notes(6, 8)));
        for form in [Signatures::TimeAndPitch, Signatures::Strength] {
            assert_eq!(a.difference(&a, form), 0.0);
            assert_eq!(a.difference(&b, form), b.difference(&a, form));
            assert!(a.difference(&b, form) > 0.0);
        }
        assert_eq!(a.similarity(&a), 100.0);
    }

    #[test]
    fn two_hours_take_little_memory() {
        let mut listener = Listener::default();
        let minute = notes(7, 60);
        for _ in 0..120 {
            listener.hear(&minute);
        }
        let sound = listener.finish().unwrap();
        assert_eq!(sound.duration(), Duration::from_secs(7200));
        assert!(sound.to_bytes().len() < 1_500_000, "{} bytes", sound.to_bytes().len());
    }

    #[test]
    fn damaged_bytes_are_nothing() {
        let bytes = sound(&notes(8, 4)).to_bytes();
        for end in 0..bytes.len() {
            assert_eq!(Sound::from_bytes(&bytes[..end]), None, "{end}");
        }
        assert_eq!(Sound::from_bytes(&[&bytes[..], &[0]].concat()), None);
        let mut other = bytes;
        other[0] ^= 1;
        assert_eq!(Sound::from_bytes(&other), None, "another version");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn any_samples_give_a_sound_that_is_kept_as_it_is(
            samples in prop::collection::vec(prop::num::f32::ANY, 0..9000),
            piece in 1usize..3000,
        ) {
            let mut listener = Listener::default();
            samples.chunks(piece).for_each(|samples| listener.hear(samples));
            let heard = listener.finish();
            prop_assert_eq!(&heard, &Sound::of(&samples), "in pieces");
            prop_assert_eq!(heard.is_some(), samples.len() >= 1024);
            if let Some(sound) = heard {
                prop_assert_eq!(Sound::from_bytes(&sound.to_bytes()), Some(sound.clone()));
                let _ = same_sound(&sound, &sound);
            }
        }
    }
}
