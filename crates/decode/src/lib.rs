//! Files to pixels and samples.
//!
//! - [`picture`] decodes a picture of the web into a [`Picture`]: upright, in RGB, and no larger
//!   than it must be. A JPEG is made small while it is decoded, not afterwards.
//! - [`thumbnail`] makes a small JPEG of it, and says which colour most of it has.
//! - [`sound()`] and [`film()`] say what a sound or film is like; [`samples`] and [`frames`] hand on what
//!   they are made of.
//!
//! Most formats are read by libraries. Films, AVIF, HEIC and rare sounds are read by ffmpeg and
//! heif-convert as child processes, which can reach little and are held to the same limits.
//!
//! Files are hostile: [`Limits`] hold before anything is allocated, all that is decoded at once shares
//! one [`Room`], damaged files give what they can, and what cannot be shown is a [`DecodeError`], never a panic.

mod child;
mod error;
mod ffmpeg;
mod film;
mod heif;
mod jpeg;
mod limits;
mod raster;
mod room;
mod shrink;
mod sound;
#[cfg(fuzzing)]
pub mod tried;
mod turn;

use std::fmt;

use media::Format;

pub use crate::error::DecodeError;
pub use crate::film::{film, frames};
pub use crate::limits::Limits;
pub use crate::room::{Room, Share};
pub use crate::shrink::{Thumbnail, thumbnail};
pub use crate::sound::{samples, sound};

/// Pixels the right way up, with transparent parts over white.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Columns of pixels.
    pub width: u32,
    /// Rows of pixels, from the top.
    pub height: u32,
    /// Red, green and blue of each pixel, row by row without gaps.
    pub rgb: Vec<u8>,
    /// Whether these are the samples of the file: neither transparent ones over white, nor of more bits.
    pub exact: bool,
}

/// The pixels of a file.
///
/// The longer side of the result has at least `long_side` pixels, or as many as the file has when
/// that is fewer, and less than twice `long_side`. `orientation` is as EXIF counts
/// ([`media::Facts::orientation`]); other numbers than 2 to 8 mean upright.
///
/// A file that is cut short or damaged gives the part that can be decoded. Colour profiles are not
/// applied.
pub fn picture(
    bytes: &[u8],
    format: Format,
    orientation: u8,
    long_side: u32,
    limits: &Limits,
) -> Result<Picture, DecodeError> {
    let wanted = Wanted { long_side: long_side.max(1), orientation };
    let (shown, _room) = decoded(bytes, format, wanted, limits)?;
    Ok(shown)
}

/// Gives `read` all pixels of a file, upright. They are gone when it returns: held for longer, they would
/// take memory that nobody counts.
pub fn whole<T>(
    bytes: &[u8],
    format: Format,
    orientation: u8,
    limits: &Limits,
    read: impl FnOnce(&Picture) -> T,
) -> Result<T, DecodeError> {
    let wanted = Wanted { long_side: u32::MAX, orientation };
    let (shown, _room) = decoded(bytes, format, wanted, limits)?;
    Ok(read(&shown))
}

/// What a picture is decoded to.
#[derive(Clone, Copy)]
struct Wanted {
    long_side: u32,
    orientation: u8,
}

impl Wanted {
    /// The most memory that a decoded picture of this size takes until it is as it is wanted.
    fn memory(self, width: u32, height: u32) -> u64 {
        let (whole, copies) =
            (3 * u64::from(width) * u64::from(height), u64::from((2..=8).contains(&self.orientation)));
        match u64::from(width.max(height) / self.long_side) {
            0 | 1 => whole + copies * whole,
            // It is made narrow first, and then low.
            times => whole + whole / times + (1 + copies) * whole / (times * times),
        }
    }
}

/// A picture with the memory that was taken for it.
fn decoded(
    bytes: &[u8],
    format: Format,
    wanted: Wanted,
    limits: &Limits,
) -> Result<(Picture, Share<'static>), DecodeError> {
    let (decoded, room) = match raster::container(format) {
        _ if format.name == "jpeg" => jpeg::decode(bytes, wanted, limits)?,
        Some(container) => raster::decode(bytes, container, wanted, limits)?,
        None if matches!(format.name, "avif" | "heic") => heif::decode(bytes, format, wanted, limits)?,
        None => return Err(DecodeError::Unsupported { format: format.name }),
    };
    Ok((turn::upright(shrink::coarsely(decoded, wanted.long_side)?, wanted.orientation), room))
}

impl Picture {
    /// Its pixels, for those who describe them.
    pub fn pixels(&self) -> media::Pixels<'_> {
        media::Pixels { width: self.width, height: self.height, rgb: &self.rgb }
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({} × {})", self.width, self.height)
    }
}

/// Whether enough of a damaged picture was decoded before the fault; the rest is still `blank`.
/// Without any data a decoder may yet have made a block or two of nothing.
fn worth_showing(samples: &[u8], blank: u8) -> bool {
    samples.iter().filter(|sample| **sample != blank).count() > samples.len() / 64
}
