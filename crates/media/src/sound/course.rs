//! How a sound goes on, coarsely: three signatures of 100 values [004 §4.3.1.2].
//!
//! There are two forms. The document's cuts the range of strengths into 100 blocks and takes the
//! mean of what is in each; it forgets when and how high. Ours cuts time and pitch into 10 × 10.

use super::spectrum::{Tones, bands};

/// Parts of the scale that strengths are kept for.
const BANDS: usize = 64;
/// Moments of a third in the document's form: with the bands, 8192 points.
const MOMENTS: usize = 128;
/// Moments that are kept; then two become one.
const MOST: usize = 6144;

/// Blocks of a signature, and along each side of ours.
pub(super) const BLOCKS: usize = 100;
const SIDE: usize = 10;

/// What is weaker than the strongest by more is silence, in decibels.
const RANGE: f32 = 60.0;

/// Strengths of the bands over a moment.
type Moment = [f32; BANDS];

/// First, middle and last third in 10 × 10 blocks of time and pitch: 255 is the loudest of the
/// whole sound, 0 is 60 dB below.
pub(super) type Blocks = [[u8; BLOCKS]; 3];
/// First, middle and last third by strength: means within blocks, 65535 is the strongest.
pub(super) type Values = [[u16; BLOCKS]; 3];

/// Collects moments as frames come; bounded however long the sound is.
pub(super) struct Course {
    bands: Vec<std::ops::Range<usize>>,
    moments: Vec<Moment>,
    /// Frames of a moment.
    frames: u32,
    open: Moment,
    open_frames: u32,
}

impl Default for Course {
    fn default() -> Self {
        Self { bands: bands(BANDS), moments: Vec::new(), frames: 1, open: [0.0; BANDS], open_frames: 0 }
    }
}

impl Course {
    pub fn hear(&mut self, tones: &Tones) {
        for (sum, band) in self.open.iter_mut().zip(&self.bands) {
            let tones = tones.get(band.clone()).unwrap_or_default();
            *sum += tones.iter().sum::<f32>() / tones.len().max(1) as f32;
        }
        self.open_frames += 1;
        if self.open_frames < self.frames {
            return;
        }
        self.moments.push(self.open.map(|sum| sum / self.frames as f32));
        (self.open, self.open_frames) = ([0.0; BANDS], 0);
        if self.moments.len() == MOST {
            let (twos, _) = self.moments.as_chunks::<2>();
            self.moments = twos.iter().map(|two| mean(two)).collect();
            self.frames *= 2;
        }
    }

    /// Both forms; none for a sound without a moment.
    pub fn finish(self) -> Option<(Blocks, Values)> {
        let loudest = grid(&self.moments, 3 * SIDE, SIDE).into_iter().flatten().fold(0.0, f32::max);
        if self.moments.is_empty() {
            return None;
        }
        let third = |nth: usize| part(&self.moments, nth, 3);
        Some(([0, 1, 2].map(|nth| blocks(third(nth), loudest)), [0, 1, 2].map(|nth| values(third(nth)))))
    }
}

/// One of `of` equal parts, never empty.
fn part<T>(all: &[T], nth: usize, of: usize) -> &[T] {
    let from = (nth * all.len() / of).min(all.len().saturating_sub(1));
    let to = ((nth + 1) * all.len() / of).max(from + 1);
    all.get(from..to).unwrap_or(all)
}

fn mean(moments: &[Moment]) -> Moment {
    let mut mean = [0.0; BANDS];
    for moment in moments {
        mean.iter_mut().zip(moment).for_each(|(sum, strength)| *sum += strength / moments.len() as f32);
    }
    mean
}

/// Mean strengths of `moments` × `bands` blocks.
fn grid(all: &[Moment], moments: usize, bands: usize) -> Vec<Vec<f32>> {
    let row = |nth: usize| {
        let moment = mean(part(all, nth, moments));
        let block = |nth: usize| {
            let block = part(&moment, nth, bands);
            block.iter().sum::<f32>() / block.len().max(1) as f32
        };
        (0..bands).map(block).collect()
    };
    (0..moments).map(row).collect()
}

fn blocks(third: &[Moment], loudest: f32) -> [u8; BLOCKS] {
    let mut blocks = [0; BLOCKS];
    if loudest > 0.0 {
        let strengths = grid(third, SIDE, SIDE).into_iter().flatten();
        for (block, strength) in blocks.iter_mut().zip(strengths) {
            let decibels = 10.0 * (strength / loudest).max(1e-12).log10();
            *block = ((decibels / RANGE + 1.0).clamp(0.0, 1.0) * 255.0 + 0.5) as u8;
        }
    }
    blocks
}

fn values(third: &[Moment]) -> [u16; BLOCKS] {
    let points: Vec<f32> = grid(third, MOMENTS, BANDS).into_iter().flatten().map(f32::sqrt).collect();
    let strongest = points.iter().copied().fold(0.0, f32::max);
    let mut sums = [(0.0, 0u32); BLOCKS];
    for point in points.iter().map(|point| point / strongest.max(f32::MIN_POSITIVE) * BLOCKS as f32) {
        // Points on the border of two blocks are in neither.
        if point.fract() > 0.0
            && let Some((sum, count)) = sums.get_mut(point as usize)
        {
            *sum += point / BLOCKS as f32;
            *count += 1;
        }
    }
    sums.map(|(sum, count)| (sum / count.max(1) as f32 * 65535.0 + 0.5) as u16)
}
