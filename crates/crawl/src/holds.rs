//! What a run holds of the queue: claims until what they found is safe, hosts until they are let go of. Whatever ends
//! the run, a process that lives on keeps none of it.

use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use facts::{HostName, Timestamp};
use fetch::{Answer, Manners};
use store::{Blocked, Claim, CrawlId, Reservation, Rest, Store, StoreError};

use crate::origin::{no_sooner, sleep_until};

/// A host that is held, and what is known of it when it is asked.
#[derive(Clone, Copy)]
pub(crate) struct Guest {
    pub delay: Option<Duration>,
    pub failures: u32,
    /// Which of its takings this is.
    pub taking: u64,
}

impl Guest {
    /// As it was claimed.
    pub fn of(claim: &Claim) -> Self {
        Self { delay: claim.host_delay, failures: claim.host_failures, taking: claim.taking }
    }

    /// How long it rests after an answer.
    pub fn rest(self, manners: &Manners, now: Timestamp, answer: &Answer) -> Rest {
        let advice = manners.rest(now, self.delay, self.failures, answer);
        Rest { until: no_sooner(now, advice.until), delay: None, failures: advice.failures }
    }
}

/// All that a run holds.
pub(crate) struct Holds {
    store: Arc<Store>,
    manners: Manners,
    /// What may not be asked any more.
    blocked: Blocked,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// By their numbers.
    claims: HashMap<u64, Claim>,
    /// By which of their takings they are held.
    hosts: HashMap<(HostName, u64), Guest>,
    /// All was given back: nothing is taken any more.
    over: bool,
}

impl Holds {
    pub fn new(store: Arc<Store>, manners: Manners, blocked: Blocked) -> Self {
        Self { store, manners, blocked, held: Mutex::default() }
    }

    /// A claim was made; its host is held with it.
    pub fn claimed(&self, claim: &Claim) {
        let mut held = self.held();
        held.hosts.insert((claim.link.url.host(), claim.taking), Guest::of(claim));
        held.claims.insert(claim.number, claim.clone());
    }

    /// What a claim found is safe, or it waits again.
    pub fn is_done(&self, claim: u64) {
        self.held().claims.remove(&claim);
    }

    /// Waits its turn at a host outside of a claim; nothing when that takes too long.
    pub async fn reserve(&self, host: &HostName, patience: Duration) -> Result<Option<Guest>, StoreError> {
        let frontier = self.store.frontier();
        let deadline = frontier.now().await? + patience;
        loop {
            match frontier.reserve(host, self.manners.delay).await? {
                Reservation::Granted { delay, failures, taking } => {
                    let guest = Guest { delay, failures, taking };
                    let is_over = {
                        let mut held = self.held();
                        held.hosts.insert((host.clone(), taking), guest);
                        held.over
                    };
                    if is_over {
                        let until = frontier.now().await?;
                        self.release(host, taking, Rest { until, delay: None, failures }).await?;
                    }
                    return Ok((!is_over).then_some(guest));
                }
                Reservation::NotBefore(moment) if moment > deadline => return Ok(None),
                Reservation::NotBefore(moment) => sleep_until(&**frontier, moment).await?,
            }
        }
    }

    /// A host rests from now on. One that was let go of already is left alone: others may ask it.
    pub async fn release(&self, host: &HostName, taking: u64, rest: Rest) -> Result<(), StoreError> {
        let was_held = self.held().hosts.remove(&(host.clone(), taking)).is_some();
        // A release that was begun is made, whatever becomes of who began it: so it is noted before.
        if was_held { self.store.frontier().release_taken(host, taking, rest).await } else { Ok(()) }
    }

    /// A claim waits again.
    pub async fn put_back(&self, crawl: CrawlId, claim: Claim, failed: bool) -> Result<(), StoreError> {
        let number = claim.number;
        self.store.frontier().put_back(crawl, claim, failed).await?;
        self.is_done(number);
        Ok(())
    }

    /// Asks a host for something as long as it is held: nothing when others took over before the end, or may from
    /// now on, nor of a host that was forgotten since its visit began. Every request of a run is made so.
    pub async fn asking<T>(&self, host: &HostName, taking: u64, asked: impl Future<Output = T>) -> Option<T> {
        if self.blocked.host(host) {
            return None;
        }
        let frontier = self.store.frontier();
        let held = || frontier.held_until(host, taking).filter(|until| *until > Instant::now());
        let mut expiry = pin!(tokio::time::sleep_until(held()?.into()));
        let mut asked = pin!(asked);
        poll_fn(|context| {
            loop {
                // Looked at whatever woke it: a machine that slept has answers to read before it knows how late it is.
                let Some(until) = held() else { return Poll::Ready(None) };
                match expiry.as_mut().poll(context) {
                    Poll::Pending => return asked.as_mut().poll(context).map(Some),
                    // A sign of life was given meanwhile.
                    Poll::Ready(()) => expiry.as_mut().reset(until.into()),
                }
            }
        })
        .await
    }

