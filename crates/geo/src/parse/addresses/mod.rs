//! Postal addresses: street, number, postcode and town, on one line or over several.
//!
//! An address is found by its postcode, which few other things look like, and believed when the
//! town beside it is in the gazetteer and a street stands before it. The orders known here: number
//! after the street and postcode before the town (DE, FI and most of the continent), the number with
//! a comma (ES, IT, PT) or before the street (FR), town before the postcode (UK, IE), town, state and
//! postcode (US, CA, AU), and from the largest to the smallest (JP).

mod street;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::street::Street;
use super::locate::{self, Clues, Fit};
use super::tokens::{Gap, Shape, Token};
use super::{Address, Hints, Mention, MentionKind, cues, tuning};
use crate::gazetteer::{Gazetteer, Kind, Place};

/// Most words of a town's name.
const CITY_WORDS: usize = 5;
/// Most words of the name of a state.
const STATE_WORDS: usize = 3;
/// Confidence with a word for a street in it, and without.
const CONFIDENCE: (f64, f64) = (0.95, 0.8);

/// Countries whose postcode of five, of four digits stands before the town.
const FIVE_DIGITS: [&str; 17] =
    ["DE", "FI", "FR", "IT", "ES", "EE", "HR", "AX", "MC", "TR", "MX", "LT", "GP", "MQ", "GF", "RE", "YT"];
