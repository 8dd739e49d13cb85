//! What an origin says about manners: robots.txt and tdmrep.json, asked for once in their time.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facts::{HostName, Origin, Timestamp, Url};
use fetch::{Accept, Answer, Fetcher, Manners, ROBOTS_LIMIT, Request, Robots, TDM_PATH, Tdm};
use lru::LruCache;
use store::{Frontier, OriginFile, OriginRecord, OriginTrouble, Rest, Store, StoreError};

const ROBOTS_PATH: &str = "/robots.txt";
/// Parsed files kept in memory; the others are parsed again from the store.
const PARSED: NonZeroUsize = NonZeroUsize::new(2048).unwrap();
/// RFC 9309 §2.3.1.2: at least five hops are followed.
const HOPS: usize = 5;
/// How long a redirected robots.txt waits for its other host to be free.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long an answer about reservations holds.
const TDM_FRESH: Duration = Duration::from_secs(24 * 3600);

/// The rules of origins, as far as they are known.
pub(crate) struct Origins {
    store: Arc<Store>,
    fetcher: Fetcher,
    manners: Manners,
    robots: Parsed<Rules>,
    tdm: Parsed<Tdm>,
}

/// Rules that were parsed lately, with the moment they expire.
struct Parsed<T>(Mutex<LruCache<Origin, (Timestamp, Arc<T>)>>);

impl<T> Parsed<T> {
    fn new() -> Self {
        Self(Mutex::new(LruCache::new(PARSED)))
    }

    fn get(&self, origin: &Origin, now: Timestamp) -> Option<Arc<T>> {
        let mut parsed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parsed.get(origin).filter(|(until, _)| *until > now).map(|(_, rules)| Arc::clone(rules))
    }

    fn put(&self, origin: &Origin, until: Timestamp, rules: T) -> Arc<T> {
        let rules = Arc::new(rules);
        let entry = (until, Arc::clone(&rules));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(origin.clone(), entry);
        rules
    }
}

/// What robots.txt says, or why that is not known.
pub(crate) struct Rules {
    pub robots: Robots,
    /// Set when the origin could not be asked.
    pub trouble: Option<OriginTrouble>,
    /// How long this holds.
    pub until: Timestamp,
}

impl Rules {
    /// Nothing may be fetched for now, which may be otherwise when the origin is asked again.
    pub fn may_pass(&self) -> bool {
        self.robots.is_unreachable() && self.trouble.as_ref().is_none_or(|trouble| trouble.passing)
    }
}

/// One file as its server gave it.
struct File {
    status: Option<u16>,
    redirect: Option<Url>,
    headers: Option<http::HeaderMap>,
    body: Vec<u8>,
    trouble: Option<OriginTrouble>,
    answer: Answer,
}

impl File {
    fn record(self, now: Timestamp, fresh_for: Duration) -> OriginRecord {
        let Self { status, trouble, body, .. } = self;
        OriginRecord { at: now, fresh_until: now + fresh_for, status, trouble, body }
    }
}

impl Origins {
    pub fn new(store: Arc<Store>, fetcher: Fetcher, manners: Manners) -> Self {
        Self { store, fetcher, manners, robots: Parsed::new(), tdm: Parsed::new() }
    }

    /// The rules for crawlers, when they were asked for and still hold.
    pub async fn robots(&self, origin: &Origin, now: Timestamp) -> Result<Option<Arc<Rules>>, StoreError> {
        if let Some(rules) = self.robots.get(origin, now) {
            return Ok(Some(rules));
        }
        let record = self.fresh(origin, OriginFile::Robots, now).await?;
        Ok(record.map(|record| {
            let (robots, until) = (self.read_robots(&record), record.fresh_until);
            self.robots.put(origin, until, Rules { robots, trouble: record.trouble, until })
        }))
    }

    /// The reservations of text and data mining rights, when they were asked for and still hold.
    pub async fn tdm(&self, origin: &Origin, now: Timestamp) -> Result<Option<Arc<Tdm>>, StoreError> {
        if let Some(rules) = self.tdm.get(origin, now) {
            return Ok(Some(rules));
        }
        let record = self.fresh(origin, OriginFile::Tdm, now).await?;
        let read = |record: OriginRecord| (record.fresh_until, Tdm::from_answer(record.status, &record.body));
        Ok(record.map(read).map(|(until, rules)| self.tdm.put(origin, until, rules)))
    }

    async fn fresh(
        &self,
        origin: &Origin,
        file: OriginFile,
        now: Timestamp,
    ) -> Result<Option<OriginRecord>, StoreError> {
        let record = self.store.frontier().origin(origin, file).await?;
        Ok(record.filter(|record| record.fresh_until > now))
    }

    fn read_robots(&self, record: &OriginRecord) -> Robots {
        Robots::from_answer(record.status, &record.body, self.fetcher.product())
    }

    /// Uses the request that was claimed for `origin`'s host to ask for its robots.txt. Gives how
    /// its host should rest; the host stays busy meanwhile.
    pub async fn ask_robots(&self, origin: &Origin, failures: u32) -> Result<Rest, StoreError> {
        let frontier = self.store.frontier();
        let (record, mut rest) = self.follow_robots(origin, failures).await?;
        let robots = self.read_robots(&record);
        frontier.remember_origin(origin, OriginFile::Robots, record).await?;
        // The delay that robots.txt asks for holds from its own request on.
        if let Some(delay) = robots.crawl_delay() {
            rest.delay = Some(delay);
            rest.until = rest.until.max(frontier.now().await? + delay.min(self.manners.max_delay));
        }
        Ok(rest)
    }

