//! The shared nouns: types for the facts every other crate speaks of, and nothing else.
//!
//! - [`Url`] is a web address as it will be requested; [`UrlId`] is its identity, the SHA-256 of
//!   its normalised form ([`Url::identity`]). Two addresses with one identity are one page.
//! - [`HostName`] is the unit of politeness, [`Site`] (the registrable domain) the unit of
//!   "same site", [`Origin`] (scheme, host and port) the unit robots.txt speaks for.
//! - [`Priority`] says how soon something should be visited, [`Order`] in which order.
//!   [`Branch`] how far from what mattered.
//! - [`MediaKind`] and [`MediaId`] name a picture, film or sound by what it is, not where it was.
//! - [`LatLon`] is a point, [`Circle`] what is near one, [`Whereabouts`] where something is as one source knows it: with an
//!   [`Address`], the names around it ([`Locality`]), and how sure that is.
//! - [`Directives`] are what a site asks not to be done.
//! - [`Timestamp`] is a moment in milliseconds; nothing here reads a clock.
//!
//! ```
//! use facts::Url;
//! let found = Url::parse("HTTP://Example.org:80/a/../b?utm_source=x&id=7#top").unwrap();
//! assert_eq!(found.as_str(), "http://example.org/b?utm_source=x&id=7");
//! assert_eq!(found.identity(), "http://example.org/b?id=7");
//! ```

mod branch;
mod circle;
mod directives;
mod host;
mod media;
mod place;
mod priority;
mod time;
mod url;
mod whereabouts;

pub use crate::branch::Branch;
pub use crate::circle::Circle;
pub use crate::directives::Directives;
pub use crate::host::{HostName, Origin, Site};
pub use crate::media::{MediaId, MediaKind};
pub use crate::place::LatLon;
pub use crate::priority::{Order, Priority};
pub use crate::time::Timestamp;
pub use crate::url::{Url, UrlError, UrlId};
pub use crate::whereabouts::{Address, Locality, Whereabouts};
