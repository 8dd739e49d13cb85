//! What becomes of files, seen from outside. The files are made here; none is needed. Films, sounds
//! and AVIF are made by ffmpeg.

mod films;
mod formats;
mod heif;
mod hostile;
mod jpegs;
mod made;
mod recorded;
mod sounds;
mod thumbnails;

use decode::{DecodeError, Limits, Picture, picture};
use media::Format;

fn named(format: &str) -> Format {
    Format::named(format).expect("a known format")
}

fn decoded(bytes: &[u8], format: &str, orientation: u8, long_side: u32) -> Result<Picture, DecodeError> {
    picture(bytes, named(format), orientation, long_side, &Limits::default())
}

/// The colours in the middle of the four quarters: upper left, upper right, lower left, lower right.
fn quarters(picture: &Picture) -> [[u8; 3]; 4] {
    assert_eq!(picture.rgb.len(), 3 * picture.width as usize * picture.height as usize);
    let (width, height) = (picture.width as usize, picture.height as usize);
    let at = |x: usize, y: usize| {
        let start = 3 * (y * width + x);
        [picture.rgb[start], picture.rgb[start + 1], picture.rgb[start + 2]]
    };
    let (left, right, upper, lower) = (width / 4, width * 3 / 4, height / 4, height * 3 / 4);
    [at(left, upper), at(right, upper), at(left, lower), at(right, lower)]
}

/// Whether two sets of colours are equal but for what compression does to them.
fn alike(found: [[u8; 3]; 4], wanted: [[u8; 3]; 4]) -> bool {
    found.iter().flatten().zip(wanted.iter().flatten()).all(|(a, b)| a.abs_diff(*b) <= 24)
}
