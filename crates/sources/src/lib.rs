//! Where to start: services and lists that name pages for a question.
//!
//! A [`Source`] gives [`Start`] pages for a [`Question`], some at a time, best first: the own library, a
//! SearXNG instance, whatever an OpenSearch description describes, the Brave Search API, the search of
//! Wikimedia's wikis, and lists of addresses, sitemaps or feeds. [`SourceSettings`] say which;
//! [`build()`] makes them.
//!
//! A [`Mix`] asks several at once, each within a time, and hands out what they name, mixed by rank. What
//! fails is [told](SourceState) and the rest goes on.
//!
//! Services are strangers: what they send is bounded in size and time, and read without trust. All of it goes
//! through [`fetch::Fetcher`], so no source leads to an address that its guard refuses; only a service whose
//! settings say so may be on a private network.
//!
//! [`listing`] reads lists, sitemaps (with their pictures and films) and feeds wherever they come from.

mod brave;
mod build;
mod error;
mod index;
pub mod listing;
mod mix;
mod opensearch;
mod question;
mod searxng;
mod service;
mod settings;
mod source;
#[cfg(test)]
mod tests;
mod urls;
mod wikimedia;

pub use crate::build::{Means, build, build_with};
pub use crate::error::SourceError;
pub use crate::mix::{Mix, SourceState, Standing};
pub use crate::question::Question;
pub use crate::settings::{SourceKind, SourceSettings, parse_via};
pub use crate::source::{Answer, Source, Start, StartMedia};
