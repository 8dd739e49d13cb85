//! Addresses whose parts are known.

use std::path::Path;

use facts::Address;
use serde::Deserialize;

use crate::ExperimentError;

static OWN: &str = include_str!("../../data/addresses.txt");

/// The countries that are looked at.
const COUNTRIES: [&str; 21] = [
    "DE", "AT", "CH", "FI", "SE", "NO", "DK", "NL", "BE", "FR", "ES", "PT", "IT", "PL", "CZ", "GB", "IE", "US", "CA",
    "AU", "NZ",
];

/// An address and how it is written.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) source: &'static str,
    pub(super) country: String,
    pub(super) lines: Vec<String>,
    street: String,
    number: String,
    postcode: String,
    city: String,
}

/// Without case, accents, punctuation and spaces.
fn bare(part: &str) -> String {
    geo::fold(part).replace(' ', "")
}

impl Known {
    /// Whether what was found is this address, in all four parts.
    pub(super) fn is(&self, found: &Address) -> bool {
        let same = |known: &str, found: &Option<String>| bare(known) == bare(found.as_deref().unwrap_or_default());
        same(&self.street, &found.street)
            && same(&self.number, &found.number)
            && same(&self.postcode, &found.postcode)
            && same(&self.city, &found.city)
    }
}

/// Our own list.
pub(super) fn own() -> Vec<Known> {
    let lines = OWN.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .filter_map(|line| {
            let [country, street, number, postcode, city, lines] = line.splitn(6, ';').collect::<Vec<_>>()[..] else {
                return None;
            };
            Some(Known {
                source: "own",
                country: country.to_owned(),
                lines: lines.split('|').map(str::to_owned).collect(),
                street: street.to_owned(),
                number: number.to_owned(),
                postcode: postcode.to_owned(),
                city: city.to_owned(),
            })
        })
        .collect()
}

#[derive(Deserialize)]
struct Formatted {
    country: String,
    components: serde_json::Map<String, serde_json::Value>,
    text: String,
}

/// Formatted addresses with their components, one JSON object a line; those with all four parts in the text.
pub(super) fn opencage(path: &Path) -> Result<Vec<Known>, ExperimentError> {
    let mut all = Vec::new();
    for line in lines(path)? {
        let formatted: Formatted = serde_json::from_str(&line).map_err(|error| wrong(path, error.to_string()))?;
        let country = formatted.country.to_uppercase();
        let text = bare(&formatted.text);
        let part = |names: &[&str]| {
            let values = names.iter().filter_map(|name| formatted.components.get(*name)?.as_str());
            values.map(str::to_owned).find(|value| !value.is_empty() && text.contains(&bare(value)))
        };
        let whole = (
            part(&["road", "pedestrian", "footway", "street"]),
            part(&["house_number"]),
            part(&["postcode"]),
            part(&["city", "town", "village", "hamlet", "suburb", "municipality"]),
        );
        if let ((Some(street), Some(number), Some(postcode), Some(city)), true) =
            (whole, COUNTRIES.contains(&&*country))
        {
            let lines = formatted.text.lines().map(str::to_owned).collect();
            all.push(Known { source: "opencage", country, lines, street, number, postcode, city });
        }
    }
    Ok(all)
}

#[derive(Deserialize)]
struct Labelled {
    input: String,
    tokens: Vec<(String, String)>,
}

/// Strings with labelled words, one JSON object a line; those with all four parts.
pub(super) fn usaddress(path: &Path) -> Result<Vec<Known>, ExperimentError> {
    let mut all = Vec::new();
    for line in lines(path)? {
        let labelled: Labelled = serde_json::from_str(&line).map_err(|error| wrong(path, error.to_string()))?;
        let part = |wanted: &dyn Fn(&str) -> bool| {
            let words = labelled.tokens.iter().filter(|(label, _)| wanted(label)).map(|(_, word)| word.as_str());
            let words = words.collect::<Vec<_>>().join(" ");
            (!words.is_empty()).then_some(words)
        };
        let named = part(&|label| label == "StreetName").is_some();
        let street = part(&|label| label.starts_with("StreetName")).filter(|_| named);
        let number = part(&|label| label.starts_with("AddressNumber"));
        let postcode = part(&|label| label.starts_with("Zip"));
        let city = part(&|label| label == "PlaceName");
        if let (Some(street), Some(number), Some(postcode), Some(city)) = (street, number, postcode, city) {
            let lines = vec![labelled.input.split_whitespace().collect::<Vec<_>>().join(" ")];
            let country = "US".to_owned();
            // The state is no part of a ZIP code.
            if postcode.bytes().any(|byte| byte.is_ascii_digit()) {
                all.push(Known { source: "usaddress", country, lines, street, number, postcode, city });
            }
        }
    }
    Ok(all)
}

fn lines(path: &Path) -> Result<Vec<String>, ExperimentError> {
    let text = std::fs::read_to_string(path).map_err(|error| wrong(path, error.to_string()))?;
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

fn wrong(path: &Path, why: String) -> ExperimentError {
    ExperimentError::Corpus { path: path.to_owned(), why }
}
