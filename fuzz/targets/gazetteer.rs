//! Dumps of GeoNames and extracts of OpenStreetMap, on their way into a library.
#![no_main]

use std::sync::LazyLock;

static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let made = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    made.expect("a folder for files")
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    let file = FOLDER.path().join(if first % 2 == 0 { "extract.osm.pbf" } else { "dump.txt" });
    std::fs::write(&file, body).expect("room for a file");
    let _ = gazetteer::import(FOLDER.path(), &[file], |_, _| {});
});
