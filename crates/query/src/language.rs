//! Languages, and the stems of their words.

use rust_stemmers::{Algorithm, Stemmer};

use crate::fold::fold;
use crate::quiet::unless_it_panics;

/// Letters of words that have forms, shortest and longest.
const LETTERS: std::ops::RangeInclusive<usize> = 3..=40;

/// Characters of a text from which its language can be told.
const TELLING: usize = 20;

/// A language whose words can be brought to their stem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(u8);

/// Codes of ISO 639-1. The place in this list is a bit in stored libraries: new ones come last.
const LANGUAGES: [(&str, Algorithm, Option<whatlang::Lang>); 18] = [
    ("ar", Algorithm::Arabic, Some(whatlang::Lang::Ara)),
    ("da", Algorithm::Danish, Some(whatlang::Lang::Dan)),
    ("nl", Algorithm::Dutch, Some(whatlang::Lang::Nld)),
    ("en", Algorithm::English, Some(whatlang::Lang::Eng)),
    ("fi", Algorithm::Finnish, Some(whatlang::Lang::Fin)),
    ("fr", Algorithm::French, Some(whatlang::Lang::Fra)),
    ("de", Algorithm::German, Some(whatlang::Lang::Deu)),
    ("el", Algorithm::Greek, Some(whatlang::Lang::Ell)),
    ("hu", Algorithm::Hungarian, Some(whatlang::Lang::Hun)),
    ("it", Algorithm::Italian, Some(whatlang::Lang::Ita)),
    ("no", Algorithm::Norwegian, Some(whatlang::Lang::Nob)),
    ("pt", Algorithm::Portuguese, Some(whatlang::Lang::Por)),
    ("ro", Algorithm::Romanian, Some(whatlang::Lang::Ron)),
    ("ru", Algorithm::Russian, Some(whatlang::Lang::Rus)),
    ("es", Algorithm::Spanish, Some(whatlang::Lang::Spa)),
    ("sv", Algorithm::Swedish, Some(whatlang::Lang::Swe)),
    ("ta", Algorithm::Tamil, Some(whatlang::Lang::Tam)),
    ("tr", Algorithm::Turkish, Some(whatlang::Lang::Tur)),
];

