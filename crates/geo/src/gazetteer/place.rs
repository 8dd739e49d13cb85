//! Places and countries.

use std::fmt;

use facts::LatLon;

use super::Gazetteer;
use super::bytes::Bytes;
use super::layout::{self, ADMIN1, ADMIN2, COUNTRY, FEATURES, NONE8, NONE16, NONE24, PLACE, Section};

/// The identity of a place: its number at GeoNames, or, for the few that have none in our sources,
/// a number of our own made from its codes and name. Stays the same when the data are made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlaceId(u32);

impl PlaceId {
    const OWN: u32 = 1 << 31;

    /// The number at GeoNames.
    pub fn geonames(self) -> Option<u32> {
        (self.0 & Self::OWN == 0).then_some(self.0)
    }

    /// As a number: GeoNames' below 2³¹, our own above.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for PlaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What kind of thing a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A city, town or village.
    Town,
    /// A part of a town.
    Quarter,
    /// An area of the second or a lower order: county, district, municipality.
    Admin2,
    /// An area of the first order: state, province, region.
    Admin1,
    /// A country or dependency.
    Country,
    /// A region that no office governs: the Middle East, a mountain range, a sea.
    Region,
    /// A continent.
    Continent,
}

/// A place of the gazetteer.
#[derive(Clone, Copy)]
pub struct Place {
    gazetteer: &'static Gazetteer,
    index: u32,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for Place {}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.full_name(), self.id())
    }
}

impl Place {
    pub(super) fn new(gazetteer: &'static Gazetteer, index: u32) -> Self {
        Self { gazetteer, index }
    }

    /// The bit of the index of imported places.
    pub(crate) const IMPORTED: u32 = 1 << 31;

    /// The record of an imported place.
    fn imported(self) -> Option<&'static [u8]> {
        let index = self.index & !Self::IMPORTED;
        if self.index == index {
            return None;
        }
        self.gazetteer.finer().map(|finer| finer.record(index))
    }

    fn record(self) -> (Bytes, usize) {
        (self.gazetteer.section(Section::Places), self.index as usize * PLACE)
    }

    pub(crate) fn gazetteer(self) -> &'static Gazetteer {
        self.gazetteer
    }

    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// Its identity.
    pub fn id(self) -> PlaceId {
        if let Some(record) = self.imported() {
            return PlaceId(u32_at(record, 0));
        }
        let (bytes, at) = self.record();
        match bytes.u24(at) {
            NONE24 => {
                let (code, country) = (self.code(), self.country().map_or("", Country::code));
                let parts = [self.feature(), country, code, self.name()];
                let hash = parts.iter().flat_map(|part| part.bytes().chain([0])).fold(0x811C_9DC5u32, |hash, byte| {
                    // FNV-1a
                    (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
                });
                PlaceId(hash | PlaceId::OWN)
            }
            number => PlaceId(number),
        }
    }

    /// Its main name.
    pub fn name(self) -> &'static str {
        if let (Some(record), Some(finer)) = (self.imported(), self.gazetteer.finer()) {
            return finer.name(u32_at(record, 16));
        }
        let (bytes, at) = self.record();
        self.gazetteer.section(Section::Names).text(bytes.u24(at + 12) as usize)
    }

    /// Its name with the areas it lies in: "Kiel, Schleswig-Holstein, Germany".
    pub fn full_name(self) -> String {
        let mut parts = vec![self.name()];
        parts.extend(self.admin1().map(Self::name).filter(|name| *name != self.name()));
        parts.extend(self.country().map(Country::name).filter(|name| *name != self.name()));
        parts.join(", ")
    }

    /// Its centre.
    pub fn at(self) -> LatLon {
        let (lat, lon) = self.degrees();
        LatLon::new(lat, lon).unwrap_or_else(|| LatLon::new(0.0, 0.0).expect("the origin is on the Earth"))
    }

    pub(crate) fn degrees(self) -> (f64, f64) {
        if let Some(record) = self.imported() {
            return crate::finer::layout::point(record.get(4..).unwrap_or_default()).unwrap_or_default();
        }
        let (bytes, at) = self.record();
        (layout::unpack_lat(bytes.i24(at + 3)), layout::unpack_lon(bytes.i24(at + 6)))
    }

    /// How many people live there; 0 when that is not known.
    pub fn population(self) -> u64 {
        if let Some(record) = self.imported() {
            return u32_at(record, 12).into();
        }
        let (bytes, at) = self.record();
        layout::unpack_population(bytes.u24(at + 9))
    }

    /// Its GeoNames feature code, such as `PPLA` or `ADM1`.
    pub fn feature(self) -> &'static str {
        FEATURES.get(usize::from(self.feature_number())).copied().unwrap_or(FEATURES[0])
    }

    fn feature_number(self) -> u8 {
        match self.imported() {
            Some(record) => record.get(25).copied().unwrap_or(0),
            None => {
                let (bytes, at) = self.record();
                bytes.u8(at + 20)
            }
        }
    }

    /// What kind of thing it is.
    pub fn kind(self) -> Kind {
        // The order of `layout::FEATURES`.
        match self.feature_number() {
            10 | 12 | 15 | 16 => Kind::Quarter,
            0..=17 => Kind::Town,
            18..=24 => Kind::Country,
            25 => Kind::Admin1,
            26..=29 => Kind::Admin2,
            30 => Kind::Continent,
            31..=35 => Kind::Region,
            _ => Kind::Town,
        }
    }

    /// Whether it is a capital of its country or of its first-order area.
    pub fn is_capital(self) -> bool {
        matches!(self.feature(), "PPLC" | "PPLA")
    }

    /// The country it lies in, or is.
    pub fn country(self) -> Option<Country> {
        let country = self.country_number();
        (country != NONE8).then(|| Country::new(self.gazetteer, country))
    }

    pub(crate) fn country_number(self) -> u8 {
        if let Some(record) = self.imported() {
            return record.get(24).copied().unwrap_or(NONE8);
        }
        let (bytes, at) = self.record();
        bytes.u8(at + 19)
    }

    pub(crate) fn admin1_number(self) -> u16 {
        if let Some(record) = self.imported() {
            return u32_at(record, 20) as u16;
        }
        let (bytes, at) = self.record();
        bytes.u16(at + 15)
    }

    pub(crate) fn admin2_number(self) -> u16 {
        if let Some(record) = self.imported() {
            return (u32_at(record, 20) >> 16) as u16;
        }
        let (bytes, at) = self.record();
        bytes.u16(at + 17)
    }

    /// The first-order area it lies in, or is.
    pub fn admin1(self) -> Option<Self> {
        self.gazetteer.admin1_place(self.admin1_number())
    }

    /// The second-order area it lies in, or is.
    pub fn admin2(self) -> Option<Self> {
        let number = self.admin2_number();
        let place = self.gazetteer.section(Section::Admin2).u24(usize::from(number) * ADMIN2);
        (number != NONE16 && place != NONE24).then(|| Self::new(self.gazetteer, place))
    }

    /// GeoNames' code of an area: `CA` for California, `037` for Los Angeles County.
    pub fn code(self) -> &'static str {
        // Areas of the tables only: what was imported below them has no code there.
        let code = match self.kind() {
            _ if self.index & Self::IMPORTED != 0 => return "",
            Kind::Admin1 => self.gazetteer.section(Section::Admin1).u24(usize::from(self.admin1_number()) * ADMIN1 + 4),
            Kind::Admin2 => self.gazetteer.section(Section::Admin2).u24(usize::from(self.admin2_number()) * ADMIN2 + 5),
            Kind::Country => return self.country().map_or("", Country::code),
            _ => return "",
        };
        self.gazetteer.section(Section::Names).text(code as usize)
    }
}