    /// Gives back what is still held: claims wait again where they were, hosts rest as long as after a request.
    pub async fn give_back(&self, crawl: CrawlId) -> Result<(), StoreError> {
        let (claims, hosts) = {
            let mut held = self.held();
            held.over = true;
            let claims: Vec<Claim> = held.claims.values().cloned().collect();
            (claims, held.hosts.iter().map(|(host, guest)| (host.clone(), *guest)).collect::<Vec<_>>())
        };
        for claim in claims {
            self.put_back(crawl, claim, false).await?;
        }
        for ((host, taking), guest) in hosts {
            let now = self.store.frontier().now().await?;
            let rest = Rest { failures: guest.failures, ..guest.rest(&self.manners, now, &Answer::Fine) };
            self.release(&host, taking, rest).await?;
        }
        Ok(())
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use facts::{Branch, Order, Url};
    use store::{Budgets, ClaimLimit, Link, LinkContext, Options, VisitKind};

    use super::*;

    const CRAWL: CrawlId = CrawlId(1);
    const ALL: ClaimLimit = ClaimLimit { any: 10, pages: 10, run: None, delay: Duration::ZERO };

    fn page(url: &str) -> Link {
        Link {
            url: Url::parse(url).unwrap(),
            kind: VisitKind::Page,
            order: Order::FirstIn,
            depth: 0,
            branch: Branch::default(),
            parent: None,
            referer: None,
            context: LinkContext::default(),
            hops: Vec::new(),
            reopen: false,
        }
    }

    async fn claimed(store: &Arc<Store>, urls: &[&str]) -> (Holds, Vec<Claim>) {
        let budgets = Budgets { per_host: 100, per_template: 100 };
        store.frontier().add(CRAWL, urls.iter().map(|url| page(url)).collect(), budgets).await.unwrap();
        let manners = Manners { delay: Duration::from_millis(30), ..Manners::default() };
        let holds = Holds::new(Arc::clone(store), manners, Blocked::default());
        let claims = store.frontier().claim(CRAWL, ALL).await.unwrap().claims;
        claims.iter().for_each(|claim| holds.claimed(claim));
        (holds, claims)
    }

    fn open(dir: &tempfile::TempDir) -> Arc<Store> {
        Arc::new(Store::open(dir.path(), Options::default()).unwrap())
    }

    #[tokio::test]
    async fn what_a_run_leaves_behind_is_claimed_by_the_next_of_the_same_process_after_a_rest() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(&dir);
        let (holds, claims) = claimed(&store, &["http://a.example/", "http://b.example/"]).await;
        let other = HostName::parse("c.example").unwrap();
        holds.reserve(&other, Duration::ZERO).await.unwrap().expect("free");
        // One of them found something that is safe, and let its host go.
        let frontier = store.frontier();
        let (landed, left) = (&claims[0], &claims[1]);
        let until = frontier.now().await.unwrap();
        let host = landed.link.url.host();
        holds.release(&host, landed.taking, Rest { until, ..Rest::default() }).await.unwrap();
        holds.is_done(landed.number);
        let began = frontier.now().await.unwrap();
        holds.give_back(CRAWL).await.unwrap();
        let Reservation::NotBefore(moment) = frontier.reserve(&other, Duration::ZERO).await.unwrap() else {
            panic!("it rests")
        };
        assert!(moment.since(began) >= Duration::from_millis(30));
        let again = loop {
            let claims = frontier.claim(CRAWL, ALL).await.unwrap();
            match claims.next {
                Some(next) => sleep_until(&**frontier, next).await.unwrap(),
                None => break claims.claims,
            }
        };
        assert!(frontier.now().await.unwrap().since(began) >= Duration::from_millis(30));
        assert_eq!(again.iter().map(|claim| claim.id).collect::<Vec<_>>(), [left.id]);
        // Nothing is taken after the end.
        let late = HostName::parse("d.example").unwrap();
        assert!(holds.reserve(&late, Duration::ZERO).await.unwrap().is_none());
        assert!(matches!(frontier.reserve(&late, Duration::ZERO).await.unwrap(), Reservation::Granted { .. }));
    }

    #[tokio::test]
    async fn a_host_is_let_go_of_once() {
        let dir = tempfile::tempdir().unwrap();
        let store = open(&dir);
        let (holds, claims) = claimed(&store, &["http://a.example/"]).await;
        let (host, frontier) = (claims[0].link.url.host(), store.frontier());
        let until = frontier.now().await.unwrap();
        let rest = Rest { until, ..Rest::default() };
        holds.release(&host, 0, rest).await.unwrap();
        assert!(matches!(frontier.reserve(&host, Duration::ZERO).await.unwrap(), Reservation::Granted { .. }));
        holds.release(&host, 0, rest).await.unwrap();
        assert!(
            matches!(frontier.reserve(&host, Duration::ZERO).await.unwrap(), Reservation::NotBefore(_)),
            "another asks it"
        );
    }
}
