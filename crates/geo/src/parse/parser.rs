//! The layers one after the other, block by block.

use super::cues::Language;
use super::{Hints, Mention, MentionKind, add_outside, addresses, coordinates, language, tokens, toponyms, tuning};
use crate::gazetteer::{Country, Gazetteer};

/// A parser of a text that comes in pieces.
///
/// ```
/// use geo::{Hints, Parser};
/// let mut parser = Parser::new(Hints::default());
/// let (mut waiting, mut found) = (String::new(), 0);
/// for (piece, last) in [("They left Ki", false), ("el and came to Hamburg.", true)] {
///     waiting.push_str(piece);
///     let (read, mentions) = parser.take(&waiting, last);
///     found += mentions.len();
///     waiting.drain(..read);
/// }
/// assert_eq!(found, 2);
/// ```
#[derive(Clone, Debug)]
pub struct Parser<'h> {
    gazetteer: &'static Gazetteer,
    hints: Hints<'h>,
    /// The language to fall back on when the text does not tell its own.
    declared: Option<&'h str>,
}

impl<'h> Parser<'h> {
    /// A parser with the embedded gazetteer.
    pub fn new(hints: Hints<'h>) -> Self {
        Self::with(Gazetteer::embedded(), hints)
    }

    pub(super) fn with(gazetteer: &'static Gazetteer, hints: Hints<'h>) -> Self {
        Self { gazetteer, hints, declared: None }
    }

    /// Takes the text for one in this language unless it looks like another.
    pub fn declared(self, language: Option<&'h str>) -> Self {
        Self { declared: language, ..self }
    }

    /// Parses the beginning of what waits to be read, and says how many bytes that is: all of it at
    /// the text's end; before that as much as is looked at together, up to the end of a line or word,
    /// or nothing when there is not enough yet. Spans count from the beginning of what waits.
    pub fn take(&mut self, waiting: &str, last: bool) -> (usize, Vec<Mention>) {
        let mut mentions = Vec::new();
        let mut start = 0;
        while start < waiting.len()
            && (last || waiting.len() - start > tuning::BLOCK)
            && mentions.len() < tuning::MENTIONS
        {
            let end = block_end(waiting, start);
            self.block(&waiting[start..end], start, &mut mentions);
            start = end;
        }
        (if last { waiting.len() } else { start }, mentions)
    }

    pub(crate) fn whole(&mut self, text: &str) -> Vec<Mention> {
        let mut mentions = self.take(text, true).1;
        mentions.truncate(tuning::MENTIONS);
        mentions
    }

    /// The language of what was read, as far as it is known.
    pub(crate) fn language(&self) -> Option<&'h str> {
        self.hints.language.or(self.declared)
    }

    fn block(&mut self, block: &str, start: usize, mentions: &mut Vec<Mention>) {
        let (gazetteer, tokens) = (self.gazetteer, tokens::tokens(block));
        // What the first words say holds for the whole text.
        self.hints.language = self.hints.language.or_else(|| language::guess(block, &tokens));
        let mut found = coordinates::coordinates(block);
        add_outside(&mut found, addresses::addresses(gazetteer, block, &tokens, &self.hints));
        // Pages with nothing but an address are written as its country writes.
        let language = self.language().or_else(|| {
            let place = found.iter().find(|mention| mention.kind == MentionKind::Address)?.place?;
            place.country().map(Country::language)
        });
        let names = toponyms::toponyms(gazetteer, block, &tokens, Language::new(language), &self.hints);
        add_outside(&mut found, names);
        mentions.extend(found.into_iter().map(|mut mention| {
            mention.span = mention.span.start + start..mention.span.end + start;
            mention
        }));
    }
}

/// Where a block ends: at the end of a line, a sentence or a word if there is one near.
fn block_end(text: &str, start: usize) -> usize {
    let mut end = (start + tuning::BLOCK).min(text.len());
    if end == text.len() {
        return end;
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let block = &text[start..end];
    let near = block.len() / 2;
    let cut = |at: &str| block.rfind(at).filter(|cut| *cut > near).map(|cut| start + cut + at.len());
    cut("\n").or_else(|| cut(". ")).or_else(|| cut(" ")).unwrap_or(end)
}
