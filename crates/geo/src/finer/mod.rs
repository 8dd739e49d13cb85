//! What a user imported: places, postcodes, streets and houses beside the embedded gazetteer.
//!
//! A [`Finer`] is a view of a file's bytes, as the gazetteer is; `bowerbird gazetteer import` makes the
//! file. Its places are [`Place`](crate::Place)s like all others. Streets, houses and postcodes stand in
//! one table sorted by key, which is searched where it lies.

mod areas;
pub mod layout;
mod table;

use fst::raw::Fst;

pub use self::areas::{Areas, Numbers};
use self::layout::{HEADER, MAGIC, PLACE, SECTIONS, Section, VERSION};
use self::table::Table;
use crate::distance::great_circle;

/// How far from a town's centre its streets are looked for, in kilometres.
const STREET_REACH: f64 = 30.0;
/// How far a street or house is given for a point, in kilometres.
const NEAR: f64 = 0.25;
/// Most entries of one key that are looked at.
const ENTRIES: usize = 5000;

/// Why an imported gazetteer cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FinerError {
    /// Not such a file, or a damaged one.
    #[error("the imported gazetteer is damaged: {0}; import its sources again")]
    Damaged(&'static str),
    /// Made by or for another version.
    #[error("the imported gazetteer was made by another version of this program; import its sources again")]
    Version,
}

/// Imported places, postcodes, streets and houses.
#[derive(Clone, Copy, Debug)]
pub struct Finer {
    sections: [&'static [u8]; SECTIONS],
}

/// A street or house near a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearby {
    /// The street's name.
    pub street: &'static str,
    /// The house number, where a house is nearest.
    pub number: Option<&'static str>,
    /// How many kilometres away it is.
    pub km: f64,
}

impl Finer {
    /// A view of a file's bytes; `stamp` is that of the gazetteer it must have been made for.
    pub fn open(bytes: &'static [u8], stamp: u64) -> Result<Self, FinerError> {
        let number =
            |at: usize| bytes.get(at..at + 8).map_or(0, |b| u64::from_le_bytes(b.try_into().unwrap_or_default()));
        if !bytes.starts_with(&MAGIC) {
            return Err(FinerError::Damaged("it does not begin like one"));
        }
        if number(8) != u64::from(VERSION) || number(16) != stamp {
            return Err(FinerError::Version);
        }
        if number(24) != bytes.len() as u64 {
            return Err(FinerError::Damaged("it has not the length it says"));
        }
        let mut sections: [&'static [u8]; SECTIONS] = [&[]; SECTIONS];
        for (index, section) in sections.iter_mut().enumerate() {
            let (offset, length) = (number(HEADER + index * 16) as usize, number(HEADER + index * 16 + 8) as usize);
            let end = offset.checked_add(length).ok_or(FinerError::Damaged("a section lies outside it"))?;
            *section = bytes.get(offset..end).ok_or(FinerError::Damaged("a section lies outside it"))?;
        }
        let finer = Self { sections };
        // The index of names is trusted when it is read, so it is checked before.
        if finer.keys().is_none_or(|keys| keys.verify().is_err()) {
            return Err(FinerError::Damaged("its index of names cannot be read"));
        }
        Ok(finer)
    }

    /// What it was made from.
    pub fn about(&self) -> &'static str {
        std::str::from_utf8(self.section(Section::About)).unwrap_or_default()
    }

    /// How many places it adds.
    pub fn len(&self) -> usize {
        self.section(Section::Places).len() / PLACE
    }

    /// Whether it adds no place.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn section(&self, section: Section) -> &'static [u8] {
        self.sections[section as usize]
    }

    pub(crate) fn keys(&self) -> Option<Fst<&'static [u8]>> {
        Fst::new(self.section(Section::Keys)).ok()
    }

    fn table(&self) -> Table {
        Table { entries: self.section(Section::Table), index: self.section(Section::Index) }
    }

    /// Bytes of a place's record.
    pub(crate) fn record(&self, index: u32) -> &'static [u8] {
        let at = index as usize * PLACE;
        self.section(Section::Places).get(at..at + PLACE).unwrap_or(&[0; PLACE])
    }

    /// A name of the section of names.
    pub(crate) fn name(&self, at: u32) -> &'static str {
        let names = self.section(Section::Names);
        let length = usize::from(names.get(at as usize).copied().unwrap_or(0));
        let text = names.get(at as usize + 1..at as usize + 1 + length).unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }

    /// The places of a name, by the value of the index of names: each with its bits, see
    /// [`layout::pack_entry`].
    pub(crate) fn entries(&self, value: u32) -> impl Iterator<Item = u64> + use<> {
        let postings = self.section(Section::Postings);
        let mut at = value.checked_sub(1).map_or(usize::MAX, |at| at as usize);
        let (count, length) = table::varint(postings, at);
        at = at.saturating_add(length);
        (0..count.min(u64::from(crate::gazetteer::layout::NAMESAKES))).map(move |_| {
            let (entry, length) = table::varint(postings, at);
            at = at.saturating_add(length);
            entry
        })
    }

    /// Where the house of a street nearest to a point is.
    pub(crate) fn house(&self, street: &str, number: &str, near: (f64, f64)) -> Option<(f64, f64)> {
        self.nearest_of(&layout::house_key(street, number), near)
    }

    /// Where the street nearest to a point is.
    pub(crate) fn street(&self, street: &str, near: (f64, f64)) -> Option<(f64, f64)> {
        self.nearest_of(&layout::street_key(street), near)
    }

    /// Where a postcode is: of its country, or as houses near a point have it.
    pub(crate) fn postcode(&self, country: &str, postcode: &str, near: Option<(f64, f64)>) -> Option<(f64, f64)> {
        let own = self
            .table()
            .with_prefix(&layout::postcode_key(country, postcode))
            .next()
            .and_then(|(_, value)| layout::point(value));
        own.or_else(|| self.nearest_of(&layout::postcode_key("", postcode), near?))
    }

    fn nearest_of(&self, prefix: &[u8], near: (f64, f64)) -> Option<(f64, f64)> {
        let points = self.table().with_prefix(prefix).take(ENTRIES).filter_map(|(_, value)| layout::point(value));
        let measured = points.map(|point| (great_circle(point, near), point));
        let (km, point) = measured.min_by(|a, b| a.0.total_cmp(&b.0))?;
        (km <= STREET_REACH).then_some(point)
    }

    /// The street or house nearest to a point.
    pub(crate) fn nearest(&self, at: (f64, f64)) -> Option<Nearby> {
        let mut best: Option<Nearby> = None;
        for cell in layout::cells_around(at) {
            for (_, value) in self.table().with_prefix(&layout::cell_key(cell)).take(ENTRIES) {
                let Some(point) = layout::point(value) else { continue };
                let km = great_circle(point, at);
                if km > NEAR || best.is_some_and(|best| best.km <= km) {
                    continue;
                }
                let text = value.get(8..).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
                let (street, number) =
                    text.split_once('\0').map_or((text, None), |(street, number)| (street, Some(number)));
                best = Some(Nearby { street, number, km });
            }
        }
        best
    }
}
