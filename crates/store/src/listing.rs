//! Lists of items in an order, page by page.

use serde::{Deserialize, Serialize};

/// In which order items are listed. Equal ones are listed newest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemOrder {
    /// What came in last comes first.
    #[default]
    Newest,
    /// What came in first comes first.
    Oldest,
    /// What was made last comes first, by the clock where it was made; what does not say when, last.
    Taken,
    /// By country, first-level division and town; what is nowhere known, last.
    Place,
    /// By the host it came from.
    Host,
    /// By hue, then from dark to light; greys after all hues, what has no colour last.
    Colour,
}

/// Where a list goes on: after the last of what was listed before. It belongs to one order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cursor {
    pub(crate) key: Option<Key>,
    pub(crate) number: i64,
}

/// What a place in an order is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Key {
    Number(i64),
    Text(String),
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed<T> {
    /// What it holds.
    pub what: Vec<T>,
    /// Where the next page begins; nothing after the last.
    pub next: Option<Cursor>,
}
