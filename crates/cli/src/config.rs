//! `bowerbird.toml`: settings to start from.

use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

use crate::command::WrongUse;

/// The file: one table for each command that has settings.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub crawl: crawl::Settings,
    pub find: crawl::FindSettings,
}

/// Reads the file that was named; without one, everything has its default.
pub fn read(file: Option<&Path>) -> anyhow::Result<Config> {
    let Some(file) = file else { return Ok(Config::default()) };
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        WrongUse(format!("{} line {line}: {}", file.display(), error.message())).into()
    })
}
