//! What a map shows: counted cells, or a walk along the items that match.
//!
//! A view is divided into cells of about 64 pixels, more coarsely when there would be too many. What
//! is in one is a cluster, also the part of it that is outside the view: a marker does not change
//! when the map is moved. Counts of everything, and of kinds, are summed from the counted cells of
//! the next finer level. Other filters walk along the newest items that match, up to a limit.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::sql::{self, Connection};
use facts::{LatLon, MediaId, MediaKind};

use super::cells::{FINEST, Held, LEVELS, Place, Point, Sort, place_of};
use super::orders::Rows;
use super::pages;
use super::slips::Lexicon;
use super::walks::Sought;
use crate::{Area, Cluster, ClusterFilter, Clusters, ItemFilter, PageFilter, Representative};

/// Clusters that are given at most.
const MOST: i64 = 400;

/// A tile of 512 pixels is halved so many times for a cell.
const HALVINGS: u32 = 3;

/// Items that are looked at one by one, at most.
const WALKED: usize = 10_000;

/// Numbers that a walk goes over at once, and how often it does that before it ends.
const STRIDE: i64 = 10_000;
const STRIDES: usize = 2;

pub(super) fn clusters(
    db: &Connection,
    lexicon: &Lexicon,
    what: &ClusterFilter,
    view: [f64; 4],
    zoom: u8,
) -> sql::Result<Clusters> {
    let Some(grid) = Grid::of(view, zoom) else { return Ok(Clusters::default()) };
    let moment = db.moment()?;
    let mut clumps = Clumps { grid, clumps: BTreeMap::new() };
    let more = match what {
        ClusterFilter::Media(filter) if counted_items(filter) => {
            let asked = |kind: MediaKind| filter.kinds.is_empty() || filter.kinds.contains(&kind);
            let all = [MediaKind::Image, MediaKind::Video, MediaKind::Audio];
            let kinds = all.into_iter().filter(|kind| asked(*kind)).map(Sort::Media);
            counted(&moment, &mut clumps, &kinds.collect::<Vec<_>>())?
        }
        ClusterFilter::Pages(filter) if counted_pages(filter) => {
            let sorts = [Sort::Page(true), Sort::Page(false)];
            counted(&moment, &mut clumps, if filter.relevant { &sorts[..1] } else { &sorts })?
        }
        ClusterFilter::Media(filter) => walked(&moment, lexicon, &mut clumps, filter)?,
        ClusterFilter::Pages(filter) => walked_pages(&moment, lexicon, &mut clumps, filter)?,
    };
    let found = clumps.finish(&moment, matches!(what, ClusterFilter::Pages(_)), more)?;
    moment.commit()?;
    Ok(found)
}

/// Whether counted cells answer the question.
fn counted_items(filter: &ItemFilter) -> bool {
    let ItemFilter { kinds: _, located, verified, since, until, area, host, crawl, open_licence, copies, words } =
        filter;
    *located != Some(false)
        && verified.is_none()
        && since.is_none()
        && until.is_none()
        && area.is_none()
        && host.is_none()
        && crawl.is_none()
        && !open_licence
        && !copies
        && words.is_none()
}

fn counted_pages(filter: &PageFilter) -> bool {
    let PageFilter { relevant: _, since, until, area, host, crawl, words } = filter;
    since.is_none() && until.is_none() && area.is_none() && host.is_none() && crawl.is_none() && words.is_none()
}

/// The cells of a view.
#[derive(Clone, Debug, PartialEq)]
struct Grid {
    level: u32,
    /// First and last row.
    rows: (i64, i64),
    /// First and last columns: two ranges where the view goes over the date line.
    columns: Vec<(i64, i64)>,
}

impl Grid {
    /// The finest that is not too fine; nothing for a view that is none.
    fn of([south, west, north, east]: [f64; 4], zoom: u8) -> Option<Self> {
        if ![south, west, north, east].iter().all(|side| side.is_finite()) || south > north {
            return None;
        }
        let (south, north) = (south.clamp(-90.0, 90.0), north.clamp(-90.0, 90.0));
        let (west, east) = if east - west >= 360.0 { (-180.0, 180.0) } else { (around(west), around(east)) };
        let finest = (u32::from(zoom) + HALVINGS).min(FINEST);
        (0..=finest).rev().map(|level| Self::at(level, [south, west, north, east])).find(|grid| grid.cells() <= MOST)
    }

    fn at(level: u32, [south, west, north, east]: [f64; 4]) -> Self {
        let (first, last) = (place_of(north, west).at(level), place_of(south, east).at(level));
        let all = (0, (1 << level) - 1);
        let columns = match (west <= east, first.x <= last.x) {
            (true, _) => vec![(first.x, last.x)],
            (false, true) => vec![all],
            (false, false) => vec![(first.x, all.1), (0, last.x)],
        };
        Self { level, rows: (first.y, last.y), columns }
    }

