//! What speaks for an address, and how much: its parts agree with each other and with what else the
//! text says of the country.

use super::Reader;
use crate::gazetteer::{Country, Gazetteer};
use crate::parse::locate::{Fit, country_code};
use crate::parse::tokens::Gap;

/// Bytes around an address in which a telephone number speaks for a country.
const PHONE_REACH: usize = 250;
/// Words of a country's name.
const COUNTRY_WORDS: usize = 3;
/// Least confidence that is worth telling.
const LEAST: f64 = 0.5;
/// Most that words alone can be trusted.
const MOST: f64 = 0.98;

/// What speaks for an address.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence {
    /// A word for a street is in it.
    pub(super) sure: bool,
    /// The town is one of the gazetteer's.
    pub(super) known: bool,
    /// The postcode looks like few other things.
    pub(super) shaped: bool,
    /// The country is named, or the page is of it.
    pub(super) country: Option<bool>,
    /// The street's words are of a language of the country.
    pub(super) language: Option<bool>,
    /// Nothing but a space separates street and town.
    pub(super) untidy: bool,
    /// Something else stands between street and town.
    pub(super) apart: bool,
    /// A state is named.
    pub(super) state: bool,
    /// How the postcode fits the town.
    pub(super) fit: Option<Fit>,
}

impl Evidence {
    /// How certain an address is; nothing when it is rather none. The weights are logits, and come from
    /// `lab experiment addresses`, which shows how often an address of each confidence is right.
    pub(super) fn confidence(&self) -> Option<f64> {
        let either = |fact: Option<bool>, yes: f64, no: f64| fact.map_or(0.0, |fact| if fact { yes } else { no });
        let mut sum = if self.sure { 1.4 } else { -0.4 };
        sum += if self.known { 1.2 } else { -0.6 };
        sum += match self.fit {
            Some(Fit::Area) => 1.0,
            Some(Fit::State) => 0.7,
            Some(Fit::Elsewhere) => -1.5,
            None => 0.0,
        };
        sum += either(Some(self.shaped), 0.8, 0.0);
        sum += either(self.country, 0.8, -0.8);
        sum += either(self.language, 0.5, -1.5);
        sum += either(Some(self.untidy), -0.6, 0.0);
        sum += either(Some(self.apart), -0.4, 0.0);
        sum += either(Some(self.state), 0.8, 0.0);
        let confidence = MOST / (1.0 + (-sum).exp());
        (confidence >= LEAST).then_some(confidence)
    }
}

/// What a text says of countries around an address.
pub(super) struct Said<'s> {
    gazetteer: &'static Gazetteer,
    /// Countries' codes with what speaks for each.
    pub(super) weights: Vec<(&'s str, f64)>,
    /// The country named right after the address.
    pub(super) named: Option<&'static str>,
}

impl Said<'_> {
    /// Whether what is said of a country agrees with one; nothing when nothing is said.
    pub(super) fn agrees(&self, reader: &Reader<'_>, country: &str) -> Option<bool> {
        if let Some(named) = self.named {
            return Some(named == country);
        }
        if reader.hints.country.is_some_and(|hint| hint.eq_ignore_ascii_case(country)) {
            return Some(true);
        }
        let language = reader.hints.language?;
        let own = self.gazetteer.country(country).map(Country::language)?;
        (own == language || country == "CH" && matches!(language, "fr" | "it") || country == "BE" && language == "fr")
            .then_some(true)
    }
}

impl<'r> Reader<'r> {
    /// What the text says of countries around an address.
    pub(super) fn said<'c>(&self, countries: &[&'c str], start: usize, end: usize) -> Said<'c> {
        let phones = self.phones(start, end);
        let weigh = |code: &&'c str| {
            let mut weight = 0.0;
            let country = self.gazetteer.country(code);
            if let Some(country) = country {
                let prefix = country.telephone().to_string();
                // In order, those that begin so follow on where it would stand itself.
                let first = phones.partition_point(|phone| *phone < prefix);
                if phones.get(first).is_some_and(|phone| phone.starts_with(&prefix)) {
                    weight += 1.5;
                }
                if self.hints.language == Some(country.language()) {
                    weight += 0.7;
                }
            }
            (*code, weight)
        };
        Said {
            gazetteer: self.gazetteer,
            weights: countries.iter().map(weigh).collect(),
            named: self.country_after(end),
        }
    }

    /// Digits after a plus sign around an address, in their order.
    fn phones(&self, start: usize, end: usize) -> Vec<String> {
        let from = self.text.floor_char_boundary(start.saturating_sub(PHONE_REACH));
        let to = self.text.floor_char_boundary((end + PHONE_REACH).min(self.text.len()));
        let around = self.text.get(from..to).unwrap_or_default();
        let digits = |at: usize| {
            let rest = around.get(at + 1..).unwrap_or_default().trim_start_matches([' ', '(']);
            rest.chars().take_while(char::is_ascii_digit).take(4).collect::<String>()
        };
        let mut phones: Vec<String> =
            around.match_indices('+').map(|(at, _)| digits(at)).filter(|digits| !digits.is_empty()).collect();
        phones.sort_unstable();
        phones
    }

    /// The country named within a few words after a byte.
    pub(super) fn country_after(&self, end: usize) -> Option<&'static str> {
        let first = self.tokens.partition_point(|token| (token.start as usize) < end);
        (first..self.tokens.len().min(first + 3)).find_map(|at| {
            let token = &self.tokens[at];
            if !token.is_capitalised() || matches!(token.gap, Gap::Joins | Gap::None) {
                return None;
            }
            (1..=COUNTRY_WORDS).rev().find_map(|words| {
                let last = self.tokens.get(at + words - 1)?;
                let joined =
                    self.tokens[at + 1..at + words].iter().all(|token| matches!(token.gap, Gap::Joins | Gap::Stop));
                let name = self.text.get(token.start as usize..last.end as usize)?;
                // Codes of two letters are those of states as well.
                (joined && name.len() > 2).then(|| country_code(self.gazetteer, name)).flatten()
            })
        })
    }
}
