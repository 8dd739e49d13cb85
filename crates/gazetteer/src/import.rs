//! From files to one gazetteer in the data directory.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use geo::Gazetteer;
use geo::finer::{Areas, Finer};

use crate::geonames::{self, Dump, Found};
use crate::map::{FILE, map};
use crate::write::Writer;
use crate::{GazetteerError, osm};

/// Bytes of a file by whose lines it is told what it is.
const SAMPLE: u64 = 64 << 10;

/// What was imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Places that the embedded gazetteer does not have.
    pub places: u32,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Tells how far an import is.
pub(crate) struct Progress<'p> {
    pub(crate) tell: &'p mut dyn FnMut(&Path, u64),
}

impl Progress<'_> {
    /// So many more bytes of a file were read.
    pub(crate) fn bytes(&mut self, path: &Path, more: u64) {
        (self.tell)(path, more);
    }
}

/// What a file is.
enum Kind {
    GeoNames(Dump),
    OpenStreetMap,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, GazetteerError> {
        let file = File::open(path).map_err(GazetteerError::file(path))?;
        if path.to_string_lossy().ends_with(".pbf") {
            return Ok(Self::OpenStreetMap);
        }
        let lines = BufReader::new(file.take(SAMPLE)).lines().map_while(Result::ok);
        let dump = lines.filter(|line| !line.starts_with('#')).find_map(|line| Dump::of(&line));
        dump.map(Self::GeoNames).ok_or_else(|| {
            GazetteerError::source(
                path,
                "is neither a dump of GeoNames (places, alternate names, postal codes) nor an .osm.pbf extract",
            )
        })
    }
}

/// Reads files into the gazetteer of a data directory, in the place of what was imported before. `tell`
/// is called with the bytes read of a file. Extracts of OpenStreetMap are read twice.
pub fn import(data: &Path, files: &[PathBuf], mut tell: impl FnMut(&Path, u64)) -> Result<Imported, GazetteerError> {
    let files = Files::of(files)?;
    std::fs::create_dir_all(data).map_err(GazetteerError::file(data))?;
    let work = Work::new(data)?;
    let imported = files.read(&work.folder, &Areas::embedded(), Progress { tell: &mut tell })?;
    // What cannot be read does not take the place of what can.
    let failed = |error| GazetteerError::file(&work.folder)(error);
    let made = work.folder.join(FILE);
    let mapped = map(&File::open(&made).map_err(failed)?).map_err(failed)?;
    let target = data.join(FILE);
    Finer::open(mapped, Gazetteer::stamp())
        .map_err(|source| GazetteerError::Imported { path: made.clone(), source })?;
    std::fs::rename(&made, &target).map_err(GazetteerError::file(&target))?;
    // The name is as safe as the bytes only when the directory is.
    File::open(data).and_then(|folder| folder.sync_all()).map_err(GazetteerError::file(data))?;
    Ok(imported)
}

/// Files by what they are, in the order they are read.
pub(crate) struct Files<'f>(Vec<(&'f PathBuf, Kind)>);

impl<'f> Files<'f> {
    pub(crate) fn of(files: &'f [PathBuf]) -> Result<Self, GazetteerError> {
        let mut kinds = Vec::new();
        for path in files {
            kinds.push((path, Kind::of(path)?));
        }
        // Names can only be added to places that were read.
        kinds.sort_by_key(|(_, kind)| matches!(kind, Kind::GeoNames(Dump::Names)));
        Ok(Self(kinds))
    }

    /// Reads them into a file [`FILE`] in this folder.
    pub(crate) fn read(
        self,
        folder: &Path,
        areas: &Areas,
        mut progress: Progress<'_>,
    ) -> Result<Imported, GazetteerError> {
        let failed = |error| GazetteerError::file(folder)(error);
        let mut writer = Writer::new(folder).map_err(failed)?;
        let mut found = Found::default();
        let mut about = String::new();
        for (path, kind) in self.0 {
            let source = match kind {
                Kind::GeoNames(dump) => {
                    geonames::read(path, dump, areas, &mut found, &mut writer, &mut progress)?;
                    "© GeoNames (geonames.org), CC BY 4.0"
                }
                Kind::OpenStreetMap => {
                    osm::read(path, folder, areas, &mut writer, &mut progress)?;
                    "© OpenStreetMap contributors, ODbL 1.0"
                }
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            about.push_str(&format!("{name}: {source}\n"));
        }
        let places = writer.count;
        let bytes = writer.finish(&folder.join(FILE), &about, Gazetteer::stamp()).map_err(failed)?;
        Ok(Imported { places, bytes })
    }
}

/// A folder for what is being made, gone when that is done or given up.
struct Work {
    folder: PathBuf,
}

impl Work {
    fn new(data: &Path) -> Result<Self, GazetteerError> {
        const NAME: &str = "gazetteer.import-";
        let folder = data.join(format!("{NAME}{}", std::process::id()));
        // What imports left that were killed.
        for entry in std::fs::read_dir(data).map_err(GazetteerError::file(data))?.flatten() {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| name.strip_prefix(NAME));
            if process.is_some_and(|process| entry.path() == folder || !Path::new("/proc").join(process).exists()) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        std::fs::create_dir(&folder).map_err(GazetteerError::file(&folder))?;
        Ok(Self { folder })
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
