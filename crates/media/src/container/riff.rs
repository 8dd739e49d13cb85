//! RIFF: WebP pictures, AVI films, WAV sounds.

use crate::container::Reading;
use crate::metadata::date::Taken;
use crate::metadata::text::text;
use crate::metadata::{Block, Origin, id3};
use crate::parts::{Parts, Window};

/// As many chunks as are looked at.
const MAX_CHUNKS: usize = 10_000;

/// The flags of WebP that say that there are metadata.
const HAS_METADATA: u8 = 0x08 | 0x04;

pub(crate) fn read(parts: &Parts<'_>, reading: &mut Reading) {
    let file = parts.window();
    let body = file.from(12);
    match file.get(8, 4) {
        Some(b"WEBP") => webp(parts, body, reading),
        Some(b"WAVE") => wav(body, reading),
        Some(b"AVI ") => avi(body, reading),
        _ => {}
    }
}

/// The chunk at this place: its name, its body and where the next begins.
fn chunk(window: Window<'_>, at: u64) -> Option<(&[u8], Window<'_>, u64)> {
    let header = window.get(at, 8)?;
    let length = u64::from(u32::from_le_bytes(header[4..].try_into().ok()?));
    Some((&header[..4], window.window(at + 8, length), at + 8 + length + (length & 1)))
}

fn webp(parts: &Parts<'_>, body: Window<'_>, reading: &mut Reading) {
    let (mut at, mut announced) = (0, false);
    for _ in 0..MAX_CHUNKS {
        // Metadata follow the picture, if a chunk before it says that there are any.
        let known = reading.width.is_some();
        if known && !announced && body.peek(at, 8).is_none() {
            return;
        }
        let Some((name, content, next)) = chunk(body, at) else { break };
        match name {
            b"VP8X" => {
                let Some(header) = content.get(0, 10) else { return };
                announced = header[0] & HAS_METADATA != 0;
                let side = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], 0]) + 1;
                reading.size(side(4), side(7));
            }
            b"VP8 " if !known => {
                if let Some([.., 0x9d, 0x01, 0x2a, w0, w1, h0, h1]) = content.get(0, 10) {
                    let side = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3fff);
                    reading.size(side(*w0, *w1), side(*h0, *h1));
                }
            }
            b"VP8L" if !known => {
                if let Some([0x2f, bits @ ..]) = content.get(0, 5) {
                    let bits = u32::from_le_bytes(bits.try_into().unwrap_or_default());
                    reading.size((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1);
                }
            }
            // What is cut off says nothing that can be relied on.
            b"EXIF" | b"XMP " if content.len() + 1 < next - at - 8 => return,
            b"EXIF" => reading.exif(content),
            b"XMP " => reading.xmp(content.prefix(0, content.len())),
            _ => {}
        }
        at = next;
    }
    // An animation has so many chunks that one does not learn where the metadata begin.
    if announced && !reading.has_metadata() && body.holds(at, 8) && body.peek(at, 8).is_none() {
        match parts.tail() {
            Some(tail) => last_chunks(tail, reading),
            None => parts.want_end(),
        }
    }
}

/// Metadata among the last bytes of a file: a chunk of that name from which one comes to the very
/// end of the file, chunk by chunk.
fn last_chunks(tail: Window<'_>, reading: &mut Reading) {
    let Some(bytes) = tail.all() else { return };
    let ends = |mut at: u64| {
        for _ in 0..4 {
            match chunk(tail, at) {
                Some((_, content, next)) if tail.holds(at + 8, content.len()) => at = next,
                _ => break,
            }
        }
        at == tail.len() || at == tail.len() + 1
    };
    let found = bytes.windows(4).enumerate().filter(|(_, name)| matches!(*name, b"EXIF" | b"XMP "));
    for at in found.map(|(at, _)| at as u64).take(64).filter(|at| ends(*at)) {
        match chunk(tail, at) {
            Some((b"EXIF", content, _)) => reading.exif(content),
            Some((b"XMP ", content, _)) => reading.xmp(content.prefix(0, content.len())),
            _ => {}
        }
    }
}

fn wav(body: Window<'_>, reading: &mut Reading) {
    let (mut at, mut per_second) = (0, 0);
    for _ in 0..MAX_CHUNKS {
        // Texts may follow the sound, but do not earn a request.
        if reading.duration.is_some() && body.peek(at, 8).is_none() {
            return;
        }
        let Some((name, content, next)) = chunk(body, at) else { return };
        match name {
            b"fmt " => per_second = content.u32_le(8).unwrap_or(0),
            b"data" => reading.lasts(next - at - 8, per_second.into()),
            b"LIST" => list(content, reading),
            b"id3 " | b"ID3 " => reading.add(|| id3::read(content)),
            _ => {}
        }
        at = next;
    }
}

fn avi(body: Window<'_>, reading: &mut Reading) {
    let mut at = 0;
    for _ in 0..MAX_CHUNKS {
        if reading.width.is_some() && body.peek(at, 8).is_none() {
            return;
        }
        let Some((name, content, next)) = chunk(body, at) else { return };
        if name == b"LIST" {
            match content.get(0, 4) {
                Some(b"hdrl") => {
                    if let Some((b"avih", header, _)) = chunk(content, 4)
                        && let (Some(frame), Some(frames)) = (header.u32_le(0), header.u32_le(16))
                        && let (Some(width), Some(height)) = (header.u32_le(32), header.u32_le(36))
                    {
                        reading.size(width, height);
                        reading.lasts(u64::from(frame) * u64::from(frames), 1_000_000);
                    }
                }
                Some(b"movi") if reading.width.is_none() => return,
                _ => list(content, reading),
            }
        }
        at = next;
    }
}

/// The texts of an INFO list.
fn list(content: Window<'_>, reading: &mut Reading) {
    if content.peek(0, 4) != Some(b"INFO") {
        return;
    }
    let mut block = Block::new(Origin::Container);
    let mut at = 4;
    for _ in 0..100 {
        if content.peek(at, 8).is_none() {
            break;
        }
        let Some((name, value, next)) = chunk(content, at) else { break };
        let value = value.peek(0, value.len()).and_then(text);
        match name {
            b"INAM" => block.title = value,
            b"IART" => block.author = value,
            b"ICMT" => block.description = value,
            b"ICOP" => block.copyright = value,
            b"ICRD" => block.taken = value.as_deref().and_then(Taken::parse),
            _ => {}
        }
        at = next;
    }
    reading.add(|| Some(block));
}
