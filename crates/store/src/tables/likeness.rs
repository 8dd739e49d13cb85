//! Clusters of what is alike: points are rows by cluster, and held in memory once they were asked for.
//!
//! Only the clusters that a question comes to are read, new rows before each question. As with hashes
//! nothing has to be kept in step: a number is never used again, and what is gone or was moved since has
//! another one, or none, in its description.

use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::sql::{self, Connection, OptionalExtension, Transaction, many, params, params_from_iter};
use facts::{MediaId, MediaKind};
use lru::LruCache;

use super::descriptions::code;
use super::persons::number;
use crate::{Alike, AlikeItem, ClusterId, Leader, Leaders, Placed, Sorted, Unplaced};

/// Points that are held, at some 150 bytes each; those not asked for lately go first.
const HELD: usize = 8_000_000;
/// Values of a point.
const DIMENSIONS: usize = 1_024;
/// Clusters of one kind.
const CLUSTERS: usize = 65_536;
/// Clusters that are read at once.
const AT_ONCE: usize = 64;
/// Members that a cluster is thought to have at least: it may have grown.
const FEWEST: u64 = 100;
/// Items that are given at most.
const MOST: usize = 10_000;

/// Clusters that were asked for.
pub(super) struct Likenesses(Mutex<Held>);

struct Held {
    clusters: LruCache<i64, Arc<Members>>,
    points: usize,
    /// Leaders by kind and version.
    leaders: BTreeMap<(u8, u16), HeldLeaders>,
}

/// Leaders, and how many there were with the newest when they were read.
struct HeldLeaders {
    then: (i64, i64),
    leaders: Arc<Vec<Leader>>,
}

/// The points of a cluster, one after the other.
#[derive(Clone, Default)]
struct Members {
    /// The row that was read last.
    last: i64,
    /// Rows and their files.
    rows: Vec<(i64, i64)>,
    points: Vec<i8>,
}

impl Default for Likenesses {
    fn default() -> Self {
        let clusters = LruCache::unbounded();
        Self(Mutex::new(Held { clusters, points: 0, leaders: BTreeMap::new() }))
    }
}

impl Likenesses {
    fn leaders(&self, db: &Connection, kind: MediaKind, version: u16) -> sql::Result<Arc<Vec<Leader>>> {
        let now: (i64, i64) = db
            .prepare_cached(
                "SELECT count(*), coalesce(max(id), 0) FROM alike_cluster WHERE kind = ?1 AND version = ?2",
            )?
            .query_row(params![code(kind), version], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(HeldLeaders { then, leaders }) = held.leaders.get(&(code(kind), version))
            && *then == now
        {
            return Ok(Arc::clone(leaders));
        }
        let leaders = Arc::new(read_leaders(db, kind, version)?);
        held.leaders.insert((code(kind), version), HeldLeaders { then: now, leaders: Arc::clone(&leaders) });
        Ok(leaders)
    }

    /// The members of some clusters as they are now.
    fn members(&self, db: &Connection, clusters: &[i64], dimensions: usize) -> sql::Result<Vec<Arc<Members>>> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known: Vec<Arc<Members>> =
            clusters.iter().map(|cluster| held.clusters.get(cluster).cloned().unwrap_or_default()).collect();
        let asked = clusters.iter().zip(&known).map(|(cluster, members)| [*cluster, members.last]);
        let came = db
            .prepare_cached(
                "SELECT number, media, point FROM alike WHERE cluster = ?1 AND number > ?2 ORDER BY number",
            )?
            .query_each(asked, |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, Vec<u8>>(2)?)))?;
        let mut now = Vec::with_capacity(clusters.len());
        for ((cluster, mut members), came) in clusters.iter().zip(known).zip(came) {
            let came = came.into_iter().filter(|(.., point)| point.len() == dimensions);
            let before = members.rows.len();
            // Not copied: nobody else has it.
            held.clusters.pop(cluster);
            for (number, media, point) in came {
                let members = Arc::make_mut(&mut members);
                members.rows.push((number, media));
                members.points.extend(point.iter().map(|value| *value as i8));
                members.last = number;
            }
            held.points += members.rows.len() - before;
            held.clusters.put(*cluster, Arc::clone(&members));
            now.push(members);
        }
        while held.points > HELD
            && let Some((_, gone)) = held.clusters.pop_lru()
        {
            held.points -= gone.rows.len();
        }
        Ok(now)
    }

    fn forget(&self, gone: &[i64]) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for cluster in gone {
            if let Some(members) = held.clusters.pop(cluster) {
                held.points -= members.rows.len();
            }
        }
    }
}

