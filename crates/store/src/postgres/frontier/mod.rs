//! The queue in a shared database, for any number of processes at once.
//!
//! - `frontier.sql`: the tables, and the few steps that are taken there at once: letting hosts rest, giving back
//!   what was taken without an answer; `by_key.sql`: taking rows out again; `rests.sql`: taking rows, and giving
//!   back what a dead worker held.
//! - [`releases`]: hosts that are let go of at the same time, together.
//! - [`lease`]: a process's sign of life; [`held`]: what it holds; [`clock`]: the server's time, without
//!   asking it all the time.
//! - [`moving`]: the queue as a whole, out of these tables and into them.
//! - [`staging`]: links on their way in, a batch at a time; [`places`]: where addresses stand.
//!
//! Whoever changes what waits of a host holds its row of `backlog`; whoever takes work passes over what
//! others hold, so that nobody waits for anybody's claim.

mod clock;
mod held;
mod lease;
mod moving;
mod places;
mod releases;
mod staging;

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use facts::{HostName, Origin, Timestamp};

pub(crate) use self::clock::Clock;
use self::held::Held;
use self::lease::Lease;
pub(crate) use self::moving::{Filling, IdleQueue, Stillness};
use self::places::{host_number, read_place};
use self::releases::{Answered, Ended, Releases};
use self::staging::Staged;
use super::Pool;
use crate::files::Number;
use crate::rank::Lane;
use crate::sql::{self, Connection, Session};
use crate::work::off_thread;
use crate::{
    Budgets, Claim, ClaimLimit, Claims, CrawlId, Frontier, FrontierFigures, Link, MOST_OVERRUNS, Options, OriginFile,
    OriginRecord, Overrun, Reservation, Rest, RunId, RunPages, StoreError, Visited, WorkerSeen, Workload,
};

/// How soon to ask again for a host that is busy: nobody knows when it will be free.
const BUSY_PAUSE: Duration = Duration::from_millis(100);

/// When the next host is free this soon, nobody needs to know whether another is busy.
const SOON: Duration = Duration::from_secs(1);

/// Rows that are taken at once.
const MOST: usize = 10_000;

/// Hosts that are looked at to say how many workers would pay: who asks does not wait for a count of millions.
const MOST_LOOKED_AT: i64 = 100_000;

/// Processes of before whose rates tell what a worker can do here, beside those at work.
const RECENT: i64 = 20;

/// When a busy host is free.
const NEVER: i64 = i64::MAX;

/// Processes that are looked at to say how many were lost lately.
const MOST_JOINED: i64 = 10_000;

/// The queue of every crawl in one database.
#[derive(Clone)]
pub(crate) struct SharedFrontier(Arc<Shared>);

struct Shared {
    pool: Arc<Pool>,
    clock: Clock,
    lease: Lease,
    held: Arc<Held>,
    releases: Releases,
    default_delay: i64,
}

impl SharedFrontier {
    /// Joins those who work on the queue.
    pub fn open(pool: Arc<Pool>, options: &Options) -> Result<Self, StoreError> {
        let clock = Clock::read(&pool, options.ahead)?;
        let default_delay = millis(options.default_delay);
        let held = Arc::new(Held::default());
        let lease = Lease::take(&pool, &clock, &held, &options.what, options.lease, default_delay)?;
        Ok(Self(Arc::new(Shared { pool, clock, lease, held, releases: Releases::default(), default_delay })))
    }

    /// The clock that counts for all who share the database.
    pub fn clock(&self) -> Clock {
        self.0.clock.clone()
    }

    /// The number of this process among those at work, at any later moment: one who was taken for dead gets another.
    pub fn number(&self) -> Number {
        self.0.lease.number()
    }

