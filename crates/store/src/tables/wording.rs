//! The words that items and pages are found by.
//!
//! Texts are taken apart here and not by SQLite: what a word is, is said once (`query::tokens`). Each word
//! goes to three places: `item_words`, which finds items by words and phrases; `item_terms`, which ranks
//! them; and `word`, which knows how many have it and in which forms it occurs.

use crate::sql::{self, Connection, Dialect, Row, Transaction, params};
use query::{Language, Token, tokens};
use sha2::{Digest, Sha256};

use super::expansion::Plan;
use super::lexemes;
use super::stretches;
use super::terms::{Counting, Terms, Weight, prior};
use super::text::cut;
use super::vocabulary::{Subject, Vocabulary};
use crate::PagePlace;

/// Characters of all captions of an item together, and of all that its pages say of themselves.
const CAPTIONS: usize = 8_000;
const CONTEXT: usize = 2_000;

/// Words of a field that are looked at.
const WORDS: usize = 3_000;

/// What a word counts for, and how many words a field usually has.
const TITLE: Weight = Weight { counts: 3.0, usual: 6.0 };
const KEYWORDS: Weight = Weight { counts: 2.0, usual: 10.0 };
const PLACES: Weight = Weight { counts: 1.6, usual: 8.0 };
const CAPTION: Weight = Weight { counts: 1.5, usual: 20.0 };
const DESCRIPTION: Weight = Weight { counts: 1.2, usual: 30.0 };
/// Key words that were found in the text of a page, not given by whoever made the picture.
const TELLING: Weight = Weight { counts: 1.0, usual: 12.0 };
const AUTHOR: Weight = Weight { counts: 1.0, usual: 3.0 };
const CONTEXT_WEIGHT: Weight = Weight { counts: 0.5, usual: 20.0 };
const HOST: Weight = Weight { counts: 0.3, usual: 3.0 };

/// Part of every fingerprint: texts that were worded in another way are worded anew.
const VERSION: &str = "2";

/// Stands between fields, so that no phrase goes over from one to the next.
pub(super) const BETWEEN: &str = " \u{e001} ";

/// Stands before a word in the column of prominent ones.
pub(super) const PROMINENT: char = '\u{e000}';

/// A text that something is found by.
struct Field<'t> {
    text: &'t str,
    language: Language,
    weight: Weight,
    prominent: bool,
}

/// A text of a page, in its language.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spoken {
    pub text: String,
    pub language: Option<Language>,
}

/// What pages say: of an item, and of themselves.
#[derive(Default)]
pub(super) struct Heard {
    pub captions: Vec<Spoken>,
    pub context: Vec<Spoken>,
    /// The words that tell its pages from others.
    pub telling: Vec<Spoken>,
}

impl Heard {
    /// Adds a text, unless it was said before.
    pub fn add(list: &mut Vec<Spoken>, text: Option<String>, language: Option<Language>) {
        let known = |text: &str| list.iter().any(|spoken| spoken.text == text);
        if let Some(text) = text.filter(|text| !text.is_empty() && !known(text)) {
            list.push(Spoken { text, language });
        }
    }
}

/// What an item says of itself.
struct Own {
    texts: [String; 6],
    /// The fingerprint of what was worded before.
    before: Option<i64>,
    prior: f64,
    kind: i64,
    duplicate: bool,
}

impl Own {
    fn read(row: &Row<'_>) -> sql::Result<Self> {
        let text = |column| row.get::<_, String>(column);
        Ok(Self {
            texts: [text(0)?, text(1)?, listed(&text(2)?), text(3)?, text(4)?, text(5)?],
            before: row.get(6)?,
            prior: prior(row.get(7)?, row.get(8)?),
            kind: row.get(9)?,
            duplicate: row.get(10)?,
        })
    }

    /// All texts that it is found by.
    fn fields<'t>(&'t self, heard: &'t Heard) -> Vec<Field<'t>> {
        let [title, description, keywords, places, host, author] = &self.texts;
        let spoken = heard.captions.iter().chain(&heard.context).find_map(|spoken| spoken.language);
        let language =
            spoken.or_else(|| Language::of_text(&format!("{title}. {description}"))).unwrap_or(Language::ENGLISH);
        let own = |text, weight, prominent| Field { text, language, weight, prominent };
        let mut fields = vec![
            own(title, TITLE, true),
            own(description, DESCRIPTION, false),
            own(keywords, KEYWORDS, true),
            own(places, PLACES, true),
            own(host, HOST, false),
            own(author, AUTHOR, false),
        ];
        said(&mut fields, &heard.captions, (CAPTION, false), CAPTIONS, language);
        said(&mut fields, &heard.context, (CONTEXT_WEIGHT, false), CONTEXT, language);
        said(&mut fields, &heard.telling, (TELLING, true), CONTEXT, language);
        fields
    }
}

