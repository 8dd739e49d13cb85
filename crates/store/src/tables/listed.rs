//! What has some words, as a server finds it.
//!
//! PostgreSQL's index of words has no order. What is found is asked for in [stretches](super::stretches) of
//! numbers, the newest first, until there is enough: so frequent words cost no more than others. A stretch comes
//! as one array, for a tenth of what rows cost. The index does not know where words stand either: what has all
//! words of a phrase is looked into where it is found.

use std::ops::ControlFlow;

use super::expansion::Plan;
use super::ranking::Ranked;
use super::stretches::Stretch;
use super::terms::Terms;
use super::walks::Sought;
use facts::LatLon;

use crate::Area;
use crate::matches::{LOOKED_AT, RANKED};
use crate::sql::{self, Connection, Session};

/// Items that are looked into at once, and that a stretch is to bring.
const PART: usize = 2_560;

/// How much wider than the last a stretch is at most.
const WIDER: i64 = 8;

/// Items that are looked into for a phrase: of two words that many have and few together.
const LOOKED_INTO: u64 = 4 * LOOKED_AT as u64;

/// What has some words, in parts, the newest first.
pub(super) struct Listing<'p> {
    /// What the index is asked for, and what is asked of each that it finds.
    expression: &'p str,
    exactly: Option<&'p str>,
    /// The last of all numbers.
    all: i64,
    after: i64,
    /// The newest that was not met yet.
    last: i64,
    width: i64,
    /// Numbers that were gone over, and what the index found among them.
    over: i64,
    looked_into: u64,
}

impl<'p> Listing<'p> {
    /// Of all that match.
    pub fn new(sought: &Sought<'_>, plan: &'p Plan) -> Option<Self> {
        let expression = plan.expression.as_deref()?;
        let (asked, exactly) = match plan.loose.as_deref() {
            Some(loose) => (loose, Some(expression)),
            None => (expression, None),
        };
        Some(Self::of(sought, plan, asked, exactly, i64::MAX))
    }

    /// Of what has the words prominently, below a number.
    fn prominent(sought: &Sought<'_>, plan: &'p Plan, below: i64) -> Option<Self> {
        plan.prominent.as_deref().map(|expression| Self::of(sought, plan, expression, None, below))
    }

    fn of(sought: &Sought<'_>, plan: &Plan, expression: &'p str, exactly: Option<&'p str>, below: i64) -> Self {
        let last = sought.until.min(plan.all).min(below.saturating_sub(1));
        let enough = (PART as i64).saturating_add(PART as i64 / 8).saturating_mul(plan.all);
        let width = enough / i64::try_from(plan.estimate).unwrap_or(i64::MAX).max(1);
        Self { expression, exactly, all: plan.all, after: sought.after, last, width, over: 0, looked_into: 0 }
    }

    /// Whether everything was met.
    pub fn is_over(&self) -> bool {
        self.last <= self.after
    }

    /// The next of them, perhaps none; nothing when there is no more, or enough was looked into.
    pub fn next(&mut self, db: &Connection) -> sql::Result<Option<Vec<i64>>> {
        if self.is_over() || self.looked_into >= LOOKED_INTO {
            return Ok(None);
        }
        let stretch = Stretch::ending(self.last, self.width, self.after.saturating_add(1));
        let (numbers, looked_into) = self.find(db, stretch)?;
        let width = stretch.width();
        self.over += width;
        self.looked_into += looked_into;
        self.last = stretch.first.saturating_sub(1);
        // As wide as brings enough, as far as can be told from what was met.
        let brings =
            (PART as i64).saturating_mul(self.over) / i64::try_from(self.looked_into).unwrap_or(i64::MAX).max(1);
        self.width = brings.clamp(width / WIDER, width.saturating_mul(WIDER));
        Ok(Some(numbers))
    }

    fn find(&self, db: &Connection, stretch: Stretch) -> sql::Result<(Vec<i64>, u64)> {
        let Some(session) = db.session() else { return Ok((Vec::new(), 0)) };
        // By nothing but the words: going along the numbers would be looking into each. Words are read once: a plan
        // that knows no values would read them for every row.
        let words = |place: u32| format!("words @@ (SELECT CAST(CAST(${place} AS TEXT) AS tsquery))");
        let (mut found, mut within) = ("array_agg(rowid)".to_owned(), String::new());
        let mut values: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> =
            vec![&self.expression, &stretch.first, &stretch.last];
        // What is in any stretch need not be asked for.
        let asked = stretch.expression();
        if stretch.last < self.all || stretch.first > 1 {
            values.push(&asked);
            within = format!(" AND {}", words(values.len() as u32));
        }
        if let Some(exactly) = &self.exactly {
            values.push(exactly);
            found = format!("array_agg(rowid) FILTER (WHERE {})", words(values.len() as u32));
        }
        let ask = session.own(&format!(
            "SELECT {found}, count(*) FROM item_words WHERE {}{within} AND rowid + 0 >= $2 AND rowid + 0 <= $3",
            words(1)
        ))?;
        let answer = session.wait(session.client().query_one(&ask, &values))?;
        let mut numbers: Vec<i64> = answer.get::<_, Option<Vec<i64>>>(0).unwrap_or_default();
        numbers.sort_unstable_by(|a, b| b.cmp(a));
        Ok((numbers, answer.get::<_, i64>(1).unsigned_abs()))
    }
}

