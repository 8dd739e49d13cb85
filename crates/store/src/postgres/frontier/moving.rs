//! The queue taken out of its tables, and put into them.

use std::sync::Arc;
use std::time::Duration;

use facts::Timestamp;
use tokio_postgres::Row;

use super::super::Pool;
use super::millis;
use super::overrun;
use super::places::{Place, read_place};
use super::staging::{read_link, write_link};
use crate::moving::{Queued, Take};
use crate::rank::{HostKey, Lane};
use crate::sql::{self, Connection, Session};
use crate::{FrontierFigures, StoreError};

/// Rows read or written at once.
const BATCH: usize = 2_000;

/// The queue of a shared database while nobody works on it.
pub(crate) struct IdleQueue(Arc<Pool>);

/// What changes when anybody works on a database, and does not change back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stillness {
    /// Grows with each change of the library.
    revision: i64,
    /// Grows with each process that joins.
    pub last_worker: i64,
}

type Values<'v> = [&'v (dyn tokio_postgres::types::ToSql + Sync)];

impl IdleQueue {
    pub fn open(pool: Arc<Pool>) -> Self {
        Self(pool)
    }

    fn with<T>(&self, work: impl Fn(&Session) -> sql::Result<T>) -> Result<T, StoreError> {
        self.0.with(|db| match db {
            Connection::Postgres(session) => work(session),
            Connection::Sqlite(_) => Err(sql::Error::Strange("a queue on SQLite".into())),
        })
    }

    /// Processes that are at work on it.
    pub fn at_work(&self) -> Result<Vec<String>, StoreError> {
        let ask = "SELECT what FROM worker WHERE ended IS NULL AND lease_until > now_ms() ORDER BY id";
        self.with(|session| {
            let ask = session.own(ask)?;
            Ok(session.wait(session.client().query(&ask, &[]))?.iter().map(|row| row.get(0)).collect())
        })
    }

    /// How it is now, to see later whether anybody worked on it.
    pub fn stillness(&self) -> Result<Stillness, StoreError> {
        self.with(|session| {
            let ask = session.own("SELECT (SELECT revision FROM writer), (SELECT coalesce(max(id), 0) FROM worker)")?;
            let row = session.wait(session.client().query_one(&ask, &[]))?;
            Ok(Stillness { revision: row.get(0), last_worker: row.get(1) })
        })
    }

    /// Its server's time.
    pub fn now(&self) -> Result<Timestamp, StoreError> {
        self.with(|session| {
            let ask = session.own("SELECT now_ms()")?;
            Ok(Timestamp(session.wait(session.client().query_one(&ask, &[]))?.get(0)))
        })
    }

