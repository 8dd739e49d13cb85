//! The loop that keeps requests in flight, and the reasons to end it.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use facts::{Branch, HostName, Url};
use fetch::Fetcher;
use serde::Serialize;
use store::{
    Beat, Claim, ClaimLimit, Claims, Crawl, CrawlId, Figures, FrontierFigures, Link, LinkContext, Outcome, Rest, Run,
    RunId, RunPages, Store, StoreError, Version, VisitKind, Visited,
};
use strategy::{Criteria, Strategy, Told};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{Id, JoinSet};

use crate::backlog::{Backlog, Underway};
use crate::commit::{Committed, Hunger, committer};
use crate::content::Contents;
use crate::describe::{Describer, describe_unless_others_do};
use crate::error::CrawlError;
use crate::find::FIND_STRATEGY;
use crate::holds::Holds;
use crate::lexicon::Lexicon;
use crate::links::{Guide, Hops};
use crate::origin::Origins;
use crate::places::Interest;
use crate::rendering::Rendering;
use crate::revisit::{Policy, queue_due};
use crate::settings::{Reach, Settings};
use crate::sites::Sites;
use crate::start::{reachable_seeds, start_pages, unless_stopped};
use crate::steps::{Steps, Work, peak_memory};
use crate::stop::Stop;
use crate::summary::Summary;
use crate::visit::{Ending, Visitor};

/// How often limits are checked and progress is told.
const TICK: Duration = Duration::from_millis(500);
/// How often it is written down, over all who work on a run, how far it is.
const BEATS: Duration = Duration::from_secs(1);
/// Visits that may wait for the next of their requests, for each that may be in flight.
const RESTING_PER_SLOT: usize = 16;
/// How often what a strategy has learnt is written down.
const SAVE_EVERY: Duration = Duration::from_secs(30);
/// How often what others learnt is taken in before it waits for the next time.
const MEETINGS: usize = 4;
/// After a stop, how long requests in flight may take to land.
const GRACE: Duration = Duration::from_secs(5);

/// How a run is doing.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Progress {
    /// Counted by the store.
    pub figures: Figures,
    /// The queue.
    pub frontier: FrontierFigures,
    /// Requests in flight.
    pub in_flight: usize,
    /// Time at work.
    pub seconds: f64,
}

/// Works on the crawl `name` until something ends it. A run that was killed or interrupted is
/// gone on with; after a finished one a new run starts from the best that waits.
pub async fn run(
    store: Arc<Store>,
    name: &str,
    settings: Settings,
    reach: Reach,
    stop: Stop,
    progress: watch::Sender<Progress>,
) -> Result<Summary, CrawlError> {
    work_on(store, name, settings, None, reach, stop, progress).await
}

/// Works on a run that others began in a shared database, beside them, until something ends it.
pub async fn join(
    store: Arc<Store>,
    crawl: Crawl,
    run: Run,
    reach: Reach,
    stop: Stop,
    progress: watch::Sender<Progress>,
) -> Result<Summary, CrawlError> {
    let settings = serde_json::from_value(crawl.settings.clone())
        .map_err(|error| CrawlError::Settings(crawl.name.clone(), error.to_string()))?;
    let name = crawl.name.clone();
    work_on(store, &name, settings, Some((crawl, run)), reach, stop, progress).await
}

/// What others are told that this process does, until it does not any more.
#[derive(Default)]
struct Present(Mutex<(Option<CrawlId>, Option<RunId>)>);

impl Present {
    /// It fills the queue of a crawl, or does not any more.
    async fn fill(&self, store: &Store, crawl: CrawlId, fills: bool) -> Result<(), StoreError> {
        self.known().0 = fills.then_some(crawl);
        store.fill(crawl, fills).await
    }

    /// It works on a run.
    async fn attend(&self, store: &Store, run: RunId) -> Result<(), StoreError> {
        self.known().1 = Some(run);
        store.attend(run).await
    }

