//! Writing visits. A visit that is there already changes nothing, also no figure.

use std::collections::{BTreeMap, HashSet};

use facts::{MediaKind, Timestamp, Url};
use media::WrongLocation;
use rusqlite::{OptionalExtension, Transaction, params};

use super::catalogue::{Address, Catalogue, Held, names};
use super::tasks::Filling;
use super::text::{DESCRIPTION, DETAIL, REASON, TITLE, cut};
use super::{harvest, locations, places, said, signed};
use crate::visit::FORGOTTEN;
use crate::{Link, MediaFile, MediaReference, Outcome, PageFacts, Recorded, Refused, RunId, VisitKind, Visited};

/// Visits of one run being written in one transaction.
pub(super) struct Records<'a> {
    db: &'a Transaction<'a>,
    crawl: u32,
    run: i64,
    /// Below zero for what is taken back.
    tallies: BTreeMap<String, i64>,
    catalogue: Catalogue<'a>,
    /// Files of these visits that no row names.
    unnamed: HashSet<String>,
    task: Filling<'a>,
}

/// What came of writing visits or imports.
#[derive(Debug, Default)]
pub(crate) struct Written<T> {
    pub what: T,
    /// Files that were placed and that no row names.
    pub unnamed: HashSet<String>,
    /// Whether files wait to be removed.
    pub doomed: bool,
}

