//! Taking out of the library what may not come back.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Mutex, PoisonError};

use crate::sql::{self, Connection, OptionalExtension, Transaction, params, params_from_iter};
use facts::{HostName, MediaId, Timestamp, Url};

use super::catalogue::{ADDRESS, Address, CONTENT, Catalogue, HOST};
use super::{persons, places, said, wording};
use crate::forget::Lists;
use crate::import::FileAddress;
use crate::{BlockedEntry, Forgotten};

/// Redirects that are followed.
const REDIRECTS: usize = 20;

/// The setting that says how often something was forgotten.
const TIMES: &str = "forgotten.times";

/// Files that are asked for at once to be removed.
const DOOMED: usize = 1_000;

/// What was forgotten in all tries of one change: said again after a lost answer, it finds nothing of what went.
#[derive(Default)]
pub(super) struct Counted(Mutex<Forgotten>);

impl Counted {
    /// Takes in what one try found, and gives what all of them did.
    pub fn add(&self, found: Forgotten) -> Forgotten {
        let mut most = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        most.pages = most.pages.max(found.pages);
        most.media = most.media.max(found.media);
        most.files = most.files.max(found.files);
        most.addresses = most.addresses.max(found.addresses);
        *most
    }
}

pub(super) fn forget_host(db: &Transaction<'_>, host: &HostName, now: Timestamp) -> sql::Result<Forgotten> {
    let mut forgetting = Forgetting::new(db, now)?;
    forgetting.block(HOST, host.as_str().as_bytes())?;
    forgetting.host(host.as_str())?;
    forgetting.mentions_of_host(host.as_str())?;
    forgetting.mentions()?;
    Ok(forgetting.finish())
}

pub(super) fn forget_address(db: &Transaction<'_>, url: &Url, now: Timestamp) -> sql::Result<Forgotten> {
    let mut forgetting = Forgetting::new(db, now)?;
    let id = url.id().short();
    forgetting.block(ADDRESS, &id)?;
    forgetting.urls.insert(url.as_str().to_owned());
    for id in forgetting.leads_to(id)? {
        forgetting.media_at(id)?;
    }
    forgetting.media_at(id)?;
    forgetting.page(id)?;
    forgetting.visits_of(id)?;
    forgetting.mentions()?;
    Ok(forgetting.finish())
}

pub(super) fn forget_file(
    db: &Transaction<'_>,
    path: &str,
    address: &FileAddress,
    now: Timestamp,
) -> sql::Result<Forgotten> {
    let mut forgetting = Forgetting::new(db, now)?;
    forgetting.block(ADDRESS, &address.id)?;
    forgetting.media_at(address.id)?;
    db.execute("DELETE FROM imported WHERE path = ?1", [path])?;
    forgetting.mentions()?;
    Ok(forgetting.finish())
}

struct Forgetting<'a> {
    db: &'a Transaction<'a>,
    catalogue: Catalogue<'a>,
    now: Timestamp,
    pages: u64,
    addresses: u64,
    /// Addresses that went and that other rows may mention.
    urls: HashSet<String>,
}

impl<'a> Forgetting<'a> {
    fn new(db: &'a Transaction<'a>, now: Timestamp) -> sql::Result<Self> {
        // Those who read the lists before see that there is more.
        persons::save_setting(db, TIMES, Some(&(times(db)? + 1).to_string()))?;
        Ok(Self { db, catalogue: Catalogue::forgetting(db)?, now, pages: 0, addresses: 0, urls: HashSet::new() })
    }

    fn finish(self) -> Forgotten {
        let Catalogue { removed, doomed, .. } = self.catalogue;
        Forgotten { pages: self.pages, media: removed, files: doomed, addresses: self.addresses }
    }

