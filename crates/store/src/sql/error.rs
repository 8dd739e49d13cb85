//! What asking can come to.

/// What went wrong with a statement.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// One row was asked for, and there is none.
    #[error("no row")]
    NoRow,
    /// A value that is not what its column says, or a statement that is asked wrongly.
    #[error("{0}")]
    Strange(String),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{}", told(.0))]
    Postgres(#[from] tokio_postgres::Error),
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A value of a column that cannot be.
    pub fn strange(column: usize, what: impl std::fmt::Display) -> Self {
        Self::Strange(format!("column {column}: {what}"))
    }
}

/// The server's own words where there are some: the client's are only that there was an error.
pub(crate) fn told(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} ({})", said.message(), said.code().code()),
        None => match std::error::Error::source(error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}

/// A row that may be missing.
pub(crate) trait OptionalExtension<T> {
    /// Nothing in place of [`Error::NoRow`].
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(Error::NoRow) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
