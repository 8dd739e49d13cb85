//! What the fuzz targets try that is private elsewhere.

use std::path::{Path, PathBuf};

use geo::finer::Areas;

use crate::import::{Files, Progress};
use crate::{FILE, GazetteerError, Imported};

/// Reads a file into [`FILE`] in a folder, and gives the bytes of that. The numbers of areas, which take longer
/// than small files do, are made once by who calls this.
pub fn read(path: PathBuf, folder: &Path, areas: &Areas) -> Result<(Imported, Vec<u8>), GazetteerError> {
    let imported = Files::of(&[path])?.read(folder, areas, Progress { tell: &mut |_, _| {} })?;
    let made = folder.join(FILE);
    Ok((imported, std::fs::read(&made).map_err(GazetteerError::file(&made))?))
}
