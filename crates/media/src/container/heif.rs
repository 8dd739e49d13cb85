//! HEIF: HEIC and AVIF pictures. One box lists the items of the file, and where each of them is.

use std::borrow::Cow;

use crate::container::Reading;
use crate::container::bmff::{boxes, find};
use crate::parts::{Parts, Window};

/// As many items or properties as are looked at.
const MAX_ITEMS: u32 = 4096;
/// As many pieces of one item as are read.
const MAX_EXTENTS: u64 = 64;
/// As much as is put together of an item that lies in pieces.
const MAX_JOINED: u64 = 1 << 20;

pub(crate) fn read(file: Window<'_>, reading: &mut Reading) {
    let Some(meta) = find(file, b"meta").map(|meta| meta.from(4)) else { return };
    let primary = find(meta, b"pitm").and_then(|pitm| match pitm.u8(0)? {
        0 => pitm.u16(4).map(u32::from),
        _ => pitm.u32(4),
    });
    if let Some(properties) = find(meta, b"iprp") {
        size(properties, primary, reading);
    }
    let (Some(items), Some(list)) = (find(meta, b"iinf"), find(meta, b"iloc")) else { return };
    let data = find(meta, b"idat");
    let items = metadata_items(items);
    let wanted: Vec<u32> = items.iter().map(|(id, _)| *id).collect();
    let places = if wanted.is_empty() { Vec::new() } else { places(list, &wanted) };
    for (id, kind) in items {
        let place = places.iter().find(|(known, _)| *known == id);
        let Some(content) = place.and_then(|(_, place)| place.content(file, data)) else { continue };
        match (kind, content) {
            (Kind::Exif, Content::Window(window)) => reading.exif(after_header(window)),
            (Kind::Exif, Content::Joined(bytes)) => reading.exif(after_header(Parts::whole(&bytes).window())),
            (Kind::Xmp, Content::Window(window)) => reading.xmp(window.prefix(0, window.len())),
            (Kind::Xmp, Content::Joined(bytes)) => reading.xmp(&bytes),
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Exif,
    Xmp,
}

/// The items that are metadata.
fn metadata_items(iinf: Window<'_>) -> Vec<(u32, Kind)> {
    let list = match iinf.u8(0) {
        Some(0) => iinf.from(6),
        Some(_) => iinf.from(8),
        None => return Vec::new(),
    };
    let entries = boxes(list).filter(|unit| unit.kind == *b"infe").filter_map(|unit| {
        let body = unit.body;
        let (id, rest) = match body.u8(0)? {
            2 => (body.u16(4)?.into(), body.from(8)),
            3 => (body.u32(4)?, body.from(10)),
            _ => return None,
        };
        match &rest.array::<4>(0)? {
            b"Exif" => Some((id, Kind::Exif)),
            b"mime" => {
                let rest = rest.prefix(4, rest.len());
                // A name, then the type of the content.
                let content = rest.split(|byte| *byte == 0).nth(1)?;
                content.eq_ignore_ascii_case(b"application/rdf+xml").then_some((id, Kind::Xmp))
            }
            _ => None,
        }
    });
    entries.take(16).collect()
}

/// Where an item is.
struct Place {
    in_meta: bool,
    extents: Vec<(u64, u64)>,
}

enum Content<'a> {
    Window(Window<'a>),
    Joined(Cow<'a, [u8]>),
}

impl Place {
    fn content<'a>(&self, file: Window<'a>, data: Option<Window<'a>>) -> Option<Content<'a>> {
        let within = if self.in_meta { data? } else { file };
        match &self.extents[..] {
            // A length of zero would mean all of the file, which no block of metadata is.
            [] | [(_, 0)] => None,
            [(at, length)] => within.holds(*at, *length).then(|| Content::Window(within.window(*at, *length))),
            extents => {
                let total: u64 = extents.iter().map(|(_, length)| *length).fold(0, u64::saturating_add);
                let pieces: Option<Vec<&[u8]>> = extents.iter().map(|(at, length)| within.get(*at, *length)).collect();
                (total <= MAX_JOINED).then(|| Some(Content::Joined(pieces?.concat().into())))?
            }
        }
    }
}

/// The entries of these items in the list of places, as far as it can be read.
fn places(iloc: Window<'_>, wanted: &[u32]) -> Vec<(u32, Place)> {
    let mut found = Vec::new();
    find_places(iloc, wanted, &mut found);
    found
}

fn find_places(iloc: Window<'_>, wanted: &[u32], found: &mut Vec<(u32, Place)>) -> Option<()> {
    let version = iloc.u8(0)?;
    let sizes = iloc.u16(4)?;
    let (offset_size, length_size) = (sizes >> 12 & 15, sizes >> 8 & 15);
    let (base_size, index_size) = (sizes >> 4 & 15, if version == 0 { 0 } else { sizes & 15 });
    if [offset_size, length_size, base_size, index_size].iter().any(|size| !matches!(size, 0 | 2 | 4 | 8)) {
        return None;
    }
    let number = |at: &mut u64, size: u16| -> Option<u64> {
        let value = match size {
            0 => 0,
            2 => iloc.u16(*at)?.into(),
            4 => iloc.u32(*at)?.into(),
            _ => iloc.u64(*at)?,
        };
        *at += u64::from(size);
        Some(value)
    };
    let mut at = 6;
    let extent_size = u64::from(index_size + offset_size + length_size);
    let id_size = if version < 2 { 2 } else { 4 };
    let count = number(&mut at, id_size)?.min(MAX_ITEMS.into());
    for _ in 0..count {
        let id = number(&mut at, id_size)? as u32;
        let method = if version == 0 { 0 } else { number(&mut at, 2)? & 15 };
        number(&mut at, 2)?;
        let base = number(&mut at, base_size)?;
        let extents = number(&mut at, 2)?;
        let mut next = at;
        at += extents * extent_size;
        // Extents that take no bytes say nothing, however many they are said to be.
        if extent_size == 0 || !wanted.contains(&id) || found.iter().any(|(known, _)| *known == id) {
            continue;
        }
        let mut place = Place { in_meta: method == 1, extents: Vec::new() };
        for _ in 0..extents.min(MAX_EXTENTS) {
            number(&mut next, index_size)?;
            let (offset, length) = (number(&mut next, offset_size)?, number(&mut next, length_size)?);
            place.extents.push((base.checked_add(offset)?, length));
        }
        if method > 1 {
            place.extents.clear();
        }
        found.push((id, place));
        if wanted.iter().all(|id| found.iter().any(|(known, _)| known == id)) {
            break;
        }
    }
    Some(())
}

/// An EXIF item starts with the distance to its TIFF header.
fn after_header(item: Window<'_>) -> Window<'_> {
    let is_tiff = |at: u64| item.holds(at, 4) && matches!(item.get(at, 2), Some(b"II" | b"MM"));
    let announced = item.u32(0).map(|distance| u64::from(distance) + 4);
    let start = announced.into_iter().chain([10, 4, 6, 0]).find(|at| is_tiff(*at));
    item.from(start.unwrap_or(u64::MAX))
}

/// Size and turn of the primary item, from its properties.
fn size(iprp: Window<'_>, primary: Option<u32>, reading: &mut Reading) {
    let (Some(properties), Some(associations)) = (find(iprp, b"ipco"), find(iprp, b"ipma")) else { return };
    let mine = primary.and_then(|primary| indices(associations, primary)).unwrap_or_default();
    let (mut turns, mut mirror, mut largest) = (0, None, None);
    for (nth, unit) in boxes(properties).enumerate() {
        let is_mine = mine.contains(&(nth as u16 + 1));
        match &unit.kind {
            b"ispe" => {
                if let (Some(width), Some(height)) = (unit.body.u32(4), unit.body.u32(8)) {
                    if is_mine {
                        reading.size(width, height);
                    }
                    largest = largest.max(Some((u64::from(width) * u64::from(height), width, height)));
                }
            }
            b"irot" if is_mine => turns = unit.body.u8(0).unwrap_or(0) & 3,
            b"imir" if is_mine => mirror = unit.body.u8(0).map(|axis| axis & 1),
            _ => {}
        }
    }
    if let (None, Some((_, width, height))) = (reading.width, largest) {
        reading.size(width, height);
    }
    // Turns count anticlockwise; the mirror comes after them.
    reading.orientation = match (turns, mirror) {
        (0, None) => None,
        (1, None) => Some(8),
        (2, None) => Some(3),
        (_, None) => Some(6),
        (0, Some(0)) => Some(4),
        (0, Some(_)) => Some(2),
        (1, Some(0)) => Some(7),
        (1, Some(_)) => Some(5),
        (2, Some(0)) => Some(2),
        (2, Some(_)) => Some(4),
        (_, Some(0)) => Some(5),
        (_, Some(_)) => Some(7),
    };
}

/// The numbers of the properties of an item, counted from one.
fn indices(ipma: Window<'_>, wanted: u32) -> Option<Vec<u16>> {
    let (version, wide) = (ipma.u8(0)?, ipma.u8(3)? & 1 == 1);
    let mut at = 8;
    for _ in 0..ipma.u32(4)?.min(MAX_ITEMS) {
        let id = if version == 0 { ipma.u16(at)?.into() } else { ipma.u32(at)? };
        at += if version == 0 { 2 } else { 4 };
        let count = u64::from(ipma.u8(at)?);
        at += 1;
        let size = if wide { 2 } else { 1 };
        if id == wanted {
            let index = |nth: u64| match wide {
                true => ipma.u16(at + nth * 2).map(|index| index & 0x7fff),
                false => ipma.u8(at + nth).map(|index| u16::from(index & 0x7f)),
            };
            return (0..count).map(index).collect();
        }
        at += count * size;
    }
    None
}
