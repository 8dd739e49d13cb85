//! The places of the world, read where they lie.
//!
//! A [`Gazetteer`] is a view of a file's bytes: nothing is parsed at the start, a [`Place`] is an
//! index into them. The file is made by `cargo xtask data`; `data/README.md` names its sources.

mod bytes;
mod codes;
pub mod layout;
mod place;

use std::sync::{LazyLock, OnceLock};

use fst::raw::Fst;

use self::bytes::Bytes;
use self::codes::Codes;
use self::layout::{ADMIN1, COUNTRY, HEADER, MAGIC, PLACE, SECTIONS, Section, VERSION, Value};
pub use self::place::{Country, Kind, Place, PlaceId};
use crate::extent::Extents;
use crate::finer::Finer;
use query::fold;

/// The gazetteer's bytes, part of the program.
static EMBEDDED: &[u8] = include_bytes!("../../../../data/gazetteer.bin");

/// Why a gazetteer cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum GazetteerError {
    /// Not such a file at all.
    #[error("this is no gazetteer: it does not begin like one; make one with `cargo xtask data`")]
    NotOne,
    /// Another program's.
    #[error("the gazetteer has version {found}, this program reads version {VERSION}; make it anew")]
    Version {
        /// Its version.
        found: u32,
    },
    /// Damaged.
    #[error("the gazetteer is damaged: {what}; copy or make it anew")]
    Damaged {
        /// What is wrong with it.
        what: &'static str,
    },
}

/// The places of the world.
#[derive(Clone, Debug)]
pub struct Gazetteer {
    sections: [Bytes; SECTIONS],
    /// Countries by their codes, once one is asked for.
    codes: OnceLock<Codes>,
    /// How far areas reach, once that is asked for.
    extents: OnceLock<Extents>,
    /// What a user imported.
    finer: OnceLock<Finer>,
}