impl<'a> Records<'a> {
    /// `None` when there is no such run.
    pub fn of_run(db: &'a Transaction<'a>, run: RunId) -> rusqlite::Result<Option<Self>> {
        let found = db
            .prepare_cached("SELECT crawl, task_pages, started FROM run WHERE id = ?1")?
            .query_row([run.0], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)))
            .optional()?;
        let Some((crawl, full, started)) = found else { return Ok(None) };
        let task = Filling::of_run(db, run.0, full, Timestamp(started))?;
        let (catalogue, tallies, unnamed) = (Catalogue::new(db)?, BTreeMap::new(), HashSet::new());
        Ok(Some(Self { db, crawl, run: run.0, tallies, catalogue, unnamed, task }))
    }

    pub fn write(&mut self, visit: &Visited) -> rusqlite::Result<()> {
        let there = self
            .db
            .prepare_cached("SELECT 1 FROM visit WHERE crawl = ?1 AND url_id = ?2 AND round = ?3")?
            .exists(params![self.crawl, visit.claim.id.short(), visit.claim.round])?;
        if !there {
            if self.is_forgotten(visit)? { self.forgotten(visit)? } else { self.add(visit)? }
        }
        if let Outcome::Media(file) = &visit.outcome {
            note_unnamed(self.db, file, &mut self.unnamed)?;
        }
        Ok(())
    }

    fn add(&mut self, visit: &Visited) -> rusqlite::Result<()> {
        let (outcome, reason, detail) = match &visit.outcome {
            Outcome::Page(_) => ("page", None, None),
            Outcome::Media(_) => ("media", None, None),
            Outcome::Redirect(target) if self.catalogue.bars(target)? => ("redirect", None, None),
            Outcome::Redirect(target) => ("redirect", None, Some(target.as_str())),
            Outcome::Refused(refused) => ("refused", Some(cut(&refused.reason, REASON)), None),
            Outcome::Failed { reason, detail } => ("failed", Some(cut(reason, REASON)), Some(cut(detail, DETAIL))),
        };
        let number = self.row(visit, visit.claim.link.url.as_str(), outcome, reason, detail)?;
        match &visit.outcome {
            Outcome::Page(page) => {
                self.count("pages", 1);
                self.task.page(visit.at, page.relevant)?;
                self.harvest(number, visit, page.relevant)?;
                self.page(visit, page)
            }
            Outcome::Media(file) => self.media(visit, file),
            Outcome::Redirect(target) => self.redirect(visit, target),
            Outcome::Refused(refused) => self.refused(visit, refused),
            Outcome::Failed { reason, .. } => {
                self.count(&format!("error/{}", cut(reason, REASON)), 1);
                Ok(())
            }
        }
    }

    /// Writes the row of a visit and gives its number.
    fn row(
        &mut self,
        visit: &Visited,
        url: &str,
        outcome: &str,
        reason: Option<&str>,
        detail: Option<&str>,
    ) -> rusqlite::Result<i64> {
        let task = self.task.at(visit.at)?;
        let link = &visit.claim.link;
        let page = match &visit.outcome {
            Outcome::Page(facts) if outcome == "page" => Some(facts),
            _ => None,
        };
        self.db
            .prepare_cached(
                "INSERT INTO visit (crawl, url_id, round, url, run, task, kind, depth, parent, at, took_ms, bytes,
                                    status, outcome, reason, detail, relevant, branch, followed)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
            )?
            .execute(params![
                self.crawl,
                visit.claim.id.short(),
                visit.claim.round,
                url,
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
                page.map(|facts| facts.relevant),
                page.and_then(|_| branch(link)),
                page.map(|_| false),
            ])?;
        let number = self.db.last_insert_rowid();
        self.count("visits", 1);
        self.count("bytes", signed(visit.bytes));
        Ok(number)
    }

    /// Counts a page among those that its crawl was sent for, or not, and where it is on its branch.
    fn harvest(&mut self, number: i64, visit: &Visited, relevant: bool) -> rusqlite::Result<()> {
        let link = &visit.claim.link;
        if relevant {
            self.count("relevant", 1);
            self.count(&harvest::tally(harvest::SEED_DISTANCE, link.depth), 1);
            if let Some(bridge) = link.branch.bridge() {
                self.count(&harvest::tally(harvest::BRIDGE, bridge), 1);
            }
        }
        self.tail(harvest::tail(relevant, branch(link)), 1);
        let Some(parent) = link.parent else { return Ok(()) };
        // Its branch goes on, so it does not end with the page that it was found on.
        let followed = self
            .db
            .prepare_cached(
                "UPDATE visit SET followed = 1
                 WHERE followed = 0 AND id = (SELECT id FROM visit WHERE crawl = ?1 AND url_id = ?2 AND id <> ?3
                                              AND outcome = 'page' ORDER BY round DESC LIMIT 1)
                 RETURNING relevant, branch",
            )?
            .query_row(params![self.crawl, parent.short(), number], |row| Ok(harvest::tail(row.get(0)?, row.get(1)?)))
            .optional()?;
        self.tail(followed.flatten(), -1);
        Ok(())
    }

    fn tail(&mut self, length: Option<u32>, by: i64) {
        if let Some(length) = length {
            self.count(&harvest::tally(harvest::TAIL, length), by);
        }
    }

    /// Also when the visit was on its way while its address or its content was forgotten.
    fn is_forgotten(&self, visit: &Visited) -> rusqlite::Result<bool> {
        let refused = matches!(&visit.outcome, Outcome::Refused(refused) if refused.reason == FORGOTTEN);
        let content = match &visit.outcome {
            Outcome::Media(file) => self.catalogue.bars_content(&file.id)?,
            _ => false,
        };
        Ok(refused || content || self.catalogue.bars(&visit.claim.link.url)?)
    }

    /// Counted, and its address is written nowhere.
    fn forgotten(&mut self, visit: &Visited) -> rusqlite::Result<()> {
        self.row(visit, "", "refused", Some(FORGOTTEN), None)?;
        match visit.claim.link.kind {
            VisitKind::Media(kind) => self.count(&format!("refused/{kind}/{FORGOTTEN}"), 1),
            VisitKind::Page => self.count(&format!("error/{FORGOTTEN}"), 1),
        }
        if let Outcome::Refused(refused) = &visit.outcome {
            self.count("saved", signed(refused.saved));
        }
        Ok(())
    }

    /// Adds what was counted; the last thing in the transaction.
    pub fn finish(self) -> rusqlite::Result<Written<Recorded>> {
        let mut add = self.db.prepare_cached(
            "INSERT INTO tally (crawl, run, name, count) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET count = count + excluded.count",
        )?;
        for (name, count) in self.tallies.iter().filter(|(_, count)| **count != 0) {
            add.execute(params![self.crawl, self.run, name, count])?;
        }
        let counted = |name: &str| self.tallies.get(name).map_or(0, |&count| count.max(0) as u64);
        let what = Recorded { pages: counted("pages"), bytes: counted("bytes") };
        Ok(Written { what, unnamed: self.unnamed, doomed: self.catalogue.doomed > 0 })
    }

    fn count(&mut self, name: &str, by: i64) {
        *self.tallies.entry(name.to_owned()).or_default() += by;
    }

    fn page(&mut self, visit: &Visited, facts: &PageFacts) -> rusqlite::Result<()> {
        let url = &visit.claim.link.url;
        let host = self.catalogue.host(url.host_str())?;
        let canonical = match &facts.canonical {
            Some(canonical) if !self.catalogue.bars(canonical)? => Some(canonical.as_str()),
            _ => None,
        };
        let id: Option<i64> = self
            .db
            .prepare_cached("SELECT id FROM page WHERE url_id = ?1")?
            .query_row([visit.claim.id.short()], |row| row.get(0))
            .optional()?;
        let (places, focus) = places::kept(facts);
        let relevant = if id.is_some() { self.is_relevant(visit)? } else { facts.relevant };
        let values = params![
            visit.claim.id.short(),
            url.as_str(),
            host,
            cut(&facts.title, TITLE),
            cut(&facts.description, DESCRIPTION),
            facts.language,
            signed(facts.size),
            canonical,
            visit.at.0,
            relevant,
            places.len() as i64,
            focus.map(|focus| focus as i64),
        ];
        let page = match id {
            Some(id) => {
                self.db
                    .prepare_cached(
                        "UPDATE page SET url = ?2, host = ?3, title = ?4, description = ?5, language = ?6, size = ?7,
                                         canonical = ?8, last_seen = max(last_seen, ?9), relevant = ?10, places = ?11,
                                         focus = ?12
                         WHERE url_id = ?1",
                    )?
                    .execute(values)?;
                places::take_back(self.db, id)?;
                said::take_back(self.db, id)?;
                id
            }
            None => {
                self.db
                    .prepare_cached(
                        "INSERT INTO page (url_id, url, host, title, description, language, size, canonical,
                                           first_seen, last_seen, relevant, places, focus)
                         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12)",
                    )?
                    .execute(values)?;
                let id = self.db.last_insert_rowid();
                self.db.prepare_cached("UPDATE host SET pages = pages + 1 WHERE id = ?1")?.execute([host])?;
                id
            }
        };
        places::write(self.db, page, &places)?;
        let mut shown = Vec::new();
        for reference in &facts.media {
            self.reference(page, host, reference, &mut shown)?;
        }
        if id.is_some() {
            shown = self.shown(page)?;
            shown.iter().try_for_each(|(_, media)| locations::refresh(self.db, *media, Some(page)))?;
        }
        for (address, media) in shown {
            if locations::offer(self.db, media, address, Some(page))? {
                self.located(media)?;
            }
        }
        Ok(())
    }

    /// Whether a crawl found the page relevant when it last read it.
    fn is_relevant(&self, visit: &Visited) -> rusqlite::Result<bool> {
        self.db
            .prepare_cached(
                "SELECT 1 FROM crawl WHERE (SELECT relevant FROM visit
                                            WHERE crawl = crawl.id AND url_id = ?1 AND outcome = 'page'
                                            ORDER BY round DESC LIMIT 1)",
            )?
            .exists([visit.claim.id.short()])
    }

    /// Addresses that a page shows, with the files they hold.
    fn shown(&self, page: i64) -> rusqlite::Result<Vec<(i64, i64)>> {
        self.db
            .prepare_cached(
                "SELECT media_address.id, media FROM reference
                 JOIN media_address ON media_address.id = reference.media_address
                 WHERE page = ?1 AND media IS NOT NULL",
            )?
            .query_map([page], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    }

    /// A picture, film or sound on a page; adds where it is, and the file there, if one is.
    fn reference(
        &mut self,
        page: i64,
        host: i64,
        reference: &MediaReference,
        shown: &mut Vec<(i64, i64)>,
    ) -> rusqlite::Result<()> {
        if reference.refused.as_deref() == Some(FORGOTTEN) || self.catalogue.bars(&reference.url)? {
            return Ok(());
        }
        let address = self.catalogue.address(&reference.url, reference.kind)?;
        let target = address.leads_to.map(|id| self.catalogue.address_numbered(id)).transpose()?;
        for address in [Some(address), target].into_iter().flatten() {
            self.refer(page, address, reference)?;
            if let Some(media) = address.media {
                self.catalogue.found_on(media, host)?;
                shown.push((address.id, media));
            }
        }
        let new = self.sighting(address, reference.kind)?;
        if let (true, Some(reason)) = (new, &reference.refused) {
            self.refuse(address, reference.kind, cut(reason, REASON))?;
        }
        Ok(())
    }

    fn refer(&self, page: i64, address: Address, reference: &MediaReference) -> rusqlite::Result<()> {
        self.db
            .prepare_cached(
                "INSERT INTO reference (page, media_address, description, licence, author) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET
                     description = iif(length(excluded.description) > length(description), excluded.description,
                                       description),
                     licence = coalesce(excluded.licence, licence), author = coalesce(excluded.author, author)",
            )?
            .execute(params![
                page,
                address.id,
                cut(&reference.description, DESCRIPTION),
                reference.licence.as_deref().map(|licence| cut(licence, TITLE)),
                reference.author.as_deref().map(|author| cut(author, TITLE)),
            ])?;
        said::on_page(self.db, address.id, page, &reference.locations)
    }

    fn media(&mut self, visit: &Visited, file: &MediaFile) -> rusqlite::Result<()> {
        let link = &visit.claim.link;
        let kind = file.facts.format.kind;
        let address = self.catalogue.address(&link.url, kind)?;
        self.sighting(address, kind)?;
        for hop in &link.hops {
            if let Some(from) = self.catalogue.find_address(hop.short())? {
                self.catalogue.lead(from, address)?;
            }
        }
        self.take_back_refusal(address, kind)?;
        let held = self.catalogue.keep(address, file, visit.at)?;
        self.count(&format!("kept/{kind}"), 1);
        self.count("duplicates", i64::from(!held.new));
        if kind == MediaKind::Image {
            self.kept_image(address, &held)?;
        }
        self.count(&format!("geotagged/{kind}"), i64::from(file.facts.location.is_some()));
        self.wrong_location(address, file.facts.wrong_location)
    }

    /// An image that does not say where it was made is counted, once for each address, when its
    /// place is known.
    fn kept_image(&mut self, address: Address, held: &Held) -> rusqlite::Result<()> {
        let (geotagged, worded): (bool, bool) = self
            .db
            .prepare_cached("SELECT geotagged, worded FROM media WHERE id = ?1")?
            .query_row([held.media], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if geotagged {
            return Ok(());
        }
        let before: Option<bool> = self
            .db
            .prepare_cached("SELECT located FROM sighting WHERE crawl = ?1 AND media_address = ?2")?
            .query_row(params![self.crawl, address.id], |row| row.get(0))?;
        if before.is_none() || (worded && before == Some(false)) {
            self.db
                .prepare_cached("UPDATE sighting SET located = ?3 WHERE crawl = ?1 AND media_address = ?2")?
                .execute(params![self.crawl, address.id, worded])?;
            self.count("located", i64::from(worded));
        }
        if held.first_words { self.located(held.media) } else { Ok(()) }
    }

    /// The place of a file is known from now on: so are those of all its addresses.
    fn located(&mut self, media: i64) -> rusqlite::Result<()> {
        let new = self
            .db
            .prepare_cached(
                "UPDATE sighting SET located = 1
                 WHERE crawl = ?1 AND located = 0
                 AND media_address IN (SELECT id FROM media_address WHERE media = ?2)",
            )?
            .execute(params![self.crawl, media])?;
        self.count("located", new as i64);
        Ok(())
    }

    /// What leads to a known address of media is shown by whoever names it.
    fn redirect(&mut self, visit: &Visited, target: &Url) -> rusqlite::Result<()> {
        let link = &visit.claim.link;
        let VisitKind::Media(_) = link.kind else { return Ok(()) };
        let Some(to) = self.catalogue.find_address(target.id().short())? else { return Ok(()) };
        let to = match to.leads_to {
            Some(id) => self.catalogue.address_numbered(id)?,
            None => to,
        };
        for from in link.hops.iter().copied().chain([visit.claim.id]) {
            if let Some(from) = self.catalogue.find_address(from.short())?
                && self.catalogue.lead(from, to)?
                && let Some(media) = to.media
            {
                self.located(media)?;
            }
        }
        Ok(())
    }

    fn refused(&mut self, visit: &Visited, refused: &Refused) -> rusqlite::Result<()> {
        let reason = cut(&refused.reason, REASON);
        self.count("saved", signed(refused.saved));
        let kind = match (visit.claim.link.kind, refused.kind) {
            (VisitKind::Media(kind), _) | (VisitKind::Page, Some(kind)) => kind,
            (VisitKind::Page, None) => {
                self.count(&format!("error/{reason}"), 1);
                return Ok(());
            }
        };
        let address = self.catalogue.address(&visit.claim.link.url, kind)?;
        self.sighting(address, kind)?;
        self.refuse(address, kind, reason)?;
        self.wrong_location(address, refused.wrong_location)
    }

    /// A crawl counts the wrong location of an address once.
    fn wrong_location(&mut self, address: Address, wrong: Option<WrongLocation>) -> rusqlite::Result<()> {
        let Some(reason) = wrong.map(WrongLocation::as_str) else { return Ok(()) };
        let new = self
            .db
            .prepare_cached(
                "UPDATE sighting SET wrong_location = ?3
                 WHERE crawl = ?1 AND media_address = ?2 AND wrong_location IS NULL",
            )?
            .execute(params![self.crawl, address.id, reason])?;
        self.count(&format!("wrong-location/{reason}"), new as i64);
        Ok(())
    }

    /// A crawl refuses an address once, however many pages or visits say so.
    fn refuse(&mut self, address: Address, kind: MediaKind, reason: &str) -> rusqlite::Result<()> {
        let new = self
            .db
            .prepare_cached(
                "UPDATE sighting SET refused = ?3 WHERE crawl = ?1 AND media_address = ?2 AND refused IS NULL",
            )?
            .execute(params![self.crawl, address.id, reason])?;
        self.count(&format!("refused/{kind}/{reason}"), new as i64);
        self.db
            .prepare_cached("UPDATE media_address SET refused = ?2 WHERE id = ?1 AND media IS NULL")?
            .execute(params![address.id, reason])?;
        Ok(())
    }

    /// What one page asked not to take, another may offer.
    fn take_back_refusal(&mut self, address: Address, kind: MediaKind) -> rusqlite::Result<()> {
        let refused: Option<String> = self
            .db
            .prepare_cached("SELECT refused FROM sighting WHERE crawl = ?1 AND media_address = ?2")?
            .query_row(params![self.crawl, address.id], |row| row.get(0))?;
        if let Some(reason) = refused {
            self.count(&format!("refused/{kind}/{reason}"), -1);
            self.db
                .prepare_cached("UPDATE sighting SET refused = NULL WHERE crawl = ?1 AND media_address = ?2")?
                .execute(params![self.crawl, address.id])?;
        }
        Ok(())
    }

    /// Whether the crawl sees the address for the first time; counts it then.
    fn sighting(&mut self, address: Address, kind: MediaKind) -> rusqlite::Result<bool> {
        let new = self
            .db
            .prepare_cached("INSERT INTO sighting (crawl, media_address) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![self.crawl, address.id])?;
        if new > 0 {
            self.count(&format!("seen/{kind}"), 1);
        }
        Ok(new > 0)
    }
}

/// Links since the last relevant page, if there was one.
fn branch(link: &Link) -> Option<u32> {
    link.branch.from_relevant.then_some(link.branch.links)
}

fn kind_name(kind: VisitKind) -> &'static str {
    match kind {
        VisitKind::Page => "page",
        VisitKind::Media(kind) => kind.as_str(),
    }
}

/// Adds the files that came with a content whose row names others, or which has no row.
pub(super) fn note_unnamed(
    db: &Transaction<'_>,
    file: &MediaFile,
    unnamed: &mut HashSet<String>,
) -> rusqlite::Result<()> {
    let named = names(db, file.id)?;
    let is_named = |path: &String| named.as_ref().is_some_and(|names| names.name(path));
    unnamed.extend(
        [Some(&file.path), file.thumbnail.as_ref()].into_iter().flatten().filter(|path| !is_named(path)).cloned(),
    );
    Ok(())
}
