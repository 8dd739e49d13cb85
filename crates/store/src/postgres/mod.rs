//! The home of both traits for many machines: one PostgreSQL that any number of processes share.
//!
//! - [`pool`]: connections, and waiting for a server that is away; [`schema`]: the tables.
//! - The library is that of [`tables`](crate::tables), one writer at a time.
//! - [`frontier`]: the queue, which many write to at once; hosts are held under the lease of a worker.

mod frontier;
mod pool;
mod schema;

pub(crate) use frontier::{Clock, Filling, IdleQueue, SharedFrontier, Stillness};
pub use pool::PATIENCE;
pub(crate) use pool::{Duty, Pool};
