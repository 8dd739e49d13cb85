//! The statements of the suite, for a shared database; and those that are of it alone.

mod at_once;
mod memory;
mod moved;
mod stopped;
mod stretches;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use facts::MediaId;
use rusqlite::types::Value;
use store::{
    CrawlId, Forget, Forgotten, Frontier, Imported, ImportedFile, Library, Options, RunId, Store, StoreError, Visited,
};

use crate::every_statement;
use crate::server::server;
use crate::suite::{DELAY, Home, PLENTY, Stop};

/// Longer than any delay in these tests.
const LEASE: Duration = Duration::from_millis(400);

struct Shared {
    database: String,
    dir: tempfile::TempDir,
    store: Option<Store>,
}

impl Shared {
    fn open(database: &str, dir: &Path) -> Option<Store> {
        let url = server().url(database);
        let options = Options {
            what: "a test".into(),
            default_delay: DELAY,
            database: Some(url),
            lease: LEASE,
            ..Options::default()
        };
        Some(Store::open(dir, options).unwrap())
    }

    fn store(&self) -> &Store {
        self.store.as_ref().unwrap()
    }
}

#[async_trait::async_trait]
impl Home for Shared {
    const QUICK: bool = false;

    async fn new() -> Self {
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let database = server().database();
        let store = Self::open(&database, dir.path());
        Self { database, dir, store }
    }

    fn frontier(&self) -> Arc<dyn Frontier> {
        Arc::clone(self.store().frontier())
    }

    fn library(&self) -> Arc<dyn Library> {
        Arc::clone(self.store().library())
    }

    async fn restart(&mut self, stop: Stop) {
        let store = self.store.take().unwrap();
        match stop {
            Stop::Clean => store.close().await.unwrap(),
            Stop::Killed => {
                drop(store);
                // Others take over once the lease has run out.
                let held = "SELECT count(*) FROM worker WHERE ended IS NULL AND lease_until >= now_ms()";
                while server().ask(&self.database, held).trim() != "0" {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
        self.store = Self::open(&self.database, self.dir.path());
    }

    async fn commit(&self, crawl: CrawlId, run: RunId, visits: Vec<Visited>) -> Result<(), StoreError> {
        self.store().commit(crawl, run, visits, PLENTY).await.map(drop)
    }

    async fn import(&self, files: Vec<ImportedFile>) -> Result<Imported, StoreError> {
        self.store().import(files).await
    }

    async fn forget(&self, what: Forget) -> Result<Forgotten, StoreError> {
        self.store().forget(&what).await
    }

    async fn remove(&self, id: MediaId) -> Result<bool, StoreError> {
        self.store().remove(id).await
    }

    /// The tables are the same in both homes: what is in these is looked at in the other.
    async fn audit(&self) {
        let copy = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let store = Store::open(copy.path(), Options::default()).unwrap();
        copy_tables(&self.database, &copy.path().join("library.db"));
        drop(store);
        crate::audit::audit(copy.path());
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.store = None;
        server().remove(&self.database);
    }
}

fn copy_tables(database: &str, library: &Path) {
    let db = rusqlite::Connection::open(library).unwrap();
    let names = |sql: &str| -> Vec<(String, String)> {
        let mut select = db.prepare(sql).unwrap();
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let tables = names(
        "SELECT name, name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT LIKE '%\\_words\\_%' ESCAPE '\\'",
    );
    // All tables are asked for at once: each line says which it is of.
    let (mut question, mut all) = (String::new(), BTreeMap::new());
    for (table, _) in tables {
        let words = table.ends_with("_words");
        let columns = match words {
            true => vec![("rowid".to_owned(), "INTEGER".to_owned())],
            false => names(&format!("SELECT name, type FROM pragma_table_info('{table}')")),
        };
        let list = columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        question.push_str(&format!("SELECT '{table}', row_to_json(r) FROM (SELECT {list} FROM {table}) AS r;\n"));
        let places = vec!["?"; columns.len()].join(", ");
        let insert = match words {
            true => format!("INSERT INTO {table} (rowid, text, prominent) VALUES (?, '', '')"),
            false => format!("INSERT INTO {table} ({list}) VALUES ({places})"),
        };
        all.insert(table, (columns, insert));
    }
    // Rows come in any order; what leads nowhere is looked for by the audit.
    db.execute_batch("PRAGMA foreign_keys = OFF; BEGIN").unwrap();
    for line in server().ask(database, &question).lines() {
        let (table, row) = line.split_once('|').unwrap();
        let (columns, insert) = &all[table];
        let row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(row).unwrap();
        let values = columns.iter().map(|(name, kind)| value(&row[name], kind));
        db.prepare_cached(insert).unwrap().execute(rusqlite::params_from_iter(values)).unwrap();
    }
    db.execute_batch("COMMIT").unwrap();
}

fn value(json: &serde_json::Value, kind: &str) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| Value::Real(number.as_f64().unwrap()), Value::Integer)
        }
        serde_json::Value::String(text) if kind == "BLOB" => {
            let hex = text.strip_prefix("\\x").unwrap().as_bytes();
            let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            Value::Blob(hex.chunks(2).map(byte).collect())
        }
        serde_json::Value::String(text) => Value::Text(text.clone()),
        other => panic!("{other}"),
    }
}

every_statement!(Shared);