    /// Which of these numbers are of processes that are gone. A number that nobody had here is somebody else's
    /// affair. Blocking.
    pub fn gone(&self, numbers: &[i64]) -> Result<Vec<i64>, StoreError> {
        self.0.with(|session| {
            let ask = session.own(
                "SELECT of.id FROM unnest($1::BIGINT[]) AS of (id) WHERE of.id <= (SELECT max(id) FROM worker)
                 AND NOT EXISTS (SELECT 1 FROM worker AS w WHERE w.id = of.id AND w.ended IS NULL)",
            )?;
            Ok(session.wait(session.client().query(&ask, &[&numbers]))?.iter().map(|row| row.get(0)).collect())
        })
    }

    /// Leaves: others need not wait for the lease to run out.
    pub async fn close(&self) -> Result<(), StoreError> {
        let this = self.clone();
        off_thread(self.0.pool.label(), move || this.leave()).await
    }

    /// [`close`](Self::close) for a thread that may wait.
    pub fn leave(&self) -> Result<(), StoreError> {
        self.0.lease.leave();
        self.0.with(|session| {
            self.0.lease.tell_last(session)?;
            self.0.lease.workers().iter().try_for_each(|worker| self.0.give_back(session, *worker))
        })
    }

    /// This process works on a run from now on, or does not any more; gives how many others do.
    pub async fn attend(&self, run: RunId, attends: bool) -> Result<usize, StoreError> {
        let others = self.with(move |shared, session| shared.lease.attend(session, run.0, attends)).await?;
        Ok(usize::try_from(others).unwrap_or(0))
    }

    /// This process fills the queue of a crawl from now on, or does not any more.
    pub async fn fill(&self, crawl: CrawlId, fills: bool) -> Result<(), StoreError> {
        self.with(move |shared, session| shared.lease.fill(session, crawl.0.into(), fills)).await
    }

    /// How many were taken for dead within the last hour, of those that joined last: one that left by itself did so
    /// within its lease.
    pub async fn lost_workers(&self) -> Result<u64, StoreError> {
        self.with(|shared, session| {
            let ask = session.own(
                "SELECT count(*) FROM (SELECT ended, lease_until FROM worker ORDER BY id DESC LIMIT $2) AS latest
                 WHERE ended > lease_until AND ended > now_ms() + $1 - 3600000",
            )?;
            let row = session.wait(session.client().query_one(&ask, &[&shared.ahead(), &MOST_JOINED]))?;
            Ok(row.get::<_, i64>(0).max(0) as u64)
        })
        .await
    }

    /// Those at work, in order.
    pub async fn workers(&self) -> Result<Vec<WorkerSeen>, StoreError> {
        self.with(|shared, session| {
            let ask = session.own(
                "SELECT id, what, started, seen, lease_until, visits, rate, runs,
                        (SELECT count(*) FROM host_clock WHERE busy = worker.id)
                 FROM worker WHERE ended IS NULL ORDER BY id",
            )?;
            let own = shared.lease.workers();
            let read = |row: &tokio_postgres::Row| WorkerSeen {
                number: row.get(0),
                what: row.get(1),
                started: Timestamp(row.get(2)),
                seen: Timestamp(row.get(3)),
                lease_until: Timestamp(row.get(4)),
                visits: row.get::<_, i64>(5).max(0) as u64,
                rate: row.get(6),
                runs: row.get::<_, Vec<i64>>(7).into_iter().map(RunId).collect(),
                hosts: row.get::<_, i64>(8).max(0) as u64,
                own: own.contains(&row.get(0)),
            };
            Ok(session.wait(session.client().query(&ask, &[]))?.iter().map(read).collect())
        })
        .await
    }

