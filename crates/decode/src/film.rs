//! Films to frames.

use std::path::Path;
use std::thread;
use std::time::Duration;

use media::{Film, Format, Listener, Pixels, Sound, Viewer};

use crate::ffmpeg::{FilmTrack, Input, Tracks, lead};
use crate::sound::samples;
use crate::{DecodeError, Limits};

/// The longer side of the frames that are looked at.
const LONG_SIDE: u32 = 320;

/// Frames of a film that are looked at, about.
const FRAMES: f64 = 400.0;
/// Seconds between them, at least …
const STEP: f64 = 0.5;
/// … and where only key frames are decoded, which are where scenes begin, and may be close.
const KEY_STEP: f64 = 1.0;

/// Pixels that are decoded without much thought: ten seconds or so of a processor. Of films that have
/// more, only the frames that need no others are decoded.
const PIXELS: f64 = 5e9;

/// What a film looks and sounds like.
///
/// A film that is cut short or damaged is seen as far as it goes.
pub fn film(file: &Path, format: Format, limits: &Limits) -> Result<Film, DecodeError> {
    let input = Input::new(file, format)?;
    let tracks = input.tracks(lead(limits, limits.time))?;
    let track = tracks.film.as_ref().ok_or(DecodeError::NoFilm)?;
    thread::scope(|scope| {
        let listening = tracks.has_sound.then(|| scope.spawn(|| heard(file, format, limits)));
        let mut viewer = Viewer::default();
        let seen = watch(&input, &tracks, track, limits, &mut |at, pixels| viewer.see(at, pixels));
        let sound = listening.and_then(|listening| listening.join().ok()).flatten();
        seen?;
        viewer.finish(tracks.duration, sound).ok_or(DecodeError::NoFilm)
    })
}

/// The sound of a film; one that cannot be heard is as none.
fn heard(file: &Path, format: Format, limits: &Limits) -> Option<Sound> {
    let mut listener = Listener::default();
    samples(file, format, limits, &mut |samples| listener.hear(samples)).ok()?;
    listener.finish()
}

/// Hands on frames of a film, at most 320 pixels long, with the moment each is shown: a few hundred,
/// evenly or where scenes begin.
pub fn frames(
    file: &Path,
    format: Format,
    limits: &Limits,
    each: &mut dyn FnMut(Duration, &Pixels<'_>),
) -> Result<(), DecodeError> {
    let input = Input::new(file, format)?;
    let tracks = input.tracks(lead(limits, limits.time))?;
    let track = tracks.film.as_ref().ok_or(DecodeError::NoFilm)?;
    watch(&input, &tracks, track, limits, each)
}

fn watch(
    input: &Input,
    tracks: &Tracks,
    track: &FilmTrack,
    limits: &Limits,
    each: &mut dyn FnMut(Duration, &Pixels<'_>),
) -> Result<(), DecodeError> {
    limits.allow_pixels(track.width, track.height)?;
    // A few frames are kept while others are made from them.
    limits.allow_memory(u64::from(track.width) * u64::from(track.height) * 3 / 2 * 8)?;
    let seconds = tracks.duration.map_or(600.0, |duration| duration.as_secs_f64());
    let work = seconds * track.rate * f64::from(track.width) * f64::from(track.height);
    let way = if work > PIXELS { Way::KeyFrames } else { Way::Everything };
    let step = (seconds / FRAMES).max(STEP);
    let mut seen = decode(input, track, way, step, limits, each)?;
    // Some films have a key frame at their beginning and none after.
    if way == Way::KeyFrames && f64::from(seen.different) < seconds / 60.0 {
        seen = decode(input, track, Way::Everything, step, limits, each)?;
    }
    match seen {
        Seen { frames: 0, fault: Some(fault), .. } => Err(fault),
        Seen { frames: 0, .. } => Err(DecodeError::NoFilm),
        _ => Ok(()),
    }
}

/// Which frames are decoded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Everything,
    KeyFrames,
}

/// What came of it.
struct Seen {
    frames: u32,
    /// Those that are not the one before once more.
    different: u32,
    fault: Option<DecodeError>,
}

fn decode(
    input: &Input,
    track: &FilmTrack,
    way: Way,
    step: f64,
    limits: &Limits,
    each: &mut dyn FnMut(Duration, &Pixels<'_>),
) -> Result<Seen, DecodeError> {
    let (width, height) = small(track.width, track.height);
    let step = if way == Way::KeyFrames { KEY_STEP } else { step };
    let filter = format!("fps=1/{step:.3},scale={width}:{height}:flags=area");
    let length = limits.listen.as_secs().to_string();
    let mut before = vec!["-an", "-sn", "-dn", "-threads", "1"];
    if way == Way::KeyFrames {
        before.extend(["-skip_frame", "nokey"]);
    }
    let after =
        ["-map", "0:V:0", "-t", &length, "-vf", &filter, "-filter_threads", "1", "-pix_fmt", "rgb24", "-f", "rawvideo"];
    let whole = 3 * width as usize * height as usize;
    let (mut frame, mut last) = (Vec::with_capacity(whole), Vec::new());
    let mut seen = Seen { frames: 0, different: 0, fault: None };
    seen.fault = input.decoded(&before, &after, lead(limits, limits.time), &mut |mut piece| {
        while !piece.is_empty() {
            let (taken, rest) = piece.split_at(piece.len().min(whole - frame.len()));
            frame.extend_from_slice(taken);
            piece = rest;
            if frame.len() < whole {
                continue;
            }
            // Where there is no new frame, the last one comes again.
            if frame != last {
                each(Duration::from_secs_f64(f64::from(seen.frames) * step), &Pixels { width, height, rgb: &frame });
                seen.different += 1;
            }
            seen.frames += 1;
            std::mem::swap(&mut frame, &mut last);
            frame.clear();
        }
        true
    })?;
    Ok(seen)
}

/// The size of the frames that are looked at; nothing is enlarged.
pub(crate) fn small(width: u32, height: u32) -> (u32, u32) {
    let long = u64::from(width.max(height));
    let most = long.min(LONG_SIDE.into());
    let side = |side: u32| (u64::from(side) * most / long.max(1)).max(1) as u32;
    (side(width), side(height))
}
