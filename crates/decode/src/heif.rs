//! AVIF and HEIC, through other programs.
//!
//! ffmpeg reads AVIF. The tiles that HEIC pictures are made of it puts together only in its latest
//! versions; heif-convert, of libheif, does it in all.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use facts::Timestamp;
use media::Format;
use tempfile::{NamedTempFile, TempDir};

use crate::child::{Errand, Lead, Program};
use crate::ffmpeg::{Input, lead};
use crate::jpeg::Plan;
use crate::room::Share;
use crate::{DecodeError, Limits, Picture, Wanted, jpeg};

const HEIF_CONVERT: Program = Program { name: "heif-convert", package: "libheif-examples" };

/// The quality of the JPEG that a picture goes through on its way from heif-convert.
const QUALITY: &str = "95";

/// The largest JPEG that is read from it: a photograph of 50 million pixels has half of it. It is held
/// beside what is decoded from it.
const LARGEST_JPEG: u64 = 64 << 20;

/// The picture as stored: how it is turned is told by its metadata, and done by the caller.
pub(crate) fn decode(
    bytes: &[u8],
    format: Format,
    wanted: Wanted,
    limits: &Limits,
) -> Result<(Picture, Share<'static>), DecodeError> {
    let facts = media::read_whole(bytes, Timestamp(0)).map_err(|error| DecodeError::Broken(error.to_string()))?;
    let (Some(width), Some(height)) = (facts.width, facts.height) else {
        return Err(DecodeError::Broken("it does not say how large it is".to_owned()));
    };
    limits.allow_pixels(width, height)?;
    // ffmpeg hands on all pixels, heif-convert a JPEG of them that is made small while it is decoded.
    // Taken for both at once, for the second is tried when the first gives nothing.
    let written = (6 * u64::from(width) * u64::from(height) + (1 << 20)).min(LARGEST_JPEG);
    let small = jpeg::memory_of(width, height, wanted);
    let copy = bytes.len() as u64;
    let room = limits.take(wanted.memory(width, height).max(copy).max(limits.memory.min(written + small)))?;
    let unreadable = |error: std::io::Error| DecodeError::Unreadable(error.to_string());
    let mut file = NamedTempFile::with_prefix("bowerbird-").map_err(unreadable)?;
    file.write_all(&as_stored(bytes)).map_err(unreadable)?;
    let through_ffmpeg = || ffmpeg(file.path(), format, (width, height), limits);
    let through_libheif = || heif_convert(file.path(), (width, height), written, wanted, limits);
    let decoded = match format.name {
        "avif" => through_ffmpeg().or_else(|first| through_libheif().map_err(|_| first)),
        _ => through_libheif().or_else(|first| through_ffmpeg().map_err(|_| first)),
    };
    Ok((decoded?, room))
}

fn ffmpeg(file: &Path, format: Format, size: (u32, u32), limits: &Limits) -> Result<Picture, DecodeError> {
    let input = Input::new(file, format)?;
    let (width, height) = size;
    let whole = 3 * width as usize * height as usize;
    let mut rgb = Vec::with_capacity(whole);
    let before = ["-noautorotate", "-threads", "1"];
    let after = ["-map", "0:v:0", "-frames:v", "1", "-pix_fmt", "rgb24", "-f", "rawvideo"];
    let fault = input.decoded(&before, &after, lead(limits, limits.time), &mut |piece| {
        let fits = rgb.len() + piece.len() <= whole;
        if fits {
            rgb.extend_from_slice(piece);
        } else {
            rgb.clear();
        }
        fits
    })?;
    match fault {
        // One tile of many, or a small picture beside the one that is meant, has another size.
        _ if rgb.len() == whole => Ok(Picture { width, height, rgb, exact: false }),
        Some(fault) => Err(fault),
        None => Err(DecodeError::Broken("its decoder gives only a part of it".to_owned())),
    }
}

