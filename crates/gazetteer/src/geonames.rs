//! GeoNames dumps: `allCountries.txt` and its parts, `alternateNamesV2.txt`, postal codes.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use geo::finer::Areas;
use geo::layout::feature_number;

use crate::GazetteerError;
use crate::import::Progress;
use crate::write::{NewPlace, Writer};

/// Bytes of a line, at most.
const LINE: u64 = 1 << 20;
/// Names of a place in the column of its others, at most.
const OTHERS: usize = 20;
/// Lines between two reports.
const REPORT: u64 = 20_000;

/// What a dump is about, told by its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dump {
    Places,
    Names,
    Postcodes,
}

impl Dump {
    /// What a line is of.
    pub(crate) fn of(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split('\t').collect();
        let number = |cell: usize| cells.get(cell).is_some_and(|cell| cell.parse::<u32>().is_ok());
        let degrees = |cell: usize| cells.get(cell).is_some_and(|cell| cell.parse::<f64>().is_ok());
        match cells.len() {
            19 if number(0) && degrees(4) && degrees(5) => Some(Self::Places),
            12 if cells[0].len() == 2 && degrees(9) && degrees(10) => Some(Self::Postcodes),
            8 | 10 if number(0) && number(1) => Some(Self::Names),
            _ => None,
        }
    }
}

/// Places that were read, so that names can be added to them.
#[derive(Default)]
pub(crate) struct Found {
    /// GeoNames' number, index, people.
    places: Vec<(u32, u32, u32)>,
    sorted: bool,
}

impl Found {
    fn find(&mut self, id: u32) -> Option<(u32, u32)> {
        if !self.sorted {
            self.places.sort_unstable();
            self.sorted = true;
        }
        let at = self.places.binary_search_by_key(&id, |place| place.0).ok()?;
        Some((self.places[at].1, self.places[at].2))
    }
}

/// Reads a dump of a kind to its end. Every line must be one of that kind.
pub(crate) fn read(
    path: &Path,
    dump: Dump,
    areas: &Areas,
    known: &mut Found,
    writer: &mut Writer,
    progress: &mut Progress<'_>,
) -> Result<(), GazetteerError> {
    let failed = |error| GazetteerError::file(path)(error);
    let mut lines = BufReader::with_capacity(1 << 18, File::open(path).map_err(failed)?);
    let (mut line, mut number) = (Vec::new(), 0u64);
    loop {
        line.clear();
        let read = lines.by_ref().take(LINE).read_until(b'\n', &mut line).map_err(failed)?;
        if read == 0 {
            return Ok(());
        }
        number += 1;
        if number.is_multiple_of(REPORT) {
            progress.bytes(path, read as u64 * REPORT);
        }
        let wrong = |why: &str| GazetteerError::source(path, format!("line {number} {why}"));
        let text = std::str::from_utf8(&line).map_err(|_| wrong("is not UTF-8"))?.trim_end_matches(['\n', '\r']);
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = text.split('\t').collect();
        match dump {
            Dump::Places => {
                place(&cells, areas, known, writer).ok_or_else(|| wrong("is not one of a dump of places"))?
            }
            Dump::Names => name(&cells, areas, known, writer).ok_or_else(|| wrong("is not one of a dump of names"))?,
            Dump::Postcodes => postcode(&cells, writer).ok_or_else(|| wrong("is not one of a dump of postal codes"))?,
        }
        .map_err(failed)?;
    }
}

type Written = std::io::Result<()>;

fn degrees(lat: &str, lon: &str) -> Option<(f64, f64)> {
    let (lat, lon) = (lat.parse().ok()?, lon.parse().ok()?);
    facts::LatLon::new(lat, lon).map(|at| (at.lat(), at.lon()))
}

/// Populated places and areas; mountains, waters and buildings are left out.
fn place(cells: &[&str], areas: &Areas, known: &mut Found, writer: &mut Writer) -> Option<Written> {
    let [id, name, ascii, others, lat, lon, class, code, country, _, admin1, admin2, _, _, people, ..] = cells[..]
    else {
        return None;
    };
    let id: u32 = id.parse().ok()?;
    let (lat, lon) = degrees(lat, lon)?;
    // Towns that are no more, and areas that were, are left out too.
    if !matches!(class, "P" | "A")
        || matches!(code, "PPLH" | "PPLQ" | "PPLW" | "PPLCH")
        || code.ends_with('H')
        || areas.known(id).is_some()
    {
        return Some(Ok(()));
    }
    let feature = match class {
        "A" => feature_number(if matches!(code, "ADM2" | "ADM3" | "ADM4" | "ADMD") { code } else { "ADMD" }),
        _ => feature_number(code),
    };
    let people: u64 = people.parse().unwrap_or(0);
    let numbers = areas.coded(country, admin1, admin2);
    let mut write = || {
        let index = writer.place(&NewPlace { id, name, lat, lon, people, feature, numbers })?;
        known.places.push((id, index, u32::try_from(people).unwrap_or(u32::MAX)));
        known.sorted = false;
        let others = others.split(',').filter(|other| !other.is_empty()).take(OTHERS);
        for other in others.chain([ascii]).filter(|other| geo::fold(other) != geo::fold(name)) {
            writer.named(other, index, true, true, people)?;
        }
        Ok(())
    };
    Some(write())
}

/// A further name of a place; links, postcodes and codes of airports are none.
fn name(cells: &[&str], areas: &Areas, known: &mut Found, writer: &mut Writer) -> Option<Written> {
    let (id, language, name) = (cells.get(1)?.parse::<u32>().ok()?, cells.get(2)?, cells.get(3)?);
    let is_set = |cell: usize| cells.get(cell).is_some_and(|cell| *cell == "1");
    let historic = is_set(7);
    if language.len() > 3
        || matches!(*language, "wkdt" | "link" | "post" | "iata" | "icao" | "faac" | "unlc")
        || historic
        || is_set(6)
    {
        return Some(Ok(()));
    }
    if let Some((index, people)) = known.find(id) {
        return Some(writer.named(name, index, true, true, people.into()));
    }
    Some(areas.known(id).map_or(Ok(()), |index| writer.named(name, index, false, true, 0)))
}

fn postcode(cells: &[&str], writer: &mut Writer) -> Option<Written> {
    let (country, postcode) = (*cells.first()?, *cells.get(1)?);
    let (lat, lon) = degrees(cells.get(9)?, cells.get(10)?)?;
    Some(writer.postcode(country, postcode, lat, lon))
}
