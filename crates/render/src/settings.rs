//! How pages are rendered.

use std::path::PathBuf;
use std::time::Duration;

/// Which browser is run, and within which limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Chromium; looked for on `PATH` when it is not named.
    pub program: Option<PathBuf>,
    /// When this program runs as root, the browser runs as this user: Chromium's sandbox does not work for
    /// root, and nothing that runs strangers' scripts should be root.
    pub user: String,
    /// Whether Chromium's own sandbox is on. Off only where a container allows none, and what it shows can be
    /// trusted.
    pub sandbox: bool,
    /// Pages rendered at once.
    pub tabs: usize,
    /// Time for one page, all its events included.
    pub page_time: Duration,
    /// Memory that one process of the browser may use, in bytes.
    pub memory: u64,
    /// States of one page that are kept.
    pub states: usize,
    /// Events set off on one page.
    pub events: usize,
    /// How often a page is scrolled to its end.
    pub scrolls: usize,
    /// Requests that one page may make.
    pub requests: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            program: None,
            user: "nobody".into(),
            sandbox: true,
            tabs: 2 * std::thread::available_parallelism().map_or(2, usize::from).min(4),
            page_time: Duration::from_secs(15),
            memory: 1 << 30,
            states: 40,
            events: 120,
            scrolls: 10,
            requests: 150,
        }
    }
}
