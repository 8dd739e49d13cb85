//! Groups of copies, each with the best of them as its original.
//!
//! A file that has copies has a row of `copy_member`, which names its group and not its original: a
//! better copy that arrives changes one row, however many there are. `media.duplicate` follows.

use crate::sql::{self, Connection, OptionalExtension, Row, Transaction, params};
use facts::{MediaId, MediaKind};

use super::persons::number;
use super::text::{REASON, cut};
use super::{items, locations};
use crate::{
    Compared, CopyFile, CopyFound, CopyGroup, CopyMember, CopyReason, Cursor, KnownByCopies, Listed, MediaItem,
};

/// Copies that are given with a group, that are asked what they know, and that a person's word is
/// kept for.
const SHOWN: i64 = 1_000;
const ASKED: usize = 100;
const APART: i64 = 10_000;

/// Writes what comparing gave. What is not there any more is no copy.
pub(super) fn compared(db: &Transaction<'_>, compared: &[Compared]) -> sql::Result<()> {
    for Compared { id, copies } in compared {
        let Some(media) = number(db, *id)? else { continue };
        for found in copies {
            if let Some(other) = number(db, found.of)?.filter(|other| *other != media) {
                join(db, media, other, found)?;
            }
        }
        db.prepare_cached("UPDATE description SET compared = 1 WHERE media = ?1 AND compared = 0")?.execute([media])?;
    }
    Ok(())
}

/// Two files are copies of each other: so are all of their groups, unless a person said otherwise.
fn join(db: &Transaction<'_>, media: i64, other: i64, found: &CopyFound) -> sql::Result<()> {
    let (one, another) = (group_of(db, media)?, group_of(db, other)?);
    let together = one.is_some() && one == another;
    if !together && are_apart(db, (media, one), (other, another))? {
        return Ok(());
    }
    let group = match (one, another) {
        (Some(one), Some(another)) if one != another => merge(db, one, another)?,
        (Some(group), _) | (None, Some(group)) => group,
        (None, None) => db.insert("INSERT INTO copy_group (original, members) VALUES (?1, 0)", [media])?,
    };
    for (file, known) in [(media, one), (other, another)] {
        if known.is_none() {
            add(db, group, file)?;
        }
    }
    elect(db, group)?;
    let original = original(db, group)?;
    for (file, like) in [(media, other), (other, media)] {
        tell_why(db, file, like, found, original)?;
    }
    Ok(())
}

/// What is known of a file changed, and with it perhaps what its original can learn.
pub(super) fn tell_original(db: &Transaction<'_>, media: i64) -> sql::Result<()> {
    group_of(db, media)?.map_or(Ok(()), |group| teach(db, group))
}

/// The original learns from its copies where it was made, and is found by their words.
fn teach(db: &Transaction<'_>, group: i64) -> sql::Result<()> {
    let original = original(db, group)?;
    let copies = copies_of(db, original, ASKED)?;
    locations::learn_from(db, original, &copies)?;
    db.touch(original);
    Ok(())
}

/// The original of the group that each of some files is in, if it is in one: it may be the file itself.
pub(super) fn originals_of(db: &Connection, files: &[i64]) -> sql::Result<Vec<Option<i64>>> {
    let found = db
        .prepare_cached(
            "SELECT copy_group.original FROM copy_member CROSS JOIN copy_group ON copy_group.id = copy_member.copy_group
             WHERE copy_member.media = ?1",
        )?
        .query_each(files.iter().map(|file| [*file]), |row| row.get(0))?;
    Ok(found.into_iter().map(|original| original.first().copied()).collect())
}

/// The best copies of an original, so many at most; of others there are none.
pub(super) fn copies_of(db: &Connection, media: i64, most: usize) -> sql::Result<Vec<i64>> {
    let Some(group) = group_of(db, media)? else { return Ok(Vec::new()) };
    if original(db, group)? != media {
        return Ok(Vec::new());
    }
    let mut copies = files_of(db, media, Some(group), most as i64 + 1)?;
    copies.retain(|copy| *copy != media);
    Ok(copies)
}

