//! Every word of the library: how many items and pages have it, and which words are forms of one.

use std::collections::{BTreeSet, HashMap};

use crate::sql::{self, Connection, OptionalExtension, Session, Transaction, params};
use query::Language;

/// What a word is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Item,
    Page,
}

impl Subject {
    /// The column of `word` that counts it.
    pub fn column(self) -> &'static str {
        match self {
            Self::Item => "items",
            Self::Page => "pages",
        }
    }

    /// The table with words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Item => "item_words",
            Self::Page => "page_words",
        }
    }

    /// The table with terms, and its key.
    pub fn terms(self) -> (&'static str, &'static str) {
        match self {
            Self::Item => ("item_terms", "media"),
            Self::Page => ("page_terms", "page"),
        }
    }
}

/// Words on their way in, within one transaction: each is looked up and counted once.
pub(super) struct Vocabulary<'a> {
    db: &'a Transaction<'a>,
    known: HashMap<String, Entry>,
    counts: HashMap<(Subject, i64), i64>,
}

#[derive(Clone, Copy)]
struct Entry {
    id: i64,
    languages: u32,
}

impl<'a> Vocabulary<'a> {
    pub fn new(db: &'a Transaction<'a>) -> Self {
        Self { db, known: HashMap::new(), counts: HashMap::new() }
    }

    /// The number of a word that is met in a language, as it is written there.
    pub fn number(&mut self, text: &str, written: &str, language: Language) -> sql::Result<i64> {
        let mut entry = match self.known.get(text) {
            Some(entry) => *entry,
            None => self.look_up(text)?,
        };
        if entry.languages & language.bit() == 0 {
            entry.languages |= language.bit();
            self.db
                .prepare_cached("UPDATE word SET languages = languages | ?2 WHERE id = ?1")?
                .run(params![entry.id, language.bit()])?;
            // People type with accents and without: both ways lead to the word.
            for stem in [language.stem(written), language.stem(text)].into_iter().flatten() {
                self.db
                    .prepare_cached("INSERT INTO stem (stem, word) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
                    .run(params![key(language, &stem), entry.id])?;
            }
        }
        self.known.insert(text.to_owned(), entry);
        Ok(entry.id)
    }

    /// Looks up words that will be met, all at once where each question costs a way to a server.
    pub fn expect<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> sql::Result<()> {
        let Some(session) = self.db.session() else { return Ok(()) };
        let unknown: BTreeSet<&str> = texts.filter(|text| !self.known.contains_key(*text)).collect();
        let mut unknown: Vec<&str> = unknown.into_iter().collect();
        if unknown.is_empty() {
            return Ok(());
        }
        for question in [
            "SELECT id, text, languages FROM word WHERE text = ANY ($1)",
            "INSERT INTO word (text) SELECT unnest($1::TEXT[]) RETURNING id, text, languages",
        ] {
            let ask = session.own(question)?;
            for row in session.wait(session.client().query(&ask, &[&unknown]))? {
                let languages = u32::try_from(row.get::<_, i64>(2)).unwrap_or(0);
                self.known.insert(row.get(1), Entry { id: row.get(0), languages });
            }
            unknown.retain(|text| !self.known.contains_key(*text));
            if unknown.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn look_up(&self, text: &str) -> sql::Result<Entry> {
        let found = self
            .db
            .prepare_cached("SELECT id, languages FROM word WHERE text = ?1")?
            .query_row([text], |row| Ok(Entry { id: row.get(0)?, languages: row.get(1)? }))
            .optional()?;
        if let Some(entry) = found {
            return Ok(entry);
        }
        Ok(Entry { id: self.db.insert("INSERT INTO word (text) VALUES (?1)", [text])?, languages: 0 })
    }

    /// One more, or one less, has this word.
    pub fn count(&mut self, subject: Subject, word: i64, by: i64) {
        *self.counts.entry((subject, word)).or_default() += by;
    }

    /// Writes what was counted.
    pub fn finish(self) -> sql::Result<()> {
        if let Some(session) = self.db.session() {
            return write_counts(session, &self.counts);
        }
        for ((subject, word), by) in self.counts.into_iter().filter(|(_, by)| *by != 0) {
            let column = subject.column();
            self.db
                .prepare_cached(&format!("UPDATE word SET {column} = {column} + ?2 WHERE id = ?1"))?
                .run([word, by])?;
        }
        Ok(())
    }
}

/// Writes counts all at once.
fn write_counts(session: &Session, counts: &HashMap<(Subject, i64), i64>) -> sql::Result<()> {
    for subject in [Subject::Item, Subject::Page] {
        let of_subject = counts.iter().filter(|((of, _), by)| *of == subject && **by != 0);
        let (words, by): (Vec<i64>, Vec<i64>) = of_subject.map(|((_, word), by)| (*word, *by)).unzip();
        if words.is_empty() {
            continue;
        }
        let column = subject.column();
        let write = session.own(&format!(
            "UPDATE word SET {column} = word.{column} + d.difference
             FROM unnest($1::BIGINT[], $2::BIGINT[]) AS d (word, difference) WHERE word.id = d.word"
        ))?;
        session.wait(session.client().execute(&write, &[&words, &by]))?;
    }
    Ok(())
}

/// A stem as the table has it.
pub(super) fn key(language: Language, stem: &str) -> String {
    format!("{}:{stem}", language.code())
}

/// A word that something has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub id: i64,
    pub text: String,
    /// Items or pages that have it.
    pub count: i64,
    pub languages: u32,
}

const COLUMNS: &str = "word.id, word.text, languages";

fn read(row: &sql::Row<'_>) -> sql::Result<Known> {
    Ok(Known { id: row.get(0)?, text: row.get(1)?, languages: row.get(2)?, count: row.get(3)? })
}

/// The word of this spelling.
pub(super) fn spelt(db: &Connection, subject: Subject, text: &str) -> sql::Result<Option<Known>> {
    let column = subject.column();
    db.prepare_cached(&format!("SELECT {COLUMNS}, {column} FROM word WHERE text = ?1 AND {column} > 0"))?
        .query_row([text], read)
        .optional()
}

/// Words with this stem, at most so many.
pub(super) fn stemmed(db: &Connection, subject: Subject, stem: &str, most: i64) -> sql::Result<Vec<Known>> {
    let column = subject.column();
    db.prepare_cached(&format!(
        "SELECT {COLUMNS}, {column} FROM stem CROSS JOIN word ON word.id = stem.word WHERE stem = ?1 AND {column} > 0
         LIMIT ?2"
    ))?
    .query_map(params![stem, most], read)?
    .collect()
}

/// The words that begin so and that most have, at most so many. Of very many, those that come first in the
/// alphabet are looked at.
pub(super) fn starting(db: &Connection, subject: Subject, start: &str, most: i64) -> sql::Result<Vec<Known>> {
    const LOOKED_AT: i64 = 20_000;
    let column = subject.column();
    db.prepare_cached(&format!(
        "SELECT * FROM (SELECT {COLUMNS}, {column} AS count FROM word WHERE text >= ?1 AND text < ?2 LIMIT {LOOKED_AT}) AS longer
         WHERE count > 0 ORDER BY count DESC LIMIT ?3"
    ))?
    .query_map(params![start, format!("{start}\u{10ffff}"), most], read)?
    .collect()
}
