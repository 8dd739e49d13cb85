//! JPEG XL: a bare codestream, or boxes around one.

use crate::container::Reading;
use crate::container::bmff::boxes;
use crate::parts::Window;

pub(crate) fn read(file: Window<'_>, reading: &mut Reading) {
    if file.peek(0, 2) == Some(&[0xff, 0x0a]) {
        return size(file, reading);
    }
    for unit in boxes(file) {
        match &unit.kind {
            b"jxlc" => size(unit.body, reading),
            // Four bytes number the pieces.
            b"jxlp" if reading.width.is_none() => size(unit.body.from(4), reading),
            b"Exif" => {
                let skip = unit.body.u32(0).unwrap_or(0);
                reading.exif(unit.body.from(4 + u64::from(skip)));
            }
            b"xml " => reading.xmp(unit.body.prefix(0, unit.body.len())),
            _ => {}
        }
    }
}

/// The size header that opens a codestream.
fn size(codestream: Window<'_>, reading: &mut Reading) {
    let Some(&[0xff, 0x0a, ..]) = codestream.get(0, 2) else { return };
    let Some(bytes) = codestream.get(2, 10.min(codestream.len() - 2)) else { return };
    let mut bits = Bits { bytes, at: 0 };
    if let Some((width, height)) = dimensions(&mut bits) {
        reading.size(width, height);
    }
}

fn dimensions(bits: &mut Bits<'_>) -> Option<(u32, u32)> {
    let small = bits.take(1)? == 1;
    let side = |bits: &mut Bits<'_>| -> Option<u32> {
        if small {
            return Some((bits.take(5)? + 1) * 8);
        }
        let width = [9, 13, 18, 30][bits.take(2)? as usize];
        Some(bits.take(width)? + 1)
    };
    let height = side(bits)?;
    let scaled = |above: u64, below: u64| u32::try_from(u64::from(height) * above / below).ok();
    let width = match bits.take(3)? {
        0 => side(bits)?,
        1 => height,
        2 => scaled(12, 10)?,
        3 => scaled(4, 3)?,
        4 => scaled(3, 2)?,
        5 => scaled(16, 9)?,
        6 => scaled(5, 4)?,
        _ => scaled(2, 1)?,
    };
    Some((width, height))
}

/// Bits from the least significant of each byte.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> Option<u32> {
        let mut value = 0;
        for nth in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            value |= u32::from(byte >> (self.at % 8) & 1) << nth;
            self.at += 1;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Parts;

    #[test]
    fn the_size_of_a_bare_codestream_is_read() {
        // 1 small, 5 bits height/8-1 = 24 (200), 3 bits ratio 1 (square): 1 | 24<<1 | 1<<6.
        for (bits, expected) in [(1u64 | 24 << 1 | 1 << 6, (200, 200)), (1 << 1 | 719 << 3 | 5 << 16, (1280, 720))] {
            let mut bytes = vec![0xff, 0x0a];
            bytes.extend(bits.to_le_bytes());
            let mut reading = Reading::default();
            let parts = Parts::whole(&bytes);
            read(parts.window(), &mut reading);
            assert_eq!(reading.width.zip(reading.height), Some(expected));
        }
    }
}
