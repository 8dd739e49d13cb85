//! Postal addresses: street, number, postcode and town, on one line or over several.
//!
//! An address is found by its postcode, which few other things look like, and believed when the
//! town beside it is in the gazetteer and a street stands before it. The orders known here: number
//! after the street and postcode before the town (DE, FI and most of the continent), number before
//! the street (FR), town before the postcode (UK), town, state and ZIP (US).

use std::ops::Range;

use super::locate::{self, Clues};
use super::tokens::{Gap, Shape, Token};
use super::{Address, Hints, Mention, MentionKind, tuning};
use crate::gazetteer::{Gazetteer, Place};

/// How far before the postcode the street may begin, in bytes.
const STREET_REACH: usize = 120;
/// Most words of a town's name.
const CITY_WORDS: usize = 5;
/// Longest street name, in words.
const STREET_WORDS: usize = 7;
/// Confidence with a word for a street in it, and without.
const CONFIDENCE: (f64, f64) = (0.95, 0.8);

/// Countries whose postcode of five, of four digits stands before the town.
const FIVE_DIGITS: [&str; 17] =
    ["DE", "FI", "FR", "IT", "ES", "EE", "HR", "AX", "MC", "TR", "MX", "LT", "GP", "MQ", "GF", "RE", "YT"];
const FOUR_DIGITS: [&str; 9] = ["AT", "CH", "DK", "NO", "BE", "NL", "LU", "LI", "HU"];
const SPACED: [&str; 4] = ["SE", "CZ", "SK", "GR"];

/// Ends or wholes of words for streets, folded to lower case without diacritics.
const STREET_ENDINGS: [&str; 26] = [
    "strasse", "str", "weg", "platz", "allee", "gasse", "damm", "ufer", "chaussee", "katu", "tie", "kuja", "polku",
    "vayla", "kaari", "raitti", "gatan", "vagen", "gata", "vej", "gade", "straat", "laan", "plein", "markt", "ring",
];
const STREET_WORDS_ALONE: [&str; 62] = [
    "rue",
    "avenue",
    "av",
    "boulevard",
    "bd",
    "blvd",
    "place",
    "chemin",
    "allee",
    "allees",
    "quai",
    "impasse",
    "cours",
    "street",
    "st",
    "road",
    "rd",
    "ave",
    "drive",
    "dr",
    "lane",
    "ln",
    "way",
    "court",
    "ct",
    "square",
    "sq",
    "terrace",
    "parkway",
    "pkwy",
    "highway",
    "hwy",
    "close",
    "crescent",
    "gardens",
    "row",
    "mews",
    "hill",
    "walk",
    "broadway",
    "circle",
    "via",
    "piazza",
    "viale",
    "corso",
    "calle",
    "plaza",
    "paseo",
    "avenida",
    "rua",
    "praca",
    "largo",
    "ulica",
    "ul",
    "aleja",
    "markt",
    "am",
    "an",
    "zur",
    "im",
    "pl",
    "plc",
];

/// All addresses of a text, in order.
pub(super) fn addresses(
    gazetteer: &'static Gazetteer,
    text: &str,
    tokens: &[Token],
    hints: &Hints<'_>,
) -> Vec<Mention> {
    let reader = Reader { gazetteer, text, tokens, hints };
    let mut found: Vec<Mention> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let candidate = match token.shape {
            Shape::Number => reader.continental(index).or_else(|| reader.american(index)),
            // "SW1A 2AA": the first half begins with a letter.
            Shape::Capital | Shape::Capitals => reader.british(index),
            _ => None,
        };
        if let Some(mention) = candidate
            && found.last().is_none_or(|last| last.span.end <= mention.span.start)
        {
            found.push(mention);
        }
    }
    found
}

struct Reader<'r> {
    gazetteer: &'static Gazetteer,
    text: &'r str,
    tokens: &'r [Token],
    hints: &'r Hints<'r>,
}

