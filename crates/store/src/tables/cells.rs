//! How many items and pages are in each part of the map. Copies of other items are not counted.
//!
//! The map is the square of the Mercator projection, halved `level` times each way. Cells are counted
//! at a few levels, each kind of what they hold for itself, in the transaction that moves what they
//! count. A cell whose only item is alone has no finer ones: its row says where the item is. So an
//! item that is far from others costs a row or two, and only places with many have fine cells. What
//! shares the finest cell, five metres at the equator, is never told apart.
//!
//! Points are counted in ten-millionths of a degree: sums stay exact whatever is added and taken.
//! How exact a location is makes no difference: what is known to be somewhere in a country is counted
//! at the point it is shown at, on every level, so that counts do not change with the zoom.

use facts::{LatLon, MediaKind};

use super::boxes::in_box;
use crate::sql::{self, OptionalExtension, Row, Transaction, params};

/// Levels that are counted, the coarsest first.
pub(super) const LEVELS: [u32; 8] = [2, 5, 8, 11, 14, 17, 20, 23];

/// The finest level.
pub(super) const FINEST: u32 = 23;

/// Ten-millionths of a degree.
const UNIT: f64 = 1e7;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Media(MediaKind),
    /// A page, and whether it is relevant.
    Page(bool),
}

/// A point, in ten-millionths of a degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub lat: i64,
    pub lon: i64,
}

/// Where a cell is: rows are counted from the north, columns from the west.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub level: u32,
    pub y: i64,
    pub x: i64,
}

/// What a cell holds of one sort.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub count: i64,
    /// The sum of the points.
    pub lat: i64,
    pub lon: i64,
    /// The largest of the numbers.
    pub newest: i64,
}

impl Sort {
    /// As the table has it.
    pub fn code(self) -> i64 {
        match self {
            Self::Media(MediaKind::Image) => 0,
            Self::Media(MediaKind::Video) => 1,
            Self::Media(MediaKind::Audio) => 2,
            Self::Page(false) => 3,
            Self::Page(true) => 4,
        }
    }
}

impl Point {
    pub fn of(at: LatLon) -> Self {
        Self { lat: (at.lat() * UNIT).round() as i64, lon: (at.lon() * UNIT).round() as i64 }
    }

    /// The mean of some points.
    pub fn mean(lat: i64, lon: i64, count: i64) -> Option<LatLon> {
        let count = count.max(1) as f64 * UNIT;
        LatLon::new((lat as f64 / count).clamp(-90.0, 90.0), (lon as f64 / count).clamp(-180.0, 180.0))
    }

    pub fn place(self, level: u32) -> Place {
        place_of(self.lat as f64 / UNIT, self.lon as f64 / UNIT).at(level)
    }
}

/// The finest cell of a point.
pub(super) fn place_of(lat: f64, lon: f64) -> Place {
    let side = f64::from(1u32 << FINEST);
    let cell = |share: f64| ((share * side) as i64).clamp(0, (1 << FINEST) - 1);
    let north = lat.to_radians().tan().asinh() / std::f64::consts::PI;
    Place { level: FINEST, y: cell((1.0 - north) / 2.0), x: cell((lon + 180.0) / 360.0) }
}

impl Place {
    /// The cell of a coarser level that it is in.
    pub fn at(self, level: u32) -> Self {
        let halvings = self.level.saturating_sub(level);
        Self { level, y: self.y >> halvings, x: self.x >> halvings }
    }

    /// South, west, north, east.
    pub fn bounds(self) -> [f64; 4] {
        let side = (1i64 << self.level) as f64;
        let lat = |y: i64| (std::f64::consts::PI * (1.0 - 2.0 * y as f64 / side)).sinh().atan().to_degrees();
        let lon = |x: i64| x as f64 / side * 360.0 - 180.0;
        // What is nearer to a pole than the projection goes is in the last row.
        let north = if self.y == 0 { 90.0 } else { lat(self.y) };
        let south = if self.y + 1 == 1 << self.level { -90.0 } else { lat(self.y + 1) };
        [south, lon(self.x), north, lon(self.x + 1)]
    }
}

