//! From the parts of an address to a place of the gazetteer.

use super::addresses::Formats;
use super::{Address, Hints};
use crate::gazetteer::{Gazetteer, Kind, Place};
use query::fold;

/// What is said of an address besides its parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clues<'c> {
    /// The state or region, by name or code.
    pub(crate) region: Option<&'c str>,
    /// Countries its form is used in; all when empty.
    pub(crate) countries: &'c [&'c str],
    /// What else speaks for countries, in tenfold people.
    pub(crate) weights: &'c [(&'c str, f64)],
}

/// How a postcode fits a town.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It is of the town's second-order area.
    Area,
    /// It can be of the town's first-order area, which has many.
    State,
    /// It is of another area.
    Elsewhere,
}

impl Fit {
    fn of_state(fits: bool) -> Self {
        if fits { Self::State } else { Self::Elsewhere }
    }

    /// In words that follow on what is said of the town.
    pub(crate) fn describe(fit: Option<Self>) -> &'static str {
        match fit {
            Some(Self::Area) => ", and the postcode is of its area",
            Some(Self::State) => ", and the postcode fits the state",
            Some(Self::Elsewhere) => ", but the postcode is of another area",
            None => "",
        }
    }
}

/// How exactly a house, a street, a postcode says where something is, in metres.
const HOUSE: f64 = 30.0;
const STREET: f64 = 300.0;
const POSTCODE: f64 = 2000.0;
/// Kilometres from its town at which something is not of it.
const FAR: f64 = 40.0;

/// Most confidence in an address whose postcode is of another area than its town.
const DOUBTED: f64 = 0.5;

/// The confidence in an address, given how its postcode fits.
pub(crate) fn doubted(confidence: f64, fit: Option<Fit>) -> f64 {
    if fit == Some(Fit::Elsewhere) { confidence.min(DOUBTED) } else { confidence }
}

/// How the postcode of an address fits its town, where that is known.
pub(crate) fn fit(place: Place, address: &Address) -> Option<Fit> {
    let code = place.country().map_or("", |country| country.code());
    fits(place, code, address.postcode.as_deref()?)
}

/// The town of an address: the largest of its name that agrees with the postcode, the country and
/// the region.
pub(crate) fn town(
    gazetteer: &'static Gazetteer,
    address: &Address,
    clues: Clues<'_>,
    hints: &Hints<'_>,
) -> Option<Place> {
    let city = address.city.as_deref()?;
    let key = fold(city);
    let value = gazetteer.value(&key)?;
    let country = address.country.as_deref().and_then(|country| country_code(gazetteer, country));
    let mut best: Option<(f64, Place)> = None;
    let entries = || {
        gazetteer.entries(value).filter(|named| {
            let code = named.place.country().map_or("", |country| country.code());
            !named.acronym
                && matches!(named.place.kind(), Kind::Town | Kind::Quarter | Kind::Admin2)
                && country.is_none_or(|country| country == code)
                && (clues.countries.is_empty() || clues.countries.contains(&code))
        })
    };
    let region = clues.region.map(|region| Stated::of(gazetteer, region));
    // Kiel is not Kehl, which once was called so, whatever the postcode.
    let namesake = entries().filter(|named| !named.alternate).map(|named| named.place.population()).max();
    for named in entries() {
        let place = named.place;
        if named.alternate
            && namesake.is_some_and(|people| people > place.population())
            && !fold(place.name()).starts_with(&key)
        {
            continue;
        }
        let code = place.country().map_or("", |country| country.code());
        let mut score = (place.population() as f64 + 100.0).log10();
        score -= if named.alternate { 1.0 } else { 0.0 };
        score -= if place.kind() == Kind::Admin2 { 1.5 } else { 0.0 };
        if let Some(region) = &region {
            if region.holds(place) {
                score += 6.0;
            } else if code == "US" && !clues.countries.is_empty() {
                continue;
            }
        }
        match address.postcode.as_deref().and_then(|postcode| fits(place, code, postcode)) {
            Some(Fit::Area | Fit::State) => score += 3.0,
            Some(Fit::Elsewhere) => score -= 4.0,
            None => {}
        }
        if hints.country.is_some_and(|hint| hint.eq_ignore_ascii_case(code)) {
            score += 2.0;
        }
        if hints.region.is_some_and(|region| region.contains(place.at())) {
            score += 2.0;
        }
        score += clues.weights.iter().find(|(of, _)| *of == code).map_or(0.0, |(_, weight)| *weight);
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, place));
        }
    }
    // A postcode that cannot be that town's and nothing else for it.
    best.filter(|(score, _)| *score > 0.0).map(|(_, place)| place)
}

