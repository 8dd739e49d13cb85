//! Putting an imported gazetteer together.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use geo::finer::Numbers;
use geo::finer::layout::{self, HEADER, MAGIC, SECTIONS, STRIDE, VERSION};

use crate::sort::Sorter;

/// Bytes of a place's name, at most.
const NAME: usize = 200;

/// A place on its way into the file.
pub(crate) struct NewPlace<'n> {
    pub(crate) id: u32,
    pub(crate) name: &'n str,
    pub(crate) lat: f64,
    pub(crate) lon: f64,
    pub(crate) people: u64,
    pub(crate) feature: u8,
    pub(crate) numbers: Numbers,
}

/// Takes places, streets, houses and postcodes in any order.
pub(crate) struct Writer {
    folder: PathBuf,
    places: BufWriter<File>,
    names: BufWriter<File>,
    names_length: u64,
    keys: Sorter,
    table: Sorter,
    pub(crate) count: u32,
}

impl Writer {
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        let file = |name: &str| Ok::<_, io::Error>(BufWriter::new(File::create(folder.join(name))?));
        Ok(Self {
            folder: folder.to_owned(),
            places: file("places")?,
            names: file("names")?,
            names_length: 0,
            keys: Sorter::new(folder, "keys"),
            table: Sorter::new(folder, "table"),
            count: 0,
        })
    }

    /// Adds a place and gives its index.
    pub(crate) fn place(&mut self, place: &NewPlace<'_>) -> io::Result<u32> {
        let mut end = place.name.len().min(NAME);
        while !place.name.is_char_boundary(end) {
            end -= 1;
        }
        let name = &place.name[..end];
        let mut record = Vec::with_capacity(layout::PLACE);
        record.extend(place.id.to_le_bytes());
        record.extend(layout::pack_point(place.lat, place.lon));
        record.extend(u32::try_from(place.people).unwrap_or(u32::MAX).to_le_bytes());
        record.extend(u32::try_from(self.names_length).map_err(io::Error::other)?.to_le_bytes());
        record.extend(place.numbers.admin1.to_le_bytes());
        record.extend(place.numbers.admin2.to_le_bytes());
        record.extend([place.numbers.country, place.feature, 0, 0]);
        self.places.write_all(&record)?;
        self.names.write_all(&[name.len() as u8])?;
        self.names.write_all(name.as_bytes())?;
        self.names_length += 1 + name.len() as u64;
        let index = self.count;
        self.count += 1;
        self.named(name, index, true, false, place.people)?;
        Ok(index)
    }

    /// Adds a name of a place.
    pub(crate) fn named(
        &mut self,
        name: &str,
        index: u32,
        imported: bool,
        alternate: bool,
        people: u64,
    ) -> io::Result<()> {
        let key = geo::fold(name);
        if key.is_empty() || key.len() > NAME || key.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        // Main names come first, then the largest.
        let mut value = vec![u8::from(alternate)];
        value.extend((u32::MAX - u32::try_from(people).unwrap_or(u32::MAX)).to_be_bytes());
        value.extend(layout::pack_entry(index, imported, alternate).to_le_bytes());
        self.keys.push(key.as_bytes(), &value)
    }

    /// Adds a point of a street.
    pub(crate) fn street(&mut self, street: &str, lat: f64, lon: f64) -> io::Result<()> {
        let cell = layout::cell_of(lat, lon);
        let mut key = layout::street_key(street);
        key.extend(cell.to_be_bytes());
        self.table.push(&key, &layout::pack_point(lat, lon))?;
        self.near(cell, street, None, lat, lon)
    }

    /// Adds a house.
    pub(crate) fn house(
        &mut self,
        street: &str,
        number: &str,
        postcode: Option<&str>,
        lat: f64,
        lon: f64,
    ) -> io::Result<()> {
        let cell = layout::cell_of(lat, lon);
        let mut key = layout::house_key(street, number);
        key.extend(cell.to_be_bytes());
        self.table.push(&key, &layout::pack_point(lat, lon))?;
        if let Some(postcode) = postcode {
            let mut key = layout::postcode_key("", postcode);
            key.extend(cell.to_be_bytes());
            self.table.push(&key, &layout::pack_point(lat, lon))?;
        }
        self.near(cell, street, Some(number), lat, lon)
    }

    /// Adds a postcode of a country.
    pub(crate) fn postcode(&mut self, country: &str, postcode: &str, lat: f64, lon: f64) -> io::Result<()> {
        self.table.push(&layout::postcode_key(country, postcode), &layout::pack_point(lat, lon))
    }

    fn near(&mut self, cell: u32, street: &str, number: Option<&str>, lat: f64, lon: f64) -> io::Result<()> {
        let mut key = layout::cell_key(cell).to_vec();
        let mut value = layout::pack_point(lat, lon).to_vec();
        value.extend(street.as_bytes());
        if let Some(number) = number {
            value.push(0);
            value.extend(number.as_bytes());
        }
        key.extend(&value[8..]);
        self.table.push(&key, &value)
    }

    /// Writes the file. What is written last is its header.
    pub(crate) fn finish(self, target: &Path, about: &str, stamp: u64) -> io::Result<u64> {
        let Self { folder, places, names, keys, table, .. } = self;
        let into = |file: BufWriter<File>| file.into_inner().map_err(|error| error.into_error());
        drop((into(places)?, into(names)?));
        let mut out = BufWriter::with_capacity(1 << 20, File::create(target)?);
        out.write_all(&[0; HEADER + SECTIONS * 16])?;
        let mut sections: Vec<(u64, u64)> = Vec::new();
        let mut at = (HEADER + SECTIONS * 16) as u64;
        let mut section = |length: u64| {
            sections.push((at, length));
            at += length;
        };
        out.write_all(about.as_bytes())?;
        section(about.len() as u64);
        section(copy(&folder.join("places"), &mut out)?);
        section(copy(&folder.join("names"), &mut out)?);
        let postings = folder.join("postings");
        section(write_keys(keys, &mut out, &postings)?);
        section(copy(&postings, &mut out)?);
        let index = folder.join("index");
        section(write_table(table, &mut out, &index)?);
        section(copy(&index, &mut out)?);
        let mut file = into(out)?;
        file.seek(SeekFrom::Start(0))?;
        let mut header = MAGIC.to_vec();
        for number in [u64::from(VERSION), stamp, at] {
            header.extend(number.to_le_bytes());
        }
        for (offset, length) in sections {
            header.extend(offset.to_le_bytes());
            header.extend(length.to_le_bytes());
        }
        file.write_all(&header)?;
        file.sync_all()?;
        Ok(at)
    }
}