impl Gazetteer {
    /// The one that is part of the program. Ready at once: only its header is looked at.
    pub fn embedded() -> &'static Self {
        static GAZETTEER: LazyLock<Gazetteer> = LazyLock::new(|| {
            // A test sees to it that the file is whole; were it not, no place is better than a panic.
            Gazetteer::header(EMBEDDED).unwrap_or(Gazetteer::of([Bytes(&[]); SECTIONS]))
        });
        &GAZETTEER
    }

    /// Another one, whose every byte is checked first.
    pub fn open(bytes: &'static [u8]) -> Result<Self, GazetteerError> {
        let gazetteer = Self::header(bytes)?;
        let sum = bytes[HEADER - 8..HEADER].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        if layout::checksum(&bytes[HEADER..]) != sum {
            return Err(GazetteerError::Damaged { what: "its checksum does not agree" });
        }
        if gazetteer.keys().is_none() || gazetteer.words().is_none() {
            return Err(GazetteerError::Damaged { what: "its index of names cannot be read" });
        }
        Ok(gazetteer)
    }

    fn header(bytes: &'static [u8]) -> Result<Self, GazetteerError> {
        let number = |at: usize| bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        if !bytes.starts_with(&MAGIC) {
            return Err(GazetteerError::NotOne);
        }
        if number(8) != VERSION {
            return Err(GazetteerError::Version { found: number(8) });
        }
        if number(12) as usize != SECTIONS || number(16) as usize != bytes.len() {
            return Err(GazetteerError::Damaged { what: "it has not the length it says" });
        }
        let mut sections = [Bytes(&[]); SECTIONS];
        for (index, section) in sections.iter_mut().enumerate() {
            let at = HEADER + index * 8;
            let (offset, length) = (number(at) as usize, number(at + 4) as usize);
            section.0 = bytes
                .get(offset..offset.saturating_add(length))
                .ok_or(GazetteerError::Damaged { what: "a section lies outside it" })?;
        }
        Ok(Self::of(sections))
    }

    fn of(sections: [Bytes; SECTIONS]) -> Self {
        Self { sections, codes: OnceLock::new(), extents: OnceLock::new(), finer: OnceLock::new() }
    }

    /// How far areas reach, measured when it is first asked for.
    pub(crate) fn extents(&'static self, measure: impl Fn(&'static Self) -> Extents) -> &'static Extents {
        self.extents.get_or_init(|| measure(self))
    }

    pub(crate) fn section(&self, section: Section) -> Bytes {
        self.sections[section as usize]
    }

    /// What tells this gazetteer from others: its checksum.
    pub fn stamp() -> u64 {
        EMBEDDED.get(HEADER - 8..HEADER).map_or(0, |sum| u64::from_le_bytes(sum.try_into().unwrap_or_default()))
    }

    /// Adds what a user imported, once; says whether there was nothing before.
    pub fn refine(&self, finer: Finer) -> bool {
        self.finer.set(finer).is_ok()
    }

    /// What a user imported.
    pub fn finer(&self) -> Option<&Finer> {
        self.finer.get()
    }

    /// The value of a folded name.
    pub(crate) fn value(&self, key: &str) -> Option<Value> {
        let own = self.keys().and_then(|keys| keys.get(key.as_bytes())).map(|value| Value::unpack(value.value()));
        let keys = self.finer().and_then(Finer::keys);
        let finer = keys.and_then(|keys| keys.get(key.as_bytes())).map(|value| value.value() as u32);
        match (own, finer) {
            (own, None) => own,
            (Some(own), Some(finer)) => Some(Value { finer, ..own }),
            (None, Some(finer)) => Some(Value::only_finer(finer)),
        }
    }

    /// What it was made from, when, and under which licences.
    pub fn about(&self) -> &'static str {
        std::str::from_utf8(self.section(Section::About).0).unwrap_or_default()
    }

    /// How many places it knows.
    pub fn len(&self) -> usize {
        self.section(Section::Places).records(PLACE)
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All places: populated ones from south to north, then areas.
    pub fn places(&'static self) -> impl Iterator<Item = Place> {
        (0..self.len() as u32).map(move |index| self.at(index))
    }

    pub(crate) fn at(&'static self, index: u32) -> Place {
        Place::new(self, index)
    }

    /// The places known by this name, in whatever spelling: main names first, then by population.
    pub fn named(&'static self, name: &str) -> Vec<Place> {
        let Some(value) = self.value(&fold(name)) else { return Vec::new() };
        let mut entries: Vec<Named> = self.entries(value).collect();
        entries.sort_by_key(|entry| (entry.alternate, std::cmp::Reverse(entry.place.population())));
        entries.into_iter().map(|entry| entry.place).collect()
    }

    /// The countries, by their two-letter codes.
    pub fn countries(&'static self) -> impl Iterator<Item = Country> {
        (0..self.section(Section::Countries).records(COUNTRY) as u8).map(move |index| Country::new(self, index))
    }

    /// The country with this two- or three-letter code.
    pub fn country(&'static self, code: &str) -> Option<Country> {
        let number = self.codes.get_or_init(|| Codes::of(self.countries())).number(code)?;
        Some(Country::new(self, number))
    }

    pub(crate) fn keys(&self) -> Option<Fst<&'static [u8]>> {
        Fst::new(self.section(Section::Keys).0).ok()
    }

    pub(crate) fn words(&self) -> Option<Fst<&'static [u8]>> {
        Fst::new(self.section(Section::Words).0).ok()
    }

    /// The places a value of the fst of names stands for.
    pub(crate) fn entries(&'static self, value: Value) -> impl Iterator<Item = Named> {
        let postings = self.section(Section::Postings);
        let (mut at, count) = if value.many {
            let at = value.payload as usize;
            let (count, length) = postings.varint(at);
            (at + length, count)
        } else {
            (0, 1)
        };
        let finer =
            self.finer().filter(|_| value.finer > 0).into_iter().flat_map(move |finer| finer.entries(value.finer));
        let imported = finer.map(|entry| {
            let index = (entry >> 2) as u32 | if entry & 2 != 0 { Place::IMPORTED } else { 0 };
            Named { place: self.at(index), alternate: entry & 1 != 0, acronym: false }
        });
        let own = (0..count.min(layout::NAMESAKES)).map(move |_| {
            let entry = if value.many {
                let (entry, length) = postings.varint(at);
                at += length;
                entry
            } else {
                value.payload
            };
            Named { place: self.at(entry >> 2), alternate: entry & 1 != 0, acronym: entry & 2 != 0 }
        });
        own.chain(imported)
    }

    /// The first-order area with a code of its country: ("US", "KY").
    pub(crate) fn admin1_by_code(&'static self, country: &str, code: &str) -> Option<Place> {
        let (table, names) = (self.section(Section::Admin1), self.section(Section::Names));
        let country = self.country(country)?.number();
        // Sorted by code, so by country too.
        let number = |index: usize| table.u8(index * ADMIN1 + 3);
        let count = table.records(ADMIN1);
        let first = (0..count).find(|index| number(*index) == country)?;
        (first..count)
            .take_while(|index| number(*index) == country)
            .find(|index| names.text(table.u24(index * ADMIN1 + 4) as usize) == code)
            .and_then(|index| self.admin1_place(index as u16))
    }

    pub(crate) fn admin1_place(&'static self, admin1: u16) -> Option<Place> {
        let place = self.section(Section::Admin1).u24(usize::from(admin1) * ADMIN1);
        (admin1 != layout::NONE16 && place != layout::NONE24).then(|| self.at(place))
    }
}

