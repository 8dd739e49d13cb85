//! The tables of a library copied from one home to another, in the order of their keys.
//!
//! What was copied of a table before a kill is there up to some key, so the copy goes on after it. Words are
//! not copied, for each home finds them in its own way: everything is worded anew.

use facts::Url;
use sha2::{Digest, Sha256};

use super::connections::Connections;
use super::{persons, rewording};
use crate::StoreError;
use crate::rank::HostKey;
use crate::sql::{self, Connection, Dialect, OptionalExtension, Transaction, Value, params_from_iter};

/// The tables, each after those it refers to.
pub(crate) const TABLES: &[&str] = &[
    "crawl",
    "run",
    "task",
    "model",
    "lexicon",
    "host",
    "page",
    "page_place",
    "visit",
    "media",
    "figure",
    "location",
    "cell",
    "person_said",
    "person_text",
    "person_apart",
    "schedule",
    "scheduled_run",
    "setting",
    "media_address",
    "reference",
    "said",
    "media_host",
    "media_crawl",
    "sighting",
    "imported",
    "forgotten",
    "doomed",
    "tally",
    "description",
    "picture_hash",
    "copy_key",
    "copy_group",
    "copy_member",
    "alike_cluster",
    "alike_sorted",
    "alike",
    "alike_number",
];

/// The setting that a library has while it is moved into: from where, and how far that came.
pub(crate) const MOVING: &str = "moving";

/// Settings that say something of this home only.
const OWN_SETTINGS: &str = "\"name\" NOT IN ('moving', 'media.home')";

/// Rows that are read or written at once: no more than so many values, for statements have a limit.
const ROWS: usize = 500;
const VALUES: usize = 30_000;

/// Items or pages that are worded at once: each word that several of them have is counted once, and nobody else
/// writes here.
const WORDED: usize = 4_000;

/// Columns that are written later: a row may refer to a later one, and words are not copied.
fn later(table: &str) -> Option<&'static str> {
    match table {
        "page" | "media" => Some("described"),
        "media_address" => Some("leads_to"),
        _ => None,
    }
}

/// A table as both homes have it.
pub(crate) struct Shape {
    table: &'static str,
    columns: Vec<String>,
    /// Which of them are the key, in order.
    key: Vec<usize>,
}

impl Shape {
    /// What the embedded home says of a table: the other has columns that follow from these.
    pub fn of(embedded: &Connections, table: &'static str) -> Result<Self, StoreError> {
        let columns: Vec<(String, i64)> = embedded.ask(|db| {
            db.prepare_cached("SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid")?
                .query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })?;
        let mut key: Vec<(i64, usize)> =
            columns.iter().enumerate().filter(|(_, (_, pk))| *pk > 0).map(|(at, (_, pk))| (*pk, at)).collect();
        key.sort_unstable();
        let key = key.into_iter().map(|(_, at)| at).collect();
        Ok(Self { table, columns: columns.into_iter().map(|(name, _)| name).collect(), key })
    }

    fn list(&self, of: impl Iterator<Item = usize>) -> String {
        let names: Vec<String> = of.filter_map(|at| self.columns.get(at)).map(|name| format!("\"{name}\"")).collect();
        names.join(", ")
    }

    fn all(&self) -> String {
        self.list(0..self.columns.len())
    }

    fn key(&self) -> String {
        if self.key.is_empty() { self.all() } else { self.list(self.key.iter().copied()) }
    }

    fn key_of(&self, row: &[Value]) -> Vec<Value> {
        self.key.iter().filter_map(|at| row.get(*at)).cloned().collect()
    }

    /// Rows of a batch.
    fn batch(&self) -> usize {
        (VALUES / self.columns.len().max(1)).clamp(1, ROWS)
    }

