//! Ways through the items that match.
//!
//! A list is read along whichever index is closest to the question, so that a page of it costs
//! what the page holds and not what the library holds.

use std::ops::ControlFlow;

use crate::sql::{self, Connection, Dialect, OptionalExtension, Value, ValueRef, many, params, params_from_iter};
use facts::{LatLon, MediaKind, Timestamp};

use super::boxes::in_boxes;
use super::expansion::Plan;
use super::listed;
use super::orders::{Part, Rows};
use super::slips::Lexicon;
use super::stretches::Stretch;
use super::terms::Terms;
use super::vocabulary::Subject;
use super::wording::has_words;
use crate::ItemFilter;
use crate::matches::{LOOKED_AT, RANKED};

/// Points in boxes up to which they are sorted; with more of them, walking in order meets enough.
const FEW: usize = 20_000;

/// Matches of words up to which no narrower way is looked for.
const WORDED: u64 = 1_000;

/// What looking into a row costs, when reading on in a list costs one.
const LOOK: u64 = 10;

/// What is counted along a way to see whether it is narrow, and what is read of a list of words.
const COUNTED: u64 = 40_000;
pub(super) const LISTED: u64 = 100_000;

/// How many times as wide as should do a server's first stretch of numbers is, when words are to come in order,
/// and how many times as wide each is as the last.
const AMPLE: u64 = 4;
const WIDER: i64 = 4;

/// Items of a page of a list, and some more, of which the filters leave some.
const LIST: usize = 128;

/// How items are met that are ranked by their words.
pub(super) enum Way {
    Along(Along),
    /// Along the words, among what is in the area: its numbers and places, the newest first.
    Among(Vec<(i64, LatLon)>),
}

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
pub(super) fn numbers(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    after: i64,
    most: usize,
) -> sql::Result<Vec<i64>> {
    let Some(mut sought) = Sought::new(db, lexicon, filter)? else { return Ok(Vec::new()) };
    sought.after = sought.after.max(after);
    let ways = sought.ways(db, FEW)?;
    sought.first(db, &ways, Rows::Rising, most)
}

/// Gives each item that matches, in any order, with its place when an area is asked for.
pub(super) fn each_match(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    each: &mut dyn FnMut(i64, Option<LatLon>) -> ControlFlow<()>,
) -> sql::Result<()> {
    let Some(sought) = Sought::new(db, lexicon, filter)? else { return Ok(()) };
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
    dialect: Dialect,
    /// None for any.
    kinds: Vec<MediaKind>,
    host: Option<i64>,
    crawl: Option<i64>,
    /// Numbers larger than this, and not larger than the other.
    pub after: i64,
    pub until: i64,
    /// The words that are asked for.
    pub plan: Option<Plan>,
}

impl<'f> Sought<'f> {
    /// `None` when nothing can match.
    pub fn new(db: &Connection, lexicon: &Lexicon, filter: &'f ItemFilter) -> sql::Result<Option<Self>> {
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
        let plan = filter.words.as_ref().map(|want| Plan::new(db, lexicon, Subject::Item, want)).transpose()?;
        Ok(Some(Self { filter, dialect: db.dialect(), kinds, host, crawl, after, until, plan }))
    }

    /// Whether a location is asked for.
    fn located(&self) -> bool {
        self.filter.located == Some(true) || self.filter.verified.is_some() || self.filter.area.is_some()
    }

