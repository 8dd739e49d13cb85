//! Which files may be copies of another: found by what copies have in common.
//!
//! Pixels and keys are looked up in tables. Hashes are looked up in memory ([`near`](super::near)),
//! where all of them are brought from their table when they are first asked for, and new ones
//! before each question: what a rolled back or killed transaction wrote was never read, and what is
//! gone since is found to be gone when its row is looked for. So there is nothing to keep in step.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{PoisonError, RwLock};

use crate::sql::{self, Connection, OptionalExtension, params};
use facts::{MediaId, MediaKind};

use super::descriptions::{SHARED, code, from_bytes};
use super::near::{Close, Near};
use crate::{Candidate, Clue, Example};

/// Hashes that are held in memory, at some 110 bytes each: of more, the newest are not found.
const HELD: usize = 32_000_000;

/// Rows that are read at once: a server sends all that is asked for, and a row is larger than what is held of it.
const READ: usize = 10_000;

/// Hashes close to those of an example that are looked at, the closest ones.
const CLOSE: usize = 4_096;

/// Candidates that are given at most, and files with the same pixels among them.
const MOST: usize = 1_000;
const SAME: i64 = 100;

/// Hashes that an example asks for at most, and keys.
const HASHES: usize = 4_096;
const KEYS: usize = 65_536;

/// All hashes, by kind and version.
#[derive(Default)]
pub(super) struct Hashes(RwLock<Held>);

#[derive(Default)]
struct Held {
    /// The row that was read last.
    last: i64,
    near: HashMap<(u8, u16), Near>,
    full: bool,
}

impl Hashes {
    fn close_to(&self, db: &Connection, example: &Example) -> sql::Result<Vec<Close>> {
        if example.traces.hashes.is_empty() {
            return Ok(Vec::new());
        }
        let asked = example.traces.hashes.get(..HASHES).unwrap_or(&example.traces.hashes);
        let newest: Option<i64> =
            db.prepare_cached("SELECT max(id) FROM picture_hash")?.query_row([], |row| row.get(0))?;
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let held = if held.last < newest.unwrap_or(0) {
            drop(held);
            self.0.write().unwrap_or_else(PoisonError::into_inner).catch_up(db)?;
            self.0.read().unwrap_or_else(PoisonError::into_inner)
        } else {
            held
        };
        let near = held.near.get(&(code(example.kind), example.version));
        Ok(near.map_or_else(Vec::new, |near| near.close_to(asked, example.radius, CLOSE)))
    }
}

impl Held {
    /// Reads the rows that are new. What was read before a connection was lost is not read again.
    fn catch_up(&mut self, db: &Connection) -> sql::Result<()> {
        let read = self.read(db);
        self.near.values_mut().for_each(Near::settle);
        read
    }

    fn read(&mut self, db: &Connection) -> sql::Result<()> {
        let mut room = HELD.saturating_sub(self.near.values().map(Near::len).sum());
        let mut select =
            db.prepare_cached("SELECT id, kind, version, bits FROM picture_hash WHERE id > ?1 ORDER BY id LIMIT ?2")?;
        loop {
            let mut rows = select.query(params![self.last, READ as i64])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                let (number, key, bits): (i64, _, [u8; 32]) = (row.get(0)?, (row.get(1)?, row.get(2)?), row.get(3)?);
                if room > 0 {
                    self.near.entry(key).or_default().add(number, from_bytes(&bits));
                    room -= 1;
                } else if !self.full {
                    self.full = true;
                    tracing::warn!("more than {HELD} hashes of pictures: near copies of newer ones are not found");
                }
                self.last = number;
                count += 1;
            }
            if count < READ {
                return Ok(());
            }
        }
    }
}

