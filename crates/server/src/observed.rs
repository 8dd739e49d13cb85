//! What those who watch over a server are told of library, queue and workers, kept for some seconds: however often
//! they ask, it costs the same.

use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use store::{CrawlSummary, PoolFigures, StoreError, WorkerSeen};

use crate::app::App;

/// How long it is kept.
const KEPT: Duration = Duration::from_secs(5);

/// How long a library is waited for that does not answer: those who watch wait some 10 seconds for all of it.
const PATIENCE: Duration = Duration::from_secs(4);

/// How old it may be where a large library takes longer to say.
const OLDEST: Duration = Duration::from_secs(30);

/// Workers and crawls that are told one by one, and letters of what they are called: each is a series for good where
/// it is collected.
const MOST: usize = 200;
const LETTERS: usize = 200;

/// What was seen last.
#[derive(Default)]
pub(crate) struct Watch {
    /// Held by who asks: one at a time.
    turn: Arc<tokio::sync::Mutex<()>>,
    last: Arc<Mutex<Option<Seen>>>,
}

type Seen = (Instant, Arc<Observed>);

/// What there was to see.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    pages: u64,
    images: u64,
    /// Addresses that wait, by crawl, most of them first.
    queued: Vec<(String, u64)>,
    /// Runs that somebody began and nobody ended, and those of them that somebody works on.
    unfinished: usize,
    at_work: usize,
    shared: Option<Shared>,
}

/// What there is only in a database that many share.
#[derive(Debug, Default)]
struct Shared {
    /// Those who live, with the seconds since they said so.
    workers: Vec<(WorkerSeen, f64)>,
    lost: u64,
    pool: PoolFigures,
}

impl Watch {
    /// What there is to see; nothing while the library does not answer.
    pub async fn look(&self, app: &Arc<App>) -> Option<Arc<Observed>> {
        let asked = async {
            let turn = Arc::clone(&self.turn).lock_owned().await;
            if let Some(observed) = self.within(KEPT) {
                return Ok(Some(observed));
            }
            let (app, last) = (Arc::clone(app), Arc::clone(&self.last));
            // Whoever asks goes away before a database that is away answers; the next one waits for the same answer.
            let looking = tokio::spawn(async move {
                let observed = Arc::new(observe(&app).await?);
                *last.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), Arc::clone(&observed)));
                drop(turn);
                Ok::<_, StoreError>(observed)
            });
            looking.await.ok().transpose()
        };
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(observed)) => observed,
            Ok(Err(error)) => {
                tracing::warn!("the library does not say how it is: {error}");
                None
            }
            Err(_) => self.within(OLDEST),
        }
    }

    fn within(&self, age: Duration) -> Option<Arc<Observed>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(at, _)| at.elapsed() < age).map(|(_, observed)| Arc::clone(observed))
    }
}

async fn observe(app: &App) -> Result<Observed, StoreError> {
    let figures = app.library().library_figures(0).await?;
    let crawls = app.library().crawls().await?;
    let waits = |summary: &CrawlSummary| summary.frontier.queued_pages + summary.frontier.queued_media;
    let mut queued: Vec<(String, u64)> = crawls.iter().map(|one| (one.crawl.name.clone(), waits(one))).collect();
    queued.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let runs = crawls.iter().filter_map(|summary| summary.runs.last());
    let unfinished: Vec<_> = runs.filter(|run| run.stopped.is_none() && run.ended.is_none()).collect();
    let (mut at_work, mut shared) = (app.crawls.count(), None);
    if app.store.is_shared() {
        let now = app.store.frontier().now().await?;
        let seen = app.store.workers().await?.into_iter().filter(|worker| worker.lease_until > now);
        let workers: Vec<_> = seen.map(|worker| (worker.clone(), now.since(worker.seen).as_secs_f64())).collect();
        at_work = unfinished.iter().filter(|run| workers.iter().any(|(one, _)| one.runs.contains(&run.id))).count();
        let (lost, pool) = (app.store.lost_workers().await?, app.store.pool_figures().unwrap_or_default());
        shared = Some(Shared { workers, lost, pool });
    }
    let (pages, images, unfinished) = (figures.pages, figures.images.total, unfinished.len());
    Ok(Observed { pages, images, queued, unfinished, at_work, shared })
}

