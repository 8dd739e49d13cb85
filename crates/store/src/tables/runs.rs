//! Crawls, their runs, and the tasks of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::sql::{self, Connection, OptionalExtension, Row, Transaction, params};
use facts::{Timestamp, Url};

use super::signed;
use crate::{Beat, Crawl, CrawlId, FrontierFigures, Run, RunId, RunLimits, Start, Task};

const RUN: &str = "id, crawl, max_pages, max_seconds, max_bytes, task_pages, started, ended, seconds, stopped, \
                   peak_memory, steps";

pub(super) fn crawl(db: &Connection, name: &str) -> sql::Result<Option<Crawl>> {
    db.prepare_cached("SELECT id, name, settings, created FROM crawl WHERE name = ?1")?
        .query_row([name], read_crawl)
        .optional()
}

pub(super) fn save_crawl(db: &Transaction<'_>, name: &str, settings: &str, now: Timestamp) -> sql::Result<Crawl> {
    db.prepare_cached(
        "INSERT INTO crawl (name, settings, created, frontier) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (name) DO UPDATE SET settings = excluded.settings",
    )?
    .run(params![name, settings, now.0, json(&FrontierFigures::default())])?;
    db.prepare_cached("SELECT id, name, settings, created FROM crawl WHERE name = ?1")?.query_row([name], read_crawl)
}

/// All crawls with their queues, newest first.
pub(super) fn crawls(db: &Connection) -> sql::Result<Vec<(Crawl, FrontierFigures)>> {
    db.prepare_cached("SELECT id, name, settings, created, frontier FROM crawl ORDER BY id DESC")?
        .query_map([], |row| Ok((read_crawl(row)?, read_json(row, 4)?)))?
        .collect()
}

/// The run an interrupted or killed one left undone, or a new one; `None` when there is no such
/// crawl.
pub(super) fn start_run(
    db: &Transaction<'_>,
    crawl: CrawlId,
    limits: RunLimits,
    task_pages: u64,
    now: Timestamp,
) -> sql::Result<Option<Run>> {
    if !db.prepare_cached("SELECT 1 FROM crawl WHERE id = ?1")?.exists([crawl.0])? {
        return Ok(None);
    }
    let unfinished = db
        .prepare_cached("SELECT id FROM run WHERE crawl = ?1 AND stopped IS NULL ORDER BY id DESC LIMIT 1")?
        .query_row([crawl.0], |row| row.get::<_, i64>(0))
        .optional()?;
    let id = match unfinished {
        Some(id) => {
            db.prepare_cached(
                "UPDATE run SET ended = NULL, max_pages = ?2, max_seconds = ?3, max_bytes = ?4, task_pages = ?5
                 WHERE id = ?1",
            )?
            .run(params![
                id,
                limits.pages.map(signed),
                limits.seconds.map(signed),
                limits.bytes.map(signed),
                signed(task_pages)
            ])?;
            id
        }
        None => {
            let values = params![
                crawl.0,
                limits.pages.map(signed),
                limits.seconds.map(signed),
                limits.bytes.map(signed),
                signed(task_pages),
                now.0
            ];
            db.insert(
                "INSERT INTO run (crawl, max_pages, max_seconds, max_bytes, task_pages, started)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                values,
            )?
        }
    };
    db.prepare_cached(&format!("SELECT {RUN} FROM run WHERE id = ?1"))?.query_row([id], read_run).map(Some)
}

/// A run as it is now.
pub(super) fn run(db: &Connection, run: RunId) -> sql::Result<Option<Run>> {
    db.prepare_cached(&format!("SELECT {RUN} FROM run WHERE id = ?1"))?.query_row([run.0], read_run).optional()
}

/// What a beat writes of a run, if the last one is long enough ago, or it took more memory than before.
const BEAT: &str = "UPDATE run SET seconds = CASE WHEN ?2 > seconds THEN ?2 ELSE seconds END, steps = ?4,
                                   peak_memory = CASE WHEN ?3 > coalesce(peak_memory, 0) THEN ?3 ELSE peak_memory END
                    WHERE id = ?1 AND (seconds <= ?5 OR ?3 > coalesce(peak_memory, 0))";

/// The time at work of a run whose next beat is due.
fn due(beat: &Beat, every: Duration) -> f64 {
    if every.is_zero() { f64::INFINITY } else { beat.seconds - every.as_secs_f64() }
}

