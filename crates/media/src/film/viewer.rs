//! Which frames are kept, and which of them are key frames [004 §4.3.1.1].

use std::time::Duration;

use super::{Film, Frame};
use crate::picture::{Look, Pixels};
use crate::sound::Sound;

/// Frames that are kept. When there are more, those go that are most like the one before: scene
/// changes stay.
const MOST: usize = 512;
/// Key frames of a film.
const MOST_KEYS: usize = 64;
/// A frame whose brightness deviates less is black, white or faded.
const FADED: f32 = 4.0;

/// Frames of one group have weights that differ by less …
const SAME_WEIGHT: f32 = 0.03;
/// … and have so much in common with its first *(ours)*: weights alone put unlike frames together.
const IN_COMMON: f32 = 0.80;
/// … and hashes that differ in no more bits *(ours)*: then a film is found by any frame of it.
const NEAR: u32 = Look::RADIUS / 2;

/// Sees a film, frame by frame.
#[derive(Default)]
pub struct Viewer {
    seen: Vec<Seen>,
    last: Duration,
}

struct Seen {
    at: Duration,
    look: Look,
    /// Bits of the hash that differ from the frame before.
    change: u32,
}

impl Viewer {
    /// Sees the next frame: what it shows, and when.
    pub fn see(&mut self, at: Duration, pixels: &Pixels<'_>) {
        self.last = self.last.max(at);
        if deviation(pixels.rgb) < FADED {
            return;
        }
        let Some(look) = Look::of(pixels) else { return };
        let before = self.seen.last().map(|seen| seen.look.upright());
        let change = before.map_or(u32::MAX, |before| before.distance(&look.upright()));
        self.seen.push(Seen { at, look, change });
        if self.seen.len() > MOST
            && let Some((least, _)) = self.seen.iter().enumerate().min_by_key(|(_, seen)| seen.change)
        {
            self.seen.remove(least);
        }
    }

    /// What was seen, with the sound that goes with it; nothing when there was nothing to see.
    pub fn finish(mut self, duration: Option<Duration>, sound: Option<Sound>) -> Option<Film> {
        self.seen.sort_by_key(|seen| seen.at);
        let keys = key_frames(&self.seen);
        let looks: Vec<&Look> = keys.iter().filter_map(|key| self.seen.get(*key)).map(|seen| &seen.look).collect();
        let look = Look::mean(&looks)?;
        // What a header says may be wrong: it is no shorter than what was seen.
        let duration = duration.unwrap_or_default().max(self.last);
        let milliseconds = |time: Duration| u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        let frame = |(nth, seen): (usize, &Seen)| Frame {
            at: milliseconds(seen.at),
            hash: seen.look.upright(),
            key: keys.binary_search(&nth).is_ok(),
        };
        let frames = self.seen.iter().enumerate().map(frame).collect();
        Some(Film { milliseconds: milliseconds(duration), look, frames, sound })
    }
}

/// The standard deviation of brightness, by a pixel in four.
fn deviation(rgb: &[u8]) -> f32 {
    let (mut count, mut sum, mut squares) = (0u64, 0u64, 0u64);
    for [red, green, blue] in rgb.as_chunks::<3>().0.iter().step_by(4) {
        let bright = u64::from(*red) + 2 * u64::from(*green) + u64::from(*blue);
        (count, sum, squares) = (count + 1, sum + bright, squares + bright * bright);
    }
    let count = count.max(1) as f64;
    let mean = sum as f64 / count;
    ((squares as f64 / count - mean * mean).max(0.0).sqrt() / 4.0) as f32
}

/// Places of the key frames: the first of each group of frames that are alike.
fn key_frames(seen: &[Seen]) -> Vec<usize> {
    let weights = weights(seen);
    let mut keys = Vec::new();
    let mut alike = Alike { weight: SAME_WEIGHT, common: IN_COMMON, near: NEAR };
    // Groups grow until there are few enough.
    for _ in 0..16 {
        keys = grouped(seen, &weights, &alike);
        if keys.len() <= MOST_KEYS {
            return keys;
        }
        alike = Alike { weight: alike.weight * 1.3, common: alike.common - 0.05, near: alike.near + 8 };
    }
    // Frames that have nothing in common: evenly.
    let step = keys.len().div_ceil(MOST_KEYS);
    keys.into_iter().step_by(step).collect()
}

/// When two frames belong to one group.
struct Alike {
    weight: f32,
    common: f32,
    near: u32,
}

fn grouped(seen: &[Seen], weights: &[f32], alike: &Alike) -> Vec<usize> {
    let mut keys: Vec<usize> = Vec::new();
    let both = |nth: usize| Some((&seen.get(nth)?.look, weights.get(nth)?));
    for nth in 0..seen.len() {
        let belongs = |key: &usize| match (both(nth), both(*key)) {
            (Some((look, mine)), Some((leader, its))) => {
                (mine - its).abs() < alike.weight
                    && look.upright().distance(&leader.upright()) <= alike.near
                    && look.in_common(leader) >= alike.common
            }
            _ => false,
        };
        if !keys.iter().any(belongs) {
            keys.push(nth);
        }
    }
    keys
}

/// How much each frame has in common with the others, on average [004 eq. 4.2].
fn weights(seen: &[Seen]) -> Vec<f32> {
    let mut sums = vec![0.0; seen.len()];
    for (nth, a) in seen.iter().enumerate() {
        for (other, b) in seen.iter().enumerate().skip(nth + 1) {
            let common = a.look.in_common(&b.look);
            for place in [nth, other] {
                if let Some(sum) = sums.get_mut(place) {
                    *sum += common;
                }
            }
        }
    }
    let others = seen.len().saturating_sub(1).max(1) as f32;
    sums.into_iter().map(|sum| sum / others).collect()
}
