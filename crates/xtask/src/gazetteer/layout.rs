//! Writing places, names and borders into the sections of the file.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail, ensure};
use geo::layout::{self, COLUMNS, NONE16, NONE24, ROWS, Section};

use super::polygons::NumberedArea;
use super::{Draft, World};
use crate::borders::{self, Arc};
use crate::names;
use crate::write::{Sections, u24, varint};

/// A file of borders alone, which can be asked where towns lie.
pub(super) fn with_empty_indexes(sections: &mut Sections) -> Result<Vec<u8>> {
    *sections.of(Section::Keys) = fst(std::iter::empty())?;
    *sections.of(Section::Words) = fst(std::iter::empty())?;
    Ok(sections.file())
}

/// An index from keys, in order, to numbers.
pub(super) fn fst<'a>(pairs: impl Iterator<Item = (&'a str, u64)>) -> Result<Vec<u8>> {
    let mut builder = fst::MapBuilder::memory();
    for (key, value) in pairs {
        builder.insert(key, value)?;
    }
    Ok(builder.into_inner()?)
}

/// Arcs, their vertices and the grid.
pub(super) fn write_borders(sections: &mut Sections, arcs: &[Arc]) -> Result<()> {
    ensure!(arcs.len() < usize::from(u16::MAX), "{} arcs are too many", arcs.len());
    let mut first = 0u32;
    for arc in arcs {
        ensure!(arc.vertices.len() < usize::from(u16::MAX), "an arc of {} vertices is too long", arc.vertices.len());
        let record = sections.of(Section::Arcs);
        record.extend(u24(first));
        record.extend(arc.left.to_le_bytes());
        record.extend(arc.right.to_le_bytes());
        first += arc.vertices.len() as u32;
        for (lat, lon) in &arc.vertices {
            sections.of(Section::Vertices).extend(u24(*lat as u32));
            sections.of(Section::Vertices).extend(u24(*lon as u32));
        }
    }
    let (cells, bytes) = borders::grid(arcs);
    cells.iter().for_each(|cell| sections.of(Section::AreaGrid).extend(u24(cell.pack())));
    *sections.of(Section::Cells) = bytes;
    Ok(())
}

impl World {
    /// Places, names and tables.
    pub(super) fn write(&self, sections: &mut Sections, areas: &[NumberedArea]) -> Result<()> {
        let mut texts = Names::default();
        let mut keys: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for (index, draft) in self.drafts.iter().enumerate() {
            let languages =
                self.countries.get(usize::from(draft.country)).map_or("", |country| country.languages.as_str());
            keys_of(draft, languages, |key, acronym, alternate| {
                let entries = keys.entry(key).or_default();
                match entries.iter_mut().find(|entry| entry.place == index as u32) {
                    Some(known) => {
                        known.alternate &= alternate;
                        known.acronym &= acronym;
                    }
                    None => entries.push(Entry { place: index as u32, alternate, acronym }),
                }
            });
            let record = sections.of(Section::Places);
            record.extend(u24(draft.id.unwrap_or(NONE24)));
            record.extend(u24(layout::pack_lat(draft.at.0) as u32));
            record.extend(u24(layout::pack_lon(draft.at.1) as u32));
            record.extend(u24(layout::pack_population(draft.population)));
            record.extend(u24(texts.offset(&draft.name)));
            record.extend(draft.admin1.to_le_bytes());
            record.extend(draft.admin2.to_le_bytes());
            record.push(draft.country);
            record.push(layout::feature_number(draft.feature));
        }
        self.write_tables(sections, &mut texts, areas)?;
        ensure!(texts.bytes.len() < NONE24 as usize, "the names need {} bytes", texts.bytes.len());
        *sections.of(Section::Names) = texts.bytes;
        let mut values = Vec::with_capacity(keys.len());
        for (key, entries) in &mut keys {
            entries.sort_by_key(|entry| {
                (std::cmp::Reverse(self.drafts[entry.place as usize].population), entry.alternate, entry.place)
            });
            entries.truncate(layout::NAMESAKES as usize);
            let pack = |entry: &Entry| layout::pack_entry(entry.place, entry.alternate, entry.acronym);
            let payload = match entries.as_slice() {
                [single] => pack(single),
                several => {
                    let postings = sections.of(Section::Postings);
                    let offset = postings.len() as u32;
                    varint(several.len() as u32, postings);
                    several.iter().for_each(|entry| varint(pack(entry), postings));
                    offset
                }
            };
            values.push((key.as_str(), layout::Value { payload, many: entries.len() > 1, finer: 0 }.pack()));
        }
        eprintln!("{} places, {} names", self.drafts.len(), values.len());
        *sections.of(Section::Keys) = fst(values.into_iter())?;
        Ok(())
    }