/// `false` when there is no such run.
pub(super) fn beat(db: &Transaction<'_>, run: RunId, beat: &Beat, every: Duration) -> sql::Result<bool> {
    let Beat { seconds, frontier, peak_memory, steps } = beat;
    let values = params![run.0, seconds, peak_memory.map(signed), json(steps), due(beat, every)];
    if db.prepare_cached(BEAT)?.execute(values)? > 0 {
        db.prepare_cached("UPDATE crawl SET frontier = ?2 WHERE id = (SELECT crawl FROM run WHERE id = ?1)")?
            .run(params![run.0, json(frontier)])?;
        return Ok(true);
    }
    db.prepare_cached("SELECT 1 FROM run WHERE id = ?1")?.exists([run.0])
}

/// [`beat`] in a shared database, beside whoever writes: nothing that is asked for depends on it, and many tell it at
/// once, of whom one writes.
pub(super) fn beat_beside(db: &Connection, run: RunId, beat: &Beat, every: Duration) -> sql::Result<bool> {
    let Beat { seconds, frontier, peak_memory, steps } = beat;
    let values = params![run.0, seconds, peak_memory.map(signed), json(steps), due(beat, every), json(frontier)];
    db.query_row(
        &format!(
            "WITH told AS ({BEAT} RETURNING crawl),
                  shown AS (UPDATE crawl SET frontier = ?6 FROM told WHERE crawl.id = told.crawl)
             SELECT EXISTS (SELECT 1 FROM run WHERE id = ?1)"
        ),
        values,
        |row| row.get(0),
    )
}

/// `false` when there is no such run.
pub(super) fn end_run(
    db: &Transaction<'_>,
    run: RunId,
    seconds: f64,
    stopped: Option<&str>,
    now: Timestamp,
) -> sql::Result<bool> {
    let known = db
        .prepare_cached("UPDATE run SET seconds = ?2, stopped = ?3, ended = ?4 WHERE id = ?1")?
        .execute(params![run.0, seconds, stopped, now.0])?;
    if stopped.is_some() {
        db.prepare_cached("UPDATE task SET ended = ?2 WHERE run = ?1 AND ended IS NULL")?.run(params![run.0, now.0])?;
    }
    Ok(known > 0)
}

pub(super) fn runs(db: &Connection, crawl: CrawlId) -> sql::Result<Vec<Run>> {
    db.prepare_cached(&format!("SELECT {RUN} FROM run WHERE crawl = ?1 ORDER BY id"))?
        .query_map([crawl.0], read_run)?
        .collect()
}

/// The newest `most` runs of all crawls, oldest first, with the crawl's name and the pages read.
pub(super) fn all_runs(db: &Connection, most: usize) -> sql::Result<Vec<(String, Run, u64)>> {
    let columns: Vec<String> = RUN.split(", ").map(|column| format!("run.{column}")).collect();
    let mut runs: Vec<_> = db
        .prepare_cached(&format!(
            "SELECT {}, crawl.name, coalesce(tally.count, 0) FROM run JOIN crawl ON crawl.id = run.crawl
             LEFT JOIN tally ON tally.crawl = run.crawl AND tally.run = run.id AND tally.name = 'pages'
             ORDER BY run.id DESC LIMIT ?1",
            columns.join(", ")
        ))?
        .query_map([signed(most as u64)], |row| Ok((row.get(12)?, read_run(row)?, row.get::<_, i64>(13)? as u64)))?
        .collect::<sql::Result<_>>()?;
    runs.reverse();
    Ok(runs)
}

pub(super) fn tasks(db: &Connection, run: RunId) -> sql::Result<Vec<Task>> {
    db.prepare_cached("SELECT number, started, ended, pages, relevant FROM task WHERE run = ?1 ORDER BY number")?
        .query_map([run.0], |row| {
            Ok(Task {
                number: row.get::<_, i64>(0)? as u64,
                started: Timestamp(row.get(1)?),
                ended: row.get::<_, Option<i64>>(2)?.map(Timestamp),
                pages: row.get::<_, i64>(3)? as u64,
                relevant: row.get::<_, i64>(4)? as u64,
            })
        })?
        .collect()
}

/// What the strategy of a crawl has learnt.
pub(super) fn model(db: &Connection, crawl: CrawlId) -> sql::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT bytes FROM model WHERE crawl = ?1")?.query_row([crawl.0], |row| row.get(0)).optional()
}

