//! Deciding between places of one name by what is certain of the others: containment, nearness,
//! countries named.

use std::collections::HashMap;

use super::Document;
use super::candidates::{Candidate, lies_in};
use crate::gazetteer::layout::{NONE8, NONE16};
use crate::gazetteer::{Kind, Place};
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
        for name in &mut self.names {
            if name.support >= tuning::ACCEPT || name.reason.starts_with("like other") {
                continue;
            }
            let group = &self.groups[name.group];
            let Some(best) = group.candidates.get(group.taken) else { continue };
            let mut more = 0.0;
            if group.accepted > 0 {
                more += support::SECOND_MENTION;
            }
            if evidence.admin1.contains_key(&best.admin1) {
                more += support::SAME_ADMIN1;
            } else if evidence.countries.get(&best.country).is_some_and(|share| *share > 0.2) {
                more += support::SAME_COUNTRY;
            }
            if name.support + more >= tuning::ACCEPT {
                name.support += more;
                name.reason = "like other places of the text";
            }
        }
    }
}

/// A certain place.
struct Anchor {
    at: (f64, f64),
    admin1: u16,
    place: u32,
}

/// What the certain places of the text say about the others.
struct Evidence {
    /// Share of each country in what is certain.
    countries: HashMap<u8, f64>,
    /// First-order areas that are named, or hold certain towns.
    admin1: HashMap<u16, f64>,
    anchors: Vec<Anchor>,
    /// Areas that names are said to lie in, by the names' groups.
    containers: Vec<(usize, Place, f64)>,
}

impl Evidence {
    fn gather(document: &Document<'_>) -> Self {
        let mut countries: HashMap<u8, f64> = HashMap::new();
        let mut admin1: HashMap<u16, f64> = HashMap::new();
        let mut anchors = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        let mut containers = Vec::new();
        for place in document.hints.context.iter().take(tuning::ANCHORS / 2) {
            *countries.entry(place.country_number()).or_default() += 1.0;
            match place.kind() {
                Kind::Country | Kind::Continent | Kind::Region => continue,
                Kind::Admin1 => *admin1.entry(place.admin1_number()).or_default() += 1.0,
                _ => *admin1.entry(place.admin1_number()).or_default() += 0.5,
            }
            if place.kind() <= Kind::Admin2 {
                anchors.push(Anchor { at: place.degrees(), admin1: place.admin1_number(), place: place.index() });
            }
        }
        for name in document.names.iter().filter(|name| name.support >= tuning::ACCEPT) {
            containers.extend(name.container.map(|area| (name.group, area, score::CONTAINED)));
            containers.extend(name.within.map(|(area, weight)| (name.group, area, weight)));
            let group = &document.groups[name.group];
            let Some(best) = group.candidates.get(group.taken) else { continue };
            if seen.contains(&name.group) || (group.margin < 0.7 && name.container.is_none()) {
                continue;
            }
            if seen.len() < 4 * tuning::ANCHORS {
                seen.push(name.group);
            }
            *countries.entry(best.country).or_default() += 1.0;
            match best.place.kind() {
                Kind::Country | Kind::Continent | Kind::Region => continue,
                Kind::Admin1 => *admin1.entry(best.admin1).or_default() += 1.0,
                _ => *admin1.entry(best.admin1).or_default() += 0.5,
            }
            if anchors.len() < tuning::ANCHORS && best.place.kind() <= Kind::Admin2 {
                anchors.push(Anchor { at: best.at, admin1: best.admin1, place: best.place.index() });
            }
        }
        containers.sort_by_key(|(group, ..)| *group);
        let total: f64 = countries.values().sum();
        countries.values_mut().for_each(|share| *share /= total.max(1.0));
        countries.remove(&NONE8);
        admin1.remove(&NONE16);
        Self { countries, admin1, anchors, containers }
    }

    fn score(&self, candidate: &Candidate) -> f64 {
        let mut sum = 0.0;
        if let Some(share) = self.countries.get(&candidate.country) {
            sum += score::NAMED_COUNTRY * share.sqrt();
        }
        if candidate.place.kind() <= Kind::Admin1
            && let Some(weight) = self.admin1.get(&candidate.admin1)
        {
            sum += score::NAMED_ADMIN1 * weight.min(1.0);
        }
        if candidate.place.kind() <= Kind::Admin1 {
            let whole = candidate.place.kind() == Kind::Admin1;
            let near = self
                .anchors
                .iter()
                .filter(|anchor| anchor.place != candidate.place.index())
                .filter(
                    |anchor| if whole { anchor.admin1 == candidate.admin1 } else { is_near(anchor.at, candidate.at) },
                )
                .count();
            sum += (near as f64 * score::NEAR).min(score::NEAR_MOST);
        }
        sum
    }
}

fn is_near(a: (f64, f64), b: (f64, f64)) -> bool {
    let dlat = (a.0 - b.0) * 111.2;
    if dlat.abs() > score::NEAR_KM {
        return false;
    }
    let dlon = (a.1 - b.1) * 111.2 * a.0.to_radians().cos();
    dlat * dlat + dlon * dlon < score::NEAR_KM * score::NEAR_KM
}
