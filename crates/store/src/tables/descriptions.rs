//! What files look or sound like, and the rows that they are found by.

use crate::sql::{self, Connection, OptionalExtension, Row, Transaction, params};
use facts::{MediaId, MediaKind};

use super::near::Bits;
use super::persons::number;
use super::text::{REASON, cut};
use super::{groups, likeness};
use crate::listing::Key;
use crate::{Cursor, Described, Description, Exact, Listed, Traces, Undescribed};

/// Bytes, hashes and keys of one description.
const BYTES: usize = 8 << 20;
const HASHES: usize = 1_024;
const KEYS: usize = 65_536;

/// Files that may share a key: one that more of them have tells nothing.
pub(super) const SHARED: usize = 1_000;

/// Writes what came of describing files; gives how many of them there are.
pub(super) fn describe(db: &Transaction<'_>, described: &[(MediaId, Described)]) -> sql::Result<u64> {
    let mut written = 0;
    for (id, described) in described {
        let known = db
            .prepare_cached("SELECT id, kind FROM media WHERE sha256 = ?1")?
            .query_row([id.as_bytes()], |row| Ok((row.get(0)?, read_kind(row, 1)?)))
            .optional()?;
        if let Some((media, kind)) = known {
            write(db, media, kind, described)?;
            written += 1;
        }
    }
    Ok(written)
}

/// Writes it when there is none yet, or an older one.
pub(super) fn complete(db: &Transaction<'_>, media: i64, kind: MediaKind, described: &Described) -> sql::Result<()> {
    let version: u16 = db
        .prepare_cached("SELECT description_version FROM media WHERE id = ?1")?
        .query_row([media], |row| row.get(0))?;
    if version < described.version() { write(db, media, kind, described) } else { Ok(()) }
}

/// Writes it in place of what was there. It is to be compared then.
pub(super) fn write(db: &Transaction<'_>, media: i64, kind: MediaKind, described: &Described) -> sql::Result<()> {
    // What older formulas took for copies is to be seen anew.
    let before: u16 = db
        .prepare_cached("SELECT description_version FROM media WHERE id = ?1")?
        .query_row([media], |row| row.get(0))?;
    if before != 0 && before != described.version() {
        groups::leave(db, media)?;
    }
    remove(db, media)?;
    let (version, description, trouble) = match described {
        Described::As(description) if description.bytes.len() > BYTES => (description.version, None, Some("too-large")),
        Described::As(description) => (description.version, Some(description), None),
        Described::Not { version, reason } => (*version, None, Some(cut(reason, REASON))),
    };
    let mut keys = description.map(|description| description.traces.keys.clone()).unwrap_or_default();
    keys.sort_unstable();
    keys.dedup();
    keys.truncate(KEYS);
    db.prepare_cached(
        "INSERT INTO description (media, version, bytes, trouble, pixels, keys) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .run(params![
        media,
        version,
        description.map(|description| &description.bytes),
        trouble,
        description.and_then(|description| description.traces.pixels),
        (!keys.is_empty()).then(|| keys.iter().flat_map(|key| key.to_le_bytes()).collect::<Vec<u8>>()),
    ])?;
    let hashes = description.map(|description| description.traces.hashes.as_slice()).unwrap_or_default();
    for hash in hashes.iter().take(HASHES) {
        db.prepare_cached("INSERT INTO picture_hash (media, kind, version, bits) VALUES (?1, ?2, ?3, ?4)")?
            .run(params![media, code(kind), version, to_bytes(hash)])?;
    }
    for key in keys {
        db.prepare_cached(
            "INSERT INTO copy_key (kind, key, media) SELECT ?1, ?2, ?3
             WHERE (SELECT count(*) FROM (SELECT 1 FROM copy_key WHERE kind = ?1 AND key = ?2 LIMIT ?4) AS having_it) < ?4",
        )?
        .run(params![code(kind), key, media, SHARED as i64])?;
    }
    db.prepare_cached("UPDATE media SET description_version = ?2 WHERE id = ?1")?.run(params![media, version])?;
    Ok(())
}

