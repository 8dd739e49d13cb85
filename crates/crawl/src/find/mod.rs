//! Pictures for a question, now [002 §3].
//!
//! [`find`] asks sources for start pages, reads them and the pages of their sites that have the words, looks at
//! the first bytes of pictures, and scores them by how near the words are, all at once over many hosts and
//! politely with each. A [`Finding`] tells what was found so far, the best first; after its time it is over, and
//! still fetches thumbnails of what is looked at, and puts what is kept into the library. Nothing else is kept.
//!
//! - `asked`: the query; `reading`: what a page gives; `board`: what was found, in order.
//! - `hosts`: what waits for whom, and when it may be asked; `flight`: one request; `engine`: the loop;
//!   `wishes`: what those who look at it ask for.
//! - `model`: the page that others are to be like; `keep`: from here to the library.

mod asked;
mod board;
mod engine;
mod error;
mod flight;
mod hosts;
mod keep;
mod model;
mod reading;
mod settings;
mod summary;
mod wishes;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use facts::MediaId;
use fetch::Fetcher;
use media::Preset;
use sources::{Means, Mix, build};
use store::{Blocked, Library, Store};
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinSet;

use self::board::Board;
use self::engine::{Engine, Rules};
use self::flight::Flights;
use self::hosts::Hosts;
use self::keep::Keeper;
use self::model::Model;
use self::reading::Looked;
use crate::engine::fetch_settings;
use crate::settings::Reach;
use crate::stop::Stop;

pub use self::asked::Asked;
pub use self::board::{FindImages, FindProgress, FindResult};
pub use self::error::FindError;
pub use self::keep::STRATEGY as FIND_STRATEGY;
pub use self::reading::score_page;
pub use self::settings::{FindSettings, LONGEST_DELAY, LONGEST_TIME, MOST_IN_FLIGHT, SHORTEST_TIME};
pub use self::summary::FindSummary;

/// Orders that wait.
const ORDERS: usize = 64;
/// How long the page that others are to be like may take to come, its site's rules and redirects included.
const MODEL_TIME: Duration = Duration::from_secs(10);

/// What a find works with.
#[derive(Clone, Default)]
pub struct FindMeans {
    /// Where what is kept goes, and whose clocks of hosts are looked at.
    pub store: Option<Arc<Store>>,
    /// What the own index is, without a store to write to.
    pub library: Option<Arc<dyn Library>>,
    /// How this machine reaches hosts.
    pub reach: Reach,
}

/// A find at work, or over. It ends when the last handle of it is dropped.
#[derive(Clone)]
pub struct Finding {
    shared: Arc<Shared>,
    orders: mpsc::Sender<Order>,
}

/// What someone who looks at a find wants.
enum Order {
    Thumbnail(u32, oneshot::Sender<Option<Arc<[u8]>>>),
    Keep(Vec<u32>, oneshot::Sender<Vec<(u32, Result<MediaId, String>)>>),
}

struct Shared {
    asked: Asked,
    settings: FindSettings,
    board: Mutex<Board>,
    /// Counts changes.
    version: watch::Sender<u64>,
    /// Since when it is over.
    over: watch::Sender<Option<Instant>>,
    cpu: Arc<Semaphore>,
    cores: usize,
}

impl Shared {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    fn finished(&self) {
        // Before the change is told: who hears of it and looks must see that it is over.
        self.over.send_replace(Some(Instant::now()));
        self.changed();
    }
}

