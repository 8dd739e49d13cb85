//! Copies of films and sounds, made here, and how many of them are told from everything else.

mod films;
mod recode;
mod sounds;

use serde_json::{Map, Value, json};
use tokio::sync::watch;

use self::recode::Outcome;
use crate::{ExperimentError, Order, Report};

/// Makes copies of what is in the corpus, and tells them.
pub(crate) fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let corpus =
        order.corpus.as_deref().ok_or(ExperimentError::NoCorpus("a folder of films or sounds, all different"))?;
    let folder = tempfile::tempdir()?;
    let mut report = Report {
        name: "duplicates",
        title: format!("copies of what is in {}, made by ffmpeg and told again", corpus.display()),
        tables: Vec::new(),
        plots: Vec::new(),
        bars: Vec::new(),
        notes: Vec::new(),
        figures: json!({}),
    };
    let mut figures = Map::new();
    let mut take = |name: &str, found: Option<Outcome>| {
        if let Some(outcome) = found {
            report.tables.extend(outcome.tables);
            report.bars.extend(outcome.bars);
            figures.insert(name.to_owned(), outcome.figures);
        }
    };
    progress.send_replace("films: making and telling copies".to_owned());
    take("films", films::run(corpus, folder.path())?);
    progress.send_replace("sounds: making and telling copies".to_owned());
    take("sounds", sounds::run(corpus, folder.path())?);
    if figures.is_empty() {
        return Err(ExperimentError::NoCorpus("there is no film and no sound of some length in this one"));
    }
    report.figures = Value::Object(figures);
    Ok(report)
}
