//! What a link looks like before it is followed: terms of five fields, kept apart.

use facts::Url;

use crate::vocabulary::Vocabulary;

/// A term of one field, by its hash.
pub(crate) type Feature = u64;

/// Terms of one link, at most.
const MOST: usize = 96;

/// The fields of a link [001 §4.4].
#[derive(Clone, Copy)]
pub(crate) enum Field {
    Host = 1,
    Path = 2,
    Anchor = 3,
    Around = 4,
    Switch = 5,
}

/// A link as it stands on its page.
pub(crate) struct Seen<'a> {
    /// Where it leads.
    pub url: &'a Url,
    /// Its text, and its title where that says something else.
    pub anchor: &'a str,
    /// The text around it.
    pub around: &'a str,
    /// The page it is on.
    pub on: Option<&'a Url>,
}

/// The terms of a link, each once, in order of their hashes. Words of the region's own names are
/// one term: what "Oldenburg" in a link means for Oldenburg, "Kiel" means for Kiel.
pub(crate) fn features(link: &Seen<'_>, region: &Vocabulary) -> Vec<Feature> {
    let mut found = Vec::with_capacity(48);
    let host = link.url.host_str();
    found.push(hash(Field::Host, host));
    add(Field::Host, host, region, &mut found);
    add(Field::Path, &readable(link.url.path_and_query()), region, &mut found);
    add(Field::Anchor, link.anchor, region, &mut found);
    add(Field::Around, link.around, region, &mut found);
    if let Some(on) = link.on {
        let switch = if on.host_str() == host {
            "host"
        } else if on.site() == link.url.site() {
            "site"
        } else {
            "other"
        };
        found.push(hash(Field::Switch, switch));
    }
    found.truncate(MOST);
    found.sort_unstable();
    found.dedup();
    found
}

fn add(field: Field, text: &str, region: &Vocabulary, found: &mut Vec<Feature>) {
    for word in page::words(text) {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            // Numbers tell pages apart, not kinds of pages.
            found.push(hash(field, "0"));
        } else if region.has(&word) {
            found.push(hash(field, "\u{2302}"));
        } else {
            found.push(hash(field, &word));
        }
    }
}

/// A path with its escapes undone, as far as they make text.
fn readable(path: &str) -> std::borrow::Cow<'_, str> {
    if !path.contains('%') {
        return path.into();
    }
    let bytes = path.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%').then(|| path.get(at + 1..at + 3)).flatten();
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&plain).into_owned().into()
}

/// FNV-1a: the same on every machine and in every version, since learnt models are kept.
pub(crate) fn hash(field: Field, term: &str) -> Feature {
    let start = 0xcbf2_9ce4_8422_2325 ^ u64::from(field as u8);
    term.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen<'a>(url: &'a Url, anchor: &'a str, around: &'a str, on: &'a Url) -> Seen<'a> {
        Seen { url, anchor, around, on: Some(on) }
    }

    #[test]
    fn fields_are_kept_apart_and_terms_count_once() {
        let (url, on) = (Url::parse("http://kiel.example/kiel/").unwrap(), Url::parse("http://kiel.example/").unwrap());
        let none = Vocabulary::default();
        let one = features(&seen(&url, "Kiel", "", &on), &none);
        let other = features(&seen(&url, "", "Kiel", &on), &none);
        assert_eq!(one.len(), other.len());
        assert_ne!(one, other);
        assert_eq!(features(&seen(&url, "Kiel kiel KIEL", "", &on), &none), one);
    }

    #[test]
    fn names_of_the_region_are_one_term_and_numbers_another() {
        let on = Url::parse("http://a.example/").unwrap();
        let (kiel, bonn) = (Vocabulary::of(["Kiel"]), Vocabulary::of(["Bonn"]));
        let address = Url::parse("http://a.example/x").unwrap();
        let for_kiel = features(&seen(&address, "Hotels in Kiel", "", &on), &kiel);
        let for_bonn = features(&seen(&address, "Hotels in Bonn", "", &on), &bonn);
        assert_eq!(for_kiel, for_bonn);
        assert_ne!(for_kiel, features(&seen(&address, "Hotels in Kiel", "", &on), &bonn));
        let (seven, eight) = (Url::parse("http://a.example/p/7").unwrap(), Url::parse("http://a.example/p/8").unwrap());
        assert_eq!(features(&seen(&seven, "", "", &on), &kiel), features(&seen(&eight, "", "", &on), &kiel));
    }

    #[test]
    fn paths_are_read_without_their_escapes() {
        assert_eq!(readable("/K%C3%B6ln/a%20b"), "/Köln/a b");
        assert_eq!(readable("/100%/%zz%4"), "/100%/%zz%4");
        assert_eq!(readable("/%ff"), "/\u{fffd}");
    }
}
