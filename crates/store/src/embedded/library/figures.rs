//! Figures, read from the tallies that are summed in the transactions they count.

use std::collections::BTreeMap;

use facts::{HostName, MediaKind, Timestamp};
use rusqlite::{Connection, params};

use super::{harvest, runs};
use crate::import::IMPORTED;
use crate::{CrawlId, CrawlSummary, Figures, HostFigures, ImageLibraryFigures, LibraryFigures, Mishap, RunId};

/// Runs listed with the figures of a library.
const RUNS: usize = 1_000;

pub(super) fn of_crawl(db: &Connection, crawl: CrawlId, run: Option<RunId>) -> rusqlite::Result<Figures> {
    let mut figures = Figures::default();
    let mut select = db.prepare_cached(
        "SELECT name, sum(count) FROM tally WHERE crawl = ?1 AND (?2 IS NULL OR run = ?2) GROUP BY name",
    )?;
    let mut rows = select.query(params![crawl.0, run.map(|run| run.0)])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let count: i64 = row.get(1)?;
        if count > 0 {
            add(&mut figures, &name, count as u64);
        }
    }
    Ok(figures)
}

/// Names of tallies are paths: `pages`, `kept/image`, `refused/image/too-large`, `error/http-404`.
fn add(figures: &mut Figures, name: &str, count: u64) {
    let (head, rest) = name.split_once('/').unwrap_or((name, ""));
    match head {
        "pages" => figures.pages += count,
        "visits" => figures.visits += count,
        "bytes" => figures.bytes += count,
        "duplicates" => figures.duplicates += count,
        "seen" => figures.media.entry(rest.into()).or_default().seen += count,
        "kept" => figures.media.entry(rest.into()).or_default().kept += count,
        "refused" => {
            let (kind, reason) = rest.split_once('/').unwrap_or((rest, ""));
            *figures.media.entry(kind.into()).or_default().refused.entry(reason.into()).or_default() += count;
        }
        "saved" => figures.saved += count,
        "relevant" => figures.relevant += count,
        "located" => figures.located += count,
        "malformed" => figures.malformed += count,
        "geotagged" if rest == MediaKind::Image.as_str() => figures.geotagged += count,
        "wrong-location" => *figures.wrong_locations.entry(rest.into()).or_default() += count,
        "error" => *figures.errors.entry(rest.into()).or_default() += count,
        _ => {}
    }
}

pub(super) fn summaries(db: &Connection) -> rusqlite::Result<Vec<CrawlSummary>> {
    runs::crawls(db)?
        .into_iter()
        .map(|(crawl, frontier)| {
            let (figures, runs) = (of_crawl(db, crawl.id, None)?, runs::runs(db, crawl.id)?);
            Ok(CrawlSummary { crawl, figures, frontier, runs })
        })
        .collect()
}

pub(super) fn mishaps(db: &Connection, crawl: CrawlId, most: usize) -> rusqlite::Result<Vec<Mishap>> {
    db.prepare_cached(
        "SELECT at, url, reason, detail FROM visit WHERE crawl = ?1 AND outcome = 'failed' ORDER BY id DESC LIMIT ?2",
    )?
    .query_map(params![crawl.0, most as i64], |row| {
        Ok(Mishap { at: Timestamp(row.get(0)?), url: row.get(1)?, reason: row.get(2)?, detail: row.get(3)? })
    })?
    .collect()
}

pub(super) fn of_library(db: &Connection, hosts: usize) -> rusqlite::Result<LibraryFigures> {
    let mut figures = LibraryFigures { runs: runs::all_runs(db, RUNS)?, ..LibraryFigures::default() };
    for (_, frontier) in runs::crawls(db)? {
        figures.discovered += frontier.known_pages + frontier.known_media;
    }
    let total = |name: &str| -> rusqlite::Result<u64> {
        let sum: i64 = db
            .prepare_cached("SELECT coalesce(sum(count), 0) FROM tally WHERE name = ?1")?
            .query_row([name], |row| row.get(0))?;
        Ok(sum as u64)
    };
    figures.visited = total("visits")?;
    // The queue is written down less often than visits are; every visited address was discovered.
    figures.discovered = figures.discovered.max(figures.visited);
    figures.pages = db
        .prepare_cached("SELECT coalesce(sum(pages), 0) FROM host")?
        .query_row([], |row| row.get::<_, i64>(0))? as u64;
    figures.pages_with_places = db
        .prepare_cached("SELECT count(*) FROM page INDEXED BY page_with_places WHERE places > 0")?
        .query_row([], |row| row.get::<_, i64>(0))? as u64;
    figures.harvest = harvest::read(db, None)?;
    figures.media = db
        .prepare_cached("SELECT kind, count(*) FROM media GROUP BY kind")?
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?
        .collect::<rusqlite::Result<_>>()?;
    figures.hosts = db
        .prepare_cached(
            "SELECT name, pages, images, geotagged FROM host WHERE pages > 0 OR images > 0
             ORDER BY pages DESC, images DESC, name LIMIT ?1",
        )?
        .query_map([hosts as i64], |row| {
            let count = |column: usize| row.get::<_, i64>(column).map(|count| count as u64);
            Ok(HostFigures { host: row.get(0)?, pages: count(1)?, images: count(2)?, geotagged: count(3)? })
        })?
        .collect::<rusqlite::Result<_>>()?;
    figures.images = images(db)?;
    figures.tlds = tlds(db)?;
    Ok(figures)
}

fn images(db: &Connection) -> rusqlite::Result<ImageLibraryFigures> {
    db.prepare_cached(
        "SELECT count(*), coalesce(sum(geotagged), 0), count(wrong_location), avg(width), avg(height),
                coalesce(sum(worded AND NOT geotagged), 0)
         FROM media INDEXED BY media_in_figures WHERE kind = 'image'",
    )?
    .query_row([], |row| {
        let count = |column: usize| row.get::<_, i64>(column).map(|count| count as u64);
        let (total, located) = (count(0)?, count(1)?);
        Ok(ImageLibraryFigures {
            total,
            with_location_in_metadata: located,
            without: total.saturating_sub(located),
            located_by_text: count(5)?,
            wrong_coordinates: count(2)?,
            average_width: row.get(3)?,
            average_height: row.get(4)?,
        })
    })
}

/// Images with a location in their metadata by the last label of the host they came from.
fn tlds(db: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut select = db.prepare_cached(
        "SELECT (SELECT name FROM host WHERE id = media.host), count(*) FROM media INDEXED BY media_in_figures
         WHERE kind = 'image' AND geotagged = 1 GROUP BY host",
    )?;
    let mut rows = select.query([])?;
    let mut tlds: BTreeMap<String, u64> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let (name, count): (String, i64) = (row.get(0)?, row.get(1)?);
        let host = HostName::parse(&name).filter(|_| name != IMPORTED);
        if let Some(tld) = host.as_ref().and_then(HostName::tld) {
            *tlds.entry(tld.to_owned()).or_default() += count as u64;
        }
    }
    let mut tlds: Vec<_> = tlds.into_iter().collect();
    // Stable: those of one size stay in the order of their names.
    tlds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    Ok(tlds)
}
