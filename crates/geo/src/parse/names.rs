//! Finding names: the longest match of the gazetteer's keys on token boundaries.

use fst::raw::{Fst, Node, Output};

use super::cues::Language;
use super::endings::{Ending, GEORGIAN, endings};
use super::tokens::{Gap, Shape, Token, is_georgian};
use crate::finer::Finer;
use crate::gazetteer::layout::{Value, Word};
use crate::gazetteer::{Gazetteer, Kind, Named};
use query::{fold, fold_char};

/// Most words of a name.
const LONGEST: usize = 7;
/// Shortest stem that an ending is taken off, in characters; a shorter one must be made longer by
/// what the name has in the ending's place.
const STEM: usize = 3;
/// An inflected name hides a plain one with so many times fewer people.
const HIDDEN: u64 = 20;
/// People of a town that is found by its ending although the language is not certain.
const SIZEABLE: u64 = 20_000;
/// Most words of a name that an ending is taken off.
const INFLECTED_WORDS: usize = 3;

/// A name found in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match {
    /// First and last token.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Bytes of the first token that do not belong to it.
    pub(super) skip: u32,
    pub(super) value: Value,
    /// An ending was taken off; whether it says where.
    pub(super) ending: Option<bool>,
}

/// The two indexes, opened once per text.
pub(super) struct Names {
    gazetteer: &'static Gazetteer,
    keys: Fst<&'static [u8]>,
    /// Those of imported places.
    finer: Option<Fst<&'static [u8]>>,
    words: Fst<&'static [u8]>,
    language: Language,
    /// Languages that the text may be in when its own is not known.
    likely: Vec<Language>,
}

impl Names {
    pub(super) fn new(gazetteer: &'static Gazetteer, language: Language, likely: Vec<Language>) -> Option<Self> {
        let finer = gazetteer.finer().and_then(Finer::keys);
        Some(Self { gazetteer, keys: gazetteer.keys()?, finer, words: gazetteer.words()?, language, likely })
    }

