//! A region of interest as it is given on the command line.

use std::path::Path;

use geo::{Gazetteer, Region, RegionError};

use crate::command::WrongUse;

/// The largest GeoJSON file.
const FILE_BYTES: u64 = 4 << 20;

/// A region, and the text it is remembered by: what was given, or the content of the file.
pub fn read(given: &str) -> Result<(String, Region), WrongUse> {
    let text = match geojson_file(given)? {
        Some(document) => document,
        None => given.trim().to_owned(),
    };
    match Region::find(Gazetteer::embedded(), &text) {
        Ok(region) => Ok((text, region)),
        Err(error) => Err(WrongUse(explained(given, &error))),
    }
}

/// The content of a file, when one is named.
fn geojson_file(given: &str) -> Result<Option<String>, WrongUse> {
    let path = Path::new(given);
    let named = [".geojson", ".json"].iter().any(|end| given.to_lowercase().ends_with(end));
    if !named && !path.is_file() {
        return Ok(None);
    }
    let trouble = |why: String| WrongUse(format!("cannot read the region {}: {why}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| trouble(error.to_string()))?.len();
    if size > FILE_BYTES {
        return Err(trouble(format!("it is larger than {} MB; simplify it first", FILE_BYTES >> 20)));
    }
    std::fs::read_to_string(path).map(Some).map_err(|error| trouble(error.to_string()))
}

fn explained(given: &str, error: &RegionError) -> String {
    match error {
        RegionError::Unknown { .. } => format!("{error}; nor is there a file {given}"),
        _ => error.to_string(),
    }
}