/// How it is like the original is told; before that is known, the surest reason.
fn tell_why(db: &Transaction<'_>, file: i64, like: i64, found: &CopyFound, original: i64) -> sql::Result<()> {
    let (why, before): (Option<String>, Option<i64>) = db
        .prepare_cached("SELECT why, compared_with FROM copy_member WHERE media = ?1")?
        .query_row([file], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let better = match why.as_deref().and_then(CopyReason::parse) {
        None => true,
        Some(_) if like == original => true,
        Some(why) => before != Some(original) && found.why < why || before == Some(like),
    };
    if better {
        db.prepare_cached("UPDATE copy_member SET why = ?2, detail = ?3, compared_with = ?4 WHERE media = ?1")?
            .run(params![file, found.why.as_str(), cut(&found.detail, REASON), like])?;
    }
    Ok(())
}

/// What makes one copy better than another, and never changes.
struct Merit {
    pixels: i64,
    seconds: i64,
    /// Bytes a second.
    rate: i64,
    /// How much it says of itself; and, of those that say as much, how little was lost: its bytes.
    metadata: i64,
}

/// Bits of [`Merit::metadata`] that are bytes.
const BYTES: u32 = 40;

impl Merit {
    fn of(db: &Transaction<'_>, media: i64) -> sql::Result<Self> {
        db.prepare_cached(
            "SELECT kind, coalesce(width, 0) * coalesce(height, 0), coalesce(duration, 0), size,
                    format IN ('png', 'bmp', 'tiff'), taken IS NOT NULL, make IS NOT NULL, model IS NOT NULL,
                    title IS NOT NULL, description IS NOT NULL, keywords <> '[]', licence IS NOT NULL,
                    author IS NOT NULL, sublocation IS NOT NULL, city IS NOT NULL, state IS NOT NULL,
                    country IS NOT NULL, geotagged
             FROM media WHERE id = ?1",
        )?
        .query_row([media], |row| {
            let (kind, pixels, duration): (String, i64, f64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let size = row.get::<_, i64>(3)?;
            let most = (1 << BYTES) - 1;
            // Of pictures that lost nothing the first is as good as any.
            let lossless = row.get(4)?;
            let mut told = 0;
            for column in 5..18usize {
                told += i64::from(row.get::<_, bool>(column)?);
            }
            let metadata = told << BYTES | if lossless { most } else { size.clamp(0, most) };
            if kind == MediaKind::Image.as_str() {
                return Ok(Self { pixels, seconds: 0, rate: 0, metadata });
            }
            // Containers do not agree on a fraction of a second.
            let rate = if duration > 0.0 { (size as f64 / duration) as i64 } else { 0 };
            Ok(Self { pixels, seconds: duration.round() as i64, rate, metadata })
        })
    }
}

fn add(db: &Transaction<'_>, group: i64, media: i64) -> sql::Result<()> {
    let Merit { pixels, seconds, rate, metadata } = Merit::of(db, media)?;
    db.prepare_cached(
        "INSERT INTO copy_member (media, copy_group, pixels, seconds, rate, metadata) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .run(params![media, group, pixels, seconds, rate, metadata])?;
    db.prepare_cached("UPDATE copy_group SET members = members + 1 WHERE id = ?1")?.run([group])?;
    locations::mark_duplicate(db, media, true)
}

/// Makes two groups one: the smaller one goes into the larger. Gives the one that is left.
fn merge(db: &Transaction<'_>, one: i64, other: i64) -> sql::Result<i64> {
    let (one_members, other_members) = (members(db, one)?, members(db, other)?);
    let (from, to, moved) =
        if one_members < other_members { (one, other, one_members) } else { (other, one, other_members) };
    let demoted = original(db, from)?;
    locations::mark_duplicate(db, demoted, true)?;
    db.touch(demoted);
    db.prepare_cached("UPDATE copy_member SET copy_group = ?2 WHERE copy_group = ?1")?.run([from, to])?;
    db.prepare_cached("UPDATE copy_group SET members = members + ?2 WHERE id = ?1")?.run([to, moved])?;
    db.prepare_cached("DELETE FROM copy_group WHERE id = ?1")?.run([from])?;
    Ok(to)
}

/// The best of a group is its original. What is alone is no group.
fn elect(db: &Transaction<'_>, group: i64) -> sql::Result<()> {
    let best: Option<i64> = db
        .prepare_cached(
            "SELECT media FROM copy_member INDEXED BY member_by_merit WHERE copy_group = ?1
             ORDER BY pixels DESC, seconds DESC, rate DESC, metadata DESC, media LIMIT 1",
        )?
        .query_row([group], |row| row.get(0))
        .optional()?;
    let before = original(db, group)?;
    if let Some(best) = best {
        if before != best && group_of(db, before)? == Some(group) {
            locations::mark_duplicate(db, before, true)?;
            db.touch(before);
        }
        locations::mark_duplicate(db, best, false)?;
    }
    if members(db, group)? < 2 {
        if let Some(best) = best {
            locations::learn_from(db, best, &[])?;
            db.touch(best);
        }
        db.prepare_cached("DELETE FROM copy_member WHERE copy_group = ?1")?.execute([group])?;
        db.prepare_cached("DELETE FROM copy_group WHERE id = ?1")?.run([group])?;
        return Ok(());
    }
    if let Some(best) = best.filter(|best| *best != before) {
        db.prepare_cached("UPDATE copy_group SET original = ?2 WHERE id = ?1")?.run([group, best])?;
    }
    teach(db, group)
}

/// A file is in its group no more; the best of those that are left is its original.
pub(super) fn leave(db: &Transaction<'_>, media: i64) -> sql::Result<()> {
    let Some(group) = group_of(db, media)? else { return Ok(()) };
    db.prepare_cached("DELETE FROM copy_member WHERE media = ?1")?.run([media])?;
    db.prepare_cached("UPDATE copy_group SET members = members - 1 WHERE id = ?1")?.run([group])?;
    locations::learn_from(db, media, &[])?;
    locations::mark_duplicate(db, media, false)?;
    db.touch(media);
    elect(db, group)
}

fn group_of(db: &Connection, media: i64) -> sql::Result<Option<i64>> {
    db.prepare_cached("SELECT copy_group FROM copy_member WHERE media = ?1")?
        .query_row([media], |row| row.get(0))
        .optional()
}

fn members(db: &Connection, group: i64) -> sql::Result<i64> {
    db.prepare_cached("SELECT members FROM copy_group WHERE id = ?1")?.query_row([group], |row| row.get(0))
}

fn original(db: &Connection, group: i64) -> sql::Result<i64> {
    db.prepare_cached("SELECT original FROM copy_group WHERE id = ?1")?.query_row([group], |row| row.get(0))
}

/// Files of a group, or the one that has none; the best first.
fn files_of(db: &Connection, media: i64, group: Option<i64>, most: i64) -> sql::Result<Vec<i64>> {
    let Some(group) = group else { return Ok(vec![media]) };
    db.prepare_cached(
        "SELECT media FROM copy_member INDEXED BY member_by_merit WHERE copy_group = ?1
         ORDER BY pixels DESC, seconds DESC, rate DESC, metadata DESC, media LIMIT ?2",
    )?
    .query_map([group, most], |row| row.get(0))?
    .collect()
}

/// Whether a person said of one of these and one of those that they are no copies.
fn are_apart(db: &Connection, one: (i64, Option<i64>), other: (i64, Option<i64>)) -> sql::Result<bool> {
    if !db.prepare_cached("SELECT 1 FROM person_apart LIMIT 1")?.exists([])? {
        return Ok(false);
    }
    let size = |(_, group): (i64, Option<i64>)| group.map_or(Ok(1), |group| members(db, group));
    let (few, many) = if size(one)? <= size(other)? { (one, other) } else { (other, one) };
    let mut select = db.prepare_cached(
        "SELECT 1 FROM media CROSS JOIN person_apart ON person_apart.one = media.sha256
         CROSS JOIN media AS away ON away.sha256 = person_apart.other
         LEFT JOIN copy_member ON copy_member.media = away.id
         WHERE media.id = ?1 AND (away.id = ?2 OR copy_group = ?3) LIMIT 1",
    )?;
    for media in files_of(db, few.0, few.1, i64::MAX)? {
        if select.exists(params![media, many.0, many.1])? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A person says that a file is no copy of any other of its group; `false` when it has none.
pub(super) fn set_apart(db: &Transaction<'_>, id: MediaId) -> sql::Result<bool> {
    let Some(media) = number(db, id)? else { return Ok(false) };
    let Some(group) = group_of(db, media)? else { return Ok(false) };
    for other in files_of(db, media, Some(group), APART)?.into_iter().filter(|other| *other != media) {
        db.prepare_cached(
            "INSERT INTO person_apart (one, other, said)
             SELECT one.sha256, other.sha256, said.sha256 FROM media AS one, media AS other, media AS said
             WHERE said.id = ?1 AND (one.id = ?1 AND other.id = ?2 OR one.id = ?2 AND other.id = ?1)
             ON CONFLICT DO NOTHING",
        )?
        .run([media, other])?;
    }
    leave(db, media)?;
    Ok(true)
}

/// Takes back what a person said of a file, which is to be compared again; `false` when nobody did. What
/// was said of others stays, also where it was said of them beside this one.
pub(super) fn unset_apart(db: &Transaction<'_>, id: MediaId) -> sql::Result<bool> {
    db.prepare_cached(
        "DELETE FROM person_apart WHERE (one, other, said) IN
             (SELECT other, one, said FROM person_apart WHERE one = ?1 AND said = ?1)",
    )?
    .run([id.as_bytes()])?;
    let own = db.prepare_cached("DELETE FROM person_apart WHERE one = ?1 AND said = ?1")?.execute([id.as_bytes()])?;
    let taken = own > 0;
    if taken {
        let media = number(db, id)?;
        db.execute("UPDATE description SET compared = 0 WHERE media = ?1", [media])?;
    }
    Ok(taken)
}

/// Removes what a person said of a content.
pub(super) fn forget_apart(db: &Transaction<'_>, id: MediaId) -> sql::Result<()> {
    db.prepare_cached(
        "DELETE FROM person_apart WHERE (one, other) IN
             (SELECT other, one FROM person_apart WHERE one = ?1)",
    )?
    .run([id.as_bytes()])?;
    db.prepare_cached("DELETE FROM person_apart WHERE one = ?1")?.run([id.as_bytes()])
}

/// Groups, the newest first.
pub(super) fn groups(db: &Connection, after: Option<&Cursor>, most: usize) -> sql::Result<Listed<CopyGroup>> {
    let moment = db.moment()?;
    let before = after.map_or(i64::MAX, |after| after.number);
    let mut numbers = moment
        .prepare_cached("SELECT id FROM copy_group WHERE id < ?1 ORDER BY id DESC LIMIT ?2")?
        .query_map([before, i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1)], |row| row.get(0))?
        .collect::<sql::Result<Vec<i64>>>()?;
    let more = numbers.len() > most;
    numbers.truncate(most);
    let what = numbers.iter().map(|group| read_group(&moment, *group)).collect::<sql::Result<_>>()?;
    moment.commit()?;
    let next = numbers.last().filter(|_| more).map(|number| Cursor { key: None, number: *number });
    Ok(Listed { what, next })
}

/// The group of a file, whether it is the original or a copy.
pub(super) fn group(db: &Connection, id: MediaId) -> sql::Result<Option<CopyGroup>> {
    let moment = db.moment()?;
    let group = number(&moment, id)?.map_or(Ok(None), |media| group_of(&moment, media))?;
    let found = group.map(|group| read_group(&moment, group)).transpose()?;
    moment.commit()?;
    Ok(found)
}

fn read_group(db: &Connection, group: i64) -> sql::Result<CopyGroup> {
    let (kept, members) = db
        .prepare_cached(
            "SELECT sha256, path, members FROM copy_group JOIN media ON media.id = copy_group.original
             WHERE copy_group.id = ?1",
        )?
        .query_row([group], |row| Ok((read_file(row)?, row.get::<_, i64>(2)?)))?;
    let copies = db
        .prepare_cached(
            "SELECT media.sha256, media.path, why, detail, other.sha256
             FROM copy_member INDEXED BY member_by_merit CROSS JOIN media ON media.id = copy_member.media
             LEFT JOIN media AS other ON other.id = copy_member.compared_with
             WHERE copy_group = ?1 AND media.duplicate = 1
             ORDER BY pixels DESC, seconds DESC, rate DESC, metadata DESC, copy_member.media LIMIT ?2",
        )?
        .query_map([group, SHOWN], |row| {
            let why: String = row.get(2)?;
            let unknown = || sql::Error::strange(2, format!("no reason {why}"));
            Ok(CopyMember {
                file: read_file(row)?,
                why: CopyReason::parse(&why).ok_or_else(unknown)?,
                detail: row.get(3)?,
                like: row.get::<_, Option<[u8; 32]>>(4)?.map(MediaId::from_sha256),
            })
        })?
        .collect::<sql::Result<_>>()?;
    Ok(CopyGroup { kept, copies, total: (members - 1).max(0) as u64 })
}

fn read_file(row: &Row<'_>) -> sql::Result<CopyFile> {
    Ok(CopyFile { id: MediaId::from_sha256(row.get(0)?), path: row.get(1)? })
}

/// What the copies of an original know that it does not.
pub(super) fn known_by_copies(db: &Connection, id: MediaId) -> sql::Result<KnownByCopies> {
    let moment = db.moment()?;
    let media = number(&moment, id)?;
    let group = media.map_or(Ok(None), |media| group_of(&moment, media))?;
    let mut known = KnownByCopies::default();
    if let (Some(media), Some(group)) = (media, group)
        && original(&moment, group)? == media
    {
        let files = files_of(&moment, media, Some(group), ASKED as i64 + 1)?;
        let read = |file: &i64| items::numbered(&moment, *file);
        let mut found: Vec<MediaItem> =
            files.iter().filter_map(|file| read(file).transpose()).collect::<Result<_, _>>()?;
        if !found.is_empty() {
            let original = found.remove(0);
            let rank = |location: &crate::ItemLocation| locations::rank(&location.source, location.precision_m);
            known = KnownByCopies::of(&original, &found, rank);
        }
    }
    moment.commit()?;
    Ok(known)
}