    /// Gives every part of it; what waits by host, crawl and lane, in order.
    pub fn walk(&self, take: Take<'_>) -> Result<(), StoreError> {
        let all = self.ask(
            "SELECT crawl, coalesce(next, 0), coalesce(known_pages, 0), coalesce(known_media, 0),
                    coalesce(queued_pages, 0), coalesce(queued_media, 0), coalesce(over_budget, 0)
             FROM queue_crawl FULL JOIN
                 (SELECT crawl, sum(known_pages)::BIGINT AS known_pages, sum(known_media)::BIGINT AS known_media,
                         sum(queued_pages)::BIGINT AS queued_pages, sum(queued_media)::BIGINT AS queued_media,
                         sum(over_budget)::BIGINT AS over_budget
                  FROM queue_figure GROUP BY crawl) AS figures USING (crawl) ORDER BY crawl",
            &[],
        )?;
        for row in &all {
            let figure = |column: usize| row.get::<_, i64>(column).max(0) as u64;
            let figures = FrontierFigures {
                known_pages: figure(2),
                known_media: figure(3),
                queued_pages: figure(4),
                queued_media: figure(5),
                over_budget: figure(6),
                overruns: Vec::new(),
            };
            take(Queued::Crawl { crawl: figure(0) as u32, next: figure(1), figures })?;
        }
        for row in &self.ask("SELECT host, shape, refused, crawl FROM overrun ORDER BY crawl, host, shape", &[])? {
            take(Queued::Overrun { crawl: row.get::<_, i64>(3).max(0) as u32, overrun: overrun(row) })?;
        }
        let mut at = (i64::MIN, -1i64, 0i16, i64::MIN, i64::MIN);
        loop {
            let rows = self.ask(
                "SELECT host, crawl, lane, band, seq, link, tries, round FROM waiting
                 WHERE (host, crawl, lane, band, seq) > ($1, $2, $3, $4, $5) ORDER BY host, crawl, lane, band, seq LIMIT $6",
                &[&at.0, &at.1, &at.2, &at.3, &at.4, &(BATCH as i64)],
            )?;
            let Some(last) = rows.last() else { break };
            at = (last.get(0), last.get(1), last.get(2), last.get(3), last.get(4));
            for row in &rows {
                let place = read_place(row, 2);
                let lane = place.and_then(|place| Lane::ALL.get(usize::try_from(place.lane).ok()?));
                let (Some(place), Some(lane)) = (place, lane) else { return Err(self.strange("a lane")) };
                let link = read_link(row.get(5)).map_err(|error| StoreError::sql(self.0.label(), &error))?;
                take(Queued::Waiting {
                    crawl: crawl(row, 1),
                    host: host(row, 0),
                    lane: *lane,
                    rank: place.rank(),
                    link: Box::new(link),
                    tries: row.get::<_, i32>(6) as u32,
                    round: row.get::<_, i32>(7) as u32,
                })?;
            }
        }
        let mut at = (i64::MIN, -1i64, Vec::<u8>::new());
        loop {
            let rows = self.ask(
                "SELECT host, crawl, id, round FROM known WHERE (host, crawl, id) > ($1, $2, $3) AND lane IS NULL
                 ORDER BY host, crawl, id LIMIT $4",
                &[&at.0, &at.1, &at.2, &(BATCH as i64)],
            )?;
            let Some(last) = rows.last() else { break };
            at = (last.get(0), last.get(1), last.get(2));
            for row in &rows {
                let id = row.get::<_, &[u8]>(2).try_into().map_err(|_| self.strange("an address"))?;
                let (crawl, rounds) = (crawl(row, 1), row.get::<_, i32>(3) as u32);
                take(Queued::Visited { crawl, id, rounds, host: Some(host(row, 0)) })?;
            }
        }
        let mut at = (i64::MIN, -1i64);
        loop {
            let rows = self.ask(
                "SELECT host, crawl, ever FROM backlog WHERE (host, crawl) > ($1, $2) AND ever > 0
                 ORDER BY host, crawl LIMIT $3",
                &[&at.0, &at.1, &(BATCH as i64)],
            )?;
            let Some(last) = rows.last() else { break };
            at = (last.get(0), last.get(1));
            for row in &rows {
                let pages = row.get::<_, i64>(2).max(0) as u64;
                take(Queued::Host { crawl: crawl(row, 1), host: host(row, 0), pages })?;
            }
        }
        let mut at = (i64::MIN, -1i64, i64::MIN);
        loop {
            let rows = self.ask(
                "SELECT host, crawl, shape, pages FROM template WHERE (host, crawl, shape) > ($1, $2, $3)
                 ORDER BY host, crawl, shape LIMIT $4",
                &[&at.0, &at.1, &at.2, &(BATCH as i64)],
            )?;
            let Some(last) = rows.last() else { break };
            at = (last.get(0), last.get(1), last.get(2));
            for row in &rows {
                let (shape, pages) = (row.get::<_, i64>(2).to_be_bytes(), row.get::<_, i64>(3).max(0) as u64);
                take(Queued::Shape { crawl: crawl(row, 1), host: host(row, 0), shape, pages })?;
            }
        }
        let mut at = i64::MIN;
        loop {
            let rows = self.ask(
                "SELECT host, CASE WHEN busy IS NULL THEN ready_at ELSE greatest(ready_at, now_ms() + coalesce(rest_ms, 0)) END,
                        delay_ms, failures
                 FROM host_clock WHERE host > $1 ORDER BY host LIMIT $2",
                &[&at, &(BATCH as i64)],
            )?;
            let Some(last) = rows.last() else { break };
            at = last.get(0);
            for row in &rows {
                let delay: Option<i64> = row.get(2);
                take(Queued::Clock {
                    host: host(row, 0),
                    ready_at: Timestamp(row.get(1)),
                    delay: delay.map(|delay| Duration::from_millis(delay.max(0) as u64)),
                    failures: row.get::<_, i64>(3) as u32,
                })?;
            }
        }
        let mut at = String::new();
        loop {
            let rows = self.ask(
                "SELECT name, record FROM origin WHERE name > $1 ORDER BY name LIMIT $2",
                &[&at, &(BATCH as i64)],
            )?;
            let Some(last) = rows.last() else { return Ok(()) };
            at = last.get(0);
            for row in &rows {
                take(Queued::Origin { name: row.get(0), record: row.get(1) })?;
            }
        }
    }