    /// The ways that together meet each item that matches once. All but those along boxes are in
    /// order of arrival; boxes are taken when they hold few.
    pub fn ways(&self, db: &Connection, few: usize) -> sql::Result<Vec<Along>> {
        let kinds = &self.kinds;
        let one = |along| Ok(vec![along]);
        if let Some(plan) = self.plan.as_ref().filter(|plan| plan.expression.is_some()) {
            let fewer = few.min(usize::try_from(plan.estimate).unwrap_or(usize::MAX));
            return match self.filter.area.is_some()
                && plan.estimate > WORDED
                && self.holds_few(db, Along::Box, fewer)?
            {
                true => one(Along::Box),
                false => one(Along::Words),
            };
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
    pub fn narrow_ways(&self, db: &Connection, few: usize) -> sql::Result<Option<Vec<Along>>> {
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

    fn holds_few(&self, db: &Connection, along: Along, few: usize) -> sql::Result<bool> {
        let few = few.min(i64::MAX as usize) as u64;
        Ok(self.held(db, along, few)? < few)
    }

    /// How many are along a way, counted up to so many.
    fn held(&self, db: &Connection, along: Along, most: u64) -> sql::Result<u64> {
        // A server's index of words is read as a whole, however few are counted.
        if let Some(plan) = self.plan.as_ref().filter(|_| along == Along::Words && db.session().is_some())
            && (plan.estimate < most || plan.at_least >= most && self.after <= 0 && self.until >= plan.all)
        {
            return Ok(plan.estimate.min(most));
        }
        let (number, table) = along.table();
        let mut conditions = vec![format!("{number} > ? AND {number} <= ?")];
        let mut values = vec![Value::from(self.after), Value::from(self.until)];
        self.own_condition(along, &mut conditions, &mut values);
        let count: i64 = db
            .prepare_cached(&format!(
                "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {} LIMIT {most}) AS counted",
                conditions.join(" AND ")
            ))?
            .query_row(params_from_iter(values), |row| row.get(0))?;
        Ok(count.max(0) as u64)
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
                    let (condition, bounds) = in_boxes(self.dialect, area);
                    conditions.push(condition);
                    values.extend(bounds);
                }
            }
            Along::Words => {
                conditions.push(has_words(self.dialect, "item_words", "?"));
                values.push(self.expression().cloned().into());
                if let Some(stretch) = self.stretch() {
                    conditions.push(has_words(self.dialect, "item_words", "?"));
                    values.push(stretch.into());
                }
            }
            Along::Arrival => {}
        }
    }

    /// What numbers are sorted by: those that a server finds by words, which is not in their order, by what no
    /// index has. Its planner takes looking for words into every row for cheap, and would go along all numbers.
    fn sorted(&self, number: &str, along: Along) -> String {
        let unordered = self.dialect == Dialect::Postgres && along == Along::Words;
        if unordered { format!("{number} + 0") } else { number.to_owned() }
    }

    /// The stretch of numbers that is asked for, as a server's index of words is asked for it; nothing when it holds
    /// most of them.
    fn stretch(&self) -> Option<String> {
        let all = self.plan.as_ref().filter(|_| self.dialect == Dialect::Postgres)?.all;
        let stretch = Stretch { first: self.after.saturating_add(1), last: self.until.min(all) };
        (stretch.width() < all / 2).then(|| stretch.expression())
    }

    /// The words that must be there.
    fn expression(&self) -> Option<&String> {
        self.plan.as_ref().and_then(|plan| plan.expression.as_ref())
    }

    /// The cheapest way to rank items by their words: along the words, along a filter that leaves less, or
    /// along the words among what is in an area. Looking into a row costs ten times what reading a list does.
    pub fn cheapest(&self, db: &Connection) -> sql::Result<Way> {
        let words = self.plan.as_ref().map_or(u64::MAX, |plan| plan.estimate);
        let (mut best, mut least) = (Way::Along(Along::Words), words.saturating_mul(LOOK));
        if words <= WORDED {
            return Ok(best);
        }
        for (_, along) in
            [(self.host, Along::Host), (self.crawl, Along::Crawl)].iter().filter(|(asked, _)| asked.is_some())
        {
            let held = self.held(db, *along, COUNTED)?;
            if held < COUNTED && held * LOOK < least {
                (best, least) = (Way::Along(*along), held * LOOK);
            }
        }
        // Counting them would cost as much as reading them does.
        if let Some(places) = self.in_area(db, COUNTED as usize)? {
            let held = places.len() as u64;
            let listed = held + words.min(LISTED);
            if held * LOOK < least.min(listed) {
                best = Way::Along(Along::Box);
            } else if listed < least {
                best = Way::Among(places);
            }
        }
        Ok(best)
    }

