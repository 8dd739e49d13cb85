//! Where a file was made: one row for each way that is known, of which the best is shown.

use media::Location;
use rusqlite::{Transaction, params};

/// Sources of a location, the most believed first: the word of a person, then the file's own parts
/// as `media` ranks them. What is not named here comes after all that is.
const RANK: &[&str] = &["person", "exif", "xmp", "quicktime", "loci", "matroska", "vorbis"];

fn rank(source: &str) -> usize {
    RANK.iter().position(|known| *known == source).unwrap_or(RANK.len())
}

/// Writes what the file itself says.
pub(super) fn add(db: &Transaction<'_>, media: i64, location: &Location) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO location (media, source, lat, lon, altitude, direction, date) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        media,
        location.source.as_str(),
        location.at.lat(),
        location.at.lon(),
        location.altitude,
        location.direction,
        location.date.map(|date| date.0),
    ])?;
    elect(db, media)
}

/// Marks the best of a file's locations.
fn elect(db: &Transaction<'_>, media: i64) -> rusqlite::Result<()> {
    let sources = db
        .prepare_cached("SELECT source FROM location WHERE media = ?1 ORDER BY source")?
        .query_map([media], |row| row.get::<_, String>(0))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let best = sources.iter().min_by_key(|source| rank(source));
    db.prepare_cached("UPDATE location SET best = (source = ?2) WHERE media = ?1 AND best <> (source = ?2)")?
        .execute(params![media, best])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::rank;

    #[test]
    fn people_are_believed_before_files_and_files_before_anything_else() {
        let sources = ["person", "exif", "xmp", "quicktime", "page", "no such source"];
        assert!(sources.is_sorted_by_key(|source| rank(source)));
        assert!(rank("person") < rank("exif") && rank("vorbis") < rank("page"));
    }
}
