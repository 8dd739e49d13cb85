//! Figures, read from the tallies that are summed in the transactions they count.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::sql::{self, Connection, params};
use facts::{MediaKind, Timestamp};

use super::cells::{LEVELS, Sort};
use super::{counted, harvest, runs};
use crate::{CrawlId, CrawlSummary, Figures, HostFigures, ImageLibraryFigures, LibraryFigures, Mishap, RunId, Units};

/// Runs listed with the figures of a library.
const RUNS: usize = 1_000;

pub(super) fn of_crawl(db: &Connection, crawl: CrawlId, run: Option<RunId>) -> sql::Result<Figures> {
    let mut figures = Figures::default();
    let mut select = db.prepare_cached(
        "SELECT name, sum(count) FROM tally WHERE crawl = ?1 AND (run = ?2 OR ?2 IS NULL) GROUP BY name",
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
        "fetched" => figures.fetched += count,
        "links" => figures.links += count,
        "dynamic" => figures.dynamic += count,
        "rendered" => figures.rendered += count,
        "states" => figures.states += count,
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
        "revisit" => {
            let (kind, what) = rest.split_once('/').unwrap_or((rest, ""));
            *figures.revisits.entry(kind.into()).or_default().entry(what.into()).or_default() += count;
        }
        "error" => *figures.errors.entry(rest.into()).or_default() += count,
        _ => {}
    }
}

pub(super) fn summaries(db: &Connection) -> sql::Result<Vec<CrawlSummary>> {
    runs::crawls(db)?
        .into_iter()
        .map(|(crawl, frontier)| {
            let (figures, runs) = (of_crawl(db, crawl.id, None)?, runs::runs(db, crawl.id)?);
            Ok(CrawlSummary { crawl, figures, frontier, runs })
        })
        .collect()
}

pub(super) fn mishaps(db: &Connection, crawl: CrawlId, most: usize) -> sql::Result<Vec<Mishap>> {
    db.prepare_cached(
        "SELECT at, url, reason, detail FROM
             (SELECT * FROM (SELECT id, at, url, reason, detail FROM visit WHERE crawl = ?1 AND outcome = 'failed'
                             ORDER BY id DESC LIMIT ?2) AS failed
              UNION ALL
              SELECT * FROM (SELECT id, at, url, reason, detail FROM visit WHERE crawl = ?1 AND reason = 'cut'
                             ORDER BY id DESC LIMIT ?2) AS cut) AS told
         ORDER BY id DESC LIMIT ?2",
    )?
    .query_map(params![crawl.0, most as i64], |row| {
        Ok(Mishap { at: Timestamp(row.get(0)?), url: row.get(1)?, reason: row.get(2)?, detail: row.get(3)? })
    })?
    .collect()
}

pub(super) fn of_library(db: &Connection, hosts: usize) -> sql::Result<LibraryFigures> {
    let mut figures = LibraryFigures { runs: runs::all_runs(db, RUNS)?, ..LibraryFigures::default() };
    for (crawl, frontier) in runs::crawls(db)? {
        figures.discovered += frontier.known_pages + frontier.known_media;
        figures.units = figures.units.and(Units::of(&of_crawl(db, crawl.id, None)?, &frontier));
    }
    let total = |name: &str| -> sql::Result<u64> {
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
    // Each page with places is shown in one cell of the coarsest level.
    figures.pages_with_places = db
        .prepare_cached("SELECT coalesce(sum(count), 0) FROM cell WHERE level = ?1 AND sort IN (?2, ?3)")?
        .query_row(params![LEVELS[0], Sort::Page(false).code(), Sort::Page(true).code()], |row| row.get::<_, i64>(0))?
        as u64;
    figures.harvest = harvest::read(db, None)?;
    figures.hosts = db
        .prepare_cached(
            "SELECT name, pages, images, geotagged FROM host WHERE pages > 0 OR images > 0
             ORDER BY pages DESC, images DESC, name LIMIT ?1",
        )?
        .query_map([hosts as i64], |row| {
            let count = |column: usize| row.get::<_, i64>(column).map(|count| count as u64);
            Ok(HostFigures { host: row.get(0)?, pages: count(1)?, images: count(2)?, geotagged: count(3)? })
        })?
        .collect::<sql::Result<_>>()?;
    of_media(&mut figures, counted::all(db)?);
    figures.results = results(db)?;
    figures.disk.library = db.query_row(
        db.dialect().choose(
            "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
            "SELECT pg_database_size(current_database())",
        ),
        [],
        |row| row.get::<_, i64>(0),
    )? as u64;
    Ok(figures)
}

/// Sorts counted media into their figures.
fn of_media(figures: &mut LibraryFigures, counted: BTreeMap<String, u64>) {
    let count = |name: &str| counted.get(name).copied().unwrap_or(0);
    let (total, located) = (count("media/image"), count("geotagged"));
    let mean = |sum: &str, of: &str| (count(of) > 0).then(|| count(sum) as f64 / count(of) as f64);
    figures.images = ImageLibraryFigures {
        total,
        with_location_in_metadata: located,
        without: total.saturating_sub(located),
        located_by_text: count("worded"),
        wrong_coordinates: count("wrong"),
        average_width: mean("width", "widths"),
        average_height: mean("height", "heights"),
    };
    figures.disk.media = count("bytes");
    for (name, count) in counted {
        match name.split_once('/') {
            Some(("media", kind)) => drop(figures.media.insert(kind.into(), count)),
            Some(("country", country)) => figures.by_country.push((country.into(), count)),
            Some(("month", month)) => figures.by_month.push((month.into(), count)),
            Some(("tld", tld)) => figures.tlds.push((tld.into(), count)),
            _ => {}
        }
    }
    // Stable: those of one size stay in the order of their names.
    figures.by_country.sort_by_key(|(_, count)| Reverse(*count));
    figures.tlds.sort_by_key(|(_, count)| Reverse(*count));
}

/// What became of the images that crawls saw.
fn results(db: &Connection) -> sql::Result<BTreeMap<String, u64>> {
    let mut results = BTreeMap::new();
    let mut select = db.prepare_cached(
        "SELECT name, sum(count) FROM tally WHERE name = 'kept/image' OR name LIKE 'refused/image/%' GROUP BY name",
    )?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let (name, count): (String, i64) = (row.get(0)?, row.get(1)?);
        let reason = name.strip_prefix("refused/image/").unwrap_or("kept");
        if count > 0 {
            results.insert(reason.to_owned(), count as u64);
        }
    }
    Ok(results)
}
