//! The street of an address: what stands before postcode and town.

use super::Address;
use crate::parse::cues::is_calendar;

/// How far before the postcode the street may begin, in bytes.
const STREET_REACH: usize = 120;
/// Longest street name, in words.
const STREET_WORDS: usize = 7;

/// Ends or wholes of words for streets, folded to lower case without diacritics.
const STREET_ENDINGS: [&str; 26] = [
    "strasse", "str", "weg", "platz", "allee", "gasse", "damm", "ufer", "chaussee", "katu", "tie", "kuja", "polku",
    "vayla", "kaari", "raitti", "gatan", "vagen", "gata", "vej", "gade", "straat", "laan", "plein", "markt", "ring",
];
const STREET_WORDS_ALONE: [&str; 66] = [
    "rue",
    "avenue",
    "av",
    "boulevard",
    "bd",
    "blvd",
    "place",
    "chemin",
    "allee",
    "allees",
    "quai",
    "impasse",
    "cours",
    "street",
    "st",
    "road",
    "rd",
    "ave",
    "drive",
    "dr",
    "lane",
    "ln",
    "way",
    "court",
    "ct",
    "square",
    "sq",
    "terrace",
    "parkway",
    "pkwy",
    "highway",
    "hwy",
    "close",
    "crescent",
    "gardens",
    "row",
    "mews",
    "hill",
    "walk",
    "broadway",
    "circle",
    "loop",
    "trail",
    "alley",
    "turnpike",
    "via",
    "piazza",
    "viale",
    "corso",
    "calle",
    "plaza",
    "paseo",
    "avenida",
    "rua",
    "praca",
    "largo",
    "ulica",
    "ul",
    "aleja",
    "markt",
    "am",
    "an",
    "zur",
    "im",
    "pl",
    "plc",
];

/// Words before a number that make it something else than a house: a year, a page, a telephone.
const NO_STREETS: [&str; 39] = [
    "jahr",
    "jahre",
    "jahres",
    "year",
    "seite",
    "seiten",
    "page",
    "pages",
    "tel",
    "telefon",
    "telephone",
    "phone",
    "fax",
    "mobil",
    "handy",
    "band",
    "kapitel",
    "chapter",
    "artikel",
    "article",
    "absatz",
    "zimmer",
    "room",
    "raum",
    "saal",
    "uhr",
    "abb",
    "bild",
    "figure",
    "fig",
    "tabelle",
    "table",
    "rechnung",
    "ausgabe",
    "heft",
    "puh",
    "sivu",
    "vuonna",
    "pagina",
];

/// Words for numbers, which stand after some streets but before no house alone.
const NUMBERED: [&str; 4] = ["nr", "no", "nummer", "number"];

/// Words that a part of a building begins with.
const UNITS: [&str; 16] = [
    "suite",
    "ste",
    "apt",
    "apartment",
    "unit",
    "floor",
    "room",
    "rm",
    "bldg",
    "building",
    "flat",
    "etage",
    "stock",
    "wohnung",
    "lot",
    "level",
];

/// Boxes at a post office, folded.
const BOXES: [&str; 8] =
    ["po box", "p o box", "post office box", "postfach", "boite postale", "casella postale", "apartado", "postbus"];

/// House numbers in words.
const NUMBERS: [&str; 12] =
    ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];

/// A street and number.
pub(super) struct Street {
    /// Where it begins.
    pub(super) start: usize,
    /// Street and number alone.
    pub(super) address: Address,
    /// A word for a street is in it.
    pub(super) sure: bool,
}