/// `false` when there is no such crawl.
pub(super) fn save_model(db: &Transaction<'_>, crawl: CrawlId, model: &[u8]) -> sql::Result<bool> {
    let saved = db
        .prepare_cached(
            "INSERT INTO model (crawl, bytes) SELECT id, ?2 FROM crawl WHERE id = ?1
             ON CONFLICT (crawl) DO UPDATE SET bytes = excluded.bytes",
        )?
        .execute(params![crawl.0, model])?;
    Ok(saved > 0)
}

/// Writes bytes that a crawl has where they are still those of before; gives whether they were.
pub(super) fn swap(
    db: &Transaction<'_>,
    table: &str,
    crawl: CrawlId,
    before: Option<&[u8]>,
    bytes: &[u8],
) -> sql::Result<bool> {
    let written = match before {
        Some(before) => db
            .prepare_cached(&format!("UPDATE {table} SET bytes = ?2 WHERE crawl = ?1 AND bytes = ?3"))?
            .execute(params![crawl.0, bytes, before])?,
        None => db
            .prepare_cached(&format!(
                "INSERT INTO {table} (crawl, bytes) SELECT id, ?2 FROM crawl WHERE id = ?1 ON CONFLICT DO NOTHING"
            ))?
            .execute(params![crawl.0, bytes])?,
    };
    // Who was not told that it is written asks again.
    let is_there = || db.prepare_cached(&format!("SELECT 1 FROM {table} WHERE crawl = ?1 AND bytes = ?2"));
    Ok(written > 0 || is_there()?.exists(params![crawl.0, bytes])?)
}

/// How common words are on the pages of a crawl.
pub(super) fn lexicon(db: &Connection, crawl: CrawlId) -> sql::Result<Option<Vec<u8>>> {
    db.prepare_cached("SELECT bytes FROM lexicon WHERE crawl = ?1")?.query_row([crawl.0], |row| row.get(0)).optional()
}

/// `false` when there is no such crawl.
pub(super) fn save_lexicon(db: &Transaction<'_>, crawl: CrawlId, lexicon: &[u8]) -> sql::Result<bool> {
    let saved = db
        .prepare_cached(
            "INSERT INTO lexicon (crawl, bytes) SELECT id, ?2 FROM crawl WHERE id = ?1
             ON CONFLICT (crawl) DO UPDATE SET bytes = excluded.bytes",
        )?
        .execute(params![crawl.0, lexicon])?;
    Ok(saved > 0)
}

fn read_crawl(row: &Row<'_>) -> sql::Result<Crawl> {
    Ok(Crawl {
        id: CrawlId(row.get(0)?),
        name: row.get(1)?,
        settings: read_json(row, 2)?,
        created: Timestamp(row.get(3)?),
    })
}

fn read_run(row: &Row<'_>) -> sql::Result<Run> {
    let limit = |column: usize| Ok::<_, sql::Error>(row.get::<_, Option<i64>>(column)?.map(|n| n as u64));
    Ok(Run {
        id: RunId(row.get(0)?),
        crawl: CrawlId(row.get(1)?),
        limits: RunLimits { pages: limit(2)?, seconds: limit(3)?, bytes: limit(4)? },
        task_pages: row.get::<_, i64>(5)? as u64,
        started: Timestamp(row.get(6)?),
        ended: row.get::<_, Option<i64>>(7)?.map(Timestamp),
        seconds: row.get(8)?,
        stopped: row.get(9)?,
        peak_memory: limit(10)?,
        steps: read_json(row, 11)?,
    })
}

fn read_json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> sql::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| sql::Error::strange(column, error))
}

fn json(what: &impl serde::Serialize) -> String {
    serde_json::to_string(what).unwrap_or_else(|_| "{}".into())
}

/// Start pages that were visited, each as its last visit found it.
pub(super) fn starts(db: &Connection, crawl: CrawlId) -> sql::Result<Vec<Start>> {
    let mut starts: BTreeMap<[u8; 16], (String, bool)> = BTreeMap::new();
    let mut select = db.prepare_cached(
        "SELECT url_id, url, outcome = 'failed' FROM visit WHERE crawl = ?1 AND parent IS NULL AND kind = 'page'
         ORDER BY round",
    )?;
    for start in select.query_map([crawl.0], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))? {
        let (id, start) = start?;
        starts.insert(id, start);
    }
    let read = |(url, failed): (String, bool)| Url::parse(&url).ok().map(|url| Start { url, failed });
    Ok(starts.into_values().filter_map(read).collect())
}
