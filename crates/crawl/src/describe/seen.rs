//! What a file looks or sounds like.

use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use decode::{DecodeError, Limits, Picture, Thumbnail};
use facts::{MediaKind, Timestamp};
use media::{Facts, Film, Look, SNIFF_BYTES, Sound};
use sha2::{Digest, Sha256};
use store::{Described, Description, Traces};

/// The version of the formulas that things of a kind are described by.
pub(crate) fn version(kind: MediaKind) -> u16 {
    match kind {
        MediaKind::Image => Look::VERSION,
        MediaKind::Video => Film::VERSION,
        MediaKind::Audio => Sound::VERSION,
    }
}

/// A picture that was looked at.
#[derive(Default)]
pub(crate) struct Seen {
    /// It in small.
    pub thumbnail: Option<Thumbnail>,
    /// What it looks like; nothing when that cannot be said yet.
    pub described: Option<Described>,
}

/// Decodes a picture once, for all that is to be known of its pixels. A `thumbnail_size` of 0 makes no
/// thumbnail.
pub(crate) fn see(bytes: &[u8], facts: &Facts, thumbnail_size: u32) -> Seen {
    if facts.format.kind != MediaKind::Image {
        return Seen::default();
    }
    let limits = Limits::default();
    let seen = guarded(|| {
        let long_side = Look::LONG_SIDE.max(thumbnail_size);
        let picture = decode::picture(bytes, facts.format, facts.orientation, long_side, &limits)?;
        let thumbnail = match thumbnail_size {
            0 => None,
            size => decode::thumbnail(&picture, size).ok(),
        };
        Ok((thumbnail, look(&picture, bytes, facts, &limits)?))
    });
    match seen {
        Ok((thumbnail, description)) => Seen { thumbnail, described: Some(Described::As(description)) },
        Err(error) => Seen { thumbnail: None, described: not(MediaKind::Image, &error) },
    }
}

/// Describes a stored file of any kind. Nothing when that cannot be said now and may be said later.
pub(crate) fn describe(file: &Path, kind: MediaKind) -> Option<Described> {
    let described = guarded(|| match kind {
        MediaKind::Image => {
            let bytes = fs::read(file).map_err(unreadable)?;
            let facts = media::read_whole(&bytes, Timestamp(0)).map_err(|why| DecodeError::Broken(why.to_string()))?;
            let limits = Limits::default();
            let picture = decode::picture(&bytes, facts.format, facts.orientation, Look::LONG_SIDE, &limits)?;
            look(&picture, &bytes, &facts, &limits)
        }
        MediaKind::Video => {
            let film = decode::film(file, format_of(file)?, &Limits::default())?;
            Ok(Description { version: Film::VERSION, bytes: film.to_bytes(), traces: film_traces(&film) })
        }
        MediaKind::Audio => {
            let sound = decode::sound(file, format_of(file)?, &Limits::default())?;
            Ok(Description { version: Sound::VERSION, bytes: sound.to_bytes(), traces: sound_traces(&sound) })
        }
    });
    match described {
        Ok(description) => Some(Described::As(description)),
        Err(error) => not(kind, &error),
    }
}

/// A hash of all pixels of a stored picture.
pub(crate) fn pixels_of(file: &Path) -> Option<[u8; 32]> {
    let hash = guarded(|| {
        let bytes = fs::read(file).map_err(unreadable)?;
        let facts = media::read_whole(&bytes, Timestamp(0)).map_err(|why| DecodeError::Broken(why.to_string()))?;
        all_pixels(&bytes, &facts, &Limits::default())
    });
    hash.ok()
}

fn look(picture: &Picture, bytes: &[u8], facts: &Facts, limits: &Limits) -> Result<Description, DecodeError> {
    let pixels = picture.pixels();
    let look = Look::of(&pixels).ok_or_else(|| DecodeError::Broken("it has no pixels".to_owned()))?;
    let hashes: Vec<[u64; 4]> = look.hashes().iter().map(|hash| hash.bits).collect();
    // Where all pixels are at hand, their hash costs nothing. Others are decoded as a whole only when
    // something looks the same; what shows too little for that, now.
    let turned = (5..=8).contains(&facts.orientation);
    let sides = facts.width.zip(facts.height).map(|(width, height)| if turned { (height, width) } else { (width, height) });
    let pixels = match () {
        () if sides == Some((picture.width, picture.height)) => Some(hash(picture)),
        () if hashes.is_empty() => all_pixels(bytes, facts, limits).ok(),
        () => None,
    };
    let traces = Traces { pixels, hashes, keys: Vec::new() };
    Ok(Description { version: Look::VERSION, bytes: look.to_bytes(), traces })
}

/// A hash of all pixels, the right way up.
pub(crate) fn all_pixels(bytes: &[u8], facts: &Facts, limits: &Limits) -> Result<[u8; 32], DecodeError> {
    decode::picture(bytes, facts.format, facts.orientation, u32::MAX, limits).map(|picture| hash(&picture))
}

fn hash(picture: &Picture) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(picture.width.to_le_bytes());
    hash.update(picture.height.to_le_bytes());
    hash.update(&picture.rgb);
    hash.finalize().into()
}

pub(crate) fn film_traces(film: &Film) -> Traces {
    let hashes = film.hashes().map(|(hash, _)| hash.bits).collect();
    let keys = film.sound().map(|sound| sound_traces(sound).keys).unwrap_or_default();
    Traces { pixels: None, hashes, keys }
}

pub(crate) fn sound_traces(sound: &Sound) -> Traces {
    let mut keys: Vec<u32> = sound.keys().map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.dedup();
    Traces { keys, ..Traces::default() }
}

/// What a file is by its first bytes.
fn format_of(file: &Path) -> Result<media::Format, DecodeError> {
    let mut start = Vec::new();
    let opened = fs::File::open(file).map_err(unreadable)?;
    opened.take(SNIFF_BYTES as u64).read_to_end(&mut start).map_err(unreadable)?;
    media::sniff(&start).ok_or_else(|| DecodeError::Broken("it is no media file any more".to_owned()))
}

fn unreadable(error: std::io::Error) -> DecodeError {
    DecodeError::Unreadable(error.to_string())
}

/// A decoder that panics is a defect of the decoder: the file is as damaged.
fn guarded<T>(decode: impl FnOnce() -> Result<T, DecodeError>) -> Result<T, DecodeError> {
    match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(decoded) => decoded,
        Err(_) => Err(DecodeError::Broken("its decoder broke".to_owned())),
    }
}

/// What is remembered of a file that cannot be described; nothing when the file is not to blame.
fn not(kind: MediaKind, error: &DecodeError) -> Option<Described> {
    match error {
        DecodeError::Missing { .. } | DecodeError::CannotRun { .. } | DecodeError::Unreadable(_) => {
            tracing::warn!("a {} is not described: {error}", kind.as_str());
            None
        }
        error => Some(Described::Not { version: version(kind), reason: error.to_string() }),
    }
}
