//! The tables of the embedded library against each other.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

/// Each question finds rows that should not be.
const WRONG: &[(&str, &str)] = &[
    ("a row that leads nowhere", "PRAGMA foreign_key_check"),
    (
        "pages of a host",
        "SELECT name FROM host WHERE pages <> (SELECT count(*) FROM page WHERE page.host = host.id)",
    ),
    (
        "images of a host",
        "SELECT name FROM host WHERE images <>
             (SELECT count(*) FROM media_address JOIN media ON media.id = media_address.media
              WHERE media_address.host = host.id AND media.kind = 'image')",
    ),
    (
        "geotagged images of a host",
        "SELECT name FROM host WHERE geotagged <>
             (SELECT count(*) FROM media_address JOIN media ON media.id = media_address.media
              WHERE media_address.host = host.id AND media.kind = 'image' AND media.geotagged)",
    ),
    ("media that no address holds", "SELECT id FROM media WHERE id NOT IN (SELECT media FROM media_address WHERE media IS NOT NULL)"),
    (
        "the host of media",
        "SELECT id FROM media WHERE host NOT IN (SELECT host FROM media_address WHERE media = media.id)",
    ),
    (
        "hosts that media are found on",
        "SELECT * FROM (SELECT host, media FROM media_host EXCEPT SELECT host, media FROM found)
         UNION ALL SELECT * FROM (SELECT host, media FROM found EXCEPT SELECT host, media FROM media_host)",
    ),
    (
        "crawls that saw media",
        "SELECT * FROM (SELECT crawl, media FROM media_crawl EXCEPT SELECT crawl, media FROM seen)
         UNION ALL SELECT * FROM (SELECT crawl, media FROM seen EXCEPT SELECT crawl, media FROM media_crawl)",
    ),
    (
        "the order by host",
        "SELECT media.id FROM media JOIN host ON host.id = media.host WHERE by_host <> name",
    ),
    (
        "what is shown of a location",
        "SELECT id FROM media LEFT JOIN location ON location.media = media.id AND best = 1
         WHERE located <> iif(source IS NULL, 0, 1 + verified)
            OR (by_doubt IS NULL) <> (located <> 1)
            OR by_place IS NOT iif(location.country <> '', location.country || char(1) || coalesce(admin1, '') || char(1)
                                                           || coalesce(town, ''), NULL)",
    ),
    (
        "figures of media",
        "SELECT name FROM (SELECT name, count FROM figure WHERE name NOT LIKE 'tld/%' EXCEPT SELECT name, count FROM counted_now)
         UNION ALL SELECT name FROM (SELECT name, count FROM counted_now EXCEPT SELECT name, count FROM figure)",
    ),
    (
        "items with words and without",
        "SELECT id FROM media WHERE described IS NULL
         UNION ALL SELECT * FROM (SELECT id FROM item_words_docsize EXCEPT SELECT id FROM media)
         UNION ALL SELECT * FROM (SELECT id FROM media EXCEPT SELECT id FROM item_words_docsize)",
    ),
    (
        "pages with words and without",
        "SELECT id FROM page WHERE (described IS NULL) <> (places = 0)
         UNION ALL SELECT * FROM (SELECT id FROM page_words_docsize EXCEPT SELECT id FROM page WHERE places > 0)
         UNION ALL SELECT * FROM (SELECT id FROM page WHERE places > 0 EXCEPT SELECT id FROM page_words_docsize)",
    ),
    (
        "the best location",
        "SELECT media FROM location JOIN media ON media.id = location.media
         GROUP BY media HAVING sum(best) <> iif(rejected, 0, 1)",
    ),
    (
        "locations of copies",
        "SELECT media FROM location JOIN media ON media.id = location.media WHERE location.duplicate <> media.duplicate",
    ),
    (
        "geotagged",
        "SELECT id FROM media WHERE geotagged <>
             (id IN (SELECT media FROM location WHERE media_address IS NULL AND source <> 'person'))",
    ),
    (
        "what is known from words",
        "SELECT id FROM media
         WHERE worded <> (NOT rejected AND id IN (SELECT media FROM location WHERE media_address IS NOT NULL))",
    ),
    (
        "what was taken of what was said",
        "SELECT * FROM (SELECT * FROM taken EXCEPT SELECT * FROM surest)
         UNION ALL SELECT * FROM (SELECT * FROM surest EXCEPT SELECT * FROM taken)",
    ),
    (
        "the word of a person",
        "SELECT media FROM location WHERE source = 'person' AND media NOT IN
             (SELECT id FROM media JOIN person_said USING (sha256)
              WHERE (person_said.lat, person_said.lon) = (location.lat, location.lon) AND verified AND confidence = 1)
         UNION ALL SELECT id FROM media JOIN person_said USING (sha256)
         WHERE person_said.lat IS NOT NULL AND id NOT IN (SELECT media FROM location WHERE source = 'person')
         UNION ALL SELECT id FROM media LEFT JOIN person_said USING (sha256)
         WHERE rejected <> (person_said.sha256 IS NOT NULL AND person_said.lat IS NULL)",
    ),
    ("texts of a person that say nothing", "SELECT 1 FROM person_text WHERE title IS NULL AND description IS NULL"),
    (
        "what was said on no page",
        "SELECT page FROM said WHERE page <> 0 AND (page, media_address) NOT IN (SELECT page, media_address FROM reference)",
    ),
    (
        "places of a page",
        "SELECT id FROM page WHERE places <> (SELECT count(*) FROM page_place WHERE page = page.id)
             OR places > 100
             OR (focus IS NOT NULL AND focus NOT IN (SELECT number FROM page_place WHERE page = page.id))",
    ),
    (
        "relevant pages",
        "SELECT id FROM page WHERE relevant <>
             (SELECT count(*) > 0 FROM (SELECT relevant, max(round) FROM visit
                                        WHERE url_id = page.url_id AND outcome = 'page' GROUP BY crawl)
              WHERE relevant)",
    ),
    (
        "relevant pages of a task",
        "SELECT id FROM task WHERE relevant <> (SELECT coalesce(sum(visit.relevant), 0) FROM visit WHERE task = task.id)",
    ),
    (
        "the harvest",
        "SELECT * FROM (SELECT * FROM harvest EXCEPT SELECT * FROM harvested)
         UNION ALL SELECT * FROM (SELECT * FROM harvested EXCEPT SELECT * FROM harvest)",
    ),
    (
        "pages that were followed",
        "SELECT id FROM visit WHERE followed <> EXISTS (SELECT 1 FROM visit AS child
             WHERE child.crawl = visit.crawl AND child.parent = visit.url_id AND child.outcome = 'page'
             AND child.id > visit.id AND NOT EXISTS
                 (SELECT 1 FROM visit AS later WHERE later.crawl = visit.crawl AND later.url_id = visit.url_id
                  AND later.outcome = 'page' AND later.round > visit.round AND later.id < child.id))",
    ),
    (
        "answers of a crawl",
        "SELECT id FROM crawl WHERE (SELECT coalesce(sum(count), 0) FROM tally WHERE tally.crawl = crawl.id AND name = 'fetched')
             <> (SELECT count(*) FROM visit WHERE visit.crawl = crawl.id AND status IS NOT NULL)",
    ),
    (
        "images located by words",
        "SELECT crawl FROM (SELECT id AS crawl FROM crawl) WHERE NOT EXISTS (SELECT 1 FROM forgotten)
         AND (SELECT coalesce(sum(count), 0) FROM tally WHERE tally.crawl = crawl AND name = 'located')
             <> (SELECT count(*) FROM sighting WHERE sighting.crawl = crawl AND located)",
    ),
    (
        "imported files and their addresses",
        "SELECT path FROM imported WHERE (media_address IS NULL) = (refused IS NULL)",
    ),
    (
        "what is forgotten",
        "SELECT name FROM host JOIN media_address ON media_address.host = host.id
         WHERE CAST(name AS BLOB) IN (SELECT key FROM forgotten WHERE kind = 'host')
            OR url_id IN (SELECT key FROM forgotten WHERE kind = 'address')
         UNION ALL SELECT url FROM page JOIN host ON host.id = page.host
         WHERE CAST(name AS BLOB) IN (SELECT key FROM forgotten WHERE kind = 'host')
            OR url_id IN (SELECT key FROM forgotten WHERE kind = 'address')
         UNION ALL SELECT path FROM media WHERE sha256 IN (SELECT key FROM forgotten WHERE kind = 'content')
         UNION ALL SELECT url FROM visit WHERE url <> '' AND url_id IN (SELECT key FROM forgotten WHERE kind = 'address')",
    ),
    (
        "groups of copies",
        "SELECT id FROM copy_group WHERE members < 2
             OR members <> (SELECT count(*) FROM copy_member WHERE copy_group = copy_group.id)
             OR original <> (SELECT media FROM copy_member WHERE copy_group = copy_group.id
                             ORDER BY pixels DESC, seconds DESC, rate DESC, metadata DESC, media LIMIT 1)",
    ),
    (
        "copies",
        "SELECT id FROM media WHERE duplicate <>
             (id IN (SELECT media FROM copy_member) AND id NOT IN (SELECT original FROM copy_group))
         UNION ALL SELECT media FROM copy_member
         WHERE media NOT IN (SELECT id FROM media) OR copy_group NOT IN (SELECT id FROM copy_group) OR why IS NULL",
    ),
    (
        "contents that are set apart",
        "SELECT one FROM person_apart WHERE one = other OR said NOT IN (one, other)
            OR (other, one, said) NOT IN (SELECT one, other, said FROM person_apart)
         UNION ALL SELECT one FROM person_apart JOIN media AS a ON a.sha256 = one JOIN media AS b ON b.sha256 = other
         JOIN copy_member AS x ON x.media = a.id JOIN copy_member AS y ON y.media = b.id AND y.copy_group = x.copy_group",
    ),
    (
        "points and clusters",
        "SELECT description.media FROM description LEFT JOIN alike
             ON alike.cluster = description.cluster AND alike.number = description.place
         WHERE place IS NOT NULL AND (alike.media IS NOT description.media OR bytes IS NULL)
         UNION ALL SELECT alike.media FROM alike LEFT JOIN description ON description.media = alike.media
         WHERE description.place IS NOT alike.number OR alike.number >= (SELECT max(next) FROM alike_number)
         UNION ALL SELECT id FROM alike_cluster
         WHERE members <> (SELECT count(*) FROM alike WHERE cluster = alike_cluster.id)
         UNION ALL SELECT media FROM alike WHERE cluster NOT IN (SELECT id FROM alike_cluster)",
    ),
    (
        "descriptions",
        "SELECT media.id FROM media LEFT JOIN description ON description.media = media.id
         WHERE description_version <> coalesce(version, 0) OR (version IS NOT NULL AND (bytes IS NULL) = (trouble IS NULL))
         UNION ALL SELECT media FROM description WHERE media NOT IN (SELECT id FROM media)",
    ),
    (
        "what copies are found by",
        "SELECT picture_hash.id FROM picture_hash LEFT JOIN description ON description.media = picture_hash.media
         WHERE description.version IS NOT picture_hash.version OR bytes IS NULL OR length(bits) <> 32
         UNION ALL SELECT key FROM copy_key LEFT JOIN description ON description.media = copy_key.media WHERE keys IS NULL",
    ),
    (
        "addresses that can be visited again",
        "SELECT url FROM visit WHERE again = 1 GROUP BY crawl, url_id HAVING count(*) > 1
         UNION ALL SELECT url FROM visit WHERE change IS NOT NULL AND change NOT IN ('changed', 'gone', 'back')
         UNION ALL SELECT name FROM tally WHERE name LIKE 'revisit/%/changed' GROUP BY crawl, name
         HAVING sum(count) <> (SELECT count(*) FROM visit WHERE visit.crawl = tally.crawl AND change = 'changed'
                               AND 'revisit/' || kind || '/changed' = tally.name)",
    ),
    (
        "kept media of a crawl",
        "SELECT crawl FROM tally WHERE name LIKE 'kept/%' GROUP BY crawl
         HAVING sum(count) <> (SELECT count(*) FROM visit WHERE visit.crawl = tally.crawl AND outcome = 'media')",
    ),
];

