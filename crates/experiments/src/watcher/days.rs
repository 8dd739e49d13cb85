//! Days of visits under one policy [004 exp. 5].

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crawl::{Limits, Manners, Policy, Revisit, Settings, TrapBudgets};
use facts::Timestamp;
use lab::{Changes, Changing, Seen, Server};
use serde::Serialize;
use store::{Options, Store};
use strategy::Scope;
use tokio::sync::watch;

use super::beside::Beside;
use crate::ExperimentError;
use crate::trial::reach;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// A policy, and what the document reports of it: its time in parts of that of `uniform`, and the most
/// updates it found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub name: &'static str,
    pub policy: Policy,
    /// Whether the site says when its pages changed.
    pub dates: bool,
    pub document: Option<(f64, f64)>,
}

pub(super) const WAYS: [Way; 5] = [
    Way { name: "uniform", policy: Policy::Uniform, dates: true, document: Some((1.0, 1.0)) },
    Way { name: "top-levels:3", policy: Policy::TopLevels, dates: true, document: Some((f64::NAN, 0.82)) },
    Way { name: "proportional", policy: Policy::Proportional, dates: true, document: Some((0.25, 0.82)) },
    Way { name: "proportional, no dates", policy: Policy::Proportional, dates: false, document: None },
    Way { name: "watcher", policy: Policy::Watcher, dates: true, document: Some((0.1, 1.0)) },
];

/// What one day brought, and cost.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Day {
    pub updates: u64,
    /// Requests of all kinds.
    pub requests: u64,
    /// Whole pages that were sent.
    pub whole: u64,
    /// Updates fetched before the next of their page.
    pub in_time: u64,
    pub seconds: f64,
    /// How often the page that was fetched most was.
    pub most_times: u32,
}

/// A policy that was tried.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub way: Way,
    pub days: Vec<Day>,
    /// What the site saw in all.
    pub seen: Seen,
    /// How often some pages were fetched, day by day: those that [004 Table 7.2] would pick at random.
    pub sample: Vec<Vec<u32>>,
}

impl Trial {
    pub fn requests(&self) -> u64 {
        self.days.iter().map(|day| day.requests).sum()
    }

    pub fn seconds(&self) -> f64 {
        self.days.iter().map(|day| day.seconds).sum()
    }

    /// Of all updates, those that were fetched in time.
    pub fn share(&self) -> f64 {
        self.seen.in_time as f64 / self.seen.updates.max(1) as f64
    }

    pub fn requests_per_update(&self) -> f64 {
        self.requests() as f64 / self.seen.updates.max(1) as f64
    }
}

/// Crawls the site to its end, then lets days pass and comes again at the end of each.
pub(super) async fn run(
    way: Way,
    changes: &Changes,
    days: u32,
    progress: &watch::Sender<String>,
) -> Result<Trial, ExperimentError> {
    let changes = Changes { dates: way.dates, ..changes.clone() };
    let pages = changes.pages;
    let site = Arc::new(Changing::new(changes, now()));
    let beside = match way.policy {
        Policy::Watcher => Some(Beside::start(&site, pages).await?),
        _ => None,
    };
    beside.iter().for_each(|beside| site.put_before(beside.address));
    let server = Server::start_shared(Arc::clone(&site), ([127, 0, 0, 1], 0).into()).await?;
    let directory = tempfile::tempdir()?;
    let visit = async |day: u32| -> Result<f64, ExperimentError> {
        let ahead = DAY * day;
        let options =
            Options { what: "an experiment".into(), default_delay: Duration::ZERO, ahead, ..Options::default() };
        let store = Arc::new(Store::open(directory.path(), options)?);
        let (_stopper, stop) = crawl::stopper();
        let (told, _) = watch::channel(crawl::Progress::default());
        let begun = Instant::now();
        crawl::run(Arc::clone(&store), "days", settings(way, &site), reach(&server), stop, told).await?;
        let seconds = begun.elapsed().as_secs_f64();
        if let Some(store) = Arc::into_inner(store) {
            store.close().await?;
        }
        Ok(seconds)
    };
    visit(0).await?;
    let mut before = site.seen();
    let times = site.times_fetched();
    let missed = times.iter().filter(|times| **times == 0).count();
    if missed > 0 {
        return Err(std::io::Error::other(format!("{missed} pages were not found on the first day")).into());
    }
    let mut trial = Trial { way, days: Vec::new(), seen: before, sample: vec![sample(&times)] };
    let mut token = match &beside {
        Some(beside) => beside.look(None).await?.1,
        None => String::new(),
    };
    for day in 1..=days {
        progress.send_replace(format!("{}: day {day} of {days}", way.name));
        let changed = site.next_day();
        if let Some(beside) = &beside {
            (_, token) = beside.tell(&site, changed, &token).await?;
        }
        let seconds = visit(day).await?;
        let seen = site.seen();
        let times = site.times_fetched();
        trial.days.push(Day {
            updates: seen.updates - before.updates,
            requests: (seen.requests + seen.others) - (before.requests + before.others),
            whole: seen.whole - before.whole,
            in_time: seen.in_time - before.in_time,
            seconds,
            most_times: times.iter().copied().max().unwrap_or(0),
        });
        trial.sample.push(sample(&times));
        before = seen;
    }
    trial.seen = before;
    server.stop().await;
    if let Some(beside) = beside {
        beside.end().await?;
    }
    directory.close()?;
    Ok(trial)
}

/// Five pages, spread over the site.
fn sample(times: &[u32]) -> Vec<u32> {
    (0..5).filter_map(|place| times.get(place * times.len() / 5 + 1).copied()).collect()
}

fn settings(way: Way, site: &Arc<Changing>) -> Settings {
    use lab::Answers;
    Settings {
        seeds: site.seeds(),
        strategy: "bfs".into(),
        scope: Scope::Host,
        kind: Vec::new(),
        places: false,
        concurrency: 5,
        revisit: Revisit { policy: way.policy, levels: 3, ..Revisit::default() },
        budgets: TrapBudgets { per_host: u64::MAX, per_template: u64::MAX },
        limits: Limits { max_pages: Some(1_000_000_000), ..Limits::default() },
        manners: Manners { delay: Duration::ZERO, ..Manners::default() },
        ..Settings::default()
    }
}

pub(super) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
