//! Ways through the items that match.
//!
//! A list is read along whichever index is closest to the question, so that a page of it costs
//! what the page holds and not what the library holds.

use std::ops::ControlFlow;

use facts::{LatLon, MediaKind, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use crate::{Area, ItemFilter};

/// Points in boxes up to which they are sorted; with more of them, walking in order meets enough.
const FEW: i64 = 20_000;

/// The index a list is read along.
enum Along {
    Arrival,
    Kind(MediaKind),
    Host(i64),
    Located,
    Box,
}

/// The numbers of the next items, in order of arrival.
pub(super) fn numbers(db: &Connection, filter: &ItemFilter, after: i64, most: usize) -> rusqlite::Result<Vec<i64>> {
    let ways = ways(db, filter, after, Order::Arrival)?;
    let several = ways.len() > 1;
    let mut found = Vec::new();
    for way in ways {
        let enough = found.len() + most;
        if most > 0 {
            let _ = way.walk(db, &mut |number, _| {
                found.push(number);
                if found.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
        }
    }
    if several {
        found.sort_unstable();
        found.truncate(most);
    }
    Ok(found)
}

/// Gives each item that matches, in any order, with its place when an area is asked for.
pub(super) fn each_match(
    db: &Connection,
    filter: &ItemFilter,
    each: &mut dyn FnMut(i64, Option<LatLon>) -> ControlFlow<()>,
) -> rusqlite::Result<()> {
    for way in ways(db, filter, 0, Order::Any)? {
        if way.walk(db, each)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// In which order items are wanted.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Arrival,
    Any,
}

/// The ways that together meet each item that matches once.
fn ways<'f>(db: &Connection, filter: &'f ItemFilter, after: i64, order: Order) -> rusqlite::Result<Vec<Walk<'f>>> {
    if filter.area.as_ref().is_some_and(|area| area.boxes.is_empty()) {
        return Ok(Vec::new());
    }
    let mut kinds = filter.kinds.clone();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.len() == 3 {
        kinds.clear();
    }
    let Some(after) = skip_older(db, filter.since, after)? else { return Ok(Vec::new()) };
    let way = |along, kinds: Vec<MediaKind>| Walk { filter, kinds, after, along, order };

    if let Some(host) = &filter.host {
        let host = db
            .prepare_cached("SELECT id FROM host WHERE name = ?1")?
            .query_row([host.to_ascii_lowercase()], |row| row.get(0))
            .optional()?;
        return Ok(host.into_iter().map(|host| way(Along::Host(host), kinds.clone())).collect());
    }
    let located = filter.located || filter.area.is_some();
    // Films and sounds are few; the located among the images are too, mostly.
    if !kinds.is_empty() && (!located || !kinds.contains(&MediaKind::Image)) {
        return Ok(kinds.into_iter().map(|kind| way(Along::Kind(kind), Vec::new())).collect());
    }
    let along = match &filter.area {
        Some(area) if order == Order::Any || few(db, area)? => Along::Box,
        Some(_) => Along::Located,
        None if located => Along::Located,
        None => Along::Arrival,
    };
    Ok(vec![way(along, kinds)])
}

/// Where to begin so that what is older than `since` is not walked over; nothing when all of it is.
fn skip_older(db: &Connection, since: Option<Timestamp>, after: i64) -> rusqlite::Result<Option<i64>> {
    let Some(since) = since else { return Ok(Some(after)) };
    let next: Option<i64> = db
        .prepare_cached("SELECT first_seen FROM media WHERE id > ?1 ORDER BY id LIMIT 1")?
        .query_row([after], |row| row.get(0))
        .optional()?;
    match next {
        None => Ok(None),
        Some(next) if next >= since.0 => Ok(Some(after)),
        Some(_) => {
            let first: Option<i64> = db
                .prepare_cached("SELECT min(id) FROM media INDEXED BY media_by_arrival WHERE first_seen >= ?1")?
                .query_row([since.0], |row| row.get(0))?;
            Ok(first.map(|first| after.max(first - 1)))
        }
    }
}

fn few(db: &Connection, area: &Area) -> rusqlite::Result<bool> {
    let (condition, values) = in_boxes(area);
    let count: i64 = db
        .prepare_cached(&format!(
            "SELECT count(*) FROM (SELECT 1 FROM location INDEXED BY location_by_place
                                   WHERE best = 1 AND {condition} LIMIT {FEW})"
        ))?
        .query_row(params_from_iter(values), |row| row.get(0))?;
    Ok(count < FEW)
}

/// The condition that a location is in the boxes of an area. One range of latitudes comes first,
/// for the index.
fn in_boxes(area: &Area) -> (String, Vec<Value>) {
    let south = area.boxes.iter().map(|corners| corners[0]).fold(f64::INFINITY, f64::min);
    let north = area.boxes.iter().map(|corners| corners[2]).fold(f64::NEG_INFINITY, f64::max);
    let one = "lat >= ? AND lon >= ? AND lat <= ? AND lon <= ?";
    let boxes = vec![one; area.boxes.len()].join(" OR ");
    let values = [south, north].into_iter().chain(area.boxes.iter().flatten().copied());
    (format!("lat BETWEEN ? AND ? AND ({boxes})"), values.map(Value::from).collect())
}

/// One way through the items.
struct Walk<'a> {
    filter: &'a ItemFilter,
    kinds: Vec<MediaKind>,
    after: i64,
    along: Along,
    order: Order,
}