impl Reader<'_> {
    fn word(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.text(self.text))
    }

    fn is_digits(&self, index: usize, length: usize) -> bool {
        let word = self.word(index);
        word.len() == length && word.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// `Musterstraße 12, 24103 Kiel`, `12 rue de Rivoli, 75001 Paris`.
    fn continental(&self, index: usize) -> Option<Mention> {
        let (countries, city_at): (&[&str], usize) = if self.is_digits(index, 5) {
            (&FIVE_DIGITS, index + 1)
        } else if self.is_digits(index, 4) {
            // Dutch postcodes have two letters after the digits.
            let letters = self
                .tokens
                .get(index + 1)
                .is_some_and(|token| token.shape == Shape::Capitals && token.end - token.start == 2);
            (&FOUR_DIGITS, if letters { index + 2 } else { index + 1 })
        } else if self.is_digits(index, 3) && self.is_digits(index + 1, 2) && self.tokens[index + 1].gap == Gap::Joins {
            (&SPACED, index + 2)
        } else {
            return None;
        };
        if !self.tokens.get(city_at)?.is_capitalised() || self.tokens[city_at].gap != Gap::Joins {
            return None;
        }
        // "D-24103", "FI-80100"
        let mut start = index;
        let mut country = None;
        if index > 0 && self.tokens[index].gap == Gap::Joins && self.tokens[index - 1].is_capitalised() {
            let prefix = self.word(index - 1);
            let code = match prefix {
                "D" => "DE",
                "F" => "FR",
                "A" => "AT",
                "CH" | "DE" | "FI" | "FR" | "AT" | "BE" | "NL" | "DK" | "NO" | "SE" | "LU" | "AX" => prefix,
                _ => "",
            };
            if !code.is_empty() && self.text.as_bytes().get(self.tokens[index - 1].end as usize) == Some(&b'-') {
                country = Some(code);
                start = index - 1;
            }
        }
        let street = self.street_before(self.tokens[start].start as usize)?;
        let postcode =
            self.text.get(self.tokens[index].start as usize..self.tokens[city_at - 1].end as usize)?.to_owned();
        let mut address = Address { postcode: Some(postcode), country: country.map(str::to_owned), ..street.address };
        let (place, city_end) = self.city_from(city_at, &mut address, countries)?;
        Some(self.mention(street.start..city_end, address, place, street.sure))
    }

    /// `1600 Pennsylvania Avenue NW, Washington, DC 20500`: found at the ZIP code.
    fn american(&self, index: usize) -> Option<Mention> {
        if !self.is_digits(index, 5) || index < 3 {
            return None;
        }
        let state = &self.tokens[index - 1];
        if state.shape != Shape::Capitals || state.end - state.start != 2 || self.tokens[index].gap != Gap::Joins {
            return None;
        }
        if !matches!(state.gap, Gap::Comma | Gap::Joins) {
            return None;
        }
        let region = state.text(self.text);
        let mut end = self.tokens[index].end as usize;
        let mut postcode = self.word(index).to_owned();
        if self.is_digits(index + 1, 4)
            && self.tokens[index + 1].gap == Gap::Joins
            && self.text.as_bytes().get(end) == Some(&b'-')
        {
            postcode = format!("{postcode}-{}", self.word(index + 1));
            end = self.tokens[index + 1].end as usize;
        }
        self.city_before(index - 1, &postcode, Some(region), &["US", "PR"], end)
    }

    /// `10 Downing Street, London SW1A 2AA`: found at the first half of the postcode.
    fn british(&self, index: usize) -> Option<Mention> {
        let (outward, inward) = (self.word(index), self.word(index + 1));
        if !is_outward(outward) || !is_inward(inward) || self.tokens[index + 1].gap != Gap::Joins || index < 2 {
            return None;
        }
        let end = self.tokens[index + 1].end as usize;
        self.city_before(index, &format!("{outward} {inward}"), None, &["GB", "IM", "JE", "GG"], end)
    }

    /// The town that ends just before a token, a street before that.
    fn city_before(
        &self,
        end_token: usize,
        postcode: &str,
        region: Option<&str>,
        countries: &[&str],
        end: usize,
    ) -> Option<Mention> {
        for words in (1..=CITY_WORDS.min(end_token)).rev() {
            let first = end_token - words;
            let parts = &self.tokens[first..end_token];
            let joined = parts[1..].iter().all(|token| matches!(token.gap, Gap::Joins | Gap::Stop));
            if !joined || !parts[0].is_capitalised() {
                continue;
            }
            let city = self.text.get(parts[0].start as usize..parts[words - 1].end as usize)?;
            let mut address =
                Address { city: Some(city.to_owned()), postcode: Some(postcode.to_owned()), ..Address::default() };
            let Some(place) = locate::town(self.gazetteer, &address, Clues { region, countries }, self.hints) else {
                continue;
            };
            // Between town and postcode a county may stand; between street and town a district.
            let Some(street) = self.street_before(parts[0].start as usize) else { continue };
            address.street = street.address.street;
            address.number = street.address.number;
            address.country = place.country().map(|country| country.code().to_owned());
            return Some(self.mention(street.start..end, address, place, street.sure));
        }
        None
    }

    /// The longest name of a town from a token on.
    fn city_from(&self, first: usize, address: &mut Address, countries: &[&str]) -> Option<(Place, usize)> {
        let joined = (first + 1..self.tokens.len().min(first + CITY_WORDS))
            .take_while(|index| matches!(self.tokens[*index].gap, Gap::Joins | Gap::Stop))
            .count();
        for words in (1..=joined + 1).rev() {
            let last = &self.tokens[first + words - 1];
            let city = self.text.get(self.tokens[first].start as usize..last.end as usize)?;
            let given = address.country.clone();
            address.city = Some(city.to_owned());
            let clues = Clues { region: None, countries: if given.is_some() { &[] } else { countries } };
            if let Some(place) = locate::town(self.gazetteer, address, clues, self.hints) {
                address.country = place.country().map(|country| country.code().to_owned());
                return Some((place, last.end as usize));
            }
        }
        None
    }

    /// The street that ends before a byte, on the same line or the one before.
    fn street_before(&self, end: usize) -> Option<Street> {
        let mut floor = end.saturating_sub(STREET_REACH);
        while !self.text.is_char_boundary(floor) {
            floor += 1;
        }
        let before = self.text.get(floor..end)?;
        // What separates the street from what follows it.
        let trimmed = before.trim_end_matches(|c: char| c.is_whitespace() || ",;|·•–-/".contains(c));
        if trimmed.len() == before.len() {
            return None;
        }
        // Up to three parts back: a district or a floor may stand between.
        let mut parts: Vec<(usize, &str)> = Vec::new();
        let mut part_end = trimmed.len();
        for (at, c) in trimmed.char_indices().rev() {
            if matches!(c, ',' | '\n' | ';' | '|' | '•' | '·') || is_sentence_end(trimmed, at) {
                parts.push((at + c.len_utf8(), &trimmed[at + c.len_utf8()..part_end]));
                part_end = at;
                if parts.len() == 3 {
                    break;
                }
            }
        }
        if parts.len() < 3 && (floor == 0 || parts.is_empty()) {
            parts.push((0, &trimmed[..part_end]));
        }
        for (index, (at, part)) in parts.iter().enumerate() {
            // "12, rue de Rivoli": the number stands in a part of its own.
            if let Some((number_at, number)) = parts.get(index + 1)
                && is_number(number.trim())
                && street_words(part)
            {
                let lead = number.len() - number.trim_start().len();
                let address = Address {
                    street: Some(part.trim().to_owned()),
                    number: Some(number.trim().to_owned()),
                    ..Address::default()
                };
                return Some(Street { start: floor + number_at + lead, address, sure: true });
            }
            if let Some((lead, street, number)) = split(part) {
                let sure = street_words(&street);
                // Without a word for a street, only right before the postcode.
                if sure || index == 0 {
                    let address = Address { street: Some(street), number: Some(number), ..Address::default() };
                    return Some(Street { start: floor + at + lead, address, sure });
                }
            }
        }
        None
    }

    fn mention(&self, span: Range<usize>, address: Address, place: Place, sure: bool) -> Mention {
        let code = place.country().map_or("", |country| country.code());
        let postcode = address.postcode.as_deref().unwrap_or_default();
        let agreement = match locate::agrees(place, code, postcode) {
            Some(true) => ", and the postcode is of its area",
            _ => "",
        };
        let why = format!("street, number and postcode with {}, a known town{agreement}", place.name());
        Mention {
            span,
            kind: MentionKind::Address,
            place: Some(place),
            at: place.at(),
            precision_m: tuning::precision_m(place),
            confidence: if sure { CONFIDENCE.0 } else { CONFIDENCE.1 },
            address: Some(address),
            why,
        }
    }
}

