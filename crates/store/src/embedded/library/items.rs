//! Items, in order of arrival.
//!
//! A list is read along whichever index is closest to the question, so that a page of it costs
//! what the page holds and not what the library holds.

use facts::{LatLon, MediaId, MediaKind, Timestamp};
use media::PlaceNames;
use rusqlite::types::{Type, Value};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};

use super::{locations, whereabouts};
use crate::near::Circle;
use crate::{ItemFilter, ItemLocation, MediaItem, Sighting};

/// Sightings given with an item.
const SIGHTINGS: i64 = 100;

/// Points in a box up to which it is sorted; with more of them, walking in order meets enough.
const FEW: i64 = 20_000;

pub(super) fn items(db: &Connection, filter: &ItemFilter, after: i64, most: usize) -> rusqlite::Result<Vec<MediaItem>> {
    // What is read belongs to one moment, while someone may be writing.
    let moment = db.unchecked_transaction()?;
    let numbers = numbers(&moment, filter, after, most)?;
    let items = numbers.into_iter().map(|number| read(&moment, "media.id = ?1", Value::from(number)));
    let items = items.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?;
    moment.commit()?;
    Ok(items)
}

pub(super) fn item(db: &Connection, id: MediaId) -> rusqlite::Result<Option<MediaItem>> {
    let moment = db.unchecked_transaction()?;
    let item = read(&moment, "media.sha256 = ?1", Value::from(id.as_bytes().to_vec()))?;
    moment.commit()?;
    Ok(item)
}

/// The index a list is read along.
enum Along {
    Arrival,
    Kind(MediaKind),
    Host(i64),
    Located,
    Box,
}

/// The numbers of the next items.
fn numbers(db: &Connection, filter: &ItemFilter, after: i64, most: usize) -> rusqlite::Result<Vec<i64>> {
    let circle = match filter.near {
        None => None,
        Some((centre, metres)) => match Circle::new(centre, metres) {
            None => return Ok(Vec::new()),
            circle => circle,
        },
    };
    let mut kinds = filter.kinds.clone();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.len() == 3 {
        kinds.clear();
    }
    let Some(after) = skip_older(db, filter.since, after)? else { return Ok(Vec::new()) };
    let walk = |along, kinds: &[MediaKind]| Walk { filter, circle, kinds, after, along }.numbers(db, most);

    if let Some(host) = &filter.host {
        let host = db
            .prepare_cached("SELECT id FROM host WHERE name = ?1")?
            .query_row([host.to_ascii_lowercase()], |row| row.get(0))
            .optional()?;
        return host.map_or(Ok(Vec::new()), |host| walk(Along::Host(host), &kinds));
    }
    let located = filter.located || circle.is_some();
    // Films and sounds are few; the located among the images are too, mostly.
    if !kinds.is_empty() && (!located || !kinds.contains(&MediaKind::Image)) {
        let mut found = Vec::new();
        for kind in &kinds {
            found.extend(walk(Along::Kind(*kind), &[])?);
        }
        found.sort_unstable();
        found.truncate(most);
        return Ok(found);
    }
    match circle {
        Some(circle) if few(db, &circle)? => walk(Along::Box, &kinds),
        Some(_) => walk(Along::Located, &kinds),
        None if located => walk(Along::Located, &kinds),
        None => walk(Along::Arrival, &kinds),
    }
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

fn few(db: &Connection, circle: &Circle) -> rusqlite::Result<bool> {
    let (condition, values) = in_box(circle);
    let count: i64 = db
        .prepare_cached(&format!(
            "SELECT count(*) FROM (SELECT 1 FROM location INDEXED BY location_by_place
                                   WHERE best = 1 AND {condition} LIMIT {FEW})"
        ))?
        .query_row(params_from_iter(values), |row| row.get(0))?;
    Ok(count < FEW)
}

/// The condition that a location is in the box of a circle.
fn in_box(circle: &Circle) -> (String, Vec<Value>) {
    let bounds = circle.bounds();
    let mut values = vec![Value::from(bounds.south), Value::from(bounds.north)];
    let mut longitudes = Vec::new();
    for (west, east) in bounds.longitudes.into_iter().flatten() {
        longitudes.push("lon BETWEEN ? AND ?");
        values.extend([Value::from(west), Value::from(east)]);
    }
    (format!("lat BETWEEN ? AND ? AND ({})", longitudes.join(" OR ")), values)
}

/// One way through the items.
struct Walk<'a> {
    filter: &'a ItemFilter,
    circle: Option<Circle>,
    kinds: &'a [MediaKind],
    after: i64,
    along: Along,
}

