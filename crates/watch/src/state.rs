//! What survives the process: the book, dynamic parts and the claim, in one SQLite file for each
//! site.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use facts::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};

use crate::book::{Book, Page, is};
use crate::flag::Claim;
use crate::links::{UNREACHED, pack, unpack};
use crate::names::{Id, ROOT};
use crate::site::Site;
use crate::watched::now;

/// The version of the tables.
const VERSION: i64 = 1;
/// Rows of one transaction: few enough that nobody waits long for the file.
const ROWS: usize = 5_000;
/// Changes that a kill may have left unwritten are fewer: tokens given out before it are never given
/// again.
const UNWRITTEN: u64 = 1 << 32;
/// How long the names of removed pages are kept: who comes later has to look for itself.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 3600);
/// They are left out when they are this part of all names: others get other numbers then.
const MANY: i64 = 16;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS node (
        id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, name BLOB NOT NULL, flags INTEGER NOT NULL,
        modified INTEGER NOT NULL, changed INTEGER NOT NULL, mark INTEGER NOT NULL, hash INTEGER NOT NULL,
        change INTEGER NOT NULL, updates INTEGER NOT NULL, links BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS dynamic (node INTEGER PRIMARY KEY, entries TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS version (
        node INTEGER PRIMARY KEY, etag TEXT, last_modified TEXT);
";

/// Why the state cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The folder cannot be made.
    #[error("cannot make {dir}: {why}", dir = .0.display(), why = .1)]
    Folder(PathBuf, std::io::Error),
    /// Another watcher has it.
    #[error("{file} is in use: another watcher watches this site; stop it, or name another folder with --state", file = .0.display())]
    InUse(PathBuf),
    /// From another program or a later version.
    #[error("{file} was written by a later version of the watcher: remove it to begin anew", file = .0.display())]
    Later(PathBuf),
    /// Cannot be read or written.
    #[error("{file}: {why} (remove it to begin anew: crawlers are then told of all pages once more)", file = .0.display(), why = .1)]
    Broken(PathBuf, rusqlite::Error),
}

/// The state of one site on disk.
pub(crate) struct State {
    file: PathBuf,
    db: Connection,
    /// Tells tokens of this state from those of another.
    pub(crate) epoch: String,
    pub(crate) claim: Option<Claim>,
}

impl State {
    /// Opens the state of a site in this folder and fills the book with it.
    pub(crate) fn open(folder: &Path, site: &Site) -> Result<(Self, Book), StateError> {
        std::fs::create_dir_all(folder).map_err(|error| StateError::Folder(folder.to_owned(), error))?;
        let file = folder.join(file_name(site));
        let broken = |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                StateError::InUse(file.clone())
            }
            _ => StateError::Broken(file.clone(), error),
        };
        let (state, book) = Self::read(&file, site).map_err(broken)?;
        match state {
            Some(state) => Ok((state, book)),
            None => Err(StateError::Later(file)),
        }
    }

    fn read(file: &Path, site: &Site) -> rusqlite::Result<(Option<Self>, Book)> {
        let mut book = Book::new(site.clone());
        let mut db = Connection::open(file)?;
        db.busy_timeout(std::time::Duration::from_millis(200))?;
        // Held for as long as the process lives: two watchers would count every update twice.
        db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        db.pragma_update(None, "cache_size", -4_000)?;
        db.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
        let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version > VERSION {
            return Ok((None, book));
        }
        db.execute_batch(TABLES)?;
        db.pragma_update(None, "user_version", VERSION)?;
        let (epoch, was_used) = match meta::<String>(&db, "epoch")? {
            Some(epoch) => (epoch, true),
            None => {
                let epoch: String = db.query_row("SELECT lower(hex(randomblob(6)))", [], |row| row.get(0))?;
                set(&db, "epoch", &epoch)?;
                (epoch, false)
            }
        };
        let claim = match (meta::<i64>(&db, "claim_change")?, meta::<i64>(&db, "claim_at")?) {
            (Some(change), Some(at)) => Some(Claim { change: change as u64, at: Timestamp(at) }),
            _ => None,
        };
        leave_out(&mut db, Timestamp(now().0.saturating_sub(REMEMBERED.as_millis() as i64)))?;
        fill(&db, &mut book)?;
        let last = db.query_row("SELECT max(change) FROM node", [], |row| row.get::<_, Option<i64>>(0))?;
        let known = last.unwrap_or(0).max(claim.map_or(0, |claim| claim.change as i64));
        let skipped = meta::<i64>(&db, "skipped")?.unwrap_or(0) as u64;
        // Also when a kill came before anything was written: tokens may have been given out.
        if was_used {
            book.last = (known as u64).max(skipped) + UNWRITTEN;
            // A claim of everything stays one: what was skipped is no change.
            set(&db, "skipped", &(book.last as i64))?;
        }
        let claim = claim.map(|claim| match claim.change as i64 >= last.unwrap_or(0) {
            true => Claim { change: book.last, ..claim },
            false => claim,
        });
        Ok((Some(Self { file: file.to_owned(), db, epoch, claim }), book))
    }

    /// Writes what changed in the book: some rows, and dynamic parts.
    pub(crate) fn save(&mut self, rows: &[Row], dynamic: &[(Id, Option<String>)]) -> Result<(), StateError> {
        self.try_save(rows, dynamic).map_err(|error| StateError::Broken(self.file.clone(), error))
    }

    fn try_save(&mut self, rows: &[Row], dynamic: &[(Id, Option<String>)]) -> rusqlite::Result<()> {
        let transaction = self.db.transaction()?;
        {
            let mut put = transaction
                .prepare_cached("INSERT OR REPLACE INTO node VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11)")?;
            for row in rows {
                let page = row.page;
                put.execute(params![
                    row.id,
                    row.parent,
                    row.name,
                    page.flags & !is::PASSING,
                    page.modified.0,
                    page.changed.0,
                    page.mark as i64,
                    page.hash as i64,
                    page.change as i64,
                    page.updates,
                    row.links,
                ])?;
            }
            let mut put = transaction.prepare_cached("INSERT OR REPLACE INTO dynamic VALUES (?1, ?2)")?;
            let mut remove = transaction.prepare_cached("DELETE FROM dynamic WHERE node = ?1")?;
            for (id, entries) in dynamic {
                match entries {
                    Some(entries) => put.execute(params![id, entries])?,
                    None => remove.execute([*id])?,
                };
            }
        }
        transaction.commit()
    }

    /// The dynamic parts of a page, as they were saved.
    pub(crate) fn dynamic(&self, id: Id) -> Option<String> {
        let found = self
            .db
            .prepare_cached("SELECT entries FROM dynamic WHERE node = ?1")
            .and_then(|mut statement| statement.query_row([id], |row| row.get(0)).optional());
        found.unwrap_or_else(|error| {
            tracing::warn!("{}: {error}", self.file.display());
            None
        })
    }

    /// Writes a claim down; whoever has it is told after that.
    pub(crate) fn keep_claim(&mut self, claim: Claim) -> Result<(), StateError> {
        let written =
            set(&self.db, "claim_change", &(claim.change as i64)).and_then(|()| set(&self.db, "claim_at", &claim.at.0));
        written.map_err(|error| StateError::Broken(self.file.clone(), error))
    }

    /// What the last answer said of the version of a page.
    pub(crate) fn version(&self, id: Id) -> Option<(Option<String>, Option<String>)> {
        let row = self.db.query_row("SELECT etag, last_modified FROM version WHERE node = ?1", [id], |row| {
            Ok((row.get(0)?, row.get(1)?))
        });
        row.optional().ok().flatten()
    }

    pub(crate) fn keep_version(
        &self,
        id: Id,
        etag: Option<&str>,
        last_modified: Option<&str>,
    ) -> Result<(), StateError> {
        let put =
            self.db.execute("INSERT OR REPLACE INTO version VALUES (?1, ?2, ?3)", params![id, etag, last_modified]);
        put.map(drop).map_err(|error| StateError::Broken(self.file.clone(), error))
    }
}

