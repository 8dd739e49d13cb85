//! The tables of the timetable, which the writer of a library and processes beside it change.

use std::sync::{Mutex, PoisonError};

use facts::Timestamp;

use super::signed;
use crate::StoreError;
use crate::sql::{self, Connection, OptionalExtension, Row, params};
use crate::timetable::{CatchUp, Schedule, ScheduleId, ScheduledOutcome, ScheduledRun, ScheduledRunId};

/// Bytes of the largest settings of a schedule, and characters of other texts.
const SETTINGS: usize = 1 << 20;
const TEXT: usize = 500;

/// Runs that are kept of a schedule.
const RUNS: i64 = 1_000;

/// Whether a schedule is not too large.
pub(crate) fn fits(schedule: &Schedule) -> Result<(), StoreError> {
    let bytes = schedule.settings.to_string().len();
    if bytes > SETTINGS {
        return Err(StoreError::TooLarge { what: "the settings of a schedule", bytes, most: SETTINGS });
    }
    let Schedule { name, cron, zone, crawl, .. } = schedule;
    let longest = [name, cron, zone, crawl].map(String::len).into_iter().max().unwrap_or(0);
    match longest > TEXT {
        true => Err(StoreError::TooLarge { what: "a text of a schedule", bytes: longest, most: TEXT }),
        false => Ok(()),
    }
}

/// The row that a change made, for when it is made again because the answer was lost: numbers are given once.
#[derive(Default)]
pub(crate) struct Made(Mutex<Option<i64>>);

impl Made {
    /// The number of the row, when it is there.
    fn found(&self, db: &Connection, table: &str) -> sql::Result<Option<i64>> {
        let Some(id) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) else { return Ok(None) };
        let is_there = db.prepare_cached(&format!("SELECT 1 FROM {table} WHERE id = ?1"))?.exists([id])?;
        Ok(is_there.then_some(id))
    }

    fn note(&self, id: i64) -> i64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(id);
        id
    }
}

const SCHEDULE: &str = "id, name, cron, zone, enabled, catch_up, crawl, settings, created, last_due";

pub(crate) fn schedules(db: &Connection) -> sql::Result<Vec<Schedule>> {
    db.prepare_cached(&format!("SELECT {SCHEDULE} FROM schedule ORDER BY name, id"))?
        .query_map([], read_schedule)?
        .collect()
}

pub(crate) fn schedule(db: &Connection, id: ScheduleId) -> sql::Result<Option<Schedule>> {
    db.prepare_cached(&format!("SELECT {SCHEDULE} FROM schedule WHERE id = ?1"))?
        .query_row([id.0], read_schedule)
        .optional()
}

/// Makes a schedule (number 0) or changes one; nothing when there is none of that number.
pub(crate) fn save(db: &Connection, schedule: &Schedule, made: &Made) -> sql::Result<Option<Schedule>> {
    let Schedule { id, name, cron, zone, enabled, catch_up, crawl, settings, created, last_due } = schedule;
    let (settings, catch_up) = (settings.to_string(), catch_up.as_str());
    let id = if let Some(id) = made.found(db, "schedule")? {
        ScheduleId(id)
    } else if id.0 == 0 {
        ScheduleId(made.note(db.insert(
            "INSERT INTO schedule (name, cron, zone, enabled, catch_up, crawl, settings, created, last_due)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![name, cron, zone, enabled, catch_up, crawl, settings, created.0, last_due.map(|due| due.0)],
        )?))
    } else {
        // When it was made, and what it did, is not for who changes it to say; only what was due before
        // the change need not be made up for.
        let seen = last_due.map(|due| due.0);
        db.execute(
            "UPDATE schedule SET name = ?2, cron = ?3, zone = ?4, enabled = ?5, catch_up = ?6, crawl = ?7, settings = ?8,
                                 last_due = CASE WHEN ?9 > coalesce(last_due, created) THEN ?9 ELSE last_due END
             WHERE id = ?1",
            params![id.0, name, cron, zone, enabled, catch_up, crawl, settings, seen],
        )?;
        *id
    };
    self::schedule(db, id)
}

