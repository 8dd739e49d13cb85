//! How the countries write postcodes, and on which side of the town: `data/addresses.tsv`.

use std::sync::LazyLock;

static FILE: &str = include_str!("../../../../../data/addresses.tsv");

/// On which side of the town the postcode stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// A country's way of writing.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) country: &'static str,
    pub(super) side: Side,
    /// `0` is a digit, `A` a letter, `*` either.
    shapes: Vec<&'static str>,
}

/// An area that addresses name: a state, a province.
#[derive(Debug)]
pub(super) struct Area {
    pub(super) country: &'static str,
    /// As it is written beside the postcode.
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    folded: String,
    /// How its postcodes begin.
    begins: Vec<&'static str>,
}

/// All that the file says.
#[derive(Debug, Default)]
pub(in crate::parse) struct Formats {
    formats: Vec<Format>,
    areas: Vec<Area>,
}

impl Formats {
    pub(in crate::parse) fn all() -> &'static Self {
        static FORMATS: LazyLock<Formats> = LazyLock::new(|| {
            let mut all = Formats::default();
            for line in FILE.lines().filter(|line| !line.starts_with('#')) {
                match line.split('\t').collect::<Vec<_>>()[..] {
                    [country, side, shapes] => all.formats.push(Format {
                        country,
                        side: if side == "before" { Side::Before } else { Side::After },
                        // ZIP codes are written without the hyphen, too.
                        shapes: shapes.split('|').chain((country == "US").then_some("000000000")).collect(),
                    }),
                    [country, key, name, begins] => {
                        let begins = begins.split('|').filter(|begin| !begin.is_empty()).collect();
                        all.areas.push(Area { country, key, name, folded: crate::fold(name), begins });
                    }
                    _ => {}
                }
            }
            all
        });
        &FORMATS
    }

    /// The countries in which something is a postcode on that side of the town.
    pub(super) fn countries(&self, postcode: &str, side: Side) -> Vec<&'static str> {
        let fits =
            |format: &&Format| format.side == side && format.shapes.iter().any(|shape| is_shaped(postcode, shape));
        self.formats.iter().filter(fits).map(|format| format.country).collect()
    }

    /// The area of a country that is written like this: by its key or its name, in any case.
    pub(super) fn area(&self, country: &str, written: &str) -> Option<&Area> {
        let mut own = self.areas.iter().filter(|area| area.country == country);
        let folded = (written.len() > 3).then(|| crate::fold(written));
        own.find(|area| area.key.eq_ignore_ascii_case(written) || folded.as_ref() == Some(&area.folded))
    }

    /// Whether a postcode can be of an area of a country, where that is known.
    pub(in crate::parse) fn fits(&self, country: &str, area: &str, postcode: &str) -> Option<bool> {
        let area = self.area(country, area).filter(|area| !area.begins.is_empty())?;
        Some(area.begins.iter().any(|begin| postcode.starts_with(begin)))
    }
}

/// Whether a word has capitals and digits where the shape has A and 0; * stands for either.
pub(super) fn is_shaped(word: &str, shape: &str) -> bool {
    word.len() == shape.len()
        && word.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'A' => byte.is_ascii_uppercase(),
            b'0' => byte.is_ascii_digit(),
            b'*' => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            other => byte == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postcodes_are_told_by_their_shapes() {
        let formats = Formats::all();
        for (postcode, side, country, is_one) in [
            ("24103", Side::Before, "DE", true),
            ("24103", Side::After, "US", true),
            ("24103-1234", Side::After, "US", true),
            ("111 51", Side::Before, "SE", true),
            ("11151", Side::Before, "SE", true),
            ("80-831", Side::Before, "PL", true),
            ("80831", Side::Before, "PL", false),
            ("4050-253", Side::Before, "PT", true),
            ("9711 AB", Side::Before, "NL", true),
            ("9711AB", Side::Before, "NL", true),
            ("SW1A 2AA", Side::After, "GB", true),
            ("M1 1AE", Side::After, "GB", true),
            ("H91 E3T5", Side::After, "IE", true),
            ("M5H 2N2", Side::After, "CA", true),
            ("2000", Side::After, "AU", true),
            ("2000", Side::Before, "AT", true),
        ] {
            assert_eq!(formats.countries(postcode, side).contains(&country), is_one, "{postcode} {country}");
        }
    }

    #[test]
    fn areas_have_their_own_postcodes() {
        let formats = Formats::all();
        assert_eq!(formats.fits("US", "il", "60601"), Some(true));
        assert_eq!(formats.fits("US", "Illinois", "10001"), Some(false));
        assert_eq!(formats.fits("CA", "ON", "M5H 2N2"), Some(true));
        assert_eq!(formats.fits("IT", "BO", "40121"), Some(true));
        assert_eq!(formats.fits("DE", "SH", "24103"), None);
    }
}
