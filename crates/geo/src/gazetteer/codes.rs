//! Countries by their codes.

use std::collections::HashMap;

use super::Country;

/// The numbers of countries by their codes of two and of three letters. Each postcode in a text is asked of
/// dozens of countries, so they are not looked for one by one.
#[derive(Clone, Debug)]
pub(super) struct Codes(HashMap<[u8; 3], u8>);

impl Codes {
    pub(super) fn of(countries: impl Iterator<Item = Country>) -> Self {
        let mut numbers = HashMap::new();
        for country in countries {
            for key in [country.code(), country.code3()].into_iter().filter_map(key) {
                numbers.entry(key).or_insert(country.number());
            }
        }
        Self(numbers)
    }

    pub(super) fn number(&self, code: &str) -> Option<u8> {
        self.0.get(&key(code)?).copied()
    }
}

/// A code in capitals, in as many bytes as the longest has.
fn key(code: &str) -> Option<[u8; 3]> {
    let mut key = [0; 3];
    key.get_mut(..code.len())?.copy_from_slice(code.as_bytes());
    key.make_ascii_uppercase();
    Some(key)
}