pub(crate) fn remove(db: &Connection, id: ScheduleId) -> sql::Result<bool> {
    Ok(db.execute("DELETE FROM schedule WHERE id = ?1", [id.0])? > 0)
}

/// A run is started, unless someone else has: then the inner is nothing. The outer is nothing when there is no such
/// schedule.
pub(crate) fn start(
    db: &Connection,
    schedule: ScheduleId,
    due: Timestamp,
    now: Timestamp,
    made: &Made,
) -> sql::Result<Option<Option<ScheduledRunId>>> {
    if let Some(run) = made.found(db, "scheduled_run")? {
        return Ok(Some(Some(ScheduledRunId(run))));
    }
    if !is_due(db, schedule, due)? {
        return Ok(None);
    }
    let started = "SELECT 1 FROM scheduled_run WHERE schedule = ?1 AND due = ?2 AND started IS NOT NULL";
    if db.prepare_cached(started)?.exists([schedule.0, due.0])? {
        return Ok(Some(None));
    }
    let run = db.insert(
        "INSERT INTO scheduled_run (schedule, due, started, seen, outcome) VALUES (?1, ?2, ?3, ?3, 'running')",
        params![schedule.0, due.0, now.0],
    )?;
    Ok(Some(Some(ScheduledRunId(made.note(run)))))
}

/// A run that was due is not made; nothing when there is no such schedule.
pub(crate) fn note(
    db: &Connection,
    schedule: ScheduleId,
    due: Timestamp,
    outcome: ScheduledOutcome,
    detail: &str,
    now: Timestamp,
    made: &Made,
) -> sql::Result<Option<ScheduledRunId>> {
    if let Some(run) = made.found(db, "scheduled_run")? {
        return Ok(Some(ScheduledRunId(run)));
    }
    if !is_due(db, schedule, due)? {
        return Ok(None);
    }
    let run = db.insert(
        "INSERT INTO scheduled_run (schedule, due, ended, outcome, detail) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![schedule.0, due.0, now.0, outcome.as_str(), short(detail)],
    )?;
    Ok(Some(ScheduledRunId(made.note(run))))
}

/// Notes when a schedule was due, and lets go of the oldest runs.
fn is_due(db: &Connection, schedule: ScheduleId, due: Timestamp) -> sql::Result<bool> {
    let known = db.execute(
        "UPDATE schedule SET last_due = CASE WHEN last_due > ?2 THEN last_due ELSE ?2 END WHERE id = ?1",
        params![schedule.0, due.0],
    )?;
    db.execute(
        "DELETE FROM scheduled_run WHERE schedule = ?1 AND outcome <> 'running' AND id <=
             (SELECT id FROM scheduled_run WHERE schedule = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)",
        [schedule.0, RUNS - 1],
    )?;
    Ok(known > 0)
}

/// `false` when there is no such run at work.
pub(crate) fn beat(db: &Connection, run: ScheduledRunId, pages: u64, images: u64, now: Timestamp) -> sql::Result<bool> {
    let known = db.execute(
        "UPDATE scheduled_run SET seen = ?2, pages = ?3, images = ?4 WHERE id = ?1 AND outcome = 'running'",
        params![run.0, now.0, signed(pages), signed(images)],
    )?;
    Ok(known > 0)
}

/// `false` when there is no such run.
pub(crate) fn end(
    db: &Connection,
    run: ScheduledRunId,
    outcome: ScheduledOutcome,
    detail: &str,
    now: Timestamp,
) -> sql::Result<bool> {
    let known = db.execute(
        "UPDATE scheduled_run SET ended = ?2, outcome = ?3, detail = ?4 WHERE id = ?1",
        params![run.0, now.0, outcome.as_str(), short(detail)],
    )?;
    Ok(known > 0)
}

const RUN: &str = "id, schedule, due, started, seen, ended, outcome, detail, pages, images";

