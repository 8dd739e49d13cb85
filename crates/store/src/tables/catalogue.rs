//! Kept media, the addresses they have, and what follows from both.
//!
//! An address holds at most one content. A content that no address holds any more is removed with
//! its files. Figures of hosts move with what they count.

use std::collections::HashMap;
use std::path::Path;

use crate::sql::{self, Connection, OptionalExtension, Row, Transaction, params};
use facts::{MediaId, MediaKind, Timestamp, Url};
use media::PlaceNames;

use super::orders::by_colour;
use super::text::{DESCRIPTION, NAME, TITLE, cut, cut_some};
use super::{counted, descriptions, groups, locations, said, signed, wording};
use crate::MediaFile;
use crate::files::Names;

/// Kinds of what may not come back.
pub(super) const HOST: &str = "host";
pub(super) const ADDRESS: &str = "address";
pub(super) const CONTENT: &str = "content";

/// Key words that are kept of one file.
const KEYWORDS: usize = 100;

/// Media and addresses, within one transaction.
pub(super) struct Catalogue<'a> {
    pub db: &'a Transaction<'a>,
    hosts: HashMap<String, i64>,
    /// Whether anything may not come back.
    guarded: bool,
    /// Whether what is removed leaves nothing behind, as what is forgotten.
    for_good: bool,
    /// Contents that were removed.
    pub removed: u64,
    /// Their files, which are to be removed.
    pub doomed: u64,
}

/// Where a media file is or may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub id: i64,
    pub host: i64,
    pub media: Option<i64>,
    /// The address that it redirects to.
    pub leads_to: Option<i64>,
}

/// A file that an address holds.
pub(super) struct Held {
    pub media: i64,
    /// Whether its content is new to the library.
    pub new: bool,
    /// Whether these are the first words about it.
    pub first_words: bool,
}

impl<'a> Catalogue<'a> {
    pub fn new(db: &'a Transaction<'a>) -> sql::Result<Self> {
        let guarded = db.prepare_cached("SELECT 1 FROM forgotten LIMIT 1")?.exists([])?;
        Ok(Self { db, hosts: HashMap::new(), guarded, for_good: false, removed: 0, doomed: 0 })
    }

    /// One that forgets what it removes.
    pub fn forgetting(db: &'a Transaction<'a>) -> sql::Result<Self> {
        Ok(Self { for_good: true, ..Self::new(db)? })
    }

    /// Whether a visit of this address may not be written.
    pub fn bars(&self, url: &Url) -> sql::Result<bool> {
        Ok(self.guarded
            && (self.barred(HOST, url.host_str().as_bytes())? || self.barred(ADDRESS, &url.id().short())?))
    }

    /// Whether a file with this content may not be kept.
    pub fn bars_content(&self, id: &MediaId) -> sql::Result<bool> {
        Ok(self.guarded && self.barred(CONTENT, id.as_bytes())?)
    }

    pub fn barred(&self, kind: &str, key: &[u8]) -> sql::Result<bool> {
        self.db.prepare_cached("SELECT 1 FROM forgotten WHERE kind = ?1 AND key = ?2")?.exists(params![kind, key])
    }

    pub fn host(&mut self, name: &str) -> sql::Result<i64> {
        if let Some(&id) = self.hosts.get(name) {
            return Ok(id);
        }
        self.db.prepare_cached("INSERT INTO host (name) VALUES (?1) ON CONFLICT DO NOTHING")?.execute([name])?;
        let id = self.db.prepare_cached("SELECT id FROM host WHERE name = ?1")?.query_row([name], |row| row.get(0))?;
        self.hosts.insert(name.to_owned(), id);
        Ok(id)
    }

    pub fn address(&mut self, url: &Url, kind: MediaKind) -> sql::Result<Address> {
        self.address_on(url.host_str(), url.id().short(), url.as_str(), kind)
    }

    /// The address with this identity, made when it is new.
    pub fn address_on(&mut self, host: &str, url_id: [u8; 16], url: &str, kind: MediaKind) -> sql::Result<Address> {
        if let Some(found) = self.find_address(url_id)? {
            return Ok(found);
        }
        let host = self.host(host)?;
        let id = self.db.insert(
            "INSERT INTO media_address (url_id, url, host, kind) VALUES (?1, ?2, ?3, ?4)",
            params![url_id, url, host, kind.as_str()],
        )?;
        Ok(Address { id, host, media: None, leads_to: None })
    }