/// Every host that media have an address on, or a page that shows them.
const FOUND: &str = "CREATE TEMP VIEW found AS
    SELECT host, media FROM media_address WHERE media IS NOT NULL
    UNION
    SELECT page.host, media_address.media FROM reference
    JOIN page ON page.id = reference.page JOIN media_address ON media_address.id = reference.media_address
    WHERE media_address.media IS NOT NULL";

/// Every crawl that saw an address of media.
const SEEN: &str = "CREATE TEMP VIEW seen AS
    SELECT DISTINCT crawl, media FROM sighting JOIN media_address ON media_address.id = sighting.media_address
    WHERE media IS NOT NULL";

/// What the figures of all media should be.
const COUNTED: &str = "CREATE TEMP VIEW counted_now AS
    SELECT 'media/' || kind AS name, count(*) AS count FROM media GROUP BY kind
    UNION ALL SELECT 'bytes', sum(size) FROM media WHERE path NOT LIKE '/%' HAVING count(*) > 0
    UNION ALL SELECT 'geotagged', count(*) FROM media WHERE kind = 'image' AND geotagged HAVING count(*) > 0
    UNION ALL SELECT 'worded', count(*) FROM media WHERE kind = 'image' AND worded AND NOT geotagged HAVING count(*) > 0
    UNION ALL SELECT 'wrong', count(*) FROM media WHERE kind = 'image' AND wrong_location IS NOT NULL HAVING count(*) > 0
    UNION ALL SELECT 'width', sum(width) FROM media WHERE kind = 'image' AND width IS NOT NULL HAVING count(*) > 0
    UNION ALL SELECT 'widths', count(*) FROM media WHERE kind = 'image' AND width IS NOT NULL HAVING count(*) > 0
    UNION ALL SELECT 'height', sum(height) FROM media WHERE kind = 'image' AND height IS NOT NULL HAVING count(*) > 0
    UNION ALL SELECT 'heights', count(*) FROM media WHERE kind = 'image' AND height IS NOT NULL HAVING count(*) > 0
    UNION ALL SELECT 'month/' || substr(taken, 1, 7) AS name, count(*) FROM media
    WHERE kind = 'image' AND taken IS NOT NULL GROUP BY name
    UNION ALL SELECT 'country/' || location.country AS name, count(*) FROM media
    JOIN location ON location.media = media.id AND best = 1
    WHERE kind = 'image' AND location.country <> '' GROUP BY name";

