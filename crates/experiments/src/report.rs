//! What an experiment came to.

use std::fmt;

use serde::Serialize;

use crate::Plot;

/// Tables and pictures for people, and the same figures for programs.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The experiment.
    pub name: &'static str,
    /// One line: what was compared with what.
    pub title: String,
    /// Its tables.
    #[serde(skip)]
    pub tables: Vec<Table>,
    /// Its pictures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
    /// What was to be shown, and whether it was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bars: Vec<Bar>,
    /// What else is worth knowing, a line each.
    pub notes: Vec<String>,
    /// All figures.
    pub figures: serde_json::Value,
}

/// What was measured of one question of an experiment that has several.
pub(crate) struct Part {
    /// Its name among the figures.
    pub name: &'static str,
    pub table: Table,
    pub bars: Vec<Bar>,
    pub notes: Vec<String>,
    pub figures: serde_json::Value,
}

impl Report {
    /// Parts put together.
    pub(crate) fn of_parts(name: &'static str, title: String, parts: Vec<Part>) -> Self {
        let (mut tables, mut bars, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let mut figures = serde_json::Map::new();
        for part in parts {
            tables.push(part.table);
            bars.extend(part.bars);
            notes.extend(part.notes);
            figures.insert(part.name.to_owned(), part.figures);
        }
        Self { name, title, tables, plots: Vec::new(), bars, notes, figures: figures.into() }
    }
}

/// Something that was to be shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "Judged")]
pub struct Bar {
    /// What was measured.
    pub what: &'static str,
    /// What it was to be.
    pub wanted: Wanted,
    /// What it is; nothing when there was nothing to measure it by.
    pub got: Option<f64>,
}

/// How large something was to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// Not less than this.
    AtLeast(f64),
    /// Not more than this.
    AtMost(f64),
}

impl Bar {
    /// Whether it is as wanted.
    pub fn passed(&self) -> bool {
        self.got.is_some_and(|got| match self.wanted {
            Wanted::AtLeast(least) => got >= least,
            Wanted::AtMost(most) => got <= most,
        })
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.passed() { "pass" } else { "miss" };
        let got = self.got.map_or_else(|| "nothing".to_owned(), |got| format!("{got:.2}"));
        match self.wanted {
            Wanted::AtLeast(least) => write!(f, "{verdict} {}: {got}, wanted ≥ {least}", self.what),
            Wanted::AtMost(most) => write!(f, "{verdict} {}: {got}, wanted ≤ {most}", self.what),
        }
    }
}

/// A bar as programs read it.
#[derive(Serialize)]
struct Judged {
    what: &'static str,
    #[serde(flatten)]
    wanted: Wanted,
    got: Option<f64>,
    passed: bool,
}

impl From<Bar> for Judged {
    fn from(bar: Bar) -> Self {
        Self { what: bar.what, wanted: bar.wanted, got: bar.got, passed: bar.passed() }
    }
}

/// Rows under headings.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Headings.
    pub headings: Vec<&'static str>,
    /// Rows, each as long as the headings.
    pub rows: Vec<Vec<String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_passed_or_missed() {
        for (wanted, got, said) in [
            (Wanted::AtLeast(3.0), Some(3.0), "pass x: 3.00, wanted ≥ 3"),
            (Wanted::AtLeast(1.5), Some(1.49), "miss x: 1.49, wanted ≥ 1.5"),
            (Wanted::AtMost(1.2), Some(1.0), "pass x: 1.00, wanted ≤ 1.2"),
            (Wanted::AtMost(1.2), None, "miss x: nothing, wanted ≤ 1.2"),
        ] {
            assert_eq!(Bar { what: "x", wanted, got }.to_string(), said);
        }
        let bar = Bar { what: "x", wanted: Wanted::AtMost(1.2), got: Some(2.0) };
        let told = serde_json::json!({ "what": "x", "at_most": 1.2, "got": 2.0, "passed": false });
        assert_eq!(serde_json::to_value(bar).unwrap(), told);
    }
}
