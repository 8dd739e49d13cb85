//! Matroska and WebM: elements with numbers of their own length.

use std::time::Duration;

use facts::Timestamp;

use crate::container::Reading;
use crate::metadata::date::Taken;
use crate::metadata::location::{Location, LocationSource};
use crate::metadata::text::text;
use crate::metadata::{Block, Origin};
use crate::parts::Window;
use crate::sniff::Format;

/// As many elements of one level as are looked at.
const MAX_ELEMENTS: usize = 2000;
/// The element that holds all others.
const SEGMENT: u32 = 0x1853_8067;
/// Seconds from 1970 to 2001, which these files count from.
const EPOCH_2001: i64 = 978_307_200;

pub(crate) fn read(file: Window<'_>, reading: &mut Reading) {
    let mut block = Block::new(Origin::Container);
    let Some(segment) = elements(file).find(|(id, _)| *id == SEGMENT).map(|(_, body)| body) else { return };
    let (mut tags_at, mut tags_seen) = (None, false);
    let (mut pictures, mut sound) = (false, false);
    for (id, body) in elements(segment) {
        match id {
            0x114d_9b74 => tags_at = index(body),
            0x1549_a966 => about(body, reading, &mut block),
            0x1654_ae6b => {
                for (_, track) in elements(body).filter(|(id, _)| *id == 0xae) {
                    let kind = elements(track).find(|(id, _)| *id == 0x83).and_then(|(_, kind)| number(kind));
                    pictures |= kind == Some(1);
                    sound |= kind == Some(2);
                    picture_size(track, reading);
                }
            }
            0x1254_c367 => {
                tags_seen = true;
                tags(body, &mut block);
            }
            // The film itself.
            0x1f43_b675 => break,
            _ => {}
        }
    }
    if let (false, Some(at)) = (tags_seen, tags_at)
        && let Some((0x1254_c367, body)) = elements(segment.from(at)).next()
    {
        tags(body, &mut block);
    }
    if sound && !pictures {
        let webm = file.peek(0, 64).is_some_and(|head| head.windows(4).any(|word| word == b"webm"));
        reading.format = Format::named(if webm { "weba" } else { "mka" });
    }
    reading.blocks.push(block);
}

/// Where the index of the file says the tags are.
fn index(seek_head: Window<'_>) -> Option<u64> {
    let entries = elements(seek_head).filter(|(id, _)| *id == 0x4dbb);
    entries.map(|(_, entry)| entry).find_map(|entry| {
        let find = |wanted: u32| elements(entry).find(|(id, _)| *id == wanted).map(|(_, body)| body);
        (find(0x53ab)?.peek(0, 4)? == [0x12, 0x54, 0xc3, 0x67]).then(|| number(find(0x53ac)?))?
    })
}

fn about(info: Window<'_>, reading: &mut Reading, block: &mut Block) {
    let (mut scale, mut length) = (1_000_000, None);
    for (id, body) in elements(info) {
        match id {
            0x2a_d7b1 => scale = number(body).unwrap_or(scale),
            0x4489 => length = float(body),
            0x7ba9 => block.title = body.first(4096).and_then(text),
            0x4461 => {
                let nanoseconds = body.u64(0).map(|bits| bits as i64);
                block.taken =
                    nanoseconds.and_then(|n| Taken::from_timestamp(Timestamp(n / 1_000_000 + EPOCH_2001 * 1000)));
            }
            _ => {}
        }
    }
    let seconds = length.unwrap_or(0.0) * scale as f64 / 1e9;
    reading.duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
}

fn picture_size(track: Window<'_>, reading: &mut Reading) {
    let Some((_, video)) = elements(track).find(|(id, _)| *id == 0xe0) else { return };
    let find = |wanted: u32| elements(video).find(|(id, _)| *id == wanted).and_then(|(_, body)| number(body));
    if let (None, Some(width), Some(height)) = (reading.width, find(0xb0), find(0xba)) {
        reading.size(width.try_into().unwrap_or(0), height.try_into().unwrap_or(0));
    }
}

fn tags(body: Window<'_>, block: &mut Block) {
    let simple = elements(body).filter(|(id, _)| *id == 0x7373).flat_map(|(_, tag)| elements(tag));
    for (_, tag) in simple.filter(|(id, _)| *id == 0x67c8).take(MAX_ELEMENTS) {
        let find = |wanted: u32| elements(tag).find(|(id, _)| *id == wanted).and_then(|(_, body)| body.first(4096));
        let (Some(name), Some(value)) = (find(0x45a3).and_then(text), find(0x4487).and_then(text)) else { continue };
        match name.to_ascii_uppercase().as_str() {
            "TITLE" => block.title = block.title.take().or(Some(value)),
            "ARTIST" | "DIRECTOR" => block.author = Some(value),
            "DESCRIPTION" | "COMMENT" => block.description = Some(value),
            "COPYRIGHT" => block.copyright = Some(value),
            "LICENSE" => block.licence = Some(value),
            "DATE_RECORDED" => block.taken = Taken::parse(&value).or(block.taken),
            "LOCATION" | "COM.APPLE.QUICKTIME.LOCATION.ISO6709" if value.starts_with(['+', '-']) => {
                block.location = Some(Location::iso6709(&value, LocationSource::Matroska));
            }
            _ => {}
        }
    }
}

/// The elements one after the other: their number and body.
fn elements<'a>(window: Window<'a>) -> impl Iterator<Item = (u32, Window<'a>)> {
    let mut at = 0;
    (0..MAX_ELEMENTS).map_while(move |_| {
        if at >= window.len() {
            return None;
        }
        let first = window.u8(at)?;
        let id_length = u64::from(first.leading_zeros()) + 1;
        let id = window.get(at, id_length).filter(|_| id_length <= 4)?;
        let id = id.iter().fold(0, |id, byte| id << 8 | u32::from(*byte));
        let first = window.u8(at + id_length)?;
        let size_length = u64::from(first.leading_zeros()) + 1;
        let size = window.get(at + id_length, size_length).filter(|_| size_length <= 8)?;
        let start_bits = u64::from(first) & 0xff >> size_length;
        let value = size.iter().skip(1).fold(start_bits, |value, byte| value << 8 | u64::from(*byte));
        let start = at + id_length + size_length;
        // All ones: the size is not known, and it goes to the end.
        let unknown = value == (1 << (7 * size_length)) - 1;
        let body = if unknown { window.from(start) } else { window.window(start, value) };
        // What is cut off says nothing that can be relied on, but for the whole of the file.
        if !unknown && body.len() < value && id != SEGMENT {
            return None;
        }
        at = if unknown { u64::MAX } else { start.checked_add(value)? };
        Some((id, body))
    })
}

fn number(body: Window<'_>) -> Option<u64> {
    let bytes = body.get(0, body.len()).filter(|bytes| bytes.len() <= 8)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn float(body: Window<'_>) -> Option<f64> {
    match body.len() {
        4 => body.array(0).map(|bytes| f64::from(f32::from_be_bytes(bytes))),
        8 => body.array(0).map(f64::from_be_bytes),
        _ => None,
    }
}
