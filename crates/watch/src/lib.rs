//! The watcher beside a web server: what changed on its sites, for crawlers that come to fetch only
//! that. [004 §3.4.1]
//!
//! [`watch()`] takes an [`Order`]: [`Site`]s, each a folder or a running site with a sitemap, and the
//! [`Way`] crawlers learn of changes, over HTTP or from a file. [`once`] looks a single time.
//!
//! ```text
//! folder (events, look) ─┐                ┌─► listing ─► desk (HTTP), files
//!                        ├─► book ◄─► state (SQLite)
//! poll (sitemap, fetch) ─┘      ▲         └─► feeds (sitemaps, Atom)
//!                               └── keeper: reading (links, dynamic parts), levels
//! ```
//!
//! The `book` is all that is known of a site, a million pages in some 170 MB; one thread notes
//! changes in it, another does what can wait. Whatever a kill interrupts is found again: the state
//! says which version of each page was seen, and the next look compares.

mod access_log;
mod book;
mod desk;
mod due;
mod dynamic;
mod events;
mod feeds;
mod files;
mod flag;
mod folder;
mod keeper;
mod links;
mod listing;
mod look;
mod names;
mod parts;
mod poll;
mod reading;
mod rush;
mod site;
mod state;
#[cfg(fuzzing)]
pub mod tried;
mod watched;
mod watcher;

pub use crate::flag::Reset;
pub use crate::rush::Rush;
pub use crate::site::{Site, SiteError, Source};
pub use crate::state::StateError;
pub use crate::watcher::{HOST, Looked, Order, WatchError, Way, once, watch};
