//! Deciding between places of one name by what is certain of the others: containment, nearness,
//! countries named.

use super::Document;
use super::candidates::{Candidate, lies_in};
use crate::gazetteer::layout::{NONE8, NONE16};
use crate::gazetteer::{Kind, Place};
use crate::parse::cues;
use crate::parse::tokens::Gap;
use crate::parse::tuning::{self, score, support};

impl Document<'_> {
    /// Decides which place each name is; what is certain in one round helps in the next.
    pub(super) fn resolve(&mut self) {
        for _ in 0..tuning::ROUNDS {
            for group in &mut self.groups {
                group.accepted = 0;
            }
            let evidence = Evidence::gather(self);
            for (index, group) in self.groups.iter_mut().enumerate() {
                let first = evidence.containers.partition_point(|(group, ..)| *group < index);
                let containers = &evidence.containers[first..];
                let containers = &containers[..containers.partition_point(|(group, ..)| *group == index)];
                group.choose(|candidate| {
                    let contained =
                        containers.iter().take(tuning::AREAS).filter(|(_, area, _)| lies_in(candidate, *area));
                    let contained = contained.map(|(_, _, weight)| *weight).fold(0.0, f64::max);
                    candidate.prior + candidate.hinted + evidence.score(candidate) + contained
                });
            }
            for name in &self.names {
                if name.support >= tuning::ACCEPT {
                    self.groups[name.group].accepted += 1;
                }
            }
            self.evidence_for_weak(&evidence);
        }
    }

    /// Names that lack a little: others around them can make it up. Each reason counts once.
    fn evidence_for_weak(&mut self, evidence: &Evidence) {
        for index in 0..self.names.len() {
            let name = &self.names[index];
            if name.support >= tuning::ACCEPT {
                continue;
            }
            let group = &self.groups[name.group];
            let Some(best) = group.candidates.get(group.taken) else { continue };
            let mut more = 0.0;
            if group.accepted > 0 {
                more += support::SECOND_MENTION;
            }
            if evidence.area(best.admin1).is_some() {
                more += support::SAME_ADMIN1;
            } else if evidence.countries[usize::from(best.country)] > 0.2 {
                more += support::SAME_COUNTRY;
            }
            if self.is_listed(index) {
                let bits = self.index.word(self.tokens[name.found.first].text(self.text));
                let person = name.found.first == name.found.last && (bits.is_given() || bits.is_family());
                more += if person { support::LISTED.1 } else { support::LISTED.0 };
            }
            let name = &mut self.names[index];
            if name.support + more >= tuning::ACCEPT {
                name.support += more;
                name.reason = "like other places of the text";
            }
        }
    }

    /// Whether a name stands in a list beside one that is certain: "Ronda, Granada y Córdoba".
    fn is_listed(&self, index: usize) -> bool {
        let beside = |left: usize, right: usize| {
            let (Some(left), Some(right)) = (self.names.get(left), self.names.get(right)) else { return false };
            let between = left.found.last + 1..right.found.first;
            match self.tokens.get(between.start..=between.end) {
                Some([next]) => next.gap == Gap::Comma,
                Some([joint, next]) => {
                    matches!(joint.gap, Gap::Joins | Gap::Comma)
                        && next.gap == Gap::Joins
                        && cues::is_and(&self.word(between.start))
                }
                _ => false,
            }
        };
        let certain = |other: usize| self.names.get(other).is_some_and(|name| name.support >= tuning::ACCEPT);
        index > 0 && certain(index - 1) && beside(index - 1, index) || certain(index + 1) && beside(index, index + 1)
    }
}

/// A certain place.
struct Anchor {
    at: (f64, f64),
    /// The cosine of its latitude.
    shrink: f64,
    admin1: u16,
    place: u32,
}

impl Anchor {
    fn new(at: (f64, f64), admin1: u16, place: u32) -> Self {
        Self { at, shrink: at.0.to_radians().cos(), admin1, place }
    }

