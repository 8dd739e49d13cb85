//! Media that were fetched or refused, and what crawls count of them.

use crate::sql::{self, params};
use facts::{MediaKind, Url};
use media::WrongLocation;

use super::super::catalogue::{Address, Held};
use super::super::signed;
use super::super::text::{REASON, cut};
use super::Records;
use crate::{MediaFile, Refused, VisitKind, Visited};

impl Records<'_> {
    pub(super) fn media(&mut self, visit: &Visited, file: &MediaFile) -> sql::Result<()> {
        let link = &visit.claim.link;
        let kind = file.facts.format.kind;
        let address = self.catalogue.address(&link.url, kind)?;
        self.sighting(address, kind)?;
        let mut heard = false;
        for hop in &link.hops {
            if let Some(from) = self.catalogue.find_address(hop.short())? {
                heard |= self.catalogue.lead(from, address)?;
            }
        }
        self.take_back_refusal(address, kind)?;
        let mut held = self.catalogue.keep(address, file, visit.at)?;
        held.first_words |= heard;
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
    fn kept_image(&mut self, address: Address, held: &Held) -> sql::Result<()> {
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
                .run(params![self.crawl, address.id, worded])?;
            self.count("located", i64::from(worded));
        }
        if held.first_words { self.located(held.media) } else { Ok(()) }
    }

    /// The place of a file is known from now on: so are those of all its addresses.
    pub(super) fn located(&mut self, media: i64) -> sql::Result<()> {
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
    pub(super) fn redirect(&mut self, visit: &Visited, target: &Url) -> sql::Result<()> {
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

    pub(super) fn refused(&mut self, visit: &Visited, refused: &Refused) -> sql::Result<()> {
        let reason = cut(&refused.reason, REASON);
        self.count("saved", signed(refused.saved));
        let kind = match (visit.claim.link.kind, refused.kind) {
            (VisitKind::Media(kind), _) | (_, Some(kind)) => kind,
            (_, None) => {
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
    fn wrong_location(&mut self, address: Address, wrong: Option<WrongLocation>) -> sql::Result<()> {
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

    /// A crawl refuses an address once, however many pages or visits say so. What a visit found is said, whatever
    /// pages said before.
    fn refuse(&mut self, address: Address, kind: MediaKind, reason: &str) -> sql::Result<()> {
        let said = self.refusal(address)?;
        if said.as_deref() != Some(reason) {
            self.say_refused(address, kind, said.as_deref(), Some(reason))?;
        }
        self.db
            .prepare_cached("UPDATE media_address SET refused = ?2 WHERE id = ?1 AND media IS NULL")?
            .run(params![address.id, reason])?;
        Ok(())
    }

    /// A page asks not to take what it shows. Of several pages that do, for several reasons, the same one is told
    /// whichever is read first; a page that offers the address, or a visit, has the last word.
    pub(super) fn reserved(&mut self, address: Address, kind: MediaKind, reason: &str, new: bool) -> sql::Result<()> {
        let is_told =
            new || self.refusal(address)?.is_some_and(|said| reason < said.as_str()) && !self.visited(address)?;
        if is_told { self.refuse(address, kind, reason) } else { Ok(()) }
    }

    /// Why this crawl refused an address.
    fn refusal(&self, address: Address) -> sql::Result<Option<String>> {
        self.db
            .prepare_cached("SELECT refused FROM sighting WHERE crawl = ?1 AND media_address = ?2")?
            .query_row(params![self.crawl, address.id], |row| row.get(0))
    }

    fn say_refused(
        &mut self,
        address: Address,
        kind: MediaKind,
        before: Option<&str>,
        now: Option<&str>,
    ) -> sql::Result<()> {
        for (reason, by) in [(before, -1), (now, 1)] {
            if let Some(reason) = reason {
                self.count(&format!("refused/{kind}/{reason}"), by);
            }
        }
        self.db
            .prepare_cached("UPDATE sighting SET refused = ?3 WHERE crawl = ?1 AND media_address = ?2")?
            .run(params![self.crawl, address.id, now])?;
        Ok(())
    }

    /// Whether this crawl asked for an address of media itself.
    fn visited(&self, address: Address) -> sql::Result<bool> {
        self.db
            .prepare_cached(
                "SELECT 1 FROM visit WHERE crawl = ?1 AND url_id = (SELECT url_id FROM media_address WHERE id = ?2)",
            )?
            .exists(params![self.crawl, address.id])
    }

    /// What one page asked not to take, another may offer.
    fn take_back_refusal(&mut self, address: Address, kind: MediaKind) -> sql::Result<()> {
        match self.refusal(address)? {
            Some(reason) => self.say_refused(address, kind, Some(&reason), None),
            None => Ok(()),
        }
    }

    /// Whether the crawl sees the address for the first time; counts it then.
    pub(super) fn sighting(&mut self, address: Address, kind: MediaKind) -> sql::Result<bool> {
        let new = self
            .db
            .prepare_cached("INSERT INTO sighting (crawl, media_address) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![self.crawl, address.id])?;
        if new > 0 {
            if let Some(media) = address.media {
                self.catalogue.seen_by(media, self.crawl)?;
            }
            self.count(&format!("seen/{kind}"), 1);
        }
        Ok(new > 0)
    }
}