    /// What ended with an error does nothing any more: others would wait for it as long as this process lives.
    async fn take_back(&self, store: &Store) -> Result<(), StoreError> {
        let (fills, attends) = std::mem::take(&mut *self.known());
        if let Some(crawl) = fills {
            store.fill(crawl, false).await?;
        }
        match attends {
            Some(run) => store.leave(run).await.map(drop),
            None => Ok(()),
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, (Option<CrawlId>, Option<RunId>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn work_on(
    store: Arc<Store>,
    name: &str,
    settings: Settings,
    joined: Option<(Crawl, Run)>,
    reach: Reach,
    stop: Stop,
    progress: watch::Sender<Progress>,
) -> Result<Summary, CrawlError> {
    let others_know = Present::default();
    let worked = work_as_told(Arc::clone(&store), name, settings, joined, reach, stop, progress, &others_know).await;
    if worked.is_err()
        && let Err(error) = others_know.take_back(&store).await
    {
        tracing::warn!("others were not told that this process works on crawl '{name}' no more: {error}");
    }
    worked
}

#[expect(clippy::too_many_arguments, reason = "one caller, which hands them on")]
async fn work_as_told(
    store: Arc<Store>,
    name: &str,
    mut settings: Settings,
    joined: Option<(Crawl, Run)>,
    reach: Reach,
    stop: Stop,
    progress: watch::Sender<Progress>,
    others_know: &Present,
) -> Result<Summary, CrawlError> {
    if settings.strategy == FIND_STRATEGY {
        return Err(CrawlError::Find(name.to_owned()));
    }
    if !strategy::NAMES.contains(&settings.strategy.as_str()) {
        return Err(CrawlError::Strategy(settings.strategy));
    }
    let criteria = settings.criteria()?;
    let interest = Interest::of(&settings)?;
    let taught = taught(&store, &settings).await?;
    let known = match store.library().crawl(name).await? {
        // Whoever began it saw to its start pages.
        Some(_) if joined.is_some() => 1,
        Some(crawl) => store.frontier().figures(crawl.id).await?.known_pages,
        None => 0,
    };
    if known == 0 && settings.seeds.is_empty() {
        settings.seeds = unless_stopped(&stop, start_pages(&store, &settings, &interest, &reach)).await??;
    }
    let filter = strategy::Filter::new(&settings.filter(), &settings.seeds)?;
    let manners = settings.manners();
    let seed_hosts = settings.seeds.iter().map(Url::host).collect();
    let browser = render::Settings { page_time: settings.limits.max_render, ..reach.browser.clone() };
    let rendering = Rendering::new(settings.render, browser)?;
    let mut fetch = fetch_settings(&reach, seed_hosts, settings.manners.contact.clone());
    // Of the files that may be open, a quarter each is for requests, for connections that wait for the
    // next one, and for the queue; the rest is for what is read and written.
    let share = usize::try_from(store::most_open_files() / 4).unwrap_or(usize::MAX).max(1);
    fetch.idle_connections = fetch.idle_connections.min(share);
    let fetcher = Fetcher::new(fetch.within(settings.limits.max_answer))?;

    let seeds = if joined.is_some() { &[][..] } else { &settings.seeds };
    let (reachable, unreachable) = unless_stopped(&stop, reachable_seeds(&fetcher, seeds)).await?;
    if known == 0 && reachable.is_empty() {
        let nothing = unreachable.is_empty();
        return Err(if nothing { CrawlError::NoSeeds } else { CrawlError::Unreachable(unreachable) });
    }
    for (seed, why) in &unreachable {
        tracing::warn!("{seed}: {why}");
    }
    let (crawl, joined) = match joined {
        Some((crawl, run)) => (crawl, Some(run)),
        None => {
            let stored = serde_json::to_value(&settings).unwrap_or_default();
            (store.library().save_crawl(name, &stored).await?, None)
        }
    };
    // Not written down: the next start may be allowed more.
    settings.concurrency = settings.concurrency.min(share);
    let common =
        Common { model: store.library().model(crawl.id).await?, lexicon: store.library().lexicon(crawl.id).await? };
    let strategy = strategy_of(&crawl, &settings, (&interest, criteria), (common.model.clone(), taught))?;
    let lexicon = Lexicon::restored(common.lexicon.clone());
    let starts = store.library().starts(crawl.id).await?;
    starts.iter().for_each(|start| filter.widen(&start.url));
    let failed = |seed: &Url| starts.iter().any(|start| start.failed && start.url.id() == seed.id());
    let seeds = reachable.iter().map(|seed| seed_link(seed, strategy.seed(), failed(seed))).collect();
    store.frontier().add(crawl.id, seeds, settings.budgets.into()).await?;
    let started = store.frontier().now().await?;
    let joins = joined.is_some();
    if !joins {
        // Whoever joins the run as soon as it begins waits for what is due.
        others_know.fill(&store, crawl.id, true).await?;
    }
    let run = match joined {
        Some(run) => run,
        None => store.library().start_run(crawl.id, settings.run_limits(), settings.task_pages).await?,
    };
    others_know.attend(&store, run.id).await?;
    let figures = store.library().figures(crawl.id, Some(run.id)).await?;

    let blocked = store.library().forgotten().await?;
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let (cpu, filter) = (Arc::new(Semaphore::new(cores)), Arc::new(filter));
    let steps = Arc::new(Steps::default());
    let holds = Arc::new(Holds::new(Arc::clone(&store), manners, blocked.clone()));
    let contents = Contents::new(
        Arc::clone(&store),
        Arc::clone(&filter),
        &settings,
        &blocked,
        Arc::clone(&cpu),
        Arc::clone(&steps),
    );
    let heeds = settings.revisit.policy == Policy::Watcher;
    // The two moments are read from two clocks.
    let resumed = started.since(run.started) > Duration::from_secs(1);
    // What an origin failed to say to others who work on the run is not asked for again.
    let asked_since = if joins { run.started } else { started };
    let sites = Arc::new(Sites::new(Arc::clone(&store), crawl.id, run.started, resumed, heeds));
    let guide = Arc::new(Guide {
        strategy,
        filter,
        rules: Arc::clone(&contents.rules),
        blocked,
        sites: Arc::clone(&sites),
        interest,
        lexicon,
        steps: Arc::clone(&steps),
    });
    if !joins {
        let due = queue_due(&store, &crawl, &run, settings.revisit, &guide, settings.budgets.into(), &stop).await;
        others_know.fill(&store, crawl.id, false).await?;
        due?;
    }
    let batch = if settings.concurrency == 1 { 1 } else { usize::MAX };
    let hunger = Arc::new(Hunger::default());
    let (commits, committed, committer) = committer(
        Arc::clone(&store),
        crawl.id,
        run.id,
        (settings.budgets.into(), batch),
        Arc::clone(&hunger),
        Arc::clone(&steps),
    );
    let origins =
        Origins::new(Arc::clone(&store), Arc::clone(&holds), fetcher.clone(), manners, settings.tries, asked_since);
    let engine = Engine {
        pages: figures.pages_asked(),
        bytes_elsewhere: 0,
        bytes: figures.bytes,
        before: Duration::from_secs_f64(run.seconds.max(0.0)),
        started: Instant::now(),
        visitor: Arc::new(Visitor {
            origins: Arc::new(origins),
            holds: Arc::clone(&holds),
            run_started: run.started,
            rendering,
            store: Arc::clone(&store),
            fetcher,
            manners,
            contents,
            sites,
            guide,
            settings: settings.clone(),
            hops: Hops::new(),
            cpu,
            huge: Semaphore::new(1),
            backlog: Backlog::new(),
            lines: Semaphore::new(settings.concurrency),
            rests: Arc::default(),
            strange: std::sync::Mutex::default(),
        }),
        store: Arc::clone(&store),
        run,
        settings,
        holds,
        flights: Flights::default(),
        uncommitted: VecDeque::new(),
        open_pages: 0,
        failed_seeds: Vec::new(),
        until_reached: false,
        saved: Instant::now(),
        common,
        steps,
        describer: Describer::start(store),
        hunger,
        commits,
        committed,
        stop,
        progress,
    };
    engine.work(name, committer).await
}

struct Engine {
    visitor: Arc<Visitor>,
    store: Arc<Store>,
    run: Run,
    settings: Settings,
    /// Pages of the run that are committed.
    pages: u64,
    bytes: u64,
    /// Bytes of others who work on the run, as far as is known.
    bytes_elsewhere: u64,
    /// Time at work before this start.
    before: Duration,
    started: Instant,
    holds: Arc<Holds>,
    flights: Flights,
    /// The claims whose visits were handed to the committer, which takes them in order, and are not yet safe.
    uncommitted: VecDeque<u64>,
    /// Page claims not yet safe.
    open_pages: usize,
    failed_seeds: Vec<(Url, String)>,
    until_reached: bool,
    /// When what was learnt was last written down.
    saved: Instant,
    common: Common,
    steps: Arc<Steps>,
    describer: Describer,
    hunger: Arc<Hunger>,
    commits: mpsc::Sender<Underway>,
    committed: mpsc::UnboundedReceiver<Committed>,
    stop: Stop,
    progress: watch::Sender<Progress>,
}

/// What this process and others who work on the same crawl had learnt in common last.
struct Common {
    model: Option<Vec<u8>>,
    lexicon: Option<Vec<u8>>,
}

/// Why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    MaxPages,
    MaxTime,
    MaxBytes,
    Empty,
    Resting,
    Until,
    Disk,
    Stopped,
    Interrupted,
    /// Others who work on it ended it, or someone told them to.
    Elsewhere,
}

impl End {
    fn as_str(self) -> &'static str {
        match self {
            Self::MaxPages => "max-pages",
            Self::MaxTime => "max-time",
            Self::MaxBytes => "max-bytes",
            Self::Empty => "empty",
            Self::Resting => "resting",
            Self::Until => "until",
            Self::Disk => "disk",
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::Elsewhere => "elsewhere",
        }
    }
}

impl End {
    /// Whether what came in last may still be looked at: nobody waits for the end.
    fn leaves_time(self) -> bool {
        !matches!(self, Self::MaxTime | Self::Disk | Self::Stopped | Self::Interrupted | Self::Elsewhere)
    }
}

/// Visits being made, each with the claim it answers, so that one that breaks loses nothing.
#[derive(Default)]
struct Flights {
    tasks: JoinSet<Result<Ending, StoreError>>,
    claims: std::collections::HashMap<Id, Claim>,
}

impl Flights {
    fn len(&self) -> usize {
        self.claims.len()
    }

    fn start(&mut self, visitor: &Arc<Visitor>, crawl: store::CrawlId, claim: Claim) {
        let (visitor, kept) = (Arc::clone(visitor), claim.clone());
        let task = self.tasks.spawn(async move { visitor.visit(claim, crawl).await });
        self.claims.insert(task.id(), kept);
    }

    /// The next visit that ends: its claim, and how it ended (`None`: it broke).
    async fn land(&mut self) -> Option<(Claim, Option<Result<Ending, StoreError>>)> {
        let (id, ending) = match self.tasks.join_next_with_id().await? {
            Ok((id, ending)) => (id, Some(ending)),
            Err(broken) => (broken.id(), None),
        };
        self.claims.remove(&id).map(|claim| (claim, ending))
    }
}

impl Engine {
    async fn work(
        mut self,
        name: &str,
        committer: tokio::task::JoinHandle<Result<(), StoreError>>,
    ) -> Result<Summary, CrawlError> {
        let ended = self.keep_going().await;
        // Whatever ended it, what has landed is written before anything else is said.
        let landed = self.land_flights().await;
        let learnt = self.save_learnt().await;
        let Self {
            store,
            run,
            settings,
            holds,
            commits,
            mut committed,
            mut uncommitted,
            failed_seeds,
            before,
            started,
            progress,
            steps,
            describer,
            stop,
            ..
        } = self;
        drop(commits);
        let written = committer.await;
        while let Ok(done) = committed.try_recv() {
            uncommitted.drain(..done.visits).for_each(|claim| holds.is_done(claim));
        }
        // Others are not to wait for what did not land as long as this process lives.
        let given_back = holds.give_back(run.crawl).await;
        let described = describer.stop().await;
        let written = written.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()));
        let (end, ended) = match ended {
            Ok(end) => (end, None),
            Err(error) => (End::Interrupted, Some(error)),
        };
        if let Some(error) = cause([written.err(), landed.err(), learnt.err(), ended, given_back.err()]) {
            return Err(error.into());
        }
        let mut described = described?;
        let seconds = (before + started.elapsed()).as_secs_f64();
        let frontier = store.frontier().figures(run.crawl).await?;
        let beat =
            Beat { seconds, frontier: frontier.clone(), peak_memory: peak_memory(), steps: steps.since(&run.steps) };
        store.library().beat(run.id, &beat, Duration::ZERO).await?;
        let others = store.leave(run.id).await?;
        let known = store.library().run(run.id).await?.and_then(|run| run.stopped);
        let told = match end {
            // Others go on with it: a disk is full here alone.
            End::Interrupted | End::Disk if others > 0 => false,
            End::Elsewhere => false,
            _ => known.is_none(),
        };
        if told {
            let stopped = (end != End::Interrupted).then(|| end.as_str());
            store.library().end_run(run.id, seconds, stopped).await?;
        }
        // The run is over: what came in may take much longer to describe than it took to fetch.
        if end.leaves_time() {
            described.add(describe_unless_others_do(&store, &stop).await?);
        }
        let end = known.unwrap_or_else(|| end.as_str().to_owned());
        let figures = store.library().figures(run.crawl, Some(run.id)).await?;
        progress.send_replace(Progress { figures: figures.clone(), frontier: frontier.clone(), in_flight: 0, seconds });
        if figures.pages == 0 && figures.media.values().all(|media| media.kept == 0) && !failed_seeds.is_empty() {
            return Err(CrawlError::Unreachable(failed_seeds));
        }
        let near_copies = described.copies;
        Ok(Summary::new(name, &settings.strategy, figures, &frontier, near_copies, seconds, &end))
    }

