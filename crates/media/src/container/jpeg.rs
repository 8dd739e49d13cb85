//! JPEG: segments up to the picture itself.

use crate::container::Reading;
use crate::metadata::vendor::{canon_heap, picture_info};
use crate::metadata::{iptc, xmp};
use crate::parts::{Parts, Window};

/// As many segments as are looked at.
const MAX_SEGMENTS: usize = 1000;
/// As much as is put together of a block that was split over segments.
const MAX_JOINED: usize = 1 << 20;

/// As much of a camera's own segment as is looked at.
const VENDOR: u64 = 2048;

const EXIF: &[u8] = b"Exif\0";
const XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/\0";
const XMP_EXTENSION: &[u8] = b"http://ns.adobe.com/xmp/extension/\0";
const PHOTOSHOP: &[u8] = b"Photoshop 3.0\0";

pub(crate) fn read(file: Window<'_>, reading: &mut Reading) {
    let mut blocks = Blocks::default();
    let mut segments = Segments::of(file);
    let mut last = None;
    for segment in segments.by_ref() {
        if let Some((marker, body)) = last.replace(segment) {
            take(marker, body, &mut blocks, reading);
        }
    }
    // A segment is believed when what follows it is whole: one with a damaged length leads nowhere.
    if let (Some((marker, body)), false) = (last, segments.cut) {
        take(marker, body, &mut blocks, reading);
    }
    blocks.read(reading);
}

fn take<'a>(marker: u8, body: Window<'a>, blocks: &mut Blocks<'a>, reading: &mut Reading) {
    match marker {
        0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) && reading.width.is_none() => {
            if let (Some(height), Some(width)) = (body.u16(1), body.u16(3)) {
                reading.size(width.into(), height.into());
            }
        }
        0xe0 => reading.add(|| canon_heap(body.prefix(0, VENDOR))),
        0xec => reading.add(|| picture_info(body.prefix(0, VENDOR))),
        0xe1 | 0xed => blocks.take(marker, body),
        _ => {}
    }
}

/// The blocks of metadata, some of them in many segments.
#[derive(Default)]
struct Blocks<'a> {
    exif: Vec<Window<'a>>,
    xmp: Option<&'a [u8]>,
    extension: Vec<u8>,
    photoshop: Vec<u8>,
}

impl<'a> Blocks<'a> {
    fn take(&mut self, marker: u8, body: Window<'a>) {
        let starts = |with: &[u8]| body.get(0, (with.len() as u64).min(body.len())) == Some(with);
        let after = |mark: &[u8]| body.prefix(mark.len() as u64, body.len());
        if marker == 0xed {
            if starts(PHOTOSHOP) && self.photoshop.len() < MAX_JOINED {
                self.photoshop.extend(after(PHOTOSHOP));
            }
        } else if starts(EXIF) {
            if self.exif.len() < 32 {
                self.exif.push(body.from(6));
            }
        } else if starts(XMP) {
            self.xmp = self.xmp.or(Some(after(XMP)));
        } else if starts(XMP_EXTENSION) {
            self.extend(after(XMP_EXTENSION));
        }
    }

    /// A piece of XMP that did not fit one segment: 32 characters that name it, its whole length,
    /// where the piece belongs, the piece. Pieces out of order are left out.
    fn extend(&mut self, piece: &[u8]) {
        let Some((_, rest)) = piece.split_at_checked(36) else { return };
        let Some((offset, rest)) = rest.split_first_chunk::<4>() else { return };
        let in_order = u32::from_be_bytes(*offset) as usize == self.extension.len();
        if in_order && self.extension.len() + rest.len() <= xmp::LIMIT {
            self.extension.extend(rest);
        }
    }

    fn read(self, reading: &mut Reading) {
        if let Some((first, rest)) = self.exif.split_first() {
            let continued = rest.iter().take_while(|next| !matches!(next.peek(0, 2), Some(b"II" | b"MM"))).count();
            let pieces = || self.exif[..=continued].iter().map(Window::all).collect::<Option<Vec<&[u8]>>>();
            match (continued > 0).then(pieces).flatten() {
                Some(pieces) => {
                    let joined = pieces.concat();
                    reading.exif(Parts::whole(&joined[..joined.len().min(MAX_JOINED)]).window());
                }
                None => reading.exif(*first),
            }
        }
        reading.xmp(self.xmp.unwrap_or_default());
        reading.xmp(&self.extension);
        for (number, resource) in iptc::resources(&self.photoshop) {
            if number == 0x0404 {
                reading.add(|| Some(iptc::read(resource)));
            }
        }
    }
}

/// The segments of a JPEG file, without their markers and lengths.
struct Segments<'a> {
    file: Window<'a>,
    at: u64,
    left: usize,
    /// Whether the file ends inside of the next segment.
    cut: bool,
}

impl<'a> Segments<'a> {
    fn of(file: Window<'a>) -> Self {
        Self { file, at: 2, left: MAX_SEGMENTS, cut: false }
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = (u8, Window<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.left > 0 {
            self.left -= 1;
            self.cut = !self.file.holds(self.at, 2);
            let [first, marker] = self.file.array(self.at)?;
            match (first, marker) {
                // Fill bytes before a marker.
                (0xff, 0xff) => self.at += 1,
                (0xff, 0x01 | 0xd0..=0xd8) => self.at += 2,
                // The picture itself, or the end.
                (0xff, 0xd9 | 0xda) => return None,
                (0xff, 1..) => {
                    self.cut = !self.file.holds(self.at + 2, 2);
                    let length = u64::from(self.file.u16(self.at + 2)?);
                    self.cut = length < 2 || !self.file.holds(self.at + 2, length);
                    if self.cut {
                        return None;
                    }
                    let body = self.file.window(self.at + 4, length - 2);
                    self.at += 2 + length;
                    return Some((marker, body));
                }
                // Not a marker: a writer miscounted, and the next one is not far.
                _ => {
                    let rest = self.file.prefix(self.at + 1, 4096);
                    self.at += 1 + rest.iter().position(|byte| *byte == 0xff)? as u64;
                }
            }
        }
        None
    }
}