impl Walk<'_> {
    fn numbers(&self, db: &Connection, most: usize) -> rusqlite::Result<Vec<i64>> {
        let (sql, values) = self.question();
        let mut found = Vec::new();
        let mut select = db.prepare_cached(&sql)?;
        let mut rows = select.query(params_from_iter(values))?;
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            let near = match self.circle {
                None => true,
                Some(circle) => LatLon::new(row.get(1)?, row.get(2)?).is_some_and(|point| circle.contains(point)),
            };
            if near {
                found.push(row.get(0)?);
            }
        }
        Ok(found)
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
        if (self.filter.located || self.circle.is_some()) && !matches!(self.along, Along::Located | Along::Box) {
            tables.push("location");
            conditions.push(format!("location.media = {number}"));
        }
        if self.filter.located || self.circle.is_some() {
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
                if let Some(circle) = &self.circle {
                    let (condition, bounds) = in_box(circle);
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
        let point = if self.circle.is_some() { "lat, lon" } else { "0, 0" };
        let (tables, conditions) = (tables.join(" CROSS JOIN "), conditions.join(" AND "));
        (format!("SELECT {number}, {point} FROM {tables} WHERE {conditions} ORDER BY {number}"), values)
    }
}

fn read(db: &Connection, which: &str, value: Value) -> rusqlite::Result<Option<MediaItem>> {
    let item = db
        .prepare_cached(&format!(
            "SELECT media.id, sha256, kind, format, size, path, thumbnail, width, height, orientation, duration, taken,
                    make, model, title, description, keywords, licence, author, sublocation, city, state, country,
                    wrong_location, first_seen
             FROM media WHERE {which}"
        ))?
        .query_row([value], read_item)
        .optional()?;
    let Some(mut item) = item else { return Ok(None) };
    let mut known = known_locations(db, item.number)?.into_iter();
    (item.location, item.other_locations) = (known.next(), known.collect());
    item.found = sightings(db, item.number)?;
    Ok(Some(item))
}

fn read_item(row: &Row<'_>) -> rusqlite::Result<MediaItem> {
    let kind: String = row.get(2)?;
    let unknown = || rusqlite::Error::FromSqlConversionFailure(2, Type::Text, format!("no kind {kind}").into());
    let keywords: String = row.get(16)?;
    Ok(MediaItem {
        id: MediaId::from_sha256(row.get(1)?),
        number: row.get(0)?,
        kind: MediaKind::parse(&kind).ok_or_else(unknown)?,
        format: row.get(3)?,
        size: row.get::<_, i64>(4)? as u64,
        path: row.get(5)?,
        thumbnail: row.get(6)?,
        width: row.get(7)?,
        height: row.get(8)?,
        orientation: row.get(9)?,
        duration: row.get(10)?,
        taken: row.get(11)?,
        make: row.get(12)?,
        model: row.get(13)?,
        title: row.get(14)?,
        description: row.get(15)?,
        keywords: serde_json::from_str(&keywords).unwrap_or_default(),
        licence: row.get(17)?,
        author: row.get(18)?,
        place_names: PlaceNames {
            sublocation: row.get(19)?,
            city: row.get(20)?,
            state: row.get(21)?,
            country: row.get(22)?,
        },
        location: None,
        other_locations: Vec::new(),
        wrong_location: row.get(23)?,
        first_seen: Timestamp(row.get(24)?),
        found: Vec::new(),
    })
}

/// Where an item was made by each source that knows, the best first.
fn known_locations(db: &Connection, media: i64) -> rusqlite::Result<Vec<ItemLocation>> {
    let mut known = db
        .prepare_cached(
            "SELECT lat, lon, altitude, direction, date, source, precision, confidence, evidence, verified, address,
                    place, town, admin1, country
             FROM location WHERE media = ?1",
        )?
        .query_map([media], |row| {
            Ok(ItemLocation {
                at: whereabouts::read_point(row, 0)?,
                altitude: row.get(2)?,
                direction: row.get(3)?,
                date: row.get::<_, Option<i64>>(4)?.map(Timestamp),
                source: row.get(5)?,
                precision_m: row.get(6)?,
                confidence: row.get(7)?,
                evidence: row.get(8)?,
                verified: row.get(9)?,
                address: whereabouts::read_address(row, 10)?,
                locality: whereabouts::read_names(row, 11)?,
            })
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    known.sort_by_key(|location| locations::rank(&location.source, location.precision_m));
    Ok(known)
}

/// The oldest address first, of each the oldest page first.
fn sightings(db: &Connection, media: i64) -> rusqlite::Result<Vec<Sighting>> {
    db.prepare_cached(
        "SELECT address.url, page.url, nullif(page.title, ''),
                coalesce(reference.description, imported.description, ''), reference.licence, reference.author
         FROM media_address AS address
         LEFT JOIN reference ON reference.media_address = address.id
         LEFT JOIN page ON page.id = reference.page
         LEFT JOIN imported ON imported.media_address = address.id
         WHERE address.media = ?1 ORDER BY address.id, reference.page LIMIT ?2",
    )?
    .query_map(params![media, SIGHTINGS], |row| {
        Ok(Sighting {
            image: row.get(0)?,
            page: row.get(1)?,
            page_title: row.get(2)?,
            description: row.get(3)?,
            licence: row.get(4)?,
            author: row.get(5)?,
        })
    })?
    .collect()
}
