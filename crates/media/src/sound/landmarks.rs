//! The fingerprint of a sound: its strongest tones, two by two, in order of time.
//!
//! A tone that is stronger than all around it is still so after coding, filtering and at another
//! volume. Two of them with the time between are a landmark (Wang, ISMIR 2003); the same landmarks
//! in the same order are the same sound, wherever it begins.

use std::collections::VecDeque;

use super::spectrum::{TONES, Tones};

/// A peak is stronger than everything this many frames before and after …
const AROUND: usize = 8;
/// … and this many tones below and above.
const BESIDE: usize = 16;
/// A peak is so many times as strong as the mean of the tones beside it.
const PROMINENT: f32 = 4.0;
/// Anything weaker is silence: 80 dB below a full tone.
const SILENCE: f32 = 6e-4;

/// A landmark joins a peak with the next ones, no nearer and no farther than this.
const NEAREST: u32 = 2;
const FARTHEST: u32 = 63;
/// Tones between the two, at most.
const SPAN: i32 = 127;
/// Landmarks that begin at a peak.
const PAIRS: usize = 2;

/// Two peaks: what they are, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Landmark {
    /// The frame of the first.
    pub at: u32,
    /// The first tone, the step to the second, the frames between.
    pub key: u32,
}

#[derive(Clone, Copy)]
struct Peak {
    at: u32,
    tone: u16,
}

/// Finds landmarks as frames come.
#[derive(Default)]
pub(super) struct Landmarks {
    /// The last frames, and for each the strongest tone near each tone.
    near: VecDeque<Near>,
    /// Frames that came.
    frames: u32,
    /// Peaks that may still begin a landmark.
    peaks: Vec<Peak>,
    found: Vec<Landmark>,
}

struct Near {
    tones: Box<Tones>,
    strongest: Box<Tones>,
}

impl Landmarks {
    pub fn hear(&mut self, tones: &Tones) {
        self.near.push_back(Near { tones: Box::new(*tones), strongest: strongest(tones) });
        self.frames = self.frames.saturating_add(1);
        if self.near.len() > 2 * AROUND + 1 {
            self.near.pop_front();
        }
        if self.near.len() == 2 * AROUND + 1 {
            self.look(AROUND, self.frames - 1 - AROUND as u32);
        }
    }

    /// All landmarks, in order of time.
    pub fn finish(mut self) -> Vec<Landmark> {
        let kept = std::mem::take(&mut self.peaks);
        for (nth, peak) in kept.iter().enumerate() {
            self.pair(*peak, kept.get(nth + 1..).unwrap_or_default());
        }
        self.found.sort_unstable();
        self.found
    }

    /// Looks for peaks in one of the frames that are kept.
    fn look(&mut self, middle: usize, at: u32) {
        let Some(Near { tones, strongest }) = self.near.get(middle) else { return };
        let mut new = Vec::new();
        for (tone, strength) in tones.iter().enumerate() {
            let is_peak = *strength > SILENCE
                && strongest.get(tone).is_some_and(|most| most <= strength)
                && self.near.iter().all(|near| near.strongest.get(tone).is_some_and(|most| most <= strength));
            if is_peak && *strength > PROMINENT * mean(tones, tone) {
                new.push(Peak { at, tone: tone as u16 });
            }
        }
        self.peaks.append(&mut new);
        // Peaks that no later one can be joined to are done.
        let done = self.peaks.partition_point(|peak| peak.at + FARTHEST < at);
        let done: Vec<Peak> = self.peaks.get(..done).unwrap_or_default().to_vec();
        for (nth, peak) in done.iter().enumerate() {
            let later: Vec<Peak> = self.peaks.iter().skip(nth + 1).copied().collect();
            self.pair(*peak, &later);
        }
        self.peaks.drain(..done.len());
    }

    fn pair(&mut self, peak: Peak, later: &[Peak]) {
        let fits = |other: &&Peak| {
            let step = i32::from(other.tone) - i32::from(peak.tone);
            (NEAREST..=FARTHEST).contains(&(other.at - peak.at)) && step.abs() <= SPAN
        };
        for other in later.iter().filter(fits).take(PAIRS) {
            let step = (i32::from(other.tone) - i32::from(peak.tone) + SPAN) as u32;
            let key = u32::from(peak.tone) << 14 | step << 6 | (other.at - peak.at);
            self.found.push(Landmark { at: peak.at, key });
        }
    }
}

/// For each tone the strongest one that is not farther than [`BESIDE`].
fn strongest(tones: &Tones) -> Box<Tones> {
    let mut most = Box::new([0.0; TONES]);
    // Places of tones that may still be the strongest, strongest first.
    let mut able: VecDeque<usize> = VecDeque::new();
    let at = |place: usize| tones.get(place).copied().unwrap_or(0.0);
    for place in 0..TONES + BESIDE {
        if place < TONES {
            while able.back().is_some_and(|last| at(*last) <= at(place)) {
                able.pop_back();
            }
            able.push_back(place);
        }
        let Some(middle) = place.checked_sub(BESIDE) else { continue };
        while able.front().is_some_and(|first| first + BESIDE < middle) {
            able.pop_front();
        }
        if let (Some(first), Some(most)) = (able.front(), most.get_mut(middle)) {
            *most = at(*first);
        }
    }
    most
}

/// The mean strength of the tones beside one.
fn mean(tones: &Tones, tone: usize) -> f32 {
    let range = tone.saturating_sub(2 * BESIDE)..(tone + 2 * BESIDE).min(TONES);
    let beside = tones.get(range).unwrap_or_default();
    beside.iter().sum::<f32>() / beside.len().max(1) as f32
}