    fn cells(&self) -> i64 {
        let width: i64 = self.columns.iter().map(|(first, last)| last - first + 1).sum();
        (self.rows.1 - self.rows.0 + 1) * width
    }

    fn holds(&self, place: Place) -> bool {
        (self.rows.0..=self.rows.1).contains(&place.y)
            && self.columns.iter().any(|(first, last)| (*first..=*last).contains(&place.x))
    }

    /// South, west, north and east of all cells, and a little more, which is not asked for twice.
    fn boxes(&self) -> Vec<[f64; 4]> {
        const LITTLE: f64 = 1e-6;
        let corner = |y, x| Place { level: self.level, y, x }.bounds();
        let sides = self.columns.iter().map(|(first, last)| {
            let ([_, west, north, _], [south, _, _, east]) = (corner(self.rows.0, *first), corner(self.rows.1, *last));
            [south - LITTLE, west - LITTLE, north + LITTLE, east + LITTLE]
        });
        sides.collect()
    }

    /// From first to last at another level.
    fn scaled(&self, (first, last): (i64, i64), level: u32) -> (i64, i64) {
        match level.checked_sub(self.level) {
            Some(finer) => (first << finer, ((last + 1) << finer) - 1),
            None => (first >> (self.level - level), last >> (self.level - level)),
        }
    }
}

/// A longitude between −180 and 180; maps go on beyond.
fn around(lon: f64) -> f64 {
    if (-180.0..=180.0).contains(&lon) { lon } else { (lon + 180.0).rem_euclid(360.0) - 180.0 }
}

/// What is in each cell of a view.
struct Clumps {
    grid: Grid,
    clumps: BTreeMap<Place, Clump>,
}

struct Clump {
    held: Held,
    bounds: [f64; 4],
}

impl Clumps {
    /// Adds what was found in a cell, if it is in the view.
    fn add(&mut self, place: Place, held: Held, bounds: [f64; 4]) {
        let place = place.at(self.grid.level);
        if !self.grid.holds(place) {
            return;
        }
        let clump =
            self.clumps.entry(place).or_insert(Clump { held: Held { count: 0, lat: 0, lon: 0, newest: 0 }, bounds });
        let sum = &mut clump.held;
        sum.count += held.count;
        sum.lat += held.lat;
        sum.lon += held.lon;
        sum.newest = sum.newest.max(held.newest);
        let [south, west, north, east] = &mut clump.bounds;
        *south = south.min(bounds[0]);
        *west = west.min(bounds[1]);
        *north = north.max(bounds[2]);
        *east = east.max(bounds[3]);
    }

    fn add_point(&mut self, number: i64, point: Point) {
        let held = Held { count: 1, lat: point.lat, lon: point.lon, newest: number };
        let bounds = Point::mean(point.lat, point.lon, 1).map(|at| [at.lat(), at.lon(), at.lat(), at.lon()]);
        if let Some(bounds) = bounds {
            self.add(point.place(FINEST), held, bounds);
        }
    }

    fn finish(self, db: &Connection, pages: bool, more: bool) -> sql::Result<Clusters> {
        let newest = self.clumps.values().map(|clump| [clump.held.newest]);
        let representatives = if pages { shown_pages(db, newest)? } else { shown_items(db, newest)? };
        let clumps = self.clumps.into_values().zip(representatives);
        let clusters: Vec<Cluster> = clumps
            .filter_map(|(Clump { held, bounds }, representative)| {
                let at = Point::mean(held.lat, held.lon, held.count)?;
                Some(Cluster { at, count: held.count as u64, bounds, representative })
            })
            .collect();
        Ok(Clusters { total: clusters.iter().map(|cluster| cluster.count).sum(), clusters, more })
    }
}

/// What stands for clusters of items: the items with these numbers.
fn shown_items(db: &Connection, numbers: impl Iterator<Item = [i64; 1]>) -> sql::Result<Vec<Representative>> {
    let found = db.prepare_cached("SELECT sha256, kind FROM media WHERE id = ?1")?.query_each(numbers, |row| {
        let kind: String = row.get(1)?;
        let unknown = || sql::Error::strange(1, format!("no kind {kind}"));
        let kind = MediaKind::parse(&kind).ok_or_else(unknown)?;
        Ok(Representative::Media(MediaId::from_sha256(row.get(0)?), kind))
    })?;
    found.into_iter().map(|mut found| found.pop().ok_or(sql::Error::NoRow)).collect()
}

fn shown_pages(db: &Connection, numbers: impl Iterator<Item = [i64; 1]>) -> sql::Result<Vec<Representative>> {
    let found = db
        .prepare_cached("SELECT url FROM page WHERE id = ?1")?
        .query_each(numbers, |row| row.get(0).map(Representative::Page))?;
    found.into_iter().map(|mut found| found.pop().ok_or(sql::Error::NoRow)).collect()
}