/// Writes the words of some items, each with what pages say of it; only when they are others than before.
pub(super) fn write_items(
    db: &Transaction<'_>,
    vocabulary: &mut Vocabulary<'_>,
    items: &[(i64, Heard)],
) -> sql::Result<()> {
    let own = db
        .prepare_cached(
            "SELECT coalesce(person_text.title, media.title, ''),
                    coalesce(person_text.description, media.description, ''),
                    media.keywords,
                    concat_ws(' ', sublocation, city, state, media.country, place, town, admin1),
                    by_host, coalesce(author, ''), described, confidence, width * height,
                    CASE kind WHEN 'image' THEN 0 WHEN 'video' THEN 1 ELSE 2 END, media.duplicate
             FROM media LEFT JOIN person_text USING (sha256)
             LEFT JOIN location ON location.media = media.id AND best = 1
             WHERE media.id = ?1",
        )?
        .query_each(items.iter().map(|(media, _)| [*media]), Own::read)?;
    let mut worded = Vec::with_capacity(items.len());
    for ((media, heard), own) in items.iter().zip(&own) {
        let Some(own) = own.first() else { continue };
        let fields = own.fields(heard);
        let described = fingerprint(&fields, own.prior);
        if own.before != Some(described) {
            worded.push((*media, own, described, Read::of(fields)));
        }
    }
    vocabulary.expect(worded.iter().flat_map(|(.., read)| read.words()))?;
    let numbers: Vec<i64> = worded.iter().map(|(media, ..)| *media).collect();
    let before = terms_before(db, Subject::Item, &numbers)?;
    for ((media, own, described, read), before) in worded.into_iter().zip(before) {
        let written = Written::of(read, vocabulary, own.prior)?;
        written.store(db, Subject::Item, media)?;
        recount(vocabulary, Subject::Item, &before, &written.terms);
        db.prepare_cached(
            "INSERT INTO item_terms (media, kind, duplicate, terms) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (media) DO UPDATE SET terms = excluded.terms",
        )?
        .run(params![media, own.kind, own.duplicate, written.terms])?;
        db.prepare_cached("UPDATE media SET described = ?2 WHERE id = ?1")?.run([media, described])?;
    }
    Ok(())
}

/// The texts of a list that is kept as JSON.
pub(super) fn listed(json: &str) -> String {
    serde_json::from_str::<Vec<String>>(json).unwrap_or_default().join(" ")
}

/// Adds what pages say, as far as there is room for it.
fn said<'t>(
    fields: &mut Vec<Field<'t>>,
    texts: &'t [Spoken],
    (weight, prominent): (Weight, bool),
    room: usize,
    language: Language,
) {
    let mut left = room;
    for spoken in texts {
        let text = cut(&spoken.text, left);
        left -= text.chars().count();
        fields.push(Field { text, language: spoken.language.unwrap_or(language), weight, prominent });
    }
}

/// The item goes.
pub(super) fn remove_item(db: &Transaction<'_>, media: i64) -> sql::Result<()> {
    remove(db, Subject::Item, media)
}

/// The copy that an item is, or is not any more.
pub(super) fn mark_duplicate(db: &Transaction<'_>, media: i64, duplicate: bool) -> sql::Result<()> {
    db.prepare_cached("UPDATE item_terms SET duplicate = ?2 WHERE media = ?1")?.run(params![media, duplicate])
}

/// Writes the words of a page that speaks of these places, by their names; only when they are others than
/// before.
pub(super) fn write_page(db: &Transaction<'_>, page: i64, places: &[&PagePlace]) -> sql::Result<()> {
    let names = places.iter().map(|place| place.whereabouts.locality.place.clone()).collect();
    let mut vocabulary = Vocabulary::new(db);
    word_page(db, &mut vocabulary, page, names)?;
    vocabulary.finish()
}

