//! The imported gazetteer in memory.

use std::fs::File;
use std::path::Path;

use geo::Gazetteer;
use geo::finer::Finer;

use crate::GazetteerError;

/// The file's name in the data directory.
pub const FILE: &str = "gazetteer.finer";

/// Adds what was imported into a data directory to the gazetteer of this process; says whether there is
/// something. Only the first call of a process does it.
pub fn open(data: &Path) -> Result<bool, GazetteerError> {
    let path = data.join(FILE);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(false);
        }
        Err(error) => return Err(GazetteerError::file(&path)(error)),
    };
    let bytes = map(&file).map_err(GazetteerError::file(&path))?;
    let finer = Finer::open(bytes, Gazetteer::stamp()).map_err(|source| GazetteerError::Imported { path, source })?;
    Gazetteer::embedded().refine(finer);
    Ok(true)
}

/// The bytes of a file, for as long as the process lives.
#[allow(unsafe_code)]
pub(crate) fn map(file: &File) -> std::io::Result<&'static [u8]> {
    let length = usize::try_from(file.metadata()?.len()).map_err(std::io::Error::other)?;
    if length == 0 {
        return Ok(&[]);
    }
    use rustix::mm::{MapFlags, ProtFlags};
    // SAFETY: a new mapping, read only and never taken back. An import writes another file and renames it
    // over this one's name, so the bytes of the mapped file never change; reading them needs no validity
    // but that of bytes.
    unsafe {
        let start = rustix::mm::mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE, file, 0)?;
        Ok(std::slice::from_raw_parts(start.cast::<u8>(), length))
    }
}
