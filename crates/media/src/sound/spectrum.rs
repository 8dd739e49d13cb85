//! Which tones there are at each moment.

use std::f32::consts::PI;
use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

use super::SAMPLE_RATE;

/// Samples that are looked at together: 186 ms.
const FRAME: usize = 1024;
/// Samples from one frame to the next: 46 ms.
const STEP: usize = 256;

/// The first tone that counts, about 20 Hz, and how many there are to about 2000 Hz [004 §4.3.1.2].
const LOWEST: usize = 4;
pub(super) const TONES: usize = 368;

/// Frames a second.
pub(super) const FRAMES_A_SECOND: f64 = SAMPLE_RATE as f64 / STEP as f64;

/// The strength of each tone, from low to high: squares of amplitudes.
pub(super) type Tones = [f32; TONES];

/// Samples to frames, as they come.
pub(super) struct Spectrum {
    transform: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    waiting: Vec<f32>,
    frame: Vec<f32>,
    found: Vec<Complex<f32>>,
}

impl Default for Spectrum {
    fn default() -> Self {
        let transform = RealFftPlanner::new().plan_fft_forward(FRAME);
        let window = (0..FRAME).map(|n| 0.5 - 0.5 * (2.0 * PI * n as f32 / FRAME as f32).cos()).collect();
        let (frame, found) = (transform.make_input_vec(), transform.make_output_vec());
        Self { transform, window, waiting: Vec::new(), frame, found }
    }
}

impl Spectrum {
    /// Takes samples and hands on the frames they complete.
    pub fn hear(&mut self, samples: &[f32], mut each: impl FnMut(&Tones)) {
        // A piece at a time, so that little waits however much is given.
        for piece in samples.chunks(16 * FRAME) {
            // Samples that are no numbers are silence.
            self.waiting
                .extend(piece.iter().map(|sample| if sample.is_finite() { sample.clamp(-8.0, 8.0) } else { 0.0 }));
            let mut first = 0;
            while let Some(samples) = self.waiting.get(first..first + FRAME) {
                let windowed = samples.iter().zip(&self.window).map(|(sample, weight)| sample * weight);
                self.frame.iter_mut().zip(windowed).for_each(|(place, sample)| *place = sample);
                // It fails only for buffers of wrong lengths.
                if self.transform.process(&mut self.frame, &mut self.found).is_ok() {
                    let mut tones = [0.0; TONES];
                    let found = self.found.iter().skip(LOWEST);
                    tones.iter_mut().zip(found).for_each(|(tone, found)| *tone = found.norm_sqr());
                    each(&tones);
                }
                first += STEP;
            }
            self.waiting.drain(..first.min(self.waiting.len()));
        }
    }
}

/// The tones of each of `bands` equal parts of the scale people hear by, at least one each.
pub(super) fn bands(bands: usize) -> Vec<std::ops::Range<usize>> {
    let ratio = (LOWEST + TONES) as f64 / LOWEST as f64;
    let edge = |band: usize| (LOWEST as f64 * ratio.powf(band as f64 / bands as f64)) as usize - LOWEST;
    let band = |band: usize| {
        let from = edge(band).min(TONES - 1);
        from..edge(band + 1).clamp(from + 1, TONES)
    };
    (0..bands).map(band).collect()
}