    /// What past and present work says of how many workers would pay for these crawls, with the delays that they ask
    /// for.
    pub async fn workload(&self, crawls: &[(CrawlId, Duration)]) -> Result<Workload, StoreError> {
        let numbers: Vec<i64> = crawls.iter().map(|(crawl, _)| i64::from(crawl.0)).collect();
        let delays: Vec<i64> = crawls.iter().map(|(_, delay)| millis(*delay)).collect();
        self.with(move |shared, session| {
            // Each half along its own index.
            let ask = session.own(
                "WITH looked_at AS MATERIALIZED
                     (SELECT waits.host, asked.delay FROM unnest($1::BIGINT[], $2::BIGINT[]) AS asked (crawl, delay)
                      CROSS JOIN LATERAL
                          (SELECT host FROM backlog
                           WHERE crawl = asked.crawl AND ready AND lane IS NOT NULL AND lane IN (0, 1)
                           UNION ALL
                           SELECT host FROM backlog
                           WHERE crawl = asked.crawl AND NOT ready AND lane IS NOT NULL AND lane IN (0, 1)) AS waits
                      LIMIT $3),
                 waits AS (SELECT host, max(delay) AS delay FROM looked_at GROUP BY host)
                 SELECT count(*), coalesce(avg(greatest(delay_ms, delay)), $4::BIGINT)::DOUBLE PRECISION,
                        (SELECT coalesce(avg(took_ms), 0)::DOUBLE PRECISION FROM
                             (SELECT took_ms FROM visit ORDER BY id DESC LIMIT 1000) AS latest),
                        coalesce(greatest((SELECT max(best_rate) FROM worker WHERE ended IS NULL),
                                          (SELECT max(best_rate) FROM
                                               (SELECT best_rate FROM worker WHERE best_rate > 0
                                                ORDER BY id DESC LIMIT $5) AS latest)), 0)
                 FROM waits LEFT JOIN host_clock USING (host)",
            )?;
            let values: [&(dyn tokio_postgres::types::ToSql + Sync); 5] =
                [&numbers, &delays, &MOST_LOOKED_AT, &shared.default_delay, &RECENT];
            let row = shared.change(session, || session.wait(session.client().query_one(&ask, &values)))?;
            let (delay, took): (f64, f64) = (row.get(1), row.get(2));
            let hosts = row.get::<_, i64>(0).max(0) as u64;
            Ok(Workload { hosts, pause: (delay + took) / 1_000.0, rate: row.get(3) })
        })
        .await
    }

    /// [`Frontier::finish`] for visits that are shared with the library.
    pub async fn finish_shared(
        &self,
        crawl: CrawlId,
        visits: Arc<Vec<Visited>>,
        budgets: Budgets,
    ) -> Result<(), StoreError> {
        let visited = visits.len() as u64;
        let done = Arc::clone(&visits);
        self.with(move |shared, session| {
            shared.change(session, || staging::finish(session, shared.lease.worker(), crawl, &visits, budgets))
        })
        .await?;
        self.0.held.let_go(done.iter().map(|visit| row_of(crawl, &visit.claim)));
        self.0.lease.visited(visited);
        Ok(())
    }

    async fn with<T: Send + 'static>(
        &self,
        work: impl Fn(&Shared, &Session) -> sql::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let shared = Arc::clone(&self.0);
        let work = move || shared.with(|session| work(&shared, session));
        off_thread(self.0.pool.label(), work).await
    }
}

impl Shared {
    fn with<T>(&self, work: impl Fn(&Session) -> sql::Result<T>) -> Result<T, StoreError> {
        self.pool.with(|db| match db {
            Connection::Postgres(session) => work(session),
            Connection::Sqlite(_) => Err(sql::Error::Strange("a queue on SQLite".into())),
        })
    }

