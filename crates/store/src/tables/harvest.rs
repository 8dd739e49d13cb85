//! How well crawls find what they are sent for, from tallies that are summed as pages are read.

use crate::sql::{self, Connection, params};

use super::signed;
use crate::{CrawlId, Harvest};

/// Lengths that are counted apart; the last of them counts all that are longer too.
const LENGTHS: u32 = 64;

/// Names of the tallies are these with a length: `tail/3`.
pub(super) const BRIDGE: &str = "bridge";
pub(super) const TAIL: &str = "tail";
pub(super) const SEED_DISTANCE: &str = "seed-distance";

/// The tally of a length.
pub(super) fn tally(list: &str, length: u32) -> String {
    format!("{list}/{}", length.min(LENGTHS - 1))
}

/// Pages after the last relevant one where a branch ends with this page, `branch` links after it;
/// none when there was no relevant page.
pub(super) fn tail(relevant: bool, branch: Option<u32>) -> Option<u32> {
    if relevant { Some(0) } else { branch }
}

/// Of one crawl, or of all.
pub(super) fn read(db: &Connection, crawl: Option<CrawlId>) -> sql::Result<Harvest> {
    let mut harvest = Harvest::default();
    let mut select =
        db.prepare_cached("SELECT name, sum(count) FROM tally WHERE crawl = ?1 OR ?1 IS NULL GROUP BY name")?;
    let mut rows = select.query(params![crawl.map(|crawl| crawl.0)])?;
    while let Some(row) = rows.next()? {
        let (name, count): (String, i64) = (row.get(0)?, row.get(1)?);
        let (list, length) = name.split_once('/').unwrap_or((&name, ""));
        let list = match list {
            "pages" => {
                harvest.pages = count.max(0) as u64;
                continue;
            }
            "relevant" => {
                harvest.relevant = count.max(0) as u64;
                continue;
            }
            BRIDGE => &mut harvest.bridge,
            TAIL => &mut harvest.tail,
            SEED_DISTANCE => &mut harvest.seed_distance,
            _ => continue,
        };
        let length = length.parse().unwrap_or(LENGTHS).min(LENGTHS - 1) as usize;
        if count > 0 {
            list.resize(list.len().max(length + 1), 0);
            list[length] += count as u64;
        }
    }
    Ok(harvest)
}

/// Pages read and relevant ones among them, after each of at most `points` equal parts of a crawl.
pub(super) fn curve(db: &Connection, crawl: CrawlId, points: usize) -> sql::Result<Vec<(u64, u64)>> {
    const PAGES: &str = "FROM visit INDEXED BY visit_of_page WHERE crawl = ?1 AND relevant IS NOT NULL";
    // Pages that are read meanwhile are those of the next time.
    let total: i64 = db.prepare_cached(&format!("SELECT count(*) {PAGES}"))?.query_row([crawl.0], |row| row.get(0))?;
    let (total, points) = (total as u64, (points as u64).min(total as u64));
    // In two steps, for the product of two large numbers.
    let end_of = |point: u64| total / points * point + total % points * point / points;
    let mut select = db.prepare_cached(&format!("SELECT relevant {PAGES} ORDER BY id LIMIT ?2"))?;
    let mut rows = select.query(params![crawl.0, signed(total)])?;
    let (mut pages, mut relevant, mut curve) = (0, 0, Vec::new());
    while curve.len() < points as usize
        && let Some(row) = rows.next()?
    {
        pages += 1;
        relevant += u64::from(row.get::<_, Option<bool>>(0)?.unwrap_or_default());
        if pages == end_of(curve.len() as u64 + 1) {
            curve.push((pages, relevant));
        }
    }
    Ok(curve)
}
