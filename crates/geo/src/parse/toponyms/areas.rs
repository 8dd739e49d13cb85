//! Areas that say which of several places is meant: "Paris, Texas", "Austin, TX", "a town in Ohio".

use super::candidates::lies_in;
use super::{Document, Name};
use crate::gazetteer::layout::Value;
use crate::gazetteer::{Kind, Place};
use crate::parse::cues;
use crate::parse::names::Match;
use crate::parse::tokens::{Gap, Shape};
use crate::parse::tuning::{self, score, support};

impl Document<'_> {
    /// Names followed by the area they lie in: "Paris, Texas".
    pub(super) fn contain(&mut self) {
        for index in 1..self.names.len() {
            let (inner, outer) = (&self.names[index - 1], &self.names[index]);
            if outer.found.first != inner.found.last + 1 || self.tokens[outer.found.first].gap != Gap::Comma {
                continue;
            }
            let outer_group = &self.groups[outer.group];
            let areas =
                outer_group.candidates.iter().filter(|outer| outer.place.kind() >= Kind::Admin2).take(tuning::AREAS);
            let pair = areas
                .flat_map(|area| self.groups[inner.group].candidates.iter().map(move |inner| (inner, area)))
                .find(|(inner, area)| inner.place != area.place && lies_in(inner, area.place));
            if let Some(area) = pair.map(|(_, area)| area.place) {
                self.put_in(index - 1, area, "followed by the area it lies in");
                self.names[index].support += support::CONTAINS;
            }
        }
    }

    /// Takes a name for the place of an area that is named with it: somebody may be called so elsewhere,
    /// but nobody is here.
    fn put_in(&mut self, index: usize, area: Place, reason: &'static str) {
        let name = &mut self.names[index];
        if self.groups[name.group].person && !name.located {
            name.support -= support::PERSON_ELSEWHERE;
        }
        name.container = Some(area);
        name.support += support::CONTAINED;
        name.reason = reason;
    }

    /// Names that are said to be in an area a few words on: "Lima is a city in Allen County".
    pub(super) fn find_within(&mut self) {
        for index in 1..self.names.len() {
            let (inner, outer) = (&self.names[index - 1], &self.names[index]);
            let between = inner.found.last + 1..outer.found.first;
            if between.is_empty() || between.len() > tuning::WITHIN_WORDS {
                continue;
            }
            let apart = self.tokens[between.start..=outer.found.first].iter().any(|token| token.gap == Gap::Sentence);
            if apart || !self.is_locative(&self.word(outer.found.first - 1)) {
                continue;
            }
            let defined = between.clone().any(|token| cues::is_kind_of_place(&self.word(token)));
            if !defined && between.len() > 1 {
                continue;
            }
            let areas = self.groups[outer.group]
                .candidates
                .iter()
                .filter(|area| area.place.kind() >= Kind::Admin2)
                .take(tuning::AREAS);
            let inner_group = &self.groups[inner.group];
            let area = areas
                .map(|area| area.place)
                .find(|area| inner_group.candidates.iter().any(|inner| inner.place != *area && lies_in(inner, *area)));
            if let Some(area) = area {
                self.names[index - 1].within = Some((area, if defined { score::DEFINED_IN } else { score::SAID_IN }));
            }
        }
    }

    /// States after a town: "Lewisburg, W.Va.", "Austin, TX".
    pub(super) fn abbreviate(&mut self) {
        let mut added = Vec::new();
        for index in 0..self.names.len() {
            let last = self.names[index].found.last;
            let Some(next) = self.tokens.get(last + 1) else { continue };
            if next.gap != Gap::Comma || !next.is_capitalised() {
                continue;
            }
            let Some((place, end)) = self.abbreviation(last + 1) else { continue };
            if self.groups[self.names[index].group].candidates.iter().any(|inner| lies_in(inner, place)) {
                self.put_in(index, place, "followed by the state it lies in");
                added.push((last + 1, end, place));
            }
        }
        // States stand in the order of the text and apart, as names do: one way along both.
        let mut added = added.into_iter().peekable();
        let mut read_to = None;
        for name in std::mem::take(&mut self.names) {
            while let Some(state) = added.next_if(|(first, ..)| *first <= name.found.last) {
                read_to = Some(state.1);
                self.add_state(state);
            }
            if read_to.is_none_or(|last| last < name.found.first) {
                self.names.push(name);
            }
        }
        added.for_each(|state| self.add_state(state));
    }

    /// Adds a shortened state after the names so far: its first and last token, and the place.
    fn add_state(&mut self, (first, last, place): (usize, usize, Place)) {
        let value = Value { payload: place.index() << 2, many: false, finer: 0 };
        let found = Match { first, last, skip: 0, value, ending: None };
        self.groups.push(self.group(value, "", false));
        self.names.push(Name {
            found,
            group: self.groups.len() - 1,
            support: support::CONTAINS + 1.0,
            reason: "the state of the place before it",
            located: true,
            container: None,
            within: None,
        });
    }

    fn abbreviation(&self, first: usize) -> Option<(Place, usize)> {
        let mut key = String::new();
        let mut best = None;
        for index in first..self.tokens.len().min(first + 3) {
            let token = &self.tokens[index];
            if index > first {
                if token.gap != Gap::Stop || !token.is_capitalised() {
                    break;
                }
                key.push(' ');
            }
            key.push_str(&self.word(index));
            let dotted = self.text.as_bytes().get(token.end as usize) == Some(&b'.');
            let code = token.shape == Shape::Capitals && token.end - token.start == 2 && index == first;
            let found = match cues::abbreviated(&key) {
                Some(found) if dotted || code || key == "ky" || key == "d c" => Some(found),
                _ if code => Some(("US", token.text(self.text))),
                _ => None,
            };
            if let Some((country, code)) = found
                && let Some(place) = self.gazetteer.admin1_by_code(country, code)
            {
                best = Some((place, index));
            }
        }
        best
    }
}
