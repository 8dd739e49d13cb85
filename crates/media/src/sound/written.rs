//! Sounds as bytes.

use super::course::BLOCKS;
use super::landmarks::Landmark;
use super::{Blocks, Sound, Values};

impl Sound {
    /// As it is kept: about 90 bytes a second.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Self::VERSION.to_le_bytes().to_vec();
        bytes.extend(self.milliseconds.to_le_bytes());
        bytes.extend(self.blocks.iter().flatten());
        bytes.extend(self.values.iter().flatten().flat_map(|value| value.to_le_bytes()));
        bytes.extend((self.landmarks.len() as u32).to_le_bytes());
        let mut last = 0;
        for landmark in &self.landmarks {
            // Frames since the one before, seven bits at a time; then the key, which has 23.
            let mut frames = landmark.at - last;
            last = landmark.at;
            while frames >= 0x80 {
                bytes.push(frames as u8 | 0x80);
                frames >>= 7;
            }
            bytes.push(frames as u8);
            let [a, b, c, _] = landmark.key.to_le_bytes();
            bytes.extend([a, b, c]);
        }
        bytes
    }

    /// What [`to_bytes`](Self::to_bytes) wrote; nothing for bytes of another version, or damaged ones.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (version, bytes) = bytes.split_first_chunk::<2>()?;
        let (milliseconds, bytes) = bytes.split_first_chunk::<4>()?;
        let (blocks, bytes) = bytes.split_first_chunk::<{ 3 * BLOCKS }>()?;
        let (values, bytes) = bytes.split_first_chunk::<{ 6 * BLOCKS }>()?;
        let (count, mut bytes) = bytes.split_first_chunk::<4>()?;
        if u16::from_le_bytes(*version) != Self::VERSION {
            return None;
        }
        let values: Vec<u16> = values.as_chunks::<2>().0.iter().map(|value| u16::from_le_bytes(*value)).collect();
        let (mut landmarks, mut at) = (Vec::new(), 0u32);
        for _ in 0..u32::from_le_bytes(*count) {
            let (frames, rest) = number(bytes)?;
            let (key, rest) = rest.split_first_chunk::<3>()?;
            at = at.checked_add(frames)?;
            let [a, b, c] = *key;
            landmarks.push(Landmark { at, key: u32::from_le_bytes([a, b, c, 0]) });
            bytes = rest;
        }
        bytes.is_empty().then_some(())?;
        Some(Self {
            milliseconds: u32::from_le_bytes(*milliseconds),
            blocks: Blocks::try_from(blocks.as_chunks::<BLOCKS>().0).ok()?,
            values: Values::try_from(values.as_chunks::<BLOCKS>().0).ok()?,
            landmarks,
        })
    }
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0;
    for (nth, byte) in bytes.iter().enumerate().take(5) {
        number |= u32::from(byte & 0x7f) << (7 * nth);
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(nth + 1..)?));
        }
    }
    None
}
