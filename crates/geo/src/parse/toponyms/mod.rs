//! Which names are places, and which places they are.
//!
//! A [`Document`] gathers the names of a block of text into groups of the same name, weighs what
//! stands around each (`support`), looks for areas that say which one is meant (`areas`), and
//! decides with the help of what is certain (`resolve`).

mod areas;
mod candidates;
mod resolve;
mod support;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use self::candidates::{Group, lies_in};
use super::cues::{self, Language};
use super::language::likely;
use super::names::{Match, Names};
use super::tokens::{Gap, Shape, Token};
use super::tuning;
use super::{Hints, Mention, MentionKind};
use crate::gazetteer::{Gazetteer, Place};
use query::is_word_char;

/// A name in the text on its way to being a place.
struct Name {
    found: Match,
    /// The group of mentions of the same name.
    group: usize,
    support: f64,
    /// What spoke for it most; empty when that is what the place is.
    reason: &'static str,
    /// A word or an ending says that something is there.
    located: bool,
    /// The area named right after it.
    container: Option<Place>,
    /// An area that it is said to be in, a few words on, and how much that weighs.
    within: Option<(Place, f64)>,
}

/// Finds the places of a block of text.
pub(super) fn toponyms(
    gazetteer: &'static Gazetteer,
    text: &str,
    tokens: &[Token],
    language: Language,
    hints: &Hints<'_>,
) -> Vec<Mention> {
    let likely = if language.code().is_none() { likely(text, tokens) } else { Vec::new() };
    let likely = likely.into_iter().map(|code| Language::new(Some(code))).collect();
    let Some(names) = Names::new(gazetteer, language, likely) else { return Vec::new() };
    let mut document = Document::new(gazetteer, text, tokens, names, language, hints);
    document.read();
    if document.names.is_empty() {
        return Vec::new();
    }
    document.resolve();
    document.mentions()
}

struct Document<'d> {
    gazetteer: &'static Gazetteer,
    text: &'d str,
    tokens: &'d [Token],
    index: Names,
    language: Language,
    hints: &'d Hints<'d>,
    hinted_country: Option<u8>,
    names: Vec<Name>,
    groups: Vec<Group>,
}

impl<'d> Document<'d> {
    fn new(
        gazetteer: &'static Gazetteer,
        text: &'d str,
        tokens: &'d [Token],
        index: Names,
        language: Language,
        hints: &'d Hints<'d>,
    ) -> Self {
        let hinted_country = hints.country.and_then(|code| gazetteer.country(code)).map(|country| country.number());
        Self { gazetteer, text, tokens, index, language, hints, hinted_country, names: Vec::new(), groups: Vec::new() }
    }

    /// Finds the names and weighs what stands around each.
    fn read(&mut self) {
        let matches = self.index.find(self.text, self.tokens);
        let mut known: HashMap<(u64, u32), usize> = HashMap::new();
        for found in &matches {
            let shouted = self.tokens[found.first..=found.last].iter().all(|token| {
                token.shape == Shape::Capitals || token.end - token.start == 1 && token.shape == Shape::Capital
            });
            let group =
                *known.entry((found.value.pack() << 1 | u64::from(shouted), found.value.finer)).or_insert_with(|| {
                    let written = self.tokens[found.first].start as usize..self.tokens[found.last].end as usize;
                    let written = self.text.get(written).unwrap_or_default();
                    self.groups.push(self.group(found.value, written, shouted));
                    self.groups.len() - 1
                });
            self.names.push(Name {
                found: *found,
                group,
                support: 0.0,
                reason: "",
                located: false,
                container: None,
                within: None,
            });
        }
        let mut taken = vec![false; self.tokens.len()];
        for name in &self.names {
            taken[name.found.first..=name.found.last].fill(true);
        }
        for index in 0..self.names.len() {
            let weight = self.support(index, &taken);
            self.names[index].support = weight.sum;
            self.names[index].reason = weight.reason;
            if weight.person {
                let group = self.names[index].group;
                self.groups[group].person = true;
            }
            self.names[index].located = weight.located;
        }
        for name in &mut self.names {
            // Whoever is named in full once is meant by the last name alone later.
            if self.groups[name.group].person && !name.located {
                name.support += tuning::support::PERSON_ELSEWHERE;
            }
        }
        self.doubt_capitals();
        self.contain();
        self.abbreviate();
        self.find_within();
    }

