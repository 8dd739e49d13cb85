//! Films as bytes.

use super::{Film, Frame};
use crate::picture::{Look, PictureHash};
use crate::sound::Sound;

/// More frames than are kept of any film.
const MOST_FRAMES: usize = 4096;

impl Film {
    /// As it is kept: a look, 38 bytes a frame, and its sound.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Self::VERSION.to_le_bytes().to_vec();
        bytes.extend(self.milliseconds.to_le_bytes());
        let look = self.look.to_bytes();
        bytes.extend((look.len() as u32).to_le_bytes());
        bytes.extend(look);
        bytes.extend((self.frames.len() as u32).to_le_bytes());
        for frame in &self.frames {
            bytes.extend(frame.at.to_le_bytes());
            bytes.extend([frame.key.into(), frame.hash.quality]);
            bytes.extend(frame.hash.bits.iter().flat_map(|bits| bits.to_le_bytes()));
        }
        bytes.extend(self.sound.iter().flat_map(Sound::to_bytes));
        bytes
    }

    /// What [`to_bytes`](Self::to_bytes) wrote; nothing for bytes of another version, or damaged ones.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (version, rest) = bytes.split_first_chunk()?;
        if u16::from_le_bytes(*version) != Self::VERSION {
            return None;
        }
        let (milliseconds, rest) = number(rest)?;
        let (length, rest) = number(rest)?;
        let (look, rest) = rest.split_at_checked(length as usize)?;
        let (count, mut rest) = number(rest)?;
        if count as usize > MOST_FRAMES {
            return None;
        }
        let mut frames = Vec::new();
        for _ in 0..count {
            let (at, more) = number(rest)?;
            let ([key, quality], more) = more.split_first_chunk()?;
            let (words, more) = more.split_first_chunk::<32>()?;
            rest = more;
            let mut bits = [0; 4];
            bits.iter_mut().zip(words.as_chunks::<8>().0).for_each(|(bits, word)| *bits = u64::from_le_bytes(*word));
            frames.push(Frame { at, hash: PictureHash { bits, quality: *quality }, key: *key == 1 });
        }
        let sound = if rest.is_empty() { None } else { Some(Sound::from_bytes(rest)?) };
        Some(Self { milliseconds, look: Look::from_bytes(look)?, frames, sound })
    }
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), rest))
}
