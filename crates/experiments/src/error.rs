//! Why an experiment was not made.

use std::path::PathBuf;

use thiserror::Error;

use crate::NAMES;

/// Why an experiment was not made.
#[derive(Debug, Error)]
pub enum ExperimentError {
    /// There is none of that name.
    #[error("there is no experiment '{0}': there are {list}", list = names())]
    Unknown(String),
    /// It needs a folder of files.
    #[error("this experiment needs --corpus DIR: {0}")]
    NoCorpus(&'static str),
    /// A file of the corpus cannot be used.
    #[error("{}: {why}", path.display())]
    Corpus {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Crawls in processes of their own need the program.
    #[error("this experiment runs bowerbird as a program of its own, and does not know where it is")]
    NoProgram,
    /// The folder of pages cannot be used.
    #[error("cannot use --from {}: {why}", path.display())]
    From {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Something on this machine failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A crawl failed.
    #[error(transparent)]
    Crawl(#[from] crawl::CrawlError),
    /// A find did not begin.
    #[error("{0}")]
    Find(String),
    /// The store of a crawl failed.
    #[error(transparent)]
    Store(#[from] store::StoreError),
}

fn names() -> String {
    NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}
