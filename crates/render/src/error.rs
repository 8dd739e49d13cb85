//! Why a page could not be rendered.

use std::path::PathBuf;
use std::time::Duration;

/// What went wrong, with what to do where something can be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// There is no browser.
    #[error("Chromium was not found on PATH: install it (Debian: apt-get install chromium) or name it with --chromium")]
    Missing,
    /// What was named is no program.
    #[error("{} is no program: name Chromium with --chromium", .0.display())]
    NoProgram(PathBuf),
    /// The user that the browser should run as is not known.
    #[error("there is no user '{0}' to run Chromium as: name one with --chromium-user")]
    NoUser(String),
    /// Chromium's sandbox does not work on this machine.
    #[error(
        "Chromium's sandbox does not work here ({0}): allow user namespaces or install chromium-sandbox; \
         --chromium-sandbox off does without it, for pages that can be trusted"
    )]
    Sandbox(String),
    /// The browser does not start.
    #[error("Chromium does not start: {0}")]
    Start(String),
    /// The browser ended while the page was open, twice.
    #[error("the browser ended while the page was open")]
    Gone,
    /// The page took its tab down, most often by using more memory than it may.
    #[error("the page crashed its tab")]
    Crashed,
    /// The page did not get ready.
    #[error("the page's scripts were not done after {} s", .0.as_secs())]
    Late(Duration),
    /// The page made more requests or events at once than are looked at.
    #[error("the page made more requests than are looked at")]
    Flood,
    /// Anything else.
    #[error("the browser did not do as told: {0}")]
    Browser(String),
}

impl RenderError {
    /// One word, to count by.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Missing | Self::NoProgram(_) => "missing",
            Self::NoUser(_) | Self::Sandbox(_) | Self::Start(_) => "start",
            Self::Gone => "gone",
            Self::Crashed => "crashed",
            Self::Late(_) => "late",
            Self::Flood => "flood",
            Self::Browser(_) => "browser",
        }
    }
}