/// Takes out the description of a file, with all that it is found by.
pub(super) fn remove(db: &Transaction<'_>, media: i64) -> sql::Result<()> {
    let known = db
        .prepare_cached(
            "SELECT media.kind, description.keys FROM description JOIN media ON media.id = description.media
             WHERE description.media = ?1",
        )?
        .query_row([media], |row| Ok((read_kind(row, 0)?, row.get::<_, Option<Vec<u8>>>(1)?)))
        .optional()?;
    let Some((kind, keys)) = known else { return Ok(()) };
    likeness::remove(db, media)?;
    for key in keys_of(&keys.unwrap_or_default()) {
        db.prepare_cached("DELETE FROM copy_key WHERE kind = ?1 AND key = ?2 AND media = ?3")?.run(params![
            code(kind),
            key,
            media
        ])?;
    }
    for table in ["picture_hash", "description"] {
        db.prepare_cached(&format!("DELETE FROM {table} WHERE media = ?1"))?.run([media])?;
    }
    Ok(())
}

pub(super) fn description(db: &Connection, id: MediaId) -> sql::Result<Option<Described>> {
    let moment = db.moment()?;
    let found = number(&moment, id)?.map_or(Ok(None), |media| read(&moment, media))?;
    moment.commit()?;
    Ok(found)
}

fn read(db: &Connection, media: i64) -> sql::Result<Option<Described>> {
    let found = db
        .prepare_cached("SELECT version, bytes, trouble, pixels, keys FROM description WHERE media = ?1")?
        .query_row([media], |row| {
            let (version, bytes): (u16, Option<Vec<u8>>) = (row.get(0)?, row.get(1)?);
            let Some(bytes) = bytes else { return Ok(Described::Not { version, reason: row.get(2)? }) };
            let keys = row.get::<_, Option<Vec<u8>>>(4)?.unwrap_or_default();
            let traces = Traces { pixels: row.get(3)?, hashes: Vec::new(), keys: keys_of(&keys).collect() };
            Ok(Described::As(Description { version, bytes, traces }))
        })
        .optional()?;
    let Some(Described::As(mut description)) = found else { return Ok(found) };
    description.traces.hashes = db
        .prepare_cached("SELECT bits FROM picture_hash WHERE media = ?1 ORDER BY id")?
        .query_map([media], |row| row.get(0).map(|bytes: [u8; 32]| from_bytes(&bytes)))?
        .collect::<sql::Result<_>>()?;
    Ok(Some(Described::As(description)))
}

/// The next files of a kind with no description of this version, nor a failure to describe them.
pub(super) fn undescribed(
    db: &Connection,
    kind: MediaKind,
    version: u16,
    after: Option<&Cursor>,
    most: usize,
) -> sql::Result<Listed<Undescribed>> {
    let moment = db.moment()?;
    let (mut old, mut number) = match after {
        Some(Cursor { key: Some(Key::Number(old)), number }) => (*old, *number),
        _ => (0, 0),
    };
    let wanted = most.saturating_add(1);
    let mut found: Vec<(Cursor, Undescribed)> = Vec::new();
    while found.len() < wanted {
        let rows = moment
            .prepare_cached(
                "SELECT id, sha256, format, path FROM media INDEXED BY media_by_description
                 WHERE kind = ?1 AND description_version = ?2 AND id > ?3 ORDER BY id LIMIT ?4",
            )?
            .query_map(params![kind.as_str(), old, number, (wanted - found.len()) as i64], |row| {
                let undescribed =
                    Undescribed { id: MediaId::from_sha256(row.get(1)?), kind, format: row.get(2)?, path: row.get(3)? };
                Ok((Cursor { key: Some(Key::Number(old)), number: row.get(0)? }, undescribed))
            })?
            .collect::<sql::Result<Vec<_>>>()?;
        found.extend(rows);
        let next: Option<i64> = moment
            .prepare_cached(
                "SELECT min(description_version) FROM media INDEXED BY media_by_description
                 WHERE kind = ?1 AND description_version > ?2 AND description_version < ?3",
            )?
            .query_row(params![kind.as_str(), old, version], |row| row.get(0))?;
        let Some(next) = next else { break };
        (old, number) = (next, 0);
    }
    moment.commit()?;
    Ok(listed(found, most))
}