    fn write_tables(&self, sections: &mut Sections, texts: &mut Names, areas: &[NumberedArea]) -> Result<()> {
        for (number, country) in self.countries.iter().enumerate() {
            let record = sections.of(Section::Countries);
            let fixed = |text: &str, length: usize| {
                let mut bytes = text.as_bytes().to_vec();
                bytes.resize(length, 0);
                bytes
            };
            record.extend(fixed(&country.iso, 2));
            record.extend(fixed(&country.iso3, 3));
            record.extend(u24(self.country_places[number] as u32));
            record.extend(fixed(country.languages.split([',', '-']).next().unwrap_or_default(), 2));
            record.extend(fixed(&country.continentcode, 2));
            let prefix: String = country.phone.chars().take_while(|c| *c != ' ').filter(char::is_ascii_digit).collect();
            record.extend(u24(prefix.parse().unwrap_or(0)));
        }
        let place = |places: &[usize], number: usize| match places.get(number) {
            Some(place) if *place != usize::MAX => *place as u32,
            _ => NONE24,
        };
        for (number, (code, _)) in self.admin1.iter().enumerate() {
            let (country, own) = code.split_once('.').context("a code without a country")?;
            let record = sections.of(Section::Admin1);
            record.extend(u24(place(&self.admin1_places, number)));
            record.push(self.country(country));
            record.extend(u24(texts.offset(own)));
        }
        for (number, (code, _)) in self.admin2.iter().enumerate() {
            let Some((first, own)) = code.rsplit_once('.') else { bail!("{code} is no second-order code") };
            let record = sections.of(Section::Admin2);
            record.extend(u24(place(&self.admin2_places, number)));
            record.extend(self.admin1_numbers.get(first).copied().unwrap_or(NONE16).to_le_bytes());
            record.extend(u24(texts.offset(own)));
        }
        for area in areas {
            let record = sections.of(Section::Areas);
            record.extend(u24(area.place as u32));
            record.extend(area.admin1.to_le_bytes());
            record.push(area.country);
        }
        let mut next = 0;
        for cell in 0..ROWS * COLUMNS {
            while next < self.towns && cell_number(self.drafts[next].at) < cell {
                next += 1;
            }
            sections.of(Section::TownGrid).extend(u24(next as u32));
        }
        sections.of(Section::TownGrid).extend(u24(self.towns as u32));
        Ok(())
    }
}

fn cell_number(at: (f64, f64)) -> usize {
    let (row, column) = layout::cell_of(at.0, at.1);
    row * COLUMNS + column
}

/// A place under a name.
struct Entry {
    place: u32,
    alternate: bool,
    acronym: bool,
}

/// The keys a place is found by.
fn keys_of(draft: &Draft, languages: &str, mut add: impl FnMut(String, bool, bool)) {
    let main = names::key(&draft.name, true, true);
    let main_key = main.as_ref().map_or(String::new(), |(key, _)| format!(" {key} "));
    if let Some((key, acronym)) = main {
        add(key, acronym, false);
    }
    let town = draft.feature.starts_with("PPL");
    let governs = matches!(draft.feature, "PCLI" | "CONT") || draft.feature == "RGN" && draft.id.is_none();
    let below = |population: u64| town && draft.population < population;
    let mut kept: Vec<String> = Vec::new();
    for name in &draft.names {
        if below(names::FOREIGN_SCRIPTS_FROM) && !names::writes_in(languages, names::script(name)) {
            continue;
        }
        let Some((key, acronym)) = names::key(name, false, governs) else { continue };
        let longer = !main_key.is_empty() && format!(" {key} ").contains(&main_key);
        if (longer && below(names::LONGER_NAMES_FROM)) || kept.contains(&key) {
            continue;
        }
        if below(names::MANY_NAMES_FROM) && kept.len() >= names::FEW_NAMES {
            break;
        }
        kept.push(key.clone());
        add(key, acronym, true);
    }
}

/// Strings, each stored once.
#[derive(Default)]
struct Names {
    bytes: Vec<u8>,
    known: HashMap<String, u32>,
}

impl Names {
    fn offset(&mut self, name: &str) -> u32 {
        let mut end = name.len().min(255);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        let name = &name[..end];
        if let Some(offset) = self.known.get(name) {
            return *offset;
        }
        let offset = self.bytes.len() as u32;
        self.bytes.push(name.len() as u8);
        self.bytes.extend(name.as_bytes());
        self.known.insert(name.to_owned(), offset);
        offset
    }
}
