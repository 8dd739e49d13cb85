//! Files with the same bytes: one item that was found at several addresses.

use crate::sql::{self, Connection};
use facts::MediaId;

use crate::{CopyFile, Cursor, Listed, SameBytes};

/// Addresses of one item that are listed.
const SHOWN: i64 = 1_000;

/// Items that were found more than once, in order of arrival.
pub(super) fn same_bytes(db: &Connection, after: Option<&Cursor>, most: usize) -> sql::Result<Listed<SameBytes>> {
    let moment = db.moment()?;
    let first = after.map_or(0, |after| after.number);
    let mut numbers = moment
        .prepare_cached(
            "SELECT media FROM media_address INDEXED BY address_of_media
             WHERE media > ?1 GROUP BY media HAVING count(*) > 1 ORDER BY media LIMIT ?2",
        )?
        .query_map([first, i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1)], |row| row.get(0))?
        .collect::<sql::Result<Vec<i64>>>()?;
    let more = numbers.len() > most;
    numbers.truncate(most);
    let what = numbers.iter().map(|media| read(&moment, *media)).collect::<sql::Result<_>>()?;
    moment.commit()?;
    let next = numbers.last().filter(|_| more).map(|number| Cursor { key: None, number: *number });
    Ok(Listed { what, next })
}

fn read(db: &Connection, media: i64) -> sql::Result<SameBytes> {
    let kept = db
        .prepare_cached("SELECT sha256, path FROM media WHERE id = ?1")?
        .query_row([media], |row| Ok(CopyFile { id: MediaId::from_sha256(row.get(0)?), path: row.get(1)? }))?;
    // An imported file is kept where it is: that one is no copy of itself. Of addresses on the web, the
    // first is the one that the kept file came from.
    let mut at = db
        .prepare_cached(
            "SELECT COALESCE(imported.path, media_address.url) FROM media_address
             LEFT JOIN imported ON imported.media_address = media_address.id
             WHERE media_address.media = ?1 ORDER BY media_address.id LIMIT ?2",
        )?
        .query_map([media, SHOWN], |row| row.get(0))?
        .collect::<sql::Result<Vec<String>>>()?;
    let own = at.iter().position(|one| *one == kept.path).unwrap_or(0);
    at.remove(own);
    Ok(SameBytes { kept, also_at: at })
}
