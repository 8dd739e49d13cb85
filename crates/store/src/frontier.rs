//! The queue: known addresses, waiting addresses, and the clock of each host.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use facts::{HostName, Origin, Timestamp, UrlId};
use serde::{Deserialize, Serialize};

use crate::{CrawlId, Link, RunId, StoreError, Visited};

/// As long as anything takes.
const ALWAYS: Duration = Duration::from_secs(365 * 24 * 3600);

/// How much of one host or one path template a crawl will queue: against traps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budgets {
    /// Pages of one host.
    pub per_host: u64,
    /// Pages of one host whose addresses have one shape ([`facts::Url::template`]).
    pub per_template: u64,
}

/// How many claims the caller can take now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimLimit {
    /// All kinds together.
    pub any: usize,
    /// Of them, pages at most.
    pub pages: usize,
    /// What the run may ask for that they are for, when that is limited. Only a home that others share looks
    /// at it: alone, the caller knows what was asked for.
    pub run: Option<RunPages>,
    /// The delay that hosts are asked with which ask for none: so long at least they rest when whoever claims
    /// is gone before it lets go of them.
    pub delay: Duration,
}

/// The pages that a run asks for at most, over all who work on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunPages {
    /// The run.
    pub run: RunId,
    /// How many.
    pub most: u64,
}

/// A row taken from the queue. Its host is busy until [`Frontier::release`].
#[derive(Clone, Debug)]
pub struct Claim {
    /// Claims of a crawl are numbered as they are made, over all its runs.
    pub number: u64,
    /// The identity of the address.
    pub id: UrlId,
    /// What to visit.
    pub link: Link,
    /// How often this row was claimed before and put back.
    pub tries: u32,
    /// How often the address was visited before in this crawl: 0, but for those that were
    /// reopened. With the address it names a visit.
    pub round: u32,
    /// The delay between two requests that its host asked for, when it did.
    pub host_delay: Option<Duration>,
    /// Requests to its host that failed since the last that worked.
    pub host_failures: u32,
    /// Which taking of its host this is, where others share the queue: 0 where nobody does.
    pub taking: u64,
}

/// An answer to [`Frontier::claim`].
#[derive(Clone, Debug, Default)]
pub struct Claims {
    /// Best first; no two of one host.
    pub claims: Vec<Claim>,
    /// When nothing could be claimed although rows wait: when to ask again, which is when the next
    /// resting host is free. Nothing when all that may be claimed waits for busy hosts.
    pub next: Option<Timestamp>,
    /// Nothing could be claimed, and the host of something that may be is busy, perhaps with another
    /// crawl. Known where `next` is none or some time away.
    pub busy: bool,
    /// Nothing waits and nothing is claimed: the crawl has come to its end. A claimed row counts
    /// as waiting until it is finished.
    pub empty: bool,
}

/// How a host should be left alone after a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rest {
    /// No request before this moment.
    pub until: Timestamp,
    /// The delay the host asked for from now on (robots.txt), when that is known.
    pub delay: Option<Duration>,
    /// Failed requests in a row, this one included.
    pub failures: u32,
}

/// An answer to [`Frontier::reserve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reservation {
    /// The host is busy with it until [`Frontier::release`].
    Granted {
        /// The delay the host asked for, when it did.
        delay: Option<Duration>,
        /// Requests to it that failed since the last that worked.
        failures: u32,
        /// Which taking of the host this is, as [`Claim::taking`].
        taking: u64,
    },
    /// The moment to ask again.
    NotBefore(Timestamp),
}

/// A file at a fixed place of an origin that says how to behave there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OriginFile {
    /// `/robots.txt`.
    Robots,
    /// `/.well-known/tdmrep.json`.
    Tdm,
}

/// What an [`OriginFile`] said, kept so that it is asked for once in its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginRecord {
    /// When it was fetched.
    pub at: Timestamp,
    /// Until when it holds.
    pub fresh_until: Timestamp,
    /// HTTP status; nothing when the host could not be reached.
    pub status: Option<u16>,
    /// Why it could not be reached.
    pub trouble: Option<OriginTrouble>,
    /// How often in a row it could not be had, this time included.
    pub attempts: u32,
    /// Its bytes, cut at 500 KiB (RFC 9309 §2.5).
    pub body: Vec<u8>,
}

/// Why an [`OriginFile`] could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OriginTrouble {
    /// The reason it is counted by: `dns`, `tls` …
    pub reason: String,
    /// What happened.
    pub detail: String,
    /// Another try may go better.
    pub passing: bool,
}

