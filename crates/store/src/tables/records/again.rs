//! Addresses that are visited again: whether they changed, and how often they do.

use std::time::Duration;

use crate::sql::{self, Connection, OptionalExtension, Row, params};
use facts::{MediaId, MediaKind, Timestamp, Url, UrlId};

use super::{Records, kind_name};
use crate::{
    ChangeSeen, CrawlId, Earlier, KnownAddress, Link, LinkContext, Outcome, Version, VisitKind, Visited, Which,
};

/// The name that unchanged pages are counted by.
pub(super) const UNCHANGED_PAGES: &str = "revisit/page/unchanged";
/// How often an address that has nothing any more is asked again.
const GONE_CHECKS: i64 = 3;
/// A version that is older says no more of how often it changes.
const OLDEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Bytes of an `ETag`, or of the token of a report.
const LONGEST_ETAG: usize = 1_024;

/// What the newest row of an address says.
pub(super) struct Before {
    row: i64,
    checks: i64,
    earlier: Earlier,
}

const STATE: &str = "id, checks, etag, modified, digest, coalesce(checked, at), \
                     CASE WHEN checked > at THEN checked ELSE at END, changes, watched, \
                     coalesce(change = 'gone', false), reason, round";

fn read(row: &Row<'_>) -> sql::Result<Before> {
    let digest: Option<Vec<u8>> = row.get(4)?;
    let version = Version {
        etag: row.get(2)?,
        modified: row.get::<_, Option<i64>>(3)?.map(Timestamp),
        digest: digest.and_then(|digest| digest.try_into().ok()),
    };
    let earlier = Earlier {
        version,
        checked: Timestamp(row.get(5)?),
        asked: Timestamp(row.get(6)?),
        changes: row.get(7)?,
        watched: Duration::from_millis(row.get::<_, i64>(8)?.max(0) as u64),
        gone: row.get(9)?,
        reason: row.get(10)?,
        round: row.get(11)?,
    };
    Ok(Before { row: row.get(0)?, checks: row.get(1)?, earlier })
}

// The newest of an address is found by the address: hence the plus, which bars the way over all of them.
fn newest(db: &Connection, crawl: u32, address: UrlId) -> sql::Result<Option<Before>> {
    db.prepare_cached(&format!("SELECT {STATE} FROM visit WHERE crawl = ?1 AND url_id = ?2 AND +again = 1"))?
        .query_row(params![crawl, address.short()], read)
        .optional()
}

