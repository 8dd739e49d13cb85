//! Places in text [algorithms 3.2].
//!
//! [`parse()`] finds coordinates, postal addresses and names of places. Layers that say more exactly
//! where something is come first; a name inside an address is not given again.

mod addresses;
mod coordinates;
mod cues;
mod endings;
mod grid;
mod language;
mod locate;
mod names;
mod parser;
mod tokens;
mod toponyms;
mod tuning;

use std::ops::Range;

use facts::{Address, LatLon};

pub(crate) use self::coordinates::{is_origin, spread_of, two_numbers};
pub(crate) use self::locate::{Clues, Fit, Stated, country_code, doubted, fit, refined, town};
pub use self::parser::Parser;
pub(crate) use self::tuning::precision_m;
use crate::gazetteer::{Gazetteer, Place};
use crate::region::Region;

/// What is known of a text before it is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'h> {
    /// Its language (ISO 639-1); guessed from a sample when not given.
    pub language: Option<&'h str>,
    /// The country it probably speaks of (ISO 3166-1): that of the host's name.
    pub country: Option<&'h str>,
    /// The region of interest.
    pub region: Option<&'h Region>,
    /// Places spoken of around the text: a name is likelier one of them, or near them.
    pub context: &'h [Place],
    /// Words around the text: what is written small there is hardly a name.
    pub beside: &'h str,
}

/// In which form a place is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionKind {
    /// A postal address.
    Address,
    /// Coordinates.
    Coordinates,
    /// The name of a place.
    Toponym,
    /// Structured data.
    Structured,
}

impl MentionKind {
    /// As in the product's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Coordinates => "coordinates",
            Self::Toponym => "toponym",
            Self::Structured => "structured",
        }
    }
}

/// A place that a text mentions.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// Where in the text, in bytes; empty for structured data.
    pub span: Range<usize>,
    /// In which form.
    pub kind: MentionKind,
    /// The place; for coordinates, none.
    pub place: Option<Place>,
    /// Where it is.
    pub at: LatLon,
    /// How exactly that is known, in metres.
    pub precision_m: f64,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// For addresses, their parts.
    pub address: Option<Address>,
    /// How we know, in a few words.
    pub why: String,
}

impl Mention {
    /// Puts an address where its house, street or postcode is, where such were imported.
    pub(crate) fn refine(&mut self) {
        let refined =
            self.place.zip(self.address.as_ref()).and_then(|(place, address)| locate::refined(place, address));
        if let Some(((lat, lon), precision_m, what)) = refined
            && let Some(at) = LatLon::new(lat, lon)
        {
            (self.at, self.precision_m) = (at, precision_m);
            self.why = format!("{}, {what} is known", self.why);
        }
    }
}

/// Finds the places that a text mentions, in the order of the text.
pub fn parse(text: &str, hints: &Hints<'_>) -> Vec<Mention> {
    parse_with(Gazetteer::embedded(), text, hints)
}

/// [`parse()`] with another gazetteer.
pub fn parse_with(gazetteer: &'static Gazetteer, text: &str, hints: &Hints<'_>) -> Vec<Mention> {
    Parser::with(gazetteer, *hints).whole(text)
}

/// The point of a `geo:` URI and how exactly it is known, in metres.
pub(crate) fn geo_uri(uri: &str) -> Option<(LatLon, f64)> {
    if !uri.get(..4)?.eq_ignore_ascii_case("geo:") {
        return None;
    }
    coordinates::geo_uri(uri).map(|reading| (reading.at, reading.precision_m))
}

/// Adds mentions that lie outside of those found before, and puts all in the order of the text.
fn add_outside(found: &mut Vec<Mention>, others: Vec<Mention>) {
    let known: Vec<Range<usize>> = found.iter().map(|mention| mention.span.clone()).collect();
    found.extend(others.into_iter().filter(|other| {
        // Known spans are in order and apart, so only the next one can overlap.
        let next = known.partition_point(|span| span.end <= other.span.start);
        known.get(next).is_none_or(|span| span.start >= other.span.end)
    }));
    found.sort_by_key(|mention| mention.span.start);
}

