//! `bowerbird import`.

use std::path::Path;
use std::sync::Arc;

use crawl::quantity::show_bytes;
use crawl::{CrawlError, ImportOrder, ImportSummary, Keep};
use facts::MediaKind;
use media::Preset;
use tokio::sync::watch;

use super::{Place, WrongUse};
use crate::arguments::Import;
use crate::output::{counted, print_counts, print_json, print_line};
use crate::{config, progress};

/// Imports files; ctrl-c stops it cleanly.
pub async fn import(place: Place, config: Option<&Path>, order: Import) -> anyhow::Result<()> {
    let mut keep = match config {
        Some(_) => config::read(config)?.crawl.keep,
        None => Keep { preset: Preset::All, ..Keep::default() },
    };
    order.keeping.over(&mut keep);
    let kinds = match order.kind.is_empty() {
        true => vec![MediaKind::Image, MediaKind::Video, MediaKind::Audio],
        false => order.kind,
    };
    if let Some(missing) = order.paths.iter().find(|path| !path.exists()) {
        return Err(WrongUse(format!("{}: there is no such file or folder", missing.display())).into());
    }
    let options = store::Options { what: "import".into(), ..store::Options::default() };
    let store = Arc::new(place.open(options)?);
    let (stopper, stop) = crawl::stopper();
    let (sender, receiver) = watch::channel(ImportSummary::default());
    let shown = progress::show_import(receiver);
    let listening = tokio::spawn(super::crawl::listen_for_signals(stopper));
    let order = ImportOrder { paths: order.paths, keep, kinds, describe: true };
    let result = crawl::import(Arc::clone(&store), order, stop, sender).await;
    listening.abort();
    shown.await?;
    if let Some(store) = Arc::into_inner(store) {
        store.close().await?;
    }
    let summary = result.map_err(|error| match error {
        CrawlError::Import { .. } => WrongUse(error.to_string()).into(),
        other => anyhow::Error::from(other),
    })?;
    if place.json { print_json(&summary) } else { print(&summary) }
}

fn print(summary: &ImportSummary) -> anyhow::Result<()> {
    print_line(format!(
        "{} in {:.1} s: {} new ({}), {} of what was there, {} unchanged since the last time",
        counted(summary.files, "file"),
        summary.seconds,
        summary.imported,
        show_bytes(summary.bytes),
        counted(summary.copies, "more copy"),
        summary.unchanged,
    ))?;
    print_line(format!(
        "{} of them say where they were made, {} more are located by words",
        summary.geotagged, summary.located
    ))?;
    if summary.near_copies > 0 {
        print_line(format!("{} of others: see bowerbird duplicates", counted(summary.near_copies, "copy")))?;
    }
    print_counts("not taken:", &summary.refused)?;
    print_counts("wrong coordinates:", &summary.wrong_coordinates)?;
    if summary.stopped == "interrupted" {
        print_line("stopped before the end: the same command goes on")?;
    }
    Ok(())
}
