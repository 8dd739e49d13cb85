//! What can go wrong with a store.

use std::path::PathBuf;

/// An error with enough in it to act on.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process writes to this data directory.
    #[error("{dir} is in use by process {pid} ({what}): stop it first, or use another --data directory")]
    InUse {
        /// The data directory.
        dir: PathBuf,
        /// The other process.
        pid: u32,
        /// What it said it is doing, and how to reach it.
        what: String,
    },
}
