//! Files to samples: one channel of 5512 a second, which is what [`media::Sound`] is made from.

mod resample;
mod rust;

use std::cell::Cell;
use std::path::Path;

use media::{Format, Listener, SAMPLE_RATE, Sound};

use crate::ffmpeg::{Input, lead};
use crate::{DecodeError, Limits};

/// What a sound sounds like.
///
/// At most [`Limits::listen`] of it is heard; its samples are never all in memory. A file that is
/// cut short or damaged is heard as far as it goes.
pub fn sound(file: &Path, format: Format, limits: &Limits) -> Result<Sound, DecodeError> {
    let mut listener = Listener::default();
    samples(file, format, limits, &mut |samples| listener.hear(samples))?;
    listener.finish().ok_or(DecodeError::NoSound)
}

/// Hands on the samples of a sound, or of the sound of a film, from −1 to 1, piece by piece.
pub fn samples(file: &Path, format: Format, limits: &Limits, each: &mut dyn FnMut(&[f32])) -> Result<(), DecodeError> {
    let most = limits.listen.as_secs().saturating_mul(SAMPLE_RATE.into());
    let heard = Cell::new(0);
    let mut bounded = |samples: &[f32]| {
        let left = usize::try_from(most.saturating_sub(heard.get())).unwrap_or(usize::MAX);
        let samples = samples.get(..left).unwrap_or(samples);
        heard.set(heard.get() + samples.len() as u64);
        if !samples.is_empty() {
            each(samples);
        }
        heard.get() < most
    };
    // What the libraries do not know or cannot make sense of, ffmpeg may.
    let fault = match rust::reads(format).then(|| rust::samples(file, format, limits.time, &mut bounded)) {
        Some(Ok(())) => None,
        Some(Err(DecodeError::Unreadable(why))) => return Err(DecodeError::Unreadable(why)),
        Some(Err(fault)) if heard.get() > 0 => Some(fault),
        _ => through_ffmpeg(file, format, limits, &mut bounded)?,
    };
    match (heard.get(), fault) {
        (0, Some(fault)) => Err(fault),
        (0, None) => Err(DecodeError::NoSound),
        _ => Ok(()),
    }
}

/// The samples as ffmpeg gives them; what stopped it, if something did.
fn through_ffmpeg(
    file: &Path,
    format: Format,
    limits: &Limits,
    each: &mut dyn FnMut(&[f32]) -> bool,
) -> Result<Option<DecodeError>, DecodeError> {
    let input = Input::new(file, format)?;
    let length = limits.listen.as_secs().to_string();
    let rate = SAMPLE_RATE.to_string();
    let after = ["-map", "0:a:0", "-t", &length, "-ac", "1", "-ar", &rate, "-f", "f32le", "-threads", "1"];
    let (mut rest, mut samples) = (Vec::new(), Vec::new());
    let fault =
        input.decoded(&["-vn", "-sn", "-dn", "-threads", "1"], &after, lead(limits, limits.time), &mut |piece| {
            rest.extend_from_slice(piece);
            let (whole, part) = rest.as_chunks::<4>();
            samples.clear();
            samples.extend(whole.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            let part = part.to_vec();
            rest = part;
            each(&samples)
        })?;
    Ok(fault.map(|fault| match fault {
        DecodeError::Broken(why) if why.contains("matches no streams") => DecodeError::NoSound,
        fault => fault,
    }))
}
