//! From an order to watch to the end of watching.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fetch::Fetcher;
use report::Report;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

use crate::desk;
use crate::files::Files;
use crate::flag::Reset;
use crate::folder::Folder;
use crate::keeper::Keeper;
use crate::listing::Question;
use crate::poll::Poll;
use crate::reading::FileReader;
use crate::rush::Rush;
use crate::site::{Site, SiteError, Source, check};
use crate::state::StateError;
use crate::watched::{Watched, lock};

/// How long a thread waits before it looks whether to end.
const PATIENCE: Duration = Duration::from_millis(300);
/// How long what is being answered may take when the watcher ends.
const FAREWELL: Duration = Duration::from_millis(500);
/// Stands for the host of a site in the name of a report.
pub const HOST: &str = "{host}";

/// What to watch, and how.
pub struct Order {
    /// The sites.
    pub sites: Vec<Site>,
    /// The folder of what survives the process.
    pub state: PathBuf,
    /// How crawlers learn of it.
    pub way: Way,
    /// When a site may be visited again.
    pub reset: Reset,
    /// When reading pauses.
    pub rush: Rush,
    /// How often folders are looked through, whatever the kernel tells.
    pub rescan: Duration,
    /// How often sitemaps are asked for.
    pub poll: Duration,
    /// How running sites are reached.
    pub fetch: fetch::Settings,
}

/// How crawlers learn what changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// They ask here.
    Listen(SocketAddr),
    /// The web server serves a file.
    File {
        /// The report.
        report: PathBuf,
        /// Where the web server says who took it.
        access_log: Option<PathBuf>,
    },
}

/// What keeps a watcher from starting.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The sites cannot be watched.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// The state cannot be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// Someone else listens there.
    #[error("{0} is in use by another program: stop it, or name another port with --listen (port 0 takes a free one)")]
    InUse(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// One file for many.
    #[error("several sites need several reports: write {HOST} in the name of the file")]
    OneFile,
    /// One log for many.
    #[error("an access log tells of one site: watch each site with a watcher of its own, or use --listen")]
    OneLog,
    /// The report cannot be written.
    #[error("cannot write {file}: {why}", file = .0.display(), why = .1)]
    Report(PathBuf, std::io::Error),
    /// The settings of fetching are wrong.
    #[error(transparent)]
    Fetch(#[from] fetch::SettingsError),
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// A site after one look.
#[derive(Debug)]
pub struct Looked {
    /// What crawlers are told, the first page of it.
    pub report: Report,
    /// Changes since the look before.
    pub changes: u64,
}

/// Watches until `end` says so. `ready` is told when all sites were looked through, and where
/// crawlers can ask.
pub async fn watch(
    order: Order,
    ready: impl FnOnce(Option<SocketAddr>),
    end: impl Future<Output = ()>,
) -> Result<(), WatchError> {
    let sites = open(&order)?;
    let listener = match &order.way {
        Way::Listen(address) => Some(listen(*address).await?),
        Way::File { .. } => None,
    };
    let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
    let ending = Arc::new(AtomicBool::new(false));
    let (told_end, ended) = watch::channel(false);
    let mut crew = Crew { threads: Vec::new(), tasks: Vec::new(), ending: Arc::clone(&ending) };
    let (mut looked, mut written) = (Vec::new(), Vec::new());
    for watched in &sites {
        looked.push(crew.start(Arc::clone(watched), &order)?);
        if let Way::File { report, access_log } = &order.way {
            let files = Files::new(report_of(report, &watched.site), access_log.clone());
            let files = Arc::new(Mutex::new(files));
            crew.write(Arc::clone(watched), Arc::clone(&files))?;
            written.push((Arc::clone(watched), files));
        }
    }
    let all_looked = async {
        for looked in looked {
            let _ = looked.await;
        }
    };
    tokio::pin!(end);
    let interrupted = tokio::select! {
        () = all_looked => false,
        () = &mut end => true,
    };
    if !interrupted {
        let serving = listener
            .map(|listener| tokio::spawn(listen::serve(listener, desk::router(sites.clone()), ended, FAREWELL)));
        // Whoever waits for readiness finds the reports.
        for (watched, files) in &written {
            write_first(watched, &mut lock(files))?;
        }
        ready(address);
        end.await;
        told_end.send_replace(true);
        if let Some(serving) = serving {
            let _ = serving.await;
        }
    }
    ending.store(true, Ordering::Relaxed);
    crew.end().await;
    for watched in &sites {
        watched.save()?;
    }
    Ok(())
}

/// Looks once at everything, reads what changed, and writes the report where one is to be written.
pub async fn once(order: Order) -> Result<Vec<Looked>, WatchError> {
    let sites = open(&order)?;
    let mut all = Vec::new();
    for watched in &sites {
        let before = watched.book().last;
        match &watched.site.source {
            Source::Folder(root) => {
                let (watched, root, rescan) = (Arc::clone(watched), root.clone(), order.rescan);
                let work = tokio::task::spawn_blocking(move || {
                    let never = Arc::new(AtomicBool::new(false));
                    Folder::new(Arc::clone(&watched), root.clone(), rescan, never).look_through();
                    let reader = FileReader::new(Arc::clone(&watched), root);
                    Keeper::new(Some(reader), Rush::default()).finish(&watched);
                });
                let _ = work.await;
            }
            Source::Sitemap(map) => {
                let fetcher = Fetcher::new(order.fetch.clone())?;
                Poll::new(Arc::clone(watched), fetcher, map.clone()).look().await;
                watched.book().rank();
            }
        }
        watched.looked();
        watched.save()?;
        let changes = watched.book().last - before;
        let flag = u8::from(watched.is_claimed());
        let report = watched.report(&Question::default(), flag);
        let report = report.unwrap_or_else(|_| watched.taken(&Question::default()));
        all.push(Looked { report, changes });
    }
    if let Way::File { report, .. } = &order.way {
        for watched in &sites {
            write_first(watched, &mut Files::new(report_of(report, &watched.site), None))?;
        }
    }
    Ok(all)
}

fn open(order: &Order) -> Result<Vec<Arc<Watched>>, WatchError> {
    check(&order.sites)?;
    if let Way::File { report, access_log } = &order.way
        && order.sites.len() > 1
    {
        if !report.to_string_lossy().contains(HOST) {
            return Err(WatchError::OneFile);
        }
        if access_log.is_some() {
            return Err(WatchError::OneLog);
        }
    }
    let open = |site: &Site| Ok(Arc::new(Watched::open(site.clone(), &order.state, order.reset)?));
    order.sites.iter().map(open).collect()
}

async fn listen(address: SocketAddr) -> Result<TcpListener, WatchError> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => WatchError::InUse(address),
        _ => WatchError::Listen(address, error),
    })
}