struct Street {
    start: usize,
    address: Address,
    /// A word for a street is in it.
    sure: bool,
}

/// A full stop that ends a sentence rather than "Str." or "St.".
fn is_sentence_end(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    if bytes[at] != b'.' && bytes[at] != b':' && bytes[at] != b'!' && bytes[at] != b'?' {
        return false;
    }
    if bytes[at] != b'.' {
        return true;
    }
    let word = text[..at].rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
    !STREET_WORDS_ALONE.contains(&crate::fold(word).as_str())
        && !crate::fold(word).ends_with("str")
        && word.chars().count() > 3
}

/// House numbers: `12`, `12a`, `12-14`, `12 B 3`, `4/6`, `12 bis`.
fn is_number(text: &str) -> bool {
    let mut words = text.split(' ');
    let Some(first) = words.next() else { return false };
    let digits = first.bytes().take_while(u8::is_ascii_digit).count();
    let tail = &first[digits..];
    let tail_fits = tail.len() <= 1 && tail.bytes().all(|byte| byte.is_ascii_alphabetic())
        || tail.len() <= 6
            && tail.starts_with(['-', '–', '/'])
            && tail.chars().skip(1).all(|c| c.is_ascii_alphanumeric());
    (1..=5).contains(&digits)
        && tail_fits
        && words.all(|word| word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && text.split(' ').count() <= 4
}

/// Splits a part into street and number, whichever comes first; with how many bytes precede it.
fn split(part: &str) -> Option<(usize, String, String)> {
    let lead = part.len() - part.trim_start().len();
    let part = part.trim();
    let words: Vec<&str> = part.split_whitespace().collect();
    if words.len() < 2 {
        return None;
    }
    // The street is capitalised somewhere; "rue de rivoli" is not, but "rue" says it.
    let named = |street: &[&str]| {
        !street.is_empty()
            && street.len() <= STREET_WORDS
            && (street.iter().any(|word| word.starts_with(char::is_uppercase)) || street_words(&street.join(" ")))
            && street.iter().any(|word| word.chars().any(char::is_alphabetic))
    };
    // Number first.
    if is_number(words[0]) {
        let count = if matches!(words[1], "bis" | "ter" | "quater") { 2 } else { 1 };
        let street = &words[count..];
        if named(street) && street_words(&street.join(" ")) {
            return Some((lead, street.join(" "), words[..count].join(" ")));
        }
    }
    // Number last, perhaps with stairs and flat.
    for count in (1..=4.min(words.len() - 1)).rev() {
        let number = words[words.len() - count..].join(" ");
        let from = words.len() - count;
        if is_number(&number) && number.starts_with(|c: char| c.is_ascii_digit()) {
            // Only the words of the street itself: from the last run of words that can be one.
            let first = (0..from).rev().take(STREET_WORDS).take_while(|i| belongs(words[*i])).last()?;
            let street = &words[first..from];
            if named(street) {
                let start = words[first].as_ptr() as usize - part.as_ptr() as usize;
                return Some((lead + start, street.join(" "), number));
            }
        }
    }
    None
}

/// Whether a word can be part of a street's name that stands before its number.
fn belongs(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        || matches!(
            word,
            "de" | "du"
                | "des"
                | "la"
                | "le"
                | "les"
                | "am"
                | "an"
                | "der"
                | "den"
                | "dem"
                | "im"
                | "von"
                | "van"
                | "of"
                | "the"
                | "zur"
                | "zum"
                | "di"
                | "da"
                | "del"
                | "della"
                | "och"
                | "und"
                | "et"
                | "y"
                | "in"
                | "auf"
        )
        || street_words(word)
}

fn street_words(street: &str) -> bool {
    crate::fold(street).split(' ').any(|word| {
        STREET_WORDS_ALONE.contains(&word) && !matches!(word, "am" | "an" | "im" | "pl")
            || STREET_ENDINGS.iter().any(|ending| word.len() > 3 && word.ends_with(ending))
    })
}

fn is_outward(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = &word.as_bytes()[letters..];
    (1..=2).contains(&letters)
        && (1..=2).contains(&rest.len())
        && rest[0].is_ascii_digit()
        && rest.iter().all(u8::is_ascii_alphanumeric)
}

fn is_inward(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() == 3 && bytes[0].is_ascii_digit() && bytes[1].is_ascii_uppercase() && bytes[2].is_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn read(text: &str) -> Vec<Mention> {
        addresses(Gazetteer::embedded(), text, &tokens(text), &Hints::default())
    }

    /// Text; street, number, postcode, city, country.
    fn check(text: &str, expected: [&str; 5]) {
        let found = read(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        let address = found[0].address.clone().unwrap();
        let parts = [address.street, address.number, address.postcode, address.city, address.country];
        assert_eq!(parts.map(Option::unwrap_or_default), expected, "{text}");
    }

    #[test]
    fn addresses_are_read_in_the_orders_of_their_countries() {
        check("Besuchen Sie uns: Musterstraße 12a, 24103 Kiel", ["Musterstraße", "12a", "24103", "Kiel", "DE"]);
        check("OFFIS e. V.\nEscherweg 2\n26121 Oldenburg\nDeutschland", ["Escherweg", "2", "26121", "Oldenburg", "DE"]);
        check("Holstenstr. 5-7 · D-24103 Kiel", ["Holstenstr.", "5-7", "24103", "Kiel", "DE"]);
        check("Am Markt 3, 26122 Oldenburg", ["Am Markt", "3", "26122", "Oldenburg", "DE"]);
        check("Unter den Linden 77, 10117 Berlin", ["Unter den Linden", "77", "10117", "Berlin", "DE"]);
        check("Länsikatu 15, 80110 Joensuu", ["Länsikatu", "15", "80110", "Joensuu", "FI"]);
        check("Yliopistokatu 2 B 12\n80100 Joensuu", ["Yliopistokatu", "2 B 12", "80100", "Joensuu", "FI"]);
        check("12 rue de Rivoli, 75004 Paris", ["rue de Rivoli", "12", "75004", "Paris", "FR"]);
        check("4 bis, avenue Foch\n69006 Lyon", ["avenue Foch", "4 bis", "69006", "Lyon", "FR"]);
        check("10 Downing Street, London SW1A 2AA", ["Downing Street", "10", "SW1A 2AA", "London", "GB"]);
        check("221B Baker Street\nLondon\nNW1 6XE", ["Baker Street", "221B", "NW1 6XE", "London", "GB"]);
        check(
            "1600 Pennsylvania Avenue NW, Washington, DC 20500",
            ["Pennsylvania Avenue NW", "1600", "20500", "Washington", "US"],
        );
        check("350 5th Ave\nNew York, NY 10118-0110", ["5th Ave", "350", "10118-0110", "New York", "US"]);
        check("500 Main St, Springfield, IL 62701", ["Main St", "500", "62701", "Springfield", "US"]);
        check("Stephansplatz 1, 1010 Wien", ["Stephansplatz", "1", "1010", "Wien", "AT"]);
        check("Storgatan 5, 111 51 Stockholm", ["Storgatan", "5", "111 51", "Stockholm", "SE"]);
    }

    #[test]
    fn the_town_is_the_one_that_agrees_with_postcode_and_state() {
        for (text, name) in [
            ("500 Main St, Springfield, IL 62701", "Springfield, Illinois, United States"),
            ("500 Main St, Springfield, MA 01103", "Springfield, Massachusetts, United States"),
            ("Hauptstraße 1, 15230 Frankfurt", "Frankfurt (Oder), Brandenburg, Germany"),
            ("Zeil 1, 60313 Frankfurt", "Frankfurt am Main, Hesse, Germany"),
        ] {
            let found = read(text);
            assert_eq!(found[0].place.unwrap().full_name(), name, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_an_address_is_none() {
        for text in [
            "In 2019 Kiel had 24103 visitors",
            "about 10000 Berlin residents",
            "24103 Kiel",
            "Rechnung 12, 99999 Xyzhausen",
            "He paid 12345 Euros in Paris",
            "Room 12, 75004 people came",
            "12",
            "",
        ] {
            assert!(read(text).is_empty(), "{text}: {:?}", read(text));
        }
    }

    #[test]
    fn spans_cover_the_whole_address() {
        let text = "Hier: Escherweg 2, 26121 Oldenburg, Tel. 0441";
        assert_eq!(&text[read(text)[0].span.clone()], "Escherweg 2, 26121 Oldenburg");
    }
}