/// The spans of mentions in code points, as people and other programs count.
pub fn code_points(text: &str, mentions: &[Mention]) -> Vec<Range<usize>> {
    let mut edges: Vec<usize> = mentions.iter().flat_map(|mention| [mention.span.start, mention.span.end]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut counted = Vec::with_capacity(edges.len());
    let (mut at, mut points) = (0, 0);
    for edge in &edges {
        points += text.get(at..*edge).map_or(0, |part| part.chars().count());
        at = *edge;
        counted.push(points);
    }
    let point = |byte: usize| edges.binary_search(&byte).map_or(0, |index| counted[index]);
    mentions.iter().map(|mention| point(mention.span.start)..point(mention.span.end)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn layers_are_found_together_in_the_order_of_the_text() {
        let text = "From Hamburg we went to 54.3233, 10.1228; write to Escherweg 2, 26121 Oldenburg (Germany).";
        let mentions = parse(text, &Hints::default());
        let found: Vec<(&str, &str)> = mentions.iter().map(|m| (m.kind.as_str(), &text[m.span.clone()])).collect();
        assert_eq!(
            found,
            [
                ("toponym", "Hamburg"),
                ("coordinates", "54.3233, 10.1228"),
                ("address", "Escherweg 2, 26121 Oldenburg"),
                ("toponym", "Germany"),
            ]
        );
    }

    #[test]
    fn spans_can_be_counted_in_code_points() {
        let text = "Grüße aus Köln und Düsseldorf 😀 und München";
        let spans = code_points(text, &parse(text, &Hints { language: Some("de"), ..Hints::default() }));
        assert_eq!(spans, [10..14, 19..29, 36..43]);
    }

    #[test]
    fn a_text_longer_than_a_block_is_read_to_its_end() {
        let line = "They met in Kiel and nothing else was said of it that day by anyone.\n";
        let text = line.repeat(3 * tuning::BLOCK / line.len());
        let mentions = parse(&text, &Hints::default());
        assert_eq!(mentions.len(), text.lines().count());
        assert!(mentions.iter().all(|mention| &text[mention.span.clone()] == "Kiel"));
        // Nor does it matter in which pieces it comes: as many bytes as a block has are cut nowhere.
        for line in [line, line.trim_end()] {
            let text = format!("{line} ").repeat(3 * tuning::BLOCK / line.len());
            let mut parser = Parser::new(Hints::default());
            let (mut waiting, mut found) = (String::new(), 0);
            for piece in text.as_bytes().chunks(tuning::BLOCK / 4) {
                waiting.push_str(std::str::from_utf8(piece).unwrap());
                let (read, mentions) = parser.take(&waiting, false);
                found += mentions.len();
                waiting.drain(..read);
            }
            assert_eq!(found + parser.take(&waiting, true).1.len(), text.matches("Kiel").count());
        }
        // One long word has no boundary to cut at.
        assert!(parse(&"ä".repeat(tuning::BLOCK), &Hints::default()).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_it_panic_and_spans_lie_on_characters(text in "\\PC{0,200}") {
            for mention in parse(&text, &Hints::default()) {
                prop_assert!(text.get(mention.span.clone()).is_some_and(|part| !part.is_empty()));
                prop_assert!((0.0..=1.0).contains(&mention.confidence));
                prop_assert!(mention.precision_m > 0.0);
            }
        }

        #[test]
        fn pieces_of_names_numbers_and_addresses_make_no_panic(
            pieces in proptest::collection::vec(
                prop_oneof![
                    "[A-Za-zÄöéß ]{1,8}", "[0-9]{1,7}", "[ ,.;:°'′\"\n/-]{1,3}", Just("Kiel".to_owned()), Just("St. ".to_owned()),
                    Just("U.S.".to_owned()), Just(" N ".to_owned()), Just("geo:".to_owned()), Just("24103 Kiel".to_owned()),
                    Just("SW1A 2AA".to_owned()), Just(", NY 10001".to_owned()), Just("32U".to_owned()), Just("straße 5".to_owned()),
                    Just("東京".to_owned()), Just("ประเทศ".to_owned()), Just("\u{0301}".to_owned()),
                ],
                0..40,
            ),
            language in prop_oneof![Just(None), Just(Some("fi")), Just(Some("pl")), Just(Some("de"))],
        ) {
            let text = pieces.concat();
            let mentions = parse(&text, &Hints { language, ..Hints::default() });
            for pair in mentions.windows(2) {
                prop_assert!(pair[0].span.end <= pair[1].span.start, "{:?}", pair);
            }
            prop_assert_eq!(code_points(&text, &mentions).len(), mentions.len());
        }
    }
}
