//! Experiments: figures that anyone can make again, with one command each.
//!
//! [`run`] makes the experiment of a [name](NAMES) and gives a [`Report`]: tables for people, and
//! the same figures as JSON.

mod error;
mod geoparse;
mod metadata;
mod probing;
mod report;
mod trial;

use std::path::PathBuf;

use serde::Serialize;

pub use crate::error::ExperimentError;
pub use crate::report::{Report, Table};

/// The experiments there are, each with what it shows.
pub const NAMES: &[(&str, &str)] = &[
    ("geoparse", "places found in texts with gold places, beside the best of others (--corpus DIR)"),
    ("metadata", "what is read from media files, beside what exiftool read (--corpus DIR)"),
    ("probing", "bytes of a crawl that keeps only located photos, beside full downloads"),
];

/// What an experiment can be told.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Order {
    /// The number of the first made web.
    pub number: Option<u64>,
    /// Pages of each crawl.
    pub max_pages: Option<u64>,
    /// A folder with files and what is true of them.
    pub corpus: Option<PathBuf>,
}

/// Makes an experiment.
pub async fn run(name: &str, order: &Order) -> Result<Report, ExperimentError> {
    match name {
        "geoparse" => geoparse::run(order),
        "metadata" => metadata::run(order),
        "probing" => probing::run(order).await,
        _ => Err(ExperimentError::Unknown(name.to_owned())),
    }
}