impl Street {
    /// The street that ends before a byte, on the same line or the one before.
    pub(super) fn before(text: &str, end: usize) -> Option<Self> {
        let mut floor = end.saturating_sub(STREET_REACH);
        while !text.is_char_boundary(floor) {
            floor += 1;
        }
        let before = text.get(floor..end)?;
        // What separates the street from what follows it.
        let trimmed = before.trim_end_matches(|c: char| c.is_whitespace() || ",;|·•–-/".contains(c));
        if trimmed.len() == before.len() {
            return None;
        }
        // Up to three parts back: a district, a floor or a box may stand between.
        let mut parts: Vec<(usize, &str)> = Vec::new();
        let mut part_end = trimmed.len();
        for (at, c) in trimmed.char_indices().rev() {
            if matches!(c, ',' | '\n' | ';' | '|' | '•' | '·') || is_sentence_end(trimmed, at) {
                parts.push((at + c.len_utf8(), &trimmed[at + c.len_utf8()..part_end]));
                part_end = at;
                if parts.len() == 3 {
                    break;
                }
            }
        }
        if parts.len() < 3 && (floor == 0 || parts.iter().all(|(_, part)| is_number(part.trim()))) {
            parts.push((0, &trimmed[..part_end]));
        }
        parts.retain(|(_, part)| !is_unit(part));
        for (index, (at, part)) in parts.iter().enumerate() {
            // "12, rue de Rivoli": the number stands in a part of its own.
            if let Some((number_at, number)) = parts.get(index + 1)
                && is_number(number.trim())
                && street_words(part)
            {
                let lead = number.len() - number.trim_start().len();
                let address = Address {
                    street: Some(part.trim().to_owned()),
                    number: Some(number.trim().to_owned()),
                    ..Address::default()
                };
                return Some(Self { start: floor + number_at + lead, address, sure: true });
            }
            // "Via Roma, 5": it stands after the street.
            if let Some((street_at, street)) = parts.get(index + 1)
                && is_number(part.trim())
                && let Some(lead) = street_from(street)
            {
                let address = Address {
                    street: street.get(lead..).map(|street| street.trim().to_owned()),
                    number: Some(part.trim().to_owned()),
                    ..Address::default()
                };
                return Some(Self { start: floor + street_at + lead, address, sure: true });
            }
            if let Some((lead, street, number)) = split(part) {
                let sure = street_words(&street);
                // Without a word for a street, only right before the postcode, and if it can be one.
                if sure || index == 0 && !is_something_else(&street, &number) {
                    let address = Address { street: Some(street), number: Some(number), ..Address::default() };
                    return Some(Self { start: floor + at + lead, address, sure });
                }
            }
        }
        None
    }
}

/// A full stop that ends a sentence rather than "Str." or "St.".
fn is_sentence_end(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    if bytes[at] != b'.' && bytes[at] != b':' && bytes[at] != b'!' && bytes[at] != b'?' {
        return false;
    }
    if bytes[at] != b'.' {
        return true;
    }
    let word = text[..at].rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default();
    !STREET_WORDS_ALONE.contains(&crate::fold(word).as_str())
        && !crate::fold(word).ends_with("str")
        && word.chars().count() > 3
}

/// Whether a part between street and town is a floor, a flat or a box at the post office.
fn is_unit(part: &str) -> bool {
    let part = crate::fold(part);
    let (first, rest) = part.split_once(' ').unwrap_or((&part, ""));
    let short = !rest.contains(' ');
    UNITS.contains(&first) && short || BOXES.iter().any(|known| part.starts_with(known))
}

/// Whether a name and a number, without a word for a street, are rather a date, a page or a telephone.
fn is_something_else(street: &str, number: &str) -> bool {
    let is_year = number.len() == 4 && matches!(number.parse(), Ok(1500..=2100));
    let folded = crate::fold(street);
    is_year
        || NUMBERED.contains(&folded.as_str())
        || folded.split(' ').any(|word| NO_STREETS.contains(&word))
        || street.split(' ').any(|word| is_calendar(&word.to_lowercase()))
}

