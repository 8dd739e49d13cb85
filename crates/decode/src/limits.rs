//! What a single file may cost.

use crate::DecodeError;

/// What decoding one file may cost. A file that would cost more is refused by its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pixels of the stored picture.
    pub pixels: u64,
    /// Bytes of memory, for the decoder and its result together.
    pub memory: u64,
}

impl Default for Limits {
    /// 100 million pixels, 512 MB.
    fn default() -> Self {
        Self { pixels: 100_000_000, memory: 512 << 20 }
    }
}

impl Limits {
    pub(crate) fn allow_pixels(&self, width: u32, height: u32) -> Result<(), DecodeError> {
        if u64::from(width) * u64::from(height) > self.pixels {
            return Err(DecodeError::TooManyPixels { width, height, most: self.pixels });
        }
        Ok(())
    }

    pub(crate) fn allow_memory(&self, bytes: u64) -> Result<(), DecodeError> {
        if bytes > self.memory {
            return Err(DecodeError::TooMuchMemory { most: self.memory });
        }
        Ok(())
    }
}