/// Items near a point, the nearest first.
pub(super) fn alike(db: &Connection, held: &Likenesses, asked: &Alike) -> sql::Result<Vec<AlikeItem>> {
    let moment = db.moment()?;
    let leaders = held.leaders(&moment, asked.kind, asked.version)?;
    let mut nearest: Vec<(u32, i64, u64)> =
        leaders.iter().map(|leader| (apart(&leader.point, &asked.point), leader.cluster.0, leader.members)).collect();
    nearest.sort_unstable();
    let most = asked.most.min(MOST);
    // Copies and what is gone are left out afterwards.
    let wanted = most + most / 4 + 16;
    let (mut best, mut compared) = (BinaryHeap::with_capacity(wanted + 1), 0);
    let mut nearest = nearest.into_iter();
    while compared < asked.compared {
        // As many as should do, by what they had when their leaders were read.
        let (mut clusters, mut expected) = (Vec::new(), compared);
        while expected < asked.compared
            && clusters.len() < AT_ONCE
            && let Some((_, cluster, members)) = nearest.next()
        {
            clusters.push(cluster);
            expected = expected.saturating_add(members.max(FEWEST) as usize);
        }
        if clusters.is_empty() {
            break;
        }
        for members in held.members(&moment, &clusters, asked.point.len())? {
            compared += members.rows.len();
            for (row, point) in members.rows.iter().zip(members.points.chunks_exact(asked.point.len().max(1))) {
                let apart = apart(point, &asked.point);
                if best.len() < wanted {
                    best.push((apart, *row));
                } else if best.peek().is_some_and(|(most, _)| apart < *most) {
                    best.pop();
                    best.push((apart, *row));
                }
            }
        }
    }
    let near: Vec<(i64, i64)> = best.into_sorted_vec().into_iter().map(|(_, row)| row).collect();
    let files: Vec<i64> = near.iter().map(|(_, media)| *media).collect();
    let known = moment
        .prepare_cached(&format!(
            "SELECT media.id, place, sha256, duplicate, bytes FROM description
             CROSS JOIN media ON media.id = description.media
             WHERE description.media IN ({}) AND place IS NOT NULL AND bytes IS NOT NULL",
            many::places()
        ))?
        .query_each(many::parts(&files).map(params_from_iter), |row| {
            let item = AlikeItem { id: MediaId::from_sha256(row.get(2)?), bytes: row.get(4)? };
            Ok(((row.get(1)?, row.get(0)?), (item, row.get(3)?)))
        })?;
    let mut known: HashMap<(i64, i64), (AlikeItem, bool)> = known.into_iter().flatten().collect();
    let found = near.iter().filter_map(|row| {
        let (item, duplicate) = known.remove(row)?;
        (Some(item.id) != asked.except && (asked.copies || !duplicate)).then_some(item)
    });
    let found = found.take(most).collect();
    moment.commit()?;
    Ok(found)
}

/// The square of the distance of two points.
fn apart(a: &[i8], b: &[i8]) -> u32 {
    let squares = a.iter().zip(b).map(|(a, b)| {
        let by = i16::from(*a) - i16::from(*b);
        i32::from(by) * i32::from(by)
    });
    squares.sum::<i32>() as u32
}

/// Leaders of a kind, with how they were found.
pub(super) fn leaders(db: &Connection, kind: MediaKind, version: u16) -> sql::Result<Leaders> {
    let moment = db.moment()?;
    let sorted = moment
        .prepare_cached("SELECT generation, items, spread FROM alike_sorted WHERE kind = ?1 AND version = ?2")?
        .query_row(params![code(kind), version], |row| {
            Ok(Sorted { generation: row.get(0)?, items: row.get::<_, i64>(1)?.max(0) as u64, spread: row.get(2)? })
        })
        .optional()?
        .unwrap_or_default();
    let leaders = read_leaders(&moment, kind, version)?;
    moment.commit()?;
    Ok(Leaders { sorted, leaders })
}