/// House numbers: `12`, `12a`, `12-14`, `12 B 3`, `4/6`, `12 bis`.
fn is_number(text: &str) -> bool {
    let mut words = text.split(' ');
    let Some(first) = words.next() else { return false };
    let digits = first.bytes().take_while(u8::is_ascii_digit).count();
    let tail = &first[digits..];
    let tail_fits = tail.len() <= 1 && tail.bytes().all(|byte| byte.is_ascii_alphabetic())
        || tail.len() <= 6
            && tail.starts_with(['-', '–', '/'])
            && tail.chars().skip(1).all(|c| c.is_ascii_alphanumeric());
    (1..=5).contains(&digits)
        && tail_fits
        && words.all(|word| word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && text.split(' ').count() <= 4
}

/// Splits a part into street and number, whichever comes first; with how many bytes precede it.
fn split(part: &str) -> Option<(usize, String, String)> {
    let lead = part.len() - part.trim_start().len();
    let part = part.trim();
    let words: Vec<&str> = part.split_whitespace().collect();
    if words.len() < 2 {
        return None;
    }
    // The street is capitalised somewhere; "rue de rivoli" is not, but "rue" says it.
    let named = |street: &[&str]| {
        !street.is_empty()
            && street.len() <= STREET_WORDS
            && (street.iter().any(|word| word.starts_with(char::is_uppercase)) || street_words(&street.join(" ")))
            && street.iter().any(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2)
    };
    // Number first.
    if is_number(words[0]) || NUMBERS.contains(&words[0]) {
        let count = if matches!(words[1], "bis" | "ter" | "quater") { 2 } else { 1 };
        // "Main St Apt 4B": the flat is no part of the street.
        let unit = |pair: &[&str]| street_words(pair[0]) && is_unit(pair[1]);
        let end = words.windows(2).position(unit).map_or(words.len(), |at| at + 1).max(count);
        let street = &words[count..end];
        if named(street) && street_words(&street.join(" ")) {
            return Some((lead, street.join(" "), words[..count].join(" ")));
        }
    }
    // Number last, perhaps with stairs and flat.
    for count in (1..=4.min(words.len() - 1)).rev() {
        let number = words[words.len() - count..].join(" ");
        let from = words.len() - count;
        if is_number(&number) && number.starts_with(|c: char| c.is_ascii_digit()) {
            // Only the words of the street itself: from the last run of words that can be one.
            let first = (0..from).rev().take(STREET_WORDS).take_while(|i| belongs(words[*i])).last()?;
            // "the Schlossplatz 1", "and Am Markt 3".
            let joins = |word: &&str| matches!(*word, "the" | "of" | "och" | "und" | "et" | "y");
            let first = first + words[first..from].iter().take_while(|word| joins(word)).count();
            let street = &words[first..from];
            if named(street) {
                let start = words[first].as_ptr() as usize - part.as_ptr() as usize;
                return Some((lead + start, street.join(" "), number));
            }
        }
    }
    None
}

/// Where in a part the street begins, where the word for it comes first: "at Via Roma".
fn street_from(part: &str) -> Option<usize> {
    const FIRST: [&str; 25] = [
        "via",
        "viale",
        "piazza",
        "piazzale",
        "corso",
        "largo",
        "vicolo",
        "strada",
        "calle",
        "c",
        "plaza",
        "paseo",
        "avenida",
        "avda",
        "av",
        "carrer",
        "ronda",
        "camino",
        "rua",
        "praca",
        "travessa",
        "estrada",
        "rue",
        "avenue",
        "boulevard",
    ];
    let words = part.split_whitespace().collect::<Vec<_>>();
    let first = words.iter().rposition(|word| FIRST.contains(&crate::fold(word).as_str()))?;
    let is_street = (1..=STREET_WORDS).contains(&(words.len() - first - 1));
    is_street.then(|| words[first].as_ptr() as usize - part.as_ptr() as usize)
}

/// Whether a word can be part of a street's name that stands before its number.
fn belongs(word: &str) -> bool {
    let is_ordinal =
        |word: &str| word.len() <= 3 && word.strip_suffix('.').is_some_and(|day| day.parse::<u8>().is_ok());
    word.starts_with(char::is_uppercase)
        || is_ordinal(word)
        || matches!(
            word,
            "de" | "du"
                | "des"
                | "la"
                | "le"
                | "les"
                | "am"
                | "an"
                | "der"
                | "den"
                | "dem"
                | "im"
                | "von"
                | "van"
                | "of"
                | "the"
                | "zur"
                | "zum"
                | "di"
                | "da"
                | "del"
                | "della"
                | "och"
                | "und"
                | "et"
                | "y"
                | "in"
                | "auf"
                | "ul."
                | "pl."
                | "al."
                | "os."
        )
        || street_words(word)
}

fn street_words(street: &str) -> bool {
    crate::fold(street).split(' ').any(|word| {
        STREET_WORDS_ALONE.contains(&word) && !matches!(word, "am" | "an" | "im" | "pl")
            || STREET_ENDINGS.iter().any(|ending| word.len() > 3 && word.ends_with(ending))
    })
}
