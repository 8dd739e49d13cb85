//! Pages that were read: their places, and the media they show.

use crate::sql::{self, OptionalExtension, params};

use super::super::catalogue::Address;
use super::super::text::{DESCRIPTION, REASON, TITLE, cut};
use super::super::{harvest, locations, places, said, signed, wording};
use super::{Records, branch};
use crate::visit::FORGOTTEN;
use crate::{MediaReference, PageFacts, Visited};

impl Records<'_> {
    pub(super) fn page(&mut self, visit: &Visited, facts: &PageFacts) -> sql::Result<()> {
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
        if let (Some(page), true) = (id, facts.partial) {
            return self.shows_also(page, host, &facts.media);
        }
        if let Some(id) = id {
            places::show(self.db, id, None)?;
        }
        let (places, focus) = places::kept(facts);
        let (keywords, telling) = (facts.keywords.join(", "), facts.telling.join(", "));
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
            facts.focus_confidence,
            cut(&keywords, DESCRIPTION),
            cut(&telling, DESCRIPTION),
        ];
        let page = match id {
            Some(id) => {
                self.db
                    .prepare_cached(
                        "UPDATE page SET url = ?2, host = ?3, title = ?4, description = ?5, language = ?6, size = ?7,
                                         canonical = ?8, last_seen = CASE WHEN ?9 > last_seen THEN ?9 ELSE last_seen END, relevant = ?10, places = ?11,
                                         focus = ?12, focus_confidence = ?13, keywords = ?14, telling = ?15
                         WHERE url_id = ?1",
                    )?
                    .run(values)?;
                places::take_back(self.db, id)?;
                said::take_back(self.db, id)?;
                // What it still shows is written again below.
                self.db
                    .prepare_cached("UPDATE reference SET gone = ?2 WHERE page = ?1 AND gone IS NULL")?
                    .run(params![id, visit.at.0])?;
                id
            }
            None => {
                let id = self.db.insert(
                    "INSERT INTO page (url_id, url, host, title, description, language, size, canonical,
                                       first_seen, last_seen, relevant, places, focus, focus_confidence,
                                       keywords, telling)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
                    values,
                )?;
                self.db.prepare_cached("UPDATE host SET pages = pages + 1 WHERE id = ?1")?.run([host])?;
                id
            }
        };
        places::write(self.db, page, &places)?;
        places::show(self.db, page, places::shown(&places, focus))?;
        wording::write_page(self.db, page, &places)?;
        let mut shown = Vec::new();
        for reference in &facts.media {
            self.reference(page, host, reference, &mut shown)?;
        }
        if id.is_some() {
            shown = self.shown(page)?;
            // What it says of itself, they are found by.
            shown.iter().for_each(|(_, media)| self.db.touch(*media));
            shown.iter().try_for_each(|(_, media)| locations::refresh(self.db, *media, Some(page)))?;
        }
        self.offer_places(page, shown)
    }

    /// A page that is known shows these media too, or again.
    fn shows_also(&mut self, page: i64, host: i64, media: &[MediaReference]) -> sql::Result<()> {
        let mut shown = Vec::new();
        for reference in media {
            self.reference(page, host, reference, &mut shown)?;
        }
        self.offer_places(page, shown)
    }

    fn offer_places(&mut self, page: i64, shown: Vec<(i64, i64)>) -> sql::Result<()> {
        for (address, media) in shown {
            if locations::offer(self.db, media, address, Some(page))? {
                self.located(media)?;
            }
        }
        Ok(())
    }

    /// Whether a crawl found the page relevant when it last read it.
    fn is_relevant(&self, visit: &Visited) -> sql::Result<bool> {
        self.db
            .prepare_cached(
                "SELECT 1 FROM crawl WHERE (SELECT relevant FROM visit
                                            WHERE crawl = crawl.id AND url_id = ?1 AND outcome = 'page'
                                            ORDER BY round DESC LIMIT 1) = 1",
            )?
            .exists([visit.claim.id.short()])
    }

    /// Addresses that a page shows, with the files they hold.
    fn shown(&self, page: i64) -> sql::Result<Vec<(i64, i64)>> {
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
    ) -> sql::Result<()> {
        if reference.refused.as_deref() == Some(FORGOTTEN) || self.catalogue.bars(&reference.url)? {
            return Ok(());
        }
        let address = self.catalogue.address(&reference.url, reference.kind)?;
        let target = address.leads_to.map(|id| self.catalogue.address_numbered(id)).transpose()?;
        for address in [Some(address), target].into_iter().flatten() {
            self.refer(page, address, reference)?;
            if let Some(media) = address.media {
                self.catalogue.found_on(media, host)?;
                self.db.touch(media);
                shown.push((address.id, media));
            }
        }
        let new = self.sighting(address, reference.kind)?;
        if let Some(reason) = &reference.refused {
            self.reserved(address, reference.kind, cut(reason, REASON), new)?;
        }
        Ok(())
    }

    fn refer(&self, page: i64, address: Address, reference: &MediaReference) -> sql::Result<()> {
        self.db
            .prepare_cached(
                "INSERT INTO reference (page, media_address, description, licence, author) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (page, media_address) DO UPDATE SET
                     description = CASE WHEN length(excluded.description) > length(reference.description)
                                   THEN excluded.description ELSE reference.description END,
                     licence = coalesce(excluded.licence, reference.licence),
                     author = coalesce(excluded.author, reference.author),
                     gone = NULL",
            )?
            .run(params![
                page,
                address.id,
                cut(&reference.description, DESCRIPTION),
                reference.licence.as_deref().map(|licence| cut(licence, TITLE)),
                reference.author.as_deref().map(|author| cut(author, TITLE)),
            ])?;
        said::on_page(self.db, address.id, page, &reference.locations)
    }

    /// Counts a page among those that its crawl was sent for, or not, and where it is on its branch.
    pub(super) fn harvest(&mut self, number: i64, visit: &Visited, relevant: bool) -> sql::Result<()> {
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
}
