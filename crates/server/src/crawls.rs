//! The crawls that run now. All share the store, and with it the clocks of hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crawl::{CrawlError, Progress, Reach, Settings, Stopper, Summary};
use http::StatusCode;
use store::{RunId, Store, StoreError};
use tokio::sync::watch;

use crate::problem::Problem;

/// Crawls at once.
const MOST: usize = 32;
/// How long a start may take before it is answered as under way.
const START: Duration = Duration::from_secs(10);
/// Failures that are remembered.
const FAILURES: usize = 200;

/// What a run came to.
type Outcome = Result<Arc<Summary>, Arc<str>>;

/// The crawls of a server.
pub(crate) struct Crawls {
    store: Arc<Store>,
    reach: Reach,
    state: Mutex<State>,
    /// Runs that other processes work on, as far as was looked.
    elsewhere: Mutex<BTreeSet<RunId>>,
    /// Counts starts, ends and requests to stop.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    running: BTreeMap<String, Running>,
    /// Why the last run of a crawl failed.
    failures: BTreeMap<String, Arc<str>>,
    /// No more are started.
    closed: bool,
}

struct Running {
    stopper: Stopper,
    stopping: bool,
    watched: Watched,
}

/// How to follow a run.
#[derive(Clone)]
pub(crate) struct Watched {
    /// How it is doing.
    pub progress: watch::Receiver<Progress>,
    /// What it came to, in the end.
    pub outcome: watch::Receiver<Option<Outcome>>,
}

impl Watched {
    /// Waits for what it comes to.
    pub async fn ended(mut self) -> Outcome {
        let ended = self.outcome.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone());
        ended.unwrap_or_else(|| Err("the crawl was lost".into()))
    }
}

impl Crawls {
    /// None runs yet.
    pub fn new(store: Arc<Store>, reach: Reach) -> Self {
        Self { store, reach, state: Mutex::default(), elsewhere: Mutex::default(), changed: watch::Sender::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of starts and ends.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    fn tell(&self) {
        self.changed.send_modify(|count| *count += 1);
    }

    /// Whether it runs, and whether it was asked to stop.
    pub fn running(&self, name: &str) -> Option<bool> {
        self.state().running.get(name).map(|running| running.stopping)
    }

    /// Looks which runs other processes that share the database work on.
    pub async fn look_around(&self) -> Result<(), StoreError> {
        if self.store.is_shared() {
            let workers = self.store.workers().await?;
            let runs = workers.into_iter().filter(|worker| !worker.own).flat_map(|worker| worker.runs).collect();
            *self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner) = runs;
        }
        Ok(())
    }

    /// Whether another process worked on a run when last was looked.
    pub fn runs_elsewhere(&self, run: RunId) -> bool {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner).contains(&run)
    }

    /// Whether other processes work on the crawl of this name now.
    pub async fn is_at_work_elsewhere(&self, name: &str) -> Result<bool, StoreError> {
        if !self.store.is_shared() {
            return Ok(false);
        }
        self.look_around().await?;
        let crawls = self.store.library().crawls().await?;
        let last = crawls.iter().find(|known| known.crawl.name == name).and_then(|known| known.runs.last());
        Ok(last.is_some_and(|run| run.stopped.is_none() && run.ended.is_none() && self.runs_elsewhere(run.id)))
    }

    /// Whether others may start and end crawls too.
    pub fn is_shared(&self) -> bool {
        self.store.is_shared()
    }

    /// How many run.
    pub fn count(&self) -> usize {
        self.state().running.len()
    }

    /// How to follow one that runs.
    pub fn watch(&self, name: &str) -> Option<Watched> {
        self.state().running.get(name).map(|running| running.watched.clone())
    }

    /// Why its last run failed, when it did.
    pub fn failure(&self, name: &str) -> Option<Arc<str>> {
        self.state().failures.get(name).cloned()
    }

    /// Starts a run, or goes on with one; answers when it works, or with what keeps it from working.
    pub async fn start(self: &Arc<Self>, name: &str, settings: Settings) -> Result<Watched, Problem> {
        // Before it is among those that run: whoever asks may go away while this waits.
        let sources = crate::api::sources_of(&**self.store.library()).await;
        let reach = Reach { sources, ..self.reach.clone() };
        if self.is_at_work_elsewhere(name).await? {
            let detail =
                format!("a crawl named '{name}' runs in another process: stop it first, or choose another name");
            return Err(Problem::new(StatusCode::CONFLICT, detail));
        }
        let (stopper, stop) = crawl::stopper();
        let (sender, progress) = watch::channel(Progress::default());
        let (ended, outcome) = watch::channel(None);
        let mut watched = Watched { progress, outcome };
        {
            let mut state = self.state();
            if state.closed {
                return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "the server is about to end"));
            }
            if state.running.contains_key(name) {
                let detail = format!("a crawl named '{name}' runs: stop it first, or choose another name");
                return Err(Problem::new(StatusCode::CONFLICT, detail));
            }
            if state.running.len() >= MOST {
                let detail = format!("{MOST} crawls run already: stop one first");
                return Err(Problem::later(StatusCode::SERVICE_UNAVAILABLE, 60, detail));
            }
            state.failures.remove(name);
            let running = Running { stopper, stopping: false, watched: watched.clone() };
            state.running.insert(name.to_owned(), running);
        }
        let (store, owned) = (Arc::clone(&self.store), name.to_owned());
        let run = tokio::spawn(async move { crawl::run(store, &owned, settings, reach, stop, sender).await });
        let (crawls, owned) = (Arc::clone(self), name.to_owned());
        let (refused, refusal) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            let result = run.await.unwrap_or_else(|_| {
                tracing::error!("crawl '{owned}' broke");
                Err(CrawlError::Store(store::StoreError::Io {
                    path: owned.clone().into(),
                    reason: "the crawl broke".into(),
                }))
            });
            let outcome = match &result {
                Ok(summary) => Ok(Arc::new(summary.clone())),
                Err(error) => Err(Arc::from(error.to_string())),
            };
            crawls.ended(&owned, outcome.as_ref().err().cloned());
            ended.send_replace(Some(outcome));
            let _ = refused.send(result.err());
        });
        self.tell();
        let refused = tokio::select! {
            // One that fails tells no progress, but lets go of the channel.
            Ok(()) = watched.progress.changed() => None,
            refused = refusal => refused.ok().flatten(),
            () = tokio::time::sleep(START) => None,
        };
        match refused {
            Some(error) => Err(error.into()),
            None => Ok(watched),
        }
    }

    fn ended(&self, name: &str, failure: Option<Arc<str>>) {
        let mut state = self.state();
        state.running.remove(name);
        if let Some(failure) = failure {
            if state.failures.len() >= FAILURES {
                state.failures.pop_first();
            }
            state.failures.insert(name.to_owned(), failure);
        }
        drop(state);
        self.tell();
    }

    /// Asks one to stop: for now, or for good. Gives whether it runs.
    pub fn stop(&self, name: &str, for_good: bool) -> bool {
        let mut state = self.state();
        let Some(running) = state.running.get_mut(name) else { return false };
        running.stopping = true;
        if for_good {
            running.stopper.end()
        } else {
            running.stopper.stop()
        }
        drop(state);
        self.tell();
        true
    }

    /// Interrupts all of them and waits until they have written what they found.
    pub async fn close(&self) {
        let watched: Vec<Watched> = {
            let mut state = self.state();
            state.closed = true;
            state.running.values().for_each(|running| running.stopper.stop());
            state.running.values().map(|running| running.watched.clone()).collect()
        };
        for one in watched {
            let _ = one.ended().await;
        }
    }
}