fn copy(from: &Path, out: &mut impl Write) -> io::Result<u64> {
    io::copy(&mut File::open(from)?, out)
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Writes the index of names and, into a file, the places of each.
fn write_keys(keys: Sorter, out: &mut impl Write, postings: &Path) -> io::Result<u64> {
    let mut sorted = keys.sorted()?;
    let mut lists = BufWriter::new(File::create(postings)?);
    let mut at = 0u64;
    let mut counted = Counted { out, bytes: 0 };
    let mut builder = fst::MapBuilder::new(&mut counted).map_err(io::Error::other)?;
    let mut waiting: Option<(Vec<u8>, Vec<u64>)> = None;
    let mut put = |key: &[u8], entries: &[u64], builder: &mut fst::MapBuilder<&mut Counted<'_, _>>| {
        // An index has room for 2³² bytes of lists; names beyond are left out.
        if at > u64::from(u32::MAX) - 4096 {
            return Ok(());
        }
        let mut list = Vec::new();
        varint(entries.len() as u64, &mut list);
        entries.iter().for_each(|entry| varint(*entry, &mut list));
        builder.insert(key, at + 1).map_err(io::Error::other)?;
        at += list.len() as u64;
        lists.write_all(&list)
    };
    while let Some((key, value)) = sorted.next()? {
        let entry = value.get(5..13).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
        match &mut waiting {
            Some((known, entries)) if *known == key => {
                // A name of a place may come from several files.
                if entries.len() < 120 && !entries.iter().any(|known| known >> 1 == entry >> 1) {
                    entries.push(entry);
                }
            }
            _ => {
                if let Some((known, entries)) = waiting.replace((key, vec![entry])) {
                    put(&known, &entries, &mut builder)?;
                }
            }
        }
    }
    if let Some((known, entries)) = waiting {
        put(&known, &entries, &mut builder)?;
    }
    builder.finish().map_err(io::Error::other)?;
    lists.flush()?;
    Ok(counted.bytes)
}

/// Writes the table and, into a file, its index. Of equal keys the first is kept.
fn write_table(table: Sorter, out: &mut impl Write, index: &Path) -> io::Result<u64> {
    let mut sorted = table.sorted()?;
    let mut offsets = BufWriter::new(File::create(index)?);
    let (mut at, mut number, mut last) = (0u64, 0usize, Vec::new());
    let mut entry = Vec::new();
    while let Some((key, value)) = sorted.next()? {
        if key == last {
            continue;
        }
        if number.is_multiple_of(STRIDE) {
            offsets.write_all(&at.to_le_bytes())?;
        }
        entry.clear();
        varint(key.len() as u64, &mut entry);
        varint(value.len() as u64, &mut entry);
        entry.extend(&key);
        entry.extend(&value);
        out.write_all(&entry)?;
        at += entry.len() as u64;
        number += 1;
        last = key;
    }
    offsets.flush()?;
    Ok(at)
}

/// Counts what is written.
struct Counted<'o, W> {
    out: &'o mut W,
    bytes: u64,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
