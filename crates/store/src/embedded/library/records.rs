//! Writing visits. A visit that is there already changes nothing, also no figure.

use std::collections::{BTreeMap, HashMap};

use facts::{MediaKind, Timestamp, Url};
use rusqlite::{OptionalExtension, Transaction, params};

use super::signed;
use crate::{MediaFile, MediaReference, Outcome, PageFacts, Recorded, RunId, VisitKind, Visited};

/// Longest texts that are kept, in characters.
const REASON: usize = 64;
const DETAIL: usize = 500;
const TITLE: usize = 1_000;
const DESCRIPTION: usize = 4_000;

/// Visits of one run being written in one transaction.
pub(super) struct Records<'a> {
    db: &'a Transaction<'a>,
    crawl: u32,
    run: i64,
    /// Below zero for what is taken back.
    tallies: BTreeMap<String, i64>,
    hosts: HashMap<String, i64>,
    task: Task,
}

/// The task being filled.
struct Task {
    id: Option<i64>,
    number: i64,
    pages: u64,
    full: u64,
    /// When the next one starts.
    boundary: Timestamp,
}

impl<'a> Records<'a> {
    /// `None` when there is no such run.
    pub fn of_run(db: &'a Transaction<'a>, run: RunId) -> rusqlite::Result<Option<Self>> {
        let found = db
            .prepare_cached("SELECT crawl, task_pages, started FROM run WHERE id = ?1")?
            .query_row([run.0], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
            .optional()?;
        let Some((crawl, full, started)) = found else { return Ok(None) };
        let mut task = Task { id: None, number: 0, pages: 0, full: full.max(1) as u64, boundary: Timestamp(started) };
        let last = db
            .prepare_cached("SELECT id, number, pages, ended FROM task WHERE run = ?1 ORDER BY number DESC LIMIT 1")?
            .query_row([run.0], |row| {
                Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, i64>(2)?, row.get::<_, Option<i64>>(3)?))
            })
            .optional()?;
        if let Some((id, number, pages, ended)) = last {
            task.number = number;
            match ended {
                Some(ended) => task.boundary = Timestamp(ended),
                None => (task.id, task.pages) = (Some(id), pages as u64),
            }
        }
        Ok(Some(Self { db, crawl, run: run.0, tallies: BTreeMap::new(), hosts: HashMap::new(), task }))
    }

    pub fn write(&mut self, visit: &Visited) -> rusqlite::Result<()> {
        let (outcome, reason, detail) = match &visit.outcome {
            Outcome::Page(_) => ("page", None, None),
            Outcome::Media(_) => ("media", None, None),
            Outcome::Redirect(target) => ("redirect", None, Some(target.as_str())),
            Outcome::Refused(refused) => ("refused", Some(cut(&refused.reason, REASON)), None),
            Outcome::Failed { reason, detail } => ("failed", Some(cut(reason, REASON)), Some(cut(detail, DETAIL))),
        };
        let link = &visit.claim.link;
        let there = self
            .db
            .prepare_cached("SELECT 1 FROM visit WHERE crawl = ?1 AND url_id = ?2 AND round = ?3")?
            .exists(params![self.crawl, visit.claim.id.short(), visit.claim.round])?;
        if there {
            return Ok(());
        }
        let task = self.task_at(visit.at)?;
        self.db
            .prepare_cached(
                "INSERT INTO visit (crawl, url_id, round, url, run, task, kind, depth, parent, at, took_ms, bytes,
                                    status, outcome, reason, detail)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            )?
            .execute(params![
                self.crawl,
                visit.claim.id.short(),
                visit.claim.round,
                link.url.as_str(),
                self.run,
                task,
                kind_name(link.kind),
                link.depth,
                link.parent.map(|id| id.short()),
                visit.at.0,
                visit.took_ms,
                signed(visit.bytes),
                visit.status,
                outcome,
                reason,
                detail,
            ])?;
        self.count("visits", 1);
        self.count("bytes", signed(visit.bytes));
        match &visit.outcome {
            Outcome::Page(page) => {
                self.count("pages", 1);
                self.page_of_task(visit.at)?;
                self.page(visit, page)?;
            }
            Outcome::Media(file) => self.media(visit, file)?,
            Outcome::Redirect(_) => {}
            Outcome::Refused(refused) => self.refused(visit, cut(&refused.reason, REASON))?,
            Outcome::Failed { reason, .. } => self.count(&format!("error/{}", cut(reason, REASON)), 1),
        }
        Ok(())
    }

    /// Adds what was counted; the last thing in the transaction.
    pub fn finish(self) -> rusqlite::Result<Recorded> {
        let mut add = self.db.prepare_cached(
            "INSERT INTO tally (crawl, run, name, count) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET count = count + excluded.count",
        )?;
        for (name, count) in &self.tallies {
            add.execute(params![self.crawl, self.run, name, count])?;
        }
        let counted = |name: &str| self.tallies.get(name).map_or(0, |&count| count.max(0) as u64);
        Ok(Recorded { pages: counted("pages"), bytes: counted("bytes") })
    }

    fn count(&mut self, name: &str, by: i64) {
        *self.tallies.entry(name.to_owned()).or_default() += by;
    }

    fn page(&mut self, visit: &Visited, facts: &PageFacts) -> rusqlite::Result<()> {
        let url = &visit.claim.link.url;
        let host = self.host(url.host_str())?;
        let id: Option<i64> = self
            .db
            .prepare_cached("SELECT id FROM page WHERE url_id = ?1")?
            .query_row([visit.claim.id.short()], |row| row.get(0))
            .optional()?;
        let values = params![
            visit.claim.id.short(),
            url.as_str(),
            host,
            cut(&facts.title, TITLE),
            cut(&facts.description, DESCRIPTION),
            facts.language,
            signed(facts.size),
            facts.canonical.as_ref().map(Url::as_str),
            visit.at.0,
        ];
        let page = match id {
            Some(id) => {
                self.db
                    .prepare_cached(
                        "UPDATE page SET url = ?2, host = ?3, title = ?4, description = ?5, language = ?6, size = ?7,
                                         canonical = ?8, last_seen = max(last_seen, ?9)
                         WHERE url_id = ?1",
                    )?
                    .execute(values)?;
                id
            }
            None => {
                self.db
                    .prepare_cached(
                        "INSERT INTO page (url_id, url, host, title, description, language, size, canonical,
                                           first_seen, last_seen)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
                    )?
                    .execute(values)?;
                let id = self.db.last_insert_rowid();
                self.db.prepare_cached("UPDATE host SET pages = pages + 1 WHERE id = ?1")?.execute([host])?;
                id
            }
        };
        facts.media.iter().try_for_each(|reference| self.reference(page, reference))
    }

    fn reference(&mut self, page: i64, reference: &MediaReference) -> rusqlite::Result<()> {
        let address = self.media_address(&reference.url, reference.kind)?;
        self.db
            .prepare_cached(
                "INSERT INTO reference (page, media_address, description) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET description = excluded.description
                 WHERE length(excluded.description) > length(description)",
            )?
            .execute(params![page, address, cut(&reference.description, DESCRIPTION)])?;
        let new = self.sighting(address, reference.kind)?;
        if let (true, Some(reason)) = (new, &reference.refused) {
            self.refuse(address, reference.kind, cut(reason, REASON))?;
        }
        Ok(())
    }

    fn media(&mut self, visit: &Visited, file: &MediaFile) -> rusqlite::Result<()> {
        let url = &visit.claim.link.url;
        let address = self.media_address(url, file.facts.format.kind)?;
        self.sighting(address, file.facts.format.kind)?;
        let host = self.host(url.host_str())?;
        let new = self
            .db
            .prepare_cached(
                "INSERT INTO media (sha256, kind, format, size, path, host) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                file.id.as_bytes(),
                file.facts.format.kind.as_str(),
                file.facts.format.name,
                signed(file.size),
                file.path,
                host
            ])?;
        self.count(&format!("kept/{}", file.facts.format.kind), 1);
        if new == 0 {
            self.count("duplicates", 1);
        }
        let before: Option<i64> = self
            .db
            .prepare_cached("SELECT media FROM media_address WHERE id = ?1")?
            .query_row([address], |row| row.get(0))?;
        self.take_back_refusal(address, file.facts.format.kind)?;
        self.db
            .prepare_cached(
                "UPDATE media_address SET media = (SELECT id FROM media WHERE sha256 = ?2), refused = NULL
                 WHERE id = ?1",
            )?
            .execute(params![address, file.id.as_bytes()])?;
        if before.is_none() && file.facts.format.kind == MediaKind::Image {
            self.db.prepare_cached("UPDATE host SET images = images + 1 WHERE id = ?1")?.execute([host])?;
        }
        Ok(())
    }

    fn refused(&mut self, visit: &Visited, reason: &str) -> rusqlite::Result<()> {
        let kind = match visit.claim.link.kind {
            VisitKind::Media(kind) => kind,
            VisitKind::Page => {
                self.count(&format!("error/{reason}"), 1);
                return Ok(());
            }
        };
        let address = self.media_address(&visit.claim.link.url, kind)?;
        self.sighting(address, kind)?;
        self.refuse(address, kind, reason)
    }

    /// A crawl refuses an address once, however many pages or visits say so.
    fn refuse(&mut self, address: i64, kind: MediaKind, reason: &str) -> rusqlite::Result<()> {
        let new = self
            .db
            .prepare_cached(
                "UPDATE sighting SET refused = ?3 WHERE crawl = ?1 AND media_address = ?2 AND refused IS NULL",
            )?
            .execute(params![self.crawl, address, reason])?;
        self.count(&format!("refused/{kind}/{reason}"), new as i64);
        self.db
            .prepare_cached("UPDATE media_address SET refused = ?2 WHERE id = ?1 AND media IS NULL")?
            .execute(params![address, reason])?;
        Ok(())
    }

    /// What one page asked not to take, another may offer.
    fn take_back_refusal(&mut self, address: i64, kind: MediaKind) -> rusqlite::Result<()> {
        let refused: Option<String> = self
            .db
            .prepare_cached("SELECT refused FROM sighting WHERE crawl = ?1 AND media_address = ?2")?
            .query_row(params![self.crawl, address], |row| row.get(0))?;
        if let Some(reason) = refused {
            self.count(&format!("refused/{kind}/{reason}"), -1);
            self.db
                .prepare_cached("UPDATE sighting SET refused = NULL WHERE crawl = ?1 AND media_address = ?2")?
                .execute(params![self.crawl, address])?;
        }
        Ok(())
    }

    /// Whether the crawl sees the address for the first time; counts it then.
    fn sighting(&mut self, address: i64, kind: MediaKind) -> rusqlite::Result<bool> {
        let new = self
            .db
            .prepare_cached("INSERT INTO sighting (crawl, media_address) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![self.crawl, address])?;
        if new > 0 {
            self.count(&format!("seen/{kind}"), 1);
        }
        Ok(new > 0)
    }

    fn media_address(&mut self, url: &Url, kind: MediaKind) -> rusqlite::Result<i64> {
        let id = url.id().short();
        let found = self
            .db
            .prepare_cached("SELECT id FROM media_address WHERE url_id = ?1")?
            .query_row([id], |row| row.get(0))
            .optional()?;
        if let Some(found) = found {
            return Ok(found);
        }
        let host = self.host(url.host_str())?;
        self.db
            .prepare_cached("INSERT INTO media_address (url_id, url, host, kind) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![id, url.as_str(), host, kind.as_str()])?;
        Ok(self.db.last_insert_rowid())
    }

    fn host(&mut self, name: &str) -> rusqlite::Result<i64> {
        if let Some(&id) = self.hosts.get(name) {
            return Ok(id);
        }
        self.db.prepare_cached("INSERT INTO host (name) VALUES (?1) ON CONFLICT DO NOTHING")?.execute([name])?;
        let id = self.db.prepare_cached("SELECT id FROM host WHERE name = ?1")?.query_row([name], |row| row.get(0))?;
        self.hosts.insert(name.to_owned(), id);
        Ok(id)
    }

    /// The task that is being filled, a new one after a full one.
    fn task_at(&mut self, at: Timestamp) -> rusqlite::Result<i64> {
        if let Some(id) = self.task.id {
            return Ok(id);
        }
        self.task.number += 1;
        self.task.pages = 0;
        let started = self.task.boundary.min(at);
        self.db.prepare_cached("INSERT INTO task (run, number, started) VALUES (?1, ?2, ?3)")?.execute(params![
            self.run,
            self.task.number,
            started.0
        ])?;
        let id = self.db.last_insert_rowid();
        self.task.id = Some(id);
        Ok(id)
    }

    fn page_of_task(&mut self, at: Timestamp) -> rusqlite::Result<()> {
        let id = self.task_at(at)?;
        self.task.pages += 1;
        let full = self.task.pages >= self.task.full;
        self.db.prepare_cached("UPDATE task SET pages = ?2, ended = ?3 WHERE id = ?1")?.execute(params![
            id,
            signed(self.task.pages),
            full.then_some(at.0)
        ])?;
        if full {
            self.task.id = None;
            self.task.boundary = at;
        }
        Ok(())
    }
}

fn kind_name(kind: VisitKind) -> &'static str {
    match kind {
        VisitKind::Page => "page",
        VisitKind::Media(kind) => kind.as_str(),
    }
}

/// The text up to so many characters.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("žluťoučký", 4), "žluť");
        assert_eq!(cut("kůň", 3), "kůň");
        assert_eq!(cut("", 3), "");
    }
}
