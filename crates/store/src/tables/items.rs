//! Items: lists of them, and what the tables hold of each.

use std::ops::ControlFlow;

use crate::sql::{self, Connection, Row};
use facts::{LatLon, MediaId, MediaKind, Timestamp};
use media::PlaceNames;

use super::expansion::Plan;
use super::nearest::nearest;
use super::orders::{self, Order};
use super::persons::number;
use super::ranking::ranked;
use super::slips::Lexicon;
use super::terms::Terms;
use super::vocabulary::Subject;
use super::walks::{Sought, each_match, numbers};
use super::{locations, rewording, whereabouts};
use crate::matches::{LITTLE, SKIPPED, counted};
use crate::{Area, Cursor, Edited, ItemFilter, ItemLocation, Listed, Match, Matches, MediaItem, Sighting};

/// Items that match up to which those that are counted are kept for the answer.
const COLLECTED: usize = 20_000;

/// Sightings given with an item.
const SIGHTINGS: i64 = 100;

pub(super) fn items(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    after: i64,
    most: usize,
) -> sql::Result<Vec<MediaItem>> {
    // What is read belongs to one moment, while someone may be writing.
    let moment = db.moment()?;
    let numbers = numbers(&moment, lexicon, filter, after, most)?;
    let items = read(&moment, &numbers)?;
    moment.commit()?;
    Ok(items.into_iter().flatten().collect())
}

pub(super) fn list(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    order: Order,
    after: Option<&Cursor>,
    most: usize,
) -> sql::Result<Listed<MediaItem>> {
    let moment = db.moment()?;
    // One more tells whether the list goes on.
    let mut found = orders::list(&moment, lexicon, filter, order, after, most.saturating_add(1))?;
    let more = found.len() > most;
    found.truncate(most);
    let numbers: Vec<i64> = found.iter().map(|cursor| cursor.number).collect();
    let what = read(&moment, &numbers)?.into_iter().flatten().collect();
    moment.commit()?;
    Ok(Listed { what, next: found.pop().filter(|_| more) })
}

pub(super) fn item(db: &Connection, id: MediaId) -> sql::Result<Option<MediaItem>> {
    let moment = db.moment()?;
    let item = match number(&moment, id)? {
        Some(number) => numbered(&moment, number)?,
        None => None,
    };
    moment.commit()?;
    Ok(item)
}

/// The item with this number.
pub(super) fn numbered(db: &Connection, number: i64) -> sql::Result<Option<MediaItem>> {
    Ok(read(db, &[number])?.pop().flatten())
}

pub(super) fn search(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    nearest_to: Option<LatLon>,
    skip: usize,
    most: usize,
) -> sql::Result<Matches<MediaItem>> {
    let moment = db.moment()?;
    let skip = skip.min(SKIPPED);
    // What is nowhere is not near.
    let located = filter.words.is_some() && nearest_to.is_some() && filter.area.is_none();
    let located = located.then(|| ItemFilter { area: Some(Area::everywhere()), ..filter.clone() });
    let filter = located.as_ref().unwrap_or(filter);
    let sought = Sought::new(&moment, lexicon, filter)?;
    let plan = sought.as_ref().and_then(|sought| sought.plan.as_ref());
    let worded = plan.filter(|plan| plan.expression.is_some());
    let (total, more, found) = match (&sought, worded) {
        (None, _) => (0, false, Vec::new()),
        (Some(sought), Some(plan)) => {
            by_words(&moment, lexicon, (sought, plan), filter, nearest_to, skip.saturating_add(most))?
        }
        (Some(_), None) => without_words(&moment, lexicon, filter, nearest_to, skip.saturating_add(most))?,
    };
    let found: Vec<Found> = found.into_iter().skip(skip).collect();
    let numbers: Vec<i64> = found.iter().map(|found| found.number).collect();
    let matched = match plan {
        Some(plan) => matched(&moment, plan, &numbers)?,
        None => vec![Vec::new(); numbers.len()],
    };
    let items = read(&moment, &numbers)?.into_iter().zip(matched).zip(found);
    let matches = items.filter_map(|((item, matched), Found { metres, score, .. })| {
        item.map(|what| Match { what, metres, score, matched })
    });
    let matches = matches.collect();
    let mut slips = plan.map(|plan| plan.slips.clone()).unwrap_or_default();
    if let Some(plan) = plan.filter(|_| total <= LITTLE) {
        slips.extend(plan.meant(&moment, lexicon)?);
    }
    let forms = plan.map(|plan| plan.forms.clone()).unwrap_or_default();
    let unworded = if filter.words.is_some() { rewording::left(&moment, Subject::Item)? } else { 0 };
    moment.commit()?;
    Ok(Matches { total: total as u64, more, found: matches, slips, forms, unworded })
}