fn read_leaders(db: &Connection, kind: MediaKind, version: u16) -> sql::Result<Vec<Leader>> {
    db.prepare_cached(
        "SELECT id, generation, leader, members FROM alike_cluster WHERE kind = ?1 AND version = ?2 ORDER BY id",
    )?
    .query_map(params![code(kind), version], |row| {
        Ok(Leader {
            cluster: ClusterId(row.get(0)?),
            generation: row.get(1)?,
            point: row.get_ref(2)?.as_blob()?.iter().map(|value| *value as i8).collect(),
            members: row.get::<_, i64>(3)?.max(0) as u64,
        })
    })?
    .collect()
}

/// Founds clusters; `sorted` begins a new clustering. Gives their numbers.
pub(super) fn found(
    db: &Transaction<'_>,
    kind: MediaKind,
    version: u16,
    sorted: Option<Sorted>,
    points: &[Vec<i8>],
) -> sql::Result<Vec<ClusterId>> {
    if let Some(Sorted { generation, items, spread }) = sorted {
        db.prepare_cached(
            "INSERT INTO alike_sorted (kind, version, generation, items, spread) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (kind, version) DO UPDATE
             SET generation = excluded.generation, items = excluded.items, spread = excluded.spread",
        )?
        .run(params![code(kind), version, generation, super::signed(items), spread])?;
        // Points and clusters of older formulas are of no use any more.
        db.prepare_cached("DELETE FROM alike_sorted WHERE kind = ?1 AND version < ?2")?
            .run(params![code(kind), version])?;
        db.prepare_cached("DELETE FROM alike_cluster WHERE kind = ?1 AND members = 0")?.run([code(kind)])?;
    }
    let generation: u32 = db
        .prepare_cached("SELECT generation FROM alike_sorted WHERE kind = ?1 AND version = ?2")?
        .query_row(params![code(kind), version], |row| row.get(0))
        .optional()?
        .unwrap_or(0);
    let mut ids = Vec::with_capacity(points.len());
    for point in points.iter().take(CLUSTERS) {
        let bytes: Vec<u8> = point.iter().take(DIMENSIONS).map(|value| *value as u8).collect();
        ids.push(ClusterId(db.insert(
            "INSERT INTO alike_cluster (kind, version, generation, leader) VALUES (?1, ?2, ?3, ?4)",
            params![code(kind), version, generation, bytes],
        )?));
    }
    Ok(ids)
}

/// The next items of a kind that are described and in no cluster.
pub(super) fn unplaced(db: &Connection, kind: MediaKind, version: u16, most: usize) -> sql::Result<Vec<Unplaced>> {
    db.prepare_cached(
        "SELECT sha256, bytes FROM description INDEXED BY description_to_place
         CROSS JOIN media ON media.id = description.media
         WHERE place IS NULL AND bytes IS NOT NULL AND kind = ?1 AND version = ?2
         ORDER BY description.media LIMIT ?3",
    )?
    .query_map(params![kind.as_str(), version, most as i64], |row| {
        Ok(Unplaced { id: MediaId::from_sha256(row.get(0)?), bytes: row.get(1)? })
    })?
    .collect()
}

/// Puts items into clusters, out of those they were in. What is gone is left out.
pub(super) fn place(db: &Transaction<'_>, held: &Likenesses, placed: &[Placed]) -> sql::Result<()> {
    let mut numbers: i64 =
        db.prepare_cached("SELECT coalesce(max(next), 1) FROM alike_number")?.query_row([], |row| row.get(0))?;
    let mut left = Vec::new();
    for Placed { id, cluster, point } in placed {
        let Some(media) = number(db, *id)? else { continue };
        let known = db.prepare_cached("SELECT 1 FROM alike_cluster WHERE id = ?1")?.exists([cluster.0])?;
        let described =
            db.prepare_cached("SELECT 1 FROM description WHERE media = ?1 AND bytes IS NOT NULL")?.exists([media])?;
        if !known || !described {
            continue;
        }
        left.extend(remove(db, media)?);
        let bytes: Vec<u8> = point.iter().take(DIMENSIONS).map(|value| *value as u8).collect();
        db.prepare_cached("INSERT INTO alike (cluster, number, media, point) VALUES (?1, ?2, ?3, ?4)")?
            .run(params![cluster.0, numbers, media, bytes])?;
        db.prepare_cached("UPDATE description SET cluster = ?2, place = ?3 WHERE media = ?1")?
            .run(params![media, cluster.0, numbers])?;
        db.prepare_cached("UPDATE alike_cluster SET members = members + 1 WHERE id = ?1")?.run([cluster.0])?;
        numbers += 1;
    }
    db.prepare_cached("DELETE FROM alike_number")?.execute([])?;
    db.prepare_cached("INSERT INTO alike_number (next) VALUES (?1)")?.run([numbers])?;
    // Clusters of older clusterings go when their last member does.
    left.sort_unstable();
    left.dedup();
    let mut gone = Vec::new();
    for cluster in left {
        let removed = db
            .prepare_cached(
                "DELETE FROM alike_cluster WHERE id = ?1 AND members = 0 AND generation <
                     (SELECT generation FROM alike_sorted
                      WHERE kind = alike_cluster.kind AND version = alike_cluster.version)",
            )?
            .execute([cluster])?;
        if removed > 0 {
            gone.push(cluster);
        }
    }
    held.forget(&gone);
    Ok(())
}

