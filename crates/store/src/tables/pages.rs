//! Pages that speak of places, in order of arrival.
//!
//! As with [items](super::items), a list is read along the index that is closest to the question.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use crate::sql::{self, Connection, OptionalExtension, Value, params, params_from_iter};
use facts::{LatLon, Timestamp};

use super::boxes::in_box;
use super::cells::Point;
use super::expansion::Plan;
use super::nearest::nearest;
use super::slips::Lexicon;
use super::terms::Terms;
use super::vocabulary::Subject;
use super::wording::Numbers;
use super::{places, rewording};
use crate::matches::{LITTLE, RANKED, SKIPPED, counted};
use crate::{Area, Match, Matches, PageFilter, PageItem};

/// Places in the boxes of an area up to which their pages are sorted; with more of them, walking in
/// order meets enough.
const FEW: i64 = 20_000;

/// What is usually read of a walk over places or pages on a map.
const SEVERAL: usize = 1_000;

pub(super) fn pages(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &PageFilter,
    after: i64,
    most: usize,
) -> sql::Result<Vec<PageItem>> {
    // What is read belongs to one moment, while someone may be writing.
    let moment = db.moment()?;
    let numbers = Asked::new(&moment, lexicon, filter)?.numbers(&moment, after, most)?;
    let pages = read(&moment, &numbers)?;
    moment.commit()?;
    Ok(pages)
}

pub(super) fn search(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &PageFilter,
    nearest_to: Option<LatLon>,
    skip: usize,
    most: usize,
) -> sql::Result<Matches<PageItem>> {
    let moment = db.moment()?;
    let asked = Asked::new(&moment, lexicon, filter)?;
    let counted = counted(db.dialect());
    let total = asked.count(&moment, counted)?;
    let (skip, more) = (skip.min(SKIPPED), total > counted);
    let enough = skip.saturating_add(most);
    let enough = if more { enough } else { enough.min(total) };
    let worded = asked.plan.as_ref().is_some_and(|plan| plan.expression.is_some());
    let found: Vec<(i64, Option<f64>, Option<f64>)> = match nearest_to {
        None if worded => {
            asked.best(&moment, enough)?.into_iter().map(|(number, score)| (number, None, Some(score))).collect()
        }
        None => asked.numbers(&moment, 0, enough)?.into_iter().map(|number| (number, None, None)).collect(),
        Some(centre) => {
            let found = nearest(centre, filter.area.as_ref(), enough, |area, each| {
                asked.each_place(&moment, area, &mut |page, point| {
                    each(page, point);
                    ControlFlow::Continue(())
                })
            })?;
            found.into_iter().map(|(number, metres)| (number, Some(metres), None)).collect()
        }
    };
    let found: Vec<_> = found.into_iter().skip(skip).collect();
    let numbers: Vec<i64> = found.iter().map(|(number, ..)| *number).collect();
    let matched = match &asked.plan {
        Some(plan) => {
            let terms = read_terms(&moment, &numbers)?;
            let each = numbers.iter().zip(&terms).map(|(number, terms)| plan.matched(&moment, *number, terms));
            each.collect::<sql::Result<_>>()?
        }
        None => vec![Vec::new(); numbers.len()],
    };
    let pages = read(&moment, &numbers)?.into_iter().zip(matched).zip(found);
    let found = pages.map(|((what, matched), (_, metres, score))| Match { what, metres, score, matched }).collect();
    let (mut slips, mut forms) = (Vec::new(), Vec::new());
    if let Some(plan) = &asked.plan {
        (slips, forms) = (plan.slips.clone(), plan.forms.clone());
        if total <= LITTLE {
            slips.extend(plan.meant(&moment, lexicon)?);
        }
    }
    let unworded = if filter.words.is_some() { rewording::left(&moment, Subject::Page)? } else { 0 };
    moment.commit()?;
    Ok(Matches { total: total.min(counted) as u64, more, found, slips, forms, unworded })
}

/// What is asked for, with the pages that have its words.
struct Asked<'f> {
    filter: &'f PageFilter,
    plan: Option<Plan>,
    worded: Option<Numbers>,
}

/// The words of some pages.
fn read_terms(db: &Connection, pages: &[i64]) -> sql::Result<Vec<Terms>> {
    let found = db
        .prepare_cached("SELECT terms FROM page_terms WHERE page = ?1")?
        .query_each(pages.iter().map(|page| [*page]), |row| row.get::<_, Vec<u8>>(0))?;
    let terms = found.into_iter().map(|found| {
        let mut terms = Terms::default();
        found.iter().for_each(|bytes| terms.read(bytes));
        terms
    });
    Ok(terms.collect())
}

