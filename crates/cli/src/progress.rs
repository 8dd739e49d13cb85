//! A progress line on a terminal, none in a pipe.

use std::io::IsTerminal;
use std::time::Duration;

use crawl::quantity::show_bytes;
use crawl::{Describing, FindProgress, ImportSummary, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Shows how a crawl is doing until its sender is gone.
pub fn show(progress: watch::Receiver<Progress>) -> JoinHandle<()> {
    show_lines(progress, line)
}

/// Shows how an import is doing until its sender is gone.
pub fn show_import(progress: watch::Receiver<ImportSummary>) -> JoinHandle<()> {
    show_lines(progress, |summary| {
        format!(
            "{} files · {} new · {} known · {} with a place · {} · {:.0} s",
            summary.files,
            summary.imported,
            summary.copies + summary.unchanged,
            summary.geotagged,
            show_bytes(summary.bytes),
            summary.seconds,
        )
    })
}

/// Shows how a find is doing until its sender is gone.
pub fn show_find(progress: watch::Receiver<FindProgress>) -> JoinHandle<()> {
    show_lines(progress, |progress| {
        format!(
            "{} pages · {} pictures of {} seen · {} looked at · {} waiting · {} in flight · {:.0} of {:.0} s",
            progress.pages,
            progress.results,
            progress.images.seen,
            progress.images.probed,
            progress.queued,
            progress.in_flight,
            progress.elapsed,
            progress.seconds,
        )
    })
}

/// Shows how describing goes until its sender is gone.
pub fn show_describing(progress: watch::Receiver<Describing>) -> JoinHandle<()> {
    show_lines(progress, |so_far| {
        format!("{} described · {} compared · {} copies", so_far.described, so_far.compared, so_far.copies)
    })
}

/// Shows how far an experiment is until its sender is gone.
pub fn show_experiment(progress: watch::Receiver<String>) -> JoinHandle<()> {
    show_lines(progress, String::clone)
}

fn show_lines<T: Send + Sync + 'static>(
    mut progress: watch::Receiver<T>,
    line: impl Fn(&T) -> String + Send + 'static,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        if !std::io::stderr().is_terminal() {
            return;
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(
            ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        bar.enable_steady_tick(Duration::from_millis(200));
        while progress.changed().await.is_ok() {
            let message = line(&progress.borrow_and_update());
            bar.set_message(message);
        }
        bar.finish_and_clear();
    })
}

fn line(progress: &Progress) -> String {
    let Progress { figures, frontier, in_flight, seconds } = progress;
    let images = figures.media.get("image");
    format!(
        "{} pages ({:.1}/s) · {} images kept of {} seen, {} with a place · {} · {} waiting · {} in flight · {:.0} s",
        figures.pages,
        figures.pages as f64 / seconds.max(0.001),
        images.map_or(0, |images| images.kept),
        images.map_or(0, |images| images.seen),
        figures.geotagged,
        show_bytes(figures.bytes),
        frontier.queued_pages + frontier.queued_media,
        in_flight,
        seconds,
    )
}
