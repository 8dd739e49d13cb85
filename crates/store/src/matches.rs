//! What a search gives.

/// The first of what matches, and how much does.
#[derive(Clone, Debug, PartialEq)]
pub struct Matches<T> {
    /// How many there are: counted up to a million.
    pub total: u64,
    /// Whether there are more than were counted.
    pub more: bool,
    /// The first of them.
    pub found: Vec<Match<T>>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Match<T> {
    /// What was found.
    pub what: T,
    /// Metres from the point that was asked about.
    pub metres: Option<f64>,
    /// How well the words fit that were asked for; larger is better.
    pub score: Option<f64>,
    /// The words and phrases that were found in it.
    pub matched: Vec<String>,
}

/// Matches that are ranked by their words: of more, the newest.
pub(crate) const RANKED: usize = 20_000;

/// Matches that can be passed over.
pub(crate) const SKIPPED: usize = 10_000;

/// Matches that are counted.
pub(crate) const COUNTED: usize = 1_000_000;
