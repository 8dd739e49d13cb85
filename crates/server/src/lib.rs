//! The web page and its API, with the crawls that are started there.
//!
//! [`serve()`] takes an [`Order`] and answers until it is told to end: it opens the data directory for
//! writing, runs crawls in it, and stops them cleanly in the end.
//!
//! ```text
//! connection (listen) ─► who may (guard) ─► handler (api) ─► search, store, crawl, export, geo
//!                                             └─ shapes (shape), problems (problem)
//! ```
//!
//! - `api` has one file for each thing that routes are about; handlers ask the library and show what
//!   it says as `shape` describes. [`description()`] is made from them.
//! - `guard` decides who may ask: names, origins, tokens, cookies.
//! - `finds` remembers the finds of late; `crawls` keeps the crawls that run; `timetable` starts those that are due.
//! - `page` is the web page, embedded.

mod answer;
mod answers;
mod api;
mod app;
mod crawls;
mod description;
mod filters;
mod finds;
mod guard;
mod metrics;
mod moment;
mod observed;
mod page;
mod problem;
mod query;
mod serve;
mod shape;
mod timetable;
#[cfg(fuzzing)]
pub mod tried;

pub use crate::guard::Token;
pub use crate::serve::{Order, ServeError, Server, serve};

/// The OpenAPI description of the API, as pretty JSON.
pub fn description() -> String {
    String::from_utf8(serve::routes().1).unwrap_or_default()
}
