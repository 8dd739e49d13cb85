//! A photo made to order, for tests that need one of a certain size, place or orientation.

use facts::LatLon;

use crate::media::exif::{Exif, Gps};
use crate::media::picture::{Format, Shot};

/// What a photo is to be like.
#[derive(Clone, Debug)]
pub struct Photo {
    /// What it shows: another number, another picture.
    pub scene: u64,
    /// `jpg`, `png`, `webp`, `gif` or `bmp`.
    pub format: &'static str,
    /// Pixels across, as stored.
    pub width: u32,
    /// Pixels down, as stored.
    pub height: u32,
    /// Bytes that a JPEG has at least.
    pub bytes: usize,
    /// As EXIF counts; 1 is upright.
    pub orientation: u16,
    /// Where it was taken, for JPEG and WebP.
    pub at: Option<LatLon>,
}

impl Default for Photo {
    fn default() -> Self {
        Self { scene: 1, format: "jpg", width: 640, height: 480, bytes: 0, orientation: 1, at: None }
    }
}

impl Photo {
    /// Its file.
    pub fn file(&self) -> Vec<u8> {
        let formats = [Format::Jpeg, Format::Png, Format::Webp, Format::Gif, Format::Bmp];
        let format = formats.into_iter().find(|format| format.extension() == self.format).unwrap_or(Format::Jpeg);
        let exif = Exif {
            make: "Bower",
            model: "Bird 1",
            orientation: self.orientation,
            taken: 1_211_111_111,
            gps: self.at.map_or(Gps::None, Gps::Right),
        };
        Shot::to_order(self.scene, format, (self.width, self.height), self.bytes, exif).render()
    }
}