/// Where the house, street or postcode of an address is, as far as such were imported, how exactly in
/// metres, and which of them it is.
pub(crate) fn refined(place: Place, address: &Address) -> Option<((f64, f64), f64, &'static str)> {
    let finer = place.gazetteer().finer()?;
    let is_town = matches!(place.kind(), Kind::Town | Kind::Quarter | Kind::Admin2);
    let postcode = address.postcode.as_deref();
    let country = address.country.as_deref().unwrap_or_default();
    let by_postcode = postcode.and_then(|postcode| finer.postcode(country, postcode, is_town.then(|| place.degrees())));
    let near = by_postcode.or_else(|| is_town.then(|| place.degrees()))?;
    let (street, number) = (address.street.as_deref(), address.number.as_deref());
    let house = street.zip(number).and_then(|(street, number)| finer.house(street, number, near));
    let point = house.map(|point| (point, HOUSE, "the house")).or_else(|| {
        let street = street.and_then(|street| finer.street(street, near));
        street
            .map(|point| (point, STREET, "the street"))
            .or_else(|| by_postcode.map(|point| (point, POSTCODE, "the postcode")))
    });
    point.filter(|(at, ..)| !is_town || crate::distance::great_circle(*at, place.degrees()) <= FAR)
}

/// The two-letter code of a country given by code or by any of its names.
pub(crate) fn country_code(gazetteer: &'static Gazetteer, country: &str) -> Option<&'static str> {
    let country = country.trim();
    if (2..=3).contains(&country.len())
        && let Some(found) = gazetteer.country(country)
    {
        return Some(found.code());
    }
    let place = gazetteer.named(country).into_iter().find(|place| place.kind() == Kind::Country)?;
    place.country().map(|country| country.code())
}

/// A state or region that is named with a town, looked up once for all places of the town's name.
pub(crate) struct Stated<'s> {
    written: &'s str,
    key: String,
    places: Vec<Place>,
}

impl<'s> Stated<'s> {
    pub(crate) fn of(gazetteer: &'static Gazetteer, written: &'s str) -> Self {
        Self { written, key: fold(written), places: gazetteer.named(written) }
    }

    /// Whether a place lies in it.
    pub(crate) fn holds(&self, place: Place) -> bool {
        [place.admin1(), place.admin2()].into_iter().flatten().any(|area| {
            area.code().eq_ignore_ascii_case(self.written)
                || self.places.contains(&area)
                || fold(area.name()) == self.key
        })
    }
}