    pub fn find_address(&self, url_id: [u8; 16]) -> sql::Result<Option<Address>> {
        self.db
            .prepare_cached("SELECT id, host, media, leads_to FROM media_address WHERE url_id = ?1")?
            .query_row([url_id], read_address)
            .optional()
    }

    /// The address with this number.
    pub fn address_numbered(&self, id: i64) -> sql::Result<Address> {
        self.db
            .prepare_cached("SELECT id, host, media, leads_to FROM media_address WHERE id = ?1")?
            .query_row([id], read_address)
    }

    /// The address holds this file from now on.
    pub fn keep(&mut self, address: Address, file: &MediaFile, at: Timestamp) -> sql::Result<Held> {
        let known = self
            .db
            .prepare_cached("SELECT id, path FROM media WHERE sha256 = ?1")?
            .query_row([file.id.as_bytes()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))
            .optional()?;
        let (media, new) = match known {
            Some((media, path)) => (self.complete(media, &path, file)?, false),
            None => (self.insert(file, address.host, at)?, true),
        };
        said::by_file(self.db, address.id, &file.said)?;
        self.point(address, Some(media))?;
        if !new {
            locations::refresh(self.db, media, Some(said::FILE))?;
        }
        let first_words = locations::offer(self.db, media, address.id, None)?;
        if let Some(before) = address.media.filter(|before| *before != media) {
            self.settle(before)?;
        }
        Ok(Held { media, new, first_words })
    }

    /// The same bytes again: only what was missing is added.
    fn complete(&self, media: i64, path: &str, file: &MediaFile) -> sql::Result<i64> {
        if let Some(thumbnail) = &file.thumbnail {
            self.db
                .prepare_cached("UPDATE media SET thumbnail = ?2 WHERE id = ?1 AND thumbnail IS NULL")?
                .run(params![media, thumbnail])?;
        }
        self.db
            .prepare_cached("UPDATE media SET colour = ?2, by_colour = ?3 WHERE id = ?1 AND colour IS NULL")?
            .execute(params![media, file.colour.map(number_of), file.colour.map(by_colour)])?;
        // A file that was imported where it was may change there; a copy of our own does not.
        if Path::new(path).is_absolute() && !Path::new(&file.path).is_absolute() {
            self.db.prepare_cached("UPDATE media SET path = ?2 WHERE id = ?1")?.run(params![media, file.path])?;
            self.db.touch(media);
        }
        if let (Some(location), Some(locality)) = (&file.facts.location, &file.locality) {
            locations::name(self.db, media, location, locality)?;
        }
        if let Some(described) = &file.description {
            descriptions::complete(self.db, media, file.facts.format.kind, described)?;
        }
        Ok(media)
    }

