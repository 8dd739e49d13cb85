//! The loop of a find: start pages, pages of the same site, pictures, until the time is over.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use facts::{HostName, Origin, Url};
use fetch::{Answer, Robots, Tdm};
use sources::{Mix, Start};
use store::{Blocked, OriginFile};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use super::board::{Added, Board, Thumbnail};
use super::flight::{
    Body, Done, FetchTask, Flights, HOPS, Landed, Look, LookTask, PageTask, Said, Task, Trouble, failed,
};
use super::hosts::{Hosts, Line};
use super::keep::Keeper;
use super::reading::{Looked, Reading, Unread, read};
use super::{Finding, Order, Shared};
use crate::stop::Stop;

/// A find that ends so shortly before its time has used it.
const TOO_LATE: Duration = Duration::from_secs(1);
/// How often what was found is sorted and told.
const TICK: Duration = Duration::from_millis(250);
/// Pages that wait to be read, for each core: more are not asked for until some are.
const UNREAD: usize = 8;
/// Thumbnails that are fetched at the same time while the find runs.
const SMALL: usize = 16;
/// Until so many thumbnails are here, or for so long, what leads to one soonest goes first.
const FIRST_SEEN: usize = 12;
const WARMING_UP: Duration = Duration::from_secs(6);
/// Failures in a row after which a host is left alone.
const LOST: u32 = 3;
/// Tries for a robots.txt.
const TRIES: u32 = 2;
/// Addresses of pages that are remembered.
const KNOWN: usize = 500_000;

/// A find at work.
pub(super) struct Engine {
    pub shared: Arc<Shared>,
    pub flights: Arc<Flights>,
    pub looked: Arc<Looked>,
    pub mix: Mix,
    pub orders: mpsc::Receiver<Order>,
    pub stop: Stop,
    pub keeper: Option<Arc<Keeper>>,
    /// What was forgotten: it is not asked for again.
    pub blocked: Blocked,
    pub hosts: Hosts<Task>,
    pub rules: HashMap<Origin, Rules>,
    pub known: HashSet<[u8; 16]>,
    pub air: JoinSet<Landed>,
    pub reading: JoinSet<Option<Reading>>,
    pub started: Instant,
    /// Thumbnails that are being fetched, and those that are here.
    pub small: usize,
    pub seen: usize,
    /// Who waits for a thumbnail.
    pub waiting: HashMap<u32, Vec<Waiting>>,
}

/// Who is told of a thumbnail, or that there is none.
type Waiting = oneshot::Sender<Option<Arc<[u8]>>>;

/// What an origin says about how to behave.
#[derive(Default)]
pub(super) struct Rules {
    robots: Option<Robots>,
    tdm: Option<Tdm>,
    tries: u32,
    /// Why nothing is known of it.
    trouble: Option<&'static str>,
}

impl Rules {
    /// Those of an origin whose robots.txt is known.
    pub fn of(robots: Robots) -> Self {
        Self { robots: Some(robots), ..Self::default() }
    }
}

/// Why a find is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Time,
    Pages,
    Stopped,
    Empty,
    NoSource,
}

impl End {
    fn as_str(self) -> &'static str {
        match self {
            Self::Time => "max-time",
            Self::Pages => "max-pages",
            Self::Stopped => "interrupted",
            Self::Empty => "empty",
            Self::NoSource => "no-source",
        }
    }
}

