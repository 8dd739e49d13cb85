//! Finding names: the longest match of the gazetteer's keys on token boundaries.

use fst::raw::{Fst, Output};

use super::cues::{self, Language};
use super::tokens::{Gap, Shape, Token};
use crate::fold::{fold, fold_char};
use crate::gazetteer::Gazetteer;
use crate::gazetteer::layout::{Value, Word};

/// Most words of a name.
const LONGEST: usize = 7;
/// Shortest stem that an ending is taken off, in characters.
const STEM: usize = 3;

/// A name found in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    /// First and last token.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) value: Value,
    /// An ending was taken off; whether it says where.
    pub(super) ending: Option<bool>,
}

/// The two indexes, opened once per text.
pub(super) struct Names {
    keys: Fst<&'static [u8]>,
    words: Fst<&'static [u8]>,
    language: Language,
}

impl Names {
    pub(super) fn new(gazetteer: &Gazetteer, language: Language) -> Option<Self> {
        Some(Self { keys: gazetteer.keys()?, words: gazetteer.words()?, language })
    }

    /// What is known of a word apart from being a place.
    pub(super) fn word(&self, word: &str) -> Bits {
        let key = fold(word);
        Bits(self.words.get(key.as_bytes()).map_or(0, Output::value))
    }

    /// All names, from the left, the longest at each place.
    pub(super) fn find(&self, text: &str, tokens: &[Token]) -> Vec<Match> {
        let mut matches = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let found = match tokens[at].shape {
                Shape::Capital | Shape::Capitals | Shape::Caseless => {
                    self.longest(text, tokens, at).or_else(|| self.inflected(text, tokens, at))
                }
                Shape::Lower | Shape::Number => None,
            };
            at = found.map_or(at, |found| found.last) + 1;
            matches.extend(found);
        }
        matches
    }

    fn longest(&self, text: &str, tokens: &[Token], first: usize) -> Option<Match> {
        let mut node = self.keys.root();
        let mut output = Output::zero();
        let mut best = None;
        for index in first..tokens.len().min(first + LONGEST * 3) {
            let token = &tokens[index];
            let mut alive = true;
            let mut step = |byte: u8| {
                if alive {
                    match node.find_input(byte) {
                        Some(found) => {
                            let transition = node.transition(found);
                            output = output.cat(transition.out);
                            node = self.keys.node(transition.addr);
                        }
                        None => alive = false,
                    }
                }
            };
            if index > first {
                match token.gap {
                    Gap::None => {}
                    Gap::Joins => step(b' '),
                    // A full stop inside a name follows a short word: "St. Louis", "U.S."
                    Gap::Stop if tokens[index - 1].end - tokens[index - 1].start <= 3 => step(b' '),
                    _ => break,
                }
            }
            for c in token.text(text).chars() {
                if c.is_ascii() {
                    step(c.to_ascii_lowercase() as u8);
                } else {
                    fold_char(c, |folded| folded.encode_utf8(&mut [0; 4]).bytes().for_each(&mut step));
                }
            }
            if !alive {
                break;
            }
            let joined_on =
                tokens.get(index + 1).is_some_and(|next| next.gap == Gap::None && next.shape != Shape::Caseless);
            if node.is_final() && token.shape != Shape::Lower && !joined_on {
                let value = Value::unpack(output.cat(node.final_output()).value());
                best = Some(Match { first, last: index, value, ending: None });
            }
        }
        best
    }

    /// A single word with an ending of the language taken off.
    fn inflected(&self, text: &str, tokens: &[Token], first: usize) -> Option<Match> {
        if tokens[first].shape != Shape::Capital {
            return None;
        }
        let word = tokens[first].text(text);
        let mut best: Option<Match> = None;
        for (ending, instead, locative) in cues::endings(self.language) {
            let Some(stem) = word.strip_suffix(ending) else { continue };
            if stem.chars().count() < STEM {
                continue;
            }
            let key = fold(stem) + &fold(instead);
            let mut keys = vec![key];
            if self.language.code() == Some("fi") {
                finnish_stems(&mut keys);
            }
            let found = keys.iter().find_map(|key| self.keys.get(key.as_bytes()));
            if let Some(found) = found.map(|output| Value::unpack(output.value()))
                && best.is_none_or(|known| known.ending == Some(false) && *locative)
            {
                best = Some(Match { first, last: first, value: found, ending: Some(*locative) });
            }
        }
        best
    }
}

/// Finnish stems change before endings: Helsinki – Helsingissä, Turku – Turussa, Lahti – Lahdessa,
/// Tampere – Tampereella.
fn finnish_stems(keys: &mut Vec<String>) {
    let Some(stem) = keys.first().cloned() else { return };
    if let Some(rest) = stem.strip_suffix("ngi").or(stem.strip_suffix("nge")) {
        keys.push(format!("{rest}nki"));
    }
    if let Some(rest) = stem.strip_suffix("de") {
        keys.extend([format!("{rest}ti"), format!("{rest}si")]);
    }
    if let Some(rest) = stem.strip_suffix("ee") {
        keys.push(format!("{rest}e"));
    }
    if let Some(rest) = stem.strip_suffix('e') {
        keys.push(format!("{rest}i"));
    }
    // Names made of common nouns: -mäen, -joen, -niemen.
    for (changed, whole) in [
        ("maen", "maki"),
        ("mae", "maki"),
        ("joe", "joki"),
        ("nieme", "niemi"),
        ("lahde", "lahti"),
        ("saare", "saari"),
        ("jarve", "jarvi"),
        ("kose", "koski"),
        ("harju", "harju"),
    ] {
        if let Some(rest) = stem.strip_suffix(changed) {
            keys.push(format!("{rest}{whole}"));
        }
    }
    let mut letters: Vec<char> = stem.chars().collect();
    if let Some(last) = letters.pop().filter(|c| "aeiouy".contains(*c)) {
        letters.extend(['k', last]);
        keys.push(letters.into_iter().collect());
    }
}

/// Bits of [`Word`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits(u64);

impl Bits {
    pub(super) fn is_given(self) -> bool {
        self.0 & Word::GIVEN != 0
    }

    pub(super) fn is_family(self) -> bool {
        self.0 & Word::FAMILY != 0
    }

    /// Whether the word is an ordinary one in a language; in any when the language is not known.
    pub(super) fn is_ordinary(self, language: Language) -> bool {
        match language.0 {
            Some(number) => self.0 >> (Word::FIRST_LANGUAGE as usize + number) & 1 != 0,
            None => self.is_ordinary_somewhere(),
        }
    }

    pub(super) fn is_ordinary_somewhere(self) -> bool {
        self.0 >> Word::FIRST_LANGUAGE != 0
    }

    /// Whether the word is a stop word of a language.
    pub(super) fn is_stop_word(self, language: Language) -> bool {
        language.0.is_some_and(|number| self.0 >> (Word::FIRST_STOP as usize + number) & 1 != 0)
    }
}
