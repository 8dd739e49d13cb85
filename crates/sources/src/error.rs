//! Why a source gave nothing.

use std::time::Duration;

use fetch::FetchError;
use store::StoreError;

/// Why a source gave nothing, in a sentence that says what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// It could not be reached, or broke off.
    #[error("{0}")]
    Fetch(#[from] FetchError),
    /// It took too long.
    #[error("no answer within {0:?}")]
    Slow(Duration),
    /// It wants to be left alone.
    #[error("{host} answered {status}: too many questions{}; ask again later", .after.map_or(String::new(), |after| format!(", none for {} s", after.as_secs())))]
    Busy {
        /// Who.
        host: String,
        /// With what.
        status: u16,
        /// How long it wants to be left alone.
        after: Option<Duration>,
    },
    /// It does not want us.
    #[error("{host} answered {status}: {}", .hint)]
    Refused {
        /// Who.
        host: String,
        /// With what.
        status: u16,
        /// What may help.
        hint: &'static str,
    },
    /// Another answer that is none.
    #[error("{host} answered {status}")]
    Status {
        /// Who.
        host: String,
        /// With what.
        status: u16,
    },
    /// It sent something else than it should.
    #[error("{host} sent {what}: {hint}")]
    Strange {
        /// Who.
        host: String,
        /// What it sent.
        what: &'static str,
        /// What may help.
        hint: &'static str,
    },
    /// It led elsewhere too often.
    #[error("{host} leads in circles: give the address it leads to")]
    Redirects {
        /// Who.
        host: String,
    },
    /// The service itself says that something is wrong.
    #[error("{host} says: {message}")]
    Said {
        /// Who.
        host: String,
        /// What it says.
        message: String,
    },
    /// A file cannot be read.
    #[error("{file} cannot be read: {why}")]
    File {
        /// Which.
        file: String,
        /// Why.
        why: String,
    },
    /// The library failed.
    #[error("the library cannot be asked: {0}")]
    Library(String),
}

impl From<StoreError> for SourceError {
    fn from(error: StoreError) -> Self {
        Self::Library(error.to_string())
    }
}
