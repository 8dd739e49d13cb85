//! Items: lists of them, and what the tables hold of each.

use std::ops::ControlFlow;

use facts::{LatLon, MediaId, MediaKind, Timestamp};
use media::PlaceNames;
use rusqlite::types::{Type, Value};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::nearest::nearest;
use super::orders::{self, Order};
use super::walks::{Sought, each_match, numbers};
use super::{locations, whereabouts};
use crate::matches::{COUNTED, RANKED, SKIPPED};
use crate::{Cursor, Edited, ItemFilter, ItemLocation, Listed, Match, Matches, MediaItem, Sighting, Words};

/// Sightings given with an item.
const SIGHTINGS: i64 = 100;

pub(super) fn items(db: &Connection, filter: &ItemFilter, after: i64, most: usize) -> rusqlite::Result<Vec<MediaItem>> {
    // What is read belongs to one moment, while someone may be writing.
    let moment = db.unchecked_transaction()?;
    let numbers = numbers(&moment, filter, after, most)?;
    let items = numbers.into_iter().map(|number| read(&moment, "media.id = ?1", Value::from(number)));
    let items = items.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?;
    moment.commit()?;
    Ok(items)
}

pub(super) fn list(
    db: &Connection,
    filter: &ItemFilter,
    order: Order,
    after: Option<&Cursor>,
    most: usize,
) -> rusqlite::Result<Listed<MediaItem>> {
    let moment = db.unchecked_transaction()?;
    // One more tells whether the list goes on.
    let mut found = orders::list(&moment, filter, order, after, most.saturating_add(1))?;
    let more = found.len() > most;
    found.truncate(most);
    let items = found.iter().map(|cursor| read(&moment, "media.id = ?1", Value::from(cursor.number)));
    let what = items.filter_map(Result::transpose).collect::<rusqlite::Result<_>>()?;
    moment.commit()?;
    Ok(Listed { what, next: found.pop().filter(|_| more) })
}

pub(super) fn item(db: &Connection, id: MediaId) -> rusqlite::Result<Option<MediaItem>> {
    let moment = db.unchecked_transaction()?;
    let item = read(&moment, "media.sha256 = ?1", Value::from(id.as_bytes().to_vec()))?;
    moment.commit()?;
    Ok(item)
}

/// The item with this number.
pub(super) fn numbered(db: &Connection, number: i64) -> rusqlite::Result<Option<MediaItem>> {
    read(db, "media.id = ?1", Value::from(number))
}

pub(super) fn search(
    db: &Connection,
    filter: &ItemFilter,
    nearest_to: Option<LatLon>,
    skip: usize,
    most: usize,
) -> rusqlite::Result<Matches<MediaItem>> {
    let moment = db.unchecked_transaction()?;
    let mut total = 0;
    each_match(&moment, filter, &mut |_, _| {
        total += 1;
        if total > COUNTED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let (skip, more) = (skip.min(SKIPPED), total > COUNTED);
    let enough = skip.saturating_add(most).min(total);
    let wanted = filter.words.as_ref().map(Words::wanted).unwrap_or_default();
    let found: Vec<(i64, Option<f64>, Option<f64>)> = match nearest_to {
        None if !wanted.is_empty() => {
            let best = best(&moment, filter, enough)?;
            best.into_iter().map(|(number, score)| (number, None, Some(score))).collect()
        }
        None => numbers(&moment, filter, 0, enough)?.into_iter().map(|number| (number, None, None)).collect(),
        Some(centre) => {
            let found = nearest(centre, filter.area.as_ref(), enough, |area, each| {
                let nearby = ItemFilter { area: Some(area.clone()), ..filter.clone() };
                each_match(&moment, &nearby, &mut |number, point| {
                    if let Some(point) = point {
                        each(number, point);
                    }
                    ControlFlow::Continue(())
                })
            })?;
            found.into_iter().map(|(number, metres)| (number, Some(metres), None)).collect()
        }
    };
    let mut matches = Vec::new();
    for (number, metres, score) in found.into_iter().skip(skip) {
        let item = read(&moment, "media.id = ?1", Value::from(number))?;
        matches.extend(item.map(|what| Match { what, metres, score, matched: wanted.clone() }));
    }
    moment.commit()?;
    Ok(Matches { total: total.min(COUNTED) as u64, more, found: matches })
}

/// Those whose words fit best, the best first.
fn best(db: &Connection, filter: &ItemFilter, most: usize) -> rusqlite::Result<Vec<(i64, f64)>> {
    let Some(sought) = Sought::new(db, filter)? else { return Ok(Vec::new()) };
    let mut ranked = Vec::new();
    sought.walk_words(db, &mut |number, score| {
        ranked.push((number, score));
        if ranked.len() >= RANKED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    // Equally good ones stay as they came: newest first.
    ranked.sort_by(|a: &(i64, f64), b| b.1.total_cmp(&a.1));
    ranked.truncate(most);
    Ok(ranked)
}

fn read(db: &Connection, which: &str, value: Value) -> rusqlite::Result<Option<MediaItem>> {
    let item = db
        .prepare_cached(&format!(
            "SELECT media.id, media.sha256, kind, format, size, path, thumbnail, width, height, orientation, duration, taken,
                    make, model, media.title, media.description, keywords, licence, author, sublocation, city, state,
                    country, wrong_location, first_seen,
                    (SELECT count(*) FROM media_address WHERE media = media.id), rejected,
                    person_text.sha256 IS NOT NULL, person_text.title, person_text.description, colour,
                    duplicate, copy_group.members, original.sha256
             FROM media LEFT JOIN person_text ON person_text.sha256 = media.sha256
             LEFT JOIN copy_member ON copy_member.media = media.id
             LEFT JOIN copy_group ON copy_group.id = copy_member.copy_group
             LEFT JOIN (SELECT id, sha256 FROM media) AS original ON original.id = copy_group.original
             WHERE {which}"
        ))?
        .query_row([value], read_item)
        .optional()?;
    let Some(mut item) = item else { return Ok(None) };
    item.other_locations = known_locations(db, item.number)?;
    // All sources are others where a person said that nobody knows.
    item.location = (!item.rejected && !item.other_locations.is_empty()).then(|| item.other_locations.remove(0));
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
        addresses: row.get::<_, i64>(25)? as u64,
        rejected: row.get(26)?,
        colour: row.get::<_, Option<u32>>(30)?.map(|colour| {
            let [_, red, green, blue] = colour.to_be_bytes();
            [red, green, blue]
        }),
        edited: match row.get(27)? {
            true => Some(Edited { title: row.get(28)?, description: row.get(29)? }),
            false => None,
        },
        duplicate_of: match row.get(31)? {
            true => row.get::<_, Option<[u8; 32]>>(33)?.map(MediaId::from_sha256),
            false => None,
        },
        copies: match row.get(31)? {
            true => 0,
            false => (row.get::<_, Option<i64>>(32)?.unwrap_or(1) - 1).max(0) as u64,
        },
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
