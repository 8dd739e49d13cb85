//! What an origin says about manners: robots.txt and tdmrep.json, asked for once in their time.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facts::{HostName, Origin, Timestamp, Url};
use fetch::{Accept, Fetcher, Request, Response, Robots, Tdm};
use lru::LruCache;
use store::{Frontier, OriginFile, OriginRecord, Rest, Store, StoreError};

use crate::visit::{Answered, sleep_until};

/// Parsed files kept in memory; the others are parsed again from the store.
const PARSED: NonZeroUsize = NonZeroUsize::new(2048).unwrap();
/// RFC 9309 §2.5: at least 500 KiB of a robots.txt must be read.
const LARGEST: u64 = 500 << 10;
/// RFC 9309 §2.3.1.2: at least five hops are followed.
const HOPS: usize = 5;
/// How long a redirected robots.txt waits for its other host to be free.
const PATIENCE: Duration = Duration::from_secs(30);

/// The rules of origins, as far as they are known.
pub(crate) struct Origins {
    store: Arc<Store>,
    fetcher: Fetcher,
    manners: fetch::Manners,
    robots: Mutex<LruCache<Origin, (Timestamp, Arc<Robots>)>>,
    tdm: Mutex<LruCache<Origin, (Timestamp, Arc<Tdm>)>>,
}

impl Origins {
    pub fn new(store: Arc<Store>, fetcher: Fetcher, manners: fetch::Manners) -> Self {
        Self {
            store,
            fetcher,
            manners,
            robots: Mutex::new(LruCache::new(PARSED)),
            tdm: Mutex::new(LruCache::new(PARSED)),
        }
    }

    /// The rules for crawlers, when they were asked for and still hold.
    pub async fn robots(&self, origin: &Origin, now: Timestamp) -> Result<Option<Arc<Robots>>, StoreError> {
        let parse = |record: &OriginRecord| Robots::from_answer(record.status, &record.body, self.fetcher.agent());
        self.fresh(&self.robots, OriginFile::Robots, origin, now, parse).await
    }

    /// The reservations of text and data mining rights, when they were asked for and still hold.
    pub async fn tdm(&self, origin: &Origin, now: Timestamp) -> Result<Option<Arc<Tdm>>, StoreError> {
        let parse = |record: &OriginRecord| Tdm::from_answer(record.status, &record.body);
        self.fresh(&self.tdm, OriginFile::Tdm, origin, now, parse).await
    }

    async fn fresh<T>(
        &self,
        parsed: &Mutex<LruCache<Origin, (Timestamp, Arc<T>)>>,
        file: OriginFile,
        origin: &Origin,
        now: Timestamp,
        parse: impl Fn(&OriginRecord) -> T,
    ) -> Result<Option<Arc<T>>, StoreError> {
        let remembered = parsed.lock().unwrap_or_else(PoisonError::into_inner).get(origin).cloned();
        if let Some((until, rules)) = remembered.filter(|(until, _)| *until > now) {
            debug_assert!(until > now);
            return Ok(Some(rules));
        }
        let record = self.store.frontier().origin(origin, file).await?;
        let Some(record) = record.filter(|record| record.fresh_until > now) else { return Ok(None) };
        let rules = Arc::new(parse(&record));
        let entry = (record.fresh_until, Arc::clone(&rules));
        parsed.lock().unwrap_or_else(PoisonError::into_inner).put(origin.clone(), entry);
        Ok(Some(rules))
    }

