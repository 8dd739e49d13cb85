//! What follows from everything that is known of a file, worked out once for each file and change.
//!
//! Whatever changes what is known notes the file; before the change is committed all that were noted
//! are worked out anew. A file that a hundred visits of a batch speak of is so done once.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::counted::{self, Sums};
use super::{licences, wording};

/// Pages that are asked what they say of a file, the first ones.
const PAGES: i64 = 20;

/// What a connection that writes needs.
pub(super) const TABLES: &str = "CREATE TEMP TABLE touched (media INTEGER PRIMARY KEY)";

/// Notes that something is known of a file now that was not, or is not any more.
pub(super) fn touch(db: &Connection, media: i64) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO temp.touched (media) VALUES (?1) ON CONFLICT DO NOTHING")?.execute([media])?;
    Ok(())
}

/// Works out what follows for the files that were noted.
pub(super) fn settle(db: &Transaction<'_>) -> rusqlite::Result<()> {
    let touched = db
        .prepare_cached("SELECT media FROM temp.touched")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<Vec<i64>>>()?;
    if touched.is_empty() {
        return Ok(());
    }
    let mut sums = Sums::new();
    for media in touched {
        follow(db, media)?;
        counted::follow(db, media, &mut sums)?;
    }
    counted::write(db, &sums)?;
    db.prepare_cached("DELETE FROM temp.touched")?.execute([]).map(drop)
}

fn follow(db: &Transaction<'_>, media: i64) -> rusqlite::Result<()> {
    let own: Option<Option<String>> = db
        .prepare_cached("SELECT licence FROM media WHERE id = ?1")?
        .query_row([media], |row| row.get(0))
        .optional()?;
    let Some(own) = own else { return Ok(()) };
    let (mut open, mut captions) = (own.is_some_and(|licence| licences::is_open(&licence)), Vec::<String>::new());
    let mut select = db.prepare_cached(
        "SELECT coalesce(reference.description, imported.description), reference.licence, reference.author
         FROM media_address LEFT JOIN reference ON reference.media_address = media_address.id
         LEFT JOIN imported ON imported.media_address = media_address.id
         WHERE media_address.media = ?1 LIMIT ?2",
    )?;
    let mut rows = select.query(params![media, PAGES])?;
    while let Some(row) = rows.next()? {
        let licence: Option<String> = row.get(1)?;
        open |= licence.is_some_and(|licence| licences::is_open(&licence));
        for text in [row.get::<_, Option<String>>(0)?, row.get(2)?].into_iter().flatten() {
            if !text.is_empty() && !captions.contains(&text) {
                captions.push(text);
            }
        }
    }
    db.prepare_cached("UPDATE media SET open = ?2 WHERE id = ?1 AND open <> ?2")?.execute(params![media, open])?;
    wording::write_item(db, media, &captions)
}
