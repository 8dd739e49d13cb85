//! The tables of the library, as steps from nothing to the newest version.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::path::Path;

use rusqlite::Connection;

use crate::StoreError;

/// Step *n* brings a library of version *n* to version *n + 1*. Steps that were ever released are
/// never changed, only followed.
const STEPS: &[&str] = &["
CREATE TABLE crawl (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    settings  TEXT NOT NULL,
    created   INTEGER NOT NULL,
    frontier  TEXT NOT NULL
);

-- peak_memory: bytes; steps: what its time was spent on, as JSON.
CREATE TABLE run (
    id          INTEGER PRIMARY KEY,
    crawl       INTEGER NOT NULL REFERENCES crawl,
    max_pages   INTEGER,
    max_seconds INTEGER,
    max_bytes   INTEGER,
    task_pages  INTEGER NOT NULL,
    started     INTEGER NOT NULL,
    ended       INTEGER,
    seconds     REAL NOT NULL DEFAULT 0,
    stopped     TEXT,
    peak_memory INTEGER,
    steps       TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX run_of_crawl ON run (crawl);

CREATE TABLE task (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES run,
    number   INTEGER NOT NULL,
    started  INTEGER NOT NULL,
    ended    INTEGER,
    pages    INTEGER NOT NULL DEFAULT 0,
    relevant INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run, number)
);

-- What the strategy of a crawl has learnt.
CREATE TABLE model (
    crawl INTEGER PRIMARY KEY REFERENCES crawl,
    bytes BLOB NOT NULL
);

-- pages: rows of page. images, geotagged: addresses that hold an image, and one with coordinates.
CREATE TABLE host (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    pages     INTEGER NOT NULL DEFAULT 0,
    images    INTEGER NOT NULL DEFAULT 0,
    geotagged INTEGER NOT NULL DEFAULT 0
);

-- url_id is the first half of the SHA-256 that identifies an address. relevant: to the region of a
-- crawl, as it last read the page. places: rows of page_place, focus: the number of the one that the
-- page is about, focus_confidence: how certain it is that what it shows is there, when that is not as
-- certain as the place. shown_lat, shown_lon: the place it is about, else the surest, as for media.
-- Numbers are never used again: lists go on after the last one they showed.
CREATE TABLE page (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    url_id      BLOB NOT NULL UNIQUE,
    url         TEXT NOT NULL,
    host        INTEGER NOT NULL REFERENCES host,
    title       TEXT NOT NULL,
    description TEXT NOT NULL,
    language    TEXT,
    size        INTEGER NOT NULL,
    canonical   TEXT,
    relevant    INTEGER NOT NULL,
    places      INTEGER NOT NULL,
    focus       INTEGER,
    focus_confidence REAL,
    first_seen  INTEGER NOT NULL,
    last_seen   INTEGER NOT NULL,
    shown_lat   INTEGER,
    shown_lon   INTEGER,
    described   INTEGER
);
CREATE INDEX page_of_host ON page (host, id, places);
CREATE INDEX page_with_places ON page (id, relevant, first_seen, places) WHERE places > 0;
CREATE INDEX page_by_arrival ON page (first_seen) WHERE places > 0;

-- precision in metres, confidence from 0 to 1; evidence: the words; address: its parts, as JSON;
-- place, town, admin1, country: names of what is there. So in all tables with places.
CREATE TABLE page_place (
    page       INTEGER NOT NULL REFERENCES page ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    place_id   INTEGER,
    mentions   INTEGER NOT NULL,
    relevant   INTEGER NOT NULL,
    why        TEXT NOT NULL,
    lat        REAL NOT NULL,
    lon        REAL NOT NULL,
    precision  REAL NOT NULL,
    confidence REAL NOT NULL,
    evidence   TEXT NOT NULL,
    address    TEXT,
    place      TEXT NOT NULL,
    town       TEXT,
    admin1     TEXT,
    country    TEXT,
    PRIMARY KEY (page, number)
) WITHOUT ROWID;
CREATE INDEX page_place_by_point ON page_place (lat, lon, page);

-- Of a page: relevant to the crawl's region; branch: links since the last relevant page, if there was
-- one; followed: whether a page that it links to was read.
CREATE TABLE visit (
    id       INTEGER PRIMARY KEY,
    crawl    INTEGER NOT NULL REFERENCES crawl,
    url_id   BLOB NOT NULL,
    round    INTEGER NOT NULL,
    url      TEXT NOT NULL,
    run      INTEGER NOT NULL REFERENCES run,
    task     INTEGER REFERENCES task,
    kind     TEXT NOT NULL,
    depth    INTEGER NOT NULL,
    parent   BLOB,
    at       INTEGER NOT NULL,
    took_ms  INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    status   INTEGER,
    outcome  TEXT NOT NULL,
    reason   TEXT,
    detail   TEXT,
    relevant INTEGER,
    branch   INTEGER,
    followed INTEGER,
    UNIQUE (crawl, url_id, round)
);
CREATE INDEX visit_failed ON visit (crawl, id) WHERE outcome = 'failed';
CREATE INDEX visit_of_page ON visit (crawl, id, relevant) WHERE relevant IS NOT NULL;

-- geotagged: it says itself where it was made; worded: words say it, and nobody rejected that;
-- rejected: a person said that it is not known. located: 0 without a location that is shown, 2 with
-- one that a person confirmed, else 1. open: a Creative Commons licence or the public domain is named,
-- in the file or on a page. colour: 0xRRGGBB. by_place, by_host, by_colour, by_doubt: where it is in
-- the orders of these names (orders.rs). shown_lat, shown_lon: the point that cells count it at, in
-- ten-millionths of a degree. described: tells the texts that item_words has of it from others.
-- counted: what of it may change that figures count (counted.rs). Numbers are never used again.
CREATE TABLE media (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256         BLOB NOT NULL UNIQUE,
    kind           TEXT NOT NULL,
    format         TEXT NOT NULL,
    size           INTEGER NOT NULL,
    path           TEXT NOT NULL,
    thumbnail      TEXT,
    host           INTEGER NOT NULL REFERENCES host,
    first_seen     INTEGER NOT NULL,
    width          INTEGER,
    height         INTEGER,
    orientation    INTEGER NOT NULL,
    duration       REAL,
    taken          TEXT,
    make           TEXT,
    model          TEXT,
    title          TEXT,
    description    TEXT,
    keywords       TEXT NOT NULL,
    licence        TEXT,
    author         TEXT,
    sublocation    TEXT,
    city           TEXT,
    state          TEXT,
    country        TEXT,
    geotagged      INTEGER NOT NULL,
    worded         INTEGER NOT NULL DEFAULT 0,
    rejected       INTEGER NOT NULL DEFAULT 0,
    wrong_location TEXT,
    located        INTEGER NOT NULL DEFAULT 0,
    open           INTEGER NOT NULL DEFAULT 0,
    colour         INTEGER,
    by_place       TEXT,
    by_host        TEXT NOT NULL,
    by_colour      INTEGER,
    by_doubt       INTEGER,
    shown_lat      INTEGER,
    shown_lon      INTEGER,
    described      INTEGER,
    counted        TEXT
);
CREATE INDEX media_by_kind ON media (kind);
CREATE INDEX media_by_arrival ON media (first_seen);
CREATE INDEX media_by_taken ON media (taken, id, kind);
CREATE INDEX media_by_place ON media (by_place, id DESC, kind);
CREATE INDEX media_by_host ON media (by_host, id DESC, kind);
CREATE INDEX media_by_colour ON media (by_colour, id DESC, kind);
CREATE INDEX media_by_doubt ON media (by_doubt, id DESC) WHERE by_doubt IS NOT NULL;
CREATE INDEX media_open ON media (id) WHERE open = 1;
CREATE INDEX media_verified ON media (id) WHERE located = 2;

-- Figures of the whole library, by name, summed in the transactions that change what they count.
CREATE TABLE figure (
    name  TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
) WITHOUT ROWID;

-- One row for each source that knows where a file was made; best is the one that is shown
-- (locations.rs). Of what words say, media_address and page are the row of heard it was taken from.
-- verified: a person said so.
CREATE TABLE location (
    media         INTEGER NOT NULL REFERENCES media,
    source        TEXT NOT NULL,
    best          INTEGER NOT NULL DEFAULT 0,
    lat           REAL NOT NULL,
    lon           REAL NOT NULL,
    altitude      REAL,
    direction     REAL,
    date          INTEGER,
    precision     REAL,
    confidence    REAL NOT NULL,
    evidence      TEXT,
    address       TEXT,
    place         TEXT,
    town          TEXT,
    admin1        TEXT,
    country       TEXT,
    verified      INTEGER NOT NULL DEFAULT 0,
    media_address INTEGER,
    page          INTEGER,
    PRIMARY KEY (media, source)
) WITHOUT ROWID;
CREATE INDEX location_by_place ON location (lat, lon, best) WHERE best = 1;
CREATE INDEX location_in_order ON location (media, lat, lon, best) WHERE best = 1;

-- The words of items and of pages that speak of places, by their numbers; the texts are elsewhere.
CREATE VIRTUAL TABLE item_words USING fts5 (
    title, description, captions, keywords, places, host, author,
    content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE page_words USING fts5 (
    title, description, places, host,
    content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2'
);

-- What is in each cell of the map (cells.rs). sort: kinds of media, then pages, then relevant pages.
-- lat, lon: the sum of the points that are shown. newest: the largest number.
CREATE TABLE cell (
    level  INTEGER NOT NULL,
    y      INTEGER NOT NULL,
    x      INTEGER NOT NULL,
    sort   INTEGER NOT NULL,
    count  INTEGER NOT NULL,
    lat    INTEGER NOT NULL,
    lon    INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    PRIMARY KEY (level, y, x, sort)
) WITHOUT ROWID;

-- Where a content was made, as a person said: it stays when the content goes and comes again.
-- Without a point: nobody knows.
CREATE TABLE person_said (
    sha256    BLOB NOT NULL PRIMARY KEY,
    lat       REAL,
    lon       REAL,
    altitude  REAL,
    direction REAL,
    date      INTEGER,
    precision REAL,
    evidence  TEXT,
    address   TEXT,
    place     TEXT,
    town      TEXT,
    admin1    TEXT,
    country   TEXT
) WITHOUT ROWID;

-- What a person wrote over the texts of a content; it stays as the table above does.
CREATE TABLE person_text (
    sha256      BLOB NOT NULL PRIMARY KEY,
    title       TEXT,
    description TEXT
) WITHOUT ROWID;

-- Crawls that start by themselves, and what came of it. Also written by processes beside the writer.
CREATE TABLE schedule (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    name     TEXT NOT NULL,
    cron     TEXT NOT NULL,
    zone     TEXT NOT NULL,
    enabled  INTEGER NOT NULL,
    catch_up TEXT NOT NULL,
    crawl    TEXT NOT NULL,
    settings TEXT NOT NULL,
    created  INTEGER NOT NULL,
    last_due INTEGER
);
CREATE TABLE scheduled_run (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule INTEGER NOT NULL REFERENCES schedule ON DELETE CASCADE,
    due      INTEGER NOT NULL,
    started  INTEGER,
    seen     INTEGER,
    ended    INTEGER,
    outcome  TEXT NOT NULL,
    detail   TEXT NOT NULL DEFAULT '',
    pages    INTEGER NOT NULL DEFAULT 0,
    images   INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX run_of_schedule ON scheduled_run (schedule, id);
CREATE INDEX run_at_work ON scheduled_run (id) WHERE outcome = 'running';

-- Values by name, as JSON.
CREATE TABLE setting (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- leads_to: the address that it redirected to when it was last asked.
CREATE TABLE media_address (
    id       INTEGER PRIMARY KEY,
    url_id   BLOB NOT NULL UNIQUE,
    url      TEXT NOT NULL,
    host     INTEGER NOT NULL REFERENCES host,
    kind     TEXT NOT NULL,
    media    INTEGER REFERENCES media,
    refused  TEXT,
    leads_to INTEGER REFERENCES media_address ON DELETE SET NULL
);
CREATE INDEX address_of_media ON media_address (media) WHERE media IS NOT NULL;
CREATE INDEX address_led_to ON media_address (leads_to) WHERE leads_to IS NOT NULL;
CREATE INDEX address_of_host ON media_address (host);

CREATE TABLE reference (
    page          INTEGER NOT NULL REFERENCES page,
    media_address INTEGER NOT NULL REFERENCES media_address,
    description   TEXT NOT NULL,
    licence       TEXT,
    author        TEXT,
    PRIMARY KEY (page, media_address)
) WITHOUT ROWID;
CREATE INDEX reference_to_media ON reference (media_address);

-- Where the file at an address was made, in words: of the page that shows it, or of the file itself
-- (page 0).
CREATE TABLE said (
    media_address INTEGER NOT NULL REFERENCES media_address ON DELETE CASCADE,
    page          INTEGER NOT NULL,
    source        TEXT NOT NULL,
    lat           REAL NOT NULL,
    lon           REAL NOT NULL,
    precision     REAL NOT NULL,
    confidence    REAL NOT NULL,
    evidence      TEXT NOT NULL,
    address       TEXT,
    place         TEXT NOT NULL,
    town          TEXT,
    admin1        TEXT,
    country       TEXT,
    PRIMARY KEY (media_address, page, source)
) WITHOUT ROWID;

-- All that words say of where kept files were made; what a page is about goes without saying.
CREATE VIEW heard AS
    SELECT media_address.media, media_address.id AS media_address, said.page, said.source, said.lat, said.lon, said.precision,
           said.confidence, said.evidence, said.address, said.place, said.town, said.admin1, said.country
    FROM media_address CROSS JOIN said ON said.media_address = media_address.id
    WHERE media_address.media IS NOT NULL
    UNION ALL
    SELECT media_address.media, media_address.id, reference.page, 'page', focus.lat, focus.lon, focus.precision,
           coalesce(page.focus_confidence, focus.confidence), focus.evidence, focus.address, focus.place, focus.town, focus.admin1, focus.country
    FROM media_address CROSS JOIN reference ON reference.media_address = media_address.id
    CROSS JOIN page ON page.id = reference.page
    CROSS JOIN page_place AS focus ON focus.page = page.id AND focus.number = page.focus
    WHERE media_address.media IS NOT NULL;

-- The hosts that a file has an address on, or a page that shows it: follows from the tables above.
CREATE TABLE media_host (
    host  INTEGER NOT NULL REFERENCES host,
    media INTEGER NOT NULL REFERENCES media,
    PRIMARY KEY (host, media)
) WITHOUT ROWID;
CREATE INDEX host_of_media ON media_host (media);

-- The crawls that saw an address of a file: follows from the tables above and the one below.
CREATE TABLE media_crawl (
    crawl INTEGER NOT NULL REFERENCES crawl,
    media INTEGER NOT NULL REFERENCES media,
    PRIMARY KEY (crawl, media)
) WITHOUT ROWID;
CREATE INDEX crawl_of_media ON media_crawl (media);

-- located: 0 for a kept image that does not say where it was made, 1 once its place is known.
CREATE TABLE sighting (
    media_address  INTEGER NOT NULL REFERENCES media_address,
    crawl          INTEGER NOT NULL REFERENCES crawl,
    refused        TEXT,
    wrong_location TEXT,
    located        INTEGER,
    PRIMARY KEY (media_address, crawl)
) WITHOUT ROWID;

-- Local files that were looked at; media_address is that of one that was taken.
CREATE TABLE imported (
    path          TEXT NOT NULL PRIMARY KEY,
    size          INTEGER NOT NULL,
    modified      INTEGER NOT NULL,
    description   TEXT NOT NULL,
    media_address INTEGER UNIQUE REFERENCES media_address,
    refused       TEXT
) WITHOUT ROWID;

-- What may not come back: the name of a host, the url_id of an address, the SHA-256 of a content.
CREATE TABLE forgotten (
    kind TEXT NOT NULL,
    key  BLOB NOT NULL,
    at   INTEGER NOT NULL,
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;

-- Files that no row names any more and that are still to be removed.
CREATE TABLE doomed (
    path TEXT NOT NULL PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE tally (
    crawl INTEGER NOT NULL REFERENCES crawl,
    run   INTEGER NOT NULL REFERENCES run,
    name  TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (crawl, run, name)
) WITHOUT ROWID;
", "
-- description_version: that of the row of description; 0 without one. duplicate: it is a copy of the
-- original of its group (groups.rs).
ALTER TABLE media ADD COLUMN description_version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE media ADD COLUMN duplicate INTEGER NOT NULL DEFAULT 0;
CREATE INDEX media_by_description ON media (kind, description_version);

-- What a file looks or sounds like: bytes, as written by `media`, or the trouble with it. pixels: a
-- hash of what is decoded from it. keys: those of copy_key, four bytes each. compared: with all that
-- may be copies of it.
CREATE TABLE description (
    media    INTEGER PRIMARY KEY REFERENCES media,
    version  INTEGER NOT NULL,
    bytes    BLOB,
    trouble  TEXT,
    pixels   BLOB,
    keys     BLOB,
    compared INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX description_by_pixels ON description (pixels) WHERE pixels IS NOT NULL;
CREATE INDEX description_to_compare ON description (media) WHERE compared = 0 AND bytes IS NOT NULL;

-- Hashes of 256 bits that near copies are found by, in memory (candidates.rs), which reads on after
-- the last row that it knows: numbers are never used again. kind: 0 pictures, 1 films, 2 sounds.
CREATE TABLE picture_hash (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    media   INTEGER NOT NULL REFERENCES media,
    kind    INTEGER NOT NULL,
    version INTEGER NOT NULL,
    bits    BLOB NOT NULL
);
CREATE INDEX hash_of_media ON picture_hash (media);

-- What is heard in which sounds and films. A key that 1,000 of them have is given to no more.
CREATE TABLE copy_key (
    kind  INTEGER NOT NULL,
    key   INTEGER NOT NULL,
    media INTEGER NOT NULL REFERENCES media,
    PRIMARY KEY (kind, key, media)
) WITHOUT ROWID;

-- Copies of one picture, film or sound: two at least.
CREATE TABLE copy_group (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    original INTEGER NOT NULL REFERENCES media,
    members  INTEGER NOT NULL
);

-- pixels, seconds, rate (bytes a second), metadata: what makes one better than another. why, detail:
-- how it is known to be a copy, by comparing it with the file of that number, which may be gone.
CREATE TABLE copy_member (
    media         INTEGER PRIMARY KEY REFERENCES media,
    copy_group    INTEGER NOT NULL REFERENCES copy_group,
    pixels        INTEGER NOT NULL,
    seconds       INTEGER NOT NULL,
    rate          INTEGER NOT NULL,
    metadata      INTEGER NOT NULL,
    why           TEXT,
    detail        TEXT,
    compared_with INTEGER
);
CREATE INDEX member_by_merit ON copy_member
    (copy_group, pixels DESC, seconds DESC, rate DESC, metadata DESC, media);

-- Contents that are no copies of each other, as a person said: both ways round. It stays as
-- person_said does.
CREATE TABLE person_apart (
    one   BLOB NOT NULL,
    other BLOB NOT NULL,
    PRIMARY KEY (one, other)
) WITHOUT ROWID;
", "
-- The words of items and of pages that speak of places, folded, by their numbers (wording.rs). prominent:
-- those of titles, key words and places again, behind a mark, so that these are found first.
DROP TABLE item_words;
DROP TABLE page_words;
CREATE VIRTUAL TABLE item_words USING fts5 (
    text, prominent, content = '', contentless_delete = 1, tokenize = 'ascii'
);
CREATE VIRTUAL TABLE page_words USING fts5 (
    text, prominent, content = '', contentless_delete = 1, tokenize = 'ascii'
);

-- Key words and headings of a page: what it shows is found by them too.
ALTER TABLE page ADD COLUMN keywords TEXT NOT NULL DEFAULT '';

-- Every word that was ever there, and in how many items and pages it is. languages: those that it was
-- met in, as bits. Numbers are never used again.
CREATE TABLE word (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    text      TEXT NOT NULL UNIQUE,
    items     INTEGER NOT NULL DEFAULT 0,
    pages     INTEGER NOT NULL DEFAULT 0,
    languages INTEGER NOT NULL DEFAULT 0
);

-- Words that share a stem; stem: the code of a language, a colon, and the stem in it.
CREATE TABLE stem (
    stem TEXT NOT NULL,
    word INTEGER NOT NULL REFERENCES word,
    PRIMARY KEY (stem, word)
) WITHOUT ROWID;

-- The words of each item and page with how much they count there (terms.rs). kind: 0 pictures, 1 films,
-- 2 sounds. duplicate: as in media.
CREATE TABLE item_terms (
    media     INTEGER PRIMARY KEY REFERENCES media,
    kind      INTEGER NOT NULL,
    duplicate INTEGER NOT NULL,
    terms     BLOB NOT NULL
);
CREATE TABLE page_terms (
    page  INTEGER PRIMARY KEY REFERENCES page,
    terms BLOB NOT NULL
);

-- What is to be worded anew, down from this number (rewording.rs). No row: nothing.
CREATE TABLE rewording (
    subject TEXT NOT NULL PRIMARY KEY,
    next    INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO rewording (subject, next) SELECT 'item', max(id) FROM media HAVING max(id) IS NOT NULL;
INSERT INTO rewording (subject, next) SELECT 'page', max(id) FROM page HAVING max(id) IS NOT NULL;
", "
-- Where the point of a description is: the key of alike. None before it has one.
ALTER TABLE description ADD COLUMN cluster INTEGER;
ALTER TABLE description ADD COLUMN place INTEGER;
CREATE INDEX description_to_place ON description (version, media) WHERE place IS NULL AND bytes IS NOT NULL;

-- Clusters of what is alike (likeness.rs). leader: the middle, a byte for each dimension. generation:
-- the clustering that founded it.
CREATE TABLE alike_cluster (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    leader     BLOB NOT NULL,
    members    INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX cluster_of_kind ON alike_cluster (kind, version);

-- How files of a kind were last sorted into clusters: how many there were, and how far from their
-- leaders in the mean.
CREATE TABLE alike_sorted (
    kind       INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    items      INTEGER NOT NULL,
    spread     REAL NOT NULL,
    PRIMARY KEY (kind, version)
) WITHOUT ROWID;

-- Points by cluster, so that a cluster is read as one. Numbers are never used again: who read up to
-- one reads on after it.
CREATE TABLE alike (
    cluster INTEGER NOT NULL,
    number  INTEGER NOT NULL,
    media   INTEGER NOT NULL,
    point   BLOB NOT NULL,
    PRIMARY KEY (cluster, number)
) WITHOUT ROWID;
CREATE TABLE alike_number (next INTEGER NOT NULL);
", "
-- said: which of the two a person set apart. It is known of the pairs before as far as it can be: both.
CREATE TABLE person_apart_of (
    one   BLOB NOT NULL,
    other BLOB NOT NULL,
    said  BLOB NOT NULL,
    PRIMARY KEY (one, other, said)
) WITHOUT ROWID;
INSERT INTO person_apart_of SELECT one, other, one FROM person_apart UNION SELECT one, other, other FROM person_apart;
DROP TABLE person_apart;
ALTER TABLE person_apart_of RENAME TO person_apart;
", "
-- telling: the words that tell a page from others of its crawl, a comma between.
ALTER TABLE page ADD COLUMN telling TEXT NOT NULL DEFAULT '';

-- How common words are on the pages of a crawl.
CREATE TABLE lexicon (
    crawl INTEGER PRIMARY KEY REFERENCES crawl,
    bytes BLOB NOT NULL
);

INSERT INTO tally (crawl, run, name, count)
SELECT crawl, run, 'fetched', count(*) FROM visit WHERE status IS NOT NULL GROUP BY crawl, run;
", "
-- Visits that may be made again (records/again.rs). A row stands for one version of an address: visits
-- that find it unchanged are counted in checks, checked is the last of them, and round moves on. etag,
-- modified, digest: what tells the version from others. changes, watched: how often the address was seen
-- to change, over so many milliseconds. change: what a later visit found: changed, gone, back. again: 1
-- for the newest row of an address that can be visited again.
ALTER TABLE visit ADD COLUMN etag TEXT;
ALTER TABLE visit ADD COLUMN modified INTEGER;
ALTER TABLE visit ADD COLUMN digest BLOB;
ALTER TABLE visit ADD COLUMN checked INTEGER;
ALTER TABLE visit ADD COLUMN checks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visit ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visit ADD COLUMN watched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visit ADD COLUMN change TEXT;
ALTER TABLE visit ADD COLUMN again INTEGER;
UPDATE visit SET again = 1 WHERE outcome IN ('page', 'media') AND NOT EXISTS
    (SELECT 1 FROM visit AS later
     WHERE later.crawl = visit.crawl AND later.url_id = visit.url_id AND later.round > visit.round);
CREATE INDEX visit_again ON visit (crawl, id) WHERE again = 1;
CREATE INDEX visit_changed ON visit (crawl, id) WHERE change IS NOT NULL;

-- gone: since when the page is not there, the address holds nothing, the page does not show it any more.
ALTER TABLE page ADD COLUMN gone INTEGER;
ALTER TABLE media_address ADD COLUMN gone INTEGER;
ALTER TABLE reference ADD COLUMN gone INTEGER;
", "
-- Pages of which only a part was read are told with what went wrong.
CREATE INDEX visit_cut ON visit (crawl, id) WHERE reason = 'cut';
", "
-- duplicate: as in media. What is in an area is read from the index alone.
ALTER TABLE location ADD COLUMN duplicate INTEGER NOT NULL DEFAULT 0;
UPDATE location SET duplicate = 1 WHERE media IN (SELECT id FROM media WHERE duplicate = 1);
DROP INDEX location_by_place;
DROP INDEX location_in_order;
CREATE INDEX location_by_place ON location (lat, lon, best, duplicate) WHERE best = 1;
CREATE INDEX location_in_order ON location (media, lat, lon, best, duplicate) WHERE best = 1;
"];

/// The newest version.
pub(crate) const VERSION: u32 = STEPS.len() as u32;

/// Brings a library to the newest version, all at once: who reads it meanwhile sees it before or after.
pub(crate) fn migrate(db: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let found = version(db, path)?;
    if found == VERSION {
        return Ok(());
    }
    let mut apply = || {
        let transaction = db.transaction()?;
        for step in STEPS.iter().skip(found as usize) {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "user_version", VERSION)?;
        transaction.commit()
    };
    apply().map_err(|error| StoreError::sqlite(path, &error))
}

/// The number that tells this library from others, made with it.
pub(crate) fn identity(db: &Connection) -> rusqlite::Result<i32> {
    let found = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if found != 0 {
        return Ok(found);
    }
    // Hashers are seeded at random.
    let made = (RandomState::new().hash_one(std::process::id()) as i32) | 1;
    db.pragma_update(None, "application_id", made)?;
    Ok(made)
}

/// The version of a library, unless it is of the future.
pub(crate) fn version(db: &Connection, path: &Path) -> Result<u32, StoreError> {
    let found = db
        .pragma_query_value(None, "user_version", |row| row.get::<_, u32>(0))
        .map_err(|error| StoreError::sqlite(path, &error))?;
    if found > VERSION {
        return Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_any_version_becomes_one_of_the_newest() {
        let path = Path::new("library.db");
        let tables = |db: &Connection| -> Vec<(String, String)> {
            let mut select =
                db.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").unwrap();
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.map(Result::unwrap).collect()
        };
        let mut newest = Connection::open_in_memory().unwrap();
        migrate(&mut newest, path).unwrap();
        for found in 1..VERSION {
            let mut db = Connection::open_in_memory().unwrap();
            for step in &STEPS[..found as usize] {
                db.execute_batch(step).unwrap();
            }
            db.pragma_update(None, "user_version", found).unwrap();
            db.execute_batch(
                "INSERT INTO host (id, name) VALUES (1, 'a.example');
                 INSERT INTO media (sha256, kind, format, size, path, host, first_seen, orientation, keywords, geotagged, by_host)
                 VALUES (x'00', 'image', 'jpeg', 1, 'a', 1, 1, 1, '[]', 0, 'a.example')",
            )
            .unwrap();
            migrate(&mut db, path).unwrap();
            assert_eq!(version(&db, path).unwrap(), VERSION);
            assert_eq!(tables(&db), tables(&newest), "from version {found}");
            let kept: i64 = db.query_row("SELECT count(*) FROM media", [], |row| row.get(0)).unwrap();
            assert_eq!(kept, 1);
        }
    }
}
