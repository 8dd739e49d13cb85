//! The engine: claims what waits, fetches it, reads it, and remembers what it found.
//!
//! ```text
//! claim ─► fetch ─┬─ page:  parse + order links (CPU pool) ─┬─► batch ─► store
//!   ▲             └─ media: probe, keep?, rest, thumbnail ──┘              │
//!   └──────────── frontier: host queues, politeness clock ◄────────────────┘
//! ```
//!
//! - [`Settings`] say what to crawl and how; [`Reach`] how this machine gets to hosts.
//! - [`run`] works on a crawl of an open [`store::Store`] until a limit, the end of the queue, or
//!   a [`Stopper`] ends it, and gives a [`Summary`].
//! - [`import()`] takes local files in as if they had been crawled; [`inspect_file`] and
//!   [`inspect_address`] say what is in one. [`Keep`] says which files are kept.
//! - [`describe()`] says what kept files look and sound like, and finds copies among them.
//! - A [`ByExample`] is a question that is a picture, film or sound; [`reordered`] brings what is like a
//!   target to the front. [`place`] keeps the clusters that both look into.
//! - [`find()`] looks for pictures on the web for a question, within a time.
//! - [`fields()`] describes every setting for a form, [`from_form`] reads what a form sends.
//! - Everything it needs to go on after any kind of end is in the store.

mod backlog;
mod commit;
mod content;
mod describe;
mod engine;
mod error;
mod example;
mod fields;
mod find;
mod gathering;
mod holds;
mod import;
mod inquiry;
mod inspect;
mod keep;
mod lanes;
mod lexicon;
mod links;
mod origin;
mod places;
pub mod quantity;
mod reading;
mod rendering;
mod reports;
mod rests;
mod revisit;
mod scripted;
mod settings;
mod settle;
mod sites;
mod start;
mod steps;
mod stop;
mod summary;
#[cfg(fuzzing)]
pub mod tried;
mod visit;
mod workload;

pub use geo::Granularity;
pub use render::Settings as Browser;

pub use crate::describe::{CLUSTERING, Clustering, Describer, Describing, Placing, describe, leaders, place};
pub use crate::engine::{Progress, fetch_settings, has_room, join, run};
pub use crate::error::CrawlError;
pub use crate::example::{ByExample, Found, LARGEST_EXAMPLE, Mode, reordered};
pub use crate::fields::{Field, FieldKind, Group, fields, from_form};
pub use crate::find::{
    Asked, FIND_STRATEGY, FindError, FindImages, FindMeans, FindProgress, FindResult, FindSettings, FindSummary,
    Finding, LONGEST_DELAY, LONGEST_TIME, MOST_IN_FLIGHT, SHORTEST_TIME, find, score_page,
};
pub use crate::import::{ImportOrder, ImportSummary, UPLOADS, import};
pub use crate::inspect::{Hashes, InspectedLocation, Inspection, inspect_address, inspect_file};
pub use crate::keep::{Keep, Probing};
pub use crate::rendering::Render;
pub use crate::revisit::{Policy, Revisit};
pub use crate::settings::{Limits, Manners, Reach, Settings, TASK_PAGES, TrapBudgets};
pub use crate::stop::{Stop, Stopper, stopper};
pub use crate::summary::{ImageFigures, Summary};
pub use crate::workload::workload;