/// The next files that are described and were not compared since.
pub(super) fn uncompared(
    db: &Connection,
    after: Option<&Cursor>,
    most: usize,
) -> sql::Result<Listed<(MediaId, MediaKind, Description)>> {
    let moment = db.moment()?;
    let rows = moment
        .prepare_cached(
            "SELECT media.id, sha256, kind FROM description INDEXED BY description_to_compare
             CROSS JOIN media ON media.id = description.media
             WHERE compared = 0 AND bytes IS NOT NULL AND description.media > ?1 ORDER BY description.media LIMIT ?2",
        )?
        .query_map(params![after.map_or(0, |after| after.number), most.saturating_add(1) as i64], |row| {
            Ok((row.get::<_, i64>(0)?, MediaId::from_sha256(row.get(1)?), read_kind(row, 2)?))
        })?
        .collect::<sql::Result<Vec<_>>>()?;
    let mut found = Vec::with_capacity(rows.len());
    for (number, id, kind) in rows {
        if let Some(Described::As(description)) = read(&moment, number)? {
            found.push((Cursor { key: None, number }, (id, kind, description)));
        }
    }
    moment.commit()?;
    Ok(listed(found, most))
}

/// A page of what was found, of which there may be one too many.
fn listed<T>(mut found: Vec<(Cursor, T)>, most: usize) -> Listed<T> {
    let more = found.len() > most;
    found.truncate(most);
    let next = found.last().map(|(cursor, _)| cursor.clone()).filter(|_| more);
    Listed { what: found.into_iter().map(|(_, what)| what).collect(), next }
}

/// The file with these bytes, or the first of those with these pixels, for each that is asked for.
pub(super) fn exact(db: &Connection, asked: &[Exact]) -> sql::Result<Vec<Option<MediaId>>> {
    let moment = db.moment()?;
    let mut bytes = moment.prepare_cached("SELECT sha256 FROM media WHERE sha256 = ?1")?;
    let mut pixels = moment.prepare_cached(
        "SELECT sha256 FROM description INDEXED BY description_by_pixels
         CROSS JOIN media ON media.id = description.media
         WHERE pixels = ?1 ORDER BY description.media LIMIT 1",
    )?;
    let mut found = Vec::with_capacity(asked.len());
    for exact in asked {
        let id = match exact {
            Exact::Bytes(id) => bytes.query_row([id.as_bytes()], |row| row.get(0)),
            Exact::Pixels(hash) => pixels.query_row([hash], |row| row.get(0)),
        };
        found.push(id.optional()?.map(MediaId::from_sha256));
    }
    drop((bytes, pixels));
    moment.commit()?;
    Ok(found)
}

/// A kind as the tables of hashes and keys have it.
pub(super) fn code(kind: MediaKind) -> u8 {
    match kind {
        MediaKind::Image => 0,
        MediaKind::Video => 1,
        MediaKind::Audio => 2,
    }
}

pub(super) fn read_kind(row: &Row<'_>, column: usize) -> sql::Result<MediaKind> {
    let text: String = row.get(column)?;
    MediaKind::parse(&text).ok_or_else(|| sql::Error::strange(column, format!("no kind {text}")))
}

fn keys_of(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(|key| u32::from_le_bytes(*key))
}

fn to_bytes(hash: &Bits) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (part, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(hash) {
        *part = word.to_le_bytes();
    }
    bytes
}

pub(super) fn from_bytes(bytes: &[u8; 32]) -> Bits {
    let mut hash = [0; 4];
    for (word, part) in hash.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*part);
    }
    hash
}
