//! MP3 and AAC: frames, perhaps after an ID3 tag.

use crate::container::Reading;
use crate::metadata::id3;
use crate::parts::Window;

/// Kilobits a second by index, for the layers III of version 1 and of versions 2 and 2.5.
const BITRATES: [[u32; 15]; 2] = [
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
/// What is longer is a file of unknown length.
const MAX_SOUND: u64 = 1 << 40;
const RATES: [u32; 3] = [44_100, 48_000, 32_000];

pub(crate) fn read(file: Window<'_>, reading: &mut Reading) {
    let tag = file.get(0, 10.min(file.len())).map_or(0, id3::length);
    if tag > 0 {
        reading.blocks.extend(id3::read(file));
    }
    let sound = file.from(tag);
    let Some(frame) = sound.peek(0, 4).and_then(Frame::read) else { return };
    // A first frame that holds no sound may say how many follow.
    let about = frame.side_information();
    if matches!(sound.peek(about, 4), Some(b"Xing" | b"Info")) {
        if let (Some(flags), Some(frames)) = (sound.peek(about + 4, 4), sound.peek(about + 8, 4))
            && flags[3] & 1 == 1
        {
            let frames = u32::from_be_bytes(frames.try_into().unwrap_or_default());
            reading.lasts(u64::from(frames) * u64::from(frame.samples()), frame.rate.into());
        }
    } else if sound.len() < MAX_SOUND {
        reading.lasts(sound.len() * 8, u64::from(frame.bitrate) * 1000);
    }
}

/// The head of a frame of MPEG sound, layer III.
pub(crate) struct Frame {
    version1: bool,
    mono: bool,
    bitrate: u32,
    rate: u32,
    padded: bool,
}

impl Frame {
    /// Reads four bytes.
    pub fn read(head: &[u8]) -> Option<Self> {
        let &[0xff, second, third, fourth] = head else { return None };
        // Eleven bits of ones, a version that is not reserved, layer III.
        if second & 0xe0 != 0xe0 || second & 0x18 == 0x08 || second & 0x06 != 0x02 {
            return None;
        }
        let version1 = second & 0x18 == 0x18;
        let bitrate = *BITRATES[usize::from(!version1)].get(usize::from(third >> 4)).filter(|rate| **rate > 0)?;
        let rate = RATES.get(usize::from(third >> 2 & 3))? / [4, 1, 2, 1][usize::from(second >> 3 & 3)];
        Some(Self { version1, mono: fourth >> 6 == 3, bitrate, rate, padded: third & 2 != 0 })
    }

    /// How many bytes the frame takes.
    pub fn length(&self) -> usize {
        (self.samples() / 8 * self.bitrate * 1000 / self.rate + u32::from(self.padded)) as usize
    }

    fn samples(&self) -> u32 {
        if self.version1 { 1152 } else { 576 }
    }

    /// Where the content of the frame begins.
    fn side_information(&self) -> u64 {
        4 + match (self.version1, self.mono) {
            (true, false) => 32,
            (true, true) | (false, false) => 17,
            (false, true) => 9,
        }
    }
}

/// How many bytes a frame of AAC takes that starts here.
pub(crate) fn adts_length(head: &[u8]) -> Option<usize> {
    let &[0xff, second, third, fourth, fifth, sixth, ..] = head else { return None };
    let plausible = second & 0xf6 == 0xf0 && third >> 2 & 15 < 13;
    let length = usize::from(fourth & 3) << 11 | usize::from(fifth) << 3 | usize::from(sixth >> 5);
    (plausible && length > 7).then_some(length)
}