/// Whether a postcode can be a town's, where that is known: by the leading digits, which are facts
/// of the national posts.
fn fits(place: Place, country: &str, postcode: &str) -> Option<Fit> {
    let admin1 = place.admin1()?.code();
    // What the data say of states and provinces.
    let formats = Formats::all();
    match country {
        // Without the zero that begins it, a ZIP code has four digits.
        "US" if postcode.len() == 4 => {
            return formats.fits(country, admin1, &format!("0{postcode}")).map(Fit::of_state);
        }
        "US" => return formats.fits(country, admin1, postcode).map(Fit::of_state),
        "CA" | "AU" => return formats.fits(country, place.admin1()?.name(), postcode).map(Fit::of_state),
        "IT" | "ES" if place.admin2().and_then(|area| formats.fits(country, area.code(), postcode)) == Some(true) => {
            return Some(Fit::Area);
        }
        _ => {}
    }
    let digits: String = postcode.chars().filter(char::is_ascii_digit).collect();
    let first = digits.chars().next()?.to_digit(10)? as usize;
    let leading: usize = digits.get(..2)?.parse().ok()?;
    Some(Fit::of_state(match country {
        // Zones of the Deutsche Post by state (GeoNames: 01 BW, 02 BY, 03 HB, 04 HH, 05 HE, 06 NI,
        // 07 NW, 08 RP, 09 SL, 10 SH, 11 BB, 12 MV, 13 SN, 14 ST, 15 TH, 16 BE).
        "DE" if digits.len() == 5 => [
            "13 14 15 11",
            "16 11 12 14",
            "04 10 03 06 12",
            "06 05 07 14 15",
            "07 06",
            "07 08 05",
            "05 08 09 01 02",
            "01 02 08",
            "02 01",
            "02 15 01 13",
        ][first]
            .split(' ')
            .any(|code| code == admin1),
        // The number of the department is its GeoNames code; Corsica's 20 is 2A and 2B.
        "FR" if digits.len() == 5 => {
            let department = place.admin2()?.code();
            let own = department == &digits[..2]
                || leading == 20 && department.starts_with('2')
                || digits.starts_with(department);
            return Some(if own { Fit::Area } else { Fit::Elsewhere });
        }
        // Provinces by number, as the communities they are in (GeoNames: 51 Andalusia, 52 Aragon, 53
        // Canaries, 54 Castile-La Mancha, 55 Castile and León, 56 Catalonia, 57 Extremadura, 58 Galicia,
        // 59 Basque Country, 60 Valencia).
        "ES" if digits.len() == 5 => {
            const PROVINCES: &str = "59 54 60 51 55 57 07 56 55 57 51 60 54 51 58 54 56 51 54 59 51 52 51 55 56 27 58 29 51 \
                                     31 32 58 34 55 53 58 55 53 39 55 51 55 56 52 54 60 55 59 55 52 CE ML";
            PROVINCES.split_ascii_whitespace().nth(leading.checked_sub(1)?)? == admin1
        }
        // Poste Italiane's zones by region (GeoNames: 01 Abruzzo, 02 Basilicata, 03 Calabria, 04 Campania, 05
        // Emilia-Romagna, 06 Friuli, 07 Lazio, 08 Liguria, 09 Lombardy, 10 Marche, 11 Molise, 12 Piedmont,
        // 13 Apulia, 14 Sardinia, 15 Sicily, 16 Tuscany, 17 Trentino, 18 Umbria, 19 Aosta, 20 Veneto).
        "IT" if digits.len() == 5 => {
            ["07 18 14", "12 19 08", "09 12", "20 17 06", "05 09", "16", "10 01", "13 02", "04 02 11 03", "15"][first]
                .split(' ')
                .any(|code| code == admin1)
        }
        // Posti's areas by region.
        "FI" if digits.len() == 5 => {
            let regions = match leading {
                0..=10 => "01 05 07",
                11..=19 => "05 07 01 13",
                20..=21 | 23..=25 => "02",
                22 => return Some(Fit::of_state(place.country().is_some_and(|country| country.code() == "AX"))),
                26..=29 => "04 02",
                30..=32 => "05 02 06",
                33..=39 => "06 04 13",
                40..=44 => "13",
                45..=49 => "08 09 07",
                50..=52 | 57..=58 => "10 08",
                53..=56 => "09 08",
                59..=59 => "12 09",
                60..=69 => "14 15 16",
                70..=79 => "11 10",
                80..=83 => "12 11",
                84..=86 | 90..=93 => "17 16",
                87..=89 => "18 17",
                _ => "19 17",
            };
            regions.split(' ').any(|code| code == admin1)
        }
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postcodes_agree_with_their_towns_and_not_with_others() {
        let gazetteer = Gazetteer::embedded();
        for (town, postcode, expected) in [
            ("Kiel", "24103", Some(Fit::State)),
            ("Kiel", "80331", Some(Fit::Elsewhere)),
            ("Oldenburg", "26121", Some(Fit::State)),
            ("Munich", "80331", Some(Fit::State)),
            ("Joensuu", "80100", Some(Fit::State)),
            ("Joensuu", "00100", Some(Fit::Elsewhere)),
            ("Helsinki", "00100", Some(Fit::State)),
            ("Lyon", "69001", Some(Fit::Area)),
            ("Lyon", "75001", Some(Fit::Elsewhere)),
            ("Chicago", "60601", Some(Fit::State)),
            ("Chicago", "10001", Some(Fit::Elsewhere)),
            ("Salamanca", "37001", None),
            ("Bilbao", "48001", Some(Fit::Area)),
            ("Bilbao", "28001", Some(Fit::Elsewhere)),
            ("Barcelona", "08001", Some(Fit::Area)),
            ("Bologna", "40121", Some(Fit::Area)),
            ("Bologna", "00184", Some(Fit::Elsewhere)),
            ("Palermo", "90133", Some(Fit::Area)),
            ("Kiel", "1", None),
        ] {
            let place = gazetteer.named(town)[0];
            let country = place.country().map_or("", |country| country.code());
            assert_eq!(fits(place, country, postcode), expected, "{town} {postcode}");
        }
    }
}
