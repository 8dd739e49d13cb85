//! Batches of visits on their way to the store.

use std::sync::Arc;
use std::time::Duration;

use store::{Budgets, CrawlId, Recorded, RunId, Store, StoreError, VisitKind, Visited};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::steps::{Steps, Work};

/// Visits written in one transaction at most.
const BATCH: usize = 256;
/// How long the first visit of a batch waits for company. What pages found is waited for, media only
/// by those who look at the library.
const WINDOW: Duration = Duration::from_millis(20);
const MEDIA_WINDOW: Duration = Duration::from_millis(200);

/// What the engine needs to know of visits that are now safe.
#[derive(Debug)]
pub(crate) struct Committed {
    pub visits: usize,
    pub page_claims: usize,
    /// What of them was new; a visit made again after a crash is not.
    pub recorded: Recorded,
}

/// Starts the one writer of a run; it ends when the sender is dropped.
/// A failed commit ends it with the error: nothing after it is written.
pub(crate) fn committer(
    store: Arc<Store>,
    crawl: CrawlId,
    run: RunId,
    (budgets, batch): (Budgets, usize),
    steps: Arc<Steps>,
) -> (mpsc::Sender<Visited>, mpsc::UnboundedReceiver<Committed>, JoinHandle<Result<(), StoreError>>) {
    let (visits, mut arriving) = mpsc::channel::<Visited>(2 * BATCH);
    let (report, committed) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        while let Some(first) = arriving.recv().await {
            let mut deadline = Instant::now() + window(&first);
            let mut visits = vec![first];
            while visits.len() < batch.min(BATCH) {
                match timeout_at(deadline, arriving.recv()).await {
                    Ok(Some(visit)) => {
                        deadline = deadline.min(Instant::now() + window(&visit));
                        visits.push(visit);
                    }
                    Ok(None) | Err(_) => break,
                }
            }
            let page_claims = visits.iter().filter(|visit| visit.claim.link.kind == VisitKind::Page).count();
            let count = visits.len();
            let timed = steps.time(Work::Writing);
            let recorded = store.commit(crawl, run, visits, budgets).await?;
            drop(timed);
            // The engine may have gone after an error of its own; the visits are safe all the same.
            let _ = report.send(Committed { visits: count, page_claims, recorded });
        }
        Ok(())
    });
    (visits, committed, task)
}

fn window(visit: &Visited) -> Duration {
    if visit.links.is_empty() && visit.claim.link.kind != VisitKind::Page { MEDIA_WINDOW } else { WINDOW }
}
