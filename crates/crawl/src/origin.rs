//! What an origin says about manners: robots.txt and tdmrep.json, asked for once in their time.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facts::{HostName, Origin, Timestamp, Url};
use fetch::{Accept, Answer, FetchError, Fetcher, Manners, ROBOTS_LIMIT, Request, Robots, TDM_PATH, Tdm};
use lru::LruCache;
use store::{Claim, Frontier, OriginFile, OriginRecord, OriginTrouble, Rest, Store, StoreError};

use crate::holds::{Guest, Holds};

/// Bytes of parsed files of one kind kept in memory, and those of the largest that is: the others are parsed
/// again from the store. Few rules take more than a thousand.
const PARSED: usize = 16 << 20;
const LARGEST_PARSED: usize = 512 << 10;
/// Files up to this size are parsed at once; longer ones take longer than those may wait who wait for the
/// network.
const SHORT: usize = 32 << 10;
/// RFC 9309 §2.3.1.2: at least five hops are followed.
const HOPS: usize = 5;
/// How long a redirected file waits for its other host to be free.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long an answer holds that says nothing about it.
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The rules of origins, as far as they are known.
pub(crate) struct Origins {
    store: Arc<Store>,
    holds: Arc<Holds>,
    fetcher: Fetcher,
    manners: Manners,
    robots: Parsed<Robots>,
    tdm: Parsed<Tdm>,
    /// How often a file is asked for when that fails in a way that may pass.
    tries: u32,
    started: Timestamp,
}

/// Rules that were parsed lately, with the moment they expire; those asked for longest ago go first.
struct Parsed<T>(Mutex<Shelf<T>>);

struct Shelf<T> {
    rules: LruCache<Origin, (Timestamp, Arc<Rules<T>>)>,
    bytes: usize,
}

/// What files of origins say.
pub(crate) trait Saying: Send + 'static {
    /// Bytes of memory it takes.
    fn memory(&self) -> usize;
}

impl Saying for Robots {
    fn memory(&self) -> usize {
        self.memory()
    }
}

impl Saying for Tdm {
    fn memory(&self) -> usize {
        self.memory()
    }
}

impl<T: Saying> Parsed<T> {
    fn new() -> Self {
        Self(Mutex::new(Shelf { rules: LruCache::unbounded(), bytes: 0 }))
    }

    fn get(&self, origin: &Origin, now: Timestamp) -> Option<Arc<Rules<T>>> {
        let mut parsed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parsed.rules.get(origin).filter(|(until, _)| *until > now).map(|(_, rules)| Arc::clone(rules))
    }

    fn put(&self, origin: &Origin, until: Timestamp, rules: Rules<T>) -> Arc<Rules<T>> {
        let rules = Arc::new(rules);
        let mut parsed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Shelf { rules: kept, bytes } = &mut *parsed;
        if let Some((_, old)) = kept.pop(origin) {
            *bytes -= old.memory();
        }
        let size = rules.memory();
        if size <= LARGEST_PARSED {
            *bytes += size;
            kept.put(origin.clone(), (until, Arc::clone(&rules)));
        }
        while *bytes > PARSED
            && let Some((_, (_, oldest))) = kept.pop_lru()
        {
            *bytes -= oldest.memory();
        }
        rules
    }
}

impl<T: Saying> Rules<T> {
    /// With its place among others.
    fn memory(&self) -> usize {
        let trouble = self.trouble.as_ref().map_or(0, |trouble| trouble.reason.len() + trouble.detail.len());
        512 + self.says.memory() + trouble
    }
}

/// How a file is read: from the status and body of its answer, for a crawler of this name.
type Read<T> = fn(Option<u16>, &[u8], &str) -> T;

/// What a file of an origin says, or why that is not known.
pub(crate) struct Rules<T> {
    pub says: T,
    /// Set when the origin could not be asked.
    pub trouble: Option<OriginTrouble>,
    /// How long this holds.
    pub until: Timestamp,
    /// Nothing is known yet, which may be otherwise when the origin is asked again.
    pub may_pass: bool,
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
    /// It could not be had, or not whole.
    fn failed(error: &FetchError) -> Self {
        let trouble =
            OriginTrouble { reason: error.reason().into(), detail: error.to_string(), passing: error.is_transient() };
        let answer = Answer::of_error(error);
        Self { status: None, redirect: None, headers: None, body: Vec::new(), trouble: Some(trouble), answer }
    }
}

