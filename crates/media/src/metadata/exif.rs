//! EXIF: what the camera wrote.

use facts::Timestamp;

use crate::metadata::date::Taken;
use crate::metadata::location::{Location, LocationSource, WrongLocation, sign};
use crate::metadata::text::{text, utf16};
use crate::metadata::tiff::{Directory, Entry, Tiff};
use crate::metadata::vendor::reconyx;
use crate::metadata::{Block, MAX_KEYWORDS, Origin};
use crate::parts::Window;

/// What EXIF says, with the blocks that a TIFF file carries in its first directory.
pub(crate) struct Exif<'a> {
    pub block: Block,
    pub tiff: Tiff<'a>,
    pub first: Directory<'a>,
}

/// Reads the TIFF structure that starts here.
pub(crate) fn read(window: Window<'_>) -> Option<Exif<'_>> {
    let (tiff, at) = Tiff::open(window)?;
    let first = tiff.directory(at);
    let mut block = Block::new(Origin::Exif);
    let mut digitized = None;
    for entry in &first.entries {
        match entry.tag {
            0x010e => block.description = entry.text(),
            0x010f => block.make = entry.text(),
            0x0110 => block.model = entry.text(),
            0x0112 => block.orientation = orientation(entry.unsigned()),
            0x013b => block.author = entry.text(),
            0x8298 => block.copyright = copyright(entry),
            0x9c9b => block.title = wide(entry),
            0x9c9d if block.author.is_none() => block.author = wide(entry),
            0x9c9e => block.keywords = wide(entry).map(|words| keywords(&words)).unwrap_or_default(),
            0x8769 => {
                let camera = entry.unsigned().map(|at| tiff.directory(at));
                let (taken, late) = camera.map(|camera| dates(&camera)).unwrap_or_default();
                (block.taken, digitized) = (block.taken.or(taken), late);
            }
            0x8825 => block.location = entry.unsigned().and_then(|at| location(&tiff.directory(at))),
            // Raw files keep the date here as well.
            0x9003 => block.taken = block.taken.or_else(|| Taken::parse(&entry.text()?)),
            _ => {}
        }
    }
    block.taken = block.taken.or(digitized);
    Some(Exif { block, tiff, first })
}

/// One of the eight ways to hold a camera; other numbers say nothing.
pub(crate) fn orientation(number: Option<u64>) -> Option<u8> {
    number.and_then(|number| u8::try_from(number).ok()).filter(|number| (1..=8).contains(number))
}

/// When the picture was taken, and when it was digitized.
fn dates(camera: &Directory<'_>) -> (Option<Taken>, Option<Taken>) {
    let find = |tag: u16| camera.entries.iter().find(|entry| entry.tag == tag).and_then(Entry::text);
    let date = |tag: u16, offset: u16| {
        let taken = Taken::parse(&find(tag)?)?;
        Some(match find(offset) {
            Some(offset) => taken.with_offset(&offset),
            None => taken,
        })
    };
    let note = || camera.entries.iter().find(|entry| entry.tag == 0x927c).and_then(|note| reconyx(note.start(34)));
    (date(0x9003, 0x9011).or_else(note), date(0x9004, 0x9012))
}

/// The photographer's notice, and the editor's after a NUL.
fn copyright(entry: &Entry<'_>) -> Option<String> {
    let bytes = entry.bytes()?;
    let mut notices = bytes.split(|byte| *byte == 0).filter_map(text);
    notices.next()
}

/// Texts that Windows adds, in UTF-16.
fn wide(entry: &Entry<'_>) -> Option<String> {
    utf16(entry.bytes()?, false)
}

fn keywords(words: &str) -> Vec<String> {
    words.split(';').map(str::trim).filter(|word| !word.is_empty()).take(MAX_KEYWORDS).map(str::to_owned).collect()
}

/// The location in a GPS directory: none where it names no coordinate at all, wrong unless both
/// coordinates are whole, with their references.
fn location(gps: &Directory<'_>) -> Option<Result<Location, WrongLocation>> {
    let find = |tag: u16| gps.entries.iter().find(|entry| entry.tag == tag);
    let (lat, lon) = (find(2), find(4));
    if lat.is_none() && lon.is_none() {
        return None;
    }
    let (Some(lat), Some(lon)) = (lat, lon) else { return Some(Err(WrongLocation::Incomplete)) };
    if !lat.is_inside() || !lon.is_inside() {
        return Some(Err(WrongLocation::Incomplete));
    }
    // Inside the file, but perhaps not among the parts that are here: then nothing is known yet.
    let (_, _) = (lat.bytes()?, lon.bytes()?);
    let (Some(north), Some(east)) = (lat.numbers::<3>(), lon.numbers::<3>()) else {
        return Some(Err(WrongLocation::NotANumber));
    };
    let degrees = |parts: &[f64]| parts.iter().zip([1.0, 60.0, 3600.0]).map(|(part, unit)| part / unit).sum::<f64>();
    if north.is_empty() || east.is_empty() {
        return Some(Err(WrongLocation::Incomplete));
    }
    let (north_degrees, east_degrees) = (degrees(&north), degrees(&east));
    if north_degrees.is_nan() || east_degrees.is_nan() {
        return Some(Err(WrongLocation::NotANumber));
    }
    if north_degrees == 0.0 && east_degrees == 0.0 {
        return Some(Err(WrongLocation::NullIsland));
    }
    if north.iter().chain(&east).any(|part| *part < 0.0) {
        return Some(Err(WrongLocation::OutOfRange));
    }
    let reference = |tag: u16, positive: char, negative: char| {
        find(tag).and_then(Entry::text).and_then(|letter| sign(&letter, positive, negative))
    };
    let (Some(ns), Some(ew)) = (reference(1, 'N', 'S'), reference(3, 'E', 'W')) else {
        return Some(Err(WrongLocation::MissingReference));
    };
    let number = |tag: u16| find(tag)?.numbers::<1>()?.first().copied().filter(|number| number.is_finite());
    Some(Location::new(ns * north_degrees, ew * east_degrees, LocationSource::Exif).map(|location| Location {
        altitude: number(6).map(|metres| if number(5) == Some(1.0) { -metres } else { metres }),
        direction: number(17).filter(|degrees| (0.0..=360.0).contains(degrees)),
        date: fix(find(29), find(7)),
        ..location
    }))
}

/// When the satellites were asked: date and time of day in UTC, both or nothing.
fn fix(date: Option<&Entry<'_>>, time: Option<&Entry<'_>>) -> Option<Timestamp> {
    let day = Taken::parse(date?.text()?.get(..10)?)?;
    let time = time?.numbers::<3>()?;
    let [hours, minutes, seconds] = time[..] else { return None };
    let in_range = (0.0..24.0).contains(&hours) && (0.0..60.0).contains(&minutes) && (0.0..61.0).contains(&seconds);
    in_range.then(|| Timestamp(day.timestamp().0 + ((hours * 60.0 + minutes) * 60_000.0 + seconds * 1000.0) as i64))
}
