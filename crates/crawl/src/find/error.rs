//! Why a find does not begin.

use store::StoreError;

/// Why a find does not begin, or something of it is not kept.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// The query asks for nothing that can be looked for.
    #[error("{0}")]
    Query(String),
    /// A setting makes no sense.
    #[error("{0}")]
    Settings(String),
    /// The fetcher cannot be set up.
    #[error("{0}")]
    Fetch(String),
    /// The library failed.
    #[error("{0}")]
    Store(String),
    /// The find was ended.
    #[error("this find is over")]
    Over,
}

impl From<StoreError> for FindError {
    fn from(error: StoreError) -> Self {
        Self::Store(error.to_string())
    }
}