/// Takes a file out of its cluster, which is told.
pub(super) fn remove(db: &Transaction<'_>, media: i64) -> sql::Result<Option<i64>> {
    let place: Option<(i64, i64)> = db
        .prepare_cached("SELECT cluster, place FROM description WHERE media = ?1 AND place IS NOT NULL")?
        .query_row([media], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((cluster, place)) = place else { return Ok(None) };
    db.prepare_cached("DELETE FROM alike WHERE cluster = ?1 AND number = ?2")?.run([cluster, place])?;
    db.prepare_cached("UPDATE alike_cluster SET members = members - 1 WHERE id = ?1")?.run([cluster])?;
    db.prepare_cached("UPDATE description SET cluster = NULL, place = NULL WHERE media = ?1")?.run([media])?;
    Ok(Some(cluster))
}

/// The next items that are in clusters of older clusterings, with their points.
pub(super) fn misplaced(
    db: &Connection,
    kind: MediaKind,
    version: u16,
    most: usize,
) -> sql::Result<Vec<(MediaId, Vec<i8>)>> {
    let moment = db.moment()?;
    let old = moment
        .prepare_cached(
            "SELECT id FROM alike_cluster WHERE kind = ?1 AND version = ?2 AND members > 0 AND generation <
                 (SELECT generation FROM alike_sorted WHERE kind = ?1 AND version = ?2) ORDER BY id",
        )?
        .query_map(params![code(kind), version], |row| row.get(0))?
        .collect::<sql::Result<Vec<i64>>>()?;
    let mut found = Vec::new();
    for cluster in old {
        if found.len() >= most {
            break;
        }
        let rows = moment
            .prepare_cached(
                "SELECT sha256, point FROM alike CROSS JOIN media ON media.id = alike.media
                 WHERE cluster = ?1 ORDER BY number LIMIT ?2",
            )?
            .query_map(params![cluster, (most - found.len()) as i64], read_point)?
            .collect::<sql::Result<Vec<_>>>()?;
        found.extend(rows);
    }
    moment.commit()?;
    Ok(found)
}

/// Points of a kind, taken evenly from all clusters: so many at most.
pub(super) fn points(db: &Connection, kind: MediaKind, version: u16, most: usize) -> sql::Result<Vec<Vec<i8>>> {
    let moment = db.moment()?;
    let clusters = read_leaders(&moment, kind, version)?;
    let all: u64 = clusters.iter().map(|leader| leader.members).sum();
    let step = all.div_ceil(most.max(1) as u64).max(1);
    let (mut found, mut passed) = (Vec::new(), 0u64);
    for leader in clusters {
        let mut select = moment.prepare_cached("SELECT point FROM alike WHERE cluster = ?1 ORDER BY number")?;
        let mut rows = select.query([leader.cluster.0])?;
        while let Some(row) = rows.next()? {
            if passed.is_multiple_of(step) && found.len() < most {
                found.push(row.get_ref(0)?.as_blob()?.iter().map(|value| *value as i8).collect());
            }
            passed += 1;
        }
    }
    moment.commit()?;
    Ok(found)
}

fn read_point(row: &sql::Row<'_>) -> sql::Result<(MediaId, Vec<i8>)> {
    let point = row.get_ref(1)?.as_blob()?.iter().map(|value| *value as i8).collect();
    Ok((MediaId::from_sha256(row.get(0)?), point))
}