    fn block(&self, kind: &str, key: &[u8]) -> sql::Result<()> {
        self.db
            .prepare_cached("INSERT INTO forgotten (kind, key, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?
            .run(params![kind, key, self.now.0])?;
        Ok(())
    }

    /// Its pages and addresses at once, then the media elsewhere that only its pages showed, then what
    /// is left of the media that lost an address.
    fn host(&mut self, name: &str) -> sql::Result<()> {
        let id: Option<i64> =
            self.db.query_row("SELECT id FROM host WHERE name = ?1", [name], |row| row.get(0)).optional()?;
        let Some(id) = id else { return Ok(()) };
        let held =
            self.numbers("SELECT DISTINCT media FROM media_address WHERE host = ?1 AND media IS NOT NULL", id)?;
        let mut held = BTreeSet::from_iter(held);
        let shown = self.numbers(
            "SELECT DISTINCT media_address.id FROM page
             JOIN reference ON reference.page = page.id
             JOIN media_address ON media_address.id = reference.media_address
             WHERE page.host = ?1 AND media_address.host <> ?1",
            id,
        )?;
        const PAGES: &str = "(SELECT id FROM page WHERE host = ?1)";
        const ADDRESSES: &str = "(SELECT id FROM media_address WHERE host = ?1)";
        self.db.execute(
            &format!(
                "DELETE FROM said WHERE (media_address, page) IN
                     (SELECT media_address, page FROM reference WHERE page IN {PAGES})"
            ),
            [id],
        )?;
        self.db.execute(&format!("DELETE FROM reference WHERE page IN {PAGES}"), [id])?;
        for table in ["reference", "sighting", "imported"] {
            self.db.execute(&format!("DELETE FROM {table} WHERE media_address IN {ADDRESSES}"), [id])?;
        }
        self.db.execute("DELETE FROM media_host WHERE host = ?1", [id])?;
        self.addresses += self.db.execute("DELETE FROM media_address WHERE host = ?1", [id])? as u64;
        for page in self.numbers("SELECT id FROM page WHERE host = ?1 AND shown_lat IS NOT NULL", id)? {
            places::show(self.db, page, None)?;
            wording::remove_page(self.db, page)?;
        }
        self.pages += self.db.execute("DELETE FROM page WHERE host = ?1", [id])? as u64;
        self.db.execute("UPDATE host SET pages = 0, images = 0, geotagged = 0 WHERE id = ?1", [id])?;
        self.unshown(shown, &mut held)?;
        held.into_iter().try_for_each(|media| self.catalogue.settle(media))
    }

    /// Addresses that this one was redirected to, for a page may name a picture by an address that
    /// only leads to it.
    fn leads_to(&self, url_id: [u8; 16]) -> sql::Result<Vec<[u8; 16]>> {
        let mut chain = vec![url_id];
        let mut next = 0;
        while next < chain.len() && chain.len() <= REDIRECTS {
            let targets = self
                .db
                .prepare_cached(
                    "SELECT detail FROM visit
                     WHERE crawl IN (SELECT id FROM crawl) AND url_id = ?1 AND outcome = 'redirect'",
                )?
                .query_map([chain[next]], |row| row.get::<_, Option<String>>(0))?
                .collect::<sql::Result<Vec<_>>>()?;
            for target in targets.into_iter().flatten().filter_map(|target| Url::parse(&target).ok()) {
                let target = target.id().short();
                if !chain.contains(&target) {
                    chain.push(target);
                }
            }
            next += 1;
        }
        Ok(chain.split_off(1))
    }

    /// The content at an address, with every address that holds it.
    fn media_at(&mut self, url_id: [u8; 16]) -> sql::Result<()> {
        let Some(address) = self.catalogue.find_address(url_id)? else { return Ok(()) };
        let Some(media) = address.media else { return self.address(address) };
        let content: [u8; 32] =
            self.db.query_row("SELECT sha256 FROM media WHERE id = ?1", [media], |row| row.get(0))?;
        self.block(CONTENT, &content)?;
        for id in self.numbers("SELECT id FROM media_address WHERE media = ?1", media)? {
            self.address(self.catalogue.address_numbered(id)?)?;
        }
        self.catalogue.settle(media)
    }

    /// A page, and the media that no other page shows.
    fn page(&mut self, url_id: [u8; 16]) -> sql::Result<()> {
        let page = self
            .db
            .query_row("SELECT id, host FROM page WHERE url_id = ?1", [url_id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((page, host)): Option<(i64, i64)> = page else { return Ok(()) };
        let shown = self.numbers("SELECT media_address FROM reference WHERE page = ?1", page)?;
        said::take_back(self.db, page)?;
        self.db.execute("DELETE FROM reference WHERE page = ?1", [page])?;
        places::show(self.db, page, None)?;
        wording::remove_page(self.db, page)?;
        self.pages += self.db.execute("DELETE FROM page WHERE id = ?1", [page])? as u64;
        self.db.execute("UPDATE host SET pages = pages - 1 WHERE id = ?1", [host])?;
        let mut held = BTreeSet::new();
        self.unshown(shown, &mut held)?;
        held.into_iter().try_for_each(|media| self.catalogue.settle(media))
    }

    /// Takes out those of these addresses that no page shows any more. What they held is to be settled.
    fn unshown(&mut self, shown: Vec<i64>, held: &mut BTreeSet<i64>) -> sql::Result<()> {
        for id in shown {
            let address = self.catalogue.address_numbered(id)?;
            let shown = self.db.prepare_cached("SELECT 1 FROM reference WHERE media_address = ?1")?.exists([id])?;
            if !shown {
                self.address(address)?;
            }
            held.extend(address.media);
        }
        Ok(())
    }

    fn address(&mut self, address: Address) -> sql::Result<()> {
        let (url, url_id) = self
            .db
            .prepare_cached("SELECT url, url_id FROM media_address WHERE id = ?1")?
            .query_row([address.id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, [u8; 16]>(1)?)))?;
        self.urls.insert(url);
        self.visits_of(url_id)?;
        self.catalogue.remove_address(address)?;
        self.addresses += 1;
        Ok(())
    }

    /// Visits stay counted; where they went is not told any more.
    fn visits_of(&self, url_id: [u8; 16]) -> sql::Result<()> {
        self.db
            .prepare_cached(
                "UPDATE visit SET url = '', detail = substr(detail, 1, 0)
                 WHERE crawl IN (SELECT id FROM crawl) AND url_id = ?1",
            )?
            .run([url_id])?;
        Ok(())
    }

    /// Redirects to what was forgotten, and pages that call it their canonical form.
    fn mentions(&self) -> sql::Result<()> {
        let urls = serde_json::to_string(&self.urls).unwrap_or_else(|_| "[]".into());
        let listed = self.db.dialect().choose(
            "SELECT value FROM json_each(?1)",
            "SELECT json_array_elements_text(CAST(CAST(?1 AS TEXT) AS json))",
        );
        for statement in [
            format!("UPDATE visit SET detail = '' WHERE outcome = 'redirect' AND detail IN ({listed})"),
            format!("UPDATE page SET canonical = NULL WHERE canonical IN ({listed})"),
        ] {
            self.db.execute(&statement, [&urls])?;
        }
        Ok(())
    }

    fn mentions_of_host(&self, host: &str) -> sql::Result<()> {
        let starts = ["http://", "https://"].map(|scheme| ["/", ":"].map(|end| format!("{scheme}{host}{end}")));
        let starts: Vec<String> = starts.into_iter().flatten().collect();
        let of_host = |column: &str| {
            let one = |n: usize| format!("substr({column}, 1, length(?{n})) = ?{n}");
            (1..=4).map(one).collect::<Vec<_>>().join(" OR ")
        };
        for statement in [
            format!("UPDATE visit SET url = '', detail = substr(detail, 1, 0) WHERE {}", of_host("url")),
            format!("UPDATE visit SET detail = '' WHERE outcome = 'redirect' AND ({})", of_host("detail")),
            format!("UPDATE page SET canonical = NULL WHERE canonical IS NOT NULL AND ({})", of_host("canonical")),
        ] {
            self.db.execute(&statement, params_from_iter(&starts))?;
        }
        Ok(())
    }

    fn numbers(&self, question: &str, about: i64) -> sql::Result<Vec<i64>> {
        self.db.prepare_cached(question)?.query_map([about], |row| row.get(0))?.collect()
    }
}

/// How often something was forgotten.
pub(super) fn times(db: &Connection) -> sql::Result<u64> {
    Ok(persons::setting(db, TIMES)?.and_then(|times| times.parse().ok()).unwrap_or(0))
}

/// All that may not come back.
pub(super) fn blocked(db: &Connection) -> sql::Result<Lists> {
    // Read before them: what is forgotten meanwhile is read again.
    let mut lists = Lists { times: Some(times(db)?), ..Lists::default() };
    let mut select = db.prepare_cached("SELECT kind, key FROM forgotten")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        match row.get::<_, String>(0)?.as_str() {
            HOST => drop(lists.hosts.insert(String::from_utf8_lossy(&row.get::<_, Vec<u8>>(1)?).into())),
            ADDRESS => drop(lists.addresses.insert(row.get(1)?)),
            CONTENT => drop(lists.contents.insert(MediaId::from_sha256(row.get(1)?))),
            _ => {}
        }
    }
    Ok(lists)
}

/// What may not come back, newest first.
pub(super) fn list(db: &Connection, after: usize, most: usize) -> sql::Result<Vec<BlockedEntry>> {
    let mut select =
        db.prepare_cached("SELECT kind, key, at FROM forgotten ORDER BY at DESC, kind, key LIMIT ?1 OFFSET ?2")?;
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let rows = select.query_map([number(most), number(after)], |row| {
        let (kind, key): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let what = match kind.as_str() {
            HOST => String::from_utf8_lossy(&key).into_owned(),
            _ => key.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        Ok(BlockedEntry { kind, what, at: Timestamp(row.get(2)?) })
    })?;
    rows.collect()
}

/// Some of the files that are to be removed.
pub(super) fn doomed(db: &Connection) -> sql::Result<Vec<String>> {
    db.prepare_cached("SELECT path FROM doomed LIMIT ?1")?.query_map([DOOMED as i64], |row| row.get(0))?.collect()
}

/// These files were removed.
pub(super) fn removed(db: &Transaction<'_>, paths: &[String]) -> sql::Result<()> {
    let mut delete = db.prepare_cached("DELETE FROM doomed WHERE path = ?1")?;
    paths.iter().try_for_each(|path| delete.run([path]))
}
