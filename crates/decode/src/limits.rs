//! What a single file may cost.

use std::time::Duration;

use crate::DecodeError;
use crate::room::{Room, Share};

/// Bytes that all pictures being decoded in this process may take together, however many cores there
/// are.
const TOGETHER: u64 = 192 << 20;
static PIXELS: Room = Room::new(TOGETHER);

/// What decoding one file may cost. A file that would cost more is refused by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the stored picture, or of each picture of a film.
    pub pixels: u64,
    /// Bytes of memory, for the decoder and its result together. Pictures decoded at the same time
    /// share 192 MB, and wait for each other.
    pub memory: u64,
    /// Time of a processor, where decoding has no other bound: films, sounds, AVIF and HEIC. Twice
    /// as much may pass.
    pub time: Duration,
    /// How much of a sound or film is listened to, from its beginning.
    pub listen: Duration,
}

impl Default for Limits {
    /// 100 million pixels, 160 MB, two minutes of a processor, two hours of sound. That is enough for a
    /// JPEG of 100 million pixels made small, and for a PNG of 50 million.
    fn default() -> Self {
        Self {
            pixels: 100_000_000,
            memory: 160 << 20,
            time: Duration::from_secs(120),
            listen: Duration::from_secs(2 * 60 * 60),
        }
    }
}

impl Limits {
    pub(crate) fn allow_pixels(&self, width: u32, height: u32) -> Result<(), DecodeError> {
        if u64::from(width) * u64::from(height) > self.pixels {
            return Err(DecodeError::TooManyPixels { width, height, most: self.pixels });
        }
        Ok(())
    }

    /// The memory for a picture, taken before any of it is used: waits while others decode.
    pub(crate) fn take(&self, bytes: u64) -> Result<Share<'static>, DecodeError> {
        self.allow_memory(bytes)?;
        Ok(PIXELS.take(bytes))
    }

    pub(crate) fn allow_memory(&self, bytes: u64) -> Result<(), DecodeError> {
        if bytes > self.memory {
            return Err(DecodeError::TooMuchMemory { most: self.memory });
        }
        Ok(())
    }
}