/// Files that may be copies of the example, the likeliest first; of a group, the one that is closest.
pub(super) fn candidates(db: &Connection, hashes: &Hashes, example: &Example) -> sql::Result<Vec<Candidate>> {
    let moment = db.moment()?;
    let mut clues: BTreeMap<i64, Clue> = BTreeMap::new();
    by_keys(&moment, example, &mut clues)?;
    by_hashes(&moment, hashes, example, &mut clues)?;
    by_pixels(&moment, example, &mut clues)?;
    let mut likely: Vec<(Clue, i64)> = clues.into_iter().map(|(media, clue)| (clue, media)).collect();
    likely.sort_unstable_by_key(|(clue, media)| (strength(*clue), *media));
    let (mut found, mut groups, most) = (Vec::new(), HashSet::new(), example.most.min(MOST));
    for (clue, media) in likely {
        if found.len() >= most {
            break;
        }
        let known = moment
            .prepare_cached(
                "SELECT sha256, kind, copy_group, CASE WHEN description.version = ?2 THEN bytes END FROM media
                 LEFT JOIN description ON description.media = media.id
                 LEFT JOIN copy_member ON copy_member.media = media.id WHERE media.id = ?1",
            )?
            .query_row(params![media, example.version], |row| {
                let kind = MediaKind::parse(row.get_ref(1)?.as_str()?);
                Ok((
                    MediaId::from_sha256(row.get(0)?),
                    kind,
                    row.get::<_, Option<i64>>(2)?,
                    row.get::<_, Option<Vec<u8>>>(3)?,
                ))
            })
            .optional()?;
        let Some((id, kind, group, bytes)) = known else { continue };
        let other = Some(id) != example.except && kind == Some(example.kind);
        let comparable = clue == Clue::Pixels || bytes.is_some();
        if other && comparable && group.is_none_or(|group| groups.insert(group)) {
            found.push(Candidate { id, clue, bytes });
        }
    }
    moment.commit()?;
    Ok(found)
}

/// The less, the likelier a copy.
fn strength(clue: Clue) -> (u8, usize, u32) {
    match clue {
        Clue::Pixels => (0, 0, 0),
        // Of a film with many frames the number that agree says most.
        Clue::Hash { distance, close, .. } => (1, usize::MAX - close, distance),
        Clue::Keys { shared } => (2, usize::MAX - shared, 0),
    }
}

fn by_pixels(db: &Connection, example: &Example, clues: &mut BTreeMap<i64, Clue>) -> sql::Result<()> {
    let Some(pixels) = example.traces.pixels else { return Ok(()) };
    let mut select = db.prepare_cached(
        "SELECT media FROM description INDEXED BY description_by_pixels WHERE pixels = ?1 ORDER BY media LIMIT ?2",
    )?;
    let mut rows = select.query(params![pixels, SAME])?;
    while let Some(row) = rows.next()? {
        clues.insert(row.get(0)?, Clue::Pixels);
    }
    Ok(())
}

fn by_hashes(db: &Connection, hashes: &Hashes, example: &Example, clues: &mut BTreeMap<i64, Clue>) -> sql::Result<()> {
    let mut select = db.prepare_cached("SELECT media FROM picture_hash WHERE id = ?1")?;
    let mut asked_of: HashMap<i64, HashSet<usize>> = HashMap::new();
    let mut closest: BTreeMap<i64, (u32, usize)> = BTreeMap::new();
    for Close { distance, row, asked } in hashes.close_to(db, example)? {
        // One that is gone since was forgotten, or described anew.
        let media: Option<i64> = select.query_row([row], |row| row.get(0)).optional()?;
        if let Some(media) = media {
            asked_of.entry(media).or_default().insert(asked);
            closest.entry(media).or_insert((distance, asked));
        }
    }
    for (media, (distance, asked)) in closest {
        let close = asked_of.get(&media).map_or(1, HashSet::len);
        clues.insert(media, Clue::Hash { distance, asked, close });
    }
    Ok(())
}

fn by_keys(db: &Connection, example: &Example, clues: &mut BTreeMap<i64, Clue>) -> sql::Result<()> {
    let mut keys = example.traces.keys.clone();
    keys.sort_unstable();
    keys.dedup();
    keys.truncate(KEYS);
    let mut select = db.prepare_cached("SELECT media FROM copy_key WHERE kind = ?1 AND key = ?2 LIMIT ?3")?;
    let (mut shared, mut having): (HashMap<i64, usize>, Vec<i64>) = Default::default();
    for key in keys {
        having.clear();
        let mut rows = select.query(params![code(example.kind), key, SHARED as i64])?;
        while let Some(row) = rows.next()? {
            having.push(row.get(0)?);
        }
        if having.len() < SHARED {
            having.iter().for_each(|media| *shared.entry(*media).or_default() += 1);
        }
    }
    clues.extend(shared.into_iter().map(|(media, shared)| (media, Clue::Keys { shared })));
    Ok(())
}
