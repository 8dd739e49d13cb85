//! A region of interest as the command line names it.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use anyhow::Context;
use geo::{Gazetteer, Region, RegionError};

use crate::command::WrongUse;

/// Longest GeoJSON file that is read, in bytes.
const LARGEST_FILE: u64 = 4 << 20;

/// A region that was asked for.
pub struct Asked {
    /// What is remembered of it: the words given, or the text of the file. [`Region::find`]
    /// understands it again.
    pub stored: String,
    pub region: Region,
}

/// Understands `--region`: a name, `LAT,LON,KM`, `SOUTH,WEST,NORTH,EAST`, or a GeoJSON file.
pub fn read(asked: &str) -> anyhow::Result<Asked> {
    read_option("--region", asked)
}

/// The same for another option.
pub fn read_option(option: &str, asked: &str) -> anyhow::Result<Asked> {
    if asked.trim().is_empty() {
        return Err(WrongUse(format!(
            "{option} is empty: give a name, LAT,LON,KM, SOUTH,WEST,NORTH,EAST or a GeoJSON file"
        ))
        .into());
    }
    // What looks like a file is looked for as one first.
    let path = Path::new(asked);
    let like_file = path.components().count() > 1
        || path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("geojson") || ending.eq_ignore_ascii_case("json"));
    if like_file && let Some(text) = text_of(option, path)? {
        return from_file(asked, text);
    }
    match Region::find(Gazetteer::embedded(), asked) {
        Ok(region) => Ok(Asked { stored: asked.to_owned(), region }),
        Err(error @ RegionError::Unknown { .. }) => match text_of(option, path)? {
            Some(text) => from_file(asked, text),
            None if like_file => Err(WrongUse(format!("there is no GeoJSON file {asked:?}, and {error}")).into()),
            None => Err(WrongUse(error.to_string()).into()),
        },
        Err(error) => Err(WrongUse(error.to_string()).into()),
    }
}

fn from_file(name: &str, text: String) -> anyhow::Result<Asked> {
    let region = Region::from_geojson(&text).map_err(|error| WrongUse(format!("{name}: {error}")))?;
    Ok(Asked { stored: text, region })
}

/// What a file holds; nothing when there is none.
fn text_of(option: &str, path: &Path) -> anyhow::Result<Option<String>> {
    let unreadable = || format!("cannot read {option} {}", path.display());
    let file = match File::open(path) {
        Ok(file) => file,
        // A name that cannot be one of a file is just a name.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::InvalidInput | ErrorKind::InvalidFilename | ErrorKind::NotADirectory
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error).with_context(unreadable),
    };
    if file.metadata().with_context(unreadable)?.is_dir() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).with_context(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let larger = format!("{} is larger than 4 MB; simplify its polygons", path.display());
        return Err(WrongUse(larger).into());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(WrongUse(format!("{} is no text; a region is a GeoJSON file", path.display())).into()),
    }
}