const FOUR_DIGITS: [&str; 9] = ["AT", "CH", "DK", "NO", "BE", "NL", "LU", "LI", "HU"];
const SPACED: [&str; 4] = ["SE", "CZ", "SK", "GR"];

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
            Shape::Number => reader
                .continental(index)
                .or_else(|| reader.american(index))
                .or_else(|| reader.australasian(index))
                .or_else(|| reader.japanese(index)),
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

    /// A postcode that stands before its town: how many tokens it has, and in which countries.
    fn postcode(&self, index: usize) -> Option<(usize, &'static [&'static str])> {
        let joint = |by: u8| {
            let end = self.tokens[index].end as usize;
            self.tokens.get(index + 1).is_some_and(|next| next.gap == Gap::Joins)
                && self.text.as_bytes().get(end) == Some(&by)
        };
        let letters = || {
            let next = self.tokens.get(index + 1);
            next.is_some_and(|next| next.shape == Shape::Capitals && next.end - next.start == 2)
        };
        let digits = |length: usize, more: usize| self.is_digits(index, length) && self.is_digits(index + 1, more);
        Some(match () {
            () if self.is_digits(index, 5) => (1, &FIVE_DIGITS),
            () if digits(4, 3) && joint(b'-') => (2, &["PT"]),
            () if self.is_digits(index, 4) && letters() => (2, &["NL"]),
            () if self.is_digits(index, 4) => (1, &FOUR_DIGITS),
            () if digits(3, 2) && joint(b' ') => (2, &SPACED),
            () if digits(2, 3) && joint(b'-') => (2, &["PL"]),
            () => return None,
        })
    }

    /// `Musterstraße 12, 24103 Kiel`, `12 rue de Rivoli, 75001 Paris`, `Via Roma, 5, 40121 Bologna`.
    fn continental(&self, index: usize) -> Option<Mention> {
        let (length, countries) = self.postcode(index)?;
        let city_at = index + length;
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
                "I" => "IT",
                "E" => "ES",
                "S" => "SE",
                "L" => "LU",
                "B" => "BE",
                "P" => "PT",
                _ if prefix.len() == 2 => self.gazetteer.country(prefix).map_or("", |country| country.code()),
                _ => "",
            };
            if !code.is_empty() && self.text.as_bytes().get(self.tokens[index - 1].end as usize) == Some(&b'-') {
                country = Some(code);
                start = index - 1;
            }
        }
        let street = Street::before(self.text, self.tokens[start].start as usize)?;
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
        let (region, words) = self.state_before(index)?;
        let mut end = self.tokens[index].end as usize;
        let mut postcode = self.word(index).to_owned();
        if self.is_digits(index + 1, 4)
            && self.tokens[index + 1].gap == Gap::Joins
            && self.text.as_bytes().get(end) == Some(&b'-')
        {
            postcode = format!("{postcode}-{}", self.word(index + 1));
            end = self.tokens[index + 1].end as usize;
        }
        self.city_before(index - words, &postcode, Some(region), &["US", "PR"], end)
    }

    /// The state before a ZIP code, "MA" or "New Hampshire", and how many words it has.
    fn state_before(&self, index: usize) -> Option<(&str, usize)> {
        let state = &self.tokens[index - 1];
        if self.tokens[index].gap != Gap::Joins || !state.is_capitalised() {
            return None;
        }
        if state.shape == Shape::Capitals && state.end - state.start == 2 {
            return matches!(state.gap, Gap::Comma | Gap::Joins).then(|| (state.text(self.text), 1));
        }
        (1..=STATE_WORDS.min(index)).find_map(|words| {
            let first = &self.tokens[index - words];
            let joined = self.tokens[index - words + 1..index].iter().all(|token| token.gap == Gap::Joins);
            let name = self.text.get(first.start as usize..state.end as usize)?;
            let is_state = |place: &Place| {
                place.kind() == Kind::Admin1 && place.country().is_some_and(|country| country.code() == "US")
            };
            let is_one = joined && first.gap == Gap::Comma && self.gazetteer.named(name).iter().any(is_state);
            is_one.then_some((name, words))
        })
    }

    /// `12 George Street, Sydney NSW 2000`: found at the postcode. New Zealand has no states, so its
    /// addresses are only looked for where they are likely.
    fn australasian(&self, index: usize) -> Option<Mention> {
        if !self.is_digits(index, 4) || index < 3 || self.tokens[index].gap != Gap::Joins {
            return None;
        }
        let (postcode, end) = (self.word(index), self.tokens[index].end as usize);
        // GeoNames' codes.
        let code = match self.word(index - 1) {
            "ACT" => "01",
            "NSW" => "02",
            "NT" => "03",
            "QLD" => "04",
            "SA" => "05",
            "TAS" => "06",
            "VIC" => "07",
            "WA" => "08",
            _ if self.hints.country.is_some_and(|hint| hint.eq_ignore_ascii_case("NZ")) => {
                return self.city_before(index, postcode, None, &["NZ"], end);
            }
            _ => return None,
        };
        self.city_before(index - 1, postcode, Some(code), &["AU"], end)
    }

    /// `10 Downing Street, London SW1A 2AA`, `5 Shop Street, Galway, H91 A1B2`, `1 King St, Toronto, ON
    /// M5H 1A1`: found at the first half of the postcode.
    fn british(&self, index: usize) -> Option<Mention> {
        let (outward, inward) = (self.word(index), self.word(index + 1));
        if index < 2 || self.tokens.get(index + 1)?.gap != Gap::Joins {
            return None;
        }
        let end = self.tokens[index + 1].end as usize;
        let postcode = || format!("{outward} {inward}");
        if is_outward(outward) && is_inward(inward) {
            self.city_before(index, &postcode(), None, &["GB", "IM", "JE", "GG"], end)
        } else if is_shaped(outward, "A0A") && is_shaped(inward, "0A0") {
            let state = self.word(index - 1);
            let code = cues::abbreviated(&state.to_lowercase()).filter(|(country, _)| *country == "CA");
            self.city_before(index - 1, &postcode(), Some(code?.1), &["CA"], end)
        } else if (is_shaped(outward, "A00") || outward == "D6W") && is_shaped(inward, "****") {
            self.city_before(index, &postcode(), None, &["IE"], end)
        } else {
            None
        }
    }

    /// `〒920-0961 石川県金沢市片町1丁目2-3`: found at the first half of the postcode.
    fn japanese(&self, index: usize) -> Option<Mention> {
        if !self.is_digits(index, 3) || !self.is_digits(index + 1, 4) || self.tokens[index + 1].gap != Gap::Joins {
            return None;
        }
        let (mut start, end) = (self.tokens[index].start as usize, self.tokens[index + 1].end as usize);
        let postcode = self.text.get(start..end)?.to_owned();
        let mark = self.text.get(..start)?.strip_suffix('〒')?;
        start = mark.len();
        let rest = self.text.get(end..)?;
        let line = rest.split(['\n', '、', '。', '　']).next()?.trim_start();
        let from = end + (rest.len() - rest.trim_start().len());
        // The prefecture, the town, then the quarter and the numbers of block and house.
        let after = |text: &str, marks: &[char]| text.find(marks).map(|at| at + '市'.len_utf8());
        let prefecture = after(line, &['県', '府', '都', '道']).unwrap_or(0);
        let city_end = prefecture + after(line.get(prefecture..)?, &['市', '区', '町', '村'])?;
        let city = line.get(prefecture..city_end)?;
        let tail = line.get(city_end..)?.split(' ').next()?;
        let street = tail.split(|c: char| c.is_ascii_digit()).next()?;
        let number = tail.get(street.len()..).filter(|number| !number.is_empty())?;
        let mut address = Address {
            street: Some(street.to_owned()),
            number: Some(number.to_owned()),
            postcode: Some(postcode),
            city: Some(city.to_owned()),
            country: Some("JP".to_owned()),
        };
        let clues = Clues { region: line.get(..prefecture).filter(|name| !name.is_empty()), countries: &["JP"] };
        let place = locate::town(self.gazetteer, &address, clues, self.hints)?;
        address.street = address.street.filter(|street| !street.is_empty());
        Some(self.mention(start..from + city_end + tail.len(), address, place, true))
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
            // Between town and postcode a county may stand.
            if region.is_none() && place.kind() == Kind::Admin2 && matches!(parts[0].gap, Gap::Comma | Gap::Sentence) {
                let inner = self.city_before(first, postcode, Some(city), countries, end);
                if inner.is_some() {
                    return inner;
                }
            }
            // Between street and town a district may.
            let Some(street) = Street::before(self.text, parts[0].start as usize) else { continue };
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

    fn mention(&self, span: Range<usize>, address: Address, place: Place, sure: bool) -> Mention {
        let fit = locate::fit(place, &address);
        let why = format!("street, number and postcode with {}, a known town{}", place.name(), Fit::describe(fit));
        let confidence = locate::doubted(if sure { CONFIDENCE.0 } else { CONFIDENCE.1 }, fit);
        Mention {
            span,
            kind: MentionKind::Address,
            place: Some(place),
            at: place.at(),
            precision_m: tuning::precision_m(place),
            confidence,
            address: Some(address),
            why,
        }
    }
}

fn is_outward(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = &word.as_bytes()[letters..];
    (1..=2).contains(&letters)
        && (1..=2).contains(&rest.len())
        && rest[0].is_ascii_digit()
        && rest.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether a word has capitals and digits where the shape has A and 0; * stands for either.
fn is_shaped(word: &str, shape: &str) -> bool {
    word.len() == shape.len()
        && word.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'A' => byte.is_ascii_uppercase(),
            b'0' => byte.is_ascii_digit(),
            _ => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        })
}

fn is_inward(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() == 3 && bytes[0].is_ascii_digit() && bytes[1].is_ascii_uppercase() && bytes[2].is_ascii_uppercase()
}
