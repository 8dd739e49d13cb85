//! The processes at work on a shared database.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use store::{CrawlSummary, Store, StoreError, WorkerSeen};
use tokio::sync::Mutex;
use utoipa::ToSchema;

use crate::answer::Known;
use crate::app::App;
use crate::moment::Moment;
use crate::problem::Problem;
use crate::query::Query;

/// How long it is believed how many workers would pay: whoever shows them asks every few seconds, and it takes a look
/// at every host with something to visit.
const BELIEVED: Duration = Duration::from_secs(15);

/// How many workers would pay when last was looked.
#[derive(Default)]
pub(crate) struct WouldPay(Mutex<Option<(Instant, Option<u64>)>>);

impl WouldPay {
    async fn know(&self, store: &Store, crawls: &[CrawlSummary]) -> Result<Option<u64>, StoreError> {
        let mut last = self.0.lock().await;
        if let Some((at, known)) = *last
            && at.elapsed() < BELIEVED
        {
            return Ok(known);
        }
        let known = crawl::workload(store, crawls).await?.and_then(|load| load.workers());
        *last = Some((Instant::now(), known));
        Ok(known)
    }
}

/// Those at work, and how many would pay.
#[derive(Serialize, ToSchema)]
struct Workers {
    /// Whether library and queue are in a database that others may work on too.
    shared: bool,
    /// The processes, in the order they came; none where there is only this one.
    items: Vec<WorkerShape>,
    /// How many workers the hosts that wait would keep busy, by what workers did here before; none while
    /// that is not known.
    would_pay: Option<u64>,
}

/// A process at work.
#[derive(Serialize, ToSchema)]
struct WorkerShape {
    /// Larger numbers came later.
    number: i64,
    /// What it does, and where.
    what: String,
    started: Moment,
    /// Its last sign of life.
    seen: Moment,
    /// Without another sign of life others take over then.
    lease_until: Moment,
    /// Visits that it finished.
    visits: u64,
    /// Visits a second, lately.
    rate: f64,
    /// Hosts that it holds.
    hosts: u64,
    /// Crawls that it works on.
    crawls: Vec<String>,
    /// Whether it is the server that answers.
    own: bool,
}

/// The processes at work on a shared database
#[utoipa::path(get, path = "/workers", tag = "Crawls", responses((status = 200, body = Workers)))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let seen = app.store.workers().await?;
    let crawls = if app.store.is_shared() { app.library().crawls().await? } else { Vec::new() };
    let shape = |worker: WorkerSeen| {
        let works_on = |summary: &&store::CrawlSummary| summary.runs.iter().any(|run| worker.runs.contains(&run.id));
        WorkerShape {
            crawls: crawls.iter().filter(works_on).map(|summary| summary.crawl.name.clone()).collect(),
            number: worker.number,
            what: worker.what,
            started: worker.started.into(),
            seen: worker.seen.into(),
            lease_until: worker.lease_until.into(),
            visits: worker.visits,
            rate: worker.rate,
            hosts: worker.hosts,
            own: worker.own,
        }
    };
    let would_pay = app.would_pay.know(&app.store, &crawls).await?;
    known.answer(&Workers { shared: app.store.is_shared(), items: seen.into_iter().map(shape).collect(), would_pay })
}