/// Something is at this point from now on.
pub(super) fn add(db: &Transaction<'_>, sort: Sort, number: i64, point: Point) -> sql::Result<()> {
    let one = |point: Point, number| Held { count: 1, lat: point.lat, lon: point.lon, newest: number };
    for (k, level) in LEVELS.into_iter().enumerate() {
        let place = point.place(level);
        let Some(held) = read(db, sort, place)? else { return write(db, sort, place, one(point, number)) };
        let (lat, lon) = (held.lat + point.lat, held.lon + point.lon);
        write(db, sort, place, Held { count: held.count + 1, lat, lon, newest: held.newest.max(number) })?;
        if let (1, Some(finer)) = (held.count, LEVELS.get(k + 1)) {
            // The one that was alone here is not any more: it is counted one level further down.
            let other = Point { lat: held.lat, lon: held.lon };
            write(db, sort, other.place(*finer), one(other, held.newest))?;
        }
    }
    Ok(())
}

/// Something that was at this point is there no more. Its own row says so already.
pub(super) fn take(db: &Transaction<'_>, sort: Sort, number: i64, point: Point) -> sql::Result<()> {
    take_at(db, sort, number, point, 0)
}

fn take_at(db: &Transaction<'_>, sort: Sort, number: i64, point: Point, k: usize) -> sql::Result<()> {
    let Some(level) = LEVELS.get(k) else { return Ok(()) };
    let place = point.place(*level);
    let Some(held) = read(db, sort, place)? else { return Ok(()) };
    if held.count <= 1 {
        return delete(db, sort, place);
    }
    let (lat, lon) = (held.lat - point.lat, held.lon - point.lon);
    let mut left = Held { count: held.count - 1, lat, lon, newest: held.newest };
    if left.count == 1 {
        let other = Point { lat, lon };
        if held.newest == number {
            left.newest = alone(db, sort, number, point, other, k + 1)?;
        }
        // The one that is left is alone here, and needs no finer cells.
        for level in LEVELS.iter().skip(k + 1) {
            delete(db, sort, point.place(*level))?;
            delete(db, sort, other.place(*level))?;
            if point.place(*level) != other.place(*level) {
                break;
            }
        }
    } else {
        take_at(db, sort, number, point, k + 1)?;
        if held.newest == number {
            left.newest = newest_below(db, sort, number, place, k + 1)?;
        }
    }
    write(db, sort, place, left)
}

/// The number of the other of two.
fn alone(db: &Transaction<'_>, sort: Sort, number: i64, point: Point, other: Point, k: usize) -> sql::Result<i64> {
    for level in LEVELS.iter().skip(k) {
        let place = other.place(*level);
        if place != point.place(*level) {
            return Ok(read(db, sort, place)?.map_or(0, |held| held.newest));
        }
    }
    newest_at(db, sort, number, other.place(FINEST))
}

/// The largest number in a cell, by the cells of the next level, which are right already.
fn newest_below(db: &Transaction<'_>, sort: Sort, number: i64, place: Place, k: usize) -> sql::Result<i64> {
    let Some(level) = LEVELS.get(k) else { return newest_at(db, sort, number, place) };
    let finer = level - place.level;
    let (first, last) = (place.x << finer, ((place.x + 1) << finer) - 1);
    let mut newest = 0;
    for y in place.y << finer..(place.y + 1) << finer {
        let here: Option<i64> = db
            .prepare_cached(
                "SELECT max(newest) FROM cell WHERE level = ?1 AND y = ?2 AND x BETWEEN ?3 AND ?4 AND sort = ?5",
            )?
            .query_row(params![level, y, first, last, sort.code()], |row| row.get(0))?;
        newest = newest.max(here.unwrap_or(0));
    }
    Ok(newest)
}