    /// Does some work whole or not at all. Its tables grow quickly from nothing: what the planner knows of
    /// them is of yesterday, so it is told to go by the indexes; and once, for a plan over sixteen partitions takes
    /// longer than what it is for.
    fn change<T>(&self, session: &Session, work: impl Fn() -> sql::Result<T>) -> sql::Result<T> {
        session.batch(
            "BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
             SET LOCAL plan_cache_mode = force_generic_plan",
        )?;
        let result = work();
        session.batch(if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        result
    }

    fn ahead(&self) -> i64 {
        self.clock.ahead()
    }

    /// Takes rows and numbers them in one statement: whoever waits for the server waits once. One who was taken
    /// for dead takes nothing.
    fn claim(&self, session: &Session, crawl: CrawlId, limit: ClaimLimit) -> sql::Result<Claims> {
        let most = |limit: usize| limit.min(MOST) as i32;
        let take = session.own(
            "WITH alive AS MATERIALIZED (SELECT id FROM worker WHERE id = $2 AND ended IS NULL FOR KEY SHARE),
                  taken AS MATERIALIZED (SELECT best.* FROM alive, take_best($1, alive.id, $3, $4, $6, $7, $8, now_ms() + $5)
                                         AS best),
                  numbered AS (
                      INSERT INTO queue_crawl (crawl, next) SELECT $1, count(*) FROM taken HAVING count(*) > 0
                      ON CONFLICT (crawl) DO UPDATE SET next = queue_crawl.next + excluded.next
                      RETURNING next - (SELECT count(*) FROM taken) AS first)
             SELECT taken.*, numbered.first FROM taken, numbered",
        )?;
        let crawl_number = i64::from(crawl.0);
        let worker = self.lease.worker();
        let (run, run_pages) = columns_of(limit.run);
        let (any, pages, ahead, delay) = (most(limit.any), most(limit.pages), self.ahead(), millis(limit.delay));
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 8] =
            [&crawl_number, &worker, &any, &pages, &ahead, &run, &run_pages, &delay];
        let mut rows = session.wait(session.client().query(&take, &values))?;
        let Some(first) = rows.first().map(|row| row.get::<_, i64>(9)) else {
            return self.change(session, || match self.is_alive(session)? {
                true => self.nothing(session, crawl_number, limit),
                false => Ok(Claims { busy: true, ..Claims::default() }),
            });
        };
        rows.sort_by_key(|row| (read_place(row, 0), row.get::<_, i64>(3)));
        let mut claims = Vec::with_capacity(rows.len());
        for (row, number) in rows.iter().zip(first..) {
            let link: Link = staging::read_link(row.get(4))?;
            claims.push(Claim {
                number: number as u64,
                id: link.url.id(),
                link,
                tries: row.get::<_, i32>(5) as u32,
                round: row.get::<_, i32>(6) as u32,
                host_delay: row.get::<_, Option<i64>>(7).map(|delay| Duration::from_millis(delay.max(0) as u64)),
                host_failures: row.get::<_, i64>(8) as u32,
                // Known once it is noted here.
                taking: 0,
            });
        }
        Ok(Claims { claims, next: None, busy: false, empty: false })
    }

    /// Whether nobody took this process for dead, nor will before the end of a transaction. One who was taken
    /// for dead takes nothing until it has joined anew, with its next sign of life.
    fn is_alive(&self, session: &Session) -> sql::Result<bool> {
        let ask = session.own("SELECT 1 FROM worker WHERE id = $1 AND ended IS NULL FOR KEY SHARE")?;
        Ok(session.wait(session.client().query_opt(&ask, &[&self.lease.worker()]))?.is_some())
    }

