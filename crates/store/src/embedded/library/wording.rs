//! The words that items and pages are found by.

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use sha2::{Digest, Sha256};

use super::text::cut;
use crate::{PagePlace, Words};

/// Characters of all captions of an item together.
const CAPTIONS: usize = 8_000;

/// What a word counts for in each column of `item_words`: title, description, captions, key words,
/// places, host, author.
pub(super) const ITEM_SCORE: &str = "bm25(item_words, 10.0, 4.0, 5.0, 6.0, 5.0, 1.0, 3.0)";

/// The same for `page_words`: title, description, places, host.
pub(super) const PAGE_SCORE: &str = "bm25(page_words, 10.0, 4.0, 3.0, 1.0)";

/// Writes the words of an item; only when they are others than before.
pub(super) fn write_item(db: &Transaction<'_>, media: i64, captions: &[String]) -> rusqlite::Result<()> {
    let found = db
        .prepare_cached(
            "SELECT coalesce(person_text.title, media.title, ''),
                    coalesce(person_text.description, media.description, ''),
                    coalesce((SELECT group_concat(value, ' ') FROM json_each(media.keywords)), ''),
                    concat_ws(' ', sublocation, city, state, media.country, place, town, admin1),
                    by_host, coalesce(author, ''), described
             FROM media LEFT JOIN person_text USING (sha256)
             LEFT JOIN location ON location.media = media.id AND best = 1
             WHERE media.id = ?1",
        )?
        .query_row([media], |row| {
            let text = |column| row.get::<_, String>(column);
            Ok(([text(0)?, text(1)?, text(2)?, text(3)?, text(4)?, text(5)?], row.get::<_, Option<i64>>(6)?))
        })
        .optional()?;
    let Some(([title, description, keywords, places, host, author], before)) = found else { return Ok(()) };
    let captions = captions.join(" \u{1} ");
    let captions = cut(&captions, CAPTIONS);
    let texts = [&title, &description, captions, &keywords, &places, &host, &author];
    let described = fingerprint(&texts);
    if before == Some(described) {
        return Ok(());
    }
    db.prepare_cached(
        "REPLACE INTO item_words (rowid, title, description, captions, keywords, places, host, author)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![media, title, description, captions, keywords, places, host, author])?;
    db.prepare_cached("UPDATE media SET described = ?2 WHERE id = ?1")?.execute([media, described])?;
    Ok(())
}

/// The item goes.
pub(super) fn remove_item(db: &Transaction<'_>, media: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM item_words WHERE rowid = ?1")?.execute([media]).map(drop)
}

/// Writes the words of a page that speaks of these places; only when they are others than before.
pub(super) fn write_page(db: &Transaction<'_>, page: i64, places: &[&PagePlace]) -> rusqlite::Result<()> {
    if places.is_empty() {
        return remove_page(db, page);
    }
    let (title, description, host, before): (String, String, String, Option<i64>) = db
        .prepare_cached(
            "SELECT title, description, name, described FROM page JOIN host ON host.id = page.host WHERE page.id = ?1",
        )?
        .query_row([page], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let mut names: Vec<&str> = places.iter().map(|place| place.whereabouts.locality.place.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let names = names.join(" \u{1} ");
    let names = cut(&names, CAPTIONS);
    let described = fingerprint(&[&title, &description, names, &host]);
    if before == Some(described) {
        return Ok(());
    }
    db.prepare_cached("REPLACE INTO page_words (rowid, title, description, places, host) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![page, title, description, names, host])?;
    db.prepare_cached("UPDATE page SET described = ?2 WHERE id = ?1")?.execute([page, described])?;
    Ok(())
}

/// The page goes, or speaks of no place any more.
pub(super) fn remove_page(db: &Transaction<'_>, page: i64) -> rusqlite::Result<()> {
    let described = db
        .prepare_cached("UPDATE page SET described = NULL WHERE id = ?1 AND described IS NOT NULL")?
        .execute([page])?;
    if described > 0 {
        db.prepare_cached("DELETE FROM page_words WHERE rowid = ?1")?.execute([page])?;
    }
    Ok(())
}

/// The numbers of what has these words, in order; or of what has those that may not be there, when no
/// others are asked for.
pub(super) enum Numbers {
    Only(Vec<i64>),
    Except(Vec<i64>),
}

impl Numbers {
    /// By the words of `item_words` or `page_words`.
    pub fn of(db: &Connection, table: &str, words: &Words) -> rusqlite::Result<Self> {
        let matching = |expression: String| {
            db.prepare_cached(&format!("SELECT rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rowid"))?
                .query_map([expression], |row| row.get(0))?
                .collect::<rusqlite::Result<Vec<i64>>>()
        };
        match words.expression() {
            Some(expression) => matching(expression).map(Self::Only),
            None => words.unwanted().map_or(Ok(Vec::new()), matching).map(Self::Except),
        }
    }

    pub fn hold(&self, number: i64) -> bool {
        match self {
            Self::Only(numbers) => numbers.binary_search(&number).is_ok(),
            Self::Except(numbers) => numbers.binary_search(&number).is_err(),
        }
    }
}

/// Tells texts from others.
fn fingerprint(texts: &[&str]) -> i64 {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let hash: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    i64::from_le_bytes(first)
}
