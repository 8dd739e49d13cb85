//! Finer gazetteers: what a user imports beside the embedded one.
//!
//! - [`import()`] reads GeoNames dumps (places, alternate names, postal codes) and OpenStreetMap extracts
//!   (`.osm.pbf`) and writes one file into the data directory. The file is written beside the old one and
//!   takes its place when all is well; until then nothing changes.
//! - [`open`] maps that file into memory and adds it to the gazetteer of this process.
//!
//! Memory does not grow with the files: everything is sorted in runs on disk (`sort`).

mod error;
mod geonames;
mod import;
mod map;
mod osm;
mod pbf;
mod sort;
#[cfg(fuzzing)]
pub mod tried;
mod write;

pub use crate::error::GazetteerError;
pub use crate::import::{Imported, import};
pub use crate::map::{FILE, open};
