//! Where something is, as one source knows it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::LatLon;

/// The parts of a postal address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    /// Street, without the number.
    pub street: Option<String>,
    /// House number.
    pub number: Option<String>,
    /// Postcode.
    pub postcode: Option<String>,
    /// Town.
    pub city: Option<String>,
    /// Country, as a two-letter code.
    pub country: Option<String>,
}

/// In one line: "Escherweg 2, 26121 Oldenburg, DE".
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pair = |first: &Option<String>, second: &Option<String>| {
            let parts: Vec<&str> = [first, second].into_iter().filter_map(Option::as_deref).collect();
            parts.join(" ")
        };
        let parts = [
            pair(&self.street, &self.number),
            pair(&self.postcode, &self.city),
            self.country.clone().unwrap_or_default(),
        ];
        f.write_str(&parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", "))
    }
}

/// Names of the places that a point lies in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Locality {
    /// In words: "Kiel, Schleswig-Holstein, Germany".
    pub place: String,
    /// The town.
    pub town: Option<String>,
    /// The first-order area.
    pub admin1: Option<String>,
    /// The country, as a two-letter code (ISO 3166-1).
    pub country: Option<String>,
}

/// Where something is, how exactly and how surely, and from which words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Whereabouts {
    /// The point.
    pub at: LatLon,
    /// How exactly it is known, in metres.
    pub precision_m: f64,
    /// How certain it is, from 0 to 1.
    pub confidence: f64,
    /// The words it was found in.
    pub evidence: String,
    /// The address, when one is given.
    pub address: Option<Address>,
    /// Names of what is there.
    pub locality: Locality,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_one_line_of_what_is_known() {
        let some = |text: &str| Some(text.to_owned());
        let whole = Address {
            street: some("Escherweg"),
            number: some("2"),
            postcode: some("26121"),
            city: some("Oldenburg"),
            country: some("DE"),
        };
        assert_eq!(whole.to_string(), "Escherweg 2, 26121 Oldenburg, DE");
        assert_eq!(Address { postcode: None, number: None, ..whole }.to_string(), "Escherweg, Oldenburg, DE");
        assert_eq!(Address::default().to_string(), "");
    }
}
