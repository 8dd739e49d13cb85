//! What follows from everything that is known of a file, worked out once for each file and change.
//!
//! Whatever changes what is known notes the file; before the change is committed all that were noted
//! are worked out anew. A file that a hundred visits of a batch speak of is so done once.

use std::collections::BTreeSet;

use crate::sql::{self, OptionalExtension, Transaction, params};
use query::Language;

use super::counted::{self, Sums};
use super::vocabulary::Vocabulary;
use super::wording::{self, Heard};
use super::{groups, licences};

/// Pages that are asked what they say of a file, the first ones; and copies of it, the best ones.
const PAGES: i64 = 20;
const COPIES: usize = 20;

/// Works out what follows for the files that were noted.
pub(super) fn settle(db: &Transaction<'_>) -> sql::Result<()> {
    let touched = db.touched();
    if touched.is_empty() {
        return Ok(());
    }
    let (mut sums, mut vocabulary) = (Sums::new(), Vocabulary::new(db));
    // What is said of a copy is said of its original.
    let mut originals = BTreeSet::new();
    for media in &touched {
        originals.extend(groups::original_of(db, *media)?);
        counted::follow(db, *media, &mut sums)?;
    }
    originals.extend(touched);
    for media in originals {
        follow(db, media, &mut vocabulary)?;
    }
    vocabulary.finish()?;
    counted::write(db, &sums)
}

/// Works out the words of an item and whether its licence is open.
pub(super) fn follow(db: &Transaction<'_>, media: i64, vocabulary: &mut Vocabulary<'_>) -> sql::Result<()> {
    let own: Option<Option<String>> = db
        .prepare_cached("SELECT licence FROM media WHERE id = ?1")?
        .query_row([media], |row| row.get(0))
        .optional()?;
    let Some(own) = own else { return Ok(()) };
    let (mut open, mut heard) = (own.is_some_and(|licence| licences::is_open(&licence)), Heard::default());
    open |= hear(db, media, &mut heard)?;
    db.prepare_cached("UPDATE media SET open = ?2 WHERE id = ?1 AND open <> ?2")?.run(params![media, open])?;
    // The licence of a copy is its own.
    for copy in groups::copies_of(db, media, COPIES)? {
        hear(db, copy, &mut heard)?;
        hear_itself(db, copy, &mut heard)?;
    }
    wording::write_item(db, vocabulary, media, &heard)
}

/// What pages say of a file; whether one of them gives it an open licence.
fn hear(db: &Transaction<'_>, media: i64, heard: &mut Heard) -> sql::Result<bool> {
    let mut open = false;
    let mut select = db.prepare_cached(
        "SELECT coalesce(reference.description, imported.description), reference.licence, reference.author,
                page.language, page.title, page.keywords, page.telling
         FROM media_address LEFT JOIN reference ON reference.media_address = media_address.id
         LEFT JOIN page ON page.id = reference.page
         LEFT JOIN imported ON imported.media_address = media_address.id
         WHERE media_address.media = ?1 ORDER BY media_address.id, reference.page LIMIT ?2",
    )?;
    let mut rows = select.query(params![media, PAGES])?;
    while let Some(row) = rows.next()? {
        let licence: Option<String> = row.get(1)?;
        open |= licence.is_some_and(|licence| licences::is_open(&licence));
        let language = row.get::<_, Option<String>>(3)?.and_then(|code| Language::of_code(&code));
        for text in [row.get(0)?, row.get(2)?] {
            Heard::add(&mut heard.captions, text, language);
        }
        for text in [row.get(4)?, row.get(5)?] {
            Heard::add(&mut heard.context, text, language);
        }
        Heard::add(&mut heard.telling, row.get(6)?, language);
    }
    Ok(open)
}

/// What a copy says of itself.
fn hear_itself(db: &Transaction<'_>, media: i64, heard: &mut Heard) -> sql::Result<()> {
    let texts: [Option<String>; 3] = db
        .prepare_cached(
            "SELECT coalesce(person_text.title, media.title), coalesce(person_text.description, media.description),
                    media.keywords
             FROM media LEFT JOIN person_text USING (sha256) WHERE media.id = ?1",
        )?
        .query_row([media], |row| {
            let keywords: String = row.get(2)?;
            Ok([row.get(0)?, row.get(1)?, Some(wording::listed(&keywords))])
        })?;
    texts.into_iter().for_each(|text| Heard::add(&mut heard.captions, text, None));
    Ok(())
}
