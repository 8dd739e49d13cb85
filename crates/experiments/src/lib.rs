//! Experiments: figures that anyone can make again, with one command each.
//!
//! [`run`] makes the experiment of a [name](NAMES) and gives a [`Report`]: tables and [plots](Plot)
//! for people, and the same figures as JSON.

mod addresses;
mod change;
mod duplicates;
mod dynamic;
mod error;
mod example;
mod find;
mod geoparse;
mod ground;
mod harvest;
mod imported;
mod measured;
mod metadata;
mod pictures;
mod plot;
mod probing;
mod recode;
mod report;
mod rerank;
mod seeds;
mod spread;
mod strategies;
mod trial;
mod watcher;
mod weighted;

use std::path::PathBuf;

use crawl::Granularity;
use serde::Serialize;
use tokio::sync::watch;

pub use crate::error::ExperimentError;
pub use crate::plot::{Plot, Series, Shape};
pub use crate::report::{Bar, Report, Table, Wanted};

/// The experiments there are, each with what it shows.
pub const NAMES: &[(&str, &str)] = &[
    ("harvest", "relevant pages per page for bfs, geo-distance and geo [001 Figs. 7–10]"),
    ("find", "pictures for a question: how many in 30 s, how many are meant [002 Tables 3–5]"),
    ("geoparse", "places found in texts with gold places, beside the best of others (--corpus DIR)"),
    (
        "addresses",
        "postal addresses of 21 countries found in texts, and false ones on pages that have none (--corpus DIR, --from DIR)",
    ),
    ("metadata", "what is read from media files, beside what exiftool read (--corpus DIR)"),
    ("probing", "bytes of a crawl that keeps only located photos, beside full downloads"),
    ("duplicates", "copies of pictures, films and sounds found among others [004 ch. 5] (--corpus DIR)"),
    (
        "example",
        "media found by example: clusterings, crops, parts of films and sounds, better copies [004 Tables 7.19, 7.20] (--corpus DIR)",
    ),
    (
        "rerank",
        "pictures of one class found by descriptors and mixes of them [004 Tables 7.7, 7.9–7.11] (--corpus DIR)",
    ),
    ("seeds", "geotagged images, relevant pages, repeated links and queue by kind of seed [000 Tables 5, 8, 11]"),
    ("weighted", "pages on a topic for bfs and weighted, and what each option of it does [003]"),
    (
        "watcher",
        "updates found and requests made under each policy of coming again, with a watcher and without [004 §7.1]",
    ),
    ("dynamic", "states and pictures of pages that scripts make, and pages a second by tabs [004 Fig. 7.4, Table 7.6]"),
    ("strategies", "geotagged images, time and memory by order of visits [000 Table 10, Figs. 35–38]"),
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
    /// A folder of HTML files, served as a web in the place of made ones.
    pub from: Option<PathBuf>,
    /// What is looked for in a folder of pages; without it, the word that its first pages have most of.
    pub query: Option<String>,
    /// The region of interest; without one, the town a made web is about, or every address.
    pub region: Option<String>,
    /// How exactly a page must name a place to be relevant.
    pub granularity: Granularity,
    /// The program, for crawls that are measured from outside.
    #[serde(skip)]
    pub program: Option<PathBuf>,
}

/// Makes an experiment; tells how far it is, a line at a time.
pub async fn run(name: &str, order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    match name {
        "harvest" => harvest::run(order, progress).await,
        "find" => find::run(order, progress).await,
        "geoparse" => geoparse::run(order),
        "addresses" => addresses::run(order),
        "metadata" => metadata::run(order),
        "duplicates" => duplicates::run(order, progress).await,
        "example" => example::run(order, progress).await,
        "rerank" => rerank::run(order, progress),
        "seeds" => seeds::run(order, progress).await,
        "strategies" => strategies::run(order, progress).await,
        "weighted" => weighted::run(order, progress).await,
        "watcher" => watcher::run(order, progress).await,
        "dynamic" => dynamic::run(order, progress).await,
        "probing" => probing::run(order).await,
        _ => Err(ExperimentError::Unknown(name.to_owned())),
    }
}