impl Engine {
    pub(super) fn board(&self) -> MutexGuard<'_, Board> {
        self.shared.board()
    }

    /// Finds until there is a reason to end; then answers those who look at what was found, until nobody does.
    pub async fn work(mut self) {
        let end = self.find().await;
        // What is still in the air is too late.
        self.air.shutdown().await;
        self.reading.detach_all();
        self.hosts.release_all(Instant::now() + self.shared.settings.delay);
        self.shared.board().unask();
        for id in self.waiting.keys().copied().collect::<Vec<_>>() {
            self.fetch_small(id);
        }
        self.finish(end);
        self.linger().await;
    }

    async fn find(&mut self) -> End {
        let deadline = tokio::time::Instant::from_std(self.started + self.shared.settings.time);
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        self.mix.ask(self.shared.settings.start_pages);
        loop {
            self.fill();
            if let Some(end) = self.nothing_left() {
                return end;
            }
            let free = self.air.len() < self.shared.settings.concurrency && !self.is_behind();
            let next = self.hosts.next().unwrap_or(self.started + self.shared.settings.time);
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(deadline) => return End::Time,
                () = self.stop.wait() => return End::Stopped,
                _ = ticks.tick() => self.tick(),
                order = self.orders.recv() => match order {
                    Some(order) => self.order(order),
                    // Nobody waits for it any more.
                    None => return End::Stopped,
                },
                Some(landed) = self.air.join_next(), if !self.air.is_empty() => {
                    if let Ok(landed) = landed {
                        self.landed(landed);
                    }
                }
                Some(done) = self.reading.join_next(), if !self.reading.is_empty() => {
                    if let Ok(Some(reading)) = done {
                        self.take_in(reading);
                    }
                }
                () = self.mix.answered(), if self.mix.is_asking() => {}
                () = tokio::time::sleep_until(next.into()), if free && self.hosts.next().is_some() => {}
            }
        }
    }

    /// Whether pages come faster than they can be read.
    fn is_behind(&self) -> bool {
        self.reading.len() >= UNREAD * self.shared.cores
    }

    /// Starts as many requests as there is room for.
    fn fill(&mut self) {
        while self.air.len() < self.shared.settings.concurrency && !self.is_behind() {
            let now = Instant::now();
            match if self.is_warming_up(now) { self.hosts.take_nearest(now) } else { self.hosts.take(now) } {
                Some((host, line, task)) => self.start(host, line, task),
                // Nobody else can be asked now: the next start page.
                None if self.has_enough_pages() => break,
                None => match self.mix.take() {
                    Some(start) => self.begin(start),
                    None => break,
                },
            }
        }
        if self.mix.is_empty() && !self.mix.is_asking() && !self.mix.is_over() && !self.has_enough_pages() {
            self.mix.ask(self.shared.settings.start_pages);
        }
    }

    /// Whether someone looks at a page with hardly a picture on it.
    fn is_warming_up(&self, now: Instant) -> bool {
        let looks = self.shared.settings.shown.min(FIRST_SEEN);
        self.seen < looks && now - self.started < WARMING_UP
    }

    fn nothing_left(&self) -> Option<End> {
        if self.has_enough_pages() {
            // Their pictures are still looked at.
            let looks = self.air.is_empty() && self.reading.is_empty() && self.hosts.waiting() == 0;
            return looks.then_some(End::Pages);
        }
        let idle = self.air.is_empty() && self.reading.is_empty() && self.mix.is_over();
        // What rests beyond the end is never asked.
        let end = self.started + self.shared.settings.time;
        let waits = self.hosts.waiting() > 0 && self.hosts.next().is_some_and(|next| next < end);
        if !idle || waits {
            return None;
        }
        // Something waits, and its turn would come just too late.
        let late = self.hosts.waiting() > 0 && Instant::now() + TOO_LATE >= end;
        Some(match late {
            true => End::Time,
            false if self.mix.all_failed() => End::NoSource,
            false => End::Empty,
        })
    }

    fn begin(&mut self, start: Start) {
        if !self.looked.asked.admits_address(&start.url) || !self.is_new(&start.url) {
            return;
        }
        let base: Arc<[f32]> = vec![0.0; self.looked.sought.terms().len()].into();
        let task = PageTask { url: start.url, referer: None, base, site: None, named: start.media, hops: 0 };
        // What sources name comes before what links lead to.
        self.wait(Task::Page(task), Line::Page(f32::MAX));
    }

    fn is_new(&mut self, url: &Url) -> bool {
        self.known.len() < KNOWN && self.known.insert(url.id().short())
    }

    pub(super) fn wait(&mut self, task: Task, line: Line) -> bool {
        let host = task.url().host();
        self.hosts.add(&host, line, task, Instant::now())
    }

    /// Whether as many pages were read as may be.
    fn has_enough_pages(&self) -> bool {
        self.shared.settings.max_pages.is_some_and(|most| self.board().progress.pages >= most)
    }

    /// Makes the request that a task stands for, or the one that must come before it.
    pub(super) fn start(&mut self, host: HostName, line: Line, task: Task) {
        if matches!(task, Task::Page(_)) && self.has_enough_pages() {
            return self.hosts.release(&host, Instant::now());
        }
        if self.blocked.address(task.url()) {
            self.hosts.release(&host, Instant::now());
            return self.refused(task, store::FORGOTTEN);
        }
        let file = match &task {
            Task::File { .. } => None,
            Task::Page(_) => Some(OriginFile::Robots),
            Task::Look(_) | Task::Fetch(_) => Some(OriginFile::Tdm),
        };
        let origin = task.url().origin();
        let rules = self.rules.entry(origin.clone()).or_default();
        let task = match file {
            None => task,
            Some(file) => {
                let missing = match file {
                    _ if rules.robots.is_none() => Some(OriginFile::Robots),
                    OriginFile::Tdm if rules.tdm.is_none() => Some(OriginFile::Tdm),
                    _ => None,
                };
                if let Some(file) = missing {
                    let path = if file == OriginFile::Robots { "/robots.txt" } else { fetch::TDM_PATH };
                    self.hosts.put_back(&host, line, task, Instant::now());
                    let at = origin.at(path);
                    return self.fly(host, Line::Rules, Task::File { origin, file, at, hops: 0 });
                }
                let trouble = rules.trouble;
                let allowed = rules.robots.as_ref().is_some_and(|robots| robots.allows(task.url()));
                let reserved =
                    file == OriginFile::Tdm && rules.tdm.as_ref().is_some_and(|tdm| tdm.reserved(task.url()));
                if !allowed || reserved {
                    self.hosts.release(&host, Instant::now());
                    let reason = trouble.unwrap_or(if reserved { "opt-out" } else { "robots" });
                    return self.refused(task, reason);
                }
                task
            }
        };
        self.fly(host, line, task);
    }

    fn fly(&mut self, host: HostName, line: Line, task: Task) {
        let flights = Arc::clone(&self.flights);
        let manner = self.hosts.manner(&host).copied().unwrap_or_default();
        self.air.spawn(async move { flights.fly(host, manner, line, task).await });
    }

    /// Its site does not want something to be asked for.
    fn refused(&mut self, task: Task, reason: &str) {
        match task {
            Task::Page(_) => self.shared.board().count_error(reason),
            Task::Look(task) => self.shared.board().refuse(task.id, reason),
            Task::Fetch(task) => {
                let done = failed(task, format!("its site does not allow it ({reason})"));
                self.done(done);
            }
            Task::File { .. } => {}
        }
    }

    pub(super) fn landed(&mut self, landed: Landed) {
        let Landed { host, done, answer, bytes, took } = landed;
        let now = Instant::now();
        let mut until = now;
        let mut lost = false;
        if let (Some(answer), Some(manner)) = (&answer, self.hosts.manner(&host)) {
            let at = super::flight::now();
            let advice = self.flights.manners.rest(at, manner.delay, manner.failures, answer);
            manner.failures = advice.failures;
            until = now + advice.until.since(at);
            lost = advice.failures >= LOST && *answer != Answer::Fine;
        }
        if let Done::Later(_, _, wait) = &done {
            until = now + *wait;
        }
        {
            let mut board = self.shared.board();
            board.progress.bytes += bytes;
            if answer.is_some() {
                board.progress.requests += 1;
                board.progress.waited += took.as_secs_f64();
            }
            if let Done::Looked(..) = &done {
                board.progress.probe_bytes += bytes;
            }
        }
        if let Done::Later(line, task, _) = done {
            self.hosts.put_back(&host, line, task, now);
        } else {
            self.done(done);
        }
        self.hosts.release(&host, until);
        if lost {
            for task in self.hosts.give_up(&host) {
                self.refused(task, "host-lost");
            }
        }
    }

    fn done(&mut self, done: Done) {
        match done {
            Done::Later(..) | Done::Told => {}
            Done::File { origin, file, hops, said } => self.said(origin, file, hops, said),
            Done::Page(task, Ok(body)) => self.page(task, body),
            Done::Page(_, Err(Trouble(reason))) => self.shared.board().count_error(&reason),
            Done::Moved(task, target) => self.moved(task, target),
            Done::Looked(task, look) => self.saw(task, look),
            Done::Small(task, small) => self.shown(task, small),
        }
    }

    /// An origin says how to behave.
    fn said(&mut self, origin: Origin, file: OriginFile, hops: u8, said: Said) {
        let host = origin.host().clone();
        let rules = self.rules.entry(origin.clone()).or_default();
        match said {
            Said::Robots(robots) => {
                if let Some(manner) = self.hosts.manner(&host) {
                    manner.delay = robots.crawl_delay();
                }
                rules.robots = Some(robots);
            }
            Said::Tdm(tdm) => rules.tdm = Some(tdm),
            Said::Moved(at) if hops < HOPS => {
                // It is elsewhere; until it is known the host is not asked for anything else.
                let elsewhere = at.host();
                self.hosts.hold(&host, true);
                let task = Task::File { origin, file, at, hops: hops + 1 };
                self.hosts.add(&elsewhere, Line::Rules, task, Instant::now());
                return;
            }
            // A chain that does not end is "unavailable", which allows everything (RFC 9309 §2.3.1.2).
            Said::Moved(_) => match file {
                OriginFile::Robots => rules.robots = Some(Robots::from_answer(Some(404), &[], "")),
                OriginFile::Tdm => rules.tdm = Some(Tdm::from_answer(Some(404), &[])),
            },
            Said::Failed(robots, reason) => {
                rules.tries += 1;
                match file {
                    _ if rules.tries < TRIES => {}
                    OriginFile::Robots => (rules.robots, rules.trouble) = (Some(robots), Some(reason)),
                    // Nothing is known to be reserved.
                    OriginFile::Tdm => rules.tdm = Some(Tdm::from_answer(Some(404), &[])),
                }
            }
        }
        self.hosts.hold(&host, false);
    }

    fn page(&mut self, task: PageTask, body: Body) {
        let PageTask { url, base, site, named, .. } = task;
        let unread = Unread {
            site: site.unwrap_or_else(|| url.site()),
            url,
            body: body.bytes,
            content_type: body.content_type,
            directives: body.directives,
            base,
            named,
        };
        let (looked, cpu) = (Arc::clone(&self.looked), Arc::clone(&self.shared.cpu));
        self.reading.spawn(async move {
            let _core = cpu.acquire().await;
            tokio::task::spawn_blocking(move || read(unread, &looked)).await.ok()
        });
    }

    fn take_in(&mut self, mut reading: Reading) {
        let page = reading.url.clone();
        // Where it was led to by a redirect, it is not asked for again.
        self.is_new(&page);
        let links = std::mem::take(&mut reading.links);
        let site = page.site();
        let alts: Vec<String> = reading.pictures.iter().map(|picture| picture.alt.clone()).collect();
        let Added { new } = self.shared.board().add(reading);
        for (at, (id, url, worth)) in new.into_iter().enumerate() {
            let alt = alts.get(at).cloned().unwrap_or_default();
            let page = page.clone();
            let task = LookTask { id, url, page, alt, hops: 0, probe: None, total: None, looks: 0 };
            if !self.wait(Task::Look(task), Line::Picture(worth)) {
                self.shared.board().refuse(id, "too-many");
            }
        }
        for link in links {
            if self.is_new(&link.url) {
                let rank = link.base.iter().sum();
                let (referer, site) = (Some(page.clone()), Some(site.clone()));
                let task = PageTask { url: link.url, referer, base: link.base, site, named: Vec::new(), hops: 0 };
                self.wait(Task::Page(task), Line::Page(rank));
            }
        }
    }

    /// Something is elsewhere: it waits there for its turn.
    fn moved(&mut self, mut task: Task, target: Url) {
        let hops = match &mut task {
            Task::File { hops, .. } => hops,
            Task::Page(task) => &mut task.hops,
            Task::Look(task) => &mut task.hops,
            Task::Fetch(task) => &mut task.hops,
        };
        *hops += 1;
        let too_far = *hops > HOPS;
        match task {
            Task::Page(_) if too_far => self.shared.board().count_error("redirect"),
            Task::Look(task) if too_far => self.shared.board().refuse(task.id, "redirect"),
            Task::Fetch(task) if too_far => {
                let done = failed(task, "it is redirected in circles".into());
                self.done(done);
            }
            Task::Page(task) => {
                let away = task.site.as_ref().is_some_and(|site| *site != target.site());
                // The same page after a cookie, or another that nobody asked for yet.
                let again = target.id() == task.url.id();
                if !away && self.looked.asked.admits_address(&target) && (again || self.is_new(&target)) {
                    self.wait(Task::Page(PageTask { url: target, ..task }), Line::Page(f32::MAX));
                }
            }
            Task::Look(task) => {
                let task = LookTask { url: target, probe: None, total: None, ..task };
                self.wait(Task::Look(task), Line::First);
            }
            Task::Fetch(task) => {
                self.wait(Task::Fetch(FetchTask { url: target, ..task }), Line::First);
            }
            Task::File { .. } => {}
        }
    }

    /// The first bytes of a picture are here.
    fn saw(&mut self, task: LookTask, look: Look) {
        let mut board = self.shared.board();
        if task.looks == 1 && !matches!(look, Look::Failed(_)) {
            board.probed();
        }
        match look {
            Look::Selected { width, height, format, content } => {
                board.select(task.id, width, height, format, content);
                drop(board);
                // The first ones are shown at once.
                if self.seen + self.small < FIRST_SEEN {
                    self.tick();
                }
            }
            Look::Refused(reason) => board.refuse(task.id, reason),
            Look::Failed(reason) => {
                board.count_error(&reason);
                board.refuse(task.id, "failed");
            }
            Look::Again => {
                drop(board);
                self.wait(Task::Look(task), Line::First);
            }
        }
    }

    /// Sorts and tells what was found; asks for what should be shown.
    fn tick(&mut self) {
        let elapsed = self.started.elapsed().as_secs_f64();
        let mut wanted = Vec::new();
        {
            let mut board = self.shared.board();
            board.sort();
            let progress = &mut board.progress;
            progress.elapsed = elapsed;
            progress.queued = (self.hosts.waiting() + self.mix.len()) as u64;
            progress.in_flight = self.air.len();
            progress.hosts = self.hosts.len() as u64;
            progress.sources = self.mix.states().to_vec();
            if progress.results > 0 && progress.first_result.is_none() {
                progress.first_result = Some(elapsed);
            }
            let best: Vec<u32> = board.order().iter().take(self.shared.settings.shown).map(|(id, _)| *id).collect();
            for id in best {
                if self.small + wanted.len() >= SMALL {
                    break;
                }
                if let Some(thumbnail @ Thumbnail::Unasked) = board.thumbnail(id) {
                    *thumbnail = Thumbnail::Asked;
                    wanted.push(id);
                }
            }
        }
        wanted.into_iter().for_each(|id| self.fetch_small(id));
        self.shared.changed();
    }

    fn finish(&mut self, end: End) {
        self.tick();
        let mut board = self.shared.board();
        let progress = &mut board.progress;
        progress.stopped = Some(end.as_str());
        progress.in_flight = 0;
        if progress.pages == 0 {
            let sources = self.mix.states();
            let why: Vec<String> = sources
                .iter()
                .filter_map(|state| Some(format!("{}: {}", state.name, state.detail.as_ref()?)))
                .collect();
            let named: u64 = sources.iter().map(|state| state.pages).sum();
            progress.error = Some(match (end, named) {
                (End::NoSource, _) => format!(
                    "no source of start pages could be reached ({}): give one that can, such as --via searxng=URL or \
                     --via urls=FILE, or set it under `sources` in the settings",
                    if why.is_empty() { "none is set".to_owned() } else { why.join("; ") }
                ),
                (_, 0) => {
                    "the sources that were asked know no page about this: try other words, or other sources".into()
                }
                _ => "none of the pages that sources named could be read".into(),
            });
        }
        drop(board);
        self.shared.finished();
    }
}

impl Finding {
    /// Only for those who made it.
    pub(super) fn new(shared: Arc<Shared>, orders: mpsc::Sender<Order>) -> Self {
        Self { shared, orders }
    }
}