    /// Numbers and places of all that is in the area, the newest first; nothing when there are too many.
    fn in_area(&self, db: &Connection, most: usize) -> sql::Result<Option<Vec<(i64, LatLon)>>> {
        let Some(area) = &self.filter.area else { return Ok(None) };
        if let Some(session) = db.session() {
            return listed::in_area(session, area, most);
        }
        let (condition, values) = in_boxes(self.dialect, area);
        let (number, table) = Along::Box.table();
        let mut select = db.prepare_cached(&format!(
            "SELECT {number}, lat, lon FROM {table} WHERE location.best = 1 AND {condition} LIMIT {}",
            most.saturating_add(1)
        ))?;
        let mut rows = select.query(params_from_iter(values))?;
        let (mut found, mut read) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            read += 1;
            if read > most {
                return Ok(None);
            }
            if let Some(point) = LatLon::new(row.get(1)?, row.get(2)?).filter(|point| area.holds(*point)) {
                found.push((row.get(0)?, point));
            }
        }
        found.sort_unstable_by_key(|(number, _)| std::cmp::Reverse(*number));
        Ok(Some(found))
    }

    /// The numbers of what has the words, whatever else is asked, the newest first; whether some were not met though
    /// there was no end to it.
    pub fn each_worded(&self, db: &Connection, each: &mut dyn FnMut(i64) -> ControlFlow<()>) -> sql::Result<bool> {
        if db.session().is_some() {
            return listed::each(db, self, each);
        }
        let Some(expression) = self.expression() else { return Ok(false) };
        let mut select = db.prepare_cached(
            "SELECT rowid FROM item_words WHERE item_words MATCH ?1 AND rowid > ?2 AND rowid <= ?3 ORDER BY rowid DESC",
        )?;
        let mut rows = select.walk(params![expression, self.after, self.until], RANKED)?;
        while let Some(row) = rows.next()? {
            if each(row.get(0)?).is_break() {
                break;
            }
        }
        Ok(false)
    }

    /// The words of some items, of those that match all but the words, in any order; those that are in the
    /// area, when that is not known already.
    pub fn terms_of(&self, db: &Connection, numbers: &[i64], with_area: bool) -> sql::Result<Vec<Worded>> {
        let conditions = vec![format!("item_terms.media IN ({})", many::places())];
        let from = From {
            number: "item_terms.media",
            table: "item_terms",
            along: None,
            key: TERMS,
            conditions,
            values: Vec::new(),
        };
        let area = self.filter.area.as_ref().filter(|_| with_area);
        let (sql, others) = self.question(from, "", area.is_some(), false);
        let asked = many::parts(numbers).map(|part| params_from_iter(part.into_iter().chain(others.iter().cloned())));
        let found = db.prepare_cached(&sql)?.query_each(asked, |row| {
            let point = match area {
                Some(_) => LatLon::new(row.get(1)?, row.get(2)?),
                None => None,
            };
            Ok(Worded { number: row.get(0)?, point, terms: row.get(3)? })
        })?;
        let inside = |worded: &Worded| area.is_none_or(|area| worded.point.is_some_and(|point| area.holds(point)));
        Ok(found.into_iter().flatten().filter(inside).collect())
    }

    /// Walks along an index of numbers.
    pub fn walk(
        &self,
        db: &Connection,
        along: Along,
        rows: Rows,
        each: &mut dyn FnMut(i64, Option<LatLon>) -> ControlFlow<()>,
    ) -> sql::Result<ControlFlow<()>> {
        let (number, table) = along.table();
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        self.own_condition(along, &mut conditions, &mut values);
        let from = From { number, table, along: Some(along), key: "NULL", conditions, values };
        let by = self.sorted(number, along);
        let order = match rows {
            Rows::Any => String::new(),
            Rows::Rising => format!(" ORDER BY {by}"),
            Rows::Falling => format!(" ORDER BY {by} DESC"),
        };
        self.rows(db, from, &order, &mut |number, point, _| each(number, point))
    }

    /// The first numbers along some ways, in their order.
    pub fn first(&mut self, db: &Connection, ways: &[Along], rows: Rows, most: usize) -> sql::Result<Vec<i64>> {
        let mut found = Vec::new();
        for along in ways.iter().filter(|_| most > 0) {
            let enough = found.len() + most;
            self.walk_in_order(db, *along, rows, most, &mut |number, _| {
                found.push(number);
                if found.len() == enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
        }
        if ways.len() > 1 {
            found.sort_unstable_by(|a, b| if rows == Rows::Falling { b.cmp(a) } else { a.cmp(b) });
            found.truncate(most);
        }
        Ok(found)
    }

    /// Walks in the order of numbers, usually to so many. What a server finds by words has no order: it is asked
    /// for in stretches, of which each is sorted.
    fn walk_in_order(
        &mut self,
        db: &Connection,
        along: Along,
        rows: Rows,
        usual: usize,
        each: &mut dyn FnMut(i64, Option<LatLon>) -> ControlFlow<()>,
    ) -> sql::Result<()> {
        let Some(plan) = self.plan.as_ref().filter(|_| along == Along::Words && db.session().is_some()) else {
            return self.walk(db, along, rows, each).map(drop);
        };
        let (after, until) = (self.after, self.until);
        let (mut least, mut last) = (after, until.min(plan.all));
        let ample = (usual as u64).saturating_mul(AMPLE).saturating_mul(plan.all.unsigned_abs());
        let mut width = i64::try_from(ample / plan.estimate.max(1)).unwrap_or(i64::MAX).max(1);
        while least < last {
            (self.after, self.until) = match rows {
                Rows::Falling => (least.max(last.saturating_sub(width)), last),
                Rows::Rising | Rows::Any => (least, last.min(least.saturating_add(width))),
            };
            if self.walk(db, along, rows, each)?.is_break() {
                break;
            }
            match rows {
                Rows::Falling => last = self.after,
                Rows::Rising | Rows::Any => least = self.until,
            }
            width = width.saturating_mul(WIDER);
        }
        (self.after, self.until) = (after, until);
        Ok(())
    }

    /// Walks along a way, with the words of each item: those that match the other filters, the newest first
    /// along the words; or only those that have them prominently.
    pub fn walk_terms(
        &self,
        db: &Connection,
        along: Along,
        prominent: Option<Prominent<'_>>,
        each: EachWorded<'_>,
    ) -> sql::Result<()> {
        let (mut number, mut table) = along.table();
        let (mut conditions, mut values) = (Vec::new(), Vec::new());
        if along == Along::Words {
            (number, table) = ("worded.number", WORDED_NEWEST);
            let (expression, until) = match prominent {
                None => (self.expression(), self.until),
                Some(Prominent { expression, below }) => (Some(expression), self.until.min(below.saturating_sub(1))),
            };
            values = vec![expression.cloned().into(), self.after.into(), until.into(), (LOOKED_AT as i64).into()];
        } else {
            self.own_condition(along, &mut conditions, &mut values);
        }
        self.worded_rows(db, From { number, table, along: Some(along), key: TERMS, conditions, values }, "", each)
    }

    fn worded_rows(&self, db: &Connection, from: From, order: &str, each: EachWorded<'_>) -> sql::Result<()> {
        let mut failed = None;
        let _ = self.rows(db, from, order, &mut |number, point, key| {
            let ValueRef::Blob(bytes) = key else { return ControlFlow::Continue(()) };
            each(number, point, bytes).unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Walks along one part of an order.
    pub fn walk_part(
        &self,
        db: &Connection,
        part: Part,
        each: &mut dyn FnMut(i64, Option<Value>) -> ControlFlow<()>,
    ) -> sql::Result<ControlFlow<()>> {
        let Part { table, key, condition, values, order } = part;
        let from = From { number: "media.id", table, along: None, key, conditions: vec![condition], values };
        self.rows(db, from, &order, &mut |number, _, key| {
            each(number, Some(key.to_value()).filter(|key| *key != Value::Null))
        })
    }

    fn rows(&self, db: &Connection, from: From, order: &str, each: EachRow<'_>) -> sql::Result<ControlFlow<()>> {
        // Along words they are there, and who reads the terms looks itself.
        let unworded = from.key != TERMS && from.along != Some(Along::Words);
        let judge = self.plan.as_ref().filter(|_| unworded);
        let from_terms = from.key == TERMS;
        let (sql, values) = self.question(from, order, self.filter.area.is_some(), judge.is_some());
        let mut select = db.prepare_cached(&sql)?;
        let usual = if from_terms || order.is_empty() { RANKED } else { LIST };
        let mut rows = select.walk(params_from_iter(values), usual)?;
        let mut terms = Terms::default();
        while let Some(row) = rows.next()? {
            let number = row.get(0)?;
            if let Some(plan) = judge {
                terms.read(row.get_ref(4)?.as_blob()?);
                if plan.score(db, number, &terms, true)?.is_none() {
                    continue;
                }
            }
            let point = match &self.filter.area {
                None => None,
                Some(area) => match LatLon::new(row.get(1)?, row.get(2)?).filter(|point| area.holds(*point)) {
                    None => continue,
                    point => point,
                },
            };
            if each(number, point, row.get_ref(3)?).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Joins are `CROSS`: SQLite takes their tables in the order they are written.
    fn question(&self, from: From, order: &str, with_area: bool, with_terms: bool) -> (String, Vec<Value>) {
        let From { number, table, along, key, mut conditions, mut values } = from;
        let filter = self.filter;
        let is = |other: Along| along == Some(other);
        let mut tables = vec![table];
        let has_media = table.starts_with("media ");
        let has_location = is(Along::Located) || is(Along::Box);
        // Beside the words of an item stands what is asked of nearly all: no need to look into media.
        let has_terms = key == TERMS || with_terms || is(Along::Words);
        if has_terms {
            // What is elsewhere need not be looked into.
            if let Some(area) = filter.area.as_ref().filter(|_| with_area && !has_location) {
                tables.push("location");
                conditions.push(format!("location.media = {number} AND location.best = 1"));
                let (condition, bounds) = in_boxes(self.dialect, area);
                conditions.push(condition);
                values.extend(bounds);
            }
            if table != "item_terms" {
                tables.push("item_terms");
                conditions.push(format!("item_terms.media = {number}"));
            }
            if !self.kinds.is_empty() {
                let numbers = self.kinds.iter().map(|kind| match kind {
                    MediaKind::Image => "0",
                    MediaKind::Video => "1",
                    MediaKind::Audio => "2",
                });
                conditions.push(format!("item_terms.kind IN ({})", numbers.collect::<Vec<_>>().join(", ")));
            }
            if !filter.copies {
                conditions.push("item_terms.duplicate = 0".into());
            }
        }
        // A location knows whether it is that of a copy: no need to look into media for that.
        let with_location = has_location || with_area && !has_terms;
        if !filter.copies && !has_terms && with_location {
            conditions.push("location.duplicate = 0".into());
        }
        let mut about_media = Vec::new();
        if !self.kinds.is_empty() && !has_terms && !matches!(along, Some(Along::Kind(_))) {
            about_media.push(format!("media.kind IN ({})", vec!["?"; self.kinds.len()].join(", ")));
        }
        let with_kinds = !about_media.is_empty();
        about_media.extend(filter.since.map(|_| "media.first_seen >= ?".into()));
        about_media.extend(filter.until.map(|_| "media.first_seen <= ?".into()));
        if !filter.copies && !has_terms && !with_location {
            about_media.push("media.duplicate = 0".into());
        }
        if filter.open_licence && !is(Along::Open) {
            about_media.push("media.open = 1".into());
        }
        match (filter.verified, filter.located) {
            (Some(true), _) => about_media.push("media.located = 2".into()),
            (Some(false), _) => about_media.push("media.located = 1".into()),
            (None, Some(true)) if !has_location && !with_area => {
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
        if with_area && !has_location && !has_terms {
            tables.push("location");
            conditions.push(format!("location.media = {number} AND location.best = 1"));
        }
        // PostgreSQL does not see that what is joined has the same bounds, and would begin to read it at its end.
        if self.dialect == Dialect::Postgres {
            for joined in ["media.id", "item_terms.media", "location.media"] {
                let (name, _) = joined.split_once('.').unwrap_or_default();
                if tables.iter().skip(1).any(|table| *table == name) {
                    conditions.push(format!("{joined} > ? AND {joined} <= ?"));
                    values.extend([self.after, self.until].map(Value::from));
                }
            }
        }
        for (asked, way, table, column) in
            [(self.host, Along::Host, "media_host", "host"), (self.crawl, Along::Crawl, "media_crawl", "crawl")]
        {
            if let Some(asked) = asked.filter(|_| !is(way)) {
                conditions.push(format!("EXISTS (SELECT 1 FROM {table} WHERE {column} = ? AND media = {number})"));
                values.push(asked.into());
            }
        }
        let point = if with_area { "lat, lon" } else { "0, 0" };
        let (tables, conditions) = (tables.join(" CROSS JOIN "), conditions.join(" AND "));
        let terms = if with_terms { TERMS } else { "NULL" };
        (format!("SELECT {number}, {point}, {key}, {terms} FROM {tables} WHERE {conditions}{order}"), values)
    }
}

/// What has some words, the newest first, and not more than are looked at: SQLite's index of words is read in
/// this order, and no further than need be. For what a server finds see [`listed`].
const WORDED_NEWEST: &str = "(SELECT rowid AS number FROM item_words WHERE item_words MATCH ? AND rowid > ?
     AND rowid <= ? ORDER BY rowid DESC LIMIT ?) AS worded";

/// The words of an item, as a key of a walk.
const TERMS: &str = "item_terms.terms";

/// An item with its words.
pub(super) struct Worded {
    pub number: i64,
    /// Where it is, when that was asked.
    pub point: Option<LatLon>,
    pub terms: Vec<u8>,
}

/// What has words prominently, older than all that was met of what has them.
#[derive(Clone, Copy)]
pub(super) struct Prominent<'p> {
    pub expression: &'p String,
    pub below: i64,
}

/// Takes the number of an item, where it is, and its words.
type EachWorded<'e> = &'e mut dyn FnMut(i64, Option<LatLon>, &[u8]) -> sql::Result<ControlFlow<()>>;

/// Takes the number of an item, where it is, and the key of a walk.
type EachRow<'e> = &'e mut dyn FnMut(i64, Option<LatLon>, ValueRef<'_>) -> ControlFlow<()>;

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

/// How long after it was seen an item is written at the latest, in milliseconds: whoever waits for a database or
/// a bucket that is away gives up before.
const LATE: i64 = 30 * 60 * 1_000;

/// The largest number below all of what came at or after `since`; nothing when nothing did. Numbers are given
/// when items are written: the first of those that came has its number among those that came soon after.
fn older(db: &Connection, since: Option<Timestamp>) -> sql::Result<Option<i64>> {
    let Some(since) = since else { return Ok(Some(0)) };
    if db
        .prepare_cached("SELECT min(first_seen) >= ?1 FROM media")?
        .query_row([since.0], |row| row.get::<_, Option<bool>>(0))?
        .unwrap_or(true)
    {
        return Ok(Some(0));
    }
    let first: Option<i64> = db
        .prepare_cached("SELECT min(first_seen) FROM media INDEXED BY media_by_arrival WHERE first_seen >= ?1")?
        .query_row([since.0], |row| row.get(0))?;
    let Some(first) = first else { return Ok(None) };
    let least: Option<i64> = db
        .prepare_cached(
            "SELECT min(id + 0) FROM media INDEXED BY media_by_arrival WHERE first_seen >= ?1 AND first_seen <= ?2",
        )?
        .query_row([first, first.saturating_add(2 * LATE)], |row| row.get(0))?;
    Ok(least.map(|least| least - 1))
}

/// The largest number of what came at or before `until`; nothing when nothing did.
fn newest(db: &Connection, until: Option<Timestamp>) -> sql::Result<Option<i64>> {
    let Some(until) = until else { return Ok(Some(i64::MAX)) };
    if db
        .prepare_cached("SELECT max(first_seen) <= ?1 FROM media")?
        .query_row([until.0], |row| row.get::<_, Option<bool>>(0))?
        .unwrap_or(true)
    {
        return Ok(Some(i64::MAX));
    }
    let last: Option<i64> = db
        .prepare_cached("SELECT max(first_seen) FROM media INDEXED BY media_by_arrival WHERE first_seen <= ?1")?
        .query_row([until.0], |row| row.get(0))?;
    let Some(last) = last else { return Ok(None) };
    db.prepare_cached(
        "SELECT max(id + 0) FROM media INDEXED BY media_by_arrival WHERE first_seen >= ?1 AND first_seen <= ?2",
    )?
    .query_row([last.saturating_sub(2 * LATE), last], |row| row.get(0))
}
