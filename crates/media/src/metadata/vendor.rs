//! What cameras wrote in ways of their own, before EXIF or beside it.

use facts::Timestamp;

use crate::metadata::date::Taken;
use crate::metadata::text::text;
use crate::metadata::{Block, Origin};

/// As deep as Canon's heaps are followed.
const MAX_DEPTH: usize = 3;
/// As many entries of a heap as are looked at.
const MAX_ENTRIES: usize = 100;

/// The heap that Canon's first cameras put into a JPEG segment: camera and date.
pub(crate) fn canon_heap(segment: &[u8]) -> Option<Block> {
    let [b'I', b'I', header @ ..] = segment else { return None };
    let start = u32::from_le_bytes(*header.first_chunk()?) as usize;
    if header.get(4..12)? != b"HEAPJPGM" {
        return None;
    }
    let mut block = Block::new(Origin::Container);
    heap(segment.get(start..)?, &mut block, MAX_DEPTH);
    Some(block)
}

/// A heap ends with the place of its directory, whose entries may be heaps.
fn heap(bytes: &[u8], block: &mut Block, depth: usize) -> Option<()> {
    let directory = u32::from_le_bytes(*bytes.last_chunk()?) as usize;
    let (count, entries) = bytes.get(directory..)?.split_first_chunk()?;
    let count = usize::from(u16::from_le_bytes(*count)).min(MAX_ENTRIES);
    for entry in entries.chunks_exact(10).take(count) {
        let number = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]) as usize;
        let Some(value) = bytes.get(number(6)..number(6).saturating_add(number(2))) else { continue };
        match u16::from_le_bytes([entry[0], entry[1]]) {
            0x080a => {
                let mut texts = value.split(|byte| *byte == 0).filter_map(text);
                (block.make, block.model) = (texts.next(), texts.next());
            }
            0x180e => {
                let seconds = value.first_chunk().map(|seconds| u32::from_le_bytes(*seconds));
                block.taken = seconds.and_then(wall_clock);
            }
            kind if kind & 0x3800 >= 0x2800 && depth > 0 => {
                heap(value, block, depth - 1);
            }
            _ => {}
        }
    }
    Some(())
}

/// The lines that Olympus and Agfa wrote into a JPEG segment: the date.
pub(crate) fn picture_info(segment: &[u8]) -> Option<Block> {
    let found = segment.windows(9).position(|word| word == b"TimeDate=")?;
    let digits = segment[found + 9..].split(|byte| !byte.is_ascii_digit()).next()?;
    let seconds = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(Block { taken: wall_clock(seconds), ..Block::new(Origin::Container) })
}

/// The date in the maker note of Reconyx's trail cameras: seconds, minutes, hours, month, day, year.
pub(crate) fn reconyx(note: &[u8]) -> Option<Taken> {
    let part = |nth: usize| {
        let at = 22 + nth * 2;
        note.get(at..at + 2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    };
    let [second, minute, hour, month, day, year] = [part(0)?, part(1)?, part(2)?, part(3)?, part(4)?, part(5)?];
    let text = format!("{year:04}:{month:02}:{day:02} {hour:02}:{minute:02}:{second:02}");
    note.starts_with(&[0x01, 0xf1]).then(|| Taken::parse(&text))?
}

/// Seconds that were counted on the camera's own clock, of which nobody knows the zone.
fn wall_clock(seconds: u32) -> Option<Taken> {
    let taken = Taken::from_timestamp(Timestamp(i64::from(seconds) * 1000)).filter(|_| seconds > 0)?;
    Some(Taken { offset: None, ..taken })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canon_heap_names_camera_and_date() {
        let camera = b"Canon\0Canon PowerShot A5\0";
        let mut inner = camera.to_vec();
        inner.extend(1u16.to_le_bytes());
        inner.extend(0x080au16.to_le_bytes());
        inner.extend((camera.len() as u32).to_le_bytes());
        inner.extend(0u32.to_le_bytes());
        inner.extend((camera.len() as u32).to_le_bytes());
        let mut outer = 972_687_386u32.to_le_bytes().to_vec();
        outer.extend(&inner);
        let directory = outer.len() as u32;
        outer.extend(2u16.to_le_bytes());
        for (tag, size, at) in [(0x180eu16, 4u32, 0u32), (0x2807, inner.len() as u32, 4)] {
            outer.extend(tag.to_le_bytes());
            outer.extend(size.to_le_bytes());
            outer.extend(at.to_le_bytes());
        }
        outer.extend(directory.to_le_bytes());
        let segment = [&b"II\x1a\0\0\0HEAPJPGM\x01\0\x01\0\0\0\0\0\0\0\0\0"[..], &outer].concat();
        let block = canon_heap(&segment).unwrap();
        assert_eq!(block.make.as_deref(), Some("Canon"));
        assert_eq!(block.model.as_deref(), Some("Canon PowerShot A5"));
        assert_eq!(block.taken.unwrap().to_string(), "2000-10-27T22:56:26");
    }

    #[test]
    fn dates_of_olympus_and_reconyx_are_read() {
        let block = picture_info(b"OLYMPUS\0\r\n[picture info]\r\nTimeDate=909698819\r\nFlash=1").unwrap();
        assert_eq!(block.taken.unwrap().to_string(), "1998-10-29T22:06:59");
        let mut note = vec![0x01, 0xf1];
        note.resize(22, 0);
        note.extend([0, 0, 0, 0, 10, 0, 3, 0, 16, 0, 0xe4, 0x07]);
        assert_eq!(reconyx(&note).unwrap().to_string(), "2020-03-16T10:00:00");
        note[0] = 2;
        assert_eq!(reconyx(&note), None);
    }
}