    /// Uses the request that was claimed for `origin`'s host to ask for its robots.txt. Gives how
    /// its host should rest; the host stays busy meanwhile.
    pub async fn ask_robots(&self, origin: &Origin, failures: u32) -> Result<Rest, StoreError> {
        let frontier = self.store.frontier();
        let own = origin.host().clone();
        let mut own_rest = Rest { failures, ..Rest::default() };
        let mut at = origin.at("/robots.txt");
        let mut elsewhere: Option<HostName> = None;
        let mut record = None;
        for _ in 0..=HOPS {
            let (answered, file) = self.ask(&at).await?;
            let now = frontier.now().await?;
            let rest = answered.rest(&self.manners, now, None, if elsewhere.is_none() { failures } else { 0 });
            let target = answered.redirect().cloned();
            match &elsewhere {
                Some(host) => frontier.release(host, rest).await?,
                None => own_rest = rest,
            }
            elsewhere = None;
            let Some(target) = target else {
                record = Some(self.record(now, answered.status(), file, answered.fresh_for()));
                break;
            };
            if let Some(known) = self.known_robots(&target, now).await? {
                record = Some(known);
                break;
            }
            if target.host() == own {
                sleep_until(frontier, own_rest.until).await?;
            } else if self.reserve(&target.host()).await? {
                elsewhere = Some(target.host());
            } else {
                break;
            }
            at = target;
        }
        if let Some(host) = elsewhere {
            // The chain was too long: the last host was reserved and not asked.
            frontier.release(&host, Rest { until: frontier.now().await?, ..Rest::default() }).await?;
        }
        let now = frontier.now().await?;
        // A chain that never ended is "unavailable" (RFC 9309 §2.3.1.2), which allows everything.
        let record = record.unwrap_or_else(|| self.record(now, Some(404), Vec::new(), None));
        let robots = Robots::from_answer(record.status, &record.body, self.fetcher.agent());
        frontier.remember_origin(origin, OriginFile::Robots, record).await?;
        own_rest.delay = robots.crawl_delay();
        own_rest.until = own_rest.until.max(now + own_rest.delay.unwrap_or_default().min(self.manners.longest_delay()));
        Ok(own_rest)
    }

    /// The same for `/.well-known/tdmrep.json`; redirects of it are not followed.
    pub async fn ask_tdm(&self, origin: &Origin, delay: Option<Duration>, failures: u32) -> Result<Rest, StoreError> {
        let (answered, file) = self.ask(&origin.at("/.well-known/tdmrep.json")).await?;
        let now = self.store.frontier().now().await?;
        let record = self.record(now, answered.status(), file, answered.fresh_for());
        self.store.frontier().remember_origin(origin, OriginFile::Tdm, record).await?;
        Ok(answered.rest(&self.manners, now, delay, failures))
    }

    async fn ask(&self, at: &Url) -> Result<(Answered, Vec<u8>), StoreError> {
        let request = Request { limit: LARGEST, ..Request::get(at.clone(), Accept::Text) };
        let mut file = Vec::new();
        let answered = match self.fetcher.send(request).await {
            Ok(mut response) => {
                let answered = Answered::from(&response);
                if answered.is_success() {
                    read_up_to_limit(&mut response, &mut file).await;
                }
                answered
            }
            Err(error) => Answered::failed(error),
        };
        Ok((answered, file))
    }

    fn record(&self, now: Timestamp, status: Option<u16>, body: Vec<u8>, fresh_for: Option<Duration>) -> OriginRecord {
        let fresh_for = fresh_for.unwrap_or_else(|| fetch::fresh_for(status, None));
        OriginRecord { at: now, fresh_until: now + fresh_for, status, body }
    }

    /// The record of another origin whose robots.txt `target` is, as when `example.org` sends its
    /// askers to `www.example.org`.
    async fn known_robots(&self, target: &Url, now: Timestamp) -> Result<Option<OriginRecord>, StoreError> {
        if target.path() != "/robots.txt" {
            return Ok(None);
        }
        let record = self.store.frontier().origin(&target.origin(), OriginFile::Robots).await?;
        Ok(record.filter(|record| record.fresh_until > now))
    }

    /// Waits its turn at another host; `false` when that takes too long.
    async fn reserve(&self, host: &HostName) -> Result<bool, StoreError> {
        let frontier = self.store.frontier();
        let deadline = frontier.now().await? + PATIENCE;
        while let Some(again) = frontier.reserve(host).await? {
            if again > deadline {
                return Ok(false);
            }
            sleep_until(frontier, again).await?;
        }
        Ok(true)
    }
}

/// A file longer than the limit is used as far as it was read, as RFC 9309 says.
async fn read_up_to_limit(response: &mut Response, file: &mut Vec<u8>) {
    while let Ok(Some(chunk)) = response.chunk().await {
        file.extend_from_slice(&chunk);
    }
}