    /// Why nothing could be claimed.
    fn nothing(&self, session: &Session, crawl: i64, limit: ClaimLimit) -> sql::Result<Claims> {
        let queued = session
            .own("SELECT coalesce(sum(queued_pages + queued_media), 0)::BIGINT FROM queue_figure WHERE crawl = $1")?;
        let waiting: i64 = session.wait(session.client().query_one(&queued, &[&crawl]))?.get(0);
        if waiting <= 0 {
            let ask = session.own("SELECT EXISTS (SELECT 1 FROM worker WHERE ended IS NULL AND $1 = ANY (fills))")?;
            let busy: bool = session.wait(session.client().query_one(&ask, &[&crawl]))?.get(0);
            return Ok(Claims { empty: !busy, busy, ..Claims::default() });
        }
        if limit.any == 0 {
            return Ok(Claims::default());
        }
        let pages = limit.pages > 0 && self.may_ask_for_pages(session, crawl, limit.run)?;
        let lanes: &[i16] = if pages { &[0, 1] } else { &[0] };
        let next = session.own(
            "SELECT (SELECT free_at FROM backlog WHERE crawl = $1 AND NOT ready AND lane = 0
                     ORDER BY free_at LIMIT 1),
                    (SELECT free_at FROM backlog WHERE crawl = $1 AND NOT ready AND lane = 1 AND 1 = ANY ($2::SMALLINT[])
                     ORDER BY free_at LIMIT 1),
                    EXISTS (SELECT 1 FROM backlog WHERE crawl = $1 AND NOT ready AND lane = ANY ($2::SMALLINT[])
                            AND free_at = $3)
                    OR EXISTS (SELECT 1 FROM backlog WHERE crawl = $1 AND ready AND lane = ANY ($2::SMALLINT[]))
                    OR EXISTS (SELECT 1 FROM claimed WHERE crawl = $1),
                    now_ms() + $4",
        )?;
        let row = session.wait(session.client().query_one(&next, &[&crawl, &lanes, &NEVER, &self.ahead()]))?;
        let (media, pages): (Option<i64>, Option<i64>) = (row.get(0), row.get(1));
        let next = media.into_iter().chain(pages).filter(|free| *free != NEVER).min().map(Timestamp);
        let now = Timestamp(row.get(3));
        let busy = next.is_none_or(|next| next.since(now) > SOON) && row.get(2);
        Ok(Claims { next, busy, ..Claims::default() })
    }

    /// Whether a run may claim one more page.
    fn may_ask_for_pages(&self, session: &Session, crawl: i64, run: Option<RunPages>) -> sql::Result<bool> {
        let (Some(run), Some(most)) = columns_of(run) else { return Ok(true) };
        let left = session.own("SELECT pages_left($1, $2, $3) > 0")?;
        Ok(session.wait(session.client().query_one(&left, &[&crawl, &run, &most]))?.get(0))
    }

    /// Lets hosts rest, in order, and all their clocks before any backlog, so that nobody waits for each other.
    fn release(&self, session: &Session, ended: &[&Ended]) -> sql::Result<()> {
        // From when the server hears of it: this clock may be behind, and hosts must not be asked too soon.
        let now = self.clock.now();
        let hosts: Vec<i64> = ended.iter().map(|one| one.host).collect();
        let rests: Vec<i64> = ended.iter().map(|one| millis(one.rest.until.since(now))).collect();
        let delays: Vec<Option<i64>> = ended.iter().map(|one| one.rest.delay.map(millis)).collect();
        let failures: Vec<i64> = ended.iter().map(|one| i64::from(one.rest.failures)).collect();
        let release = session.own(
            "WITH clocks AS MATERIALIZED (SELECT host FROM host_clock WHERE host = ANY ($1) ORDER BY host FOR UPDATE)
             SELECT let_rest(a.host, $2, a.rest, a.delay, a.failures, now_ms() + $6)
             FROM (SELECT * FROM unnest($1::BIGINT[], $3::BIGINT[], $4::BIGINT[], $5::BIGINT[])
                       AS a (host, rest, delay, failures)
                   WHERE (SELECT count(*) FROM clocks) >= 0 ORDER BY host) AS a",
        )?;
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&hosts, &self.lease.workers(), &rests, &delays, &failures, &self.ahead()];
        session.wait(session.client().execute(&release, &values)).map(drop)
    }

    /// Whether a host was let go of already and taken again since, or others took it over.
    fn was_heard(&self, ended: &Ended) -> bool {
        let Some(taking) = ended.taking else { return false };
        self.held.is_lost(taking) || self.held.taking(ended.host).is_some_and(|last| taking < last)
    }

    /// Lets a host rest, together with others that are let go of at the same time.
    fn let_go(self: &Arc<Self>, host: i64, taking: Option<u64>, rest: Rest) -> Answered {
        let (answer, first) = self.releases.add(host, taking, rest);
        if first {
            let shared = Arc::clone(self);
            tokio::task::spawn_blocking(move || {
                shared.releases.send(|ended| {
                    shared.with(|session| {
                        // Said again after a lost answer, it must not free a host that is asked again meanwhile.
                        let unheard: Vec<&Ended> = ended.iter().filter(|one| !shared.was_heard(one)).collect();
                        shared.release(session, &unheard)
                    })?;
                    ended.iter().for_each(|one| shared.held.released(one.host, one.taking));
                    Ok(())
                });
            });
        }
        answer
    }

    /// What came of it.
    async fn let_gone(&self, answer: Answered) -> Result<(), StoreError> {
        let path = || self.pool.label().to_owned();
        let answer = answer.await.map_err(|_| StoreError::Stopped { path: path() })?;
        answer.map_err(|reason| StoreError::Io { path: path(), reason })
    }

    fn reserve(&self, session: &Session, number: i64, delay: Duration) -> sql::Result<Reservation> {
        if !self.is_alive(session)? {
            return Ok(Reservation::NotBefore(self.clock.now() + BUSY_PAUSE));
        }
        let reserve = session.own(
            "INSERT INTO host_clock AS c (host, busy, rest_ms) VALUES ($1, $2, $4)
             ON CONFLICT (host) DO UPDATE SET busy = excluded.busy, rest_ms = excluded.rest_ms
             WHERE c.busy IS NULL AND c.ready_at <= now_ms() + $3
             RETURNING delay_ms, failures",
        )?;
        let asked = session.client();
        let values = [&number as _, &self.lease.worker() as _, &self.ahead() as _, &millis(delay) as _];
        let granted = session.wait(asked.query_opt(&reserve, &values))?;
        if let Some(row) = granted {
            let delay: Option<i64> = row.get(0);
            let delay = delay.map(|delay| Duration::from_millis(delay.max(0) as u64));
            return Ok(Reservation::Granted { delay, failures: row.get::<_, i64>(1) as u32, taking: 0 });
        }
        let when = session.own("SELECT busy IS NOT NULL, ready_at, now_ms() + $2 FROM host_clock WHERE host = $1")?;
        let row = session.wait(asked.query_one(&when, &[&number, &self.ahead()]))?;
        let (busy, ready_at, now): (bool, i64, i64) = (row.get(0), row.get(1), row.get(2));
        let soon = Timestamp(now) + BUSY_PAUSE;
        Ok(Reservation::NotBefore(if busy { soon } else { Timestamp(ready_at.max(now + 1)) }))
    }

    fn put_back(&self, session: &Session, crawl: CrawlId, claim: &Claim, failed: bool) -> sql::Result<()> {
        let (host, crawl) = (host_number(claim.link.url.host_str()), i64::from(crawl.0));
        let asked = session.client();
        let hold = session.own("SELECT 1 FROM backlog WHERE host = $1 AND crawl = $2 FOR UPDATE")?;
        session.wait(asked.execute(&hold, &[&host, &crawl]))?;
        let put = session.own(
            "DELETE FROM claimed AS t USING known AS k
             WHERE k.host = $1 AND k.crawl = $2 AND k.id = $3 AND t.host = $1 AND t.crawl = $2
             AND t.lane = k.lane AND t.band = k.band AND t.seq = k.seq AND t.worker = ANY ($4)
             RETURNING t.lane, t.band, t.seq",
        )?;
        let id = claim.id.short();
        let workers = self.lease.workers();
        let row = session.wait(asked.query_opt(&put, &[&host, &crawl, &&id[..], &workers]))?;
        let Some(row) = row else { return Ok(()) };
        let (lane, band, seq): (i16, i64, i64) = (row.get(0), row.get(1), row.get(2));
        if failed {
            let count = session.own(
                "UPDATE waiting SET tries = tries + 1
                 WHERE host = $1 AND crawl = $2 AND lane = $3 AND band = $4 AND seq = $5",
            )?;
            session.wait(asked.execute(&count, &[&host, &crawl, &lane, &band, &seq]))?;
        }
        let head = session.own(
            "UPDATE backlog SET lane = $3, band = $4, seq = $5
             WHERE host = $1 AND crawl = $2 AND (lane IS NULL OR ($3, $4, $5) < (lane, band, seq))",
        )?;
        session.wait(asked.execute(&head, &[&host, &crawl, &lane, &band, &seq])).map(drop)
    }

    /// Gives back what a worker holds.
    fn give_back(&self, session: &Session, worker: i64) -> sql::Result<()> {
        lease::give_back(session, worker, self.default_delay, self.ahead())
    }
}