fn u32_at(record: &[u8], at: usize) -> u32 {
    record.get(at..at + 4).map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
}

/// A country or dependency with an ISO 3166 code.
#[derive(Clone, Copy)]
pub struct Country {
    gazetteer: &'static Gazetteer,
    index: u8,
}

impl PartialEq for Country {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for Country {}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Country {
    pub(crate) fn new(gazetteer: &'static Gazetteer, index: u8) -> Self {
        Self { gazetteer, index }
    }

    pub(crate) fn number(self) -> u8 {
        self.index
    }

    fn field(self, from: usize, length: usize) -> &'static str {
        let at = usize::from(self.index) * COUNTRY + from;
        let bytes = self.gazetteer.section(Section::Countries).0.get(at..at + length).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default().trim_end_matches('\0')
    }

    /// Its two-letter code (ISO 3166-1).
    pub fn code(self) -> &'static str {
        self.field(0, 2)
    }

    /// Its three-letter code.
    pub fn code3(self) -> &'static str {
        self.field(2, 3)
    }

    /// The language most of it is written in (ISO 639-1).
    pub fn language(self) -> &'static str {
        self.field(8, 2)
    }

    /// Its continent: AF, AN, AS, EU, NA, OC or SA.
    pub fn continent(self) -> &'static str {
        self.field(10, 2)
    }

    /// Its telephone prefix; 0 when it has none.
    pub fn telephone(self) -> u32 {
        self.gazetteer.section(Section::Countries).u24(usize::from(self.index) * COUNTRY + 12)
    }

    /// The country as a place.
    pub fn place(self) -> Place {
        let place = self.gazetteer.section(Section::Countries).u24(usize::from(self.index) * COUNTRY + 5);
        Place::new(self.gazetteer, place)
    }

    /// Its English name.
    pub fn name(self) -> &'static str {
        self.place().name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_follow_feature_codes() {
        let gazetteer = Gazetteer::embedded();
        let first = |feature: &str| gazetteer.places().find(|place| place.feature() == feature).map(Place::kind);
        for (feature, kind) in [
            ("PPL", Kind::Town),
            ("PPLC", Kind::Town),
            ("PPLX", Kind::Quarter),
            ("PCLI", Kind::Country),
            ("ADM1", Kind::Admin1),
            ("ADM2", Kind::Admin2),
            ("ADMD", Kind::Admin2),
            ("CONT", Kind::Continent),
            ("RGN", Kind::Region),
            ("SEA", Kind::Region),
        ] {
            assert_eq!(first(feature), Some(kind), "{feature}");
        }
    }

    #[test]
    fn places_know_what_they_are_and_lie_in() {
        let kiel = Gazetteer::embedded().named("Kiel")[0];
        assert_eq!(kiel.id().geonames(), Some(2_891_122));
        assert_eq!(kiel.full_name(), "Kiel, Schleswig-Holstein, Germany");
        assert_eq!(
            kiel.country().map(|country| (country.code(), country.code3(), country.language())),
            Some(("DE", "DEU", "de"))
        );
        assert!(kiel.population() > 200_000 && kiel.is_capital());
        assert_eq!(Gazetteer::embedded().country("FI").map(|country| country.telephone()), Some(358));
    }
}
