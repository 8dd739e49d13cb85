//! What can go wrong.

use std::path::{Path, PathBuf};

/// Why something was not imported, or cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GazetteerError {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A source is not what it should be.
    #[error("{}: {why}; nothing was changed", path.display())]
    Source {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The imported gazetteer cannot be used.
    #[error("{}: {source}", path.display())]
    Imported {
        /// Which.
        path: PathBuf,
        /// Why.
        source: geo::finer::FinerError,
    },
}

impl GazetteerError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }

    pub(crate) fn source(path: &Path, why: impl Into<String>) -> Self {
        Self::Source { path: path.to_owned(), why: why.into() }
    }
}