/// Figures of a crawl's queue, kept in the transactions that change it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrontierFigures {
    /// Page addresses known.
    pub known_pages: u64,
    /// Media addresses known.
    pub known_media: u64,
    /// Pages waiting.
    pub queued_pages: u64,
    /// Media waiting.
    pub queued_media: u64,
    /// Links not queued because a budget was used up.
    pub over_budget: u64,
    /// Whose budgets were used up, at most [`MOST_OVERRUNS`], those with the most links first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overruns: Vec<Overrun>,
}

/// How many overruns are told.
pub const MOST_OVERRUNS: usize = 50;

/// A budget that was used up: mostly a trap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overrun {
    /// The host.
    pub host: String,
    /// What the addresses have in common, with `0` for any number and `*` for any long name; none when it
    /// is the host itself that has too many.
    pub shape: Option<String>,
    /// Links that were not queued.
    pub refused: u64,
}

impl Overrun {
    /// What is told of all there are: those with the most links, first.
    pub(crate) fn worst(mut all: Vec<Self>) -> Vec<Self> {
        all.sort_by(|a, b| b.refused.cmp(&a.refused).then_with(|| (&a.host, &a.shape).cmp(&(&b.host, &b.shape))));
        all.truncate(MOST_OVERRUNS);
        all
    }
}

impl std::fmt::Display for Overrun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { host, shape, refused } = self;
        let links = if *refused == 1 { "1 link was" } else { &format!("{refused} links were") };
        match shape {
            Some(shape) => write!(f, "{shape} has more addresses than are wanted of one shape: {links} left alone"),
            None => write!(f, "{host} has more pages than are wanted of one host: {links} left alone"),
        }
    }
}

/// The queue of every crawl, and the politeness clock they share.
///
/// A host is *busy* from claim (or reserve) to release, and *resting* until its clock allows.
/// Neither is ever claimed, whichever crawl asks.
///
/// A call does its work to the end even when nobody waits for the answer any more; whoever drops
/// the future of a claim loses what was claimed until the next start.
#[async_trait]
pub trait Frontier: Send + Sync {
    /// The moment by the store's clock.
    async fn now(&self) -> Result<Timestamp, StoreError>;

    /// Adds links (seeds) that are not known yet; gives how many were new.
    async fn add(&self, crawl: CrawlId, links: Vec<Link>, budgets: Budgets) -> Result<u64, StoreError>;

    /// Takes the best rows of hosts that are free, media before pages, and marks their hosts busy.
    async fn claim(&self, crawl: CrawlId, limit: ClaimLimit) -> Result<Claims, StoreError>;

    /// The request of a claim or reservation has ended: the host rests. At once, without waiting
    /// for the commit.
    async fn release(&self, host: &HostName, rest: Rest) -> Result<(), StoreError>;

    /// [`release`](Self::release) for one of several takings: what others took over meanwhile, and this process
    /// perhaps took again for something else, is left alone.
    async fn release_taken(&self, host: &HostName, taking: u64, rest: Rest) -> Result<(), StoreError> {
        let _ = taking;
        self.release(host, rest).await
    }

    /// Puts a claimed row back where it was, to be claimed again not before its host is free:
    /// the request was used for something else (robots.txt), or should be tried again. A row put
    /// back with `failed` counts one more try. A claim that is not known any more is left alone.
    async fn put_back(&self, crawl: CrawlId, claim: Claim, failed: bool) -> Result<(), StoreError>;

    /// Asks to make one request to a host outside of a claim (a hop of a robots.txt redirect). `delay` is that of
    /// [`ClaimLimit`].
    async fn reserve(&self, host: &HostName, delay: Duration) -> Result<Reservation, StoreError>;

    /// Until when, by this machine's clock, nobody else will ask a host that was claimed or reserved: in a shared
    /// database others take over from a process that gave no sign of life for too long. Nothing when it is not held
    /// any more. Signs of life put it off; whoever makes a request breaks it off then.
    fn held_until(&self, host: &HostName, taking: u64) -> Option<Instant> {
        let _ = (host, taking);
        Some(Instant::now() + ALWAYS)
    }

    /// Marks visits as done and queues what they found, in one transaction.
    /// Called by [`Store::commit`](crate::Store::commit) after the library has them.
    async fn finish(&self, crawl: CrawlId, visits: &[Visited], budgets: Budgets) -> Result<(), StoreError>;

    /// What an origin said about manners, if it was asked.
    async fn origin(&self, origin: &Origin, file: OriginFile) -> Result<Option<OriginRecord>, StoreError>;

    /// Remembers it.
    async fn remember_origin(&self, origin: &Origin, file: OriginFile, record: OriginRecord) -> Result<(), StoreError>;

    /// Figures of a crawl's queue.
    async fn figures(&self, crawl: CrawlId) -> Result<FrontierFigures, StoreError>;
}
