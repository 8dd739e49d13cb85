//! What a site says has changed.
//!
//! A watcher beside the web server keeps a [`Report`]: new, updated and removed pages, each an
//! [`Entry`] with its [`rank()`], and the [`Dynamic`] parts of pages, with equal ones [combined]. A
//! crawler reads it with [`read()`], which trusts nothing: what is too large, malformed, about other
//! hosts, or not possible is [`Refused`] with a reason.
//!
//! ```
//! use facts::{Timestamp, Url};
//! let body = br#"{"version":1,"site":"https://example.org/","flag":0,"made":"2026-03-01T12:00:00Z",
//!     "token":"k3.17","ranked":true,"total":1,"pages":[{"url":"https://example.org/news.html",
//!     "change":"updated","at":"2026-03-01T11:59:58Z","updates":4,"level":0.5,"rank":1.0}]}"#;
//! let from = Url::parse("https://example.org/.well-known/bowerbird-watcher.json").unwrap();
//! let report = report::read(body, &from, Timestamp(1_772_370_000_000)).unwrap();
//! assert_eq!(report.pages[0].url.path(), "/news.html");
//! ```
//!
//! A site without a watcher may have a [`Sitemap`] that says when its pages changed.
//!
//! Nothing here does I/O or looks at a clock.
//!
//! [combined]: combine

mod bounded;
mod dynamic;
mod rank;
mod read;
mod shape;
mod sitemap;

pub use crate::dynamic::{Dynamic, Event, combine};
pub use crate::rank::{Spread, level, rank};
pub use crate::read::{LONGEST, MOST_ENTRIES, Refused, read};
pub use crate::shape::{Change, Entry, Report, VERSION, WELL_KNOWN, moment, when};
pub use crate::sitemap::{Lastmod, Sitemap};
