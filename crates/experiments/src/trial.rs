//! Crawls of a web on this machine, from their start to their figures, leaving nothing behind.

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crawl::{Limits, Manners, Reach, Settings, Summary};
use lab::{Answers, LogSummary, Server};
use store::Store;
use strategy::Scope;
use tempfile::TempDir;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::ExperimentError;

/// A web that is served, and a store of its own to crawl it into.
pub(crate) struct Trial<W: Answers> {
    server: Server<W>,
    store: Arc<Store>,
    directory: TempDir,
}

impl<W: Answers> Trial<W> {
    /// Serves the web and makes the store.
    pub async fn open(web: W) -> Result<Self, ExperimentError> {
        let server = Server::start(web, ([127, 0, 0, 1], 0).into()).await?;
        let directory = tempfile::tempdir()?;
        let store = Arc::new(store_in(directory.path())?);
        Ok(Self { server, store, directory })
    }

    pub fn web(&self) -> &W {
        self.server.web()
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Crawls from the web's own seeds, unless the settings name others. Again with the same name,
    /// it goes on.
    pub async fn crawl(&self, name: &str, settings: Settings) -> Result<Summary, ExperimentError> {
        self.crawl_with(name, settings, |_| ()).await
    }

    /// As [`crawl`](Self::crawl), with another way to get to hosts.
    pub async fn crawl_with(
        &self,
        name: &str,
        mut settings: Settings,
        told: impl FnOnce(&mut Reach),
    ) -> Result<Summary, ExperimentError> {
        if settings.seeds.is_empty() {
            settings.seeds = self.web().seeds();
        }
        let (_stopper, stop) = crawl::stopper();
        let (progress, _) = watch::channel(crawl::Progress::default());
        let mut reach = reach(&self.server);
        told(&mut reach);
        Ok(crawl::run(Arc::clone(&self.store), name, settings, reach, stop, progress).await?)
    }

    /// Ends it; gives what the server saw.
    pub async fn close(self) -> Result<LogSummary, ExperimentError> {
        let Self { server, store, directory } = self;
        let log = server.settled_log().await;
        server.stop().await;
        if let Some(store) = Arc::into_inner(store) {
            store.close().await?;
        }
        directory.close()?;
        Ok(log)
    }
}

fn store_in(directory: &Path) -> Result<Store, ExperimentError> {
    let options =
        store::Options { what: "an experiment".into(), default_delay: Duration::ZERO, ..store::Options::default() };
    Ok(Store::open(directory, options)?)
}

/// How a crawl gets to the server.
pub(crate) fn reach(server: &Server<impl Answers>) -> Reach {
    Reach {
        resolve: server.resolve().iter().filter_map(|rule| fetch::ResolveRule::parse(rule).ok()).collect(),
        ca: server.ca_pem().as_bytes().to_vec(),
        ..Reach::default()
    }
}

/// A crawl that visits the same pages in the same order each time: one request at a time, and no
/// host that is waited for. It stays on the sites it starts from, for a folder of real pages links
/// to much that is not in it.
pub(crate) fn exact(strategy: &str, pages: u64) -> Settings {
    Settings {
        strategy: strategy.into(),
        scope: Scope::Domain,
        concurrency: 1,
        // When a host that failed is asked again is a matter of time.
        tries: 1,
        limits: Limits { max_pages: Some(pages), ..Limits::default() },
        manners: Manners { delay: Duration::ZERO, longest_delay: Duration::ZERO, ..Manners::default() },
        ..Settings::default()
    }
}

/// Makes all trials, some at once, and gives their results in order.
/// `told` is called after each, with how many are done and how many there are.
pub(crate) async fn together<T, F>(trials: Vec<F>, told: impl Fn(usize, usize)) -> Result<Vec<T>, ExperimentError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, ExperimentError>> + Send + 'static,
{
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    // One that makes a request at a time waits for its server half of the time.
    let (slots, all) = (Arc::new(Semaphore::new(2 * cores)), trials.len());
    let mut running = JoinSet::new();
    for (place, trial) in trials.into_iter().enumerate() {
        let slots = Arc::clone(&slots);
        running.spawn(async move {
            let _slot = slots.acquire_owned().await;
            (place, trial.await)
        });
    }
    let mut results: Vec<Option<T>> = (0..all).map(|_| None).collect();
    while let Some(ended) = running.join_next().await {
        let (place, result) = ended.map_err(std::io::Error::other)?;
        if let Some(slot) = results.get_mut(place) {
            *slot = Some(result?);
        }
        told(all - running.len(), all);
    }
    Ok(results.into_iter().flatten().collect())
}
