//! Fifty crawlers on one web [004 exp. 2, Table 7.2, Fig. 7.1].
//!
//! Three ways to share the work are simulated on the links of the made site, in seconds that pass
//! nowhere else: a fetch takes one, a question to another crawler or to a server some hundredths. Ours is
//! tried for real: fifty crawls, each with a store of its own, come to a watched site at once.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use crawl::{Limits, Manners, Policy, Revisit, Settings, TrapBudgets};
use lab::{Answers, Changes, Changing, Server};
use serde::Serialize;
use store::{Options, Store};
use strategy::Scope;
use tokio::sync::{Barrier, watch};
use tokio::task::JoinSet;

use super::beside::Beside;
use super::days::now;
use crate::ExperimentError;
use crate::trial::reach;

/// Days, and pages that a crawler fetches on one when nothing holds it up.
const DAYS: usize = 3;
const FETCHES: u64 = 1_000;
/// Milliseconds of a fetch, of asking one other crawler, and of what a seed server does for one page.
const FETCH: u64 = 1_000;
const ASK: u64 = 20;
const SERVE: u64 = 40;
/// Pages of the web that is shared: more than can be fetched.
const WEB: usize = 1_000_000;
/// Pages that are looked at [004 Table 7.2].
const SAMPLE: usize = 5;
/// Pages of the site that is crawled for real.
const REAL_PAGES: usize = 500;

/// Fetches of one way to share the work.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Shared {
    pub name: &'static str,
    /// How often each page of the sample was fetched, day by day.
    pub sample: Vec<[u32; DAYS]>,
    pub fetches: u64,
    pub distinct: u64,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Overlap {
    pub simulated: Vec<Shared>,
    pub ours: Shared,
    /// How often any page was fetched on a day, at most.
    pub most_times: u32,
    /// Crawlers that took the report on the first day.
    pub took: u64,
}

/// Makes all of it.
pub(super) async fn run(changes: &Changes, crawlers: usize) -> Result<Overlap, ExperimentError> {
    let numbers = changes.number;
    let simulated = tokio::task::spawn_blocking(move || simulate(crawlers, numbers));
    let simulated = simulated.await.map_err(std::io::Error::other)?;
    let (ours, most_times, took) = ours(changes, crawlers).await?;
    Ok(Overlap { simulated, ours, most_times, took })
}

fn simulate(crawlers: usize, number: u64) -> Vec<Shared> {
    let web = Changing::new(Changes { pages: WEB, ..Changes::default() }, now());
    let days = |name, day: &dyn Fn(u64) -> HashMap<usize, u32>| {
        let days: Vec<HashMap<usize, u32>> = (0..DAYS as u64).map(|n| day(number * 1_000 + n)).collect();
        (name, days)
    };
    let ways = [
        days("independent", &|seed| independent(&web, crawlers, seed)),
        days("dependent", &|seed| dependent(&web, crawlers, seed)),
        days("seed-server", &|seed| seed_server(&web, crawlers, seed)),
    ];
    // Pages that all of them came to, else any that the first did.
    let mut common: Vec<usize> = ways[0].1[0].keys().copied().collect();
    common.sort_unstable();
    let everywhere = |page: &usize| ways.iter().all(|(_, days)| days.iter().all(|day| day.contains_key(page)));
    let some: Vec<usize> = common.iter().copied().filter(everywhere).collect();
    let some = if some.len() < SAMPLE { common } else { some };
    let mut numbers = Numbers::new(number);
    let sample: Vec<usize> = (0..SAMPLE).filter_map(|_| some.get(numbers.below(some.len())).copied()).collect();
    let shared = |(name, days): &(&'static str, Vec<HashMap<usize, u32>>)| {
        let times = |page: &usize| std::array::from_fn(|day| days[day].get(page).copied().unwrap_or(0));
        let distinct: HashSet<usize> = days.iter().flat_map(|day| day.keys().copied()).collect();
        Shared {
            name,
            sample: sample.iter().map(times).collect(),
            fetches: days.iter().flat_map(|day| day.values()).map(|times| u64::from(*times)).sum(),
            distinct: distinct.len() as u64,
        }
    };
    ways.iter().map(shared).collect()
}