fn heif_convert(
    file: &Path,
    size: (u32, u32),
    written: u64,
    wanted: Wanted,
    limits: &Limits,
) -> Result<Picture, DecodeError> {
    let unreadable = |error: std::io::Error| DecodeError::Unreadable(error.to_string());
    let folder = TempDir::with_prefix("bowerbird-").map_err(unreadable)?;
    let errand = Errand {
        program: HEIF_CONVERT,
        arguments: vec!["-q".into(), QUALITY.into(), file.into(), folder.path().join("picture.jpg").into()],
        reads: file,
        writes: Some(folder.path()),
        lead: Lead { written, ..lead(limits, limits.time) },
    };
    let (_, ended) = errand.output(64 << 10)?;
    // A file with several pictures gives several, numbered; depth maps and the like come beside them.
    let mut made: Vec<_> = fs::read_dir(folder.path()).map_err(unreadable)?.flatten().map(|file| file.path()).collect();
    made.sort();
    for path in made {
        if let Some(bytes) = read(&path, written)?
            && media::read_whole(&bytes, Timestamp(0))
                .is_ok_and(|facts| (facts.width, facts.height) == (Some(size.0), Some(size.1)))
        {
            let plan = Plan::of(&bytes, wanted, limits)?;
            limits.allow_memory(plan.memory + bytes.len() as u64)?;
            return plan.decode(&bytes);
        }
    }
    Err(ended.fault.unwrap_or_else(|| DecodeError::Broken("its decoder gives no picture of its size".to_owned())))
}

/// A file that another program wrote, unless it is larger than it could be allowed to be.
fn read(path: &Path, most: u64) -> Result<Option<Vec<u8>>, DecodeError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| DecodeError::Unreadable(error.to_string()))?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// The file without its turns and mirrors. Some programs heed them and some do not; so nobody does
/// here, and the turn that the metadata tell is made once. A turn of nothing takes their place, for
/// a reader may insist on properties that are marked as essential.
pub(crate) fn as_stored(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some(properties) = ["meta", "iprp", "ipco"].iter().try_fold(0..bytes.len(), |within, kind| {
        let (_, body) = boxes(&bytes, within).find(|(found, _)| found == kind.as_bytes())?;
        // Four bytes of version and flags come before the boxes of a meta box.
        Some(if *kind == "meta" { body.start + 4..body.end } else { body })
    }) {
        // One without a body has no angle: what stands in its place is the length of the next.
        let turns =
            boxes(&bytes, properties).filter(|(kind, body)| matches!(kind, b"irot" | b"imir") && !body.is_empty());
        for (_, body) in turns.collect::<Vec<_>>() {
            if let Some([kind @ .., angle]) = bytes.get_mut(body.start - 4..=body.start) {
                kind.copy_from_slice(b"irot");
                *angle = 0;
            }
        }
    }
    bytes
}

/// The boxes in a part of a file: kind and place of each.
fn boxes(bytes: &[u8], within: std::ops::Range<usize>) -> impl Iterator<Item = ([u8; 4], std::ops::Range<usize>)> {
    let mut at = within.start;
    std::iter::from_fn(move || {
        let (length, rest) = bytes.get(at..within.end)?.split_first_chunk::<4>()?;
        let kind = *rest.first_chunk::<4>()?;
        let length = match u32::from_be_bytes(*length) as usize {
            0 => within.end - at,
            length => length,
        };
        let (start, end) = (at + 8, at.checked_add(length)?.min(within.end));
        at = end;
        (start <= end).then_some((kind, start..end))
    })
    .take(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(kind: &[u8; 4], body: &[u8]) -> Vec<u8> {
        [&(body.len() as u32 + 8).to_be_bytes()[..], kind, body].concat()
    }

    #[test]
    fn turns_and_mirrors_become_turns_of_nothing() {
        let file = |properties: &[u8]| {
            let inner = made(b"iprp", &made(b"ipco", properties));
            [made(b"ftyp", b"heic"), made(b"meta", &[&[0; 4], &made(b"pitm", &[0; 6])[..], &inner].concat())].concat()
        };
        let size = made(b"ispe", &[0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 9]);
        let turned = file(&[&size[..], &made(b"irot", &[3]), &made(b"imir", &[1])].concat());
        let plain = file(&[&size[..], &made(b"irot", &[0]), &made(b"irot", &[0])].concat());
        assert_eq!(as_stored(&turned), plain);
        let empty = file(&[&made(b"irot", &[])[..], &made(b"imir", &[1]), &size].concat());
        assert_eq!(as_stored(&empty), file(&[&made(b"irot", &[])[..], &made(b"irot", &[0]), &size].concat()));
        let long = file(&[&made(b"imir", &[])[..], &[1, 0, 0, 8], b"imir", &[1]].concat());
        assert_eq!(as_stored(&long).len(), long.len());
        assert_eq!(as_stored(&as_stored(&long)), as_stored(&long));
        for end in 0..turned.len() {
            assert_eq!(as_stored(&turned[..end]).len(), end);
        }
    }
}
