//! TIFF, and the raw files of cameras that are TIFF inside.

use crate::container::Reading;
use crate::metadata::location::WrongLocation;
use crate::metadata::tiff::{Directory, Entry};
use crate::metadata::{exif, iptc};
use crate::parts::Window;
use crate::sniff::Format;

/// As many directories of pictures as are looked at inside the first.
const MAX_PICTURES: u64 = 8;

pub(crate) fn read(file: Window<'_>, reading: &mut Reading) {
    let Some(exif) = exif::read(file) else { return };
    reading.blocks.push(exif.block);
    let mut sizes: Vec<(bool, (u32, u32))> = Vec::new();
    sizes.extend(size(&exif.first));
    for (nth, entry) in exif.first.entries.iter().enumerate() {
        // A tag stands in a directory once; were it there a thousand times, all could name the same
        // long block.
        let is_first = || exif.first.entries[..nth].iter().all(|before| before.tag != entry.tag);
        match entry.tag {
            // Raw files keep the picture itself in a directory below, a preview in the first.
            0x014a => {
                let places = (0..entry.count.min(MAX_PICTURES)).map_while(|nth| entry.nth_unsigned(nth));
                sizes.extend(places.filter_map(|at| size(&exif.tiff.directory(at))));
            }
            0x02bc if is_first() => reading.xmp(entry.prefix()),
            0x83bb if is_first() => {
                if let Some(records) = entry.bytes() {
                    reading.add(|| Some(iptc::read(&straight(entry, records))));
                }
            }
            0x8649 if is_first() => {
                let resources = iptc::resources(entry.prefix());
                let records = resources.into_iter().filter(|(number, _)| *number == 0x0404);
                records.for_each(|(_, records)| reading.add(|| Some(iptc::read(records))));
            }
            0xc612 => reading.format = Format::named("dng"),
            _ => {}
        }
    }
    // A directory that points out of the file is damaged, and so may be its way to a place.
    if exif.first.entries.iter().any(|entry| !entry.is_inside()) {
        for location in reading.blocks.iter_mut().filter_map(|block| block.location.as_mut()) {
            *location = Err(WrongLocation::Incomplete);
        }
    }
    // The first that is not a reduced copy, else the largest.
    let full = sizes
        .iter()
        .find(|(reduced, _)| !reduced)
        .or_else(|| sizes.iter().max_by_key(|(_, (w, h))| u64::from(*w) * u64::from(*h)));
    if let Some((_, (width, height))) = full {
        reading.size(*width, *height);
    }
}

/// Width and height of the picture in a directory, and whether it is a reduced copy.
fn size(directory: &Directory<'_>) -> Option<(bool, (u32, u32))> {
    let number = |tag: u16| {
        let entry = directory.entries.iter().find(|entry| entry.tag == tag)?;
        u32::try_from(entry.unsigned()?).ok()
    };
    Some((number(0x00fe).is_some_and(|kind| kind & 1 == 1), (number(0x0100)?, number(0x0101)?)))
}

/// IPTC records that were written as numbers of four bytes in the file's byte order.
fn straight(entry: &Entry<'_>, records: &[u8]) -> Vec<u8> {
    let mut records = records[..records.len().min(1 << 20)].to_vec();
    if entry.is_little_endian() && records.first() != Some(&0x1c) {
        records.chunks_exact_mut(4).for_each(<[u8]>::reverse);
    }
    records
}
