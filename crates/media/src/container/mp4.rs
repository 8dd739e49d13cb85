//! MP4, MOV, M4A and 3GP: the movie box and what users and cameras add to it.

use facts::Timestamp;

use crate::container::Reading;
use crate::container::bmff::{Unit, boxes, find, reaches_end, unit};
use crate::metadata::date::Taken;
use crate::metadata::location::{Location, LocationSource, WrongLocation};
use crate::metadata::text::{text, utf16};
use crate::metadata::{Block, Origin};
use crate::parts::{Parts, Window};
use crate::sniff::Format;

/// Seconds from 1904, which these files count from, to 1970.
const EPOCH_1904: i64 = 2_082_844_800;
/// As many boxes of the file as are looked at.
const MAX_BOXES: usize = 2000;
/// The identity of a box that holds XMP.
const XMP_UUID: [u8; 16] = *b"\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac";

pub(crate) fn read(parts: &Parts<'_>, reading: &mut Reading) {
    let mut film = Film::default();
    let file = parts.window();
    let (mut at, mut seen) = (0, false);
    for _ in 0..MAX_BOXES {
        // What comes after the movie box is not worth a request.
        if seen && file.peek(at, 8).is_none() {
            break;
        }
        let Some(unit) = unit(file, at) else { break };
        match &unit.kind {
            // What is cut off says nothing that can be relied on.
            b"moov" if unit.complete => {
                seen = true;
                film.movie(unit.body, reading);
            }
            b"meta" => film.meta(unit.body),
            b"uuid" if unit.body.peek(0, 16) == Some(&XMP_UUID) => {
                reading.xmp(unit.body.prefix(16, unit.body.len()));
            }
            _ => {}
        }
        at = unit.next;
    }
    // The movie box is at the end, and perhaps longer than what is here of it.
    if !seen {
        match parts.tail() {
            Some(tail) => film.last_boxes(tail, reading),
            None => parts.want_end(),
        }
    }
    film.finish(reading);
}

#[derive(Default)]
struct Film {
    block: Block,
    made: Option<Taken>,
    pictures: bool,
    sound: bool,
}

impl Film {
    fn movie(&mut self, moov: Window<'_>, reading: &mut Reading) {
        for unit in boxes(moov) {
            match &unit.kind {
                b"mvhd" => self.header(unit.body, reading),
                b"trak" => self.track(unit.body, reading),
                b"udta" => self.user_data(unit.body, reading),
                b"meta" => self.meta(unit.body),
                _ => {}
            }
        }
    }

    fn header(&mut self, mvhd: Window<'_>, reading: &mut Reading) {
        let wide = mvhd.u8(0) == Some(1);
        let (made, scale, units) = match wide {
            true => (mvhd.u64(4), mvhd.u32(20), mvhd.u64(24)),
            false => (mvhd.u32(4).map(u64::from), mvhd.u32(12), mvhd.u32(16).map(u64::from)),
        };
        let unknown = if wide { u64::MAX } else { u64::from(u32::MAX) };
        if let (Some(scale), Some(units)) = (scale, units.filter(|units| *units != unknown)) {
            reading.lasts(units, scale.into());
        }
        self.made = made.filter(|seconds| *seconds > 0).and_then(|seconds| {
            let seconds = i64::try_from(seconds).ok()?.checked_sub(EPOCH_1904)?;
            // Some writers count from 1970 all the same: a film older than film is one of theirs.
            let seconds = if seconds < 0 { seconds + EPOCH_1904 } else { seconds };
            Taken::from_timestamp(Timestamp(seconds.checked_mul(1000)?))
        });
    }

    fn track(&mut self, trak: Window<'_>, reading: &mut Reading) {
        let handler = find(trak, b"mdia").and_then(|mdia| find(mdia, b"hdlr")).and_then(|hdlr| hdlr.array::<4>(8));
        match handler.as_ref() {
            Some(b"vide") => self.pictures = true,
            Some(b"soun") => self.sound = true,
            _ => {}
        }
        let Some(tkhd) = find(trak, b"tkhd") else { return };
        let matrix = if tkhd.u8(0) == Some(1) { 52 } else { 40 };
        let (Some(width), Some(height)) = (tkhd.u32(matrix + 36), tkhd.u32(matrix + 40)) else { return };
        if width >> 16 == 0 || height >> 16 == 0 || reading.width.is_some() {
            return;
        }
        reading.size(width >> 16, height >> 16);
        let turn = [0, 4, 12, 16].map(|at| tkhd.u32(matrix + at).map_or(0, |number| number as i32 >> 16));
        reading.orientation = match turn {
            [0, 1, -1, 0] => Some(6),
            [-1, 0, 0, -1] => Some(3),
            [0, -1, 1, 0] => Some(8),
            _ => None,
        };
    }

    fn user_data(&mut self, udta: Window<'_>, reading: &mut Reading) {
        for unit in boxes(udta).filter(|unit| unit.complete) {
            match &unit.kind {
                b"loci" => self.locate(loci(unit.body)),
                b"\xa9xyz" => {
                    let words = string(unit.body);
                    self.locate(words.map(|words| Location::iso6709(&words, LocationSource::Quicktime)));
                }
                b"meta" => self.meta(unit.body),
                b"XMP_" => reading.xmp(unit.body.prefix(0, unit.body.len())),
                kind => self.say(kind, || string(unit.body)),
            }
        }
    }