/// One of what was found.
struct Found {
    number: i64,
    metres: Option<f64>,
    score: Option<f64>,
}

/// How many match, whether there are more, and the first of them.
type Counted = (usize, bool, Vec<Found>);

fn without_words(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    nearest_to: Option<LatLon>,
    enough: usize,
) -> sql::Result<Counted> {
    let (mut total, counted, mut met) = (0, counted(db.dialect()), Vec::new());
    each_match(db, lexicon, filter, &mut |number, point| {
        total += 1;
        if total <= COLLECTED {
            met.push((number, point));
        }
        if total > counted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    let more = total > counted;
    let enough = if more { enough } else { enough.min(total) };
    let all_met = total <= met.len() && !more;
    let found = match nearest_to {
        // All that match were met already.
        Some(centre) if all_met && filter.area.is_some() => {
            let far = |point: Option<LatLon>| point.map_or(f64::INFINITY, |point| centre.metres_to(point));
            let mut met: Vec<(i64, f64)> = met.into_iter().map(|(number, point)| (number, far(point))).collect();
            met.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            met.truncate(enough);
            met.into_iter().map(|(number, metres)| Found { number, metres: Some(metres), score: None }).collect()
        }
        Some(centre) => around(db, lexicon, filter, centre, enough)?,
        None => {
            let numbers = if all_met {
                let mut numbers: Vec<i64> = met.into_iter().map(|(number, _)| number).collect();
                numbers.sort_unstable();
                numbers.truncate(enough);
                numbers
            } else {
                numbers(db, lexicon, filter, 0, enough)?
            };
            numbers.into_iter().map(|number| Found { number, metres: None, score: None }).collect()
        }
    };
    Ok((total.min(counted), more, found))
}

/// The nearest that match.
fn around(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    centre: LatLon,
    enough: usize,
) -> sql::Result<Vec<Found>> {
    let found = nearest(centre, filter.area.as_ref(), enough, |area, each| {
        let nearby = ItemFilter { area: Some(area.clone()), ..filter.clone() };
        each_match(db, lexicon, &nearby, &mut |number, point| {
            if let Some(point) = point {
                each(number, point);
            }
            ControlFlow::Continue(())
        })
    })?;
    Ok(found.into_iter().map(|(number, metres)| Found { number, metres: Some(metres), score: None }).collect())
}

/// The best that have the words, or the nearest of them.
fn by_words(
    db: &Connection,
    lexicon: &Lexicon,
    (sought, plan): (&Sought<'_>, &Plan),
    filter: &ItemFilter,
    nearest_to: Option<LatLon>,
    enough: usize,
) -> sql::Result<Counted> {
    let (ranked, more) = ranked(db, sought, plan)?;
    let total = ranked.len();
    let Some(centre) = nearest_to else {
        let best = ranked.into_iter().take(enough);
        let found = best.map(|one| Found { number: one.number, metres: None, score: Some(one.score) });
        return Ok((total, more, found.collect()));
    };
    if more {
        return Ok((total, more, around(db, lexicon, filter, centre, enough)?));
    }
    let mut found: Vec<Found> = ranked
        .into_iter()
        .map(|one| {
            let metres = one.point.map(|point| centre.metres_to(point));
            Found { number: one.number, metres, score: Some(one.score) }
        })
        .collect();
    // Equally near ones in order of arrival.
    let far = |found: &Found| found.metres.unwrap_or(f64::INFINITY);
    found.sort_by(|a, b| far(a).total_cmp(&far(b)).then(a.number.cmp(&b.number)));
    found.truncate(enough);
    Ok((total, more, found))
}

/// The words that each of some items has, as they were typed.
fn matched(db: &Connection, plan: &Plan, numbers: &[i64]) -> sql::Result<Vec<Vec<String>>> {
    let all = db
        .prepare_cached("SELECT terms FROM item_terms WHERE media = ?1")?
        .query_each(numbers.iter().map(|number| [*number]), |row| row.get::<_, Vec<u8>>(0))?;
    let mut terms = Terms::default();
    let each = numbers.iter().zip(all).map(|(number, bytes)| {
        terms.read(bytes.first().map_or(&[], Vec::as_slice));
        plan.matched(db, *number, &terms)
    });
    each.collect()
}

/// The items with these numbers, as far as they are there.
fn read(db: &Connection, numbers: &[i64]) -> sql::Result<Vec<Option<MediaItem>>> {
    let each = || numbers.iter().map(|number| [*number]);
    let items = db
        .prepare_cached(
            "SELECT media.id, media.sha256, kind, format, size, path, thumbnail, width, height, orientation, duration, taken,
                    make, model, media.title, media.description, keywords, licence, author, sublocation, city, state,
                    country, wrong_location, first_seen,
                    (SELECT count(*) FROM media_address WHERE media = media.id), rejected,
                    person_text.sha256 IS NOT NULL, person_text.title, person_text.description, colour,
                    duplicate, copy_group.members, original.sha256,
                    (SELECT CASE WHEN count(*) = count(gone) THEN max(gone) END FROM media_address WHERE media = media.id)
             FROM media LEFT JOIN person_text ON person_text.sha256 = media.sha256
             LEFT JOIN copy_member ON copy_member.media = media.id
             LEFT JOIN copy_group ON copy_group.id = copy_member.copy_group
             LEFT JOIN (SELECT id, sha256 FROM media) AS original ON original.id = copy_group.original
             WHERE media.id = ?1",
        )?
        .query_each(each(), read_item)?;
    let locations = known_locations(db, each())?;
    let sightings = sightings(db, numbers)?;
    let whole = items.into_iter().zip(locations).zip(sightings).map(|((mut item, locations), found)| {
        let mut item = item.pop()?;
        item.other_locations = locations;
        // All sources are others where a person said that nobody knows.
        item.location = (!item.rejected && !item.other_locations.is_empty()).then(|| item.other_locations.remove(0));
        item.found = found;
        Some(item)
    });
    Ok(whole.collect())
}

fn read_item(row: &Row<'_>) -> sql::Result<MediaItem> {
    let kind: String = row.get(2)?;
    let unknown = || sql::Error::strange(2, format!("no kind {kind}"));
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
        gone: row.get::<_, Option<i64>>(34)?.map(Timestamp),
        found: Vec::new(),
    })
}

/// Where each item was made by each source that knows, the best first.
fn known_locations(db: &Connection, numbers: impl Iterator<Item = [i64; 1]>) -> sql::Result<Vec<Vec<ItemLocation>>> {
    let mut known = db
        .prepare_cached(
            "SELECT lat, lon, altitude, direction, date, source, precision, confidence, evidence, verified, address,
                    place, town, admin1, country
             FROM location WHERE media = ?1",
        )?
        .query_each(numbers, |row| {
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
        })?;
    for locations in &mut known {
        locations.sort_by_key(|location| locations::rank(&location.source, location.precision_m));
    }
    Ok(known)
}

/// Where each item was found: the oldest address first, of each the oldest page first.
fn sightings(db: &Connection, numbers: &[i64]) -> sql::Result<Vec<Vec<Sighting>>> {
    db.prepare_cached(
        "SELECT address.url, page.url, nullif(page.title, ''),
                coalesce(reference.description, imported.description, ''), reference.licence, reference.author,
                coalesce(page.telling, ''), coalesce(address.gone, reference.gone, page.gone)
         FROM media_address AS address
         LEFT JOIN reference ON reference.media_address = address.id
         LEFT JOIN page ON page.id = reference.page
         LEFT JOIN imported ON imported.media_address = address.id
         WHERE address.media = ?1 ORDER BY address.id, reference.page LIMIT ?2",
    )?
    .query_each(numbers.iter().map(|number| [*number, SIGHTINGS]), |row| {
        Ok(Sighting {
            image: row.get(0)?,
            page: row.get(1)?,
            page_title: row.get(2)?,
            description: row.get(3)?,
            licence: row.get(4)?,
            author: row.get(5)?,
            page_keywords: words(&row.get::<_, String>(6)?),
            gone: row.get::<_, Option<i64>>(7)?.map(Timestamp),
        })
    })
}

/// Words that are kept with commas between.
fn words(text: &str) -> Vec<String> {
    text.split(", ").filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
