//! Ogg (Vorbis, Opus, Theora, FLAC inside) and FLAC by itself.

use crate::container::Reading;
use crate::metadata::vorbis;
use crate::parts::{Parts, Window};

/// As much of the comments as is put together: what is longer is a cover.
const MAX_COMMENTS: usize = 64 << 10;
/// As many pages or blocks as are looked at.
const MAX_PAGES: usize = 64;

pub(crate) fn read(parts: &Parts<'_>, reading: &mut Reading) {
    let file = parts.window();
    let Some(first) = Page::read(file, 0) else { return };
    let start = first.body.prefix(0, 64);
    let mut rate = 0;
    match start {
        [1, b'v', b'o', b'r', b'b', b'i', b's', _, _, _, _, _, a, b, c, d, ..] => {
            rate = u32::from_le_bytes([*a, *b, *c, *d]);
        }
        // Opus counts in 48,000ths of a second whatever it was made from.
        [b'O', b'p', b'u', b's', b'H', b'e', b'a', b'd', ..] => rate = 48_000,
        [0x80, b't', b'h', b'e', b'o', b'r', b'a', _, _, _, _, _, _, _, w0, w1, w2, h0, h1, h2, ..] => {
            reading.size(u32::from_be_bytes([0, *w0, *w1, *w2]), u32::from_be_bytes([0, *h0, *h1, *h2]));
        }
        _ => {}
    }
    let mut comments = Vec::new();
    let mut at = first.next;
    for _ in 0..MAX_PAGES {
        let Some(page) = Page::read(file, at).filter(|_| comments.len() < MAX_COMMENTS) else { break };
        if page.stream == first.stream {
            comments.extend(page.body.prefix(0, MAX_COMMENTS as u64));
            // The page that ends a packet leaves its last piece shorter than 255.
            if page.ends_packet {
                break;
            }
        }
        at = page.next;
    }
    for mark in [&b"\x03vorbis"[..], b"OpusTags", b"\x81theora"] {
        if let Some(rest) = comments.strip_prefix(mark) {
            reading.blocks.push(vorbis::read(rest));
        }
    }
    if rate > 0
        && let Some(samples) = last_position(parts, first.stream)
    {
        reading.lasts(samples, rate.into());
    }
}

/// A page: what it holds, of which stream.
struct Page<'a> {
    stream: u32,
    body: Window<'a>,
    ends_packet: bool,
    next: u64,
}

impl<'a> Page<'a> {
    fn read(file: Window<'a>, at: u64) -> Option<Self> {
        let head = file.get(at, 27).filter(|head| head.starts_with(b"OggS"))?;
        let stream = u32::from_le_bytes(head[14..18].try_into().ok()?);
        let table = file.get(at + 27, head[26].into())?;
        let length: u64 = table.iter().map(|piece| u64::from(*piece)).sum();
        let start = at + 27 + u64::from(head[26]);
        let ends_packet = table.iter().any(|piece| *piece < 255);
        Some(Self { stream, body: file.window(start, length), ends_packet, next: start + length })
    }
}

/// The position the last page of a stream names, where the end of the file is here.
fn last_position(parts: &Parts<'_>, stream: u32) -> Option<u64> {
    let file = parts.window();
    let whole = file.peek(0, file.len());
    let bytes = whole.or_else(|| parts.tail().and_then(|tail| tail.all()))?;
    let bytes = &bytes[bytes.len().saturating_sub(crate::parts::REACH)..];
    let pages = bytes.windows(27).rev().filter(|page| page.starts_with(b"OggS"));
    let mut positions = pages.filter_map(|page| {
        let (position, of) = (page[6..14].try_into().ok()?, page[14..18].try_into().ok()?);
        (u32::from_le_bytes(of) == stream).then_some(u64::from_le_bytes(position))
    });
    positions.find(|position| *position != u64::MAX)
}

pub(crate) fn read_flac(file: Window<'_>, reading: &mut Reading) {
    let mut at = match file.peek(0, 10).map_or(0, crate::metadata::id3::length) {
        0 => 4,
        tag => tag + 4,
    };
    for _ in 0..MAX_PAGES {
        let Some(head) = file.get(at, 4) else { return };
        let length = u64::from(u32::from_be_bytes([0, head[1], head[2], head[3]]));
        let body = file.window(at + 4, length);
        match head[0] & 0x7f {
            0 => {
                // 20 bits of rate, 3 of channels, 5 of depth, 36 of samples.
                if let Some(bits) = body.u64(10) {
                    reading.lasts(bits & 0xf_ffff_ffff, bits >> 44);
                }
            }
            4 => {
                reading.blocks.push(vorbis::read(body.prefix(0, MAX_COMMENTS as u64)));
                return;
            }
            _ => {}
        }
        if head[0] & 0x80 != 0 {
            return;
        }
        at += 4 + length;
    }
}
