//! Local files, as if they had been crawled.

use std::collections::HashSet;

use crate::sql::{self, Connection, OptionalExtension, Transaction, params};
use facts::Timestamp;

use super::catalogue::{ADDRESS, Catalogue};
use super::records::{Written, note_unnamed};
use super::signed;
use super::text::{DESCRIPTION, REASON, cut};
use crate::import::{FileAddress, IMPORTED};
use crate::{Imported, ImportedFile};

pub(super) fn import(
    db: &Transaction<'_>,
    files: &[(FileAddress, ImportedFile)],
    now: Timestamp,
) -> sql::Result<Written<Imported>> {
    let mut catalogue = Catalogue::new(db)?;
    let (mut imported, mut unnamed) = (Imported::default(), HashSet::new());
    for (address, file) in files {
        import_one(&mut catalogue, address, file, now, &mut imported)?;
        if let Ok(kept) = &file.outcome {
            note_unnamed(db, kept, &mut unnamed)?;
        }
    }
    Ok(Written { what: imported, unnamed, doomed: catalogue.doomed > 0 })
}

fn import_one(
    catalogue: &mut Catalogue<'_>,
    address: &FileAddress,
    file: &ImportedFile,
    now: Timestamp,
    imported: &mut Imported,
) -> sql::Result<()> {
    let content_barred = match &file.outcome {
        Ok(kept) => catalogue.bars_content(&kept.id)?,
        Err(_) => false,
    };
    if content_barred || catalogue.barred(ADDRESS, &address.id)? {
        imported.forgotten += 1;
        return Ok(());
    }
    match &file.outcome {
        Ok(kept) => {
            let kind = kept.facts.format.kind;
            let held = catalogue.address_on(IMPORTED, address.id, &address.url, kind)?;
            // The row comes first: which path a content has follows from it.
            note(catalogue.db, file, Some(held.id), None)?;
            match catalogue.keep(held, kept, now)?.new {
                true => imported.new += 1,
                false => imported.known += 1,
            }
        }
        Err(refused) => {
            if let Some(held) = catalogue.find_address(address.id)? {
                catalogue.remove_address(held)?;
                held.media.map_or(Ok(()), |media| catalogue.settle(media))?;
            }
            note(catalogue.db, file, None, Some(cut(&refused.reason, REASON)))?;
            imported.refused += 1;
        }
    }
    Ok(())
}

fn note(db: &Transaction<'_>, file: &ImportedFile, address: Option<i64>, refused: Option<&str>) -> sql::Result<()> {
    db.prepare_cached(
        "INSERT INTO imported (path, size, modified, description, media_address, refused)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = excluded.modified,
             description = excluded.description, media_address = excluded.media_address, refused = excluded.refused",
    )?
    .run(params![
        file.source,
        signed(file.size),
        file.modified,
        cut(&file.description, DESCRIPTION),
        address,
        refused
    ])?;
    Ok(())
}

/// Size and time of change that each path had when it was last taken; none for one that was refused.
pub(super) fn imported(db: &Connection, paths: &[String]) -> sql::Result<Vec<Option<(u64, i64)>>> {
    let mut select = db.prepare_cached("SELECT size, modified FROM imported WHERE path = ?1 AND refused IS NULL")?;
    let mut known =
        |path: &String| select.query_row([path], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?))).optional();
    paths.iter().map(&mut known).collect()
}
