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
//! Files are hostile: [`Limits`] hold before anything is allocated, damaged files give what they
//! can, and what cannot be shown is a [`DecodeError`], never a panic.

mod child;
mod error;
mod ffmpeg;
mod film;
mod heif;
mod jpeg;
mod limits;
mod raster;
mod shrink;
mod sound;
mod turn;

use std::fmt;

use media::Format;

pub use crate::error::DecodeError;
pub use crate::film::{film, frames};
pub use crate::limits::Limits;
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
    let long_side = long_side.max(1);
    let decoded = match raster::container(format) {
        _ if format.name == "jpeg" => jpeg::decode(bytes, long_side, limits)?,
        Some(container) => raster::decode(bytes, container, limits)?,
        None if matches!(format.name, "avif" | "heic") => heif::decode(bytes, format, long_side, limits)?,
        None => return Err(DecodeError::Unsupported { format: format.name }),
    };
    Ok(turn::upright(shrink::coarsely(decoded, long_side)?, orientation))
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
