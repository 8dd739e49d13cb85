//! What people say and do: texts over those of an item, items taken out, settings.

use crate::sql::{self, Connection, OptionalExtension, Transaction, params};
use facts::MediaId;

use super::catalogue::Catalogue;
use super::said;
use super::text::cut_some;

/// Longest texts of a person, in characters.
const TITLE: usize = 500;
const DESCRIPTION: usize = 5_000;

/// A text that is written (`Some`) or taken back (`None`), or is left as it is.
pub(super) type Change = Option<Option<String>>;

/// Writes a person's texts; `false` when there is no such file.
pub(super) fn set_text(db: &Transaction<'_>, id: MediaId, title: &Change, description: &Change) -> sql::Result<bool> {
    let Some(media) = number(db, id)? else { return Ok(false) };
    db.touch(media);
    for (column, most, change) in [("title", TITLE, title), ("description", DESCRIPTION, description)] {
        if let Some(text) = change {
            db.execute(
                &format!(
                    "INSERT INTO person_text (sha256, {column}) VALUES (?1, ?2)
                     ON CONFLICT (sha256) DO UPDATE SET {column} = excluded.{column}"
                ),
                params![id.as_bytes(), cut_some(text, most)],
            )?;
        }
    }
    db.execute("DELETE FROM person_text WHERE sha256 = ?1 AND title IS NULL AND description IS NULL", [id.as_bytes()])?;
    Ok(true)
}

/// Takes a file out; `false` when there is none. Pages still show its addresses, which may hold it
/// again. Those of local files go: else nobody could import them again.
pub(super) fn remove(db: &Transaction<'_>, id: MediaId) -> sql::Result<bool> {
    let Some(media) = number(db, id)? else { return Ok(false) };
    let mut catalogue = Catalogue::new(db)?;
    let addresses = db
        .prepare_cached(
            "SELECT id, EXISTS (SELECT 1 FROM imported WHERE media_address = media_address.id) FROM media_address
             WHERE media = ?1",
        )?
        .query_map([media], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<sql::Result<Vec<(i64, bool)>>>()?;
    for (address, local) in addresses {
        let address = catalogue.address_numbered(address)?;
        if local {
            catalogue.remove_address(address)?;
        } else {
            said::by_file(db, address.id, &[])?;
            catalogue.point(address, None)?;
        }
    }
    catalogue.settle(media)?;
    Ok(true)
}

/// The number of the file with this content.
pub(super) fn number(db: &Connection, id: MediaId) -> sql::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM media WHERE sha256 = ?1")?.query_row([id.as_bytes()], |row| row.get(0)).optional()
}

pub(super) fn setting(db: &Connection, name: &str) -> sql::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM setting WHERE name = ?1")?.query_row([name], |row| row.get(0)).optional()
}

pub(super) fn save_setting(db: &Transaction<'_>, name: &str, value: Option<&str>) -> sql::Result<()> {
    match value {
        Some(value) => db.execute(
            "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [name, value],
        ),
        None => db.execute("DELETE FROM setting WHERE name = ?1", [name]),
    }
    .map(drop)
}