/// A place under one of its names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    pub(crate) place: Place,
    /// Whether the name is not its main one.
    pub(crate) alternate: bool,
    /// Whether the name only ever stands in capitals.
    pub(crate) acronym: bool,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn leaked(bytes: Vec<u8>) -> &'static [u8] {
        Box::leak(bytes.into_boxed_slice())
    }

    #[test]
    fn the_embedded_gazetteer_is_whole_small_and_full() {
        let gazetteer = Gazetteer::open(EMBEDDED).unwrap();
        assert!(EMBEDDED.len() <= 25_000_000, "{} bytes", EMBEDDED.len());
        assert!(gazetteer.len() > 250_000);
        assert!(gazetteer.about().contains("CC BY 4.0"));
        assert_eq!(Gazetteer::embedded().countries().count(), 250);
    }

    #[test]
    fn places_are_found_by_names_in_any_script_and_spelling() {
        for (name, id) in [
            ("Kiel", 2_891_122),
            ("KIEL", 2_891_122),
            ("Köln", 2_886_242),
            ("Koeln", 2_886_242),
            ("Cologne", 2_886_242),
            ("Åbo", 633_679),
            ("Turku", 633_679),
            ("Москва", 524_901),
            ("北京", 1_816_670),
            ("القاهرة", 360_630),
            ("Saksa", 2_921_044),
            ("Allemagne", 2_921_044),
            ("Kalifornien", 5_332_921),
            ("Los Angeles County", 5_368_381),
        ] {
            let places = Gazetteer::embedded().named(name);
            let ids: Vec<_> = places.iter().filter_map(|place| place.id().geonames()).collect();
            assert!(ids.contains(&id), "{name}: {places:?}");
        }
    }

    #[test]
    fn countries_are_found_by_both_their_codes_in_any_case() {
        let gazetteer = Gazetteer::embedded();
        for country in gazetteer.countries() {
            for code in [country.code(), country.code3(), &country.code().to_lowercase()] {
                assert_eq!(gazetteer.country(code), Some(country), "{code}");
            }
        }
        for code in ["", "D", "XX", "Germany", "É"] {
            assert_eq!(gazetteer.country(code), None, "{code}");
        }
    }

    #[test]
    fn another_file_another_version_or_a_changed_byte_is_refused() {
        assert_eq!(Gazetteer::open(b"").unwrap_err(), GazetteerError::NotOne);
        assert_eq!(Gazetteer::open(b"%PDF-1.4 and more").unwrap_err(), GazetteerError::NotOne);
        let mut newer = EMBEDDED[..1000].to_vec();
        newer[8] = 99;
        assert_eq!(Gazetteer::open(leaked(newer)).unwrap_err(), GazetteerError::Version { found: 99 });
        assert!(matches!(Gazetteer::open(&EMBEDDED[..1000]), Err(GazetteerError::Damaged { .. })));
        let mut changed = EMBEDDED.to_vec();
        changed[12_345_678] ^= 1;
        assert!(matches!(Gazetteer::open(leaked(changed)), Err(GazetteerError::Damaged { .. })));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

        /// Were a damaged file read in spite of its checksum, its places and borders would be wrong
        /// but reading them would not panic.
        #[test]
        fn records_of_a_damaged_file_are_read_without_panic(
            damage in proptest::collection::vec((0usize..10_000_000, any::<u8>()), 2000),
            lat in -90.0..=90.0, lon in -180.0..=180.0,
        ) {
            let mut sections = Gazetteer::embedded().sections;
            for (number, section) in sections.iter_mut().enumerate() {
                if number == Section::Keys as usize || number == Section::Words as usize {
                    continue;
                }
                let mut bytes = section.0[..section.0.len().min(400_000)].to_vec();
                let length = bytes.len();
                damage.iter().for_each(|(at, byte)| bytes[at % length] = *byte);
                section.0 = leaked(bytes);
            }
            let gazetteer: &'static Gazetteer = Box::leak(Box::new(Gazetteer::of(sections)));
            let _ = gazetteer.places().next().and_then(Place::extent_km);
            let _ = crate::reverse(gazetteer, facts::LatLon::new(lat, lon).unwrap()).describe();
            for place in gazetteer.places().step_by(97) {
                let _ = (place.full_name(), place.id(), place.code(), place.admin2(), place.kind(), place.at());
            }
            let _ = gazetteer.named("London");
        }
    }
}