impl Records<'_> {
    pub(super) fn before(&self, visit: &Visited) -> sql::Result<Option<Before>> {
        newest(self.db, self.crawl, visit.claim.id)
    }

    /// Whether the visit found what is known already; then it is counted with the visit that did.
    pub(super) fn same(&mut self, visit: &Visited, before: Option<&Before>) -> sql::Result<bool> {
        let Some(before) = before else { return Ok(false) };
        let gone = before.earlier.gone;
        let found = match &visit.outcome {
            Outcome::Unchanged if !gone => "unchanged",
            Outcome::Media(file) if !gone && self.holds(visit, file.id)? => "unchanged",
            _ if gone && is_gone(visit) => "gone",
            _ => return Ok(false),
        };
        let checks = before.checks + 1;
        let Version { etag, modified, digest } = &visit.version;
        let unseen = visit.at.since(before.earlier.checked);
        self.db
            .prepare_cached(
                "UPDATE visit SET round = ?2, checked = ?3, checks = ?4, bytes = bytes + ?5, watched = watched + ?6,
                                  etag = coalesce(?7, etag), modified = coalesce(?8, modified),
                                  digest = coalesce(?9, digest), again = ?10
                 WHERE id = ?1",
            )?
            .run(params![
                before.row,
                visit.claim.round,
                visit.at.0.max(before.earlier.checked.0),
                checks,
                super::signed(visit.bytes),
                if gone { 0 } else { millis(unseen) },
                sent_back(etag),
                modified.map(|at| at.0),
                digest.map(|digest| digest.to_vec()),
                (!gone || checks < GONE_CHECKS).then_some(1),
            ])?;
        self.count("visits", 1);
        self.count("bytes", super::signed(visit.bytes));
        if !is_list(visit) {
            self.count_again(visit, found);
        }
        if !gone {
            self.there_again(visit)?;
        }
        Ok(true)
    }

    /// Whether the address holds this very content.
    fn holds(&self, visit: &Visited, content: MediaId) -> sql::Result<bool> {
        self.db
            .prepare_cached(
                "SELECT 1 FROM media_address JOIN media ON media.id = media_address.media
                 WHERE url_id = ?1 AND sha256 = ?2",
            )?
            .exists(params![visit.claim.id.short(), content.as_bytes()])
    }

    /// Writes with the row of a visit what the next one has to know.
    pub(super) fn go_on(&mut self, row: i64, visit: &Visited, before: Option<&Before>) -> sql::Result<()> {
        let brought = matches!(visit.outcome, Outcome::Page(_) | Outcome::Media(_) | Outcome::Report(_));
        let gone = is_gone(visit);
        if gone {
            self.gone(visit)?;
        }
        if before.is_none() && !brought {
            return Ok(());
        }
        let earlier = before.map(|before| &before.earlier);
        let (changes, watched) = match earlier {
            Some(earlier) if brought => {
                let unseen = if earlier.gone { Duration::ZERO } else { visit.at.since(earlier.checked) };
                (earlier.changes.saturating_add(1), earlier.watched + unseen)
            }
            Some(earlier) => (earlier.changes, earlier.watched),
            // What it says of its last change is a first look at how often it changes.
            None => match visit.version.modified.map(|modified| visit.at.since(modified)) {
                Some(age) if !age.is_zero() => (1, age.min(OLDEST)),
                _ => (0, Duration::ZERO),
            },
        };
        let change = match earlier {
            Some(earlier) if brought && earlier.gone => Some("back"),
            Some(_) if brought => Some("changed"),
            Some(_) if gone => Some("gone"),
            _ => None,
        };
        // A list is there to change.
        let change = change.filter(|_| !is_list(visit));
        // Where it moved to is an address of its own.
        let moved = gone && matches!(visit.outcome, Outcome::Redirect(_));
        let version = if brought { &visit.version } else { earlier.map_or(&visit.version, |earlier| &earlier.version) };
        let checked = if brought { visit.at } else { earlier.map_or(visit.at, |earlier| earlier.checked) };
        if let Some(before) = before {
            self.db.prepare_cached("UPDATE visit SET again = NULL WHERE id = ?1")?.run([before.row])?;
        }
        self.db
            .prepare_cached(
                "UPDATE visit SET etag = ?2, modified = ?3, digest = ?4, checked = ?5, changes = ?6, watched = ?7,
                                  change = ?8, again = ?9
                 WHERE id = ?1",
            )?
            .execute(params![
                row,
                sent_back(&version.etag),
                version.modified.map(|at| at.0),
                version.digest.map(|digest| digest.to_vec()),
                checked.0,
                changes,
                millis(watched),
                change,
                (!moved).then_some(1),
            ])?;
        if let Some(change) = change {
            self.count_again(visit, change);
        }
        if brought {
            self.there_again(visit)?;
        }
        Ok(())
    }

    fn count_again(&mut self, visit: &Visited, what: &str) {
        self.count(&format!("revisit/{}/{what}", kind_name(visit.claim.link.kind)), 1);
    }

    fn gone(&self, visit: &Visited) -> sql::Result<()> {
        for table in ["page", "media_address"] {
            self.db
                .prepare_cached(&format!("UPDATE {table} SET gone = ?2 WHERE url_id = ?1 AND gone IS NULL"))?
                .run(params![visit.claim.id.short(), visit.at.0])?;
        }
        Ok(())
    }

    fn there_again(&self, visit: &Visited) -> sql::Result<()> {
        self.db
            .prepare_cached("UPDATE page SET gone = NULL, last_seen = CASE WHEN ?2 > last_seen THEN ?2 ELSE last_seen END WHERE url_id = ?1")?
            .run(params![visit.claim.id.short(), visit.at.0])?;
        self.db
            .prepare_cached("UPDATE media_address SET gone = NULL WHERE url_id = ?1 AND gone IS NOT NULL")?
            .run([visit.claim.id.short()])?;
        Ok(())
    }
}

