//! How much speaks for a name being a place: the words around it.

use super::Document;
use crate::gazetteer::Kind;
use crate::parse::cues;
use crate::parse::names::Match;
use crate::parse::tokens::{Gap, Shape, Token};
use crate::parse::tuning::support;

/// Bytes of a word, with its ending, whose stem is short.
const SHORT_STEM_BYTES: u32 = 6;

/// Whether a name is also a given name: of a place that could be missed, or of a country.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    No,
    Likely,
    Also,
}

/// What the surroundings of a name say.
pub(super) struct Weight {
    pub(super) sum: f64,
    /// Empty when it is nothing but what the place is.
    pub(super) reason: &'static str,
    pub(super) person: bool,
    pub(super) located: bool,
}

impl Document<'_> {
    /// How much speaks for a name being a place, and what most.
    pub(super) fn support(&self, index: usize, taken: &[bool]) -> Weight {
        let name = &self.names[index];
        let Match { first, last, .. } = name.found;
        let group = &self.groups[name.group];
        let (mut sum, mut reason) = (group.own, "");
        let mut strongest = 0.0;
        let (mut person, mut located) = (false, false);
        let mut add = |evidence: f64, why: &'static str| {
            sum += evidence;
            person |= evidence == support::AFTER_PERSON;
            located |= evidence == support::LOCATIVE;
            if evidence.abs() > strongest && evidence > 0.0 {
                strongest = evidence;
                reason = why;
            }
        };
        let head = &self.tokens[first];
        let single = first == last;
        let bits = self.index.word(self.tokens[first].text(self.text));
        let length = self.tokens[first..=last].iter().map(|token| token.end - token.start).sum::<u32>();
        let best = group.candidates.get(group.taken);
        let acronym = group.acronym;
        if !single && head.shape != Shape::Caseless {
            let ordinary = |token: &Token| self.index.word(token.text(self.text)).is_ordinary(self.language);
            let all_ordinary = self.tokens[first..=last].iter().all(ordinary);
            if best.is_some_and(|best| best.alternate) && all_ordinary {
                add(support::ORDINARY_WORDS, "");
            } else if bits.is_stop_word(self.language) && all_ordinary {
                add(support::ORDINARY_ARTICLE, "");
            } else {
                add(support::SEVERAL_WORDS, "a name of several words");
            }
        }
        if head.shape == Shape::Caseless {
            add(support::CASELESS, "");
            if length <= 3 {
                add(support::SHORT * 3.0, "");
            }
        } else if length <= 3 && !acronym {
            add(support::SHORT, "");
        }
        if head.shape == Shape::Capitals && single && length <= 4 && !acronym {
            add(support::SHOUTED_SHORT, "");
        }
        let certain = best.is_some_and(|best| matches!(best.place.kind(), Kind::Country | Kind::Continent));
        // After "in" and the like an ordinary word has no capital, except in German, and a person's
        // name is rare.
        let odd = first > 0
            && head.gap == Gap::Joins
            && self.tokens[first - 1].shape == Shape::Lower
            && self.language.code() != Some("de")
            && self.is_locative(&self.word(first - 1));
        if single && !acronym {
            if bits.is_ordinary(self.language) {
                add(if certain || odd { support::ORDINARY_INSIDE } else { support::ORDINARY }, "");
                if bits.is_stop_word(self.language) {
                    add(support::STOP_WORD, "");
                }
            } else if bits.is_ordinary_somewhere() {
                add(support::ORDINARY_ELSEWHERE, "");
            }
            if bits.is_given() && !certain {
                add(if odd { support::GIVEN / 2.0 } else { support::GIVEN }, "");
            } else if bits.is_family() && !certain {
                add(if odd { support::FAMILY / 2.0 } else { support::FAMILY }, "");
            }
        }
        if single && cues::is_calendar(&self.word(first)) {
            add(support::CALENDAR, "");
        }
        match name.found.ending {
            Some(true) => add(support::INFLECTED + support::LOCATIVE_CASE, "a case ending that says where"),
            Some(false) => add(support::INFLECTED, ""),
            None => {}
        }
        if name.found.ending.is_some()
            && matches!(head.gap, Gap::Sentence | Gap::Stop)
            && length <= SHORT_STEM_BYTES
            && best.is_some_and(|best| best.alternate)
        {
            add(support::SHORT_STEM, "");
        }
        if single && cues::is_small_word(self.language, &self.word(first)) {
            add(support::STOP_WORD, "");
        }
        self.before(first, taken, &mut add);
        let given =
            if bits.is_given() && single { if certain { Given::Also } else { Given::Likely } } else { Given::No };
        self.after(last, given, taken, &mut add);
        Weight { sum, reason, person: person && !certain, located }
    }

    /// What stands before a name.
    fn before(&self, first: usize, taken: &[bool], add: &mut impl FnMut(f64, &'static str)) {
        let head = &self.tokens[first];
        if head.gap == Gap::Sentence {
            return add(support::SENTENCE_START, "");
        }
        if first == 0 {
            return;
        }
        let previous = &self.tokens[first - 1];
        if head.shape == Shape::Caseless || !matches!(head.gap, Gap::Joins | Gap::Stop | Gap::None) {
            return;
        }
        let word = self.word(first - 1);
        if head.gap == Gap::Joins && self.is_locative(&word) {
            return add(support::LOCATIVE, "a word before it that says where");
        }
        if matches!(word.as_str(), "of" | "the") && first >= 2 && matches!(head.gap, Gap::Joins) {
            let earlier = self.word(first - 2);
            if cues::is_kind_of_place(&earlier) {
                return add(support::KIND_WORD, "called a place");
            }
            if self.is_locative(&earlier) {
                return add(support::LOCATIVE, "words before it that say where");
            }
        }
        if cues::is_title(&word) {
            return add(support::AFTER_PERSON, "");
        }
        if !previous.is_capitalised() {
            return;
        }
        let bits = self.index.word(&word);
        if taken[first - 1] {
            // Most given names are the name of some village too.
            let family = || self.index.word(head.text(self.text)).is_family();
            if head.gap == Gap::Joins && bits.is_given() && family() {
                add(support::AFTER_PERSON, "");
            }
            return;
        }
        let initial = previous.end - previous.start == 1 && word != "i" && word != "a";
        if initial && head.gap == Gap::Stop || bits.is_given() && previous.gap != Gap::None {
            add(support::AFTER_PERSON, "");
        } else if previous.gap == Gap::Sentence && bits.is_ordinary_somewhere() || cues::is_kind_of_place(&word) {
            // The first word of a sentence is capitalised whatever it is.
        } else if head.gap == Gap::Joins && !is_direction(&word) {
            // In German every noun is capitalised.
            let german = self.language.code() == Some("de");
            add(if german { support::AFTER_NOUN } else { support::AFTER_CAPITALISED }, "");
        }
    }

    /// What stands after a name.
    fn after(&self, last: usize, given: Given, taken: &[bool], add: &mut impl FnMut(f64, &'static str)) {
        let Some(next) = self.tokens.get(last + 1) else { return };
        if next.gap != Gap::Joins || next.shape == Shape::Caseless {
            return;
        }
        let word = self.word(last + 1);
        if cues::is_kind_of_place(&word) {
            return add(support::KIND_WORD, "called a place");
        }
        if !next.is_capitalised() || next.end - next.start < 2 || cues::is_local_body(&word) {
            return;
        }
        let bits = self.index.word(&word);
        let unknown = !bits.is_ordinary_somewhere();
        match given {
            // A family name can be the name of a town too: "Jordan Smith", "Paris Hilton".
            Given::Likely if bits.is_family() || unknown || taken[last + 1] => add(support::BEFORE_FAMILY, ""),
            Given::Also if bits.is_family() => add(2.0 * support::BEFORE_FAMILY, ""),
            _ if !taken[last + 1] && (unknown || bits.is_family()) => add(support::BEFORE_CAPITALISED, ""),
            _ => {}
        }
    }
}

fn is_direction(word: &str) -> bool {
    matches!(
        word,
        "north"
            | "south"
            | "east"
            | "west"
            | "northern"
            | "southern"
            | "eastern"
            | "western"
            | "central"
            | "greater"
            | "upper"
            | "lower"
    )
}
