//! Figures of all media of a library, summed in the transactions that change what they count.
//!
//! A row of `media` says what it was last counted as. Whatever changes it notes the file
//! ([`touched`](super::touched)); then it is counted anew, and the difference is added.

use std::collections::BTreeMap;

use crate::sql::{self, Connection, Transaction, params};
use facts::{HostName, MediaKind};

use crate::import::IMPORTED;

/// Differences by the name of a figure.
pub(super) type Sums = BTreeMap<String, i64>;

/// What of a file is counted and never changes.
struct Fixed {
    kind: String,
    size: i64,
    month: Option<String>,
    width: Option<i64>,
    height: Option<i64>,
    geotagged: bool,
    wrong: bool,
}

/// What of it is counted and may change.
#[derive(Clone, Debug, Default, PartialEq)]
struct Changing {
    country: String,
    worded: bool,
    /// Whether its file is in the media directory.
    ours: bool,
    tld: String,
}

impl Changing {
    /// As the table has it. Neither countries nor top-level domains have a bar in their names.
    fn written(&self) -> String {
        let flag = |is: bool| if is { "1" } else { "0" };
        [&self.country, flag(self.worded), flag(self.ours), &self.tld].join("|")
    }

    fn read(text: &str) -> Self {
        let mut parts = text.split('|');
        let mut part = || parts.next().unwrap_or_default();
        let (country, worded, ours, tld) = (part(), part(), part(), part());
        Self { country: country.into(), worded: worded == "1", ours: ours == "1", tld: tld.into() }
    }
}

/// Adds what a file counts for, so many times.
fn add(sums: &mut Sums, fixed: &Fixed, changing: &Changing, times: i64) {
    let mut count = |name: &str, amount: i64| *sums.entry(name.to_owned()).or_default() += times * amount;
    count(&format!("media/{}", fixed.kind), 1);
    if changing.ours {
        count("bytes", fixed.size);
    }
    if fixed.kind != MediaKind::Image.as_str() {
        return;
    }
    for (counted, name) in
        [(fixed.geotagged, "geotagged"), (changing.worded && !fixed.geotagged, "worded"), (fixed.wrong, "wrong")]
    {
        count(name, i64::from(counted));
    }
    for (pixels, name) in [(fixed.width, "width"), (fixed.height, "height")] {
        if let Some(pixels) = pixels {
            count(name, pixels);
            count(&format!("{name}s"), 1);
        }
    }
    for (head, name) in [("country", Some(&changing.country)), ("month", fixed.month.as_ref())] {
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            count(&format!("{head}/{name}"), 1);
        }
    }
    if fixed.geotagged && !changing.tld.is_empty() {
        count(&format!("tld/{}", changing.tld), 1);
    }
}

/// Adds the differences between what some files are and what they were last counted as.
pub(super) fn follow(db: &Transaction<'_>, files: &[i64], sums: &mut Sums) -> sql::Result<()> {
    for (media, counted) in files.iter().zip(read(db, files)?) {
        let Some((fixed, now, before)) = counted else { continue };
        let written = now.written();
        if before.as_ref() == Some(&written) {
            continue;
        }
        if let Some(before) = before {
            add(sums, &fixed, &Changing::read(&before), -1);
        }
        add(sums, &fixed, &now, 1);
        db.prepare_cached("UPDATE media SET counted = ?2 WHERE id = ?1")?.run(params![media, written])?;
    }
    Ok(())
}

/// The file goes.
pub(super) fn remove(db: &Transaction<'_>, media: i64) -> sql::Result<()> {
    let mut sums = Sums::new();
    if let Some(Some((fixed, _, Some(before)))) = read(db, &[media])?.pop() {
        add(&mut sums, &fixed, &Changing::read(&before), -1);
    }
    write(db, &sums)
}

/// What a file is counted as, and was last.
type Counted = (Fixed, Changing, Option<String>);

/// What is counted of each of some files, of those that are there.
fn read(db: &Connection, files: &[i64]) -> sql::Result<Vec<Option<Counted>>> {
    let select =
        "SELECT kind, size, substr(taken, 1, 7), width, height, geotagged, wrong_location IS NOT NULL, by_place,
                         worded, substr(path, 1, 1) <> '/', by_host, counted
                  FROM media WHERE id = ?1";
    let found = db.prepare_cached(select)?.query_each(files.iter().map(|file| [*file]), |row| {
        let fixed = Fixed {
            kind: row.get(0)?,
            size: row.get(1)?,
            month: row.get(2)?,
            width: row.get(3)?,
            height: row.get(4)?,
            geotagged: row.get(5)?,
            wrong: row.get(6)?,
        };
        let (place, host): (Option<String>, String) = (row.get(7)?, row.get(10)?);
        let country = place.as_deref().and_then(|place| place.split('\u{1}').next()).unwrap_or_default();
        let host = HostName::parse(&host).filter(|_| host != IMPORTED);
        let tld = host.as_ref().and_then(HostName::tld).unwrap_or_default().to_owned();
        let changing = Changing { country: country.replace('|', " "), worded: row.get(8)?, ours: row.get(9)?, tld };
        Ok((fixed, changing, row.get(11)?))
    })?;
    Ok(found.into_iter().map(|mut found| found.pop()).collect())
}

/// Adds differences to the figures.
pub(super) fn write(db: &Transaction<'_>, sums: &Sums) -> sql::Result<()> {
    for (name, by) in sums.iter().filter(|(_, by)| **by != 0) {
        let count: i64 = db
            .prepare_cached(
                "INSERT INTO figure (name, count) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET count = figure.count + excluded.count RETURNING count",
            )?
            .query_row(params![name, by], |row| row.get(0))?;
        if count == 0 {
            db.prepare_cached("DELETE FROM figure WHERE name = ?1")?.run([name])?;
        }
    }
    Ok(())
}

/// All figures.
pub(super) fn all(db: &Connection) -> sql::Result<BTreeMap<String, u64>> {
    db.prepare_cached("SELECT name, count FROM figure")?
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.max(0) as u64)))?
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_read_as_it_was_written() {
        for changing in [
            Changing::default(),
            Changing { country: "DE".into(), worded: true, ours: false, tld: "de".into() },
            Changing { country: String::new(), worded: false, ours: true, tld: "museum".into() },
        ] {
            assert_eq!(Changing::read(&changing.written()), changing);
        }
    }
}
