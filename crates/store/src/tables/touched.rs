//! What follows from everything that is known of a file, worked out once for each file and change.
//!
//! Whatever changes what is known notes the file; before the change is committed all that were noted
//! are worked out anew. A file that a hundred visits of a batch speak of is so done once.

use std::collections::BTreeSet;

use crate::sql::{self, Transaction, params};
use query::Language;

use super::counted::{self, Sums};
use super::vocabulary::Vocabulary;
use super::wording::{self, Heard};
use super::{groups, licences};

/// Pages that are asked what they say of a file, the first ones; and copies of it, the best ones.
const PAGES: i64 = 20;
const COPIES: usize = 20;

/// Files that are worked out at once.
const AT_ONCE: usize = 256;

/// Works out what follows for the files that were noted.
pub(super) fn settle(db: &Transaction<'_>) -> sql::Result<()> {
    let touched = db.touched();
    if touched.is_empty() {
        return Ok(());
    }
    let (mut sums, mut vocabulary) = (Sums::new(), Vocabulary::new(db));
    // What is said of a copy is said of its original.
    let files: Vec<i64> = touched.iter().copied().collect();
    let mut originals: BTreeSet<i64> = groups::originals_of(db, &files)?.into_iter().flatten().collect();
    counted::follow(db, &files, &mut sums)?;
    originals.extend(touched);
    let originals: Vec<i64> = originals.into_iter().collect();
    follow_all(db, &originals, &mut vocabulary)?;
    vocabulary.finish()?;
    counted::write(db, &sums)
}

/// Works out the words of items and whether their licences are open.
pub(super) fn follow_all(db: &Transaction<'_>, files: &[i64], vocabulary: &mut Vocabulary<'_>) -> sql::Result<()> {
    files.chunks(AT_ONCE).try_for_each(|some| follow(db, some, vocabulary))
}

fn follow(db: &Transaction<'_>, files: &[i64], vocabulary: &mut Vocabulary<'_>) -> sql::Result<()> {
    let licences = db
        .prepare_cached("SELECT licence, open FROM media WHERE id = ?1")?
        .query_each(files.iter().map(|file| [*file]), |row| {
            Ok((row.get::<_, Option<String>>(0)?, row.get::<_, bool>(1)?))
        })?;
    let copied = groups::originals_of(db, files)?;
    let mut items = Vec::with_capacity(files.len());
    for (((media, said), licence), original) in files.iter().zip(hear(db, files)?).zip(licences).zip(copied) {
        let Some((own, before)) = licence.into_iter().next() else { continue };
        let mut heard = Heard::default();
        let open = own.is_some_and(|licence| licences::is_open(&licence)) | take_in(&mut heard, said);
        if open != before {
            db.prepare_cached("UPDATE media SET open = ?2 WHERE id = ?1")?.run(params![media, open])?;
        }
        // The licence of a copy is its own.
        let copies = if original == Some(*media) { groups::copies_of(db, *media, COPIES)? } else { Vec::new() };
        for (copy, said) in copies.iter().zip(hear(db, &copies)?) {
            take_in(&mut heard, said);
            hear_itself(db, *copy, &mut heard)?;
        }
        items.push((*media, heard));
    }
    wording::write_items(db, vocabulary, &items)
}

/// What a page says of a file, and of itself.
struct Said {
    caption: Option<String>,
    licence: Option<String>,
    author: Option<String>,
    language: Option<Language>,
    title: Option<String>,
    keywords: Option<String>,
    telling: Option<String>,
}

/// What pages say of each of some files.
fn hear(db: &Transaction<'_>, files: &[i64]) -> sql::Result<Vec<Vec<Said>>> {
    db.prepare_cached(
        "SELECT coalesce(reference.description, imported.description), reference.licence, reference.author,
                page.language, page.title, page.keywords, page.telling
         FROM media_address LEFT JOIN reference ON reference.media_address = media_address.id
         LEFT JOIN page ON page.id = reference.page
         LEFT JOIN imported ON imported.media_address = media_address.id
         WHERE media_address.media = ?1 ORDER BY media_address.id, reference.page LIMIT ?2",
    )?
    .query_each(files.iter().map(|file| [*file, PAGES]), |row| {
        Ok(Said {
            caption: row.get(0)?,
            licence: row.get(1)?,
            author: row.get(2)?,
            language: row.get::<_, Option<String>>(3)?.and_then(|code| Language::of_code(&code)),
            title: row.get(4)?,
            keywords: row.get(5)?,
            telling: row.get(6)?,
        })
    })
}

/// Adds what pages say of a file; whether one of them gives it an open licence.
fn take_in(heard: &mut Heard, said: Vec<Said>) -> bool {
    let mut open = false;
    for Said { caption, licence, author, language, title, keywords, telling } in said {
        open |= licence.is_some_and(|licence| licences::is_open(&licence));
        for text in [caption, author] {
            Heard::add(&mut heard.captions, text, language);
        }
        for text in [title, keywords] {
            Heard::add(&mut heard.context, text, language);
        }
        Heard::add(&mut heard.telling, telling, language);
    }
    open
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
