//! What a search gives.

use crate::sql::Dialect;

/// The first of what matches, and how much does.
#[derive(Clone, Debug, PartialEq)]
pub struct Matches<T> {
    /// How many there are: counted up to a million, in a shared database up to 12,000.
    pub total: u64,
    /// Whether there are more than were counted.
    pub more: bool,
    /// The first of them.
    pub found: Vec<Match<T>>,
    /// Words that are nearly others, and what they may be meant for.
    pub slips: Vec<Slip>,
    /// Every form that was looked for, [folded](query::fold): what is shown of a match has one of them.
    pub forms: Vec<String>,
    /// Items or pages that are not found by words yet, because the library was made before words were
    /// kept as they are now.
    pub unworded: u64,
}

/// A word that is nearly another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// As it was typed.
    pub typed: String,
    /// What may be meant, the likeliest first.
    pub words: Vec<String>,
    /// Nobody has the word, and these were looked for in its place.
    pub taken: bool,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Match<T> {
    /// What was found.
    pub what: T,
    /// Metres from the point that was asked about.
    pub metres: Option<f64>,
    /// How well the words fit that were asked for, from 0 to 1.
    pub score: Option<f64>,
    /// The words and phrases that were found in it.
    pub matched: Vec<String>,
}

/// Matches that are ranked by their words: of more, the newest and those where the words are prominent.
pub(crate) const RANKED: usize = 2_500;

/// Items with the words that are looked at for them, where other filters leave few.
pub(crate) const LOOKED_AT: usize = 12_000;

/// Matches up to which words that are likelier to be meant are looked for.
pub(crate) const LITTLE: usize = 5;

/// Matches that can be passed over.
pub(crate) const SKIPPED: usize = 10_000;

/// Matches that are counted, one by one: more of them where that costs no way to a server.
pub(crate) fn counted(dialect: Dialect) -> usize {
    dialect.choose(1_000_000, 12_000)
}