    fn insert(&self, file: &MediaFile, host: i64, at: Timestamp) -> sql::Result<i64> {
        let facts = &file.facts;
        let (width, height) = facts.upright().unzip();
        let keywords: Vec<&str> = facts.keywords.iter().take(KEYWORDS).map(|word| cut(word, NAME)).collect();
        let PlaceNames { sublocation, city, state, country } = &facts.place_names;
        let media = self.db.insert(
            "INSERT INTO media (sha256, kind, format, size, path, thumbnail, host, first_seen, width, height,
                                    orientation, duration, taken, make, model, title, description, keywords, licence,
                                    author, sublocation, city, state, country, geotagged, wrong_location, colour,
                                    by_colour, by_host)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
                         ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, (SELECT name FROM host WHERE id = ?7))",
            params![
                file.id.as_bytes(),
                facts.format.kind.as_str(),
                facts.format.name,
                signed(file.size),
                file.path,
                file.thumbnail,
                host,
                at.0,
                width,
                height,
                facts.orientation,
                facts.duration.map(|duration| duration.as_secs_f64()),
                facts.taken.map(|taken| taken.to_string()),
                cut_some(&facts.make, NAME),
                cut_some(&facts.model, NAME),
                cut_some(&facts.title, TITLE),
                cut_some(&facts.description, DESCRIPTION),
                serde_json::to_string(&keywords).unwrap_or_else(|_| "[]".into()),
                cut_some(&facts.licence, TITLE),
                cut_some(&facts.author, TITLE),
                cut_some(sublocation, NAME),
                cut_some(city, NAME),
                cut_some(state, NAME),
                cut_some(country, NAME),
                facts.location.is_some(),
                facts.wrong_location.map(|wrong| wrong.as_str()),
                file.colour.map(number_of),
                file.colour.map(by_colour),
            ],
        )?;
        if let Some(location) = &facts.location {
            locations::carry(self.db, media, location, file.locality.as_ref())?;
        }
        locations::recall(self.db, media, file.id)?;
        if let Some(described) = &file.description {
            descriptions::write(self.db, media, facts.format.kind, described)?;
        }
        Ok(media)
    }

    /// Lets an address hold another content, or none; figures of its host follow. What it held
    /// before is to be settled.
    pub fn point(&self, address: Address, media: Option<i64>) -> sql::Result<()> {
        self.db
            .prepare_cached("UPDATE media_address SET media = ?2, refused = NULL, leads_to = NULL WHERE id = ?1")?
            .run(params![address.id, media])?;
        if address.media == media {
            return Ok(());
        }
        for (held, by) in [(address.media, -1), (media, 1)] {
            self.db
                .prepare_cached(
                    "UPDATE host SET images = host.images + ?3, geotagged = host.geotagged + ?3 * media.geotagged
                     FROM media WHERE host.id = ?1 AND media.id = ?2 AND media.kind = 'image'",
                )?
                .run(params![address.host, held, by])?;
        }
        if let Some(media) = media {
            self.found_on(media, address.host)?;
            self.shown_at(media, address.id)?;
            self.db
                .prepare_cached(
                    "INSERT INTO media_crawl (crawl, media) SELECT crawl, ?2 FROM sighting WHERE media_address = ?1
                     ON CONFLICT DO NOTHING",
                )?
                .run([address.id, media])?;
            self.db.touch(media);
        }
        Ok(())
    }

    /// A crawl saw an address of the file.
    pub fn seen_by(&self, media: i64, crawl: u32) -> sql::Result<()> {
        self.db
            .prepare_cached("INSERT INTO media_crawl (crawl, media) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .run(params![crawl, media])?;
        Ok(())
    }

    /// Pages show the file at this address of it.
    fn shown_at(&self, media: i64, address: i64) -> sql::Result<()> {
        self.db
            .prepare_cached(
                "INSERT INTO media_host (host, media)
                 SELECT page.host, ?2 FROM reference JOIN page ON page.id = reference.page
                 WHERE reference.media_address = ?1
                 ON CONFLICT DO NOTHING",
            )?
            .run([address, media])?;
        Ok(())
    }

    /// An address leads to another: a page that names the one shows what is at the other. Whether
    /// that gave the file there its first words.
    pub fn lead(&self, from: Address, to: Address) -> sql::Result<bool> {
        if from.id == to.id {
            return Ok(false);
        }
        self.db.prepare_cached("UPDATE media_address SET leads_to = ?2 WHERE id = ?1")?.execute([from.id, to.id])?;
        self.db
            .prepare_cached(
                "INSERT INTO reference (page, media_address, description, licence, author)
                 SELECT page, ?2, description, licence, author FROM reference WHERE media_address = ?1
                 ON CONFLICT DO NOTHING",
            )?
            .run([from.id, to.id])?;
        said::pass_on(self.db, from.id, to.id)?;
        let Some(media) = to.media else { return Ok(false) };
        self.shown_at(media, to.id)?;
        self.db.touch(media);
        locations::offer(self.db, media, to.id, None)
    }

    /// The file has an address on this host, or a page there shows it.
    pub fn found_on(&self, media: i64, host: i64) -> sql::Result<()> {
        self.db
            .prepare_cached("INSERT INTO media_host (host, media) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .run(params![host, media])?;
        Ok(())
    }

    /// Takes an address out, with all that speaks of it. What it held is to be
    /// [settled](Self::settle).
    pub fn remove_address(&self, address: Address) -> sql::Result<()> {
        for table in ["reference", "sighting", "imported"] {
            self.db.prepare_cached(&format!("DELETE FROM {table} WHERE media_address = ?1"))?.run([address.id])?;
        }
        self.point(address, None)?;
        self.db.prepare_cached("DELETE FROM media_address WHERE id = ?1")?.run([address.id])?;
        Ok(())
    }

    /// After a file lost an address or a page: removes it when no address holds it, else corrects
    /// what follows from those that are left.
    pub fn settle(&mut self, media: i64) -> sql::Result<()> {
        let db = self.db;
        if !db.prepare_cached("SELECT 1 FROM media_address WHERE media = ?1")?.exists([media])? {
            return self.remove(media);
        }
        db.prepare_cached("DELETE FROM media_host WHERE media = ?1")?.execute([media])?;
        db.prepare_cached(
            "INSERT INTO media_host (host, media)
             SELECT host, ?1 FROM media_address WHERE media = ?1
             UNION
             SELECT page.host, ?1 FROM media_address
             JOIN reference ON reference.media_address = media_address.id
             JOIN page ON page.id = reference.page
             WHERE media_address.media = ?1",
        )?
        .run([media])?;
        db.prepare_cached(
            "UPDATE media SET (host, by_host) = (SELECT host.id, host.name FROM media_address
                                                 JOIN host ON host.id = media_address.host
                                                 WHERE media = ?1 ORDER BY media_address.id LIMIT 1)
             WHERE id = ?1 AND host NOT IN (SELECT host FROM media_address WHERE media = ?1)",
        )?
        .run([media])?;
        db.prepare_cached("DELETE FROM media_crawl WHERE media = ?1")?.run([media])?;
        db.prepare_cached(
            "INSERT INTO media_crawl (crawl, media)
             SELECT DISTINCT crawl, ?1 FROM media_address JOIN sighting ON sighting.media_address = media_address.id
             WHERE media = ?1",
        )?
        .run([media])?;
        db.touch(media);
        locations::refresh(db, media, None)?;
        self.follow_import(media)
    }

    /// A file that was imported where it was is one of those that have its content now.
    fn follow_import(&self, media: i64) -> sql::Result<()> {
        let path: String =
            self.db.prepare_cached("SELECT path FROM media WHERE id = ?1")?.query_row([media], |row| row.get(0))?;
        if !Path::new(&path).is_absolute() {
            return Ok(());
        }
        self.db
            .prepare_cached(
                "UPDATE media SET path = source.path
                 FROM (SELECT min(imported.path) AS path, max(CASE WHEN imported.path = ?2 THEN 1 ELSE 0 END) AS stays
                       FROM imported JOIN media_address ON media_address.id = imported.media_address
                       WHERE media_address.media = ?1) AS source
                 WHERE media.id = ?1 AND source.stays = 0",
            )?
            .execute(params![media, path])?;
        Ok(())
    }

    fn remove(&mut self, media: i64) -> sql::Result<()> {
        let names = self
            .db
            .prepare_cached("SELECT path, thumbnail FROM media WHERE id = ?1")?
            .query_row([media], |row| Ok(Names { path: row.get(0)?, thumbnail: row.get(1)? }))
            .optional()?;
        let Some(names) = names else { return Ok(()) };
        // Files that were imported where they were belong to whoever put them there.
        let ours =
            [Some(names.path), names.thumbnail].into_iter().flatten().filter(|path| !Path::new(path).is_absolute());
        for path in ours {
            let mut doom = self.db.prepare_cached("INSERT INTO doomed (path) VALUES (?1) ON CONFLICT DO NOTHING")?;
            self.doomed += doom.execute([path])? as u64;
        }
        if self.for_good {
            for table in ["person_said", "person_text"] {
                let of_content = "sha256 = (SELECT sha256 FROM media WHERE id = ?1)";
                self.db.execute(&format!("DELETE FROM {table} WHERE {of_content}"), [media])?;
            }
            let content = self.db.query_row("SELECT sha256 FROM media WHERE id = ?1", [media], |row| row.get(0))?;
            groups::forget_apart(self.db, MediaId::from_sha256(content))?;
        }
        groups::leave(self.db, media)?;
        descriptions::remove(self.db, media)?;
        locations::show(self.db, media, None)?;
        wording::remove_item(self.db, media)?;
        counted::remove(self.db, media)?;
        for table in ["location", "media_host", "media_crawl"] {
            self.db.prepare_cached(&format!("DELETE FROM {table} WHERE media = ?1"))?.run([media])?;
        }
        self.removed += self.db.prepare_cached("DELETE FROM media WHERE id = ?1")?.execute([media])? as u64;
        Ok(())
    }
}

/// A colour as the table holds it.
fn number_of([red, green, blue]: [u8; 3]) -> u32 {
    u32::from_be_bytes([0, red, green, blue])
}

fn read_address(row: &Row<'_>) -> sql::Result<Address> {
    Ok(Address { id: row.get(0)?, host: row.get(1)?, media: row.get(2)?, leads_to: row.get(3)? })
}

/// The files that a row names for some content.
pub(super) fn names(db: &Connection, id: MediaId) -> sql::Result<Option<Names>> {
    db.prepare_cached("SELECT path, thumbnail FROM media WHERE sha256 = ?1")?
        .query_row([id.as_bytes()], |row| Ok(Names { path: row.get(0)?, thumbnail: row.get(1)? }))
        .optional()
}