/// A name as it is stored.
pub(crate) struct Row {
    pub(crate) id: Id,
    parent: Id,
    name: Vec<u8>,
    page: Page,
    links: Vec<u8>,
}

/// Names to be written, some at a time.
pub(crate) fn rows(book: &mut Book) -> Vec<Row> {
    let ids = book.take_dirty(ROWS);
    let row = |id: Id| Row {
        id,
        parent: book.names.parent(id),
        name: book.names.name(id).to_vec(),
        page: *book.page(id),
        links: book.links.packed(id).to_vec(),
    };
    ids.into_iter().map(row).collect()
}

/// Leaves out the names of pages that were removed before this moment. Numbers have no gaps, so that all
/// behind them are numbered anew, in one transaction.
fn leave_out(db: &mut Connection, oldest: Timestamp) -> rusqlite::Result<()> {
    let old = format!("flags & {gone} = {gone} AND changed < {}", oldest.0, gone = is::PAGE | is::GONE);
    let (all, many): (i64, i64) =
        db.query_row(&format!("SELECT count(*), coalesce(sum({old}), 0) FROM node"), [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    if many == 0 || many < all / MANY {
        return Ok(());
    }
    let change = db.transaction()?;
    {
        let ids = |query: &str| -> rusqlite::Result<Vec<Id>> {
            change.prepare(query)?.query_map([], |row| row.get(0))?.collect()
        };
        let folders: HashSet<Id> = ids("SELECT DISTINCT parent FROM node")?.into_iter().collect();
        let left: Vec<Id> = ids(&format!("SELECT id FROM node WHERE {old} ORDER BY id"))?
            .into_iter()
            .filter(|id| !folders.contains(id))
            .collect();
        // The new number of a name: as many less as were left out before it.
        let number = |id: Id| match left.binary_search(&id) {
            Ok(_) => None,
            Err(before) => Some(id - before as Id),
        };
        for table in ["node WHERE id", "dynamic WHERE node", "version WHERE node"] {
            let mut delete = change.prepare(&format!("DELETE FROM {table} = ?1"))?;
            for id in &left {
                delete.execute([id])?;
            }
        }
        // In order: the number that a name gets is free.
        let mut read = change.prepare("SELECT parent, links FROM node WHERE id = ?1")?;
        let mut put = change.prepare("UPDATE node SET id = ?2, parent = ?3, links = ?4 WHERE id = ?1")?;
        for id in ids("SELECT id FROM node ORDER BY id")? {
            let (parent, links): (Id, Vec<u8>) = read.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let links: Vec<Id> = unpack(&links).filter_map(number).collect();
            put.execute(params![id, number(id), number(parent), pack(&links)])?;
        }
        for table in ["dynamic", "version"] {
            let mut put = change.prepare(&format!("UPDATE {table} SET node = ?2 WHERE node = ?1"))?;
            for id in ids(&format!("SELECT node FROM {table} ORDER BY node"))? {
                put.execute(params![id, number(id)])?;
            }
        }
    }
    change.commit()
}

fn fill(db: &Connection, book: &mut Book) -> rusqlite::Result<()> {
    let mut statement = db.prepare(
        "SELECT id, parent, name, flags, modified, changed, mark, hash, change, updates, links FROM node ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (id, parent): (Id, Id) = (row.get(0)?, row.get(1)?);
        if id == ROOT {
            continue;
        }
        let page = Page {
            flags: row.get::<_, u16>(3)? & !is::PASSING,
            modified: Timestamp(row.get(4)?),
            changed: Timestamp(row.get(5)?),
            mark: row.get::<_, i64>(6)? as u64,
            hash: row.get::<_, i64>(7)? as u64,
            change: row.get::<_, i64>(8)? as u64,
            updates: row.get(9)?,
            distance: UNREACHED,
        };
        book.restore(parent, row.get_ref(2)?.as_blob()?, page, row.get_ref(10)?.as_blob()?);
    }
    Ok(())
}

fn meta<T: rusqlite::types::FromSql>(db: &Connection, name: &str) -> rusqlite::Result<Option<T>> {
    db.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).optional()
}

fn set(db: &Connection, name: &str, value: &dyn rusqlite::ToSql) -> rusqlite::Result<()> {
    db.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", params![name, value]).map(drop)
}

/// One file for each site, told apart also where letters are not.
fn file_name(site: &Site) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' };
    let host: String = site.url.host_str().chars().map(plain).take(60).collect();
    let hash = Sha256::digest(site.url.as_str().as_bytes());
    let hash: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{host}-{hash}.db")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{Joints, Look};

    fn site() -> Site {
        Site::parse("https://example.org/=/srv/www").unwrap()
    }

    fn write(state: &mut State, book: &mut Book) {
        loop {
            let rows = rows(book);
            if rows.is_empty() {
                return;
            }
            state.save(&rows, &[(1, Some("[]".into()))]).unwrap();
        }
    }

    #[test]
    fn a_book_is_read_as_it_was_written_and_tokens_never_come_again() {
        let folder = tempfile::tempdir().unwrap();
        let (mut state, mut book) = State::open(folder.path(), &site()).unwrap();
        let look = Look { mark: u64::MAX, modified: Timestamp(3) };
        let ids: Vec<Id> =
            (0..12_000).map(|i| book.intern(ROOT, format!("\u{e9}{i}.html").as_bytes()).unwrap()).collect();
        for &id in &ids {
            book.note(id, look, Timestamp(7), false);
        }
        book.read(ids[0], 5, Joints { links: vec![ids[9], ids[11_999]], ..Joints::default() });
        write(&mut state, &mut book);
        let claim = Claim { change: book.last, at: Timestamp(9) };
        state.keep_claim(claim).unwrap();
        assert!(matches!(State::open(folder.path(), &site()), Err(StateError::InUse(_))));
        let (epoch, last) = (state.epoch.clone(), book.last);
        drop(state);

        let (state, again) = State::open(folder.path(), &site()).unwrap();
        assert_eq!((state.epoch.as_str(), again.names.len()), (epoch.as_str(), 12_001));
        for &id in &ids {
            let (mut a, mut b) = (*book.page(id), *again.page(id));
            (a.distance, b.distance) = (0, 0);
            assert_eq!(a, b);
        }
        assert_eq!(again.links.packed(ids[0]), book.links.packed(ids[0]));
        assert_eq!(again.unread.len(), 11_999);
        assert_eq!(state.dynamic(1).as_deref(), Some("[]"));
        assert!(again.last > last + 1_000_000_000, "a number that was given out may come again");
        // The claim still covers all there is.
        assert_eq!(state.claim, Some(Claim { change: again.last, ..claim }));
        drop(state);
        let (_, third) = State::open(folder.path(), &site()).unwrap();
        assert!(third.last > again.last, "also when nothing was written in between");
    }

    #[test]
    fn names_of_pages_that_are_long_gone_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let (mut state, mut book) = State::open(folder.path(), &site()).unwrap();
        let look = Look { mark: 1, modified: Timestamp(3) };
        let inner = book.intern(ROOT, b"d").unwrap();
        let ids: Vec<Id> = (0..40)
            .map(|i| book.intern(if i % 2 == 0 { ROOT } else { inner }, format!("{i}.html").as_bytes()).unwrap())
            .collect();
        for &id in &ids {
            book.note(id, look, now(), false);
        }
        book.read(ids[30], 5, Joints { links: vec![ids[3], ids[10], ids[39]], ..Joints::default() });
        // The first ten are long gone, the next ten only lately.
        for &id in &ids[..10] {
            book.gone(id, Timestamp(7));
        }
        for &id in &ids[10..20] {
            book.gone(id, now());
        }
        write(&mut state, &mut book);
        state.save(&[], &[(ids[30], Some("[30]".into())), (ids[3], Some("[3]".into()))]).unwrap();
        state.keep_version(ids[31], Some("\"31\""), None).unwrap();
        drop(state);

        let (state, again) = State::open(folder.path(), &site()).unwrap();
        assert_eq!(again.names.len(), book.names.len() - 10);
        assert_eq!(again.there(), 20);
        let inner = again.names.find(ROOT, b"d").unwrap();
        let find =
            |i: usize| again.names.find(if i.is_multiple_of(2) { ROOT } else { inner }, format!("{i}.html").as_bytes());
        assert_eq!((0..40).filter(|i| find(*i).is_none()).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
        let of = |i: usize| find(i).unwrap();
        assert_eq!(unpack(again.links.packed(of(30))).collect::<Vec<_>>(), [of(10), of(39)]);
        assert_eq!((state.dynamic(of(30)).as_deref(), state.dynamic(of(31))), (Some("[30]"), None));
        assert_eq!(state.version(of(31)), Some((Some("\"31\"".into()), None)));
        for (i, &id) in ids.iter().enumerate().skip(10) {
            assert_eq!(again.page(of(i)).change, book.page(id).change, "{i}");
        }
    }

    #[test]
    fn a_file_that_is_none_of_ours_is_refused_with_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(file_name(&site()));
        std::fs::write(&file, "this is no database, and long enough to be told from one".repeat(100)).unwrap();
        let Err(error) = State::open(folder.path(), &site()) else { panic!("opened") };
        assert!(error.to_string().contains("remove it to begin anew"), "{error}");
        std::fs::remove_file(&file).unwrap();
        let db = Connection::open(&file).unwrap();
        db.pragma_update(None, "user_version", 99).unwrap();
        drop(db);
        assert!(matches!(State::open(folder.path(), &site()), Err(StateError::Later(_))));
    }
}
