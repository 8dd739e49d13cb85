//! JPEG, made small while it is decoded.
//!
//! A JPEG stores frequencies of blocks of 8 × 8 pixels. From the lowest k × k of them a block of
//! k × k pixels is made directly, with a fraction of the work.

mod frame;

use turbojpeg::{Decompressor, Image, PixelFormat};

use self::frame::{Frame, MOST_SCANS};
use crate::room::Share;
use crate::{DecodeError, Limits, Picture, Wanted, worth_showing};

/// What a decoder leaves where there are no data; it stands for "not decoded" here as well.
const BLANK: u8 = 128;

/// A file may go over as many pixels, in all its scans, as this many pictures of the largest size
/// allowed have. Usual progressive files have about ten scans.
const PASSES: u64 = 16;

/// The picture as stored, at the smallest scale that leaves enough pixels on its longer side.
pub(crate) fn decode(bytes: &[u8], wanted: Wanted, limits: &Limits) -> Result<(Picture, Share<'static>), DecodeError> {
    let plan = Plan::of(bytes, wanted, limits)?;
    let room = limits.take(plan.memory)?;
    Ok((plan.decode(bytes)?, room))
}

/// How a file will be decoded, and what that takes.
pub(crate) struct Plan {
    frame: Frame,
    /// Of the result.
    width: u32,
    height: u32,
    format: PixelFormat,
    /// Whether only the mean values of its blocks are looked at.
    lowest: bool,
    /// Bytes, until the picture is as it is wanted.
    pub memory: u64,
}

impl Plan {
    /// Reads the markers. A file that would cost more than is allowed is an error.
    pub fn of(bytes: &[u8], wanted: Wanted, limits: &Limits) -> Result<Self, DecodeError> {
        let frame = Frame::read(bytes).ok_or_else(|| DecodeError::Broken("it has no frame of a JPEG".to_owned()))?;
        let (width, height) = (frame.width, frame.height);
        limits.allow_pixels(width, height)?;
        let work = u64::from(frame.scans).saturating_mul(u64::from(width) * u64::from(height));
        if frame.scans >= MOST_SCANS || work > limits.pixels.saturating_mul(PASSES) {
            return Err(DecodeError::TooManyScans { width, height, scans: frame.scans });
        }
        let eighths = eighths(width.max(height), wanted.long_side);
        let (width, height) = (scaled(width, eighths), scaled(height, eighths));
        let (format, sample_bytes) = match frame.components {
            4 => (PixelFormat::CMYK, 4 + 3),
            _ => (PixelFormat::RGB, 3),
        };
        let lowest = eighths == 1 && frame.has_details();
        let copied = if lowest { bytes.len() as u64 } else { 0 };
        let decoding = sample_bytes * u64::from(width) * u64::from(height) + frame.buffered + copied;
        let memory = decoding.max(wanted.memory(width, height));
        limits.allow_memory(memory)?;
        Ok(Self { frame, width, height, format, lowest, memory })
    }

    /// The picture. Whoever calls has the memory for it.
    pub fn decode(self, bytes: &[u8]) -> Result<Picture, DecodeError> {
        let Self { frame, format, .. } = self;
        let lowest = self.lowest.then(|| frame.lowest_frequencies(bytes)).flatten();
        let (width, height) = (self.width as usize, self.height as usize);
        let pitch = width * format.size();
        let mut pixels = vec![BLANK; pitch * height];
        let broken = |error: turbojpeg::Error| DecodeError::Broken(error.to_string());
        let mut decompressor = Decompressor::new().map_err(broken)?;
        // The decoder takes the largest scale that fits the size it is given, which is this one.
        let image = Image { pixels: &mut pixels[..], width, pitch, height, format };
        // Warnings and faults are both errors here; what was decoded before is in place.
        if let Err(error) = decompressor.decompress(lowest.as_deref().unwrap_or(bytes), image)
            && !worth_showing(&pixels, BLANK)
        {
            return Err(broken(error));
        }
        let rgb = if frame.components == 4 { rgb(&pixels) } else { pixels };
        Ok(Picture { width: self.width, height: self.height, rgb, exact: true })
    }
}

/// What a file of this size takes that is decoded while it is read.
pub(crate) fn memory_of(width: u32, height: u32, wanted: Wanted) -> u64 {
    let eighths = eighths(width.max(height), wanted.long_side);
    wanted.memory(scaled(width, eighths), scaled(height, eighths))
}

/// The scale in eighths. The decoder is quick at 1, 2, 4 and 8 (it has SIMD for these); another is
/// worth it only where it saves a resize.
fn eighths(long: u32, long_side: u32) -> u32 {
    let exact = (1..8).find(|eighths| scaled(long, *eighths) == long_side);
    let quick = || [1, 2, 4].into_iter().find(|eighths| scaled(long, *eighths) >= long_side);
    exact.or_else(quick).unwrap_or(8)
}

fn scaled(side: u32, eighths: u32) -> u32 {
    (u64::from(side) * u64::from(eighths)).div_ceil(8) as u32
}

/// Four-colour JPEGs are stored inverted, by a custom that Adobe began and browsers expect of all.
fn rgb(cmyk: &[u8]) -> Vec<u8> {
    let pixels = cmyk.as_chunks::<4>().0;
    let mut rgb = Vec::with_capacity(3 * pixels.len());
    for [c, m, y, k] in pixels {
        rgb.extend_from_slice(&[*c, *m, *y].map(|ink| ((u32::from(ink) * u32::from(*k) + 127) / 255) as u8));
    }
    rgb
}
