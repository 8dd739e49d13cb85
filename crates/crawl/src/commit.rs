//! Batches of visits on their way to the store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use store::{Budgets, CrawlId, Recorded, RunId, Store, StoreError, VisitKind, Visited};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use crate::backlog::Underway;
use crate::steps::{Steps, Work};

/// Visits written in one transaction at most.
const BATCH: usize = 256;
/// Links written in one transaction, about: the visit that reaches them is the last of its batch.
const LINKS: usize = 20_000;
/// How long the first visit of a batch waits for company: what pages found may be waited for. Where there
/// is enough to do without it, and with media, only those wait who look at the library, and a batch that
/// is larger costs less for each of its visits.
const WINDOW: Duration = Duration::from_millis(20);
const LONG_WINDOW: Duration = Duration::from_millis(200);

/// How much what visits found is waited for.
#[derive(Default)]
pub(crate) struct Hunger {
    felt: AtomicU8,
    grows: Notify,
}

/// There is enough to do without it.
const NONE: u8 = 0;
/// There was less to claim than there was room for.
const FELT: u8 = 1;
/// Nothing else is under way: a batch waits for nobody.
const GREAT: u8 = 2;

impl Hunger {
    /// Whether there was less to claim than there was room for.
    pub fn set(&self, felt: bool) {
        self.become_so(if felt { FELT } else { NONE });
    }

    /// Nothing is under way but what is to be written.
    pub fn waits(&self) {
        self.become_so(GREAT);
    }

    fn become_so(&self, hunger: u8) {
        if self.felt.swap(hunger, Ordering::Relaxed) < hunger {
            self.grows.notify_one();
        }
    }

    fn window(&self, visit: &Visited) -> Duration {
        let leads_on = !visit.links.is_empty() || visit.claim.link.kind == VisitKind::Page;
        match self.felt.load(Ordering::Relaxed) {
            GREAT => Duration::ZERO,
            FELT if leads_on => WINDOW,
            _ => LONG_WINDOW,
        }
    }
}

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
    hunger: Arc<Hunger>,
    steps: Arc<Steps>,
) -> (mpsc::Sender<Underway>, mpsc::UnboundedReceiver<Committed>, JoinHandle<Result<(), StoreError>>) {
    let (visits, mut arriving) = mpsc::channel::<Underway>(2 * BATCH);
    let (report, committed) = mpsc::unbounded_channel();
    let task = tokio::spawn(async move {
        while let Some(first) = arriving.recv().await {
            let mut deadline = Instant::now() + hunger.window(&first.visited);
            let mut links = first.visited.links.len();
            let mut rooms = vec![first.room];
            let mut visits = vec![first.visited];
            while !is_full(visits.len(), links, batch) {
                tokio::select! {
                    biased;
                    arrived = arriving.recv() => {
                        let Some(Underway { visited, room }) = arrived else { break };
                        deadline = deadline.min(Instant::now() + hunger.window(&visited));
                        links += visited.links.len();
                        visits.push(visited);
                        rooms.push(room);
                    }
                    () = hunger.grows.notified() => {
                        let window = visits.iter().map(|visit| hunger.window(visit)).min().unwrap_or(WINDOW);
                        deadline = deadline.min(Instant::now() + window);
                    }
                    () = sleep_until(deadline) => break,
                }
            }
            let page_claims = visits.iter().filter(|visit| visit.claim.link.kind == VisitKind::Page).count();
            let count = visits.len();
            let timed = steps.time(Work::Writing);
            let recorded = store.commit(crawl, run, visits, budgets).await?;
            drop(timed);
            drop(rooms);
            // The engine may have gone after an error of its own; the visits are safe all the same.
            let _ = report.send(Committed { visits: count, page_claims, recorded });
        }
        Ok(())
    });
    (visits, committed, task)
}

/// Whether so many visits with so many links are written together, and no more.
fn is_full(visits: usize, links: usize, most: usize) -> bool {
    visits >= most.min(BATCH) || links >= LINKS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_ends_at_so_many_visits_or_at_so_many_links() {
        assert!(!is_full(BATCH - 1, LINKS - 1, usize::MAX));
        assert!(is_full(BATCH, 0, usize::MAX) && is_full(1, 0, 1));
        assert!(is_full(5, 5 * 4000, usize::MAX));
    }
}
