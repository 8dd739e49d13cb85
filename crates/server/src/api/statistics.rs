//! The figures of the library.

use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use crate::answer::Known;
use crate::app::App;
use crate::metrics::memory;
use crate::moment::Moment;
use crate::problem::Problem;
use crate::query::Query;

/// Hosts that are listed.
const HOSTS: usize = 50;

/// Bytes of the library's own file, and bytes that are free for what comes.
fn disk(dir: &Path, free: Option<u64>, media: u64) -> Value {
    let size = |name: &str| std::fs::metadata(dir.join(name)).map_or(0, |about| about.len());
    json!({ "library": size("library.db") + size("library.db-wal"), "media": media, "free": free })
}

/// The figures of the library
///
/// All that `bowerbird stats --json` says, and what became of what was seen.
#[utoipa::path(get, path = "/statistics", tag = "Figures", responses((status = 200, body = Object)))]
pub(crate) async fn statistics(State(app): State<Arc<App>>, known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let figures = app.library().library_figures(HOSTS).await?;
    let runs: Vec<Value> = figures
        .runs
        .iter()
        .map(|(name, run, pages)| {
            json!({
                "name": name, "started": Moment(run.started), "ended": run.ended.map(Moment), "seconds": run.seconds,
                "pages": pages, "stopped": run.stopped, "peak_memory": run.peak_memory, "steps": run.steps,
            })
        })
        .collect();
    let kept = |kind: &str| figures.media.get(kind).copied().unwrap_or(0);
    let mut document = search::statistics(&figures);
    if let Some(fields) = document.as_object_mut() {
        fields.insert("runs".into(), runs.into());
        fields
            .insert("kept".into(), json!({ "images": kept("image"), "videos": kept("video"), "audio": kept("audio") }));
        fields.insert("results".into(), json!(figures.results));
        let country = |(country, images): &(String, u64)| json!({ "country": country, "images": images });
        let month = |(month, images): &(String, u64)| json!({ "month": month, "images": images });
        fields.insert("by_country".into(), figures.by_country.iter().map(country).collect());
        fields.insert("by_month".into(), figures.by_month.iter().map(month).collect());
        fields.insert("disk".into(), disk(app.store.dir(), app.store.free_disk(), figures.disk.media));
        fields.insert("memory".into(), json!(memory()));
    }
    known.answer(&document)
}
