//! What stands after the question mark of an address.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Display;
use std::ops::RangeInclusive;

use axum::extract::FromRequestParts;
use http::request::Parts;

use crate::problem::{FieldProblem, Problem};

/// Characters of one value that are looked at.
const LONGEST: usize = 4_000;
/// Parameters of one request.
const MOST: usize = 64;

/// The parameters of a request. Each is asked for by its name; [`finish`](Self::finish) says all
/// that is wrong with them at once, and names those that nobody asked for.
#[derive(Debug, Default)]
pub struct Query {
    given: Vec<(String, String)>,
    asked: BTreeSet<&'static str>,
    wrong: Vec<FieldProblem>,
}

impl Query {
    /// Reads what stands after the question mark.
    pub fn read(text: &str) -> Self {
        let mut query = Self::default();
        for (name, value) in form_pairs(text) {
            if query.given.len() >= MOST {
                query.complain("", format!("more than {MOST} parameters"));
                break;
            }
            if value.contains('\0') || name.contains('\0') {
                query.complain(&name, "has a NUL character");
            } else if value.len() > LONGEST {
                query.complain(&name, format!("is longer than {LONGEST} characters"));
            } else if query.given.iter().any(|(given, _)| *given == name) {
                query.complain(&name, "is given more than once");
            }
            query.given.push((name, value));
        }
        query
    }

    /// All that was given, the same however it was ordered.
    pub fn key(&self) -> String {
        let mut given: Vec<_> = self.given.iter().collect();
        given.sort();
        format!("{given:?}")
    }

    /// The text of a parameter; none when it is left out or empty.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.given(name).filter(|value| !value.is_empty())
    }

    /// Complains of a parameter that is longer than this many characters.
    pub fn limit(&mut self, name: &'static str, longest: usize) {
        if self.given(name).is_some_and(|value| value.chars().count() > longest) {
            self.complain(name, format!("is longer than {longest} characters"));
        }
    }

    fn given(&mut self, name: &'static str) -> Option<String> {
        self.asked.insert(name);
        self.given.iter().find(|(given, _)| given == name).map(|(_, value)| value.clone())
    }

    /// A parameter that is read by a rule, which says what is wrong.
    pub fn parsed<T, E: Display>(&mut self, name: &'static str, rule: impl FnOnce(&str) -> Result<T, E>) -> Option<T> {
        let value = self.given(name)?;
        match rule(&value) {
            Ok(value) => Some(value),
            Err(error) => {
                self.complain(name, error.to_string());
                None
            }
        }
    }

    /// A number within bounds.
    pub fn number(&mut self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let wrong = format!("must be a number from {} to {}", range.start(), range.end());
        self.parsed(name, |text| text.parse().ok().filter(|number| range.contains(number)).ok_or(wrong))
    }

    /// A number with decimals within bounds.
    pub fn decimal(&mut self, name: &'static str, range: RangeInclusive<f64>) -> Option<f64> {
        let wrong = format!("must be a number from {} to {}", range.start(), range.end());
        self.parsed(name, |text| text.parse().ok().filter(|number| range.contains(number)).ok_or(wrong))
    }

    /// `true` or `false`.
    pub fn switch(&mut self, name: &'static str) -> Option<bool> {
        self.parsed(name, |text| match text {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            _ => Err("must be true or false"),
        })
    }

    /// One of some words, by its place among them.
    pub fn choice<T: Copy>(&mut self, name: &'static str, choices: &[(&str, T)]) -> Option<T> {
        self.parsed(name, |text| {
            let found = choices.iter().find(|(word, _)| *word == text).map(|(_, choice)| *choice);
            found.ok_or_else(|| {
                let words = choices.iter().map(|(word, _)| *word).collect::<Vec<_>>();
                format!("must be one of {}", words.join(", "))
            })
        })
    }

    /// Notes that something is wrong with a parameter.
    pub fn complain(&mut self, name: &str, detail: impl Into<String>) {
        let field = name.chars().take(100).collect();
        self.wrong.push(FieldProblem { field, detail: detail.into() });
    }

    /// A parameter that must be there.
    pub fn needed<T>(&mut self, name: &'static str, value: Option<T>) -> Option<T> {
        if value.is_none() && !self.wrong.iter().any(|wrong| wrong.field == name) {
            self.complain(name, "is needed");
        }
        value
    }

    /// All that is wrong, when something is.
    pub fn finish(mut self) -> Result<(), Problem> {
        let unknown: Vec<String> = self
            .given
            .iter()
            .map(|(name, _)| name.clone())
            .filter(|name| !self.asked.contains(name.as_str()))
            .collect();
        for name in unknown {
            self.complain(&name, "is not a parameter of this");
        }
        if self.wrong.is_empty() { Ok(()) } else { Err(Problem::fields(self.wrong)) }
    }
}

impl<S: Sync> FromRequestParts<S> for Query {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::read(parts.uri.query().unwrap_or_default()))
    }
}

/// The pairs of an `application/x-www-form-urlencoded` text.
fn form_pairs(text: &str) -> impl Iterator<Item = (String, String)> + '_ {
    text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (undo_escapes(name), undo_escapes(value))
    })
}

/// Undoes `%20` and `+`; what is no UTF-8 becomes U+FFFD.
fn undo_escapes(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = after.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte =
            escape.filter(|digits| !digits.starts_with('+')).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = match byte {
            Some(_) => after.get(2..).unwrap_or_default(),
            None => after,
        };
        bytes.push(byte.unwrap_or(if first == b'+' { b' ' } else { first }));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_as_forms_write_them() {
        let mut query = Query::read("q=K%C3%B6ln+Dom&limit=7&located=true&empty=&x=%zz%");
        assert_eq!(query.text("q").as_deref(), Some("Köln Dom"));
        assert_eq!(query.number("limit", 1..=500), Some(7));
        assert_eq!(query.switch("located"), Some(true));
        assert_eq!(query.text("empty"), None);
        assert_eq!(query.text("x").as_deref(), Some("%zz%"));
        assert!(query.finish().is_ok());
    }

    #[test]
    fn all_that_is_wrong_is_said_at_once() {
        let mut query = Query::read("limit=0&order=random&unknown=1&lat=NaN&twice=1&twice=2&nul=%00");
        query.number("limit", 1..=500);
        query.choice("order", &[("newest", 1), ("oldest", 2)]);
        query.decimal("lat", -90.0..=90.0);
        query.text("twice");
        query.text("nul");
        let lon = query.decimal("lon", -180.0..=180.0);
        query.needed("lon", lon);
        let problem = serde_json::to_value(query.finish().unwrap_err()).unwrap();
        let mut fields: Vec<_> = problem["fields"].as_array().unwrap().iter().map(|one| one["field"].clone()).collect();
        fields.sort_by_key(|field| field.to_string());
        assert_eq!(fields, ["lat", "limit", "lon", "nul", "order", "twice", "unknown"]);
        assert_eq!(problem["status"], 422);
    }
}
