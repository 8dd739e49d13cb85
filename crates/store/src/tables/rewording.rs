//! Wording anew what was written before words were kept as they are now.
//!
//! A library that was brought up to date opens at once; its items are worded beside other work, the newest
//! first, a few at a time. What is not worded yet is not found by words, and who searches is told how many
//! there are. A kill loses nothing: how far it came is written with what was done.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::sql::{self, Connection, OptionalExtension, Transaction, params};

use super::connections::Connections;
use super::touched;
use super::vocabulary::{Subject, Vocabulary};
use super::wording;

/// Worded at a time, and the rest between: others write meanwhile.
const BATCH: usize = 200;
const REST: Duration = Duration::from_millis(5);

fn name(subject: Subject) -> &'static str {
    match subject {
        Subject::Item => "item",
        Subject::Page => "page",
    }
}

/// How many are to be worded at most.
pub(super) fn left(db: &Connection, subject: Subject) -> sql::Result<u64> {
    let next: Option<i64> = db
        .prepare_cached("SELECT next FROM rewording WHERE subject = ?1")?
        .query_row([name(subject)], |row| row.get(0))
        .optional()?;
    Ok(next.unwrap_or(0).max(0) as u64)
}

/// Words everything that is to be, on a thread of its own, as long as the library is open.
pub(super) fn start(connections: &Arc<Connections>) {
    let open = Arc::downgrade(connections);
    let waiting = connections.ask(|db| db.prepare_cached("SELECT 1 FROM rewording")?.exists([]));
    if !matches!(waiting, Ok(true)) {
        return;
    }
    let started = std::thread::Builder::new().name("rewording".into()).spawn(move || work(&open));
    if let Err(error) = started {
        tracing::warn!("words of older items are not written anew: {error}");
    }
}

fn work(open: &Weak<Connections>) {
    loop {
        let Some(connections) = open.upgrade() else { return };
        match connections.change_here(|db| batch(db, BATCH)) {
            Ok(true) => {}
            Ok(false) => return tracing::info!("all items are found by their words"),
            Err(error) => return tracing::warn!("words of older items are not written anew: {error}"),
        }
        drop(connections);
        std::thread::sleep(REST);
    }
}

/// Words so many of the next; whether there are more.
pub(super) fn batch(db: &Transaction<'_>, most: usize) -> sql::Result<bool> {
    for subject in [Subject::Item, Subject::Page] {
        let next = left(db, subject)? as i64;
        if next == 0 {
            continue;
        }
        let table = if subject == Subject::Item { "media" } else { "page" };
        let numbers = db
            .prepare_cached(&format!("SELECT id FROM {table} WHERE id <= ?1 ORDER BY id DESC LIMIT ?2"))?
            .query_map([next, most as i64], |row| row.get(0))?
            .collect::<sql::Result<Vec<i64>>>()?;
        let mut vocabulary = Vocabulary::new(db);
        match subject {
            Subject::Item => touched::follow_all(db, &numbers, &mut vocabulary)?,
            Subject::Page => {
                let names = db
                    .prepare_cached("SELECT place FROM page_place WHERE page = ?1")?
                    .query_each(numbers.iter().map(|number| [*number]), |row| row.get(0))?;
                for (number, names) in numbers.iter().zip(names) {
                    wording::word_page(db, &mut vocabulary, *number, names)?;
                }
            }
        }
        vocabulary.finish()?;
        let next = numbers.last().map_or(0, |last| last - 1);
        match numbers.len() < most || next == 0 {
            true => db.execute("DELETE FROM rewording WHERE subject = ?1", [name(subject)])?,
            false => db.execute("UPDATE rewording SET next = ?2 WHERE subject = ?1", params![name(subject), next])?,
        };
        return Ok(true);
    }
    Ok(false)
}
