//! Images by country and by month.

use rusqlite::Connection;

use crate::Breakdown;

pub(super) fn read(db: &Connection) -> rusqlite::Result<Breakdown> {
    let counts = |sql: &str| -> rusqlite::Result<Vec<(String, u64)>> {
        let mut select = db.prepare_cached(sql)?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
        rows.collect()
    };
    Ok(Breakdown {
        countries: counts(
            "SELECT location.country, count(*) AS images FROM location JOIN media ON media.id = location.media
             WHERE location.best = 1 AND location.country IS NOT NULL AND media.kind = 'image'
             GROUP BY location.country ORDER BY images DESC, location.country",
        )?,
        months: counts(
            "SELECT strftime('%Y-%m', first_seen / 1000, 'unixepoch') AS month, count(*) FROM media
             WHERE kind = 'image' GROUP BY month ORDER BY month",
        )?,
        bytes: db
            .prepare_cached("SELECT coalesce(sum(size), 0) FROM media")?
            .query_row([], |row| row.get::<_, i64>(0))?
            .unsigned_abs(),
    })
}
