//! Which language a page is in.

/// How much text a guess is made from, in bytes: more hardly changes it and costs much.
const SAMPLE: usize = 1000;

/// The ISO 639-1 code of a language tag such as `de-AT`, `pt_BR` or `deu`.
///
/// ```
/// assert_eq!(page::language_code("pt_BR"), Some("pt".to_owned()));
/// assert_eq!(page::language_code("x-default"), None);
/// ```
pub fn language_code(tag: &str) -> Option<String> {
    let primary = tag.trim().split(['-', '_', ',', ';', ' ']).next().unwrap_or_default().to_ascii_lowercase();
    if !primary.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    match primary.as_str() {
        "iw" => Some("he".into()),
        "in" => Some("id".into()),
        "ji" => Some("yi".into()),
        // One written Norwegian for filters, whichever of its two names a page uses.
        "nb" => Some("no".into()),
        code if code.len() == 2 => Some(primary),
        code if code.len() == 3 => short(code).map(str::to_owned),
        _ => None,
    }
}

/// Guesses from the text when the page does not say.
pub(crate) fn detect(text: &str) -> Option<String> {
    let found = whatlang::detect(&sample(text))?;
    if !found.is_reliable() {
        return None;
    }
    short(found.lang().code()).map(str::to_owned)
}

/// Long lines first: they are sentences, short ones are menus and names.
fn sample(text: &str) -> String {
    let mut sample = String::new();
    for line in text.lines().filter(|line| line.len() >= 60).chain(text.lines().filter(|line| line.len() < 60)) {
        sample.push_str(crate::text::clip(line, SAMPLE - sample.len()));
        if sample.len() + 4 >= SAMPLE {
            break;
        }
        sample.push('\n');
    }
    sample
}

/// ISO 639-3 to 639-1, for the languages that can be detected.
fn short(code: &str) -> Option<&'static str> {
    Some(match code {
        "epo" => "eo",
        "eng" => "en",
        "rus" => "ru",
        "cmn" | "zho" | "chi" => "zh",
        "spa" => "es",
        "por" => "pt",
        "ita" => "it",
        "ben" => "bn",
        "fra" | "fre" => "fr",
        "deu" | "ger" => "de",
        "ukr" => "uk",
        "kat" => "ka",
        "ara" => "ar",
        "hin" => "hi",
        "jpn" => "ja",
        "heb" => "he",
        "yid" => "yi",
        "pol" => "pl",
        "amh" => "am",
        "jav" => "jv",
        "kor" => "ko",
        "nob" | "nor" => "no",
        "dan" => "da",
        "swe" => "sv",
        "fin" => "fi",
        "tur" => "tr",
        "nld" | "dut" => "nl",
        "hun" => "hu",
        "ces" | "cze" => "cs",
        "ell" | "gre" => "el",
        "bul" => "bg",
        "bel" => "be",
        "mar" => "mr",
        "kan" => "kn",
        "ron" | "rum" => "ro",
        "slv" => "sl",
        "hrv" => "hr",
        "srp" => "sr",
        "mkd" => "mk",
        "lit" => "lt",
        "lav" => "lv",
        "est" => "et",
        "tam" => "ta",
        "vie" => "vi",
        "urd" => "ur",
        "tha" => "th",
        "guj" => "gu",
        "uzb" => "uz",
        "pan" => "pa",
        "aze" => "az",
        "ind" => "id",
        "tel" => "te",
        "pes" | "fas" => "fa",
        "mal" => "ml",
        "ori" => "or",
        "mya" => "my",
        "nep" => "ne",
        "sin" => "si",
        "khm" => "km",
        "tuk" => "tk",
        "aka" => "ak",
        "zul" => "zu",
        "sna" => "sn",
        "afr" => "af",
        "lat" => "la",
        "slk" | "slo" => "sk",
        "cat" => "ca",
        "tgl" => "tl",
        "hye" => "hy",
        "cym" => "cy",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_codes() {
        for (tag, code) in [
            ("de", Some("de")),
            ("de-AT", Some("de")),
            ("EN_us", Some("en")),
            (" fi ", Some("fi")),
            ("zh-Hans-CN", Some("zh")),
            ("deu", Some("de")),
            ("nb-NO", Some("no")),
            ("iw", Some("he")),
            ("en, de", Some("en")),
            ("", None),
            ("x-default", None),
            ("c1", None),
            ("english", None),
        ] {
            assert_eq!(language_code(tag).as_deref(), code, "{tag:?}");
        }
    }

    #[test]
    fn every_detectable_language_has_a_code() {
        for lang in whatlang::Lang::all() {
            assert!(short(lang.code()).is_some(), "{}", lang.code());
        }
    }

    #[test]
    fn sentences_tell_the_language_and_noise_does_not() {
        let text = "Etusivu\nYhteys\nKaupungin vanhin kirkko rakennettiin järven rannalle jo ennen suurta tulipaloa, \
                    ja sen tapulista näkee koko keskustan.\n";
        assert_eq!(detect(text).as_deref(), Some("fi"));
        assert_eq!(detect(""), None);
        assert_eq!(detect("12 34 56"), None);
    }
}