    /// Claims and visits until there is a reason to end.
    async fn keep_going(&mut self) -> Result<End, StoreError> {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            if let Some(end) = self.limit_reached() {
                return Ok(end);
            }
            let claims = self.claim().await?;
            let idle = claims.claims.is_empty() && self.flights.len() == 0 && self.uncommitted.is_empty();
            let (next, busy) = (claims.next, claims.busy);
            for claim in claims.claims {
                self.open_pages += usize::from(claim.link.kind == VisitKind::Page);
                self.holds.claimed(&claim);
                self.flights.start(&self.visitor, self.run.crawl, claim);
            }
            if self.flights.len() == 0 && !self.uncommitted.is_empty() {
                self.hunger.waits();
            }
            let wait = match next {
                // Another crawl is with the hosts that are left.
                _ if idle && busy => TICK,
                Some(moment) => moment.since(self.store.frontier().now().await?),
                None if idle => return self.nothing_left().await,
                None => TICK,
            };
            if idle && wait > self.settings.longest_wait() {
                return self.nothing_left().await;
            }
            let steps = Arc::clone(&self.steps);
            let _waiting = (self.flights.len() == 0 && next.is_some()).then(|| steps.time(Work::Waiting));
            tokio::select! {
                Some((claim, ending)) = self.flights.land() => self.landed(claim, ending).await?,
                done = self.committed.recv() => match done {
                    Some(done) => self.safe(done),
                    // The writer ended with an error, which `work` reports.
                    None => return Ok(End::Interrupted),
                },
                // A host becomes free. The store keeps time in whole milliseconds: round up.
                () = tokio::time::sleep(wait + Duration::from_millis(1)), if self.free_slots() > 0 => {}
                () = self.visitor.rests.changed(), if self.free_slots() == 0 => {}
                () = self.stop.wait() => return Ok(self.stopped()),
                _ = ticks.tick() => if let Some(end) = self.tick().await? { return Ok(end) },
            }
        }
    }

    fn free_slots(&self) -> usize {
        let most = self.settings.concurrency;
        if most == 1 {
            // The next claim must see what the last visit found.
            return most.saturating_sub(self.flights.len() + self.uncommitted.len());
        }
        // A visit that waits for the next of its requests leaves its slot to others, within reason.
        let resting = self.visitor.rests.count().min(RESTING_PER_SLOT * most);
        most.saturating_sub(self.flights.len().saturating_sub(resting))
    }

    async fn claim(&mut self) -> Result<Claims, StoreError> {
        let any = self.free_slots();
        if any == 0 {
            self.hunger.set(false);
            return Ok(Claims::default());
        }
        let run = self.run.limits.pages.map(|most| RunPages { run: self.run.id, most });
        // What others have under way only the store knows: it counts for all who work on the run.
        let left = |run: RunPages| run.most.saturating_sub(self.pages + self.open_pages as u64);
        let pages = run.map_or(any, |run| left(run).min(any as u64) as usize);
        let claims = self
            .store
            .frontier()
            .claim(self.run.crawl, ClaimLimit { any, pages, run, delay: self.settings.manners.delay })
            .await?;
        self.hunger.set(claims.claims.len() < any);
        Ok(claims)
    }

    /// Nothing more can be claimed: because the pages are used up, because nothing waits, or
    /// because all that waits is of hosts that rest for long.
    async fn nothing_left(&self) -> Result<End, StoreError> {
        if let Some(limit) = self.run.limits.pages {
            let figures = self.store.library().figures(self.run.crawl, Some(self.run.id)).await?;
            if figures.pages_asked() >= limit {
                return Ok(End::MaxPages);
            }
        }
        let figures = self.store.frontier().figures(self.run.crawl).await?;
        Ok(if figures.queued_pages + figures.queued_media == 0 { End::Empty } else { End::Resting })
    }

    /// Limits are those of all who work on the run. What is written and not told here yet counts for others
    /// until it is.
    fn look_elsewhere(&mut self, figures: &Figures) {
        if self.store.is_shared() {
            self.bytes_elsewhere = figures.bytes.saturating_sub(self.bytes);
        }
    }

    fn limit_reached(&self) -> Option<End> {
        let limits = &self.run.limits;
        if self.stop.asked() {
            Some(self.stopped())
        } else if self.until_reached {
            Some(End::Until)
        } else if limits.seconds.is_some_and(|most| (self.before + self.started.elapsed()).as_secs() >= most) {
            Some(End::MaxTime)
        } else if limits.bytes.is_some_and(|most| self.bytes + self.bytes_elsewhere >= most) {
            Some(End::MaxBytes)
        } else {
            None
        }
    }

    /// How a run ends that was asked to.
    fn stopped(&self) -> End {
        if self.stop.is_over() { End::Stopped } else { End::Interrupted }
    }

    async fn landed(&mut self, claim: Claim, ending: Option<Result<Ending, StoreError>>) -> Result<(), StoreError> {
        let page = usize::from(claim.link.kind == VisitKind::Page);
        let (visited, room) = match ending {
            Some(Ok(Ending::Done(visited, room))) => (*visited, room),
            Some(Ok(Ending::PutBack)) => {
                self.open_pages -= page;
                return Ok(());
            }
            Some(Err(error)) => {
                self.open_pages -= page;
                return Err(error);
            }
            None => (self.broken(claim).await?, None),
        };
        self.note(&visited);
        tracing::info!("{}: {}", visited.claim.link.url, told(&visited.outcome));
        self.uncommitted.push_back(visited.claim.number);
        // The writer is gone only after an error: the loop sees that next, and ends.
        let _ = self.commits.send(Underway { visited, room }).await;
        Ok(())
    }

    /// A visit that panicked is a defect of ours; the crawl goes on without that address.
    async fn broken(&self, claim: Claim) -> Result<Visited, StoreError> {
        let at = self.store.frontier().now().await?;
        tracing::error!(url = %claim.link.url, "a visit broke; the address is left out");
        let rest = Rest { until: at + self.settings.manners.delay, ..Rest::default() };
        self.holds.release(&claim.link.url.host(), claim.taking, rest).await?;
        let outcome = Outcome::Failed { reason: "internal".into(), detail: "the visit broke".into() };
        let version = Version::default();
        Ok(Visited { claim, at, took_ms: 0, bytes: 0, status: None, version, outcome, links: Vec::new() })
    }

    fn note(&mut self, visited: &Visited) {
        self.until_reached |= self.settings.until.as_ref().is_some_and(|until| until.id() == visited.claim.id);
        let link = &visited.claim.link;
        if let (VisitKind::Page, None, Outcome::Failed { detail, .. }) = (link.kind, link.parent, &visited.outcome) {
            self.failed_seeds.push((visited.claim.link.url.clone(), detail.clone()));
        }
    }

    fn safe(&mut self, done: Committed) {
        self.uncommitted.drain(..done.visits).for_each(|claim| self.holds.is_done(claim));
        self.open_pages -= done.page_claims;
        self.pages += done.recorded.pages;
        self.bytes += done.recorded.bytes;
        self.describer.arrived();
    }

    /// Tells how it is going; gives a reason to end that only a look around can find.
    async fn tick(&mut self) -> Result<Option<End>, StoreError> {
        let seconds = (self.before + self.started.elapsed()).as_secs_f64();
        let frontier = self.store.frontier().figures(self.run.crawl).await?;
        let steps = self.steps.since(&self.run.steps);
        let beat = Beat { seconds, frontier: frontier.clone(), peak_memory: peak_memory(), steps };
        self.store.library().beat(self.run.id, &beat, BEATS).await?;
        let figures = self.store.library().figures(self.run.crawl, Some(self.run.id)).await?;
        self.look_elsewhere(&figures);
        self.progress.send_replace(Progress { figures, frontier, in_flight: self.flights.len(), seconds });
        if self.store.is_shared() {
            self.store.library().look_for_forgotten().await?;
            let run = self.store.library().run(self.run.id).await?;
            if run.is_none_or(|run| run.stopped.is_some() || run.ended.is_some()) {
                return Ok(Some(End::Elsewhere));
            }
        }
        if self.saved.elapsed() >= SAVE_EVERY {
            self.save_learnt().await?;
        }
        if self.store.free_disk().is_some_and(|free| free < self.settings.limits.min_free_disk) {
            return Ok(Some(End::Disk));
        }
        Ok(None)
    }

    /// Writes down what the strategy and the lexicon have learnt, so that a kill loses at most what came
    /// since.
    async fn save_learnt(&mut self) -> Result<(), StoreError> {
        self.saved = Instant::now();
        if self.store.is_shared() {
            return self.meet_others().await;
        }
        let guide = Arc::clone(&self.visitor.guide);
        let learnt = tokio::task::spawn_blocking(move || (guide.strategy.learnt(), guide.lexicon.saved())).await;
        let (model, lexicon) = learnt.unwrap_or_default();
        let library = self.store.library();
        if let Some(model) = model {
            library.save_model(self.run.crawl, model).await?;
        }
        if let Some(lexicon) = lexicon {
            library.save_lexicon(self.run.crawl, lexicon).await?;
        }
        Ok(())
    }

    /// Takes in what others learnt who work on the same crawl, and writes down all of it together. What
    /// does not succeed because others write at the same moment is done the next time.
    async fn meet_others(&mut self) -> Result<(), StoreError> {
        let (library, crawl) = (Arc::clone(self.store.library()), self.run.crawl);
        for _ in 0..MEETINGS {
            let (theirs, base) = (library.model(crawl).await?, self.common.model.clone());
            let (guide, known) = (Arc::clone(&self.visitor.guide), theirs.clone());
            let met = tokio::task::spawn_blocking(move || match &known {
                // What others wrote and does not read is written anew.
                Some(theirs) => {
                    guide.strategy.meet(base.as_deref(), theirs).unwrap_or_else(|_| guide.strategy.learnt())
                }
                None => guide.strategy.learnt(),
            });
            let Some(met) = met.await.unwrap_or_default() else { break };
            // What was learnt here since is what is not theirs.
            self.common.model = theirs.clone();
            if library.swap_model(crawl, theirs, met.clone()).await? {
                self.common.model = Some(met);
                break;
            }
        }
        for _ in 0..MEETINGS {
            let (theirs, base) = (library.lexicon(crawl).await?, self.common.lexicon.clone());
            let (guide, known) = (Arc::clone(&self.visitor.guide), theirs.clone());
            let met = tokio::task::spawn_blocking(move || match &known {
                Some(theirs) => guide.lexicon.meet(base.as_deref(), theirs),
                None => guide.lexicon.saved(),
            });
            let Some(met) = met.await.unwrap_or_default() else { break };
            self.common.lexicon = theirs.clone();
            if library.swap_lexicon(crawl, theirs, met.clone()).await? {
                self.common.lexicon = Some(met);
                break;
            }
        }
        Ok(())
    }

    /// Lets what is in flight land, for a while; what does not is broken off, and stays in the queue.
    async fn land_flights(&mut self) -> Result<(), StoreError> {
        let deadline = tokio::time::Instant::now() + GRACE;
        let mut landed = Ok(());
        while landed.is_ok() && self.flights.len() > 0 {
            match tokio::time::timeout_at(deadline, self.flights.land()).await {
                Ok(Some((claim, ending))) => landed = self.landed(claim, ending).await,
                Ok(None) | Err(_) => break,
            }
        }
        self.flights.tasks.shutdown().await;
        landed
    }
}

