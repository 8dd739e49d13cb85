//! How many workers the crawls at work would keep busy.

use std::time::Duration;

use store::{Crawl, CrawlSummary, Store, StoreError, Workload};

use crate::settings::Settings;

/// What past and present work on a shared database says of how many workers would pay, for those of these crawls that
/// somebody began and nobody ended; nothing where there is only this process.
pub async fn workload(store: &Store, crawls: &[CrawlSummary]) -> Result<Option<Workload>, StoreError> {
    let is_at_work =
        |summary: &&CrawlSummary| summary.runs.last().is_some_and(|run| run.stopped.is_none() && run.ended.is_none());
    let asked = |summary: &CrawlSummary| (summary.crawl.id, delay_of(&summary.crawl));
    let asked: Vec<_> = crawls.iter().filter(is_at_work).map(asked).collect();
    store.workload(&asked).await
}

/// The delay of hosts that ask for none. Whoever cannot read the settings does not join.
fn delay_of(crawl: &Crawl) -> Duration {
    let settings = serde_json::from_value::<Settings>(crawl.settings.clone());
    settings.map_or_else(|_| Settings::default().manners.delay, |settings| settings.manners.delay)
}
