//! A library of the files of a corpus, as a user would have it.

use std::path::PathBuf;
use std::sync::Arc;

use crawl::{ImportOrder, ImportSummary, Keep, import, stopper};
use facts::MediaKind;
use media::Preset;
use store::{Options, Store};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::ExperimentError;

/// Files that were imported, in a directory that goes with it.
pub(crate) struct Imported {
    store: Arc<Store>,
    _directory: TempDir,
}

impl Imported {
    /// Imports files, all of them, described and compared; they stay where they are.
    pub async fn of(paths: Vec<PathBuf>, kind: MediaKind) -> Result<Self, ExperimentError> {
        let directory = tempfile::tempdir()?;
        let options = Options { what: "the experiment".to_owned(), ..Options::default() };
        let store = Arc::new(Store::open(directory.path(), options)?);
        let keep = Keep { preset: Preset::All, thumbnail_size: 0, ..Keep::default() };
        let order = ImportOrder { paths, keep, kinds: vec![kind], describe: true };
        let progress = watch::channel(ImportSummary::default()).0;
        import(Arc::clone(&store), order, stopper().1, progress).await?;
        Ok(Self { store, _directory: directory })
    }

    /// What it holds.
    pub fn library(&self) -> &dyn store::Library {
        &**self.store.library()
    }
}
