//! Postal addresses: street, number, postcode and town, on one line or over several.
//!
//! An address is found by its postcode, which few other things look like ([`formats`], from data), and
//! read from there: the town stands after it or before it, the street before both. Words for streets,
//! floors and flats of all languages are in [`vocabulary`], the forms of house numbers in [`number`].
//! What is found is believed as far as its parts agree: the town with the gazetteer and the postcode,
//! the street's language with the country, and the country with what else the text says of it
//! ([`evidence`]).

mod english;
mod evidence;
mod formats;
mod japanese;
mod name;
mod number;
mod pieces;
mod street;
mod tables;
#[cfg(test)]
mod tests;
mod town_after;
mod town_before;
mod vocabulary;

use std::ops::Range;

use self::evidence::Evidence;
pub(super) use self::formats::Formats;
use self::formats::Side;
use self::street::Street;
use super::locate::{self, Fit};
use super::tokens::{Gap, Shape, Token};
use super::{Address, Hints, Mention, MentionKind, tuning};
use crate::gazetteer::{Gazetteer, Place};

/// Words before a postcode among which a house number is looked for.
const NUMBER_REACH: usize = 22;

/// All addresses of a text, in order.
pub(super) fn addresses(
    gazetteer: &'static Gazetteer,
    text: &str,
    tokens: &[Token],
    hints: &Hints<'_>,
) -> Vec<Mention> {
    let reader = Reader { gazetteer, text, tokens, hints, formats: Formats::all() };
    let mut found: Vec<Mention> = Vec::new();
    // The last word with a digit before the one looked at, and after which no address was found yet.
    let mut numbered: Option<usize> = None;
    for (index, token) in tokens.iter().enumerate() {
        let has_digit = token.shape == Shape::Number || reader.has_digit(index);
        let near = numbered.is_some_and(|number| index - number <= NUMBER_REACH);
        if has_digit && token.shape != Shape::Caseless {
            let candidate = near.then(|| reader.at(index)).flatten();
            if let Some(mention) = candidate.or_else(|| reader.japanese(index)) {
                match found.last() {
                    Some(last) if last.span.end > mention.span.start => {
                        // Two readings of the same words: "…, 12345 Town" and "Town 12345 …".
                        if mention.confidence > last.confidence {
                            found.pop();
                            found.push(mention);
                        }
                    }
                    _ => found.push(mention),
                }
            }
        }
        // Numbers in words and "s/n" are house numbers too.
        if has_digit || is_number_word(token, text) {
            numbered = Some(index);
        }
    }
    found
}

fn is_number_word(token: &Token, text: &str) -> bool {
    // Most words are none, by how they begin.
    if !matches!(text.as_bytes().get(token.start as usize), Some(b'E' | b'F' | b'N' | b'O' | b'S' | b'T' | b's')) {
        return false;
    }
    matches!(
        token.text(text),
        "One"
            | "Two"
            | "Three"
            | "Four"
            | "Five"
            | "Six"
            | "Seven"
            | "Eight"
            | "Nine"
            | "Ten"
            | "Eleven"
            | "Twelve"
            | "ONE"
            | "TWO"
            | "THREE"
            | "snc"
            | "SNC"
            | "s"
            | "S"
    )
}

/// A postcode in the text.
#[derive(Clone, Copy, Debug)]
struct Postcode<'t> {
    /// Its words.
    first: usize,
    after: usize,
    start: usize,
    end: usize,
    written: &'t str,
}

struct Reader<'r> {
    gazetteer: &'static Gazetteer,
    text: &'r str,
    tokens: &'r [Token],
    hints: &'r Hints<'r>,
    formats: &'static Formats,
}

/// What an address is made of before it is judged.
struct Parts {
    span: Range<usize>,
    street: Street,
    postcode: String,
    city: String,
    /// The town, or the area or country it must be in.
    place: Place,
    known: bool,
    country: &'static str,
    evidence: Evidence,
}

impl<'r> Reader<'r> {
    fn word(&self, index: usize) -> &'r str {
        self.tokens.get(index).map_or("", |token| token.text(self.text))
    }

    fn has_digit(&self, index: usize) -> bool {
        let token = &self.tokens[index];
        token.end - token.start <= 8
            && token.shape != Shape::Lower
            && self.word(index).bytes().any(|b| b.is_ascii_digit())
    }

    /// The address whose postcode begins at a word.
    fn at(&self, index: usize) -> Option<Mention> {
        let mut best: Option<Mention> = None;
        for length in [2, 1] {
            let Some(postcode) = self.postcode(index, length) else { continue };
            for side in [Side::Before, Side::After] {
                let countries = self.formats.countries(postcode.written, side);
                if countries.is_empty() {
                    continue;
                }
                let parts = match side {
                    Side::Before => self.town_after(postcode, &countries),
                    Side::After => self.town_before(postcode, &countries),
                };
                let mention = parts.and_then(|parts| self.mention(parts));
                if let Some(mention) = mention
                    && best.as_ref().is_none_or(|best| mention.confidence > best.confidence)
                {
                    best = Some(mention);
                }
            }
            if best.is_some() {
                break;
            }
        }
        best
    }

    /// What may be a postcode of so many words.
    fn postcode(&self, first: usize, length: usize) -> Option<Postcode<'r>> {
        let after = first + length;
        let last = self.tokens.get(after - 1)?;
        let start = self.tokens[first].start as usize;
        let end = last.end as usize;
        if length > 1 && (last.gap != Gap::Joins || end - start > 10) {
            return None;
        }
        let written = self.text.get(start..end)?;
        (4..=10).contains(&written.len()).then_some(Postcode { first, after, start, end, written })
    }

    fn mention(&self, parts: Parts) -> Option<Mention> {
        let Parts { span, street, postcode, city, place, known, country, mut evidence } = parts;
        let address = Address {
            street: Some(street.street),
            number: Some(street.number),
            postcode: Some(postcode),
            city: Some(city),
            country: Some(country.to_owned()),
        };
        let fit = if known { locate::fit(place, &address) } else { None };
        evidence.fit = fit;
        let confidence = locate::doubted(evidence.confidence()?, fit);
        let why = if known {
            format!("street, number and postcode with {}, a known town{}", place.name(), Fit::describe(fit))
        } else {
            format!("street, number and postcode with a town that is not known, in {}", place.name())
        };
        let mut mention = Mention {
            span,
            kind: MentionKind::Address,
            place: Some(place),
            at: place.at(),
            precision_m: tuning::precision_m(place),
            confidence,
            address: Some(address),
            why,
        };
        mention.refine();
        Some(mention)
    }
}