/// What is to be taken of what was said, and what was.
const SAID: &str = "CREATE TEMP VIEW surest AS
    SELECT media, source, lat, lon, precision, confidence, evidence, address, place, town, admin1, country, page,
           media_address
    FROM (SELECT *, row_number() OVER (PARTITION BY media, source
                                       ORDER BY confidence DESC, precision, page, media_address) AS place_in_order
          FROM heard) WHERE place_in_order = 1;
    CREATE TEMP VIEW taken AS
    SELECT media, source, lat, lon, precision, confidence, evidence, address, place, town, admin1, country, page,
           media_address
    FROM location WHERE media_address IS NOT NULL";

/// What pages give of the harvest of each crawl, and what was counted.
const HARVEST: &str = "CREATE TEMP VIEW harvest AS
    SELECT crawl, 'relevant' AS name, count(*) AS count FROM visit WHERE relevant GROUP BY crawl
    UNION ALL SELECT crawl, 'seed-distance/' || min(depth, 63) AS name, count(*) FROM visit
    WHERE relevant GROUP BY crawl, name
    UNION ALL SELECT crawl, 'bridge/' || min(branch - 1, 63) AS name, count(*) FROM visit
    WHERE relevant AND branch IS NOT NULL GROUP BY crawl, name
    UNION ALL SELECT crawl, 'tail/' || min(iif(relevant, 0, branch), 63) AS name, count(*) FROM visit
    WHERE outcome = 'page' AND NOT followed AND (relevant OR branch IS NOT NULL) GROUP BY crawl, name;
    CREATE TEMP VIEW harvested AS
    SELECT crawl, name, sum(count) AS count FROM tally
    WHERE name = 'relevant' OR name LIKE 'seed-distance/%' OR name LIKE 'bridge/%' OR name LIKE 'tail/%'
    GROUP BY crawl, name HAVING sum(count) <> 0";