/// Sums counted cells.
fn counted(db: &Connection, clumps: &mut Clumps, sorts: &[Sort]) -> sql::Result<bool> {
    let grid = clumps.grid.clone();
    let codes: Vec<i64> = sorts.iter().map(|sort| sort.code()).collect();
    let fine = LEVELS.into_iter().find(|level| *level >= grid.level).unwrap_or(FINEST);
    let mut select = db.prepare_cached(
        "SELECT x, sort, count, lat, lon, newest FROM cell WHERE level = ?1 AND y = ?2 AND x BETWEEN ?3 AND ?4",
    )?;
    let mut asked = Vec::new();
    for level in LEVELS.into_iter().filter(|level| *level <= fine) {
        let (top, bottom) = grid.scaled(grid.rows, level);
        for columns in &grid.columns {
            let (first, last) = grid.scaled(*columns, level);
            asked.extend((top..=bottom).map(|y| [i64::from(level), y, first, last]));
        }
    }
    let rows = select.query_each(asked.iter().copied(), |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, Held::read(row, 2)?))
    })?;
    for ([level, y, ..], cells) in asked.into_iter().zip(rows) {
        for (x, _, held) in cells.into_iter().filter(|(_, sort, _)| codes.contains(sort)) {
            if held.count == 1 {
                clumps.add_point(held.newest, Point { lat: held.lat, lon: held.lon });
            } else if level == i64::from(fine) {
                let place = Place { level: fine, y, x };
                clumps.add(place, held, place.bounds());
            }
        }
    }
    Ok(false)
}

/// Looks at the items that match; whether there are more.
fn walked(db: &Connection, lexicon: &Lexicon, clumps: &mut Clumps, filter: &ItemFilter) -> sql::Result<bool> {
    let boxes = clumps.grid.boxes();
    let view = Area { boxes, contains: Arc::new(|_| true) };
    let area = filter.area.as_ref().map_or_else(|| view.clone(), |area| area.and(&view));
    let filter = ItemFilter { area: Some(area), ..filter.clone() };
    let Some(mut sought) = Sought::new(db, lexicon, &filter)? else { return Ok(false) };
    let mut left = WALKED;
    let mut each = |number: i64, at: Option<LatLon>| {
        if let Some(at) = at {
            clumps.add_point(number, Point::of(at));
        }
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    if let Some(ways) = sought.narrow_ways(db, WALKED)? {
        for along in ways {
            if sought.walk(db, along, Rows::Any, &mut each)?.is_break() {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let first = sought.after;
    let last: Option<i64> = db.prepare_cached("SELECT max(id) FROM media")?.query_row([], |row| row.get(0))?;
    sought.until = sought.until.min(last.unwrap_or(0));
    let ways = sought.ways(db, 0)?;
    for _ in 0..STRIDES {
        sought.after = first.max(sought.until.saturating_sub(STRIDE));
        for along in &ways {
            if sought.walk(db, *along, Rows::Falling, &mut each)?.is_break() {
                return Ok(true);
            }
        }
        if sought.after == first {
            return Ok(false);
        }
        sought.until = sought.after;
    }
    Ok(true)
}

fn walked_pages(db: &Connection, lexicon: &Lexicon, clumps: &mut Clumps, filter: &PageFilter) -> sql::Result<bool> {
    let mut left = WALKED;
    pages::each_shown(db, lexicon, filter, (STRIDE, STRIDES), &mut |number, point| {
        clumps.add_point(number, point);
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_few_cells_whatever_its_zoom() {
        let views = [
            [-90.0, -180.0, 90.0, 180.0],
            [-1e9, -720.0, 1e9, 720.0],
            [50.0, 8.0, 54.0, 12.0],
            [-20.0, 170.0, 20.0, -170.0],
            [-20.0, 170.0, 20.0, 190.0],
            [53.1, 8.1, 53.1, 8.1],
            [90.0, 0.0, 90.0, 1.0],
        ];
        for view in views {
            for zoom in [0, 1, 5, 12, 20, 255] {
                let grid = Grid::of(view, zoom).unwrap();
                assert!((1..=MOST).contains(&grid.cells()), "{view:?} {zoom}: {grid:?}");
            }
        }
        for none in [[1.0, 0.0, 0.0, 1.0], [f64::NAN, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, f64::INFINITY]] {
            assert_eq!(Grid::of(none, 3), None, "{none:?}");
        }
        let across = Grid::of([-20.0, 170.0, 20.0, -170.0], 6).unwrap();
        assert_eq!((across.columns.len(), across.columns[1].0), (2, 0));
        assert_eq!(across, Grid::of([-20.0, 170.0, 20.0, 190.0], 6).unwrap());
        // A cell is no more than 64 pixels wide on a screen.
        let screen = Grid::of([53.0, 8.0, 53.6, 9.7], 9).unwrap();
        assert_eq!(screen.level, 12);
    }
}