/// The largest number but this one in a finest cell, by what is there.
fn newest_at(db: &Transaction<'_>, sort: Sort, number: i64, place: Place) -> sql::Result<i64> {
    let [south, west, north, east] = place.bounds();
    // Rounding may have moved a point over the border.
    let bounds = [south - 1e-6, west - 1e-6, north + 1e-6, east + 1e-6];
    let inside = in_box(db.dialect());
    let question = match sort {
        Sort::Media(_) => format!(
            "SELECT media.id, shown_lat, shown_lon FROM location INDEXED BY location_by_place
             CROSS JOIN media ON media.id = location.media
             WHERE best = 1 AND {inside} AND media.id <> ?
             AND shown_lat IS NOT NULL AND media.duplicate = 0 AND media.kind = ?"
        ),
        Sort::Page(_) => format!(
            "SELECT page.id, shown_lat, shown_lon FROM page_place INDEXED BY page_place_by_point
             CROSS JOIN page ON page.id = page_place.page
             WHERE {inside} AND page.id <> ?
             AND shown_lat IS NOT NULL AND page.relevant = ?"
        ),
    };
    let kind: &dyn sql::ToSql = match sort {
        Sort::Media(kind) => &kind.as_str(),
        Sort::Page(relevant) => &i64::from(relevant),
    };
    let mut select = db.prepare_cached(&question)?;
    let mut rows = select.query(params![bounds[0], bounds[1], bounds[2], bounds[3], number, kind])?;
    let mut newest = 0;
    while let Some(row) = rows.next()? {
        let point = Point { lat: row.get(1)?, lon: row.get(2)? };
        if point.place(FINEST) == place {
            newest = newest.max(row.get(0)?);
        }
    }
    Ok(newest)
}

fn read(db: &Transaction<'_>, sort: Sort, place: Place) -> sql::Result<Option<Held>> {
    db.prepare_cached("SELECT count, lat, lon, newest FROM cell WHERE level = ?1 AND y = ?2 AND x = ?3 AND sort = ?4")?
        .query_row(params![place.level, place.y, place.x, sort.code()], |row| Held::read(row, 0))
        .optional()
}

impl Held {
    /// Reads `count`, `lat`, `lon` and `newest`, the first of which is at this position.
    pub fn read(row: &Row<'_>, first: usize) -> sql::Result<Self> {
        Ok(Self {
            count: row.get(first)?,
            lat: row.get(first + 1)?,
            lon: row.get(first + 2)?,
            newest: row.get(first + 3)?,
        })
    }
}

fn write(db: &Transaction<'_>, sort: Sort, place: Place, held: Held) -> sql::Result<()> {
    db.prepare_cached(
        "INSERT INTO cell (level, y, x, sort, count, lat, lon, newest) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (level, y, x, sort) DO UPDATE SET count = excluded.count, lat = excluded.lat, lon = excluded.lon,
                                   newest = excluded.newest",
    )?
    .run(params![place.level, place.y, place.x, sort.code(), held.count, held.lat, held.lon, held.newest])?;
    Ok(())
}

fn delete(db: &Transaction<'_>, sort: Sort, place: Place) -> sql::Result<()> {
    db.prepare_cached("DELETE FROM cell WHERE level = ?1 AND y = ?2 AND x = ?3 AND sort = ?4")?.run(params![
        place.level,
        place.y,
        place.x,
        sort.code()
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_in_its_cell_on_every_level() {
        for (lat, lon) in [(0.0, 0.0), (53.14, 8.21), (-33.9, 151.2), (89.9, -180.0), (-90.0, 180.0), (85.06, 179.999)]
        {
            let point = Point::of(LatLon::new(lat, lon).unwrap());
            for level in 0..=FINEST {
                let place = point.place(level);
                let [south, west, north, east] = place.bounds();
                assert!(south - 1e-7 <= lat && lat <= north + 1e-7, "{lat} in {place:?} {south} {north}");
                assert!(west <= lon && lon <= east, "{lon} in {place:?}");
                assert!((0..1 << level).contains(&place.y) && (0..1 << level).contains(&place.x));
            }
        }
    }
}