    fn ask(&self, sql: &str, values: &Values<'_>) -> Result<Vec<Row>, StoreError> {
        self.with(|session| {
            let ask = session.own(sql)?;
            session.wait(session.client().query(&ask, values))
        })
    }

    fn strange(&self, what: &str) -> StoreError {
        StoreError::Damaged { path: self.0.label().to_owned(), reason: format!("{what} of the queue does not read") }
    }

    /// Takes parts in; the same again changes nothing.
    pub fn filling(&self) -> Filling<'_> {
        Filling { queue: self, parts: Vec::new() }
    }

    fn write(&self, parts: &[Queued]) -> Result<(), StoreError> {
        self.with(|session| {
            session.batch("BEGIN")?;
            let written = write(session, parts);
            session.batch(if written.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
            written
        })
    }
}

/// Parts on their way in.
pub(crate) struct Filling<'a> {
    queue: &'a IdleQueue,
    parts: Vec<Queued>,
}

impl Filling<'_> {
    pub fn take(&mut self, part: Queued) -> Result<(), StoreError> {
        self.parts.push(part);
        if self.parts.len() < BATCH {
            return Ok(());
        }
        let parts = std::mem::take(&mut self.parts);
        self.queue.write(&parts)
    }

    /// Writes what is left, and what is first of each host.
    pub fn finish(self) -> Result<(), StoreError> {
        self.queue.write(&self.parts)?;
        self.queue.with(|session| {
            session.batch(
                "BEGIN;
                 INSERT INTO backlog (host, crawl) SELECT DISTINCT host, crawl FROM waiting ON CONFLICT DO NOTHING;
                 UPDATE backlog AS b SET (lane, band, seq) =
                     (SELECT w.lane, w.band, w.seq FROM waiting AS w WHERE w.host = b.host AND w.crawl = b.crawl
                      ORDER BY w.lane, w.band, w.seq LIMIT 1);
                 COMMIT;
                 ANALYZE known; ANALYZE waiting; ANALYZE backlog",
            )
        })
    }
}

