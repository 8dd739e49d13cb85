//! What a watcher saves, and what it costs [004 §7.1: Tables 7.1–7.3, Figs. 7.1–7.3].
//!
//! Days pass by the clock of the store and of the site alone: a site of made pages changes, a real
//! watcher watches its files, and real crawls come again each day under each policy.

mod beside;
mod cost;
mod days;
mod overlap;
mod rates;
mod told;

use tokio::sync::watch;

use crate::{ExperimentError, Order, Report};

/// Pages of the site, days, and crawlers at once.
const PAGES: u64 = 10_000;
const DAYS: u32 = 7;
const CRAWLERS: usize = 50;
/// Sizes of the sites whose watchers are measured [004 Table 7.3].
const SIZES: [u64; 3] = [10_000, 100_000, 1_000_000];

/// Everything that was measured.
struct Results {
    days: Vec<days::Trial>,
    rates: Vec<rates::Watched>,
    overlap: overlap::Overlap,
    cost: Vec<cost::Cost>,
}

/// Makes it.
pub(crate) async fn run(order: &Order, progress: &watch::Sender<String>) -> Result<Report, ExperimentError> {
    let pages = order.max_pages.unwrap_or(PAGES).max(100);
    let changes = lab::Changes { number: order.number.unwrap_or(1), pages: pages as usize, ..lab::Changes::default() };
    let mut trials = Vec::new();
    for way in days::WAYS {
        progress.send_replace(format!("{}: {DAYS} days", way.name));
        trials.push(days::run(way, &changes, DAYS, progress).await?);
    }
    let rates = rates::run(&changes, DAYS, progress).await?;
    // A small experiment has few crawlers and one small site.
    let crawlers = if pages < PAGES { CRAWLERS.min(5) } else { CRAWLERS };
    progress.send_replace(format!("{crawlers} crawlers at once"));
    let overlap = overlap::run(&changes, crawlers).await?;
    let mut cost = Vec::new();
    for size in if pages < PAGES { vec![pages] } else { SIZES.to_vec() } {
        progress.send_replace(format!("a watcher of {size} pages"));
        cost.extend(cost::run(size, order)?);
    }
    Ok(told::report(&Results { days: trials, rates, overlap, cost }))
}