impl Origins {
    pub fn new(
        store: Arc<Store>,
        holds: Arc<Holds>,
        fetcher: Fetcher,
        manners: Manners,
        tries: u32,
        started: Timestamp,
    ) -> Self {
        Self { store, holds, fetcher, manners, robots: Parsed::new(), tdm: Parsed::new(), tries, started }
    }

    /// The rules for crawlers, when they were asked for and still hold.
    pub async fn robots(&self, origin: &Origin, now: Timestamp) -> Result<Option<Arc<Rules<Robots>>>, StoreError> {
        self.rules(&self.robots, OriginFile::Robots, origin, now, Robots::from_answer).await
    }

    /// The reservations of text and data mining rights, when they were asked for and still hold.
    pub async fn tdm(&self, origin: &Origin, now: Timestamp) -> Result<Option<Arc<Rules<Tdm>>>, StoreError> {
        self.rules(&self.tdm, OriginFile::Tdm, origin, now, |status, body, _| Tdm::from_answer(status, body)).await
    }

    async fn rules<T: Saying>(
        &self,
        parsed: &Parsed<T>,
        file: OriginFile,
        origin: &Origin,
        now: Timestamp,
        read: Read<T>,
    ) -> Result<Option<Arc<Rules<T>>>, StoreError> {
        if let Some(rules) = parsed.get(origin, now) {
            return Ok(Some(rules));
        }
        let Some(mut record) = self.fresh(origin, file, now).await? else { return Ok(None) };
        let passing = record.trouble.as_ref().is_none_or(|trouble| trouble.passing);
        let may_pass = is_failure(record.status) && passing && record.attempts < self.tries;
        let says = self.read(record.status, std::mem::take(&mut record.body), read).await;
        let until = record.fresh_until;
        Ok(Some(parsed.put(origin, until, Rules { says, trouble: record.trouble, until, may_pass })))
    }

