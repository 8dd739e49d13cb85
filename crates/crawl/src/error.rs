//! What keeps a crawl from starting or going on.

use std::path::PathBuf;

use facts::Url;

/// An error of a whole crawl. What goes wrong with one page is recorded, not returned.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// No start page, new or remembered.
    #[error("nothing to start from: give at least one SEED, such as https://example.org/, or a region or query")]
    NoSeeds,
    /// No source names a start page.
    #[error("no start pages were found ({0}): give a SEED, or a source that can be reached, such as --via searxng=URL")]
    NoStart(String),
    /// Sources that cannot be used.
    #[error("the sources of start pages cannot be used: {0}")]
    Sources(String),
    /// What was kept of a find is no crawl.
    #[error("'{0}' is what was kept of a find, and cannot be gone on with: ask again with `bowerbird find`")]
    Find(String),
    /// A strategy nobody knows.
    #[error("there is no strategy '{0}': choose one of {list}", list = strategy::NAMES.join(", "))]
    Strategy(String),
    /// Nothing that the strategy could go by.
    #[error(transparent)]
    Criteria(#[from] strategy::NoCriteria),
    /// A region nobody knows, or several.
    #[error(transparent)]
    Region(#[from] geo::RegionError),
    /// The crawl to learn from has learnt nothing, or is not there.
    #[error(
        "crawl '{0}' has learnt nothing: --model takes the name of a crawl that ran with geo or weighted, as this one"
    )]
    NoModel(String),
    /// The settings of a crawl do not read.
    #[error("the settings of crawl '{0}' were written by another version ({1}): start it again with new ones")]
    Settings(String, String),
    /// What a crawl has learnt does not read.
    #[error("crawl '{0}': {1}")]
    Model(String, strategy::BadModel),
    /// Scope, patterns or languages that cannot be used.
    #[error(transparent)]
    Filter(#[from] strategy::FilterError),
    /// Certificates or rules that cannot be used.
    #[error(transparent)]
    Reach(#[from] fetch::SettingsError),
    /// Pages cannot be rendered as they should be.
    #[error(transparent)]
    Render(#[from] render::RenderError),
    /// None of the start pages can be reached.
    #[error("{}", unreachable(.0))]
    Unreachable(Vec<(Url, String)>),
    /// Something to import is not there.
    #[error("cannot import {}: {why}", path.display())]
    Import {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// Told to stop while it looked for where to start.
    #[error("stopped before anything was visited: start it again to crawl")]
    Stopped,
    /// The store failed; what was committed is safe.
    #[error(transparent)]
    Store(#[from] store::StoreError),
}

fn unreachable(seeds: &[(Url, String)]) -> String {
    seeds.iter().map(|(seed, why)| format!("{seed}: {why}")).collect::<Vec<_>>().join("\n")
}
