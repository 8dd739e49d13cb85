//! A page as the library shows it with its places, and how to ask for some of them.

use facts::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Area, PagePlace, Want};

/// A page with the places it speaks of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageItem {
    /// Its place in the order of arrival: where a list goes on.
    pub number: i64,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its description meta.
    pub description: String,
    /// Its language, as an ISO 639-1 code.
    pub language: Option<String>,
    /// When it was first read.
    pub first_seen: Timestamp,
    /// Since when it is not there any more.
    pub gone: Option<Timestamp>,
    /// Whether it is relevant to the region of a crawl that read it.
    pub relevant: bool,
    /// The place it is about, as an index of `places`.
    pub focus: Option<usize>,
    /// The places it speaks of.
    pub places: Vec<PagePlace>,
}

/// Which pages are asked for; the default asks for all that speak of a place.
#[derive(Clone, Debug, Default)]
pub struct PageFilter {
    /// Only those relevant to the region of a crawl.
    pub relevant: bool,
    /// Only those first read at or after this moment.
    pub since: Option<Timestamp>,
    /// Only those first read at or before this moment.
    pub until: Option<Timestamp>,
    /// Only those that speak of a place here.
    pub area: Option<Area>,
    /// Only those of this host.
    pub host: Option<String>,
    /// Only those that this crawl read.
    pub crawl: Option<String>,
    /// Only those with these words in title, description, key words, headings, host or names of places.
    pub words: Option<Want>,
}
