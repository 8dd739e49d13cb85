//! Writing down what words say of where files were made.

use crate::sql::{self, ToSql, Transaction, params, params_from_iter};

use super::whereabouts::{COLUMNS, Columns};
use crate::SaidLocation;

/// Stands for the page where the file itself says so.
pub(super) const FILE: i64 = 0;

/// What a page says of the file at an address; of two things from one source the surer.
pub(super) fn on_page(db: &Transaction<'_>, address: i64, page: i64, said: &[SaidLocation]) -> sql::Result<()> {
    for SaidLocation { source, whereabouts } in said {
        let (source, columns) = (source.as_str(), Columns::of(whereabouts));
        let key: [&dyn ToSql; 3] = [&address, &page, &source];
        db.prepare_cached(&format!(
            "INSERT INTO said (media_address, page, source, {COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) {SURER}"
        ))?
        .run(params_from_iter(key.into_iter().chain(columns.values())))?;
    }
    Ok(())
}

/// What the file at an address says, which may be another than before.
pub(super) fn by_file(db: &Transaction<'_>, address: i64, said: &[SaidLocation]) -> sql::Result<()> {
    db.prepare_cached("DELETE FROM said WHERE media_address = ?1 AND page = ?2")?.run([address, FILE])?;
    on_page(db, address, FILE, said)
}

/// What pages say of an address that leads to another is said of the other.
pub(super) fn pass_on(db: &Transaction<'_>, from: i64, to: i64) -> sql::Result<()> {
    db.prepare_cached(&format!(
        "INSERT INTO said (media_address, page, source, {COLUMNS})
         SELECT ?2, page, source, {COLUMNS} FROM said WHERE media_address = ?1 AND page <> {FILE} {SURER}"
    ))?
    .run(params![from, to])?;
    Ok(())
}

/// A page is read again, or goes: what it said is not said any more.
pub(super) fn take_back(db: &Transaction<'_>, page: i64) -> sql::Result<()> {
    db.prepare_cached(
        "DELETE FROM said WHERE page = ?1 AND media_address IN (SELECT media_address FROM reference WHERE page = ?1)",
    )?
    .run([page])?;
    Ok(())
}

const SURER: &str = "ON CONFLICT (media_address, page, source) DO UPDATE SET
    lat = excluded.lat, lon = excluded.lon, precision = excluded.precision, confidence = excluded.confidence,
    evidence = excluded.evidence, address = excluded.address, place = excluded.place, town = excluded.town,
    admin1 = excluded.admin1, country = excluded.country
    WHERE (-excluded.confidence, excluded.precision) < (-said.confidence, said.precision)";
