//! Formats that say little: a size, and perhaps one block of metadata.

use crate::container::Reading;
use crate::container::bmff::find;
use crate::metadata::text::text;
use crate::metadata::{Block, Origin, id3, iptc};
use crate::parts::Window;

pub(crate) fn gif(file: Window<'_>, reading: &mut Reading) {
    if let (Some(width), Some(height)) = (file.u16_le(6), file.u16_le(8)) {
        reading.size(width.into(), height.into());
    }
}

pub(crate) fn bmp(file: Window<'_>, reading: &mut Reading) {
    let size = match file.u32_le(14) {
        // The oldest header has sides of two bytes.
        Some(12) => file.u16_le(18).zip(file.u16_le(20)).map(|(width, height)| (width.into(), height.into())),
        // A negative height says that the rows start at the top.
        Some(_) => file.u32_le(18).zip(file.u32_le(22)).map(|(width, height)| (width, (height as i32).unsigned_abs())),
        None => None,
    };
    if let Some((width, height)) = size {
        reading.size(width, height);
    }
}

pub(crate) fn psd(file: Window<'_>, reading: &mut Reading) {
    if let (Some(height), Some(width)) = (file.u32(14), file.u32(18)) {
        reading.size(width, height);
    }
    let Some(colours) = file.u32(26).map(u64::from) else { return };
    let Some(length) = file.u32(30 + colours).map(u64::from) else { return };
    let resources = file.window(34 + colours, length);
    // Walked one by one, because a preview among them may be long.
    let mut at = 0;
    for _ in 0..500 {
        let Some(head) = resources.get(at, 7).filter(|head| head.starts_with(b"8BIM")) else { return };
        let (number, name) = (u16::from_be_bytes([head[4], head[5]]), (u64::from(head[6]) + 2) & !1);
        let Some(length) = resources.u32(at + 6 + name).map(u64::from) else { return };
        let content = resources.window(at + 10 + name, length);
        match number {
            0x0404 => reading.add(|| Some(iptc::read(content.prefix(0, 1 << 20)))),
            0x0422 => reading.exif(content),
            0x0424 => reading.xmp(content.prefix(0, content.len())),
            _ => {}
        }
        at += 10 + name + length + (length & 1);
    }
}

pub(crate) fn jp2(file: Window<'_>, reading: &mut Reading) {
    let header = find(file, b"jp2h").and_then(|jp2h| find(jp2h, b"ihdr"));
    let size = match header {
        Some(ihdr) => ihdr.u32(4).zip(ihdr.u32(0)),
        // A bare codestream: the size marker comes first.
        None => file.u32(8).zip(file.u32(12)).filter(|_| file.peek(0, 4) == Some(&[0xff, 0x4f, 0xff, 0x51])),
    };
    if let Some((width, height)) = size {
        reading.size(width, height);
    }
}

pub(crate) fn aiff(file: Window<'_>, reading: &mut Reading) {
    let mut block = Block::new(Origin::Container);
    let mut at = 12;
    for _ in 0..1000 {
        // Texts may follow the sound, but do not earn a request.
        if reading.duration.is_some() && file.peek(at, 8).is_none() {
            break;
        }
        let (Some(name), Some(length)) = (file.get(at, 4), file.u32(at + 4).map(u64::from)) else { break };
        let content = file.window(at + 8, length);
        match name {
            b"COMM" => {
                if let (Some(frames), Some(rate)) = (content.u32(2), content.array(8).map(extended)) {
                    reading.lasts(frames.into(), rate);
                }
            }
            b"NAME" => block.title = text(content.prefix(0, 4096)),
            b"AUTH" => block.author = text(content.prefix(0, 4096)),
            b"(c) " => block.copyright = text(content.prefix(0, 4096)),
            b"ID3 " => reading.add(|| id3::read(content)),
            _ => {}
        }
        at += 8 + length + (length & 1);
    }
    reading.blocks.push(block);
}

/// The whole part of a number of eighty bits.
fn extended(bytes: [u8; 10]) -> u64 {
    let exponent = u16::from_be_bytes([bytes[0], bytes[1]]) & 0x7fff;
    let mantissa = u64::from_be_bytes([bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9]]);
    match 16_383u16.checked_add(63).and_then(|top| top.checked_sub(exponent)) {
        Some(shift) if shift < 64 => mantissa >> shift,
        _ => 0,
    }
}