fn is_list(visit: &Visited) -> bool {
    matches!(visit.claim.link.kind, VisitKind::Report | VisitKind::Sitemap)
}

/// Whether nothing is at the address any more: its host says so, or that it moved for good.
fn is_gone(visit: &Visited) -> bool {
    match &visit.outcome {
        Outcome::Failed { .. } => matches!(visit.status, Some(404 | 410)),
        Outcome::Redirect(_) => matches!(visit.status, Some(301 | 308)),
        _ => false,
    }
}

/// What is too long to be kept whole is of no use.
fn sent_back(etag: &Option<String>) -> Option<&str> {
    etag.as_deref().filter(|etag| etag.len() <= LONGEST_ETAG)
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// What earlier visits of addresses left.
pub(in super::super) fn earlier(
    db: &Connection,
    crawl: CrawlId,
    addresses: &[UrlId],
) -> sql::Result<Vec<Option<Earlier>>> {
    let one = |address: &UrlId| Ok(newest(db, crawl.0, *address)?.map(|before| before.earlier));
    addresses.iter().map(one).collect()
}

/// Addresses that can be visited again, in order.
pub(in super::super) fn known_addresses(
    db: &Connection,
    crawl: CrawlId,
    which: Which,
    after: i64,
    most: usize,
) -> sql::Result<Vec<KnownAddress>> {
    let kinds = match which {
        Which::Content => "kind NOT IN ('report', 'sitemap')",
        Which::Reports => "kind IN ('report', 'sitemap')",
    };
    let mut select = db.prepare_cached(&format!(
        "SELECT {STATE}, url, kind, depth, branch,
                (SELECT url FROM visit AS page WHERE page.crawl = visit.crawl AND page.url_id = visit.parent LIMIT 1)
         FROM visit INDEXED BY visit_again
         WHERE crawl = ?1 AND again = 1 AND id > ?2 AND url <> '' AND {kinds} ORDER BY id LIMIT ?3"
    ))?;
    let mut rows = select.query(params![crawl.0, after, most as i64])?;
    let mut known = Vec::new();
    while let Some(row) = rows.next()? {
        let Before { row: number, earlier, .. } = read(&row)?;
        let (url, kind, referer): (String, String, Option<String>) = (row.get(12)?, row.get(13)?, row.get(16)?);
        let referer = referer.and_then(|page| Url::parse(&page).ok());
        let (Ok(url), Some(kind)) = (Url::parse(&url), kind_of(&kind)) else { continue };
        let branch: Option<u32> = row.get(15)?;
        let link = Link {
            url,
            kind,
            order: facts::Order::FirstIn,
            depth: row.get(14)?,
            branch: facts::Branch { links: branch.unwrap_or(0), from_relevant: branch.is_some() },
            parent: referer.as_ref().map(Url::id),
            referer,
            context: LinkContext::default(),
            hops: Vec::new(),
            reopen: true,
        };
        known.push(KnownAddress { number, link, earlier });
    }
    Ok(known)
}

fn kind_of(name: &str) -> Option<VisitKind> {
    match name {
        "page" => Some(VisitKind::Page),
        "report" => Some(VisitKind::Report),
        "sitemap" => Some(VisitKind::Sitemap),
        kind => MediaKind::parse(kind).map(VisitKind::Media),
    }
}

/// Changes that were seen, newest first.
pub(in super::super) fn changes(db: &Connection, crawl: CrawlId, most: usize) -> sql::Result<Vec<ChangeSeen>> {
    db.prepare_cached(
        "SELECT at, url, kind, change FROM visit INDEXED BY visit_changed
         WHERE crawl = ?1 AND change IS NOT NULL AND url <> '' ORDER BY id DESC LIMIT ?2",
    )?
    .query_map(params![crawl.0, most as i64], |row| {
        Ok(ChangeSeen { at: Timestamp(row.get(0)?), url: row.get(1)?, kind: row.get(2)?, change: row.get(3)? })
    })?
    .collect()
}