/// What is shown on maps: a number, the code of its sort, and its point in ten-millionths of a degree.
const SHOWN: &str = "SELECT id, CASE kind WHEN 'image' THEN 0 WHEN 'video' THEN 1 ELSE 2 END,
        CAST(round(lat * 1e7) AS INTEGER), CAST(round(lon * 1e7) AS INTEGER), shown_lat, shown_lon, media.duplicate
    FROM media LEFT JOIN location ON location.media = media.id AND best = 1
    UNION ALL SELECT id, 3 + page.relevant, CAST(round(lat * 1e7) AS INTEGER), CAST(round(lon * 1e7) AS INTEGER),
        shown_lat, shown_lon, 0
    FROM page LEFT JOIN page_place ON page_place.page = page.id AND number = coalesce(page.focus,
        (SELECT number FROM page_place WHERE page_place.page = page.id ORDER BY confidence DESC, precision, number
         LIMIT 1))";

/// Cells against a count of what is in them: a level is counted where the coarser one holds several.
fn audit_cells(db: &Connection) {
    type Cells = BTreeMap<(u32, i64, i64, i64), (i64, i64, i64, i64)>;
    let finest = |lat: i64, lon: i64| {
        let side = f64::from(1 << 23);
        let north = (lat as f64 / 1e7).to_radians().tan().asinh() / std::f64::consts::PI;
        let cell = |share: f64| ((share * side).floor() as i64).clamp(0, (1 << 23) - 1);
        (cell((1.0 - north) / 2.0), cell((lon as f64 / 1e7 + 180.0) / 360.0))
    };
    let mut points = Vec::new();
    let mut rows = db.prepare(SHOWN).unwrap();
    let mut rows = rows.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let number = |column| row.get::<_, Option<i64>>(column).unwrap();
        assert_eq!((number(2), number(3)), (number(4), number(5)), "the point that {:?} is shown at", number(0));
        // Copies of others are not counted on the map.
        if number(6) == Some(0)
            && let (Some(id), Some(sort), Some(lat), Some(lon)) = (number(0), number(1), number(2), number(3))
        {
            points.push((id, sort, lat, lon));
        }
    }
    let mut expected = Cells::new();
    let levels = [2, 5, 8, 11, 14, 17, 20, 23];
    for (k, level) in levels.into_iter().enumerate() {
        let of = |level: u32, sort, lat, lon| {
            let (y, x) = finest(lat, lon);
            (level, y >> (23 - level), x >> (23 - level), sort)
        };
        let coarser = expected.clone();
        for (id, sort, lat, lon) in &points {
            let alone = k > 0 && coarser.get(&of(levels[k - 1], *sort, *lat, *lon)).is_none_or(|held| held.0 < 2);
            if !alone {
                let held = expected.entry(of(level, *sort, *lat, *lon)).or_default();
                *held = (held.0 + 1, held.1 + lat, held.2 + lon, held.3.max(*id));
            }
        }
    }
    let mut rows = db.prepare("SELECT level, y, x, sort, count, lat, lon, newest FROM cell").unwrap();
    let counted: Cells = rows
        .query_map([], |row| {
            let key = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((key, (row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?)))
        })
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(counted, expected, "cells of the map");
}

pub fn audit(dir: &Path) {
    let db = Connection::open_with_flags(dir.join("library.db"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    for views in [FOUND, SEEN, COUNTED, SAID, HARVEST] {
        db.execute_batch(views).unwrap();
    }
    for (what, question) in WRONG {
        let mut rows = db.prepare(question).unwrap();
        let wrong = rows.query_map([], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
        let wrong: Vec<_> = wrong.map(Result::unwrap).collect();
        assert!(wrong.is_empty(), "{what}: {wrong:?}");
    }
    audit_cells(&db);
}
