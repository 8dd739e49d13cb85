//! Sounds that are decoded without another program: MP3, Vorbis, FLAC, WAV, AIFF, AAC.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use media::Format;
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;

use super::resample::Resampler;
use crate::DecodeError;

/// More channels than any sound of the web has.
const MOST_CHANNELS: usize = 64;

/// A file may have so many damaged packets in a row before the rest is given up.
const MOST_DAMAGED: u32 = 1000;

/// Whether files of a format are tried here.
pub(super) fn reads(format: Format) -> bool {
    matches!(format.name, "mp3" | "ogg" | "flac" | "wav" | "aiff" | "aac" | "m4a")
}

/// Hands on samples of the new rate until it is told to stop.
pub(super) fn samples(
    file: &Path,
    format: Format,
    time: Duration,
    each: &mut dyn FnMut(&[f32]) -> bool,
) -> Result<(), DecodeError> {
    // A fault in a decoder costs the sound, not the crawl.
    catch_unwind(AssertUnwindSafe(|| guarded(file, format, time, each)))
        .unwrap_or_else(|_| Err(DecodeError::Broken("its decoder gave up".to_owned())))
}

fn guarded(
    file: &Path,
    format: Format,
    time: Duration,
    each: &mut dyn FnMut(&[f32]) -> bool,
) -> Result<(), DecodeError> {
    let broken = |error: Error| DecodeError::Broken(error.to_string());
    let (mut reader, mut decoder, track) = open(file, format)?;
    let (mut mixed, mut all, mut out) = (Vec::new(), Vec::new(), Vec::new());
    let mut resampler: Option<(u32, Resampler)> = None;
    let (began, mut damaged) = (Instant::now(), 0);
    loop {
        if began.elapsed() > time {
            return Err(DecodeError::TooLong { seconds: time.as_secs() });
        }
        let packet = match reader.next_packet() {
            Ok(Some(packet)) if packet.track_id == track => packet,
            Ok(Some(_)) => continue,
            // Files are often cut short: what was heard so far counts.
            Ok(None) | Err(Error::ResetRequired) | Err(Error::IoError(_)) => break,
            Err(Error::DecodeError(_)) if damaged < MOST_DAMAGED => {
                damaged += 1;
                continue;
            }
            Err(error) => return Err(broken(error)),
        };
        let heard = match decoder.decode(&packet) {
            Ok(heard) => heard,
            Err(Error::DecodeError(_) | Error::IoError(_)) if damaged < MOST_DAMAGED => {
                damaged += 1;
                continue;
            }
            Err(error) => return Err(broken(error)),
        };
        damaged = 0;
        let (rate, channels) = (heard.spec().rate(), heard.spec().channels().count());
        if channels == 0 || channels > MOST_CHANNELS {
            return Err(DecodeError::Broken(format!("it has {channels} channels")));
        }
        all.resize(heard.samples_interleaved(), 0.0f32);
        heard.copy_to_slice_interleaved(&mut all);
        mixed.clear();
        mixed.extend(all.chunks_exact(channels).map(|at_once| at_once.iter().sum::<f32>() / channels as f32));
        let resampler = match &mut resampler {
            Some((same, resampler)) if *same == rate => resampler,
            other => {
                let made = Resampler::from_rate(rate);
                let made = made.ok_or_else(|| DecodeError::Broken(format!("it has {rate} samples a second")))?;
                &mut other.insert((rate, made)).1
            }
        };
        out.clear();
        resampler.resample(&mixed, &mut out);
        if !out.is_empty() && !each(&out) {
            return Ok(());
        }
    }
    if let Some((_, resampler)) = &mut resampler {
        out.clear();
        resampler.finish(&mut out);
        each(&out);
    }
    Ok(())
}

type Opened = (Box<dyn FormatReader>, Box<dyn AudioDecoder>, u32);

/// The reader of a file, the decoder of its sound, and which track that is.
fn open(file: &Path, format: Format) -> Result<Opened, DecodeError> {
    let broken = |error: Error| DecodeError::Broken(error.to_string());
    let file = File::open(file).map_err(|error| DecodeError::Unreadable(error.to_string()))?;
    let stream = MediaSourceStream::new(Box::new(file), Default::default());
    let mut hint = Hint::new();
    hint.with_extension(format.extension);
    let probe = symphonia::default::get_probe();
    let reader = probe.probe(&hint, stream, FormatOptions::default(), MetadataOptions::default()).map_err(broken)?;
    let track = reader.default_track(TrackType::Audio).ok_or(DecodeError::NoSound)?;
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let parameters = parameters.ok_or(DecodeError::NoSound)?;
    let options = AudioDecoderOptions::default();
    let decoder = symphonia::default::get_codecs().make_audio_decoder(parameters, &options).map_err(broken)?;
    let id = track.id;
    Ok((reader, decoder, id))
}