/// The answer to whoever asked for a host. When nobody receives it the host is free again: nothing was asked of it.
struct Grant {
    shared: Arc<Shared>,
    number: i64,
    answer: Reservation,
    received: bool,
}

impl Grant {
    fn receive(mut self) -> Reservation {
        self.received = true;
        self.answer
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        if let (false, Reservation::Granted { failures, taking, .. }) = (self.received, self.answer)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let _entered = runtime.enter();
            let rest = Rest { until: self.shared.clock.now(), delay: None, failures };
            // What becomes of it nobody waits for either.
            drop(self.shared.let_go(self.number, Some(taking), rest));
        }
    }
}

/// The run that pages are limited for, and how many.
fn columns_of(limit: Option<RunPages>) -> (Option<i64>, Option<i64>) {
    limit.map(|of| (of.run.0, i64::try_from(of.most).unwrap_or(i64::MAX))).unzip()
}

/// What is claimed with a claim.
fn row_of(crawl: CrawlId, claim: &Claim) -> held::Row {
    (host_number(claim.link.url.host_str()), i64::from(crawl.0), claim.id.short())
}

fn origin_name(origin: &Origin, file: OriginFile) -> String {
    let file = match file {
        OriginFile::Robots => 'r',
        OriginFile::Tdm => 't',
    };
    format!("{file} {origin}")
}

