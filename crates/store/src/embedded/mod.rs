//! The home of both traits on one machine, with no other service: fjall for the queue, SQLite for
//! the library.

mod frontier;
mod library;
pub(crate) mod timetable;

pub(crate) use frontier::EmbeddedFrontier;
pub(crate) use library::{EmbeddedLibrary, Written};
