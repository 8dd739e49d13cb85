//! A library of the pictures that are known, as a user would have it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use crawl::{ImportOrder, ImportSummary, Keep, import, stopper};
use facts::{MediaId, MediaKind};
use media::{Look, Preset};
use store::{Example, Options, Store, Traces};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::ExperimentError;

/// Candidates that an import compares a picture with.
const CANDIDATES: usize = 64;

/// Pictures that were imported, in a directory that goes with it.
pub(super) struct Library {
    store: Arc<Store>,
    _directory: TempDir,
    /// The pictures by what they are.
    numbers: HashMap<MediaId, usize>,
}

impl Library {
    /// Imports pictures, each known by its number.
    pub async fn of(files: impl Iterator<Item = (PathBuf, MediaId)>) -> Result<Self, ExperimentError> {
        let (paths, ids): (Vec<PathBuf>, Vec<MediaId>) = files.unzip();
        let directory = tempfile::tempdir()?;
        let options = Options { what: "the experiment".to_owned(), ..Options::default() };
        let store = Arc::new(Store::open(directory.path(), options)?);
        let keep = Keep { preset: Preset::All, thumbnail_size: 0, ..Keep::default() };
        let order = ImportOrder { paths, keep, kinds: vec![MediaKind::Image], describe: true };
        let progress = watch::channel(ImportSummary::default()).0;
        import(Arc::clone(&store), order, stopper().1, progress).await?;
        // Of the same bytes, the first.
        let mut numbers = HashMap::new();
        for (number, id) in ids.into_iter().enumerate() {
            numbers.entry(id).or_insert(number);
        }
        Ok(Self { store, _directory: directory, numbers })
    }

    /// The pictures that one is compared with when it comes in.
    pub async fn candidates(&self, look: &Look) -> Result<Vec<usize>, ExperimentError> {
        let hashes = look.asked().iter().map(|hash| hash.bits).collect();
        let example = Example {
            kind: MediaKind::Image,
            version: Look::VERSION,
            traces: Traces { pixels: None, hashes, keys: Vec::new() },
            radius: Look::RADIUS,
            except: None,
            most: CANDIDATES,
        };
        let found = self.store.library().candidates(&example).await?;
        Ok(found.iter().filter_map(|candidate| self.numbers.get(&candidate.id).copied()).collect())
    }
}