/// How bytes are fetched; `hosts` are those that private addresses are admitted for, if for any.
pub fn fetch_settings(reach: &Reach, hosts: HashSet<HostName>, contact: Option<String>) -> fetch::Settings {
    fetch::Settings {
        contact,
        resolve: reach.resolve.clone(),
        private_hosts: if reach.allow_private { hosts } else { HashSet::new() },
        extra_roots: reach.ca.clone(),
        own_listeners: reach.own_listeners.clone(),
        ..fetch::Settings::default()
    }
}

/// What the crawl named as a teacher has learnt.
async fn taught(store: &Store, settings: &Settings) -> Result<Option<Vec<u8>>, CrawlError> {
    let Some(name) = &settings.model else { return Ok(None) };
    let model = match store.library().crawl(name).await? {
        Some(crawl) => store.library().model(crawl.id).await?,
        None => None,
    };
    model.map(Some).ok_or_else(|| CrawlError::NoModel(name.clone()))
}

/// The strategy, with what it learnt before in this crawl, or else what another crawl did.
fn strategy_of(
    crawl: &Crawl,
    settings: &Settings,
    (interest, criteria): (&Interest, Criteria),
    (resumed, taught): (Option<Vec<u8>>, Option<Vec<u8>>),
) -> Result<Box<dyn Strategy>, CrawlError> {
    let told = Told {
        region: interest.vocabulary(),
        depth: settings.prediction_depth as usize,
        prior: settings.prior,
        criteria,
        weighting: settings.weighted,
        resumed,
        taught,
    };
    let other = settings.model.clone().filter(|_| told.resumed.is_none());
    let teacher = other.unwrap_or_else(|| crawl.name.clone());
    let strategy = strategy::told(&settings.strategy, told).map_err(|bad| CrawlError::Model(teacher, bad))?;
    strategy.ok_or_else(|| CrawlError::Strategy(settings.strategy.clone()))
}