impl Walk<'_> {
    fn walk(
        &self,
        db: &Connection,
        each: &mut dyn FnMut(i64, Option<LatLon>) -> ControlFlow<()>,
    ) -> rusqlite::Result<ControlFlow<()>> {
        let (sql, values) = self.question();
        let mut select = db.prepare_cached(&sql)?;
        let mut rows = select.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let point = match &self.filter.area {
                None => None,
                Some(area) => match LatLon::new(row.get(1)?, row.get(2)?).filter(|point| area.holds(*point)) {
                    None => continue,
                    point => point,
                },
            };
            if each(row.get(0)?, point).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Joins are `CROSS`: SQLite takes their tables in the order they are written.
    fn question(&self) -> (String, Vec<Value>) {
        let about_media = !self.kinds.is_empty() || self.filter.since.is_some();
        let (number, mut tables) = match self.along {
            Along::Arrival => ("media.id", vec!["media NOT INDEXED"]),
            Along::Kind(_) => ("media.id", vec!["media INDEXED BY media_by_kind"]),
            Along::Host(_) => ("media_host.media", vec!["media_host"]),
            Along::Located => ("location.media", vec!["location INDEXED BY location_in_order"]),
            Along::Box => ("location.media", vec!["location INDEXED BY location_by_place"]),
        };
        let mut conditions = vec![format!("{number} > ?")];
        let mut values = vec![Value::from(self.after)];
        if (self.filter.located || self.filter.area.is_some()) && !matches!(self.along, Along::Located | Along::Box) {
            tables.push("location");
            conditions.push(format!("location.media = {number}"));
        }
        if self.filter.located || self.filter.area.is_some() {
            conditions.push("location.best = 1".into());
        }
        if about_media && !matches!(self.along, Along::Arrival | Along::Kind(_)) {
            tables.push("media");
            conditions.push(format!("media.id = {number}"));
        }
        match self.along {
            Along::Kind(kind) => {
                conditions.push("media.kind = ?".into());
                values.push(kind.as_str().to_owned().into());
            }
            Along::Host(host) => {
                conditions.push("media_host.host = ?".into());
                values.push(host.into());
            }
            Along::Box => {
                if let Some(area) = &self.filter.area {
                    let (condition, bounds) = in_boxes(area);
                    conditions.push(condition);
                    values.extend(bounds);
                }
            }
            Along::Arrival | Along::Located => {}
        }
        if !self.kinds.is_empty() {
            conditions.push(format!("media.kind IN ({})", vec!["?"; self.kinds.len()].join(", ")));
            values.extend(self.kinds.iter().map(|kind| Value::from(kind.as_str().to_owned())));
        }
        if let Some(since) = self.filter.since {
            conditions.push("media.first_seen >= ?".into());
            values.push(since.0.into());
        }
        let point = if self.filter.area.is_some() { "lat, lon" } else { "0, 0" };
        let (tables, conditions) = (tables.join(" CROSS JOIN "), conditions.join(" AND "));
        let order = match self.order {
            Order::Arrival => format!(" ORDER BY {number}"),
            Order::Any => String::new(),
        };
        (format!("SELECT {number}, {point} FROM {tables} WHERE {conditions}{order}"), values)
    }
}
