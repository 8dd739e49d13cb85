//! The ways files are put together: where their size and their metadata are.

pub(crate) mod bmff;
pub(crate) mod heif;
pub(crate) mod jpeg;
pub(crate) mod jxl;
pub(crate) mod matroska;
pub(crate) mod mp3;
pub(crate) mod mp4;
pub(crate) mod mpeg;
pub(crate) mod ogg;
pub(crate) mod plain;
pub(crate) mod png;
pub(crate) mod riff;
pub(crate) mod tiff;

use std::time::Duration;

use crate::metadata::{Block, Origin, exif, xmp};
use crate::parts::{Parts, Window};
use crate::sniff::{Format, Structure};

/// As many blocks of metadata as are read of one file; honest files have a handful.
const MAX_BLOCKS: usize = 16;

/// What was read of a file so far.
#[derive(Default)]
pub(crate) struct Reading {
    pub width: Option<u32>,
    pub height: Option<u32>,
    /// How a film or HEIF picture is to be turned, which beats what EXIF says.
    pub orientation: Option<u8>,
    pub duration: Option<Duration>,
    pub blocks: Vec<Block>,
    /// What the file turned out to be, where its first bytes cannot tell: a film without pictures
    /// is a sound.
    pub format: Option<Format>,
}

impl Reading {
    /// Size in pixels; a size of nothing is none.
    pub fn size(&mut self, width: u32, height: u32) {
        self.width = Some(width).filter(|width| *width > 0);
        self.height = Some(height).filter(|height| *height > 0);
    }

    /// Duration from a count of units and how many make a second.
    pub fn lasts(&mut self, units: u64, per_second: u64) {
        if units > 0 && per_second > 0 {
            self.duration = Duration::try_from_secs_f64(units as f64 / per_second as f64).ok().filter(|d| !d.is_zero());
        }
    }

    /// The EXIF block that starts here, with or without the six bytes JPEG puts before it.
    pub fn exif(&mut self, window: Window<'_>) {
        let skip = if window.peek(0, 6).is_some_and(|start| start.starts_with(b"Exif\0")) { 6 } else { 0 };
        self.add(|| exif::read(window.from(skip)).map(|exif| exif.block));
    }

    /// The XMP packet that is here, or as much of it as there is.
    pub fn xmp(&mut self, packet: &[u8]) {
        if !packet.is_empty() {
            self.add(|| Some(xmp::read(packet)));
        }
    }

    /// One of the blocks a file may have any number of: not even read once there are enough.
    pub fn add(&mut self, read: impl FnOnce() -> Option<Block>) {
        if self.blocks.len() < MAX_BLOCKS {
            self.blocks.extend(read());
        }
    }

    /// Whether a place was found, or the camera's own block, which would have named it.
    pub fn knows_place(&self) -> bool {
        self.blocks.iter().any(|block| block.origin == Origin::Exif || matches!(block.location, Some(Ok(_))))
    }

    /// Whether a block of metadata was found.
    pub fn has_metadata(&self) -> bool {
        !self.blocks.is_empty()
    }
}

/// Reads a file of this structure.
pub(crate) fn read(structure: Structure, parts: &Parts<'_>) -> Reading {
    let mut reading = Reading::default();
    let file = parts.window();
    match structure {
        Structure::Jpeg => jpeg::read(file, &mut reading),
        Structure::Png => png::read(parts, &mut reading),
        Structure::Riff => riff::read(parts, &mut reading),
        Structure::Tiff => tiff::read(file, &mut reading),
        Structure::Heif => heif::read(file, &mut reading),
        Structure::Jxl => jxl::read(file, &mut reading),
        Structure::Mp4 => mp4::read(parts, &mut reading),
        Structure::Matroska => matroska::read(file, &mut reading),
        Structure::Mpeg => mpeg::read(file, &mut reading),
        Structure::Mp3 => mp3::read(file, &mut reading),
        Structure::Flac => ogg::read_flac(file, &mut reading),
        Structure::Ogg => ogg::read(parts, &mut reading),
        Structure::Gif => plain::gif(file, &mut reading),
        Structure::Bmp => plain::bmp(file, &mut reading),
        Structure::Psd => plain::psd(file, &mut reading),
        Structure::Jp2 => plain::jp2(file, &mut reading),
        Structure::Aiff => plain::aiff(file, &mut reading),
        Structure::Opaque => {}
    }
    reading
}