/// [`write_page`] for one that is there already.
pub(super) fn word_page(
    db: &Transaction<'_>,
    vocabulary: &mut Vocabulary<'_>,
    page: i64,
    mut names: Vec<String>,
) -> sql::Result<()> {
    if names.is_empty() {
        return remove_page(db, page);
    }
    let ([title, description, keywords, host], language, before) = db
        .prepare_cached(
            "SELECT title, description, keywords, name, language, described
             FROM page JOIN host ON host.id = page.host WHERE page.id = ?1",
        )?
        .query_row([page], |row| {
            let text = |column| row.get::<_, String>(column);
            let texts = [text(0)?, text(1)?, listed(&text(2)?), text(3)?];
            Ok((texts, row.get::<_, Option<String>>(4)?, row.get::<_, Option<i64>>(5)?))
        })?;
    names.sort_unstable();
    names.dedup();
    let names = names.join(" \u{1} ");
    let language = language
        .and_then(|code| Language::of_code(&code))
        .or_else(|| Language::of_text(&description))
        .unwrap_or(Language::ENGLISH);
    let field = |text, weight, prominent| Field { text, language, weight, prominent };
    let fields = [
        field(&title, TITLE, true),
        field(&description, DESCRIPTION, false),
        field(&keywords, KEYWORDS, false),
        field(cut(&names, CAPTIONS), PLACES, true),
        field(&host, HOST, false),
    ];
    let described = fingerprint(&fields, 0.0);
    if before == Some(described) {
        return Ok(());
    }
    let read = Read::of(fields.into());
    vocabulary.expect(read.words())?;
    let written = Written::of(read, vocabulary, 0.0)?;
    written.store(db, Subject::Page, page)?;
    for before in terms_before(db, Subject::Page, &[page])? {
        recount(vocabulary, Subject::Page, &before, &written.terms);
    }
    db.prepare_cached(
        "INSERT INTO page_terms (page, terms) VALUES (?1, ?2) ON CONFLICT (page) DO UPDATE SET terms = excluded.terms",
    )?
    .run(params![page, written.terms])?;
    db.prepare_cached("UPDATE page SET described = ?2 WHERE id = ?1")?.run([page, described])?;
    Ok(())
}

/// The page goes, or speaks of no place any more.
pub(super) fn remove_page(db: &Transaction<'_>, page: i64) -> sql::Result<()> {
    let described = db
        .prepare_cached("UPDATE page SET described = NULL WHERE id = ?1 AND described IS NOT NULL")?
        .execute([page])?;
    if described > 0 { remove(db, Subject::Page, page) } else { Ok(()) }
}

fn remove(db: &Transaction<'_>, subject: Subject, number: i64) -> sql::Result<()> {
    let ((table, key), words) = (subject.terms(), subject.words());
    let mut vocabulary = Vocabulary::new(db);
    for before in terms_before(db, subject, &[number])? {
        recount(&mut vocabulary, subject, &before, &[]);
    }
    vocabulary.finish()?;
    let there = db.prepare_cached(&format!("DELETE FROM {table} WHERE {key} = ?1"))?.execute([number])?;
    // What was not worded yet has no words to take out.
    if there > 0 {
        db.prepare_cached(&format!("DELETE FROM {words} WHERE rowid = ?1"))?.run([number])?;
    }
    Ok(())
}

/// The words that some things had when they were last written; nothing of those that had none.
fn terms_before(db: &Transaction<'_>, subject: Subject, numbers: &[i64]) -> sql::Result<Vec<Vec<u8>>> {
    let (table, key) = subject.terms();
    let found = db
        .prepare_cached(&format!("SELECT terms FROM {table} WHERE {key} = ?1"))?
        .query_each(numbers.iter().map(|number| [*number]), |row| row.get(0))?;
    Ok(found.into_iter().map(|mut terms| terms.pop().unwrap_or_default()).collect())
}

/// Counts the words that something has now, and not any more those that it had.
fn recount(vocabulary: &mut Vocabulary<'_>, subject: Subject, before: &[u8], now: &[u8]) {
    let mut terms = Terms::default();
    for (bytes, by) in [(before, -1), (now, 1)] {
        terms.read(bytes);
        terms.words().for_each(|word| vocabulary.count(subject, word, by));
    }
}

