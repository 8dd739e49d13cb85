//! Where a file was made: one row for each source that knows, of which the best is shown.
//!
//! What words say is kept where it was said (`said`, and the focus of `page`); of all that is heard
//! from one source about a file, the surest is its row of `location`. A row is taken when something
//! surer is offered, and looked for again only when what it was taken from is not said any more: a
//! picture that a hundred thousand pages show costs each of them no more than any other.

use crate::sql::{self, Connection, OptionalExtension, Row, Transaction, params};
use facts::{LatLon, Locality, MediaId, MediaKind};
use media::Location;

use super::cells::{self, Point, Sort};
use super::groups;
use super::orders::{by_doubt, by_place};
use super::whereabouts::{COLUMNS, Names};
use super::wording;
use crate::Said;

/// Sources of a location, the most believed first: the word of a person, the file's own parts as
/// `media` ranks them, those of a copy, then words. What is not named here comes after all that is.
const RANK: [&str; 13] = [
    "person",
    "exif",
    "xmp",
    "quicktime",
    "loci",
    "matroska",
    "vorbis",
    COPY,
    "iptc",
    "structured",
    "caption",
    "description",
    "page",
];

/// What a copy of the file carries.
const COPY: &str = "copy";

/// Sources that are no words.
const FIXES: usize = 8;

/// Words that are less exact than this, in metres, come after all that are more.
const COARSE: f64 = 25_000.0;

/// Which of what one source says is taken: the surest, then the finest, then the first.
const ORDER: &str = "-confidence, precision, page, media_address";

/// Where a location stands among those of a file; the least is the best.
pub(super) fn rank(source: &str, precision: Option<f64>) -> (bool, usize) {
    let place = RANK.iter().position(|known| *known == source).unwrap_or(RANK.len());
    (place >= FIXES && precision.is_some_and(|metres| metres > COARSE), place)
}

/// Writes what the file itself carries, with the names of what is there.
pub(super) fn carry(
    db: &Transaction<'_>,
    media: i64,
    location: &Location,
    locality: Option<&Locality>,
) -> sql::Result<()> {
    db.prepare_cached(
        "INSERT INTO location (media, source, lat, lon, altitude, direction, date, confidence)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1.0) ON CONFLICT DO NOTHING",
    )?
    .run(params![
        media,
        location.source.as_str(),
        location.at.lat(),
        location.at.lon(),
        location.altitude,
        location.direction,
        location.date.map(|date| date.0),
    ])?;
    if let Some(locality) = locality {
        write_names(db, media, location, locality)?;
    }
    elect(db, media).map(drop)
}

/// Adds the names of what is where the file says it was made, when they were missing.
pub(super) fn name(db: &Transaction<'_>, media: i64, location: &Location, locality: &Locality) -> sql::Result<()> {
    if write_names(db, media, location, locality)? { elect(db, media).map(drop) } else { Ok(()) }
}

fn write_names(db: &Transaction<'_>, media: i64, location: &Location, locality: &Locality) -> sql::Result<bool> {
    let Names { place, town, admin1, country } = Names::of(locality);
    let named = db
        .prepare_cached(
            "UPDATE location SET place = ?3, town = ?4, admin1 = ?5, country = ?6
             WHERE media = ?1 AND source = ?2 AND place IS NULL",
        )?
        .execute(params![media, location.source.as_str(), place, town, admin1, country])?;
    Ok(named > 0)
}

/// Lets an original have what the best of its copies that knows it carries, where it carries nothing
/// itself: a person who looks for the place is to find it, whichever file of a photo says so.
pub(super) fn learn_from(db: &Transaction<'_>, media: i64, copies: &[i64]) -> sql::Result<()> {
    let mut select = db.prepare_cached(
        "SELECT source FROM location JOIN media ON media.id = location.media WHERE media = ?1 AND rejected = 0",
    )?;
    let mut carries = |file: i64| -> sql::Result<Option<String>> {
        let sources = select.query_map([file], |row| row.get(0))?.collect::<sql::Result<Vec<String>>>()?;
        let fixes = sources.into_iter().filter(|source| source != COPY && rank(source, None).1 < FIXES);
        Ok(fixes.min_by_key(|source| rank(source, None)))
    };
    let mut found = None;
    if carries(media)?.is_none() {
        for copy in copies {
            if let Some(source) = carries(*copy)? {
                found = Some((*copy, source));
                break;
            }
        }
    }
    let forgotten =
        db.prepare_cached("DELETE FROM location WHERE media = ?1 AND source = ?2")?.execute(params![media, COPY])?;
    let mut learnt = 0;
    if let Some((copy, source)) = found {
        learnt = db
            .prepare_cached(
                "INSERT INTO location (media, source, lat, lon, altitude, direction, date, precision, confidence,
                                       evidence, address, place, town, admin1, country)
                 SELECT ?1, ?2, lat, lon, altitude, direction, date, precision, confidence, source, address, place,
                        town, admin1, country
                 FROM location WHERE media = ?3 AND source = ?4",
            )?
            .execute(params![media, COPY, copy, source])?;
    }
    if forgotten + learnt > 0 { elect(db, media).map(drop) } else { Ok(()) }
}