    /// The language of the text, or those that it may be in.
    pub(super) fn languages(&self) -> impl Iterator<Item = Language> {
        std::iter::once(self.language).chain(self.likely.iter().copied())
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
                Shape::Capital | Shape::Capitals => {
                    let (plain, known) = self.longest(text, tokens, at, 0);
                    match (plain, self.inflected(text, tokens, at, known)) {
                        (Some(plain), Some(inflected)) if self.is_hidden(&plain, &inflected) => Some(inflected),
                        (plain, inflected) => plain.or(inflected),
                    }
                }
                Shape::Caseless => {
                    let (plain, known) = self.longest(text, tokens, at, 0);
                    plain.or_else(|| {
                        let word = tokens[at].text(text);
                        if word.starts_with(is_georgian) {
                            let (value, locative) = self.without_ending(GEORGIAN, Language(None), "", word, known)?;
                            return Some(Match { first: at, last: at, skip: 0, value, ending: Some(locative) });
                        }
                        self.longest(text, tokens, at, prefix(word)?).0
                    })
                }
                Shape::Lower | Shape::Number => None,
            };
            at = found.map_or(at, |found| found.last) + 1;
            matches.extend(found);
        }
        matches
    }

    /// The longest name from a token on, without the first `skip` bytes of that; and how many bytes of what is
    /// left of the token some name begins with, those of imported places left out.
    fn longest(&self, text: &str, tokens: &[Token], first: usize, skip: usize) -> (Option<Match>, usize) {
        let (own, known) = self.walk(&self.keys, Value::unpack, text, tokens, first, skip);
        let Some(keys) = &self.finer else { return (own, known) };
        let (finer, _) = self.walk(keys, |value| Value::only_finer(value as u32), text, tokens, first, skip);
        let longest = match (own, finer) {
            (Some(own), Some(finer)) if own.last == finer.last => {
                Some(Match { value: Value { finer: finer.value.finer, ..own.value }, ..own })
            }
            (Some(own), Some(finer)) => Some(if finer.last > own.last { finer } else { own }),
            (own, finer) => own.or(finer),
        };
        (longest, known)
    }

    /// The longest name of an index from a token on, and how much of the token some name begins with.
    fn walk(
        &self,
        keys: &Fst<&'static [u8]>,
        unpack: impl Fn(u64) -> Value,
        text: &str,
        tokens: &[Token],
        first: usize,
        skip: usize,
    ) -> (Option<Match>, usize) {
        let mut path = Path { keys, node: keys.root(), output: Output::zero() };
        let mut best = None;
        let mut known = 0;
        let mut opened = false;
        for index in first..tokens.len().min(first + LONGEST * 3) {
            let token = &tokens[index];
            if index > first {
                let goes_on = match token.gap {
                    Gap::None => true,
                    Gap::Joins => path.step(b' '),
                    Gap::Opens if !opened => {
                        opened = true;
                        path.step(b' ')
                    }
                    // A full stop inside a name follows a short word: "St. Louis", "U.S."
                    Gap::Stop if tokens[index - 1].end - tokens[index - 1].start <= 3 => path.step(b' '),
                    _ => false,
                };
                if !goes_on {
                    break;
                }
            }
            let word = token.text(text);
            let word = if index == first { word.get(skip..).unwrap_or_default() } else { word };
            let stepped = path.word(word);
            if index == first {
                known = stepped;
            }
            if stepped < word.len() {
                break;
            }
            let node = &path.node;
            let joined_on =
                tokens.get(index + 1).is_some_and(|next| next.gap == Gap::None && next.shape != Shape::Caseless);
            let closed = || text.as_bytes().get(token.end as usize) == Some(&b')');
            if node.is_final() && token.shape != Shape::Lower && !joined_on && (!opened || closed()) {
                let value = unpack(path.output.cat(node.final_output()).value());
                if opened && !self.is_written_so(value) {
                    break;
                }
                best = Some(Match { first, last: index, skip: skip as u32, value, ending: None });
            }
        }
        (best, known)
    }

    /// Whether some place of a name has part of it in parentheses: "Halle (Saale)", not "Paris (Texas)".
    fn is_written_so(&self, value: Value) -> bool {
        self.gazetteer.entries(value).any(|named| named.place.name().contains('('))
    }

    /// Whether an inflected name is meant where a far smaller place happens to be called like that:
    /// "Łodzi" is Łódź and not Lodi.
    fn is_hidden(&self, plain: &Match, inflected: &Match) -> bool {
        plain.last <= inflected.last && self.people(inflected.value) > self.people(plain.value) * HIDDEN
    }

    /// The people of the largest place of a name; those of places that have it as a second name count
    /// a tenth.
    fn people(&self, value: Value) -> u64 {
        let people = |named: Named| named.place.population() / if named.alternate { 10 } else { 1 };
        self.gazetteer.entries(value).map(people).max().unwrap_or(0)
    }

    /// A name with an ending of the language taken off its last word: Joensuussa, Pohjois-Karjalan. So many
    /// bytes of the first word are `known` as the start of a name.
    fn inflected(&self, text: &str, tokens: &[Token], first: usize, known: usize) -> Option<Match> {
        if tokens[first].shape != Shape::Capital {
            return None;
        }
        self.languages().find_map(|language| {
            let endings = endings(language);
            if endings.is_empty() {
                return None;
            }
            let joins = |token: &&Token| token.gap == Gap::Joins && token.shape == Shape::Capital;
            let more = tokens[first + 1..].iter().take(INFLECTED_WORDS - 1).take_while(joins).count();
            (first..=first + more).rev().find_map(|last| {
                let word = tokens[last].text(text);
                let (before, known) = if last == first {
                    (String::new(), known)
                } else if known < tokens[first].text(text).len() {
                    return None;
                } else {
                    let before: String = tokens[first..last].iter().map(|token| fold(token.text(text)) + " ").collect();
                    let known = self.start_of_a_name(&before, word);
                    (before, known)
                };
                let (value, locative) = self.without_ending(endings, language, &before, word, known)?;
                Some(Match { first, last, skip: 0, value, ending: Some(locative) })
            })
        })
    }

    /// Whether a name and an ending are believed in a language that the text is only likely in: the name
    /// of a town of some size, and an ending that few other words have.
    fn is_sizeable(&self, value: Value, ending: &str, locative: bool) -> bool {
        let is_town =
            |named: Named| !named.alternate && named.place.kind() == Kind::Town && named.place.population() >= SIZEABLE;
        locative && ending.chars().count() >= STEM && self.gazetteer.entries(value).any(is_town)
    }

    /// How many bytes of a word, after what stands before it, some name begins with.
    fn start_of_a_name(&self, before: &str, word: &str) -> usize {
        let mut path = Path { keys: &self.keys, node: self.keys.root(), output: Output::zero() };
        if before.bytes().all(|byte| path.step(byte)) { path.word(word) } else { 0 }
    }

    /// The name whose last word is this one without an ending, and whether the ending says where. So many bytes
    /// of the word are `known` as the start of a name.
    fn without_ending(
        &self,
        endings: &[Ending],
        language: Language,
        before: &str,
        word: &str,
        known: usize,
    ) -> Option<(Value, bool)> {
        let guessed = self.likely.contains(&language);
        let changes = language.code() == Some("fi");
        let last = word.as_bytes().last();
        let mut best: Option<(u64, Value, bool)> = None;
        for (ending, instead, locative) in endings {
            if !ending.is_empty() && ending.as_bytes().last() != last {
                continue;
            }
            let Some(stem) = word.strip_suffix(ending) else { continue };
            let letters = stem.chars().count();
            if letters < STEM && letters + instead.chars().count() <= STEM || ending.is_empty() && letters <= STEM {
                continue;
            }
            // What a name has in common with the word has to be the start of some name: that rules most out.
            let same = if changes { stem.len().saturating_sub(CHANGED) } else { stem.len() };
            if known < same {
                continue;
            }
            let key = before.to_owned() + &fold(stem) + &fold(instead);
            let mut keys = vec![key];
            if changes {
                finnish_stems(&mut keys);
            }
            for found in keys.iter().filter_map(|key| self.keys.get(key.as_bytes())) {
                let value = Value::unpack(found.value());
                if guessed && !self.is_sizeable(value, ending, *locative) {
                    continue;
                }
                // An ending that says where is likelier one than one that says nothing.
                let weight = self.people(value).max(1) * if *locative { 10 } else { 1 };
                if best.is_none_or(|(known, ..)| weight > known) {
                    best = Some((weight, value, *locative));
                }
            }
        }
        best.map(|(_, value, locative)| (value, locative))
    }
}