/// Gives the numbers of what has the words, whatever else is asked, the newest first; whether some were not met.
pub(super) fn each(
    db: &Connection,
    sought: &Sought<'_>,
    each: &mut dyn FnMut(i64) -> ControlFlow<()>,
) -> sql::Result<bool> {
    let Some(mut listing) = sought.plan.as_ref().and_then(|plan| Listing::new(sought, plan)) else { return Ok(false) };
    while let Some(numbers) = listing.next(db)? {
        if numbers.into_iter().try_for_each(&mut *each).is_break() {
            return Ok(false);
        }
    }
    Ok(!listing.is_over())
}

/// Adds the newest that have the words, and of older ones the newest that have them prominently; whether there is
/// more than was looked at.
pub(super) fn walk(db: &Connection, sought: &Sought<'_>, plan: &Plan, found: &mut Vec<Ranked>) -> sql::Result<bool> {
    let more = Listing::new(sought, plan).map_or(Ok(false), |listing| rank_all(db, sought, plan, listing, found))?;
    let below = found.iter().map(|ranked| ranked.number).min().unwrap_or(i64::MAX);
    if more && let Some(listing) = Listing::prominent(sought, plan, below) {
        let mut older = Vec::new();
        rank_all(db, sought, plan, listing, &mut older)?;
        found.append(&mut older);
    }
    Ok(more)
}

/// Adds what matches of a listing, until there is enough; whether there is more.
fn rank_all(
    db: &Connection,
    sought: &Sought<'_>,
    plan: &Plan,
    mut listing: Listing<'_>,
    found: &mut Vec<Ranked>,
) -> sql::Result<bool> {
    let mut left = LOOKED_AT;
    while let Some(mut numbers) = listing.next(db)? {
        let cut = numbers.len() > left;
        numbers.truncate(left);
        left -= numbers.len();
        if rank(db, sought, plan, (&numbers, true), found)? || cut {
            return Ok(true);
        }
    }
    Ok(!listing.is_over())
}

/// Numbers and places of all that is in an area, the newest first; nothing when there are too many in its boxes.
pub(super) fn in_area(session: &Session, area: &Area, most: usize) -> sql::Result<Option<Vec<(i64, LatLon)>>> {
    let corners: Vec<f64> = area.boxes.iter().flatten().copied().collect();
    let boxes = (0..area.boxes.len()).map(|k| {
        let corner = |side| 4 * k + side + 1;
        format!("spot && box_of(${}, ${}, ${}, ${})", corner(0), corner(1), corner(2), corner(3))
    });
    let boxes = boxes.collect::<Vec<_>>().join(" OR ");
    let ask = session.own(&format!(
        "SELECT array_agg(media), array_agg(lat), array_agg(lon)
         FROM (SELECT media, lat, lon FROM location WHERE best = 1 AND ({boxes}) LIMIT {}) AS near",
        most.saturating_add(1)
    ))?;
    let values: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> = corners.iter().map(|corner| corner as _).collect();
    let answer = session.wait(session.client().query_one(&ask, &values))?;
    let degrees = |column| answer.get::<_, Option<Vec<f64>>>(column).unwrap_or_default();
    let (numbers, lats, lons) = (answer.get::<_, Option<Vec<i64>>>(0).unwrap_or_default(), degrees(1), degrees(2));
    if numbers.len() > most {
        return Ok(None);
    }
    let points = lats.into_iter().zip(lons).map(|(lat, lon)| LatLon::new(lat, lon).filter(|point| area.holds(*point)));
    let mut found: Vec<(i64, LatLon)> =
        numbers.into_iter().zip(points).filter_map(|(number, point)| Some((number, point?))).collect();
    found.sort_unstable_by_key(|(number, _)| std::cmp::Reverse(*number));
    Ok(Some(found))
}

/// Adds those of some items that match, the newest first; whether there were more than are ranked.
pub(super) fn rank(
    db: &Connection,
    sought: &Sought<'_>,
    plan: &Plan,
    (numbers, with_area): (&[i64], bool),
    found: &mut Vec<Ranked>,
) -> sql::Result<bool> {
    let mut terms = Terms::default();
    for part in numbers.chunks(PART) {
        for worded in sought.terms_of(db, part, with_area)? {
            terms.read(&worded.terms);
            if let Some(score) = plan.score(db, worded.number, &terms, false)? {
                found.push(Ranked { number: worded.number, score, point: worded.point });
            }
        }
        if found.len() > RANKED {
            found.sort_unstable_by_key(|ranked| std::cmp::Reverse(ranked.number));
            found.truncate(RANKED);
            return Ok(true);
        }
    }
    Ok(false)
}
