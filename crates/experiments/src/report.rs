//! What an experiment came to.

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
    /// What else is worth knowing, a line each.
    pub notes: Vec<String>,
    /// All figures.
    pub figures: serde_json::Value,
}

/// Rows under headings.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Headings.
    pub headings: Vec<&'static str>,
    /// Rows, each as long as the headings.
    pub rows: Vec<Vec<String>>,
}
