//! The tables of the embedded library against each other.

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
        "the best location",
        "SELECT media FROM location GROUP BY media HAVING sum(best) <> 1",
    ),
    (
        "geotagged",
        "SELECT id FROM media WHERE geotagged <> (id IN (SELECT media FROM location))",
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

pub fn audit(dir: &Path) {
    let db = Connection::open_with_flags(dir.join("library.db"), OpenFlags::SQLITE_OPEN_READ_WRITE).unwrap();
    db.execute_batch(FOUND).unwrap();
    for (what, question) in WRONG {
        let mut rows = db.prepare(question).unwrap();
        let wrong = rows.query_map([], |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
        let wrong: Vec<_> = wrong.map(Result::unwrap).collect();
        assert!(wrong.is_empty(), "{what}: {wrong:?}");
    }
}