impl<'f> Asked<'f> {
    fn new(db: &Connection, lexicon: &Lexicon, filter: &'f PageFilter) -> sql::Result<Self> {
        let plan = filter.words.as_ref().map(|want| Plan::new(db, lexicon, Subject::Page, want)).transpose()?;
        let worded = plan.as_ref().map(|plan| Numbers::of(db, Subject::Page, plan)).transpose()?;
        Ok(Self { filter, plan, worded })
    }

    /// How many match; one more than are counted stands for all that do.
    fn count(&self, db: &Connection, counted: usize) -> sql::Result<usize> {
        let Some(area) = &self.filter.area else {
            return self.numbers(db, 0, counted + 1).map(|numbers| numbers.len());
        };
        let mut pages = HashSet::new();
        self.each_place(db, area, &mut |page, _| {
            pages.insert(page);
            if pages.len() > counted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(pages.len())
    }

    /// The numbers of the next pages.
    fn numbers(&self, db: &Connection, after: i64, most: usize) -> sql::Result<Vec<i64>> {
        let filter = self.filter;
        let Some(after) = skip_older(db, filter.since, after)? else { return Ok(Vec::new()) };
        if let Some(pages) = few_of_crawl(db, filter, after)? {
            return self.some_of(db, pages.into_iter(), most);
        }
        if let Some(Numbers::Only(pages)) = &self.worded
            && (pages.len() as i64) < FEW
        {
            return self.some_of(db, pages.iter().copied().filter(|page| *page > after), most);
        }
        if let Some(name) = &filter.host {
            let Some(host) = host_of(db, name)? else { return Ok(Vec::new()) };
            return self.walk(db, "page INDEXED BY page_of_host", ("host = ?", host), Walked::After(after), most);
        }
        match &filter.area {
            Some(area) if few(db, area)? => {
                let mut pages = BTreeSet::new();
                self.each_place(db, area, &mut |page, _| {
                    if page > after {
                        pages.insert(page);
                    }
                    ControlFlow::Continue(())
                })?;
                Ok(pages.into_iter().take(most).collect())
            }
            _ => self.walk(db, "page INDEXED BY page_with_places", ("0 = ?", 0), Walked::After(after), most),
        }
    }

    /// Those whose words fit best, the best first.
    fn best(&self, db: &Connection, most: usize) -> sql::Result<Vec<(i64, f64)>> {
        let (Some(plan), Some(Numbers::Only(pages))) = (&self.plan, &self.worded) else { return Ok(Vec::new()) };
        let newest: Vec<i64> = pages.iter().rev().take(RANKED).copied().collect();
        let mut ranked = Vec::new();
        for (page, terms) in newest.iter().zip(read_terms(db, &newest)?) {
            ranked.extend(plan.score(db, *page, &terms, false)?.map(|score| (*page, score)));
        }
        ranked.sort_by(|a: &(i64, f64), b| b.1.total_cmp(&a.1));
        let mut found = Vec::new();
        for (page, score) in ranked {
            if found.len() >= most {
                break;
            }
            found.extend(self.one_of(db, page)?.map(|page| (page, score)));
        }
        Ok(found)
    }

    /// The first of these pages that match.
    fn some_of(&self, db: &Connection, pages: impl Iterator<Item = i64>, most: usize) -> sql::Result<Vec<i64>> {
        let mut found = Vec::new();
        for page in pages {
            if found.len() >= most {
                break;
            }
            found.extend(self.one_of(db, page)?);
        }
        Ok(found)
    }

    /// This page, if it matches.
    fn one_of(&self, db: &Connection, page: i64) -> sql::Result<Option<i64>> {
        let of_host = match &self.filter.host {
            Some(name) => match host_of(db, name)? {
                Some(host) => ("host = ?", host),
                None => return Ok(None),
            },
            None => ("0 = ?", 0),
        };
        Ok(self.walk(db, "page NOT INDEXED", of_host, Walked::Only(page), 1)?.first().copied())
    }
}

fn host_of(db: &Connection, name: &str) -> sql::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM host WHERE name = ?1")?
        .query_row([name.to_ascii_lowercase()], |row| row.get(0))
        .optional()
}

/// Where to begin so that what is older than `since` is not walked over; nothing when all of it is.
fn skip_older(db: &Connection, since: Option<Timestamp>, after: i64) -> sql::Result<Option<i64>> {
    let Some(since) = since else { return Ok(Some(after)) };
    let next: Option<i64> = db
        .prepare_cached(
            "SELECT first_seen FROM page INDEXED BY page_with_places WHERE places > 0 AND id > ?1 ORDER BY id LIMIT 1",
        )?
        .query_row([after], |row| row.get(0))
        .optional()?;
    match next {
        None => Ok(None),
        Some(next) if next >= since.0 => Ok(Some(after)),
        Some(_) => {
            let first: Option<i64> = db
                .prepare_cached(
                    "SELECT min(id) FROM page INDEXED BY page_by_arrival WHERE places > 0 AND first_seen >= ?1",
                )?
                .query_row([since.0], |row| row.get(0))?;
            Ok(first.map(|first| after.max(first - 1)))
        }
    }
}

/// Pages after this one that a crawl read, when one is asked for and they are few.
fn few_of_crawl(db: &Connection, filter: &PageFilter, after: i64) -> sql::Result<Option<BTreeSet<i64>>> {
    let Some(crawl) = &filter.crawl else { return Ok(None) };
    const READ: &str = "visit INDEXED BY visit_of_page WHERE visit.relevant IS NOT NULL
                        AND visit.crawl = (SELECT id FROM crawl WHERE name = ?1)";
    let count: i64 = db
        .prepare_cached(&format!("SELECT count(*) FROM (SELECT 1 FROM {READ} LIMIT {FEW}) AS counted"))?
        .query_row([crawl], |row| row.get(0))?;
    if count >= FEW {
        return Ok(None);
    }
    db.prepare_cached(&format!(
        "SELECT page.id FROM (SELECT url_id FROM {READ}) AS read CROSS JOIN page ON page.url_id = read.url_id
         WHERE page.id > ?2"
    ))?
    .query_map(params![crawl, after], |row| row.get(0))?
    .collect::<sql::Result<_>>()
    .map(Some)
}

/// Which pages a walk sees.
#[derive(Clone, Copy)]
enum Walked {
    After(i64),
    Only(i64),
}

impl Asked<'_> {
    fn lacks_words(&self, page: i64) -> bool {
        self.worded.as_ref().is_some_and(|worded| !worded.hold(page))
    }