    /// Reads a file; a long one not on the thread of those who wait for the network.
    async fn read<T: Send + 'static>(&self, status: Option<u16>, body: Vec<u8>, read: Read<T>) -> T {
        let product = self.fetcher.product().to_owned();
        if body.len() <= SHORT {
            return read(status, &body, &product);
        }
        match tokio::task::spawn_blocking(move || read(status, &body, &product)).await {
            Ok(says) => says,
            Err(panic) => std::panic::resume_unwind(panic.into_panic()),
        }
    }

    async fn fresh(
        &self,
        origin: &Origin,
        file: OriginFile,
        now: Timestamp,
    ) -> Result<Option<OriginRecord>, StoreError> {
        let record = self.store.frontier().origin(origin, file).await?;
        // What failed before this start is worth another try: whoever starts again has a reason.
        let is_old_failure = |record: &OriginRecord| is_failure(record.status) && record.at < self.started;
        Ok(record.filter(|record| record.fresh_until > now && !is_old_failure(record)))
    }

    /// Uses the request that was claimed for `origin`'s host to ask for one of its files. Gives how
    /// its host should rest; the host stays busy meanwhile. Nothing when others took it over.
    pub async fn ask_for(&self, file: OriginFile, origin: &Origin, claim: &Claim) -> Result<Option<Rest>, StoreError> {
        let frontier = self.store.frontier();
        let earlier = frontier.origin(origin, file).await?.map_or(0, |record| record.attempts);
        self.asked(file, origin, Guest::of(claim), earlier).await
    }

    /// As a guest of another host, asks for the rules of one of its origins, waits as long as the host wants
    /// to be left alone after that, and gives them.
    pub async fn ask_as(&self, guest: Guest, origin: &Origin) -> Result<Option<Arc<Rules<Robots>>>, StoreError> {
        let frontier = self.store.frontier();
        let earlier = frontier.origin(origin, OriginFile::Robots).await?.map_or(0, |record| record.attempts);
        let Some(rest) = self.asked(OriginFile::Robots, origin, guest, earlier).await? else { return Ok(None) };
        sleep_until(&**frontier, rest.until).await?;
        self.robots(origin, frontier.now().await?).await
    }

    async fn asked(
        &self,
        file: OriginFile,
        origin: &Origin,
        known: Guest,
        earlier: u32,
    ) -> Result<Option<Rest>, StoreError> {
        let frontier = self.store.frontier();
        let Some((record, mut rest)) = self.follow(file, origin, known, earlier).await? else { return Ok(None) };
        if file == OriginFile::Robots {
            let robots = self.read(record.status, record.body.clone(), Robots::from_answer).await;
            if robots.is_widened() {
                tracing::warn!(
                    "{origin}: its robots.txt has thousands of patterns: all that begins like one is denied"
                );
            }
            if let Some(delay) = robots.crawl_delay() {
                // The delay that robots.txt asks for holds from its own request on.
                rest.delay = Some(delay);
                let now = frontier.now().await?;
                rest.until = rest.until.max(no_sooner(now, now + delay.min(self.manners.max_delay)));
            }
        }
        frontier.remember_origin(origin, file, record).await?;
        Ok(Some(rest))
    }

    /// Follows a file to where it is, each hop under the clock of the host it goes to. Nothing when others took
    /// that over.
    async fn follow(
        &self,
        file: OriginFile,
        origin: &Origin,
        known: Guest,
        earlier: u32,
    ) -> Result<Option<(OriginRecord, Rest)>, StoreError> {
        let frontier = self.store.frontier();
        let mut own_rest = Rest { failures: known.failures, ..Rest::default() };
        let mut at = origin.at(path_of(file));
        for _ in 0..=HOPS {
            let elsewhere = Some(at.host()).filter(|host| host != origin.host());
            let manner = match &elsewhere {
                Some(host) => match self.holds.reserve(host, PATIENCE).await? {
                    Some(manner) => manner,
                    None => return Ok(Some((self.busy(host, earlier).await?, own_rest))),
                },
                None => known,
            };
            // Whoever had the host before may have asked for the same.
            if let (Some(host), Some(found)) = (&elsewhere, self.known(file, &at).await?) {
                let rest = Rest { until: frontier.now().await?, delay: None, failures: manner.failures };
                self.holds.release(host, manner.taking, rest).await?;
                return Ok(Some((found, own_rest)));
            }
            let answer = self.holds.asking(&at.host(), manner.taking, self.ask(&at)).await.transpose()?;
            let now = frontier.now().await?;
            let said = answer.as_ref().map_or(Answer::Fine, |answer| answer.answer);
            let rest = manner.rest(&self.manners, now, &said);
            match &elsewhere {
                Some(host) => self.holds.release(host, manner.taking, rest).await?,
                None => own_rest = rest,
            }
            let Some(answer) = answer else { return Ok(None) };
            let Some(target) = answer.redirect.clone() else {
                let record = self.record(file, answer, now, earlier);
                if at.path() == path_of(file) && at.origin() != *origin {
                    frontier.remember_origin(&at.origin(), file, record.clone()).await?;
                }
                return Ok(Some((record, own_rest)));
            };
            if let Some(found) = self.known(file, &target).await? {
                return Ok(Some((found, own_rest)));
            }
            if target.host() == *origin.host() {
                sleep_until(&**frontier, own_rest.until).await?;
            }
            at = target;
        }
        // A chain that does not end is "unavailable", which allows everything (RFC 9309 §2.3.1.2).
        let now = frontier.now().await?;
        let body = Vec::new();
        let fresh_until = now + DAY;
        let record = OriginRecord { at: now, fresh_until, status: Some(404), trouble: None, attempts: 0, body };
        Ok(Some((record, own_rest)))
    }

    /// What is remembered of an answer. One that may go better next time is asked for again soon,
    /// a few times; after that it holds for longer.
    fn record(&self, file: OriginFile, answer: File, now: Timestamp, earlier: u32) -> OriginRecord {
        let File { status, trouble, body, headers, .. } = answer;
        let failed = is_failure(status);
        let attempts = if failed { earlier.saturating_add(1) } else { 0 };
        let passing = failed && trouble.as_ref().is_none_or(|trouble| trouble.passing);
        let fresh_for = if passing && attempts < self.tries {
            self.manners.back_off.saturating_mul(1 << attempts.min(8))
        } else {
            match file {
                OriginFile::Robots => {
                    // How long it holds is not said in the file itself.
                    let robots = Robots::from_answer(status, &[], self.fetcher.product());
                    robots.fresh_for(headers.as_ref(), attempts)
                }
                OriginFile::Tdm => DAY,
            }
        };
        OriginRecord { at: now, fresh_until: now + fresh_for, status, trouble, attempts, body }
    }

    /// What is remembered when the host that has the file could not be asked in time.
    async fn busy(&self, host: &HostName, earlier: u32) -> Result<OriginRecord, StoreError> {
        let now = self.store.frontier().now().await?;
        let detail = format!("{host}, where the file is, had no time for a request within {PATIENCE:?}");
        let trouble = Some(OriginTrouble { reason: "busy".into(), detail, passing: true });
        let fresh_until = now + self.manners.back_off;
        Ok(OriginRecord { at: now, fresh_until, status: None, trouble, attempts: earlier + 1, body: Vec::new() })
    }

    async fn ask(&self, at: &Url) -> Result<File, StoreError> {
        let request = Request { limit: ROBOTS_LIMIT, ..Request::new(at.clone(), Accept::Text) };
        Ok(match self.fetcher.send(request).await {
            Ok(mut response) => {
                let now = self.store.frontier().now().await?;
                let answer = Answer::of_status(response.status, response.retry_after(now));
                let mut body = Vec::new();
                let broken = loop {
                    match response.chunk().await {
                        Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                        Ok(None) => break None,
                        // What is longer than the limit is used as far as it came (RFC 9309 §2.5).
                        Err(FetchError::TooLarge { .. }) => break None,
                        Err(error) => break Some(error),
                    }
                };
                // Half of it may lack the very rule that matters.
                if let Some(error) = broken {
                    return Ok(File::failed(&error));
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
            Err(FetchError::TooManyFiles { host }) => return Err(StoreError::TooManyFiles { path: host.into() }),
            Err(error) => File::failed(&error),
        })
    }

    /// The record of another origin whose file `target` is, as when `example.org` sends its askers
    /// to `www.example.org`.
    async fn known(&self, file: OriginFile, target: &Url) -> Result<Option<OriginRecord>, StoreError> {
        if target.path() != path_of(file) {
            return Ok(None);
        }
        let now = self.store.frontier().now().await?;
        self.fresh(&target.origin(), file, now).await
    }
}

fn path_of(file: OriginFile) -> &'static str {
    match file {
        OriginFile::Robots => "/robots.txt",
        OriginFile::Tdm => TDM_PATH,
    }
}