    /// Follows robots.txt to where it is, each hop under the clock of the host it goes to.
    async fn follow_robots(&self, origin: &Origin, failures: u32) -> Result<(OriginRecord, Rest), StoreError> {
        let frontier = self.store.frontier();
        let mut own_rest = Rest::default();
        let mut at = origin.at(ROBOTS_PATH);
        for _ in 0..=HOPS {
            let elsewhere = Some(at.host()).filter(|host| host != origin.host());
            if let Some(host) = &elsewhere
                && !self.reserve(host).await?
            {
                break;
            }
            // Whoever had the host before may have asked for the same.
            if let (Some(host), Some(known)) = (&elsewhere, self.known_robots(&at).await?) {
                frontier.release(host, Rest { until: frontier.now().await?, ..Rest::default() }).await?;
                return Ok((known, own_rest));
            }
            let file = self.ask(&at).await?;
            let now = frontier.now().await?;
            let rest = rest(&self.manners, now, if elsewhere.is_none() { failures } else { 0 }, &file.answer);
            match &elsewhere {
                Some(host) => frontier.release(host, rest).await?,
                None => own_rest = rest,
            }
            let Some(target) = file.redirect.clone() else {
                let robots = Robots::from_answer(file.status, &file.body, self.fetcher.product());
                let fresh_for = robots.fresh_for(file.headers.as_ref(), failures);
                let record = file.record(now, fresh_for);
                if at.path() == ROBOTS_PATH && at.origin() != *origin {
                    frontier.remember_origin(&at.origin(), OriginFile::Robots, record.clone()).await?;
                }
                return Ok((record, own_rest));
            };
            if let Some(known) = self.known_robots(&target).await? {
                return Ok((known, own_rest));
            }
            if target.host() == *origin.host() {
                sleep_until(&**frontier, own_rest.until).await?;
            }
            at = target;
        }
        // A chain that does not end is "unavailable", which allows everything (RFC 9309 §2.3.1.2).
        let (now, status, body) = (frontier.now().await?, Some(404), Vec::new());
        let fresh_for = Robots::from_answer(status, &body, self.fetcher.product()).fresh_for(None, failures);
        Ok((OriginRecord { at: now, fresh_until: now + fresh_for, status, trouble: None, body }, own_rest))
    }

    /// The same for its reservations; redirects of them are not followed.
    pub async fn ask_tdm(&self, origin: &Origin, failures: u32) -> Result<Rest, StoreError> {
        let frontier = self.store.frontier();
        let file = self.ask(&origin.at(TDM_PATH)).await?;
        let now = frontier.now().await?;
        let rest = rest(&self.manners, now, failures, &file.answer);
        frontier.remember_origin(origin, OriginFile::Tdm, file.record(now, TDM_FRESH)).await?;
        Ok(rest)
    }

    async fn ask(&self, at: &Url) -> Result<File, StoreError> {
        let request = Request { limit: ROBOTS_LIMIT, ..Request::new(at.clone(), Accept::Text) };
        Ok(match self.fetcher.send(request).await {
            Ok(mut response) => {
                let now = self.store.frontier().now().await?;
                let answer = Answer::of_status(response.status, response.retry_after(now));
                let mut body = Vec::new();
                // A file longer than the limit, or cut short, is used as far as it came.
                while let Ok(Some(chunk)) = response.chunk().await {
                    body.extend_from_slice(&chunk);
                }
                File {
                    status: Some(response.status),
                    redirect: response.redirect().and_then(Result::ok),
                    answer,
                    headers: Some(response.headers.clone()),
                    body,
                    trouble: None,
                }
            }
            Err(error) => {
                let answer = Answer::of_error(&error);
                let trouble = OriginTrouble {
                    reason: error.reason().into(),
                    detail: error.to_string(),
                    passing: error.is_transient(),
                };
                File { status: None, redirect: None, headers: None, body: Vec::new(), trouble: Some(trouble), answer }
            }
        })
    }

    /// The record of another origin whose robots.txt `target` is, as when `example.org` sends its
    /// askers to `www.example.org`.
    async fn known_robots(&self, target: &Url) -> Result<Option<OriginRecord>, StoreError> {
        if target.path() != ROBOTS_PATH {
            return Ok(None);
        }
        let now = self.store.frontier().now().await?;
        self.fresh(&target.origin(), OriginFile::Robots, now).await
    }

    /// Waits its turn at another host; `false` when that takes too long.
    async fn reserve(&self, host: &HostName) -> Result<bool, StoreError> {
        let frontier = self.store.frontier();
        let deadline = frontier.now().await? + PATIENCE;
        while let Some(again) = frontier.reserve(host).await? {
            if again > deadline {
                return Ok(false);
            }
            sleep_until(&**frontier, again).await?;
        }
        Ok(true)
    }
}

/// How a host rests after a request of which nothing but the answer is known.
fn rest(manners: &Manners, now: Timestamp, failures: u32, answer: &Answer) -> Rest {
    let advice = manners.rest(now, None, failures, answer);
    Rest { until: no_sooner(now, advice.until), delay: None, failures: advice.failures }
}

/// Moments are cut to whole milliseconds: a rest that is to be no shorter than its delay ends one
/// later. No rest at all stays none.
pub(crate) fn no_sooner(now: Timestamp, until: Timestamp) -> Timestamp {
    if until > now { until + Duration::from_millis(1) } else { until }
}

/// Sleeps until the store's clock shows that moment.
async fn sleep_until(frontier: &dyn Frontier, moment: Timestamp) -> Result<(), StoreError> {
    let wait = moment.since(frontier.now().await?);
    tokio::time::sleep(wait).await;
    Ok(())
}