    fn is_near(&self, other: (f64, f64)) -> bool {
        let dlat = (self.at.0 - other.0) * 111.2;
        if dlat.abs() > score::NEAR_KM {
            return false;
        }
        let dlon = (self.at.1 - other.1) * 111.2 * self.shrink;
        dlat * dlat + dlon * dlon < score::NEAR_KM * score::NEAR_KM
    }
}

/// What the certain places of the text say about the others.
struct Evidence {
    /// Share of each country in what is certain, by its number.
    countries: [f64; 256],
    /// First-order areas that are named, or hold certain towns, by number.
    admin1: Vec<(u16, f64)>,
    anchors: Vec<Anchor>,
    /// Areas that names are said to lie in, by the names' groups.
    containers: Vec<(usize, Place, f64)>,
}

impl Evidence {
    fn gather(document: &Document<'_>) -> Self {
        let mut evidence =
            Self { countries: [0.0; 256], admin1: Vec::new(), anchors: Vec::new(), containers: Vec::new() };
        for place in document.hints.context.iter().take(tuning::ANCHORS / 2) {
            evidence.add(*place, place.country_number(), place.admin1_number(), place.degrees());
        }
        let mut seen: Vec<usize> = Vec::new();
        for name in document.names.iter().filter(|name| name.support >= tuning::ACCEPT) {
            evidence.containers.extend(name.container.map(|area| (name.group, area, score::CONTAINED)));
            evidence.containers.extend(name.within.map(|(area, weight)| (name.group, area, weight)));
            let group = &document.groups[name.group];
            let Some(best) = group.candidates.get(group.taken) else { continue };
            if seen.contains(&name.group) || (group.margin < 0.7 && name.container.is_none()) {
                continue;
            }
            if seen.len() < 4 * tuning::ANCHORS {
                seen.push(name.group);
            }
            evidence.add(best.place, best.country, best.admin1, best.at);
        }
        evidence.containers.sort_by_key(|(group, ..)| *group);
        let total: f64 = evidence.countries.iter().sum();
        evidence.countries.iter_mut().for_each(|share| *share /= total.max(1.0));
        evidence.countries[usize::from(NONE8)] = 0.0;
        evidence
    }

    /// Counts a place that is certain.
    fn add(&mut self, place: Place, country: u8, admin1: u16, at: (f64, f64)) {
        self.countries[usize::from(country)] += 1.0;
        let weight = match place.kind() {
            Kind::Country | Kind::Continent | Kind::Region => return,
            Kind::Admin1 => 1.0,
            _ => 0.5,
        };
        if admin1 != NONE16 {
            match self.admin1.binary_search_by_key(&admin1, |(known, _)| *known) {
                Ok(known) => self.admin1[known].1 += weight,
                Err(new) => self.admin1.insert(new, (admin1, weight)),
            }
        }
        if self.anchors.len() < tuning::ANCHORS && place.kind() <= Kind::Admin2 {
            self.anchors.push(Anchor::new(at, admin1, place.index()));
        }
    }

    /// How much speaks for a first-order area.
    fn area(&self, admin1: u16) -> Option<f64> {
        let known = self.admin1.binary_search_by_key(&admin1, |(known, _)| *known).ok()?;
        self.admin1.get(known).map(|(_, weight)| *weight)
    }

    fn score(&self, candidate: &Candidate) -> f64 {
        let share = self.countries[usize::from(candidate.country)];
        let mut sum = if share > 0.0 { score::NAMED_COUNTRY * share.sqrt() } else { 0.0 };
        if candidate.place.kind() > Kind::Admin1 {
            return sum;
        }
        if let Some(weight) = self.area(candidate.admin1) {
            sum += score::NAMED_ADMIN1 * weight.min(1.0);
        }
        let whole = candidate.place.kind() == Kind::Admin1;
        let near = self
            .anchors
            .iter()
            .filter(|anchor| anchor.place != candidate.place.index())
            .filter(|anchor| if whole { anchor.admin1 == candidate.admin1 } else { anchor.is_near(candidate.at) })
            .count();
        sum + (near as f64 * score::NEAR).min(score::NEAR_MOST)
    }
}
