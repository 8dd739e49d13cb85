//! Directories for tests.

use std::path::Path;

/// A directory of its own, in memory where there is such a place: these tests make thousands of
/// small files safe on disk, which says nothing and takes minutes.
pub(crate) fn dir() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap()
}