/// The report of one site.
fn report_of(report: &std::path::Path, site: &Site) -> PathBuf {
    PathBuf::from(report.to_string_lossy().replace(HOST, site.url.host_str()))
}

fn write_first(watched: &Watched, files: &mut Files) -> Result<(), WatchError> {
    files.write_all(watched).map_err(|error| WatchError::Report(files.report().to_owned(), error))
}

/// Those who do the work.
struct Crew {
    threads: Vec<JoinHandle<()>>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
    ending: Arc<AtomicBool>,
}

impl Crew {
    /// Starts watching a site; gives who tells of its first look.
    fn start(&mut self, watched: Arc<Watched>, order: &Order) -> Result<oneshot::Receiver<()>, WatchError> {
        let (looked, told) = oneshot::channel();
        let (rush, rescan, poll) = (order.rush, order.rescan, order.poll);
        match watched.site.source.clone() {
            Source::Folder(root) => {
                let reader = FileReader::new(Arc::clone(&watched), root.clone());
                self.keep(Arc::clone(&watched), Keeper::new(Some(reader), rush))?;
                let ending = Arc::clone(&self.ending);
                self.thread(move || {
                    let mut folder = Folder::new(Arc::clone(&watched), root, rescan, Arc::clone(&ending));
                    folder.look_through();
                    watched.looked();
                    let _ = looked.send(());
                    while !ending.load(Ordering::Relaxed) {
                        folder.step(PATIENCE);
                    }
                })?;
            }
            Source::Sitemap(map) => {
                self.keep(Arc::clone(&watched), Keeper::new(None, rush))?;
                let fetcher = Fetcher::new(order.fetch.clone())?;
                let ending = Arc::clone(&self.ending);
                self.tasks.push(tokio::spawn(async move {
                    let mut site = Poll::new(Arc::clone(&watched), fetcher, map);
                    let mut looked = Some(looked);
                    while !ending.load(Ordering::Relaxed) {
                        let begun = Instant::now();
                        site.look().await;
                        watched.looked();
                        looked.take().map(|looked| looked.send(()));
                        let mut turns = 0;
                        while begun.elapsed() < poll && !rush.now() && site.read_one(&mut turns).await {}
                        tokio::time::sleep(poll.saturating_sub(begun.elapsed())).await;
                    }
                }));
            }
        }
        Ok(told)
    }

    fn keep(&mut self, watched: Arc<Watched>, mut keeper: Keeper) -> Result<(), WatchError> {
        let ending = Arc::clone(&self.ending);
        self.thread(move || {
            // The first look is quick when nobody reads beside it.
            while watched.is_first_look() && !ending.load(Ordering::Relaxed) {
                std::thread::sleep(PATIENCE / 10);
            }
            // So that a kill from now on costs no more than what it interrupts.
            keeper.save(&watched);
            while !ending.load(Ordering::Relaxed) {
                let pause = keeper.step(&watched);
                std::thread::sleep(pause.min(PATIENCE));
            }
        })
    }

    fn write(&mut self, watched: Arc<Watched>, files: Arc<Mutex<Files>>) -> Result<(), WatchError> {
        let ending = Arc::clone(&self.ending);
        self.thread(move || {
            let mut failing = false;
            while !ending.load(Ordering::Relaxed) {
                std::thread::sleep(PATIENCE / 2);
                if watched.is_first_look() {
                    continue;
                }
                let step = lock(&files).step(&watched);
                match step {
                    Ok(()) => failing = false,
                    Err(error) if !failing => {
                        tracing::error!("the report cannot be written: {error}; it is tried again");
                        failing = true;
                    }
                    Err(_) => {}
                }
            }
        })
    }

    fn thread(&mut self, work: impl FnOnce() + Send + 'static) -> Result<(), WatchError> {
        let thread = std::thread::Builder::new().name("watch".into()).spawn(work).map_err(WatchError::Thread)?;
        self.threads.push(thread);
        Ok(())
    }

    async fn end(self) {
        for task in self.tasks {
            task.abort();
        }
        let threads = self.threads;
        let joined = tokio::task::spawn_blocking(move || {
            for thread in threads {
                let _ = thread.join();
            }
        });
        let _ = joined.await;
    }
}