    /// The next rows after a key.
    fn read(&self, db: &Connection, after: Option<&[Value]>) -> sql::Result<Vec<Vec<Value>>> {
        let key = self.key();
        let mut conditions = Vec::new();
        if let Some(after) = after {
            conditions.push(format!("({key}) > ({})", vec!["?"; after.len()].join(", ")));
        }
        if self.table == "setting" {
            conditions.push(OWN_SETTINGS.to_owned());
        }
        let condition =
            if conditions.is_empty() { String::new() } else { format!("WHERE {}", conditions.join(" AND ")) };
        let sql =
            format!("SELECT {} FROM {} {condition} ORDER BY {key} LIMIT {}", self.all(), self.table, self.batch());
        let mut statement = db.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(after.unwrap_or_default()))?;
        let mut read = Vec::new();
        while let Some(row) = rows.next()? {
            read.push((0..self.columns.len()).map(|column| row.get(column)).collect::<sql::Result<_>>()?);
        }
        Ok(read)
    }

    /// Every row, a batch at a time, from after a key on.
    fn each(
        &self,
        of: &Connections,
        mut after: Option<Vec<Value>>,
        mut take: impl FnMut(Vec<Vec<Value>>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        loop {
            let rows = of.ask(|db| self.read(db, after.as_deref()))?;
            let full = rows.len() == self.batch();
            after = rows.last().map(|row| self.key_of(row));
            if !rows.is_empty() {
                take(rows)?;
            }
            // What has no key has few rows.
            if !full || self.key.is_empty() {
                return Ok(());
            }
        }
    }

    /// Copies what is not there yet; `told` hears how many rows came.
    pub fn copy(&self, from: &Connections, to: &Connections, mut told: impl FnMut(u64)) -> Result<(), StoreError> {
        if self.key.is_empty() {
            let clear = format!("DELETE FROM {}", self.table);
            to.change_here(move |db| db.execute(&clear, []))?;
        }
        let backwards: Vec<String> = self.key.iter().map(|at| format!("\"{}\" DESC", self.columns[*at])).collect();
        let own = if self.table == "setting" { format!("WHERE {OWN_SETTINGS}") } else { String::new() };
        let last = format!("SELECT {} FROM {} {own} ORDER BY {} LIMIT 1", self.key(), self.table, backwards.join(", "));
        let after = match self.key.is_empty() {
            true => None,
            false => to.ask(|db| {
                let read = |row: &sql::Row<'_>| (0..self.key.len()).map(|at| row.get(at)).collect();
                db.prepare_cached(&last)?.query_row([], read).optional()
            })?,
        };
        let later = later(self.table).and_then(|later| self.columns.iter().position(|name| name == later));
        self.each(from, after, |mut rows| {
            let came = rows.len() as u64;
            if let Some(later) = later {
                rows.iter_mut().filter_map(|row| row.get_mut(later)).for_each(|value| *value = Value::Null);
            }
            let one = format!("({})", vec!["?"; self.columns.len()].join(", "));
            let sql =
                format!("INSERT INTO {} ({}) VALUES {}", self.table, self.all(), vec![one; rows.len()].join(", "));
            let values: Vec<Value> = rows.into_iter().flatten().collect();
            to.change_here(move |db| {
                db.execute(&format!("{sql} ON CONFLICT DO NOTHING"), params_from_iter(values.iter()))
            })?;
            told(came);
            Ok(())
        })?;
        if self.table == "media_address" {
            self.copy_leads(from, to)?;
        }
        Ok(())
    }

    /// Which address leads to which, now that all of them are there.
    fn copy_leads(&self, from: &Connections, to: &Connections) -> Result<(), StoreError> {
        let place = |name: &str| self.columns.iter().position(|column| column == name);
        let (Some(id), Some(leads)) = (place("id"), place("leads_to")) else { return Ok(()) };
        self.each(from, None, |rows| {
            let pairs: Vec<[Value; 2]> = rows
                .into_iter()
                .filter_map(|row| Some([row.get(id)?.clone(), row.get(leads)?.clone()]))
                .filter(|[_, leads]| *leads != Value::Null)
                .collect();
            to.change_here(move |db| {
                for [id, leads] in &pairs {
                    db.execute("UPDATE media_address SET leads_to = ?2 WHERE id = ?1", [id, leads])?;
                }
                Ok(())
            })
        })
    }

    /// How many rows there are, and a hash of all that is in them.
    pub fn sum(&self, of: &Connections) -> Result<(u64, String), StoreError> {
        let unlike = later(self.table).filter(|later| *later == "described");
        let unlike = unlike.and_then(|unlike| self.columns.iter().position(|name| name == unlike));
        let (mut count, mut hash) = (0, Sha256::new());
        self.each(of, None, |rows| {
            count += rows.len() as u64;
            for row in rows {
                for (at, value) in row.iter().enumerate().filter(|(at, _)| Some(*at) != unlike) {
                    hash.update((at as u32).to_be_bytes());
                    add(&mut hash, value);
                }
            }
            Ok(())
        })?;
        let hash: [u8; 32] = hash.finalize().into();
        Ok((count, hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Numbers that were ever given are not given again.
    pub fn set_numbers(&self, from: &Connections, to: &Connections) -> Result<(), StoreError> {
        let numbered = self.key.len() == 1 && self.key.first().is_some_and(|at| self.columns[*at] == "id");
        if !numbered {
            return Ok(());
        }
        let last = from.ask(|db| last_number(db, self.table))?;
        let table = self.table;
        to.change_here(move |db| match db.dialect() {
            Dialect::Sqlite => {
                let known = "SELECT 1 FROM sqlite_schema WHERE name = ?1 AND sql LIKE '%AUTOINCREMENT%'";
                if !db.prepare_cached(known)?.exists([table])? {
                    return Ok(());
                }
                db.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [table])?;
                let values = [Value::from(table.to_owned()), Value::from(last)];
                db.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", values).map(drop)
            }
            Dialect::Postgres => {
                let set = format!(
                    "SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest(?1, 1::BIGINT), ?1 > 0::BIGINT)"
                );
                db.query_row(&set, [last], |row| row.get::<_, i64>(0)).map(drop)
            }
        })
    }
}

/// The largest number that a table ever gave.
fn last_number(db: &Connection, table: &str) -> sql::Result<i64> {
    let largest: Option<i64> = db.query_row(&format!("SELECT max(id) FROM {table}"), [], |row| row.get(0))?;
    let given: Option<i64> = match db.dialect() {
        Dialect::Sqlite => db
            .prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = ?1")?
            .query_row([table], |row| row.get(0))
            .optional()?,
        Dialect::Postgres => {
            let sequence = format!("SELECT pg_sequence_last_value(pg_get_serial_sequence('{table}', 'id')::regclass)");
            db.query_row(&sequence, [], |row| row.get(0))?
        }
    };
    Ok(largest.unwrap_or(0).max(given.unwrap_or(0)))
}

fn add(hash: &mut Sha256, value: &Value) {
    let mut add = |sort: u8, bytes: &[u8]| {
        hash.update([sort]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    match value {
        Value::Null => add(0, &[]),
        Value::Integer(number) => add(1, &number.to_be_bytes()),
        Value::Real(number) => add(2, &number.to_bits().to_be_bytes()),
        // PostgreSQL has no such letter.
        Value::Text(text) => add(3, text.replace('\0', "\u{fffd}").as_bytes()),
        Value::Blob(bytes) => add(4, bytes),
    }
}

/// Whether there is anything in a library.
pub(crate) fn holds_something(of: &Connections) -> Result<bool, StoreError> {
    of.ask(|db| {
        for table in ["crawl", "page", "media", "media_address", "schedule", "forgotten"] {
            if db.prepare_cached(&format!("SELECT 1 FROM {table} LIMIT 1"))?.exists([])? {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

/// What a setting says, as it is written.
pub(crate) fn setting(of: &Connections, name: &str) -> Result<Option<String>, StoreError> {
    of.ask(|db| persons::setting(db, name))
}

/// Writes a setting, or takes it away.
pub(crate) fn set(of: &Connections, name: &'static str, value: Option<String>) -> Result<(), StoreError> {
    of.change_here(move |db| persons::save_setting(db, name, value.as_deref()))
}

/// From now on everything is to be worded anew.
pub(crate) fn begin_wording(of: &Connections) -> Result<(), StoreError> {
    of.change_here(|db: &Transaction<'_>| {
        db.execute("DELETE FROM rewording", [])?;
        for (subject, table) in [("item", "media"), ("page", "page")] {
            let begin = format!(
                "INSERT INTO rewording (subject, next) SELECT '{subject}', max(id) FROM {table} HAVING max(id) IS NOT NULL"
            );
            db.execute(&begin, [])?;
        }
        Ok(())
    })
}

/// Words some; whether there are more.
pub(crate) fn word_some(of: &Connections) -> Result<bool, StoreError> {
    of.change_here(|db| rewording::batch(db, WORDED))
}

/// The hosts of addresses of a crawl, as far as the library knows them.
pub(crate) fn hosts_of(of: &Connections, crawl: u32, ids: &[[u8; 16]]) -> Result<Vec<([u8; 16], HostKey)>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let places = vec!["?"; ids.len()].join(", ");
    let ask = |db: &Connection, sql: &str, values: Vec<Value>| -> sql::Result<Vec<([u8; 16], HostKey)>> {
        let mut statement = db.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(values.iter()))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            if let Ok(url) = Url::parse(&row.get::<_, String>(1)?) {
                found.push((row.get(0)?, HostKey::of_name(url.host_str())));
            }
        }
        Ok(found)
    };
    of.ask(|db| {
        let of_ids = || ids.iter().map(|id| Value::from(id.to_vec()));
        let visits = format!("SELECT url_id, url FROM visit WHERE crawl = ? AND url_id IN ({places})");
        let mut found = ask(db, &visits, std::iter::once(Value::from(crawl)).chain(of_ids()).collect())?;
        if found.len() < ids.len() {
            for table in ["page", "media_address"] {
                let elsewhere = format!("SELECT url_id, url FROM {table} WHERE url_id IN ({places})");
                found.extend(ask(db, &elsewhere, of_ids().collect())?);
            }
        }
        Ok(found)
    })
}

/// Kept files in the order of their numbers: number, hash, size, name, name of the thumbnail.
pub(crate) type KeptFile = (i64, [u8; 32], i64, String, Option<String>);

/// The next files after a number.
pub(crate) fn files(of: &Connections, after: i64) -> Result<Vec<KeptFile>, StoreError> {
    of.ask(|db| {
        db.prepare_cached("SELECT id, sha256, size, path, thumbnail FROM media WHERE id > ?1 ORDER BY id LIMIT 256")?
            .query_map([after], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?
            .collect()
    })
}