impl Language {
    /// English.
    pub const ENGLISH: Self = Self(3);

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..LANGUAGES.len() as u8).map(Self)
    }

    /// By its code of ISO 639-1, also with a region: `de`, `pt-BR`.
    pub fn of_code(code: &str) -> Option<Self> {
        let code = code.split(['-', '_']).next()?.to_ascii_lowercase();
        let code = if matches!(code.as_str(), "nb" | "nn") { "no" } else { &code };
        LANGUAGES.iter().position(|(known, ..)| *known == code).map(|at| Self(at as u8))
    }

    /// What a text is written in, when it is long enough to tell.
    pub fn of_text(text: &str) -> Option<Self> {
        text.chars().nth(TELLING)?;
        let told = whatlang::detect(text).filter(whatlang::Info::is_reliable)?.lang();
        LANGUAGES.iter().position(|(_, _, known)| *known == Some(told)).map(|at| Self(at as u8))
    }

    /// Its code.
    pub fn code(self) -> &'static str {
        LANGUAGES[usize::from(self.0) % LANGUAGES.len()].0
    }

    /// Its place among them all, as a bit.
    pub fn bit(self) -> u32 {
        1 << self.0
    }

    /// The stem that the forms of a word share, folded; nothing for what has no forms, or whose forms
    /// nobody knows. A word may be given with its accents or folded.
    ///
    /// ```
    /// let german = query::Language::of_code("de").unwrap();
    /// assert_eq!(german.stem("Brücken"), german.stem("brucke"));
    /// ```
    pub fn stem(self, word: &str) -> Option<String> {
        let word = word.to_lowercase();
        if !LETTERS.contains(&word.chars().count()) || !word.chars().all(char::is_alphabetic) {
            return None;
        }
        let (_, algorithm, _) = LANGUAGES[usize::from(self.0) % LANGUAGES.len()];
        // The Greek stemmer loses its place in words like `ισαισα`.
        let stem = fold(&unless_it_panics(|| Stemmer::create(algorithm).stem(&word).into_owned())?);
        (stem.chars().count() > 1).then_some(stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for (code, forms) in [
            ("en", &["bridge", "bridges", "bridged"][..]),
            ("de", &["Brücke", "Brücken", "brucken"]),
            ("fr", &["église", "églises", "eglise"]),
            ("es", &["iglesia", "iglesias"]),
            ("fi", &["silta", "sillat"][..1]),
            ("sv", &["bro", "bron"][..1]),
            ("it", &["chiesa", "chiese"]),
            ("ru", &["мост", "мосты", "моста"]),
        ] {
            let language = Language::of_code(code).unwrap();
            let stems: Vec<_> = forms.iter().map(|form| language.stem(form)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1] && pair[0].is_some()), "{code} {stems:?}");
        }
        assert_ne!(Language::ENGLISH.stem("bridge"), Language::ENGLISH.stem("river"));
        for none in ["", "ab", "12345", "a1b2", &"x".repeat(99)] {
            assert_eq!(Language::ENGLISH.stem(none), None, "{none}");
        }
    }

    #[test]
    fn languages_are_known_by_code_and_by_their_sound() {
        assert_eq!(Language::of_code("pt-BR").map(Language::code), Some("pt"));
        assert_eq!(Language::of_code("nb").map(Language::code), Some("no"));
        assert_eq!(Language::of_code("xx"), None);
        assert_eq!(Language::all().map(Language::bit).sum::<u32>(), (1 << 18) - 1);
        let text = "Die alte Brücke über den Fluss wurde im letzten Jahrhundert von den Bürgern gebaut.";
        assert_eq!(Language::of_text(text).map(Language::code), Some("de"));
        assert_eq!(Language::of_text("Brücke"), None);
        assert!(Language::all().all(|language| Language::of_code(language.code()) == Some(language)));
    }

    #[test]
    fn a_word_that_breaks_a_stemmer_has_no_stem() {
        for word in ["ισαισα", "ίσαισα", "ΙΣΑΙΣΑ", "ισαισε", "ισαισατε"] {
            let stems: Vec<_> = Language::all().map(|language| language.stem(word)).collect();
            let without = Language::all().zip(&stems).filter(|(_, stem)| stem.is_none());
            assert_eq!(without.map(|(language, _)| language.code()).collect::<Vec<_>>(), ["el"], "{word} {stems:?}");
        }
        assert_eq!(Language::of_code("el").unwrap().stem("γέφυρες").as_deref(), Some("γεφυρ"), "others have theirs");
    }

    /// Words that are all endings, in which stemmers lose their place sooner than in random letters.
    fn endings() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let scripts: [&[&str]; 6] = [
            &["ισα", "ισε", "ιζα", "ητε", "ου", "ησα", "ατε", "αν", "εσ", "αντι", "ουν", "ων"],
            &["ость", "ейш", "ами", "ывш", "ся", "ие", "ост", "нн", "и", "ям"],
            &["ات", "ون", "ال", "وال", "هما", "كم", "ة", "ي", "ست", "ا"],
            &["ung", "lich", "keit", "ement", "azione", "eux", "s", "en", "ille", "é", "ô", "ø", "iss", "ção", "ñ"],
            &["ler", "imiz", "dan", "lık", "yorum", "ca", "ğı", "ş", "ban", "ság", "unk", "őt", "ssa", "iin", "tä"],
            &["கள்", "ஆல்", "உடன்", "க்கு", "இல்", "ஆன", "த்த", "ப்ப", "ம்"],
        ];
        (0..scripts.len()).prop_flat_map(move |script| {
            let ending = proptest::sample::select(scripts[script]);
            proptest::collection::vec(ending, 1..5).prop_map(|endings| endings.concat())
        })
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(8192))]
        #[test]
        fn words_made_of_endings_have_a_stem_or_none(word in endings()) {
            for language in Language::all() {
                let _ = language.stem(&word);
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_word_has_a_stem_or_none(word in "\\PC{0,45}") {
            for language in Language::all() {
                let _ = language.stem(&word);
            }
        }

        #[test]
        fn any_letters_have_a_stem_or_none(word in "[a-zäöüßéèçñøåæ]{3,40}|[α-ωάέήίόύώ]{3,40}|[а-яё]{3,40}|[ا-ي]{3,40}|[\u{b85}-\u{bb9}]{3,40}") {
            for language in Language::all() {
                let _ = language.stem(&word);
            }
        }
    }
}