/// A way along the keys of an index.
struct Path<'k> {
    keys: &'k Fst<&'static [u8]>,
    node: Node<'k>,
    output: Output,
}

impl Path<'_> {
    /// Goes on by one byte, if some key does.
    fn step(&mut self, byte: u8) -> bool {
        let Some(found) = self.node.find_input(byte) else { return false };
        let transition = self.node.transition(found);
        self.output = self.output.cat(transition.out);
        self.node = self.keys.node(transition.addr);
        true
    }

    /// Goes on along a word, as far as some key does; gives how many bytes of the word that is.
    fn word(&mut self, word: &str) -> usize {
        for (at, c) in word.char_indices() {
            let mut goes_on = true;
            if c.is_ascii() {
                goes_on = self.step(c.to_ascii_lowercase() as u8);
            } else {
                let mut step = |folded: char| folded.encode_utf8(&mut [0; 4]).bytes().all(|byte| self.step(byte));
                fold_char(c, |folded| goes_on = goes_on && step(folded));
            }
            if !goes_on {
                return at;
            }
        }
        word.len()
    }
}

/// Letters at the end of a stem that [`finnish_stems`] change.
const CHANGED: usize = 2;

/// Bytes of what Arabic writes together with the word that follows: and, in, to, so, like.
fn prefix(word: &str) -> Option<usize> {
    let first = word.chars().next().filter(|c| "وبلفك".contains(*c))?;
    (word.chars().count() > STEM).then_some(first.len_utf8())
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
    // Lappi – Lapin: double consonants become single ones.
    let letters: Vec<char> = stem.chars().collect();
    if let [.., consonant @ ('p' | 't' | 'k'), vowel] = letters[..]
        && "aeiouy".contains(vowel)
    {
        let (rest, doubled) = (&letters[..letters.len() - 1], [consonant, vowel]);
        keys.push(rest.iter().chain(&doubled).collect());
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
        match language.with_words() {
            Some(number) => self.0 >> (Word::FIRST_LANGUAGE as usize + number) & 1 != 0,
            None => self.is_ordinary_somewhere(),
        }
    }

    pub(super) fn is_ordinary_somewhere(self) -> bool {
        self.0 >> Word::FIRST_LANGUAGE != 0
    }

    /// Whether the word is a stop word of a language.
    pub(super) fn is_stop_word(self, language: Language) -> bool {
        language.with_words().is_some_and(|number| self.0 >> (Word::FIRST_STOP as usize + number) & 1 != 0)
    }
}