/// Writes parts, a statement for each sort.
fn write(session: &Session, parts: &[Queued]) -> sql::Result<()> {
    let run = |sql: &str, values: &Values<'_>| -> sql::Result<()> {
        let statement = session.own(sql)?;
        session.wait(session.client().execute(&statement, values)).map(drop)
    };
    let number = |host: &HostKey| i64::from_be_bytes(host.0);
    let known = "INSERT INTO known (host, crawl, id, round, lane, band, seq)
         SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BYTEA[], $4::INTEGER[], $5::SMALLINT[], $6::BIGINT[],
                              $7::BIGINT[])
         ON CONFLICT DO NOTHING";
    let (mut hosts, mut crawls, mut ids, mut rounds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut lanes, mut bands, mut seqs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut links, mut tries) = (Vec::new(), Vec::new());
    for part in parts {
        if let Queued::Waiting { crawl, host, lane, rank, link, tries: tried, round } = part {
            let place = Place::new(*lane, *rank);
            hosts.push(number(host));
            crawls.push(i64::from(*crawl));
            ids.push(link.url.id().short().to_vec());
            rounds.push(*round as i32);
            lanes.push(place.lane);
            bands.push(place.band);
            seqs.push(place.seq);
            links.push(write_link(link)?);
            tries.push(*tried as i32);
        }
    }
    if !hosts.is_empty() {
        run(known, &[&hosts, &crawls, &ids, &rounds, &lanes, &bands, &seqs])?;
        run(
            "INSERT INTO waiting (host, crawl, id, round, lane, band, seq, link, tries)
             SELECT * FROM unnest($1::BIGINT[], $2::BIGINT[], $3::BYTEA[], $4::INTEGER[], $5::SMALLINT[], $6::BIGINT[],
                                  $7::BIGINT[], $8::BYTEA[], $9::INTEGER[])
             ON CONFLICT DO NOTHING",
            &[&hosts, &crawls, &ids, &rounds, &lanes, &bands, &seqs, &links, &tries],
        )?;
    }
    let (mut hosts, mut crawls, mut ids, mut rounds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        if let Queued::Visited { crawl, id, rounds: visits, host: Some(host) } = part {
            hosts.push(number(host));
            crawls.push(i64::from(*crawl));
            ids.push(id.to_vec());
            rounds.push(*visits as i32);
        }
    }
    if !hosts.is_empty() {
        let (lanes, numbers) = (vec![None::<i16>; hosts.len()], vec![None::<i64>; hosts.len()]);
        run(known, &[&hosts, &crawls, &ids, &rounds, &lanes, &numbers, &numbers])?;
    }
    for part in parts {
        match part {
            Queued::Crawl { crawl, figures, next } => {
                let crawl = i64::from(*crawl);
                let figure = |figure: u64| i64::try_from(figure).unwrap_or(i64::MAX);
                run(
                    "INSERT INTO queue_crawl (crawl, next) VALUES ($1, $2)
                     ON CONFLICT (crawl) DO UPDATE SET next = excluded.next",
                    &[&crawl, &figure(*next)],
                )?;
                run(
                    "INSERT INTO queue_figure (crawl, slot, known_pages, known_media, queued_pages, queued_media, over_budget)
                     VALUES ($1, 0, $2, $3, $4, $5, $6) ON CONFLICT (crawl, slot) DO UPDATE SET
                         known_pages = excluded.known_pages, known_media = excluded.known_media,
                         queued_pages = excluded.queued_pages, queued_media = excluded.queued_media,
                         over_budget = excluded.over_budget",
                    &[
                        &crawl,
                        &figure(figures.known_pages),
                        &figure(figures.known_media),
                        &figure(figures.queued_pages),
                        &figure(figures.queued_media),
                        &figure(figures.over_budget),
                    ],
                )?;
            }
            Queued::Overrun { crawl, overrun } => run(
                "INSERT INTO overrun (crawl, host, shape, refused) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (crawl, host, shape) DO UPDATE SET refused = excluded.refused",
                &[
                    &i64::from(*crawl),
                    &overrun.host,
                    &overrun.shape.as_deref().unwrap_or_default(),
                    &i64::try_from(overrun.refused).unwrap_or(i64::MAX),
                ],
            )?,
            Queued::Host { crawl, host, pages } => run(
                "INSERT INTO backlog (host, crawl, ever) VALUES ($1, $2, $3)
                 ON CONFLICT (host, crawl) DO UPDATE SET ever = excluded.ever",
                &[&number(host), &i64::from(*crawl), &(*pages as i64)],
            )?,
            Queued::Shape { crawl, host, shape, pages } => run(
                "INSERT INTO template (host, crawl, shape, pages) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (host, crawl, shape) DO UPDATE SET pages = excluded.pages",
                &[&number(host), &i64::from(*crawl), &i64::from_be_bytes(*shape), &(*pages as i64)],
            )?,
            Queued::Clock { host, ready_at, delay, failures } => run(
                "INSERT INTO host_clock (host, ready_at, delay_ms, failures) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (host) DO UPDATE SET ready_at = excluded.ready_at, delay_ms = excluded.delay_ms,
                     failures = excluded.failures",
                &[&number(host), &ready_at.0, &delay.map(millis), &i64::from(*failures)],
            )?,
            Queued::Origin { name, record } => run(
                "INSERT INTO origin (name, record) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET record = excluded.record",
                &[name, record],
            )?,
            Queued::Waiting { .. } | Queued::Visited { .. } => {}
        }
    }
    Ok(())
}

fn host(row: &Row, column: usize) -> HostKey {
    HostKey(row.get::<_, i64>(column).to_be_bytes())
}

fn crawl(row: &Row, column: usize) -> u32 {
    row.get::<_, i64>(column) as u32
}