/// Nobody knows of the others.
fn independent(web: &Changing, crawlers: usize, seed: u64) -> HashMap<usize, u32> {
    let mut fetched = HashMap::new();
    for crawler in 0..crawlers {
        let mut mine = Queue::new(seed, crawler);
        for _ in 0..FETCHES {
            let Some(page) = mine.next() else { break };
            *fetched.entry(page).or_default() += 1;
            mine.add(web.links(page));
        }
    }
    fetched
}

/// Everybody asks all others, one after the other, before each page. Who begins a page after it was
/// asked is not noticed.
fn dependent(web: &Changing, crawlers: usize, seed: u64) -> HashMap<usize, u32> {
    let mut queues: Vec<Queue> = (0..crawlers).map(|crawler| Queue::new(seed, crawler)).collect();
    let mut begun: HashMap<usize, Vec<(usize, u64)>> = HashMap::new();
    let mut pool: Vec<usize> = vec![0];
    let mut numbers = Numbers::new(seed);
    // When each decides on a page, which one, and when it began to ask.
    let mut deciding = BinaryHeap::new();
    let asking = ASK * crawlers.saturating_sub(1) as u64;
    let mut ask = |queue: &mut Queue, crawler: usize, at: u64, pool: &[usize], deciding: &mut BinaryHeap<_>| {
        // One that knows nothing is told of something.
        let page = queue.next().or_else(|| pool.get(numbers.below(pool.len())).copied());
        if let Some(page) = page {
            deciding.push(Reverse((at + asking, crawler, page, at)));
        }
    };
    for (crawler, queue) in queues.iter_mut().enumerate() {
        ask(queue, crawler, crawler as u64, &pool, &mut deciding);
    }
    while let Some(Reverse((at, crawler, page, asked))) = deciding.pop() {
        if at > FETCHES * FETCH {
            continue;
        }
        let known = begun.get(&page).is_some_and(|begun| {
            begun.iter().any(|(other, since)| {
                let place = if *other < crawler { *other } else { other.saturating_sub(1) };
                *other == crawler || *since <= asked + ASK * place as u64
            })
        });
        let Some(queue) = queues.get_mut(crawler) else { continue };
        let free = if known {
            at
        } else {
            begun.entry(page).or_default().push((crawler, at));
            let links = web.links(page);
            pool.extend(&links);
            queue.add(links);
            at + FETCH
        };
        ask(queue, crawler, free, &pool, &mut deciding);
    }
    begun.into_iter().map(|(page, begun)| (page, begun.len() as u32)).collect()
}

/// A server says what to fetch, one crawler after the other.
fn seed_server(web: &Changing, crawlers: usize, seed: u64) -> HashMap<usize, u32> {
    let mut queue = Queue::new(seed, 0);
    let mut fetched = HashMap::new();
    let mut served = 0;
    let mut asking: BinaryHeap<_> = (0..crawlers).map(|crawler| Reverse((0, crawler))).collect();
    let mut bringing: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    while let Some(Reverse((at, crawler))) = asking.pop() {
        served = served.max(at) + SERVE;
        if served > FETCHES * FETCH {
            continue;
        }
        while let Some(Reverse((_, page))) = bringing.peek().copied().filter(|Reverse((done, _))| *done <= served) {
            bringing.pop();
            queue.add(web.links(page));
        }
        match queue.next() {
            Some(page) => {
                *fetched.entry(page).or_default() += 1;
                bringing.push(Reverse((served + FETCH, page)));
                asking.push(Reverse((served + FETCH, crawler)));
            }
            None => asking.push(Reverse((served + FETCH, crawler))),
        }
    }
    fetched
}

/// What one crawler knows, breadth first; links of a page in an order of its own.
struct Queue {
    waiting: VecDeque<usize>,
    known: HashSet<usize>,
    numbers: Numbers,
}

impl Queue {
    fn new(seed: u64, crawler: usize) -> Self {
        let numbers = Numbers::new(seed ^ ((crawler as u64 + 1) << 32));
        Self { waiting: [0].into(), known: [0].into(), numbers }
    }

    fn next(&mut self) -> Option<usize> {
        // Not always the first: two crawlers do not go the same way.
        let place = self.numbers.below(self.waiting.len().min(20));
        self.waiting.swap_remove_front(place)
    }

    fn add(&mut self, links: Vec<usize>) {
        let new = links.into_iter().filter(|page| self.known.insert(*page));
        self.waiting.extend(new);
    }
}

