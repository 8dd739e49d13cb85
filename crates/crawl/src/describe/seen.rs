//! What a file looks or sounds like.

use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use decode::{DecodeError, Limits, Picture, Share, Thumbnail};
use facts::{MediaKind, Timestamp};
use media::{Facts, Film, Look, SNIFF_BYTES, Sound};
use sha2::{Digest, Sha256};
use store::Described;

use super::likeness::Likeness;
use crate::gathering::{LARGEST_WHOLE, WHOLE};

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
        let (likeness, pixels) = look(&picture, bytes, facts, &limits)?;
        Ok(Seen { thumbnail, described: Some(Described::As(likeness.description(pixels))) })
    });
    match seen {
        Ok(seen) => seen,
        Err(error) => {
            tracing::debug!("a picture is not described: {error}");
            Seen { thumbnail: None, described: not(MediaKind::Image, error).ok() }
        }
    }
}

/// Describes a stored file of any kind; or says why that may be done later and cannot be now.
pub(crate) fn describe(file: &Path, kind: MediaKind) -> Result<Described, DecodeError> {
    match look_at(file, kind) {
        Ok((likeness, pixels)) => Ok(Described::As(likeness.description(pixels))),
        Err(error) => not(kind, error),
    }
}

/// What a file looks or sounds like, and a hash of all its pixels when they are at hand.
pub(crate) fn look_at(file: &Path, kind: MediaKind) -> Result<(Likeness, Option<[u8; 32]>), DecodeError> {
    let limits = Limits::default();
    guarded(|| match kind {
        MediaKind::Image => {
            let (bytes, facts, _room) = picture_file(file)?;
            let picture = decode::picture(&bytes, facts.format, facts.orientation, Look::LONG_SIDE, &limits)?;
            look(&picture, &bytes, &facts, &limits)
        }
        MediaKind::Video => Ok((Likeness::Film(Box::new(decode::film(file, format_of(file)?, &limits)?)), None)),
        MediaKind::Audio => Ok((Likeness::Sound(Box::new(decode::sound(file, format_of(file)?, &limits)?)), None)),
    })
}

/// A hash of all pixels of a stored picture.
pub(crate) fn pixels_of(file: &Path) -> Result<Option<[u8; 32]>, DecodeError> {
    guarded(|| {
        let (bytes, facts, _room) = picture_file(file)?;
        all_pixels(&bytes, &facts, &Limits::default())
    })
}

/// A stored picture, and the room it takes in memory.
fn picture_file(file: &Path) -> Result<(Vec<u8>, Facts, Share<'static>), DecodeError> {
    let opened = fs::File::open(file).map_err(unreadable)?;
    let size = opened.metadata().map_err(unreadable)?.len();
    if size > LARGEST_WHOLE {
        return Err(DecodeError::TooMuchMemory { most: LARGEST_WHOLE });
    }
    let room = WHOLE.take(size);
    let mut bytes = Vec::with_capacity(size as usize);
    opened.take(size).read_to_end(&mut bytes).map_err(unreadable)?;
    let facts = media::read_whole(&bytes, Timestamp(0)).map_err(|why| DecodeError::Broken(why.to_string()))?;
    Ok((bytes, facts, room))
}

fn look(
    picture: &Picture,
    bytes: &[u8],
    facts: &Facts,
    limits: &Limits,
) -> Result<(Likeness, Option<[u8; 32]>), DecodeError> {
    let look = Look::of(&picture.pixels()).ok_or_else(|| DecodeError::Broken("it has no pixels".to_owned()))?;
    // Where all pixels are at hand, their hash costs nothing. Others are decoded as a whole only when
    // something looks the same; what shows too little for that, now.
    let turned = (5..=8).contains(&facts.orientation);
    let upright = |(width, height)| if turned { (height, width) } else { (width, height) };
    let pixels = match facts.width.zip(facts.height).map(upright) {
        Some(sides) if sides == (picture.width, picture.height) => hash(picture),
        _ if look.hashes().is_empty() => all_pixels(bytes, facts, limits).ok().flatten(),
        _ => None,
    };
    Ok((Likeness::Picture(Box::new(look)), pixels))
}

/// A hash of all pixels, the right way up; none where they are not the very samples of the file.
fn all_pixels(bytes: &[u8], facts: &Facts, limits: &Limits) -> Result<Option<[u8; 32]>, DecodeError> {
    decode::whole(bytes, facts.format, facts.orientation, limits, hash)
}

fn hash(picture: &Picture) -> Option<[u8; 32]> {
    if !picture.exact {
        return None;
    }
    let mut hash = Sha256::new();
    hash.update(picture.width.to_le_bytes());
    hash.update(picture.height.to_le_bytes());
    hash.update(&picture.rgb);
    Some(hash.finalize().into())
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

/// What is remembered of a file that cannot be described; the error, when the file is not to blame.
fn not(kind: MediaKind, error: DecodeError) -> Result<Described, DecodeError> {
    match error {
        DecodeError::Missing { .. } | DecodeError::CannotRun { .. } | DecodeError::Unreadable(_) => Err(error),
        error => Ok(Described::Not { version: version(kind), reason: error.to_string() }),
    }
}
