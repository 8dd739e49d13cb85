//! From any sampling rate to that of [`media::Sound`].

use std::f32::consts::PI;

use media::SAMPLE_RATE;

/// What is higher than this share of half the new rate is cut off; nothing above 2000 Hz is asked for.
const PASSED: f64 = 0.85;

/// How many periods of the new rate the filter reaches to each side.
const REACH: f64 = 8.0;

/// Places between two samples that the filter is worked out for. The nearest is taken: what that
/// adds is 50 dB below the sound.
const PHASES: usize = 128;

/// A low-pass filter and, in the same step, samples at the new rate.
pub(super) struct Resampler {
    /// Old samples to one new one.
    step: f64,
    /// For each phase the weights of the samples around a place.
    weights: Vec<f32>,
    taps: usize,
    /// Samples that are still needed, and where among them the next new one is.
    waiting: Vec<f32>,
    next: f64,
}

impl Resampler {
    /// For sounds of this rate; none for a rate that no sound has.
    pub fn from_rate(rate: u32) -> Option<Self> {
        if !(1_000..=768_000).contains(&rate) {
            return None;
        }
        let step = f64::from(rate) / f64::from(SAMPLE_RATE);
        let cutoff = (PASSED / step).min(1.0);
        let half = (REACH * step.max(1.0)).ceil();
        let taps = 2 * half as usize;
        let weights = (0..=PHASES).flat_map(|phase| {
            let place = half - 1.0 + phase as f64 / PHASES as f64;
            let kernel: Vec<f32> = (0..taps).map(|tap| weight(tap as f64 - place, cutoff, half)).collect();
            let sum: f32 = kernel.iter().sum();
            kernel.into_iter().map(move |weight| weight / sum)
        });
        let weights = weights.collect();
        Some(Self { step, weights, taps, waiting: vec![0.0; half as usize - 1], next: 0.0 })
    }

    /// Takes samples and gives those of the new rate that can be told by now.
    pub fn resample(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        self.waiting.extend_from_slice(samples);
        loop {
            let first = self.next as usize;
            let Some(around) = self.waiting.get(first..first + self.taps) else { break };
            let phase = ((self.next - first as f64) * PHASES as f64 + 0.5) as usize;
            let Some(weights) = self.weights.get(phase * self.taps..(phase + 1) * self.taps) else { break };
            out.push(dot(around, weights));
            self.next += self.step;
        }
        let used = (self.next as usize).min(self.waiting.len());
        self.waiting.drain(..used);
        self.next -= used as f64;
    }

    /// The last new samples, when there are no more old ones.
    pub fn finish(&mut self, out: &mut Vec<f32>) {
        self.resample(&vec![0.0; self.taps / 2], out);
    }
}

/// A sinc in a Hann window.
fn weight(distance: f64, cutoff: f64, half: f64) -> f32 {
    if distance.abs() >= half {
        return 0.0;
    }
    let x = (distance * cutoff) as f32 * PI;
    let sinc = if x.abs() < 1e-6 { 1.0 } else { x.sin() / x };
    sinc * (0.5 + 0.5 * ((distance / half) as f32 * PI).cos())
}

/// In lanes, so that it is done eight at a time.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut lanes = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rate: u32, hertz: f32, seconds: f32) -> Vec<f32> {
        (0..(rate as f32 * seconds) as usize).map(|n| (n as f32 * hertz / rate as f32 * 2.0 * PI).sin()).collect()
    }

    fn loudness(samples: &[f32]) -> f32 {
        (samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32).sqrt()
    }

    #[test]
    fn tones_that_are_heard_stay_and_higher_ones_go_from_any_rate() {
        for rate in [8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000] {
            for (hertz, stays) in [(100.0, true), (440.0, true), (1_900.0, true), (3_300.0, false), (3_900.0, false)] {
                let mut resampler = Resampler::from_rate(rate).unwrap();
                let mut out = Vec::new();
                for piece in tone(rate, hertz, 2.0).chunks(1000) {
                    resampler.resample(piece, &mut out);
                }
                resampler.finish(&mut out);
                assert!(out.len().abs_diff(2 * SAMPLE_RATE as usize) <= 2, "{} samples from {rate}", out.len());
                let loud = loudness(&out[500..out.len() - 500]) / 0.5f32.sqrt();
                let right = if stays { (0.8..1.05).contains(&loud) } else { loud < 0.05 };
                assert!(right, "{hertz} Hz at {rate}: {loud}");
            }
        }
    }

    #[test]
    fn a_tone_is_where_it_was() {
        let mut resampler = Resampler::from_rate(44_100).unwrap();
        let mut out = Vec::new();
        resampler.resample(&tone(44_100, 440.0, 1.0), &mut out);
        let wanted = tone(SAMPLE_RATE, 440.0, 1.0);
        let off = out[200..4000].iter().zip(&wanted[200..4000]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 0.1, "{off}");
    }

    #[test]
    fn rates_that_no_sound_has_are_refused() {
        assert!(Resampler::from_rate(0).is_none());
        assert!(Resampler::from_rate(u32::MAX).is_none());
    }
}
