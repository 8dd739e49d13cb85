//! The one place a page is about, if it can be said.
//!
//! What the page says of itself for machines comes first, then its only address or point. Else
//! each place is weighed by how much of what the page speaks of lies in it, or at least does not
//! speak against it: a town is not contradicted by its own country. The finest place that has well
//! over half is taken; so a list of branches has no focus but the area that holds most of them.

use facts::LatLon;
use page::StructuredSource;

use super::spoken::Entry;
use crate::distance::kilometres;
use crate::gazetteer::{Country, Gazetteer, Kind, Place};
use crate::reverse::{reverse, town_radius};
use crate::structured::{Located, Subject};

/// Confidence of the location of what a page shows: the weakest of all sources.
const MOST_CERTAIN: f64 = 0.5;
/// Less certain than this is nothing.
const LEAST_CERTAIN: f64 = 0.08;
/// The share of what is spoken of that a focus must have: well over half, so that of two towns
/// mentioned once each neither is one.
const MOST: f64 = 0.6;
/// The only address of a page may be its publisher's.
const ONLY_EXACT: f64 = 0.8;
/// An area around a place supports it by so much of what is said of it.
const AREA_SUPPORT: f64 = 0.5;
/// A place in the title so far away, in kilometres, speaks against the only address.
const ELSEWHERE: f64 = 30.0;
/// A part of a town is within so many of its radii, or kilometres.
const IN_TOWN: (f64, f64) = (1.5, 3.0);
/// A town within so many kilometres of the middle of a district lies in it.
const IN_DISTRICT: f64 = 40.0;

/// The place a page is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Focus {
    pub(super) index: usize,
    pub(super) confidence: f64,
}

/// What a place lies in.
pub(super) struct Ground {
    at: LatLon,
    exact: bool,
    /// The place itself, or for something exact the town it is in.
    place: Option<Place>,
    admin1: Option<Place>,
    country: Option<Country>,
}

impl Ground {
    pub(super) fn of(entries: &[Entry]) -> Vec<Self> {
        entries
            .iter()
            .map(|entry| {
                let mention = &entry.place.mention;
                let exact = mention.is_exact();
                match mention.place {
                    Some(place) => Self {
                        at: mention.at,
                        exact,
                        place: Some(place),
                        admin1: place.admin1(),
                        country: place.country(),
                    },
                    None => {
                        let spot = reverse(Gazetteer::embedded(), mention.at);
                        Self { at: mention.at, exact, place: spot.town, admin1: spot.admin1, country: spot.country }
                    }
                }
            })
            .collect()
    }

    /// Whether another place lies in this one.
    pub(super) fn holds(&self, inner: &Self) -> bool {
        let Some(place) = self.place.filter(|_| !self.exact) else { return false };
        if !inner.exact && inner.place == Some(place) {
            return false;
        }
        let inner_kind = inner.place.filter(|_| !inner.exact).map(Place::kind);
        let is_local = inner.exact || inner_kind == Some(Kind::Quarter);
        match place.kind() {
            Kind::Quarter | Kind::Region => false,
            Kind::Town => {
                let radius = (town_radius(place.population()) * IN_TOWN.0).max(IN_TOWN.1);
                is_local && (inner.place == Some(place) || kilometres(self.at, inner.at) <= radius)
            }
            Kind::Admin2 => {
                let is_inside = inner.place.and_then(Place::admin2) == Some(place);
                let is_near = || kilometres(self.at, inner.at) < IN_DISTRICT && inner.country == self.country;
                (is_local || inner_kind == Some(Kind::Town)) && (is_inside || is_near())
            }
            Kind::Admin1 => inner.admin1 == Some(place) && inner_kind != Some(Kind::Country),
            Kind::Country => inner.country.is_some() && inner.country == self.country,
            Kind::Continent => {
                let code = crate::region::continent(place);
                inner.country.map(Country::continent).is_some_and(|continent| code == Some(continent))
            }
        }
    }

    /// The finer the smaller.
    fn fineness(&self) -> u8 {
        match self.place.filter(|_| !self.exact).map(Place::kind) {
            None => 0,
            Some(Kind::Quarter) => 1,
            Some(Kind::Town) => 2,
            Some(Kind::Admin2) => 3,
            Some(Kind::Admin1) => 4,
            Some(Kind::Country) => 5,
            Some(Kind::Region | Kind::Continent) => 6,
        }
    }
}

