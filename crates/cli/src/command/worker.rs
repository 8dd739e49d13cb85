//! `bowerbird worker`.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use crawl::{Describer, Reach, Stopper, Summary};
use store::{CrawlSummary, Options, Run, RunId, Store};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{Place, WrongUse};
use crate::arguments::{Role, Worker};
use crate::output::{counted, plain, print_json, print_line};

/// How often it looks for runs that began.
const LOOKS: Duration = Duration::from_secs(2);
/// How often one that only describes looks for something to describe.
const DESCRIBES: Duration = Duration::from_secs(10);
/// Runs that it works on at once.
const MOST: usize = 32;

/// Works on the crawls of a shared database until it is interrupted. One that is away is waited for.
pub async fn worker(place: Place, order: Worker) -> anyhow::Result<()> {
    if place.database.is_none() {
        let wrong = "a worker works on a shared database: name it with --database or BOWERBIRD_DATABASE";
        return Err(WrongUse(wrong.into()).into());
    }
    let role = match order.role {
        Role::All => "all",
        Role::Media => "media",
    };
    let what = format!("worker ({role}) on {}, process {}", machine(), std::process::id());
    let options = Options { what, lease: order.lease, ..Options::default() };
    let reach = order.reach.read()?;
    let mut end = pin!(super::serve::interrupted());
    let store = tokio::select! {
        opened = place.open_when_there(options) => Arc::new(opened?),
        () = &mut end => return Ok(()),
    };
    say_what_would_pay(&place, &store).await?;
    let ended = match order.role {
        Role::All => crawl_and_describe(&store, reach, end).await,
        Role::Media => describe_only(&store, end).await,
    };
    if let Some(store) = Arc::into_inner(store) {
        store.close().await?;
    }
    ended
}

/// Says how many workers the hosts that wait would keep busy, by what workers did here before.
async fn say_what_would_pay(place: &Place, store: &Store) -> anyhow::Result<()> {
    let crawls = store.library().crawls().await?;
    let Some(load) = crawl::workload(store, &crawls).await? else { return Ok(()) };
    let here = store.workers().await?.len() as u64;
    if place.json {
        return print_json(&serde_json::json!({ "workers": here, "would_pay": load.workers(), "load": load }));
    }
    let hosts = counted(load.hosts, "host");
    match load.workers() {
        Some(pays) => print_line(format!(
            "{} at work; {hosts} with something to visit, a request each {:.1} s, and {:.0} visits/s of one worker at \
             its best: {} would pay",
            counted(here, "process"),
            load.pause,
            load.rate,
            counted(pays, "worker")
        )),
        None => print_line(format!(
            "{} at work, {hosts} with something to visit; how many workers would pay is known once some have worked",
            counted(here, "process")
        )),
    }
}

/// A run that this process works on.
struct Joined {
    stopper: Stopper,
    task: JoinHandle<Result<Summary, crawl::CrawlError>>,
}

/// Joins every run that is at work, and describes what comes in.
async fn crawl_and_describe(
    store: &Arc<Store>,
    reach: Reach,
    mut end: Pin<&mut impl Future<Output = ()>>,
) -> anyhow::Result<()> {
    let describer = Describer::start(Arc::clone(store));
    describer.arrived();
    let mut joined: BTreeMap<RunId, Joined> = BTreeMap::new();
    // Runs that there is no room for here, which is said once of each.
    let mut full: BTreeSet<RunId> = BTreeSet::new();
    loop {
        let ended: Vec<RunId> = joined.iter().filter(|(_, one)| one.task.is_finished()).map(|(run, _)| *run).collect();
        for run in ended {
            if let Some(one) = joined.remove(&run) {
                report(one).await;
            }
        }
        for summary in store.library().crawls().await? {
            let Some(run) = at_work(&summary).filter(|run| !joined.contains_key(&run.id)) else { continue };
            if joined.len() >= MOST {
                break;
            }
            if !crawl::has_room(store, &summary.crawl) {
                if full.insert(run.id) {
                    let (name, dir) = (plain(&summary.crawl.name), store.dir().display());
                    tracing::warn!("crawl '{name}' is left to others: the disk of {dir} is full; free some space");
                }
                continue;
            }
            full.remove(&run.id);
            tracing::info!("joining crawl '{}'", plain(&summary.crawl.name));
            let (stopper, stop) = crawl::stopper();
            let (progress, _) = watch::channel(crawl::Progress::default());
            let (store, reach, run_id) = (Arc::clone(store), reach.clone(), run.id);
            let task = tokio::spawn(crawl::join(store, summary.crawl, run, reach, stop, progress));
            joined.insert(run_id, Joined { stopper, task });
        }
        tokio::select! {
            () = tokio::time::sleep(LOOKS) => {}
            () = &mut end => break,
        }
    }
    joined.values().for_each(|one| one.stopper.stop());
    for one in joined.into_values() {
        report(one).await;
    }
    describer.stop().await?;
    Ok(())
}

/// The run of a crawl that somebody began and nobody ended.
fn at_work(summary: &CrawlSummary) -> Option<Run> {
    summary.runs.last().filter(|run| run.stopped.is_none() && run.ended.is_none()).cloned()
}

/// What came of a run, for the log: others may go on with it.
async fn report(one: Joined) {
    match one.task.await {
        Ok(Ok(summary)) => tracing::info!("crawl '{}': {}", plain(&summary.name), summary.stopped),
        Ok(Err(error)) => tracing::warn!("a crawl could not be worked on: {error}"),
        Err(broken) => tracing::error!("a crawl broke: {broken}"),
    }
}

/// Describes what is in the library, and finds copies, whenever there is something.
async fn describe_only(store: &Arc<Store>, mut end: Pin<&mut impl Future<Output = ()>>) -> anyhow::Result<()> {
    let describer = Describer::start(Arc::clone(store));
    loop {
        describer.arrived();
        tokio::select! {
            () = tokio::time::sleep(DESCRIBES) => {}
            () = &mut end => break,
        }
    }
    describer.stop().await?;
    Ok(())
}

/// The name of this machine, for the list of workers.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = plain(name.trim()).to_string();
    if name.is_empty() { "a machine".into() } else { name }
}