/// Begins a find. It is over when its time is, when it is stopped, or when nothing is left to ask for.
pub async fn find(asked: Asked, settings: FindSettings, means: FindMeans, stop: Stop) -> Result<Finding, FindError> {
    settings.check().map_err(FindError::Settings)?;
    let started = Instant::now();
    let fetch = fetch_settings(&means.reach, HashSet::new(), settings.contact.clone());
    let quick = fetch::Settings {
        connect_timeout: settings.timeout,
        header_timeout: settings.timeout,
        idle_timeout: settings.timeout,
        queue_timeout: settings.timeout,
        total_timeout: (settings.timeout * 5).max(Duration::from_secs(10)),
        ..fetch.clone()
    };
    let fetcher =
        |settings: fetch::Settings| Fetcher::new(settings).map_err(|error| FindError::Fetch(error.to_string()));
    let (fetcher, patient) = (fetcher(quick)?, fetcher(fetch.clone())?);
    let library = means.library.clone().or_else(|| means.store.as_ref().map(|store| Arc::clone(store.library())));
    let blocked = match &library {
        Some(library) => library.forgotten().await?,
        None => Blocked::default(),
    };
    let mut named = settings.sources.clone();
    // What is named on the command line may be here, when that is allowed.
    named.iter_mut().for_each(|source| source.private |= means.reach.allow_private);
    let sources = build(&named, Means { fetch, library }).map_err(FindError::Settings)?;
    let keeper = match &means.store {
        Some(store) => Some(Arc::new(Keeper::new(Arc::clone(store), &asked.text).await?)),
        None => None,
    };
    let delay = settings.delay;
    let manners = fetch::Manners {
        delay,
        back_off: (delay * 5).clamp(Duration::from_millis(100), Duration::from_secs(10)),
        ..fetch::Manners::default()
    };
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let cpu = Arc::new(Semaphore::new(cores));
    let flights = Flights {
        fetcher,
        patient,
        frontier: means.store.as_ref().map(|store| Arc::clone(store.frontier())),
        keeper: keeper.clone(),
        manners,
        rules: Preset::Query.rules(),
        cpu: Arc::clone(&cpu),
    };
    let model = match &asked.related {
        Some(url) if blocked.address(url) => {
            return Err(FindError::Query(format!("related:{url} was forgotten, and is not asked for")));
        }
        Some(url) => {
            let read = tokio::time::timeout(settings.time.min(MODEL_TIME), Model::read(&flights, url)).await;
            let read = read.unwrap_or_else(|_| Err("it takes too long to come".to_owned()));
            Some(read.map_err(|why| FindError::Query(format!("related:{url} cannot be read: {why}")))?)
        }
        None => None,
    };
    let page = model.as_ref().map(|model| &model.page);
    let sought = asked.sought(page).ok_or_else(|| {
        FindError::Query("that page has no title to look for: add a word that says what the pictures show".into())
    })?;
    let mix = Mix::new(sources, asked.question(page), settings.source_timeout);
    let (mut hosts, mut rules) = (Hosts::new(), HashMap::new());
    let like = model.map(|model| {
        model.rests.into_iter().for_each(|(host, until)| hosts.rest(&host, until));
        rules.extend(model.robots.into_iter().map(|(origin, robots)| (origin, Rules::of(robots))));
        model.like
    });
    let mut board = Board::new();
    board.progress.seconds = settings.time.as_secs_f64();
    board.progress.sources = mix.states().to_vec();
    let shared = Arc::new(Shared {
        asked: asked.clone(),
        board: Mutex::new(board),
        version: watch::Sender::new(0),
        over: watch::Sender::new(None),
        cpu,
        cores,
        settings,
    });
    let (sender, orders) = mpsc::channel(ORDERS);
    let looked = Looked::new(asked, sought, like, shared.settings.anchor_rule, shared.settings.picture_words);
    let engine = Engine {
        shared: Arc::clone(&shared),
        flights: Arc::new(flights),
        looked: Arc::new(looked),
        mix,
        orders,
        stop,
        keeper,
        blocked,
        hosts,
        rules,
        known: HashSet::new(),
        air: JoinSet::new(),
        reading: JoinSet::new(),
        started,
        small: 0,
        seen: 0,
        waiting: HashMap::new(),
    };
    tokio::spawn(engine.work());
    Ok(Finding::new(shared, sender))
}

impl Finding {
    /// What was asked.
    pub fn asked(&self) -> &Asked {
        &self.shared.asked
    }

    /// How it is doing.
    pub fn progress(&self) -> FindProgress {
        self.shared.board().progress.clone()
    }

    /// Results from this place on, the best first.
    pub fn results(&self, from: usize, most: usize) -> Vec<FindResult> {
        self.shared.board().results(from, most)
    }

    /// The first so many: numbers and scores.
    pub fn order(&self, most: usize) -> Vec<(u32, f32)> {
        self.shared.board().order().iter().take(most).copied().collect()
    }

    /// Hears of changes.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.version.subscribe()
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.over_since().is_some()
    }

    /// Since when it is over, if it is.
    pub fn over_since(&self) -> Option<Instant> {
        *self.shared.over.borrow()
    }

    /// Waits until it is over.
    pub async fn over(&self) {
        let _ = self.shared.over.subscribe().wait_for(Option::is_some).await;
    }

    /// What it came to, or comes to so far.
    pub fn summary(&self) -> FindSummary {
        FindSummary::of(&self.shared.asked, &self.progress())
    }

    /// A picture in small, fetched when it is not here; nothing when it cannot be had.
    pub async fn thumbnail(&self, id: u32) -> Option<Arc<[u8]>> {
        let (sender, receiver) = oneshot::channel();
        self.orders.send(Order::Thumbnail(id, sender)).await.ok()?;
        receiver.await.ok().flatten()
    }

    /// Puts pictures into the library; gives the item of each, or why it is none.
    pub async fn keep(&self, ids: Vec<u32>) -> Result<Vec<(u32, Result<MediaId, String>)>, FindError> {
        let (sender, receiver) = oneshot::channel();
        self.orders.send(Order::Keep(ids, sender)).await.map_err(|_| FindError::Over)?;
        receiver.await.map_err(|_| FindError::Over)
    }
}