/// The newest first.
pub(crate) fn runs(
    db: &Connection,
    schedule: ScheduleId,
    after: Option<ScheduledRunId>,
    most: usize,
) -> sql::Result<Vec<ScheduledRun>> {
    let before = after.map_or(i64::MAX, |after| after.0);
    db.prepare_cached(&format!(
        "SELECT {RUN} FROM scheduled_run WHERE schedule = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3"
    ))?
    .query_map(params![schedule.0, before, signed(most as u64)], read_run)?
    .collect()
}

/// Those that are marked as being at work, the oldest first.
pub(crate) fn at_work(db: &Connection) -> sql::Result<Vec<ScheduledRun>> {
    db.prepare_cached(&format!("SELECT {RUN} FROM scheduled_run WHERE outcome = 'running' ORDER BY id"))?
        .query_map([], read_run)?
        .collect()
}

fn short(text: &str) -> &str {
    text.char_indices().nth(TEXT).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

fn read_schedule(row: &Row<'_>) -> sql::Result<Schedule> {
    let catch_up: String = row.get(5)?;
    let settings: String = row.get(7)?;
    Ok(Schedule {
        id: ScheduleId(row.get(0)?),
        name: row.get(1)?,
        cron: row.get(2)?,
        zone: row.get(3)?,
        enabled: row.get(4)?,
        catch_up: CatchUp::parse(&catch_up).ok_or_else(|| strange(5, &catch_up))?,
        crawl: row.get(6)?,
        settings: serde_json::from_str(&settings).map_err(|_| strange(7, "settings that are not JSON"))?,
        created: Timestamp(row.get(8)?),
        last_due: row.get::<_, Option<i64>>(9)?.map(Timestamp),
    })
}

fn read_run(row: &Row<'_>) -> sql::Result<ScheduledRun> {
    let outcome: String = row.get(6)?;
    let moment = |column: usize| Ok::<_, sql::Error>(row.get::<_, Option<i64>>(column)?.map(Timestamp));
    Ok(ScheduledRun {
        id: ScheduledRunId(row.get(0)?),
        schedule: ScheduleId(row.get(1)?),
        due: Timestamp(row.get(2)?),
        started: moment(3)?,
        seen: moment(4)?,
        ended: moment(5)?,
        outcome: ScheduledOutcome::parse(&outcome).ok_or_else(|| strange(6, &outcome))?,
        detail: row.get(7)?,
        pages: row.get::<_, i64>(8)? as u64,
        images: row.get::<_, i64>(9)? as u64,
    })
}

fn strange(column: usize, text: &str) -> sql::Error {
    sql::Error::strange(column, format!("{text} is not known"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Store, embedded::beside};

    #[test]
    fn what_is_made_again_because_the_answer_was_lost_is_made_once() {
        let dir = tempfile::tempdir().unwrap();
        drop(Store::open(dir.path(), Options::default()).unwrap());
        let db = beside::open(&dir.path().join("library.db")).unwrap();
        let schedule = Schedule {
            id: ScheduleId(0),
            name: "nightly".into(),
            cron: "0 3 * * *".into(),
            zone: "UTC".into(),
            enabled: true,
            catch_up: CatchUp::Once,
            crawl: "demo".into(),
            settings: serde_json::json!({}),
            created: Timestamp(1),
            last_due: None,
        };
        let (saving, starting, noting) = (Made::default(), Made::default(), Made::default());
        let [first, again] = [(), ()].map(|()| save(&db, &schedule, &saving).unwrap().unwrap().id);
        assert_eq!((first, schedules(&db).unwrap().len()), (again, 1));
        let (due, now) = (Timestamp(5), Timestamp(6));
        let [run, again] = [(), ()].map(|()| start(&db, first, due, now, &starting).unwrap().unwrap());
        assert!(run.is_some() && run == again, "it is not another who started it");
        assert_eq!(start(&db, first, due, now, &Made::default()).unwrap(), Some(None), "another does not start it");
        let outcome = ScheduledOutcome::Missed;
        let [noted, again] = [(), ()].map(|()| note(&db, first, due, outcome, "", now, &noting).unwrap().unwrap());
        assert_eq!((noted, runs(&db, first, None, 10).unwrap().len()), (again, 2));
    }
}
