//! Folders of pictures.

use std::path::{Path, PathBuf};

use decode::{Limits, Picture};
use facts::{MediaKind, Timestamp};
use media::{Look, Pixels};

use crate::ExperimentError;

/// Later than any date of a corpus.
const NOW: Timestamp = Timestamp(4_000_000_000_000);

/// The pixels of a file, as small as they are described; nothing for what is no picture.
pub(crate) fn read(path: &Path) -> Option<Picture> {
    let bytes = std::fs::read(path).ok()?;
    let facts = media::read_whole(&bytes, NOW).ok()?;
    if facts.format.kind != MediaKind::Image {
        return None;
    }
    decode::picture(&bytes, facts.format, facts.orientation, Look::LONG_SIDE, &Limits::default()).ok()
}

/// The pixels, lent to be described.
pub(crate) fn pixels(picture: &Picture) -> Pixels<'_> {
    Pixels { width: picture.width, height: picture.height, rgb: &picture.rgb }
}

/// All files below a folder, in order.
pub(crate) fn below(folder: &Path) -> Result<Vec<PathBuf>, ExperimentError> {
    let wrong = |error: std::io::Error| ExperimentError::Corpus { path: folder.to_owned(), why: error.to_string() };
    let mut entries: Vec<_> = std::fs::read_dir(folder).map_err(wrong)?.collect::<Result<_, _>>().map_err(wrong)?;
    entries.sort_by_key(|entry| entry.file_name());
    let mut files = Vec::new();
    for entry in entries {
        // A link may lead back up.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(below(&entry.path())?),
            _ => files.push(entry.path()),
        }
    }
    Ok(files)
}

/// A made picture, unlike those of other numbers, as a file.
#[cfg(test)]
pub(crate) fn scene(number: usize) -> Vec<u8> {
    let (width, height) = (180usize, 120usize);
    let pixel = |x: usize, y: usize| {
        let wave = |by: usize| ((x * (by % 7 + 1) + y * (by % 5 + 2) + by * 13) % 97 + (x * y / (by + 9)) % 61) as u8;
        [wave(number), wave(number + 3), wave(number * 2 + 1)]
    };
    let rgb: Vec<u8> = (0..width * height).flat_map(|i| pixel(i % width / 9 * 9, i / width / 8 * 8)).collect();
    let mut file = Vec::new();
    let size = (width as u16, height as u16);
    jpeg_encoder::Encoder::new(&mut file, 92).encode(&rgb, size.0, size.1, jpeg_encoder::ColorType::Rgb).unwrap();
    file
}