impl Observed {
    /// In the text format of Prometheus.
    pub fn write(&self, text: &mut String) {
        let waits = self.queued.iter().map(|(_, count)| count).sum::<u64>();
        for (name, help, value) in [
            ("pages", "Pages in the library.", self.pages),
            ("images", "Distinct images in the library.", self.images),
            ("queue_addresses", "Addresses that wait, over all crawls.", waits),
            ("runs_unfinished", "Runs that were begun and have not ended.", self.unfinished as u64),
            ("runs_at_work", "Runs that any process works on.", self.at_work as u64),
        ] {
            series(text, name, help, [(String::new(), value as f64)]);
        }
        let by_crawl = self.queued.iter().take(MOST);
        let by_crawl = by_crawl.map(|(name, count)| (format!("{{crawl=\"{}\"}}", label(name)), *count as f64));
        series(text, "crawl_queue_addresses", "Addresses that wait, by crawl.", by_crawl);
        if let Some(shared) = &self.shared {
            shared.write(text);
        }
    }
}

impl Shared {
    fn write(&self, text: &mut String) {
        for (name, help, value) in [
            ("workers", "Processes at work on the database, of any kind.", self.workers.len() as u64),
            ("workers_lost", "Processes that were taken for dead within the last hour.", self.lost),
        ] {
            series(text, name, help, [(String::new(), value as f64)]);
        }
        type Figure = fn(&(WorkerSeen, f64)) -> f64;
        let figures: [(&str, &str, Figure); 3] = [
            ("worker_visits_per_second", "Visits of a process a second, lately.", |(worker, _)| worker.rate),
            ("worker_seen_seconds", "Time since its last sign of life.", |(_, seen)| *seen),
            ("worker_hosts", "Hosts that it holds.", |(worker, _)| worker.hosts as f64),
        ];
        for (name, help, figure) in figures {
            let of = |one: &(WorkerSeen, f64)| {
                (format!("{{worker=\"{}\",what=\"{}\"}}", one.0.number, label(&one.0.what)), figure(one))
            };
            series(text, name, help, self.workers.iter().take(MOST).map(of));
        }
        let PoolFigures { used, idle, waiting } = self.pool;
        let states = [("used", used), ("idle", idle)].map(|(state, count)| (format!("{{state=\"{state}\"}}"), count));
        let states = states.map(|(labels, count)| (labels, count as f64));
        series(text, "database_connections", "Connections of this process to the database.", states);
        let waiting = [(String::new(), waiting as f64)];
        series(text, "database_waiting", "Questions of this process that wait for a connection.", waiting);
    }
}

/// Adds a figure, with its labels in braces.
pub(crate) fn series(text: &mut String, name: &str, help: &str, values: impl IntoIterator<Item = (String, f64)>) {
    let _ = writeln!(text, "# HELP bowerbird_{name} {help}\n# TYPE bowerbird_{name} gauge");
    for (labels, value) in values {
        let _ = writeln!(text, "bowerbird_{name}{labels} {value}");
    }
}

/// A name as a label holds it.
fn label(name: &str) -> String {
    let mut label = String::new();
    for c in name.chars().take(LETTERS) {
        match c {
            '\\' => label.push_str("\\\\"),
            '"' => label.push_str("\\\""),
            '\n' => label.push_str("\\n"),
            c => label.push(c),
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_their_labels_and_are_not_told_without_end() {
        let mut observed = Observed { queued: vec![("a \"b\"\n\\".into(), 7)], ..Observed::default() };
        let mut text = String::new();
        observed.write(&mut text);
        assert!(text.contains("bowerbird_crawl_queue_addresses{crawl=\"a \\\"b\\\"\\n\\\\\"} 7\n"), "{text}");
        assert!(!text.contains("bowerbird_workers"), "there are none without a shared database");
        observed.queued = (0..9_999).map(|n| (format!("{n}{}", "x".repeat(9_999)), 1)).collect();
        text.clear();
        observed.write(&mut text);
        assert!(text.contains("bowerbird_queue_addresses 9999\n"));
        assert!(text.len() < MOST * (LETTERS + 100), "{}", text.len());
    }
}
