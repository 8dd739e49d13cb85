//! The places that pages speak of.

use crate::sql::{self, Connection, ToSql, Transaction, params, params_from_iter};
use facts::Whereabouts;

use super::cells::{self, Point, Sort};
use super::text::{DETAIL, REASON, cut};
use super::whereabouts::{self, COLUMNS, Columns};
use crate::{PageFacts, PagePlace};

/// Places that are kept of one page.
const MOST: usize = 100;

/// The places of a page that are kept, and which of them it is about. The one it is about is always
/// among them.
pub(super) fn kept(facts: &PageFacts) -> (Vec<&PagePlace>, Option<usize>) {
    let mut places: Vec<&PagePlace> = facts.places.iter().take(MOST).collect();
    let focus = facts.focus.filter(|focus| *focus < facts.places.len());
    match focus.and_then(|focus| facts.places.get(focus)) {
        Some(place) if focus >= Some(MOST) => {
            places.pop();
            places.push(place);
            (places, Some(MOST - 1))
        }
        _ => (places, focus),
    }
}

/// Writes the places of a page that has none yet.
pub(super) fn write(db: &Transaction<'_>, page: i64, places: &[&PagePlace]) -> sql::Result<()> {
    for (number, place) in places.iter().enumerate() {
        let (number, columns) = (number as i64, Columns::of(&place.whereabouts));
        let (kind, why) = (cut(&place.kind, REASON), cut(&place.why, DETAIL));
        let first: [&dyn ToSql; 7] = [&page, &number, &kind, &place.id, &place.mentions, &place.relevant, &why];
        db.prepare_cached(&format!(
            "INSERT INTO page_place (page, number, kind, place_id, mentions, relevant, why, {COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)"
        ))?
        .run(params_from_iter(first.into_iter().chain(columns.values())))?;
    }
    Ok(())
}

/// The point a page is shown at: the place it is about, else the surest.
pub(super) fn shown(places: &[&PagePlace], focus: Option<usize>) -> Option<Point> {
    let surest = || {
        let sure = |place: &&&PagePlace| {
            let Whereabouts { confidence, precision_m, .. } = place.whereabouts;
            (confidence, -precision_m)
        };
        places.iter().reduce(|best, next| if sure(&next) > sure(&best) { next } else { best })
    };
    focus.and_then(|focus| places.get(focus)).or_else(surest).map(|place| Point::of(place.whereabouts.at))
}

/// A page is counted at this point from now on, or at none.
pub(super) fn show(db: &Transaction<'_>, page: i64, point: Option<Point>) -> sql::Result<()> {
    let (relevant, before) = db
        .prepare_cached("SELECT relevant, shown_lat, shown_lon FROM page WHERE id = ?1")?
        .query_row([page], |row| {
            let lat: Option<i64> = row.get(1)?;
            let lon: Option<i64> = row.get(2)?;
            Ok((row.get(0)?, lat.zip(lon).map(|(lat, lon)| Point { lat, lon })))
        })?;
    if before == point {
        return Ok(());
    }
    db.prepare_cached("UPDATE page SET shown_lat = ?2, shown_lon = ?3 WHERE id = ?1")?.execute(params![
        page,
        point.map(|point| point.lat),
        point.map(|point| point.lon)
    ])?;
    before.map_or(Ok(()), |before| cells::take(db, Sort::Page(relevant), page, before))?;
    point.map_or(Ok(()), |point| cells::add(db, Sort::Page(relevant), page, point))
}

/// The page is read again.
pub(super) fn take_back(db: &Transaction<'_>, page: i64) -> sql::Result<()> {
    db.prepare_cached("DELETE FROM page_place WHERE page = ?1")?.run([page])
}

/// The places that each of some pages speaks of.
pub(super) fn read(db: &Connection, pages: &[i64]) -> sql::Result<Vec<Vec<PagePlace>>> {
    db.prepare_cached(&format!(
        "SELECT kind, place_id, mentions, relevant, why, {COLUMNS} FROM page_place WHERE page = ?1 ORDER BY number"
    ))?
    .query_each(pages.iter().map(|page| [*page]), |row| {
        Ok(PagePlace {
            kind: row.get(0)?,
            id: row.get(1)?,
            mentions: row.get(2)?,
            relevant: row.get(3)?,
            why: row.get(4)?,
            whereabouts: whereabouts::read(row, 5)?,
        })
    })
}