/// Texts taken apart.
struct Read<'t> {
    fields: Vec<(Field<'t>, Vec<Token>)>,
}

impl<'t> Read<'t> {
    fn of(fields: Vec<Field<'t>>) -> Self {
        let apart = |field: Field<'t>| {
            let tokens = tokens(field.text).take(WORDS).collect();
            (field, tokens)
        };
        Self { fields: fields.into_iter().map(apart).collect() }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().flat_map(|(_, tokens)| tokens).map(|token| token.text.as_str())
    }
}

/// Texts in the words of the tables.
struct Written {
    text: String,
    prominent: String,
    terms: Vec<u8>,
}

impl Written {
    /// Texts whose words are [expected](Vocabulary::expect).
    fn of(read: Read<'_>, vocabulary: &mut Vocabulary<'_>, prior: f64) -> sql::Result<Self> {
        let (mut text, mut prominent, mut counting) = (String::new(), String::new(), Counting::default());
        let mut numbers = Vec::new();
        for (field, tokens) in read.fields {
            numbers.clear();
            for token in tokens {
                let written = field.text.get(token.range).unwrap_or_default();
                numbers.push(vocabulary.number(&token.text, written, field.language)?);
                text.push_str(&token.text);
                text.push(' ');
                if field.prominent {
                    prominent.push(PROMINENT);
                    prominent.push_str(&token.text);
                    prominent.push(' ');
                }
            }
            if !numbers.is_empty() {
                text.push_str(BETWEEN);
            }
            counting.add(&numbers, field.weight);
        }
        Ok(Self { text, prominent, terms: counting.finish(prior) })
    }

    fn store(&self, db: &Transaction<'_>, subject: Subject, number: i64) -> sql::Result<()> {
        let table = subject.words();
        match db.dialect() {
            Dialect::Sqlite => db
                .prepare_cached(&format!("REPLACE INTO {table} (rowid, text, prominent) VALUES (?1, ?2, ?3)"))?
                .run(params![number, self.text, self.prominent]),
            Dialect::Postgres => {
                let mut words = lexemes::vector(&self.text, &self.prominent);
                if subject == Subject::Item {
                    words.push_str(&stretches::words(number));
                }
                db.prepare_cached(&format!(
                    "INSERT INTO {table} (rowid, words) VALUES (?1, CAST(CAST(?2 AS TEXT) AS tsvector))
                     ON CONFLICT (rowid) DO UPDATE SET words = excluded.words"
                ))?
                .run(params![number, words])
            }
        }
    }
}

/// The condition that something in a table of words has those of an expression.
pub(super) fn has_words(dialect: Dialect, table: &str, place: &str) -> String {
    match dialect {
        Dialect::Sqlite => format!("{table} MATCH {place}"),
        Dialect::Postgres => format!("{table}.words @@ CAST(CAST({place} AS TEXT) AS tsquery)"),
    }
}

/// The numbers of what has these words, in order; or of what has those that may not be there, when no
/// others are asked for.
pub(super) enum Numbers {
    Only(Vec<i64>),
    Except(Vec<i64>),
}

impl Numbers {
    pub fn of(db: &Connection, subject: Subject, plan: &Plan) -> sql::Result<Self> {
        let table = subject.words();
        let matching = |expression: &str| {
            let matches = has_words(db.dialect(), table, "?1");
            db.prepare_cached(&format!("SELECT rowid FROM {table} WHERE {matches} ORDER BY rowid"))?
                .query_map([expression], |row| row.get(0))?
                .collect::<sql::Result<Vec<i64>>>()
        };
        match (&plan.expression, &plan.unwanted) {
            (Some(expression), _) => matching(expression).map(Self::Only),
            (None, Some(unwanted)) => matching(unwanted).map(Self::Except),
            (None, None) => Ok(Self::Except(Vec::new())),
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
fn fingerprint(fields: &[Field<'_>], prior: f64) -> i64 {
    let mut hash = Sha256::new();
    hash.update(VERSION);
    hash.update(prior.to_le_bytes());
    for Field { text, language, .. } in fields {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(language.bit().to_le_bytes());
        hash.update(text.as_bytes());
    }
    let hash: [u8; 32] = hash.finalize().into();
    let mut first = [0; 8];
    first.copy_from_slice(&hash[..8]);
    i64::from_le_bytes(first)
}