/// The one place that structured data say the page is about.
pub(super) fn said_of_page(located: &[Located], said: &[Option<usize>], ground: &[Ground]) -> Option<usize> {
    for tier in 0..3 {
        let mut places: Vec<usize> = located
            .iter()
            .zip(said)
            .filter(|(located, _)| located.subject == Subject::Page && tier_of(located) == tier)
            .filter_map(|(_, index)| *index)
            .collect();
        places.sort_unstable();
        places.dedup();
        let finest: Vec<usize> = places
            .iter()
            .copied()
            .filter(|outer| !places.iter().any(|inner| inner != outer && holds(ground, *outer, *inner)))
            .collect();
        if !places.is_empty() {
            return if let [one] = finest[..] { Some(one) } else { None };
        }
    }
    None
}

/// Data about the page come before marks on things it shows, and these before links.
fn tier_of(located: &Located) -> u8 {
    use StructuredSource::{GeoUri, JsonLd, Meta, Microdata, Microformat};
    match located.source {
        Some(JsonLd | Meta) => 0,
        Some(Microdata | Microformat) => 1,
        Some(GeoUri) | None => 2,
    }
}

fn holds(ground: &[Ground], outer: usize, inner: usize) -> bool {
    ground.get(outer).zip(ground.get(inner)).is_some_and(|(outer, inner)| outer.holds(inner))
}

/// The place that entries are about; `whole` is what the page says of itself for machines.
pub(super) fn find(entries: &[Entry], ground: &[Ground], whole: Option<usize>) -> Option<Focus> {
    let certain = |index: usize, certainty: f64| {
        let entry = entries.get(index)?;
        let confidence = MOST_CERTAIN * certainty * entry.place.mention.confidence;
        (confidence >= LEAST_CERTAIN).then_some(Focus { index, confidence })
    };
    if let Some(index) = whole {
        return certain(index, 1.0);
    }
    if let Some(index) = only_exact(entries, ground) {
        return certain(index, ONLY_EXACT);
    }
    let (index, share, weight) = most_supported(entries, ground)?;
    // Said once in passing is less than said again and again.
    certain(index, share * (1.0 - (-weight / 1.5).exp()))
}

/// The only address or point, unless the title is about somewhere else.
fn only_exact(entries: &[Entry], ground: &[Ground]) -> Option<usize> {
    let mut exact = (0..entries.len()).filter(|index| ground[*index].exact && !entries[*index].aside);
    let (Some(only), None) = (exact.next(), exact.next()) else { return None };
    let elsewhere = entries.iter().zip(ground).any(|(entry, there)| {
        entry.in_title && !there.holds(&ground[only]) && kilometres(there.at, ground[only].at) > ELSEWHERE
    });
    (!elsewhere).then_some(only)
}

/// The finest place that most of what is spoken of supports: its index, its share, and
/// how much that is.
pub(super) fn most_supported(entries: &[Entry], ground: &[Ground]) -> Option<(usize, f64, f64)> {
    let own: Vec<f64> = entries
        .iter()
        .map(|entry| if entry.aside { 0.0 } else { entry.weight * entry.place.mention.confidence })
        .collect();
    let inside: Vec<f64> = ground
        .iter()
        .map(|outer| ground.iter().zip(&own).filter(|(inner, _)| outer.holds(inner)).map(|(_, own)| own).sum())
        .collect();
    let mut best: Option<(u8, f64, usize, f64)> = None;
    for (index, here) in ground.iter().enumerate().filter(|(index, _)| own[*index] > 0.0) {
        let mut support = own[index] + inside[index];
        let (mut against, mut around) = (0.0, 0.0);
        for (other, there) in ground.iter().enumerate().filter(|(other, _)| *other != index) {
            if there.holds(here) {
                // What is said of an area beyond what is said of the place is about something else in it;
                // an area that holds other places too says less about this one.
                against += (own[other] - support).max(0.0);
                around += AREA_SUPPORT * own[other].min(own[index]) * own[index] / inside[other].max(own[index]);
            } else if !here.holds(there) {
                against += own[other];
            }
        }
        support += around;
        let share = support / (support + against);
        let fineness = here.fineness();
        if share >= MOST && best.is_none_or(|(finest, most, ..)| (fineness, -share) < (finest, -most)) {
            best = Some((fineness, share, index, support));
        }
    }
    best.map(|(_, share, index, support)| (index, share, support))
}
