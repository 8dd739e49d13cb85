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
//! - [`fields()`] describes every setting for a form, [`from_form`] reads what a form sends.
//! - Everything it needs to go on after any kind of end is in the store.

mod commit;
mod content;
mod describe;
mod engine;
mod error;
mod fields;
mod gathering;
mod import;
mod inquiry;
mod inspect;
mod keep;
mod links;
mod origin;
mod places;
pub mod quantity;
mod rests;
mod settings;
mod settle;
mod steps;
mod stop;
mod summary;
mod visit;

pub use geo::Granularity;

pub use crate::describe::{Describer, Describing, describe};
pub use crate::engine::{Progress, fetch_settings, run};
pub use crate::error::CrawlError;
pub use crate::fields::{Field, FieldKind, Group, fields, from_form};
pub use crate::import::{ImportOrder, ImportSummary, UPLOADS, import};
pub use crate::inspect::{Hashes, InspectedLocation, Inspection, inspect_address, inspect_file};
pub use crate::keep::{Keep, Probing};
pub use crate::settings::{Limits, Manners, Reach, Settings, TASK_PAGES, TrapBudgets};
pub use crate::stop::{Stop, Stopper, stopper};
pub use crate::summary::{ImageFigures, Summary};
