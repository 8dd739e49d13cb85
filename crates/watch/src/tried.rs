//! What the fuzz targets try that is private elsewhere.

use std::path::PathBuf;

use facts::Url;
use report::{Dynamic, Event};

use crate::access_log::AccessLog;
use crate::dynamic::{Script, dynamic};

/// What scripts do to a page, as far as it is told by the page and by scripts that it loads.
pub fn scripted(url: &Url, page: &[u8], loaded: &[&str]) -> Vec<Dynamic> {
    let outline = page::outline(page, None, url, &page::Limits::default(), |name| Event::parse(name).is_some());
    let scripts: Vec<Script> = loaded.iter().map(|code| Script::read(code)).collect();
    dynamic(url, &outline, &scripts.iter().collect::<Vec<_>>())
}

/// A log of a web server that is read from its end.
pub struct Log(AccessLog);

impl Log {
    /// One that may not be there yet, and the name that the report is asked for by.
    pub fn new(path: PathBuf, report: &str) -> Self {
        Self(AccessLog::new(path, report.to_owned()))
    }

    /// Whether a crawler took the report since this was asked last.
    pub fn taken(&mut self) -> bool {
        self.0.taken()
    }
}
