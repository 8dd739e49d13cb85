//! The places that share a name.

use super::Document;
use crate::gazetteer::layout::{NONE16, Value};
use crate::gazetteer::{Country, Kind, Place};
use crate::parse::tuning::{self, score, support};

/// People from which a town is one of some size.
const LARGE: u64 = 10_000;

/// All mentions of one name.
pub(super) struct Group {
    pub(super) candidates: Vec<Candidate>,
    /// The one that is taken, and how much better it is than the next.
    pub(super) taken: usize,
    pub(super) margin: f64,
    pub(super) accepted: usize,
    /// The name stands in capitals and is one that does.
    pub(super) acronym: bool,
    /// Some mention of it is part of a person's name.
    pub(super) person: bool,
    /// What speaks for the name by itself.
    pub(super) own: f64,
}

/// A place that a name may mean.
pub(super) struct Candidate {
    pub(super) place: Place,
    pub(super) prior: f64,
    pub(super) country: u8,
    pub(super) admin1: u16,
    pub(super) at: (f64, f64),
    pub(super) hinted: f64,
    /// In the region of interest.
    pub(super) in_region: bool,
    /// Spoken of around the text.
    pub(super) in_context: bool,
    /// Whether the name is not its main one.
    pub(super) alternate: bool,
    /// What its spelling says.
    spelled: f64,
}

impl Document<'_> {
    /// The places of a name, with what speaks for each before the text is looked at.
    pub(super) fn group(&self, value: Value, written: &str, shouted: bool) -> Group {
        // "US" is the country, "Us" a village in France.
        let acronym = shouted && self.gazetteer.entries(value).any(|named| named.acronym);
        let mut candidates: Vec<Candidate> = self
            .gazetteer
            .entries(value)
            .filter(|named| named.acronym == acronym)
            .map(|named| {
                let place = named.place;
                let capital = match place.feature() {
                    "PPLC" => score::CAPITAL.0,
                    "PPLA" => score::CAPITAL.1,
                    _ => 0.0,
                };
                let kind = match place.kind() {
                    Kind::Country => score::COUNTRY,
                    Kind::Continent => score::CONTINENT,
                    Kind::Admin1 => score::ADMIN1,
                    Kind::Admin2 => score::ADMIN2,
                    Kind::Region if place.feature() == "RGN" => score::REGION,
                    Kind::Region => score::FEATURE,
                    Kind::Quarter => score::QUARTER,
                    Kind::Town => 0.0,
                };
                let other = if named.alternate && place.kind() != Kind::Region { score::OTHER_NAME } else { 0.0 };
                let own_language = place.country().map(Country::language) == self.language.code();
                let spelled = match place.name() {
                    _ if written.is_ascii() => 0.0,
                    name if name == written => score::SPELLED,
                    name if name.is_ascii() && is_latin(written) && !named.alternate && !own_language => {
                        score::MISSPELLED
                    }
                    _ => 0.0,
                };
                let people = (place.population() as f64 + 1000.0).log10();
                let country = place.country_number();
                let mut hinted = 0.0;
                if self.hinted_country == Some(country) {
                    hinted += score::HINTED_COUNTRY;
                }
                if let (Some(code), Some(country)) = (self.language.code(), place.country())
                    && country.language() == code
                {
                    hinted += score::LANGUAGE;
                }
                let in_region = self.hints.region.is_some_and(|region| region.contains_place(place));
                if in_region {
                    hinted += score::IN_REGION;
                }
                let in_context = self.hints.context.contains(&place);
                if in_context {
                    hinted += score::IN_CONTEXT;
                }
                Candidate {
                    place,
                    prior: people + kind + capital + other + spelled,
                    country,
                    admin1: place.admin1_number(),
                    at: place.degrees(),
                    hinted,
                    in_region,
                    in_context,
                    alternate: named.alternate,
                    spelled,
                }
            })
            .collect();
        // An area named after its city is less often meant than the city.
        let cities: Vec<(u16, u64)> = candidates
            .iter()
            .filter(|candidate| candidate.place.kind() == Kind::Town)
            .map(|candidate| (candidate.admin1, candidate.place.population()))
            .collect();
        let areas = [Kind::Admin1, Kind::Admin2];
        for candidate in candidates.iter_mut().filter(|candidate| areas.contains(&candidate.place.kind())) {
            let people = candidate.place.population();
            if cities.iter().any(|(admin1, city)| *admin1 == candidate.admin1 && city * tuning::CITY_SHARE >= people) {
                candidate.prior += score::NAMED_AFTER_CITY;
            }
        }
        let mut group = Group { candidates, taken: 0, margin: 0.0, accepted: 0, acronym, person: false, own: 0.0 };
        group.own = group.support();
        group.choose(|candidate| candidate.prior + candidate.hinted);
        group
    }
}