/// No answer, or one that says nothing about the file.
fn is_failure(status: Option<u16>) -> bool {
    status.is_none_or(|status| status == 429 || status >= 500)
}

/// Moments are cut to whole milliseconds: a rest that is to be no shorter than its delay ends one
/// later. No rest at all stays none.
pub(crate) fn no_sooner(now: Timestamp, until: Timestamp) -> Timestamp {
    if until > now { until + Duration::from_millis(1) } else { until }
}

/// Sleeps until the store's clock shows that moment.
pub(crate) async fn sleep_until(frontier: &dyn Frontier, moment: Timestamp) -> Result<(), StoreError> {
    let wait = moment.since(frontier.now().await?);
    tokio::time::sleep(wait).await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Rules<Robots> {
        let says = Robots::from_answer(Some(200), text.as_bytes(), "Bowerbird");
        Rules { says, trouble: None, until: Timestamp(i64::MAX), may_pass: false }
    }

    fn origin(number: usize) -> Origin {
        facts::Url::parse(&format!("http://host{number}.example/")).unwrap().origin()
    }

    #[test]
    fn what_hosts_say_takes_no_more_memory_than_set_aside_however_many_there_are() {
        let parsed = Parsed::new();
        let long: String = (0..3000).map(|n| format!("Disallow: /{n}\n")).collect();
        for number in 0..200 {
            parsed.put(&origin(number), Timestamp(i64::MAX), rules(&format!("User-agent: *\n{long}")));
        }
        let held = |parsed: &Parsed<Robots>| {
            let shelf = parsed.0.lock().unwrap();
            assert_eq!(shelf.bytes, shelf.rules.iter().map(|(_, (_, rules))| rules.memory()).sum::<usize>());
            (shelf.bytes, shelf.rules.len())
        };
        assert!(held(&parsed).0 <= PARSED && held(&parsed).1 < 200);
        assert!(parsed.get(&origin(199), Timestamp(0)).is_some() && parsed.get(&origin(0), Timestamp(0)).is_none());
        parsed.put(&origin(199), Timestamp(i64::MAX), rules(""));
        held(&parsed);
    }

    #[test]
    fn one_host_with_much_to_say_does_not_displace_all_others() {
        let parsed = Parsed::new();
        parsed.put(&origin(0), Timestamp(i64::MAX), rules("User-agent: *\nDisallow: /a"));
        let long: String = (0..50_000).map(|n| format!("alow:{n}\n")).collect();
        for number in 1..4 {
            let used = parsed.put(&origin(number), Timestamp(i64::MAX), rules(&format!("User-agent: *\n{long}")));
            assert!(used.memory() > LARGEST_PARSED);
            assert!(parsed.get(&origin(number), Timestamp(0)).is_none());
        }
        assert!(parsed.get(&origin(0), Timestamp(0)).is_some());
    }
}
