//! Which names become keys.

use geo::fold;

/// Longest key, in bytes, and most words of one.
const LONGEST: usize = 60;
const WORDS: usize = 7;

/// A name as a key, and whether it is an acronym; or nothing when it is none of a kind that is looked
/// for in text. Acronyms are kept of countries only, or with dots: those of towns are airports.
pub fn key(name: &str, main: bool, acronyms: bool) -> Option<(String, bool)> {
    let key = fold(name);
    let letters = key.chars().filter(|c| *c != ' ').count();
    if key.is_empty() || key.len() > LONGEST || key.split(' ').count() > WORDS {
        return None;
    }
    let capitals = name.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    let latin = key.is_ascii();
    let acronym = latin && capitals && letters <= 5;
    if main {
        return (letters >= 2).then_some((key, acronym && letters <= 3));
    }
    let first = name.trim_start().chars().next()?;
    // GeoNames' romanisations stand in lower case; codes of airports in capitals.
    let romanised = latin && first.is_lowercase();
    let numbered = key.chars().any(|c| c.is_ascii_digit());
    let address = name.contains("http") || name.contains('/');
    let ideographs = key.chars().next().is_some_and(|c| c as u32 >= 0x2E80);
    // Of the two-letter codes only these are written in running text.
    let everyday = letters > 2 || matches!(key.replace(' ', "").as_str(), "us" | "uk" | "eu");
    let code = acronym && !(acronyms && everyday) && !name.contains('.');
    if romanised || numbered || address || code || (letters < 3 && !ideographs && !acronym) {
        return None;
    }
    Some((key, acronym))
}

/// Towns below this many people have only names in the scripts of their country: few write of a
/// French village in Arabic, and such names were a quarter of all.
pub const FOREIGN_SCRIPTS_FROM: u64 = 30_000;

/// Towns below this many people have no names that only add words to the main one ("Village of
/// Ashton"): the main one is found in them.
pub const LONGER_NAMES_FROM: u64 = 20_000;
/// Towns below this many people have few names, and of more than these few the rest are spellings.
pub const MANY_NAMES_FROM: u64 = 5_000;
/// See [`MANY_NAMES_FROM`].
pub const FEW_NAMES: usize = 2;

/// Families of scripts, as far as they matter for which names are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Latin.
    Latin,
    /// Greek.
    Greek,
    /// Cyrillic.
    Cyrillic,
    /// Hebrew.
    Hebrew,
    /// Arabic.
    Arabic,
    /// Ideographs and kana.
    EastAsian,
    /// Hangul.
    Hangul,
    /// Any other.
    Other,
}

/// The script of a name's first letter.
pub fn script(name: &str) -> Script {
    match name.chars().find(|c| c.is_alphabetic()).map_or(0, |c| c as u32) {
        0..=0x024F | 0x1E00..=0x1EFF => Script::Latin,
        0x0370..=0x03FF | 0x1F00..=0x1FFF => Script::Greek,
        0x0400..=0x052F => Script::Cyrillic,
        0x0590..=0x05FF => Script::Hebrew,
        0x0600..=0x07BF | 0x08A0..=0x08FF | 0xFB50..=0xFEFF => Script::Arabic,
        0x2E80..=0x312F | 0x31A0..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => Script::EastAsian,
        0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7AF => Script::Hangul,
        _ => Script::Other,
    }
}

/// Whether a country whose languages are listed so (`de-CH,fr-CH`) writes in a script.
pub fn writes_in(languages: &str, script: Script) -> bool {
    let any =
        |codes: &[&str]| languages.split(',').any(|tag| codes.contains(&tag.split('-').next().unwrap_or_default()));
    match script {
        Script::Latin => true,
        Script::Greek => any(&["el"]),
        Script::Cyrillic => any(&["ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn", "tg"]),
        Script::Hebrew => any(&["he", "iw", "yi"]),
        Script::Arabic => any(&["ar", "fa", "ur", "ps", "ug", "ku", "sd"]),
        Script::EastAsian => any(&["zh", "ja", "yue"]),
        Script::Hangul => any(&["ko"]),
        Script::Other => any(&[
            "hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "ne", "si", "th", "lo", "km", "my", "ka", "hy", "am",
            "ti", "dz", "bo", "dv",
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn romanisations_codes_and_numbers_are_no_keys() {
        for (name, expected) in [
            ("Shànghǎi", Some(("shanghai", false))),
            ("shang hai", None),
            ("SHA", None),
            ("上海", Some(("上海", false))),
            ("U.S.", Some(("u s", true))),
            ("Arrondissement 12", None),
            ("Ab", None),
            ("", None),
        ] {
            let found = key(name, false, false);
            assert_eq!(found.as_ref().map(|(key, acronym)| (key.as_str(), *acronym)), expected, "{name}");
        }
        assert_eq!(key("USA", false, true), Some(("usa".into(), true)));
        assert_eq!(key("Au", true, true), Some(("au".into(), false)));
    }
}
