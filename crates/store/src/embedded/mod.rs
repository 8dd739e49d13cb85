//! The home of both traits on one machine, with no other service: fjall for the queue, SQLite for
//! the library.

pub(crate) mod beside;
mod connections;
mod frontier;
pub(crate) mod schema;

pub(crate) use connections::SqliteConnections;
pub(crate) use frontier::{EmbeddedFrontier, Filling, IdleQueue, machine_time};
