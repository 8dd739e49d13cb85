//! Signs of life: who gives none is gone, and others take over what it held.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::super::Pool;
use super::clock::Clock;
use super::held::Held;
use super::millis;
use crate::files::Number;
use crate::sql::{self, Connection, Session};
use crate::{StoreError, sql::Error};

/// How often one who finds nothing to do looks whether someone is gone.
const LOOKS: Duration = Duration::from_secs(1);

/// The shortest time that a rate is measured over: what happens to end in a moment says nothing of how quick one is.
const SHORTEST: Duration = Duration::from_secs(3);

/// The right to hold hosts and addresses, as long as there are signs of life.
pub(super) struct Lease {
    life: Arc<Life>,
    looked: Mutex<Instant>,
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Life {
    /// The numbers that this process had, the last of which it has now.
    workers: Mutex<Vec<i64>>,
    /// Visits that were not told yet.
    visits: AtomicU64,
    /// Since when the rate is measured, and the visits of that time that were told.
    measured: Mutex<(Instant, u64)>,
    /// Runs that are worked on.
    runs: Mutex<BTreeSet<i64>>,
    /// Crawls whose queues are filled.
    fills: Mutex<BTreeSet<i64>>,
    /// Before the last sign of life was given that was heard.
    heard: Mutex<Instant>,
    /// It gives back what it holds: who ends it is not another who took it for dead.
    leaving: AtomicBool,
    /// What is lost with the lease.
    held: Arc<Held>,
    what: String,
    lease: i64,
    default_delay: i64,
}

impl Lease {
    /// Joins those at work, after taking over what dead ones held.
    pub fn take(
        pool: &Arc<Pool>,
        clock: &Clock,
        held: &Arc<Held>,
        what: &str,
        lease: Duration,
        default_delay: i64,
    ) -> Result<Self, StoreError> {
        let life = Arc::new(Life {
            workers: Mutex::default(),
            visits: AtomicU64::new(0),
            measured: Mutex::new((Instant::now(), 0)),
            runs: Mutex::default(),
            fills: Mutex::default(),
            heard: Mutex::new(Instant::now()),
            leaving: AtomicBool::new(false),
            held: Arc::clone(held),
            what: what.to_owned(),
            lease: millis(lease),
            default_delay,
        });
        let ahead = clock.ahead();
        on(pool, |session| take_over(session, &[], default_delay, ahead))?;
        on(pool, |session| life.join(session, ahead))?;
        let (end, ended) = mpsc::channel();
        let beats = {
            let (pool, clock, life) = (Arc::clone(pool), clock.clone(), Arc::clone(&life));
            move || {
                while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(lease / 3) {
                    if let Err(error) = on(&pool, |session| life.beat(session, &clock)) {
                        tracing::warn!(%error, "no sign of life could be given");
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("lease".into()).spawn(beats);
        let thread = thread.map_err(|error| StoreError::io(pool.label(), &error))?;
        let looked = Mutex::new(Instant::now());
        Ok(Self { life, looked, end: Some(end), thread: Some(thread) })
    }

    /// The number of this process.
    pub fn worker(&self) -> i64 {
        self.life.worker()
    }

    /// The number that this process has whenever it is asked for, also after the lease.
    pub fn number(&self) -> Number {
        let life = Arc::clone(&self.life);
        Arc::new(move || life.worker())
    }

    /// All numbers that it had.
    pub fn workers(&self) -> Vec<i64> {
        self.life.workers().clone()
    }

    /// Until when others believe that this process is alive, by its own clock.
    pub fn until(&self) -> Instant {
        let heard = *self.life.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard + Duration::from_millis(self.life.lease.unsigned_abs())
    }

    /// So many visits were finished.
    pub fn visited(&self, visits: u64) {
        self.life.visits.fetch_add(visits, Ordering::Relaxed);
    }

    /// This process works on a run from now on, or does not any more; tells others at once. Gives how many
    /// others do.
    pub fn attend(&self, session: &Session, run: i64, attends: bool) -> sql::Result<i64> {
        {
            let mut runs = self.life.runs.lock().unwrap_or_else(PoisonError::into_inner);
            if attends {
                runs.insert(run)
            } else {
                runs.remove(&run)
            };
        }
        let tell = session.own("UPDATE worker SET runs = $2 WHERE id = $1")?;
        let (worker, runs) = (self.worker(), self.life.runs());
        session.wait(session.client().execute(&tell, &[&worker, &runs]))?;
        let ask =
            session.own("SELECT count(*) FROM worker WHERE ended IS NULL AND id <> ALL ($1) AND $2 = ANY (runs)")?;
        Ok(session.wait(session.client().query_one(&ask, &[&self.workers(), &run]))?.get(0))
    }

    /// This process fills the queue of a crawl from now on, or does not any more; tells others at once.
    pub fn fill(&self, session: &Session, crawl: i64, fills: bool) -> sql::Result<()> {
        {
            let mut filled = self.life.fills.lock().unwrap_or_else(PoisonError::into_inner);
            if fills {
                filled.insert(crawl)
            } else {
                filled.remove(&crawl)
            };
        }
        let tell = session.own("UPDATE worker SET fills = $2 WHERE id = $1")?;
        session.wait(session.client().execute(&tell, &[&self.worker(), &self.life.fills()])).map(drop)
    }

    /// This process leaves, and does not join anew.
    pub fn leave(&self) {
        self.life.leaving.store(true, Ordering::Release);
    }

    /// Tells the visits that no beat will.
    pub fn tell_last(&self, session: &Session) -> sql::Result<()> {
        let visits = self.life.visits.load(Ordering::Relaxed);
        let tell = session.own("UPDATE worker SET visits = visits + $2 WHERE id = $1 AND ended IS NULL")?;
        session.wait(session.client().execute(&tell, &[&self.worker(), &(visits as i64)]))?;
        self.life.visits.fetch_sub(visits, Ordering::Relaxed);
        Ok(())
    }

    /// Whether it is time to look for those who are gone.
    pub fn may_look(&self) -> bool {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let now = looked.elapsed() >= LOOKS;
        if now {
            *looked = Instant::now();
        }
        now
    }
}

impl Life {
    fn worker(&self) -> i64 {
        self.workers().last().copied().unwrap_or(0)
    }

    fn runs(&self) -> Vec<i64> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    fn fills(&self) -> Vec<i64> {
        self.fills.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    fn workers(&self) -> std::sync::MutexGuard<'_, Vec<i64>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn join(&self, session: &Session, ahead: i64) -> sql::Result<()> {
        let now = Instant::now();
        let join = session.own(
            "INSERT INTO worker (what, started, seen, lease_until)
             SELECT $1, now, now, now + $2 FROM (SELECT now_ms() + $3 AS now) AS clock RETURNING id",
        )?;
        let row = session.wait(session.client().query_one(&join, &[&self.what, &self.lease, &ahead]))?;
        self.workers().push(row.get(0));
        self.was_heard(now);
        Ok(())
    }

    fn was_heard(&self, at: Instant) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }

    /// Gives a sign of life, and looks for those who gave none. One who was taken for dead joins anew.
    fn beat(&self, session: &Session, clock: &Clock) -> sql::Result<()> {
        let (ahead, visits, measures) = (clock.ahead(), self.visits.load(Ordering::Relaxed), Instant::now());
        let (since, before) = *self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        let time = measures - since;
        let rate = (time >= SHORTEST).then(|| (before + visits) as f64 / time.as_secs_f64());
        let beat = session.own(
            "UPDATE worker SET seen = now_ms() + $3, lease_until = now_ms() + $3 + $2, visits = visits + $4,
                               rate = coalesce($5, rate), best_rate = greatest(best_rate, $5), runs = $6, fills = $7
             WHERE id = $1 AND ended IS NULL",
        )?;
        let worker = self.worker();
        let (count, runs, fills) = (visits as i64, self.runs(), self.fills());
        let told = [&worker as _, &self.lease as _, &ahead as _, &count as _, &rate as _, &runs as _, &fills as _];
        let now = Instant::now();
        let known = session.wait(session.client().execute(&beat, &told))?;
        if known > 0 {
            self.was_heard(now);
            // Only what was heard is told: a beat that is tried again counts the same visits.
            self.visits.fetch_sub(visits, Ordering::Relaxed);
            *self.measured.lock().unwrap_or_else(PoisonError::into_inner) =
                if rate.is_some() { (measures, 0) } else { (since, before + visits) };
        } else if self.leaving.load(Ordering::Acquire) {
            return Ok(());
        } else {
            tracing::warn!("this process gave no sign of life for too long, and others took over what it held");
            self.held.lose_all();
            self.join(session, ahead)?;
        }
        clock.look(session)?;
        take_over(session, &[worker], self.default_delay, ahead)
    }
}

impl Drop for Lease {
    /// No sign of life is given any more; what is held stays held until the lease has run out.
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Takes over what is held by those who are gone. While the server was away nobody could give a sign of life:
/// it must have been there for as long as a lease.
pub(super) fn take_over(session: &Session, own: &[i64], default_delay: i64, ahead: i64) -> sql::Result<()> {
    let find = session.own(
        "SELECT id FROM worker WHERE ended IS NULL AND lease_until < now_ms() + $1 AND id <> ALL ($2)
         AND lease_until - seen < now_ms() - (extract(epoch FROM pg_postmaster_start_time()) * 1000)::BIGINT",
    )?;
    let gone = session.wait(session.client().query(&find, &[&ahead, &own]))?;
    for row in &gone {
        // Each by itself: of two at once, the hosts of the second would be held after the backlogs of the first.
        session.batch("BEGIN")?;
        let taken = take_over_from(session, row.get(0), default_delay, ahead);
        session.batch(if taken.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        if taken? {
            tracing::info!("hosts of a worker that is gone were taken over");
        }
    }
    Ok(())
}

/// Takes over from one, unless another does, or it gave a sign of life meanwhile.
fn take_over_from(session: &Session, worker: i64, default_delay: i64, ahead: i64) -> sql::Result<bool> {
    let hold = session.own(
        "SELECT 1 FROM worker WHERE id = $1 AND ended IS NULL AND lease_until < now_ms() + $2 FOR UPDATE SKIP LOCKED",
    )?;
    let is_gone = session.wait(session.client().query_opt(&hold, &[&worker, &ahead]))?.is_some();
    if is_gone {
        give_back(session, worker, default_delay, ahead)?;
    }
    Ok(is_gone)
}

/// Gives back what a worker holds.
pub(super) fn give_back(session: &Session, worker: i64, default_delay: i64, ahead: i64) -> sql::Result<()> {
    let give = session.own("SELECT give_back($1, $2, now_ms() + $3)")?;
    session.wait(session.client().execute(&give, &[&worker, &default_delay, &ahead])).map(drop)
}

fn on<T>(pool: &Pool, work: impl Fn(&Session) -> sql::Result<T>) -> Result<T, StoreError> {
    pool.with(|db| match db {
        Connection::Postgres(session) => work(session),
        Connection::Sqlite(_) => Err(Error::Strange("a queue on SQLite".into())),
    })
}
