//! Ways through the items that match.
//!
//! A list is read along whichever index is closest to the question, so that a page of it costs
//! what the page holds and not what the library holds.

use std::cell::OnceCell;
use std::ops::ControlFlow;

use facts::{LatLon, MediaKind, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::orders::{Part, Rows};
use super::wording::{ITEM_SCORE, Numbers};
use crate::{Area, ItemFilter, Words};

/// Points in boxes up to which they are sorted; with more of them, walking in order meets enough.
const FEW: usize = 20_000;

/// The index a list is read along.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Along {
    Arrival,
    Kind(MediaKind),
    Host,
    Crawl,
    Open,
    Verified,
    Located,
    Box,
    Words,
}

/// The numbers of the next items, in order of arrival.
pub(super) fn numbers(db: &Connection, filter: &ItemFilter, after: i64, most: usize) -> rusqlite::Result<Vec<i64>> {
    let Some(mut sought) = Sought::new(db, filter)? else { return Ok(Vec::new()) };
    sought.after = sought.after.max(after);
    let ways = sought.ways(db, FEW)?;
    let several = ways.len() > 1;
    let mut found = Vec::new();
    for along in ways {
        let enough = found.len() + most;
        if most > 0 {
            let _ = sought.walk(db, along, Rows::Rising, &mut |number, _| {
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
    let Some(sought) = Sought::new(db, filter)? else { return Ok(()) };
    for along in sought.ways(db, usize::MAX)? {
        if sought.walk(db, along, Rows::Any, each)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// What is asked for, in the words of the tables.
pub(super) struct Sought<'f> {
    filter: &'f ItemFilter,
    /// None for any.
    kinds: Vec<MediaKind>,
    host: Option<i64>,
    crawl: Option<i64>,
    /// Numbers larger than this, and not larger than the other.
    pub after: i64,
    pub until: i64,
    /// What has the words that are asked for, where the walk is not along them.
    worded: OnceCell<Numbers>,
}

impl<'f> Sought<'f> {
    /// `None` when nothing can match.
    pub fn new(db: &Connection, filter: &'f ItemFilter) -> rusqlite::Result<Option<Self>> {
        if filter.area.as_ref().is_some_and(|area| area.boxes.is_empty()) {
            return Ok(None);
        }
        let mut kinds = filter.kinds.clone();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.len() == 3 {
            kinds.clear();
        }
        let named = |table: &str, name: &Option<String>| match name {
            None => Ok(Some(None)),
            Some(name) => db
                .prepare_cached(&format!("SELECT id FROM {table} WHERE name = ?1"))?
                .query_row([name], |row| row.get(0).map(Some))
                .optional(),
        };
        let host = filter.host.as_ref().map(|host| host.to_ascii_lowercase());
        let (Some(host), Some(crawl)) = (named("host", &host)?, named("crawl", &filter.crawl)?) else {
            return Ok(None);
        };
        let (Some(after), Some(until)) = (older(db, filter.since)?, newest(db, filter.until)?) else {
            return Ok(None);
        };
        Ok(Some(Self { filter, kinds, host, crawl, after, until, worded: OnceCell::new() }))
    }

    /// Whether a location is asked for.
    fn located(&self) -> bool {
        self.filter.located == Some(true) || self.filter.verified.is_some() || self.filter.area.is_some()
    }

    /// The ways that together meet each item that matches once. All but those along boxes are in
    /// order of arrival; boxes are taken when they hold few.
    pub fn ways(&self, db: &Connection, few: usize) -> rusqlite::Result<Vec<Along>> {
        let kinds = &self.kinds;
        let one = |along| Ok(vec![along]);
        if self.expression().is_some() {
            return one(Along::Words);
        }
        if self.host.is_some() {
            return one(Along::Host);
        }
        if few == usize::MAX && self.filter.area.is_some() && (kinds.is_empty() || kinds.contains(&MediaKind::Image)) {
            return one(Along::Box);
        }
        // Films and sounds are few; the located among the images are too, mostly.
        if !kinds.is_empty() && (!self.located() || !kinds.contains(&MediaKind::Image)) {
            return Ok(kinds.iter().map(|kind| Along::Kind(*kind)).collect());
        }
        if self.filter.area.is_some() && self.holds_few(db, Along::Box, few)? {
            return one(Along::Box);
        }
        one(match self.filter {
            ItemFilter { verified: Some(true), .. } => Along::Verified,
            ItemFilter { open_licence: true, .. } => Along::Open,
            _ if self.crawl.is_some() => Along::Crawl,
            _ if self.located() => Along::Located,
            _ => Along::Arrival,
        })
    }

    /// Ways with few items on them that together meet each that matches, if there are some.
    pub fn narrow_ways(&self, db: &Connection, few: usize) -> rusqlite::Result<Option<Vec<Along>>> {
        let filter = self.filter;
        let candidates = [
            (self.expression().is_some(), Along::Words),
            (self.host.is_some(), Along::Host),
            (filter.area.is_some(), Along::Box),
            (filter.verified == Some(true), Along::Verified),
            (filter.open_licence, Along::Open),
            (self.crawl.is_some(), Along::Crawl),
        ];
        for (_, along) in candidates.into_iter().filter(|(asked, _)| *asked) {
            if self.holds_few(db, along, few)? {
                return Ok(Some(vec![along]));
            }
        }
        let rare = !self.kinds.is_empty() && !self.kinds.contains(&MediaKind::Image);
        if rare {
            let ways: Vec<Along> = self.kinds.iter().map(|kind| Along::Kind(*kind)).collect();
            let mut all_few = true;
            for along in &ways {
                all_few &= self.holds_few(db, *along, few)?;
            }
            if all_few {
                return Ok(Some(ways));
            }
        }
        let bounded = filter.since.is_some() || filter.until.is_some();
        let few_numbers = bounded && self.until.saturating_sub(self.after) <= few as i64;
        Ok(few_numbers.then(|| vec![Along::Arrival]))
    }

    fn holds_few(&self, db: &Connection, along: Along, few: usize) -> rusqlite::Result<bool> {
        let (number, table) = along.table();
        let mut conditions = vec![format!("{number} > ? AND {number} <= ?")];
        let mut values = vec![Value::from(self.after), Value::from(self.until)];
        self.own_condition(along, &mut conditions, &mut values);
        let few = few.min(i64::MAX as usize) as i64;
        let count: i64 = db
            .prepare_cached(&format!(
                "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {} LIMIT {few})",
                conditions.join(" AND ")
            ))?
            .query_row(params_from_iter(values), |row| row.get(0))?;
        Ok(count < few)
    }

    /// The condition that an index is read by.
    fn own_condition(&self, along: Along, conditions: &mut Vec<String>, values: &mut Vec<Value>) {
        match along {
            Along::Kind(kind) => {
                conditions.push("media.kind = ?".into());
                values.push(kind.as_str().to_owned().into());
            }
            Along::Host => {
                conditions.push("media_host.host = ?".into());
                values.push(self.host.into());
            }
            Along::Crawl => {
                conditions.push("media_crawl.crawl = ?".into());
                values.push(self.crawl.into());
            }
            Along::Open => conditions.push("media.open = 1".into()),
            Along::Verified => conditions.push("media.located = 2".into()),
            Along::Located => conditions.push("location.best = 1".into()),
            Along::Box => {
                conditions.push("location.best = 1".into());
                if let Some(area) = &self.filter.area {
                    let (condition, bounds) = in_boxes(area);
                    conditions.push(condition);
                    values.extend(bounds);
                }
            }
            Along::Words => {
                conditions.push("item_words MATCH ?".into());
                values.push(self.expression().into());
            }
            Along::Arrival => {}
        }
    }

    /// The words that must be there.
    fn expression(&self) -> Option<String> {
        self.filter.words.as_ref().and_then(Words::expression)
    }

    /// What has the words that are asked for, unless the walk is along them.
    fn worded(&self, db: &Connection, along: Option<Along>) -> rusqlite::Result<Option<&Numbers>> {
        let Some(words) = self.filter.words.as_ref().filter(|_| along != Some(Along::Words)) else { return Ok(None) };
        if self.worded.get().is_none() {
            let _ = self.worded.set(Numbers::of(db, "item_words", words)?);
        }
        Ok(self.worded.get())
    }

    /// Walks along an index of numbers.
    pub fn walk(
        &self,
        db: &Connection,
        along: Along,
        rows: Rows,
        each: &mut dyn FnMut(i64, Option<LatLon>) -> ControlFlow<()>,
    ) -> rusqlite::Result<ControlFlow<()>> {
        let (number, table) = along.table();
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        self.own_condition(along, &mut conditions, &mut values);
        let from = From { number, table, along: Some(along), key: "NULL", conditions, values };
        let order = match rows {
            Rows::Any => String::new(),
            Rows::Rising => format!(" ORDER BY {number}"),
            Rows::Falling => format!(" ORDER BY {number} DESC"),
        };
        self.rows(db, from, &order, &mut |number, point, _| each(number, point))
    }

    /// Walks along the words, the newest first, and tells how well each fits; larger is better.
    pub fn walk_words(
        &self,
        db: &Connection,
        each: &mut dyn FnMut(i64, f64) -> ControlFlow<()>,
    ) -> rusqlite::Result<()> {
        let (number, table) = Along::Words.table();
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        self.own_condition(Along::Words, &mut conditions, &mut values);
        let from = From { number, table, along: Some(Along::Words), key: ITEM_SCORE, conditions, values };
        let order = format!(" ORDER BY {number} DESC");
        let _ = self.rows(db, from, &order, &mut |number, _, key| match key {
            Value::Real(score) => each(number, -score),
            _ => each(number, 0.0),
        })?;
        Ok(())
    }

    /// Walks along one part of an order.
    pub fn walk_part(
        &self,
        db: &Connection,
        part: Part,
        each: &mut dyn FnMut(i64, Option<Value>) -> ControlFlow<()>,
    ) -> rusqlite::Result<ControlFlow<()>> {
        let Part { table, key, condition, values, order } = part;
        let from = From { number: "media.id", table, along: None, key, conditions: vec![condition], values };
        self.rows(db, from, &order, &mut |number, _, key| each(number, Some(key).filter(|key| *key != Value::Null)))
    }

    fn rows(
        &self,
        db: &Connection,
        from: From,
        order: &str,
        each: &mut dyn FnMut(i64, Option<LatLon>, Value) -> ControlFlow<()>,
    ) -> rusqlite::Result<ControlFlow<()>> {
        let worded = self.worded(db, from.along)?;
        let (sql, values) = self.question(from, order);
        let mut select = db.prepare_cached(&sql)?;
        let mut rows = select.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            let number = row.get(0)?;
            if worded.is_some_and(|worded| !worded.hold(number)) {
                continue;
            }
            let point = match &self.filter.area {
                None => None,
                Some(area) => match LatLon::new(row.get(1)?, row.get(2)?).filter(|point| area.holds(*point)) {
                    None => continue,
                    point => point,
                },
            };
            if each(number, point, row.get(3)?).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Joins are `CROSS`: SQLite takes their tables in the order they are written.
    fn question(&self, from: From, order: &str) -> (String, Vec<Value>) {
        let From { number, table, along, key, mut conditions, mut values } = from;
        let filter = self.filter;
        let is = |other: Along| along == Some(other);
        let mut tables = vec![table];
        let has_media = table.starts_with("media ");
        let has_location = is(Along::Located) || is(Along::Box);
        let mut about_media = Vec::new();
        if !self.kinds.is_empty() && !matches!(along, Some(Along::Kind(_))) {
            about_media.push(format!("media.kind IN ({})", vec!["?"; self.kinds.len()].join(", ")));
        }
        let with_kinds = !about_media.is_empty();
        about_media.extend(filter.since.map(|_| "media.first_seen >= ?".into()));
        about_media.extend(filter.until.map(|_| "media.first_seen <= ?".into()));
        if !filter.copies {
            about_media.push("media.duplicate = 0".into());
        }
        if filter.open_licence && !is(Along::Open) {
            about_media.push("media.open = 1".into());
        }
        match (filter.verified, filter.located) {
            (Some(true), _) => about_media.push("media.located = 2".into()),
            (Some(false), _) => about_media.push("media.located = 1".into()),
            (None, Some(true)) if !has_location && filter.area.is_none() => {
                about_media.push("media.located > 0".into());
            }
            _ => {}
        }
        if filter.located == Some(false) {
            about_media.push("media.located = 0".into());
        }
        conditions.push(format!("{number} > ? AND {number} <= ?"));
        values.extend([self.after, self.until].map(Value::from));
        if !about_media.is_empty() {
            if !has_media {
                tables.push("media");
                conditions.push(format!("media.id = {number}"));
            }
            conditions.append(&mut about_media);
            if with_kinds {
                values.extend(self.kinds.iter().map(|kind| Value::from(kind.as_str().to_owned())));
            }
            values.extend([filter.since, filter.until].into_iter().flatten().map(|at| Value::from(at.0)));
        }
        if filter.area.is_some() && !has_location {
            tables.push("location");
            conditions.push(format!("location.media = {number} AND location.best = 1"));
        }
        for (asked, way, table, column) in
            [(self.host, Along::Host, "media_host", "host"), (self.crawl, Along::Crawl, "media_crawl", "crawl")]
        {
            if let Some(asked) = asked.filter(|_| !is(way)) {
                conditions.push(format!("EXISTS (SELECT 1 FROM {table} WHERE {column} = ? AND media = {number})"));
                values.push(asked.into());
            }
        }
        let point = if filter.area.is_some() { "lat, lon" } else { "0, 0" };
        let (tables, conditions) = (tables.join(" CROSS JOIN "), conditions.join(" AND "));
        (format!("SELECT {number}, {point}, {key} FROM {tables} WHERE {conditions}{order}"), values)
    }
}

/// Where a question begins.
struct From {
    number: &'static str,
    table: &'static str,
    along: Option<Along>,
    key: &'static str,
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Along {
    /// What a number is called there, and the table with its index.
    fn table(self) -> (&'static str, &'static str) {
        match self {
            Self::Arrival => ("media.id", "media NOT INDEXED"),
            Self::Kind(_) => ("media.id", "media INDEXED BY media_by_kind"),
            Self::Host => ("media_host.media", "media_host"),
            Self::Crawl => ("media_crawl.media", "media_crawl"),
            Self::Open => ("media.id", "media INDEXED BY media_open"),
            Self::Verified => ("media.id", "media INDEXED BY media_verified"),
            Self::Located => ("location.media", "location INDEXED BY location_in_order"),
            Self::Words => ("item_words.rowid", "item_words"),
            Self::Box => ("location.media", "location INDEXED BY location_by_place"),
        }
    }
}

/// The largest number below all of what came at or after `since`; nothing when nothing did.
fn older(db: &Connection, since: Option<Timestamp>) -> rusqlite::Result<Option<i64>> {
    let Some(since) = since else { return Ok(Some(0)) };
    if db
        .prepare_cached("SELECT min(first_seen) >= ?1 FROM media")?
        .query_row([since.0], |row| row.get::<_, Option<bool>>(0))?
        .unwrap_or(true)
    {
        return Ok(Some(0));
    }
    let first: Option<i64> = db
        .prepare_cached("SELECT min(id) FROM media INDEXED BY media_by_arrival WHERE first_seen >= ?1")?
        .query_row([since.0], |row| row.get(0))?;
    Ok(first.map(|first| first - 1))
}

/// The largest number of what came at or before `until`; nothing when nothing did.
fn newest(db: &Connection, until: Option<Timestamp>) -> rusqlite::Result<Option<i64>> {
    let Some(until) = until else { return Ok(Some(i64::MAX)) };
    if db
        .prepare_cached("SELECT max(first_seen) <= ?1 FROM media")?
        .query_row([until.0], |row| row.get::<_, Option<bool>>(0))?
        .unwrap_or(true)
    {
        return Ok(Some(i64::MAX));
    }
    db.prepare_cached("SELECT max(id) FROM media INDEXED BY media_by_arrival WHERE first_seen <= ?1")?
        .query_row([until.0], |row| row.get(0))
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