/// Numbers that look random and are the same every time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        if end == 0 { 0 } else { (self.0 >> 11) as usize % end }
    }
}

/// Crawls that know nothing of each other come to a watched site at once, three days in a row.
async fn ours(changes: &Changes, crawlers: usize) -> Result<(Shared, u32, u64), ExperimentError> {
    let pages = changes.pages.min(REAL_PAGES);
    let site = Arc::new(Changing::new(Changes { pages, ..changes.clone() }, now()));
    let beside = Beside::start(&site, pages).await?;
    site.put_before(beside.address);
    let server = Arc::new(Server::start_shared(Arc::clone(&site), ([127, 0, 0, 1], 0).into()).await?);
    let folders = (0..crawlers).map(|_| tempfile::tempdir()).collect::<Result<Vec<_>, _>>()?;
    let (_, mut token) = beside.look(None).await?;
    let (mut fetches, mut most, mut took) = (0, 0, 0);
    let mut sample = vec![[0; DAYS]; SAMPLE];
    for day in 0..DAYS {
        if day > 0 {
            let changed = site.next_day();
            (_, token) = beside.tell(&site, changed, &token).await?;
        }
        let together = Arc::new(Barrier::new(crawlers));
        let mut crawls = JoinSet::new();
        for folder in &folders {
            let (folder, server, site) = (folder.path().to_owned(), Arc::clone(&server), Arc::clone(&site));
            let together = Arc::clone(&together);
            crawls.spawn(async move {
                let ahead = Duration::from_secs(24 * 3600) * day as u32;
                let what = "an experiment".into();
                let options = Options { what, default_delay: Duration::ZERO, ahead, ..Options::default() };
                let opened = tokio::task::spawn_blocking(move || Store::open(&folder, options)).await;
                together.wait().await;
                let store = Arc::new(opened.map_err(std::io::Error::other)??);
                let (_stopper, stop) = crawl::stopper();
                let (told, _) = watch::channel(crawl::Progress::default());
                let summary =
                    crawl::run(Arc::clone(&store), "one", settings(&site), reach(&server), stop, told).await?;
                if let Some(store) = Arc::into_inner(store) {
                    store.close().await?;
                }
                Ok::<_, ExperimentError>(summary.pages > 0)
            });
        }
        while let Some(crawl) = crawls.join_next().await {
            let visited = crawl.map_err(std::io::Error::other)??;
            took += u64::from(day == 0 && visited);
        }
        let times = site.times_fetched();
        fetches += times.iter().map(|times| u64::from(*times)).sum::<u64>();
        most = most.max(times.iter().copied().max().unwrap_or(0));
        for (place, days) in sample.iter_mut().enumerate() {
            days[day] = times.get(place * pages / SAMPLE + 1).copied().unwrap_or(0);
        }
    }
    if let Some(server) = Arc::into_inner(server) {
        server.stop().await;
    }
    beside.end().await?;
    Ok((Shared { name: "ours", sample, fetches, distinct: pages as u64 }, most, took))
}

fn settings(site: &Arc<Changing>) -> Settings {
    Settings {
        seeds: site.seeds(),
        strategy: "bfs".into(),
        scope: Scope::Host,
        kind: Vec::new(),
        places: false,
        concurrency: 1,
        revisit: Revisit { policy: Policy::Watcher, ..Revisit::default() },
        budgets: TrapBudgets { per_host: u64::MAX, per_template: u64::MAX },
        limits: Limits { max_pages: Some(1_000_000_000), ..Limits::default() },
        manners: Manners { delay: Duration::ZERO, ..Manners::default() },
        ..Settings::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_costs_time_and_not_asking_costs_fetches() {
        let web = Changing::new(Changes { pages: 100_000, ..Changes::default() }, now());
        let sum = |fetched: &HashMap<usize, u32>| fetched.values().map(|times| u64::from(*times)).sum::<u64>();
        let (alone, asked, told) = (independent(&web, 10, 1), dependent(&web, 10, 1), seed_server(&web, 10, 1));
        assert_eq!(sum(&alone), 10 * FETCHES);
        assert!(sum(&asked) < sum(&alone) && alone.len() < asked.len(), "{} {}", sum(&asked), alone.len());
        assert!(told.values().all(|times| *times == 1));
    }
}
