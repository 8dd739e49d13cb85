//! The queue on fjall, a log-structured store: millions of random keys at a tenth of the writes of
//! a B-tree.
//!
//! - [`keys`] and [`rows`]: what is stored; [`spaces`]: where, and changes written at once.
//! - [`front`]: the first keys of a stored order, in memory.
//! - [`backlog`]: one host's queue in one crawl; [`queue`]: the hosts of a crawl, active or parked;
//!   [`parking`]: how they become the one or the other.
//! - [`staging`]: links on their way in; [`claims`]: rows on their way out.
//! - [`moving`]: the queue as a whole, out of this store and into it.
//! - [`clock`]: time, and when each host may be asked; [`state`]: all of it together.

mod backlog;
mod claims;
mod clock;
mod front;
mod keys;
#[cfg(test)]
mod model;
mod moving;
mod parking;
mod queue;
mod rows;
mod spaces;
mod staging;
mod state;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use facts::{HostName, Origin, Timestamp};

use self::clock::Clock;
pub(crate) use self::moving::{Filling, IdleQueue, now as machine_time};
use self::spaces::Space;
use self::state::State;
use crate::work::{HalfDone, Worker};
use crate::{
    Budgets, Claim, ClaimLimit, Claims, CrawlId, Frontier, FrontierFigures, Link, Options, OriginFile, OriginRecord,
    Reservation, Rest, StoreError, Visited,
};

/// The queue of every crawl in one directory.
#[derive(Clone)]
pub(crate) struct EmbeddedFrontier {
    state: Arc<Worker<State>>,
    /// Asked on the spot: a crawl asks it all the time.
    clock: Clock,
}

impl EmbeddedFrontier {
    /// Opens or makes the queue of a library. After an unclean stop each host waits its full delay.
    pub fn open(path: &Path, library: i32, options: &Options) -> Result<Self, StoreError> {
        let clock = Clock::start(options.ahead);
        let mut state = State::open(path, clock.clone(), options.default_delay, options.active_hosts)?;
        state.belong_to(library)?;
        // What is in memory may be ahead of what is stored, or behind it.
        Ok(Self { state: Arc::new(Worker::start(path, state, HalfDone::Unknown)?), clock })
    }

    /// How far its clock is ahead of the machine's.
    pub fn ahead(&self) -> Duration {
        self.clock.ahead()
    }

    /// Writes the mark of a clean stop.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.with(State::close).await
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut State) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.state.run(move |state| work(state.opened()?)).await
    }

    /// [`Frontier::finish`] for visits that are shared with the library.
    pub async fn finish_shared(
        &self,
        crawl: CrawlId,
        visits: Arc<Vec<Visited>>,
        budgets: Budgets,
    ) -> Result<(), StoreError> {
        self.with(move |state| state.finish(crawl, &visits, budgets)).await
    }
}

/// Someone who waits for a host. When nobody receives it the host is free again: nothing was asked of it.
struct Waits<'f> {
    state: &'f Worker<State>,
    host: HostName,
    /// Its failures, once it was granted.
    granted: Arc<Mutex<Option<u32>>>,
    received: bool,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        if self.received {
            return;
        }
        let (host, granted) = (self.host.clone(), Arc::clone(&self.granted));
        self.state.tell(move |state| {
            let granted = *granted.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some(failures), Ok(state)) = (granted, state.opened()) {
                let rest = Rest { until: state.clock.now(), delay: None, failures };
                let _ = state.release(&host, rest);
            }
        });
    }
}

fn origin_key(origin: &Origin, file: OriginFile) -> Vec<u8> {
    let file = match file {
        OriginFile::Robots => 'r',
        OriginFile::Tdm => 't',
    };
    format!("{file} {origin}").into_bytes()
}

#[async_trait]
impl Frontier for EmbeddedFrontier {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.clock.now())
    }

    async fn add(&self, crawl: CrawlId, links: Vec<Link>, budgets: Budgets) -> Result<u64, StoreError> {
        self.with(move |state| state.add(crawl, &links, budgets)).await
    }

    async fn claim(&self, crawl: CrawlId, limit: ClaimLimit) -> Result<Claims, StoreError> {
        self.with(move |state| state.claim(crawl, limit)).await
    }

    async fn release(&self, host: &HostName, rest: Rest) -> Result<(), StoreError> {
        let host = host.clone();
        self.with(move |state| state.release(&host, rest)).await
    }

    async fn put_back(&self, crawl: CrawlId, claim: Claim, failed: bool) -> Result<(), StoreError> {
        self.with(move |state| state.put_back(crawl, claim, failed)).await
    }

    async fn reserve(&self, host: &HostName, delay: Duration) -> Result<Reservation, StoreError> {
        let granted = Arc::new(Mutex::new(None));
        let mut waits =
            Waits { state: &self.state, host: host.clone(), granted: Arc::clone(&granted), received: false };
        let host = host.clone();
        let answer = self.with(move |state| {
            let answer = state.reserve(&host, delay)?;
            if let Reservation::Granted { failures, .. } = answer {
                *granted.lock().unwrap_or_else(PoisonError::into_inner) = Some(failures);
            }
            Ok(answer)
        });
        let answer = answer.await;
        waits.received = true;
        answer
    }

    async fn finish(&self, crawl: CrawlId, visits: &[Visited], budgets: Budgets) -> Result<(), StoreError> {
        self.finish_shared(crawl, Arc::new(visits.to_vec()), budgets).await
    }

    async fn origin(&self, origin: &Origin, file: OriginFile) -> Result<Option<OriginRecord>, StoreError> {
        let key = origin_key(origin, file);
        self.with(move |state| state.spaces.read(Space::Origins, &key)).await
    }

    async fn remember_origin(&self, origin: &Origin, file: OriginFile, record: OriginRecord) -> Result<(), StoreError> {
        let key = origin_key(origin, file);
        self.with(move |state| state.spaces.put(Space::Origins, &key, &record)).await
    }

    async fn figures(&self, crawl: CrawlId) -> Result<FrontierFigures, StoreError> {
        self.with(move |state| state.figures(crawl)).await
    }
}
