//! Copies found among the files of a folder: of each of some files, copies are made as people make
//! them, and looked for among all files.

pub(crate) mod films;
mod images;
pub(crate) mod sounds;

use tokio::sync::watch;

use crate::report::Part;
use crate::{ExperimentError, Order, Report};

/// Makes copies of the media of a folder, and looks for them.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let folder = order.corpus.as_deref().ok_or(ExperimentError::NoCorpus("a folder of media files, at any depth"))?;
    let files = crate::pictures::below(folder)?;
    let images = images::measured(&files, progress).await?;
    let parts = [images, films::measured(&files, progress)?, sounds::measured(&files, progress)?];
    let parts: Vec<Part> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        let why = "it has too few files that copies can be made of".to_owned();
        return Err(ExperimentError::Corpus { path: folder.to_owned(), why });
    }
    Ok(Report::of_parts("duplicates", format!("copies found among the files of {}", folder.display()), parts))
}
