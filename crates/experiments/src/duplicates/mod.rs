//! Copies found among the files of a folder: of each of some files, copies are made as people make
//! them, and looked for among all files.

pub(crate) mod films;
mod images;
pub(crate) mod sounds;

use serde_json::{Map, Value};
use tokio::sync::watch;

use crate::{Bar, ExperimentError, Order, Report, Table};

/// What was measured for one kind of media.
struct Part {
    /// Its name among the figures.
    name: &'static str,
    table: Table,
    bars: Vec<Bar>,
    notes: Vec<String>,
    figures: Value,
}

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
    let mut report = Report {
        name: "duplicates",
        title: format!("copies found among the files of {}", folder.display()),
        tables: Vec::new(),
        plots: Vec::new(),
        bars: Vec::new(),
        notes: Vec::new(),
        figures: Value::Null,
    };
    let mut figures = Map::new();
    for part in parts {
        report.tables.push(part.table);
        report.bars.extend(part.bars);
        report.notes.extend(part.notes);
        figures.insert(part.name.to_owned(), part.figures);
    }
    report.figures = figures.into();
    Ok(report)
}