fn is_latin(name: &str) -> bool {
    name.chars().all(|c| !c.is_alphabetic() || c < '\u{250}')
}

/// Whether a candidate is part of an area.
pub(super) fn lies_in(candidate: &Candidate, area: Place) -> bool {
    match area.kind() {
        Kind::Country => candidate.country == area.country_number() && candidate.place.kind() != Kind::Country,
        Kind::Admin1 => candidate.admin1 == area.admin1_number() && candidate.place != area,
        Kind::Admin2 => {
            let number = candidate.place.admin2_number();
            candidate.place != area
                && candidate.country == area.country_number()
                && (area.admin2() == Some(area) && number != NONE16 && number == area.admin2_number()
                    || candidate.place.kind() <= Kind::Quarter
                        && crate::distance::great_circle(candidate.at, area.degrees()) < 40.0)
        }
        Kind::Continent | Kind::Region | Kind::Town | Kind::Quarter => false,
    }
}

impl Group {
    /// Takes the candidate with the largest score.
    pub(super) fn choose(&mut self, score: impl Fn(&Candidate) -> f64) {
        let (mut best, mut second) = ((0, f64::NEG_INFINITY), f64::NEG_INFINITY);
        for (index, candidate) in self.candidates.iter().enumerate() {
            let value = score(candidate);
            if value > best.1 {
                second = best.1;
                best = (index, value);
            } else {
                second = second.max(value);
            }
        }
        self.taken = best.0;
        self.margin = if second.is_finite() { best.1 - second } else { 4.0 };
    }

    /// What speaks for the name by itself: the best any candidate has to offer.
    fn support(&self) -> f64 {
        self.candidates.iter().map(Candidate::support).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Candidate {
    fn support(&self) -> f64 {
        let place = self.place;
        let pick = |(main, other): (f64, f64)| if self.alternate { other } else { main };
        let mut sum = match place.kind() {
            Kind::Country | Kind::Continent => pick(support::COUNTRY),
            Kind::Admin1 => pick(support::ADMIN1),
            Kind::Admin2 => pick(support::ADMIN2),
            Kind::Region if place.feature() == "RGN" => pick(support::REGION),
            Kind::Region => pick(support::FEATURE),
            Kind::Town | Kind::Quarter => {
                let people = (place.population().max(100) as f64 / 10_000.0).log10();
                let capital = match place.feature() {
                    "PPLC" => support::CAPITAL.0,
                    "PPLA" => support::CAPITAL.1,
                    _ => 0.0,
                };
                let other = if self.alternate { support::OTHER_NAME } else { 0.0 };
                let quarter = if place.kind() == Kind::Quarter { support::QUARTER } else { 0.0 };
                support::TOWN_OF_10_000 + people + capital + other + quarter
            }
        };
        sum += self.spelled.min(0.0);
        if self.in_region {
            sum += support::IN_REGION;
        }
        if self.in_context {
            sum += support::IN_CONTEXT;
        }
        sum
    }

    /// What it is, in words.
    pub(super) fn describe(&self) -> &'static str {
        match self.place.kind() {
            _ if self.in_context => "spoken of around the text",
            Kind::Country => "a country",
            Kind::Continent => "a continent",
            Kind::Admin1 => "a first-order area",
            Kind::Admin2 => "an area",
            Kind::Region if self.place.feature() == "RGN" => "a region",
            Kind::Region => "a sea, mountain range or river",
            Kind::Quarter => "a part of a town",
            Kind::Town if self.place.population() >= LARGE => "a town of some size",
            Kind::Town => "a town",
        }
    }
}