    /// Items of iTunes, named by four letters, and of Apple's cameras, named by keys.
    fn meta(&mut self, meta: Window<'_>) {
        // In MP4 four bytes of version come first, in MOV they do not.
        let meta = if meta.peek(4, 4) == Some(b"hdlr") { meta } else { meta.from(4) };
        let keys: Vec<&[u8]> = find(meta, b"keys")
            .map(|keys| boxes(keys.from(8)).take(256).map(|key| key.body.prefix(0, 128)).collect())
            .unwrap_or_default();
        let Some(items) = find(meta, b"ilst") else { return };
        for item in boxes(items) {
            let value = || find(item.body, b"data").and_then(|data| text(data.first(4096)?.get(8..)?));
            let nth = u32::from_be_bytes(item.kind) as usize;
            match nth.checked_sub(1).and_then(|nth| keys.get(nth)) {
                Some(key) => self.keyed(key, value()),
                None => self.say(&item.kind, value),
            }
        }
    }

    fn keyed(&mut self, key: &[u8], value: Option<String>) {
        let Some(value) = value else { return };
        let key = key.strip_prefix(b"com.apple.quicktime.").unwrap_or(key);
        match key {
            b"location.ISO6709" => self.locate(Some(Location::iso6709(&value, LocationSource::Quicktime))),
            b"make" => self.block.make = Some(value),
            b"model" => self.block.model = Some(value),
            b"creationdate" => self.block.taken = Taken::parse(&value).or(self.block.taken),
            b"title" | b"displayname" => self.block.title = Some(value),
            b"description" => self.block.description = Some(value),
            b"author" | b"artist" => self.block.author = Some(value),
            b"copyright" => self.block.copyright = Some(value),
            _ => {}
        }
    }

    fn say(&mut self, kind: &[u8; 4], value: impl FnOnce() -> Option<String>) {
        let block = &mut self.block;
        match kind {
            b"\xa9nam" | b"titl" => block.title = block.title.take().or_else(value),
            b"\xa9ART" | b"\xa9aut" | b"auth" | b"perf" => block.author = block.author.take().or_else(value),
            b"\xa9cpy" | b"cprt" => block.copyright = block.copyright.take().or_else(value),
            b"\xa9des" | b"desc" | b"dscp" | b"\xa9cmt" => block.description = block.description.take().or_else(value),
            b"\xa9mak" => block.make = value(),
            b"\xa9mod" => block.model = value(),
            b"\xa9day" => block.taken = block.taken.or_else(|| Taken::parse(&value()?)),
            _ => {}
        }
    }

    /// The first good location wins, and a wrong one only stands where there is none.
    fn locate(&mut self, location: Option<Result<Location, WrongLocation>>) {
        if !matches!(self.block.location, Some(Ok(_))) {
            self.block.location = location.or(self.block.location);
        }
    }

    /// Among the last bytes of a file, boxes from which one comes to its very end.
    fn last_boxes(&mut self, tail: Window<'_>, reading: &mut Reading) {
        let Some(bytes) = tail.all() else { return };
        let found = bytes.windows(4).enumerate().skip(4);
        let found = found.filter(|(_, kind)| matches!(*kind, b"moov" | b"udta" | b"meta")).take(64);
        for (at, _) in found {
            let at = at as u64 - 4;
            let Some(Unit { kind, body, .. }) = unit(tail, at).filter(|_| reaches_end(tail, at)) else { continue };
            match &kind {
                b"moov" => self.movie(body, reading),
                b"udta" => self.user_data(body, reading),
                b"meta" => self.meta(body),
                _ => continue,
            }
            return;
        }
    }

    fn finish(mut self, reading: &mut Reading) {
        self.block.taken = self.block.taken.or(self.made);
        if self.sound && !self.pictures {
            reading.format = Format::named("m4a");
        }
        self.block.origin = Origin::Container;
        reading.blocks.push(self.block);
    }
}

/// A text of user data: in QuickTime's way with its length and language, in 3GPP's with version
/// and language, or in a data box.
fn string(body: Window<'_>) -> Option<String> {
    let bytes = body.first(4096)?;
    let after = |count: usize| bytes.get(count..);
    match bytes {
        [_, _, _, _, b'd', b'a', b't', b'a', ..] => text(after(16)?),
        [high, low, ..] if usize::from(u16::from_be_bytes([*high, *low])) + 4 == bytes.len() => text(after(4)?),
        [0, 0, 0, 0, _, _, 0xfe, 0xff, ..] => utf16(after(6)?, true),
        [0, 0, 0, 0, ..] => text(after(6)?),
        [high, low, ..] => text(after(4)?.get(..usize::from(u16::from_be_bytes([*high, *low])))?),
        _ => None,
    }
}

/// The location box of 3GPP: language, name, role, then longitude, latitude and altitude in
/// sixteenths of a bit.
fn loci(body: Window<'_>) -> Option<Result<Location, WrongLocation>> {
    let bytes = body.first(4096)?;
    let name = bytes.get(6..)?;
    let length = match name {
        [0xfe, 0xff, ..] => name.chunks_exact(2).position(|pair| pair == [0, 0])? * 2 + 2,
        _ => name.iter().position(|byte| *byte == 0)? + 1,
    };
    let fixed = |nth: usize| -> Option<f64> {
        let at = length + 1 + nth * 4;
        let bytes: [u8; 4] = name.get(at..at + 4)?.try_into().ok()?;
        Some(f64::from(i32::from_be_bytes(bytes)) / 65_536.0)
    };
    let (Some(lon), Some(lat)) = (fixed(0), fixed(1)) else { return Some(Err(WrongLocation::Incomplete)) };
    Some(Location::new(lat, lon, LocationSource::Loci).map(|location| Location { altitude: fixed(2), ..location }))
}