    /// Along an index of pages in order, with a condition that it begins with.
    fn walk(
        &self,
        db: &Connection,
        along: &str,
        (first, value): (&str, i64),
        walked: Walked,
        most: usize,
    ) -> sql::Result<Vec<i64>> {
        let (conditions, values) = conditions(self.filter);
        let (which, number) = match walked {
            Walked::After(after) => ("id > ?", after),
            Walked::Only(page) => ("id = ?", page),
        };
        let mut select = db.prepare_cached(&format!(
            "SELECT id FROM {along} WHERE {first} AND {which} AND {conditions} ORDER BY id"
        ))?;
        let mut rows =
            select.walk(params_from_iter([value, number].map(Value::from).into_iter().chain(values)), most)?;
        let mut found = Vec::new();
        while found.len() < most
            && let Some(row) = rows.next()?
        {
            let number: i64 = row.get(0)?;
            if self.lacks_words(number) {
                continue;
            }
            let inside = match &self.filter.area {
                Some(area) => speaks_of(db, number, area)?,
                None => true,
            };
            if inside {
                found.push(number);
            }
        }
        Ok(found)
    }

    /// Gives each place in an area that a page that matches speaks of, in any order, perhaps more than
    /// once.
    fn each_place(
        &self,
        db: &Connection,
        area: &Area,
        each: &mut dyn FnMut(i64, LatLon) -> ControlFlow<()>,
    ) -> sql::Result<()> {
        let (mut conditions, mut values) = conditions(self.filter);
        if let Some(name) = &self.filter.host {
            let Some(host) = host_of(db, name)? else { return Ok(()) };
            conditions.push_str(" AND page.host = ?");
            values.push(host.into());
        }
        // The places come first, by the index: joins are `CROSS`.
        let sql = format!(
            "SELECT page_place.page, lat, lon
         FROM page_place INDEXED BY page_place_by_point CROSS JOIN page ON page.id = page_place.page
         WHERE {} AND {conditions}",
            in_box(db.dialect())
        );
        let mut select = db.prepare_cached(&sql)?;
        for corners in &area.boxes {
            let corners = corners.iter().copied().map(Value::from);
            let mut rows = select.walk(params_from_iter(corners.chain(values.iter().cloned())), SEVERAL)?;
            while let Some(row) = rows.next()? {
                let number: i64 = row.get(0)?;
                if self.lacks_words(number) {
                    continue;
                }
                if let Some(point) = LatLon::new(row.get(1)?, row.get(2)?).filter(|point| area.holds(*point))
                    && each(number, point).is_break()
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// The conditions on a page itself.
fn conditions(filter: &PageFilter) -> (String, Vec<Value>) {
    let mut conditions = "page.places > 0".to_owned();
    let mut values = Vec::new();
    if filter.relevant {
        conditions.push_str(" AND page.relevant = 1");
    }
    if let Some(since) = filter.since {
        conditions.push_str(" AND page.first_seen >= ?");
        values.push(Value::from(since.0));
    }
    if let Some(until) = filter.until {
        conditions.push_str(" AND page.first_seen <= ?");
        values.push(Value::from(until.0));
    }
    if let Some(crawl) = &filter.crawl {
        conditions.push_str(
            " AND EXISTS (SELECT 1 FROM visit WHERE visit.crawl = (SELECT id FROM crawl WHERE name = ?)
                          AND visit.url_id = page.url_id AND visit.outcome = 'page')",
        );
        values.push(Value::from(crawl.clone()));
    }
    (conditions, values)
}

/// Gives the point that each page that matches is shown at, the newest first, as far as so many strides
/// over so many numbers go. Whether there may be more.
pub(super) fn each_shown(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &PageFilter,
    (stride, strides): (i64, usize),
    each: &mut dyn FnMut(i64, Point) -> ControlFlow<()>,
) -> sql::Result<bool> {
    let asked = Asked::new(db, lexicon, filter)?;
    let (mut conditions, mut values) = conditions(filter);
    let mut along = "page INDEXED BY page_with_places";
    if let Some(name) = &filter.host {
        let Some(host) = host_of(db, name)? else { return Ok(false) };
        conditions.push_str(" AND page.host = ?");
        values.push(host.into());
        along = "page INDEXED BY page_of_host";
    }
    let Some(first) = skip_older(db, filter.since, 0)? else { return Ok(false) };
    let last: Option<i64> = db.prepare_cached("SELECT max(id) FROM page")?.query_row([], |row| row.get(0))?;
    let mut last = last.unwrap_or(0);
    // The pages of a host, or of a crawl with few, are met without strides.
    let few = few_of_crawl(db, filter, first)?;
    let worded = matches!(&asked.worded, Some(Numbers::Only(pages)) if (pages.len() as i64) < FEW);
    let stride = if filter.host.is_some() || few.is_some() || worded { last } else { stride };
    if let Some(page) = few.as_ref().and_then(|few| few.first()) {
        conditions.push_str(" AND page.id >= ?");
        values.push((*page).into());
    }
    let mut select = db.prepare_cached(&format!(
        "SELECT id, shown_lat, shown_lon FROM {along} WHERE {conditions} AND shown_lat IS NOT NULL AND id > ? AND id <= ?
         ORDER BY id DESC"
    ))?;
    for _ in 0..strides {
        let next = first.max(last.saturating_sub(stride));
        let mut rows =
            select.walk(params_from_iter(values.iter().cloned().chain([next, last].map(Value::from))), SEVERAL)?;
        while let Some(row) = rows.next()? {
            let number = row.get(0)?;
            if asked.lacks_words(number) {
                continue;
            }
            let inside = match &filter.area {
                Some(area) => speaks_of(db, number, area)?,
                None => true,
            };
            let point = Point { lat: row.get(1)?, lon: row.get(2)? };
            if inside && each(number, point).is_break() {
                return Ok(true);
            }
        }
        if next == first {
            return Ok(false);
        }
        last = next;
    }
    Ok(true)
}

fn speaks_of(db: &Connection, page: i64, area: &Area) -> sql::Result<bool> {
    let mut select = db.prepare_cached("SELECT lat, lon FROM page_place WHERE page = ?1")?;
    let mut rows = select.query([page])?;
    while let Some(row) = rows.next()? {
        if LatLon::new(row.get(0)?, row.get(1)?).is_some_and(|point| area.holds(point)) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn few(db: &Connection, area: &Area) -> sql::Result<bool> {
    let mut left = FEW;
    for corners in &area.boxes {
        let question = format!(
            "SELECT count(*) FROM (SELECT 1 FROM page_place INDEXED BY page_place_by_point WHERE {} LIMIT {FEW}) AS counted",
            in_box(db.dialect())
        );
        left -= db.prepare_cached(&question)?.query_row(params_from_iter(corners), |row| row.get::<_, i64>(0))?;
        if left <= 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The pages with these numbers.
fn read(db: &Connection, numbers: &[i64]) -> sql::Result<Vec<PageItem>> {
    let found = db
        .prepare_cached(
            "SELECT id, url, title, description, language, first_seen, relevant, focus, gone FROM page WHERE id = ?1",
        )?
        .query_each(numbers.iter().map(|number| [*number]), |row| {
            Ok(PageItem {
                number: row.get(0)?,
                url: row.get(1)?,
                title: row.get(2)?,
                description: row.get(3)?,
                language: row.get(4)?,
                first_seen: Timestamp(row.get(5)?),
                gone: row.get::<_, Option<i64>>(8)?.map(Timestamp),
                relevant: row.get(6)?,
                focus: row.get::<_, Option<i64>>(7)?.map(|focus| focus as usize),
                places: Vec::new(),
            })
        })?;
    let whole = found.into_iter().zip(places::read(db, numbers)?).map(|(mut page, places)| {
        let page = page.pop().ok_or(sql::Error::NoRow)?;
        Ok(PageItem { places, ..page })
    });
    whole.collect()
}