/// Milliseconds, as the tables have times.
fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[async_trait]
impl Frontier for SharedFrontier {
    async fn now(&self) -> Result<Timestamp, StoreError> {
        Ok(self.0.clock.now())
    }

    async fn add(&self, crawl: CrawlId, links: Vec<Link>, budgets: Budgets) -> Result<u64, StoreError> {
        self.with(move |shared, session| {
            let worker = shared.lease.worker();
            let Staged { new } = shared.change(session, || staging::add(session, worker, crawl, &links, budgets))?;
            Ok(new)
        })
        .await
    }

    async fn claim(&self, crawl: CrawlId, limit: ClaimLimit) -> Result<Claims, StoreError> {
        self.with(move |shared, session| {
            if shared.lease.may_look() {
                // Perhaps what waits is held by someone who is gone.
                lease::take_over(session, &shared.lease.workers(), shared.default_delay, shared.ahead())?;
            }
            let (mut claims, taking) = shared.held.take(
                session,
                || shared.lease.workers(),
                || shared.claim(session, crawl, limit),
                |claims| claims.claims.iter().map(|claim| row_of(crawl, claim)).map(|row| (row.0, row)).unzip(),
            )?;
            claims.claims.iter_mut().for_each(|claim| claim.taking = taking);
            Ok(claims)
        })
        .await
    }

    async fn release(&self, host: &HostName, rest: Rest) -> Result<(), StoreError> {
        let number = host_number(host.as_str());
        let answer = self.0.let_go(number, self.0.held.taking(number), rest);
        self.0.let_gone(answer).await
    }

    async fn release_taken(&self, host: &HostName, taking: u64, rest: Rest) -> Result<(), StoreError> {
        let answer = self.0.let_go(host_number(host.as_str()), Some(taking), rest);
        self.0.let_gone(answer).await
    }

    async fn put_back(&self, crawl: CrawlId, claim: Claim, failed: bool) -> Result<(), StoreError> {
        let row = row_of(crawl, &claim);
        if self.0.held.is_lost(claim.taking) {
            // Others took it over, and this process may have taken it from them again.
            return Ok(());
        }
        self.with(move |shared, session| shared.change(session, || shared.put_back(session, crawl, &claim, failed)))
            .await?;
        self.0.held.let_go([row]);
        Ok(())
    }