/// A seed that failed before is tried again when it is named again.
fn seed_link(seed: &Url, order: facts::Order, reopen: bool) -> Link {
    Link {
        url: seed.clone(),
        kind: VisitKind::Page,
        order,
        depth: 0,
        branch: Branch::default(),
        parent: None,
        referer: None,
        context: LinkContext::default(),
        hops: Vec::new(),
        reopen,
    }
}

/// Of several failures the first that says why: one that finds the store stopped met what another left.
fn cause(failures: [Option<StoreError>; 5]) -> Option<StoreError> {
    let (told, stopped): (Vec<_>, Vec<_>) =
        failures.into_iter().flatten().partition(|error| !matches!(error, StoreError::Stopped { .. }));
    told.into_iter().chain(stopped).next()
}

/// Whether there is as much room here as a crawl wants to leave free. Who has none does not join it.
pub fn has_room(store: &Store, crawl: &Crawl) -> bool {
    let settings = serde_json::from_value::<Settings>(crawl.settings.clone());
    let least = settings.map_or(0, |settings| settings.limits.min_free_disk);
    store.free_disk().is_none_or(|free| free >= least)
}

/// A visit in a word or two, for the log.
fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Page(page) => format!("page, {} media named", page.media.len()),
        Outcome::Report(facts) => facts.detail.clone(),
        Outcome::Unchanged => "unchanged".into(),
        Outcome::Media(file) => format!("kept as {} ({} bytes)", file.facts.format.name, file.size),
        Outcome::Redirect(target) => format!("leads to {target}"),
        Outcome::Refused(refused) => format!("not kept: {}", refused.reason),
        Outcome::Failed { detail, .. } => detail.clone(),
    }
}