/// Lets a file have what is said at one of its addresses, by one page or by all, where that is surer
/// than what it has. Whether these are the first words about it.
pub(super) fn offer(db: &Transaction<'_>, media: i64, address: i64, page: Option<i64>) -> sql::Result<bool> {
    let surer = "(-excluded.confidence, excluded.precision, excluded.page, excluded.media_address)
                 < (-location.confidence, location.precision, location.page, location.media_address)";
    let taken = match page {
        Some(page) => {
            db.prepare_cached(&take(db, "media_address = ?1 AND page = ?2", surer))?.execute([address, page])?
        }
        None => db.prepare_cached(&take(db, "media_address = ?1", surer))?.execute([address])?,
    };
    if taken > 0 { elect(db, media) } else { Ok(false) }
}

/// After something that was said about a file, by this page or by any, is not said any more, or is
/// said otherwise. Pages are to [`offer`] what they say now.
pub(super) fn refresh(db: &Transaction<'_>, media: i64, page: Option<i64>) -> sql::Result<()> {
    let rows = db
        .prepare_cached(
            "SELECT source, media_address, page FROM location
             WHERE media = ?1 AND media_address IS NOT NULL AND (page = ?2 OR ?2 IS NULL)",
        )?
        .query_map(params![media, page], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<sql::Result<Vec<(String, i64, i64)>>>()?;
    for (source, address, page) in &rows {
        // As sure as before, it is before all others still.
        let no_less = "(-excluded.confidence, excluded.precision) <= (-location.confidence, location.precision)";
        let which =
            "media = ?1 AND source = ?2 AND media_address = ?3 AND page = ?4 ORDER BY -confidence, precision LIMIT 1";
        let stands = db.prepare_cached(&take(db, which, no_less))?.execute(params![media, source, address, page])?;
        if stands == 0 {
            db.prepare_cached("DELETE FROM location WHERE media = ?1 AND source = ?2")?.run(params![media, source])?;
            let which = format!("media = ?1 AND source = ?2 ORDER BY {ORDER} LIMIT 1");
            db.prepare_cached(&take(db, &which, "true"))?.run(params![media, source])?;
        }
    }
    if rows.is_empty() { Ok(()) } else { elect(db, media).map(drop) }
}

/// Takes rows of `heard` as locations, in place of those that they come before.
fn take(db: &Connection, which: &str, before: &str) -> String {
    let set: Vec<String> = COLUMNS
        .split(", ")
        .chain(["media_address", "page"])
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    // PostgreSQL takes one row for each, and has to be told that it is the first.
    let ordered = format!(" ORDER BY media, source, {ORDER}");
    let (select, order) = match which.contains("ORDER BY") {
        true => ("SELECT", ""),
        false => db.dialect().choose(("SELECT", ""), ("SELECT DISTINCT ON (media, source)", ordered.as_str())),
    };
    format!(
        "INSERT INTO location (media, source, {COLUMNS}, media_address, page)
         {select} media, source, {COLUMNS}, media_address, page FROM heard WHERE {which}{order}
         ON CONFLICT (media, source) DO UPDATE SET {} WHERE {before}",
        set.join(", ")
    )
}

/// What decides between the locations of a file, and what follows for it from the best.
struct Candidate {
    source: String,
    precision: Option<f64>,
    confidence: f64,
    verified: bool,
    by_place: Option<String>,
    point: Option<Point>,
}

impl Candidate {
    fn read(row: &Row<'_>) -> sql::Result<Self> {
        let name = |column: usize| row.get_ref(column)?.as_str_or_null();
        Ok(Self {
            source: row.get(0)?,
            precision: row.get(1)?,
            confidence: row.get(2)?,
            verified: row.get(3)?,
            by_place: by_place(name(4)?, name(5)?, name(6)?),
            point: LatLon::new(row.get(7)?, row.get(8)?).map(Point::of),
        })
    }
}

/// Marks the best of a file's locations; none when a person said that nobody knows. Whether it is the
/// first time that one is from words.
fn elect(db: &Transaction<'_>, media: i64) -> sql::Result<bool> {
    let (rejected, was_worded, duplicate): (bool, bool, bool) = db
        .prepare_cached("SELECT rejected, worded, duplicate FROM media WHERE id = ?1")?
        .query_row([media], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let known = db
        .prepare_cached(
            "SELECT source, precision, confidence, verified, country, admin1, town, lat, lon FROM location
             WHERE media = ?1",
        )?
        .query_map([media], Candidate::read)?
        .collect::<sql::Result<Vec<_>>>()?;
    let best = known.iter().min_by_key(|known| rank(&known.source, known.precision)).filter(|_| !rejected);
    db.prepare_cached(
        "UPDATE location SET best = CASE WHEN source = ?2 THEN 1 ELSE 0 END, duplicate = ?3
         WHERE media = ?1 AND (best, duplicate) IS DISTINCT FROM (CASE WHEN source = ?2 THEN 1 ELSE 0 END, ?3)",
    )?
    .run(params![media, best.map_or("", |best| &best.source), duplicate])?;
    let worded = !rejected && known.iter().any(|known| rank(&known.source, None).1 >= FIXES);
    let located = best.map_or(0, |best| 1 + i64::from(best.verified));
    let doubt = best.filter(|best| !best.verified).map(|best| by_doubt(best.confidence, best.precision));
    db.prepare_cached(
        "UPDATE media SET worded = ?2, located = ?3, by_place = ?4, by_doubt = ?5
         WHERE id = ?1 AND (worded, located, by_place, by_doubt) IS DISTINCT FROM (?2, ?3, ?4, ?5)",
    )?
    .run(params![media, worded, located, best.and_then(|best| best.by_place.as_ref()), doubt])?;
    show(db, media, best.and_then(|best| best.point))?;
    db.touch(media);
    Ok(worded && !was_worded)
}

/// A file is shown at this point from now on, or at none. On the map, originals are counted.
pub(super) fn show(db: &Transaction<'_>, media: i64, point: Option<Point>) -> sql::Result<()> {
    let shown = Shown::read(db, media)?;
    if shown.point == point {
        return Ok(());
    }
    db.prepare_cached("UPDATE media SET shown_lat = ?2, shown_lon = ?3 WHERE id = ?1")?.execute(params![
        media,
        point.map(|point| point.lat),
        point.map(|point| point.lon)
    ])?;
    if shown.duplicate {
        return Ok(());
    }
    shown.take(db, media)?;
    Shown { point, ..shown }.add(db, media)
}

/// A file is a copy from now on, or is none any more.
pub(super) fn mark_duplicate(db: &Transaction<'_>, media: i64, duplicate: bool) -> sql::Result<()> {
    if duplicate {
        learn_from(db, media, &[])?;
    }
    let changed = db
        .prepare_cached("UPDATE media SET duplicate = ?2 WHERE id = ?1 AND duplicate <> ?2")?
        .execute(params![media, duplicate])?;
    if changed == 0 {
        return Ok(());
    }
    db.prepare_cached("UPDATE location SET duplicate = ?2 WHERE media = ?1")?.run(params![media, duplicate])?;
    wording::mark_duplicate(db, media, duplicate)?;
    let shown = Shown::read(db, media)?;
    if duplicate { shown.take(db, media) } else { shown.add(db, media) }
}

/// Where a file is shown.
struct Shown {
    sort: Option<Sort>,
    point: Option<Point>,
    duplicate: bool,
}

impl Shown {
    fn read(db: &Transaction<'_>, media: i64) -> sql::Result<Self> {
        db.prepare_cached("SELECT kind, shown_lat, shown_lon, duplicate FROM media WHERE id = ?1")?.query_row(
            [media],
            |row| {
                let (lat, lon): (Option<i64>, Option<i64>) = (row.get(1)?, row.get(2)?);
                Ok(Self {
                    sort: MediaKind::parse(&row.get::<_, String>(0)?).map(Sort::Media),
                    point: lat.zip(lon).map(|(lat, lon)| Point { lat, lon }),
                    duplicate: row.get(3)?,
                })
            },
        )
    }

    fn add(&self, db: &Transaction<'_>, media: i64) -> sql::Result<()> {
        self.sort.zip(self.point).map_or(Ok(()), |(sort, point)| cells::add(db, sort, media, point))
    }

    fn take(&self, db: &Transaction<'_>, media: i64) -> sql::Result<()> {
        self.sort.zip(self.point).map_or(Ok(()), |(sort, point)| cells::take(db, sort, media, point))
    }
}

/// Writes down, or takes back, what a person says; `false` when there is no such file, or nothing to
/// confirm.
pub(super) fn set(db: &Transaction<'_>, id: MediaId, said: &Said) -> sql::Result<bool> {
    let media: Option<i64> = db
        .prepare_cached("SELECT id FROM media WHERE sha256 = ?1")?
        .query_row([id.as_bytes()], |row| row.get(0))
        .optional()?;
    let Some(media) = media else { return Ok(false) };
    if *said == Said::Confirm {
        let confirmed = db.execute(
            "INSERT INTO person_said (sha256, lat, lon, altitude, direction, date, precision, evidence, address, place,
                                      town, admin1, country)
             SELECT ?2, lat, lon, altitude, direction, date, precision, evidence, address, place, town, admin1, country
             FROM location WHERE media = ?1 AND best = 1
             ON CONFLICT DO NOTHING",
            params![media, id.as_bytes()],
        )?;
        let person = "SELECT 1 FROM location WHERE media = ?1 AND best = 1 AND source = 'person'";
        if confirmed == 0 {
            return db.prepare_cached(person)?.exists([media]);
        }
    } else {
        db.execute("DELETE FROM person_said WHERE sha256 = ?1", [id.as_bytes()])?;
    }
    match said {
        Said::Point(at, locality) => {
            let Names { place, town, admin1, country } = Names::of(locality);
            db.execute(
                "INSERT INTO person_said (sha256, lat, lon, place, town, admin1, country)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![id.as_bytes(), at.lat(), at.lon(), place, town, admin1, country],
            )?;
        }
        Said::Reject => drop(db.execute("INSERT INTO person_said (sha256) VALUES (?1)", [id.as_bytes()])?),
        Said::Confirm | Said::Nothing => {}
    }
    db.execute("DELETE FROM location WHERE media = ?1 AND source = 'person'", [media])?;
    db.execute("UPDATE media SET rejected = 0 WHERE id = ?1", [media])?;
    recall(db, media, id)?;
    elect(db, media)?;
    groups::tell_original(db, media)?;
    Ok(true)
}

/// What a person said of this content when it was here before.
pub(super) fn recall(db: &Transaction<'_>, media: i64, id: MediaId) -> sql::Result<()> {
    let rejected = db
        .prepare_cached(
            "UPDATE media SET rejected = 1
             WHERE id = ?1 AND EXISTS (SELECT 1 FROM person_said WHERE sha256 = ?2 AND lat IS NULL)",
        )?
        .execute(params![media, id.as_bytes()])?;
    let recalled = db
        .prepare_cached(
            "INSERT INTO location (media, source, lat, lon, altitude, direction, date, precision, confidence, evidence,
                                   address, place, town, admin1, country, verified)
             SELECT ?1, 'person', lat, lon, altitude, direction, date, precision, 1.0, evidence, address, place, town,
                    admin1, country, 1
             FROM person_said WHERE sha256 = ?2 AND lat IS NOT NULL",
        )?
        .execute(params![media, id.as_bytes()])?;
    if rejected + recalled > 0 { elect(db, media).map(drop) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_believed_before_files_and_files_before_words() {
        let sources = ["person", "exif", "xmp", "quicktime", "vorbis", "iptc", "description", "page", "no such source"];
        assert!(sources.is_sorted_by_key(|source| rank(source, Some(10.0))));
        assert!(rank("vorbis", None) < rank("iptc", None) && RANK[FIXES] == "iptc");
    }

    #[test]
    fn words_about_a_whole_country_come_last() {
        let coarse = Some(300_000.0);
        assert!(rank("page", Some(25_000.0)) < rank("iptc", coarse));
        assert!(rank("iptc", coarse) < rank("page", coarse));
        assert!(rank("person", coarse) < rank("exif", coarse) && rank("exif", coarse) < rank("iptc", Some(1.0)));
    }
}