    async fn reserve(&self, host: &HostName, delay: Duration) -> Result<Reservation, StoreError> {
        let (number, this) = (host_number(host.as_str()), Arc::clone(&self.0));
        self.with(move |shared, session| {
            let (mut answer, of) = shared.held.take(
                session,
                || shared.lease.workers(),
                || shared.change(session, || shared.reserve(session, number, delay)),
                |answer| match answer {
                    Reservation::Granted { .. } => (vec![number], Vec::new()),
                    Reservation::NotBefore(_) => Default::default(),
                },
            )?;
            if let Reservation::Granted { taking, .. } = &mut answer {
                *taking = of;
            }
            Ok(Grant { shared: Arc::clone(&this), number, answer, received: false })
        })
        .await
        .map(Grant::receive)
    }

    fn held_until(&self, host: &HostName, taking: u64) -> Option<Instant> {
        self.0.held.has(host_number(host.as_str()), taking).then(|| self.0.lease.until())
    }

    async fn finish(&self, crawl: CrawlId, visits: &[Visited], budgets: Budgets) -> Result<(), StoreError> {
        self.finish_shared(crawl, Arc::new(visits.to_vec()), budgets).await
    }

    async fn origin(&self, origin: &Origin, file: OriginFile) -> Result<Option<OriginRecord>, StoreError> {
        let name = origin_name(origin, file);
        self.with(move |_, session| {
            let read = session.own("SELECT record FROM origin WHERE name = $1")?;
            let found = session.wait(session.client().query_opt(&read, &[&name]))?;
            let read = |row: tokio_postgres::Row| postcard::from_bytes(row.get(0));
            let record = found.map(read).transpose();
            record.map_err(|error| sql::Error::Strange(format!("what {name} said does not read: {error}")))
        })
        .await
    }

    async fn remember_origin(&self, origin: &Origin, file: OriginFile, record: OriginRecord) -> Result<(), StoreError> {
        let name = origin_name(origin, file);
        self.with(move |_, session| {
            let bytes = postcard::to_stdvec(&record)
                .map_err(|error| sql::Error::Strange(format!("what {name} said cannot be written: {error}")))?;
            let write = session.own(
                "INSERT INTO origin (name, record) VALUES ($1, $2)
                 ON CONFLICT (name) DO UPDATE SET record = excluded.record",
            )?;
            session.wait(session.client().execute(&write, &[&name, &bytes])).map(drop)
        })
        .await
    }

    async fn figures(&self, crawl: CrawlId) -> Result<FrontierFigures, StoreError> {
        self.with(move |_, session| {
            let read = session.own(
                "SELECT coalesce(sum(known_pages), 0)::BIGINT, coalesce(sum(known_media), 0)::BIGINT,
                        coalesce(sum(queued_pages), 0)::BIGINT, coalesce(sum(queued_media), 0)::BIGINT,
                        coalesce(sum(over_budget), 0)::BIGINT
                 FROM queue_figure WHERE crawl = $1",
            )?;
            let row = session.wait(session.client().query_one(&read, &[&i64::from(crawl.0)]))?;
            let figure = |column: usize| row.get::<_, i64>(column).max(0) as u64;
            let worst = session.own(
                "SELECT host, shape, refused FROM overrun WHERE crawl = $1 ORDER BY refused DESC, host, shape LIMIT $2",
            )?;
            let most = MOST_OVERRUNS as i64;
            let overruns = session.wait(session.client().query(&worst, &[&i64::from(crawl.0), &most]))?;
            Ok(FrontierFigures {
                overruns: overruns.iter().map(overrun).collect(),
                known_pages: figure(0),
                known_media: figure(1),
                queued_pages: figure(2),
                queued_media: figure(3),
                over_budget: figure(4),
            })
        })
        .await
    }
}

/// A row of `host`, `shape`, `refused`.
fn overrun(row: &tokio_postgres::Row) -> Overrun {
    let shape = Some(row.get::<_, String>(1)).filter(|shape| !shape.is_empty());
    Overrun { host: row.get(0), shape, refused: row.get::<_, i64>(2).max(0) as u64 }
}

impl Lane {
    /// As the tables have it.
    fn code(self) -> i16 {
        self as i16
    }
}