    /// A word that has its capital only where everything has one, and is written small elsewhere, is
    /// no name.
    fn doubt_capitals(&mut self) {
        let doubtful = |name: &Name| {
            let head = &self.tokens[name.found.first];
            let is_first = matches!(head.gap, Gap::Sentence | Gap::Stop) && head.shape == Shape::Capital;
            is_first && name.found.first == name.found.last && name.support >= tuning::ACCEPT
        };
        let doubtful: Vec<usize> = (0..self.names.len()).filter(|index| doubtful(&self.names[*index])).collect();
        let words: HashSet<String> = doubtful.iter().map(|index| self.word(self.names[*index].found.first)).collect();
        let small = self.written_small(&words);
        for index in doubtful {
            if small.contains(&*self.word(self.names[index].found.first)) {
                self.names[index].support += tuning::support::WRITTEN_SMALL;
            }
        }
    }

    /// Those of some words that are written small somewhere in the text or beside it.
    fn written_small<'w>(&self, words: &'w HashSet<String>) -> HashSet<&'w str> {
        let beside = self.hints.beside;
        let texts = [self.text, &beside[..beside.floor_char_boundary(tuning::BESIDE)]];
        if words.len() <= tuning::SOUGHT_SINGLY {
            let is_end = |c: Option<char>| c.is_none_or(|c| !is_word_char(c));
            let occurs = |word: &str, text: &str| {
                text.match_indices(word).any(|(at, _)| {
                    is_end(text[..at].chars().next_back()) && is_end(text[at + word.len()..].chars().next())
                })
            };
            return words
                .iter()
                .map(String::as_str)
                .filter(|word| texts.iter().any(|text| occurs(word, text)))
                .collect();
        }
        let all = texts.iter().flat_map(|text| text.split(|c| !is_word_char(c)));
        all.filter(|word| word.starts_with(char::is_lowercase))
            .filter_map(|word| words.get(word))
            .map(String::as_str)
            .collect()
    }

    /// Whether a word (in lower case) says that a place follows.
    fn is_locative(&self, word: &str) -> bool {
        self.index.languages().any(|language| cues::is_locative(language, word))
    }

    fn word(&self, token: usize) -> String {
        self.tokens[token].text(self.text).to_lowercase()
    }

    fn mentions(self) -> Vec<Mention> {
        let mut mentions = Vec::new();
        for name in &self.names {
            let group = &self.groups[name.group];
            if name.support < tuning::ACCEPT {
                continue;
            }
            // A qualified mention is what it says, whatever the others are.
            let taken = match name.container {
                Some(area) => group
                    .candidates
                    .iter()
                    .filter(|candidate| lies_in(candidate, area))
                    .max_by(|a, b| a.prior.total_cmp(&b.prior)),
                None => group.candidates.get(group.taken),
            };
            let Some(candidate) = taken.or(group.candidates.get(group.taken)) else { continue };
            let place = candidate.place;
            let (start, mut end) = (
                (self.tokens[name.found.first].start + name.found.skip) as usize,
                self.tokens[name.found.last].end as usize,
            );
            // The last dot of "U.S." belongs to it, and the parenthesis of "Frankfurt (Oder)".
            let tail = &self.tokens[name.found.last];
            if self.tokens[name.found.first + 1..=name.found.last].iter().any(|token| token.gap == Gap::Opens) {
                end += 1;
            }
            if tail.gap == Gap::Stop && tail.end - tail.start == 1 && self.text.as_bytes().get(end) == Some(&b'.') {
                end += 1;
            }
            let margin = if name.container.is_some() { 4.0 } else { group.margin };
            let which = match group.candidates.len() {
                1 => "the only place of this name".to_owned(),
                count if name.container.is_some() => format!("one of {count} places of this name"),
                count => format!("the likeliest of {count} places of this name"),
            };
            let reason = if name.reason.is_empty() { candidate.describe() } else { name.reason };
            let why = format!("{reason}; {which}");
            mentions.push(Mention {
                span: start..end,
                kind: MentionKind::Toponym,
                place: Some(place),
                at: place.at(),
                precision_m: tuning::precision_m(place),
                confidence: confidence(name.support, margin),
                address: None,
                why,
            });
        }
        mentions
    }
}

/// Between 0 and 1: that it is a place, times that it is this one.
fn confidence(support: f64, margin: f64) -> f64 {
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    logistic(support - tuning::ACCEPT + 0.3) * (0.4 + 0.6 * logistic(2.0 * margin - 0.5))
}
