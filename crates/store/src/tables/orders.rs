//! Lists in an order, by the index of that order.
//!
//! An order goes by a column of `media` and, for equal ones, by number; what is unknown comes last.
//! A page begins right after what the cursor names, so that it costs the same anywhere in the list.
//! Where few items match, they are collected and sorted instead.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::sql::{self, Connection, Value, many, params_from_iter};

use super::slips::Lexicon;
use super::walks::Sought;
use crate::listing::Key;
use crate::{Cursor, ItemFilter, ItemOrder};

/// Items up to which all that match are sorted.
const FEW: usize = 20_000;

/// Hues are told apart in steps of so many degrees, so that lightness counts too.
const HUES: f64 = 10.0;

/// An order that a list can be read in.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Order {
    By(ItemOrder),
    /// Shown locations that nobody confirmed, the least certain first.
    Doubt,
}

/// In which order numbers are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rows {
    Any,
    Rising,
    Falling,
}

/// A part of an order that one statement reads.
pub(super) struct Part {
    pub table: &'static str,
    pub key: &'static str,
    pub condition: String,
    pub values: Vec<Value>,
    pub order: String,
}

/// The next items of a list, each with its place in the order.
pub(super) fn list(
    db: &Connection,
    lexicon: &Lexicon,
    filter: &ItemFilter,
    order: Order,
    after: Option<&Cursor>,
    most: usize,
) -> sql::Result<Vec<Cursor>> {
    let Some(mut sought) = Sought::new(db, lexicon, filter)? else { return Ok(Vec::new()) };
    let Some((column, table, falling)) = order.column() else {
        return by_arrival(db, &mut sought, order, after, most);
    };
    if let Some(ways) = sought.narrow_ways(db, FEW)? {
        let mut found = Vec::new();
        for along in ways {
            let _ = sought.walk(db, along, Rows::Any, &mut |number, _| {
                found.push(number);
                ControlFlow::Continue(())
            })?;
        }
        return sorted(db, order, found, after, most);
    }
    let mut found = Vec::new();
    for part in parts(column, table, falling, after) {
        // Nothing is to be said of what has no doubtful location, and its index does not hold it.
        if order == Order::Doubt && part.condition.contains("IS NULL") {
            break;
        }
        if found.len() >= most {
            break;
        }
        let _ = sought.walk_part(db, part, &mut |number, key| {
            found.push(Cursor { key: key.and_then(key_of), number });
            if found.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
    }
    Ok(found)
}

fn by_arrival(
    db: &Connection,
    sought: &mut Sought<'_>,
    order: Order,
    after: Option<&Cursor>,
    most: usize,
) -> sql::Result<Vec<Cursor>> {
    let rising = order == Order::By(ItemOrder::Oldest);
    match after {
        Some(after) if rising => sought.after = sought.after.max(after.number),
        Some(after) => sought.until = sought.until.min(after.number.saturating_sub(1)),
        None => {}
    }
    let ways = sought.ways(db, FEW)?;
    let found = sought.first(db, &ways, if rising { Rows::Rising } else { Rows::Falling }, most)?;
    Ok(found.into_iter().map(|number| Cursor { key: None, number }).collect())
}

/// What is after the cursor: the rest of those like it, those beyond, those of which nothing is known.
fn parts(column: &'static str, table: &'static str, falling: bool, after: Option<&Cursor>) -> Vec<Part> {
    let part = |condition: String, values: Vec<Value>, order: &str| Part {
        table,
        key: column,
        condition,
        values,
        order: format!(" ORDER BY {order}"),
    };
    let (beyond, order) = match falling {
        true => ("<", format!("{column} DESC, media.id DESC")),
        false => (">", format!("{column}, media.id DESC")),
    };
    let unknown = || part(format!("{column} IS NULL"), Vec::new(), "media.id DESC");
    match after {
        None => vec![part(format!("{column} IS NOT NULL"), Vec::new(), &order), unknown()],
        Some(Cursor { key: None, number }) => {
            let condition = format!("{column} IS NULL AND media.id < ?");
            vec![part(condition, vec![Value::from(*number)], "media.id DESC")]
        }
        Some(Cursor { key: Some(key), number }) => {
            let value = || key_value(column, key);
            let equal = format!("{column} = ? AND media.id < ?");
            vec![
                part(equal, vec![value(), Value::from(*number)], "media.id DESC"),
                part(format!("{column} {beyond} ?"), vec![value()], &order),
                unknown(),
            ]
        }
    }
}

/// A key as its column holds it. One of another kind, which no list gave, is where SQLite has it: numbers
/// come before texts.
fn key_value(column: &str, key: &Key) -> Value {
    let numbers = matches!(column, "media.by_colour" | "media.by_doubt");
    match key {
        Key::Number(number) if numbers => Value::from(*number),
        Key::Number(_) => Value::from(String::new()),
        Key::Text(_) if numbers => Value::from(i64::MAX),
        Key::Text(text) => Value::from(text.clone()),
    }
}

/// The next of these items, sorted here.
fn sorted(
    db: &Connection,
    order: Order,
    numbers: Vec<i64>,
    after: Option<&Cursor>,
    most: usize,
) -> sql::Result<Vec<Cursor>> {
    let Some((column, _, falling)) = order.column() else { return Ok(Vec::new()) };
    let keys = db
        .prepare_cached(&format!("SELECT media.id, {column} FROM media WHERE media.id IN ({})", many::places()))?
        .query_each(many::parts(&numbers).map(params_from_iter), |row| Ok((row.get(0)?, row.get::<_, Value>(1)?)))?;
    let mut keys: HashMap<i64, Value> = keys.into_iter().flatten().collect();
    let mut found: Vec<Cursor> =
        numbers.into_iter().map(|number| Cursor { key: keys.remove(&number).and_then(key_of), number }).collect();
    let compare = |a: &Cursor, b: &Cursor| {
        let keys = match (&a.key, &b.key) {
            (Some(a), Some(b)) if falling => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        };
        keys.then(b.number.cmp(&a.number))
    };
    if order == Order::Doubt {
        found.retain(|cursor| cursor.key.is_some());
    }
    if let Some(after) = after {
        found.retain(|cursor| compare(cursor, after) == Ordering::Greater);
    }
    found.sort_unstable_by(compare);
    found.truncate(most);
    Ok(found)
}

fn key_of(value: Value) -> Option<Key> {
    match value {
        Value::Integer(number) => Some(Key::Number(number)),
        Value::Text(text) => Some(Key::Text(text)),
        _ => None,
    }
}

impl Order {
    /// The column it goes by, the table with its index, and whether large ones come first.
    fn column(self) -> Option<(&'static str, &'static str, bool)> {
        match self {
            Self::By(ItemOrder::Newest | ItemOrder::Oldest) => None,
            Self::By(ItemOrder::Taken) => Some(("media.taken", "media INDEXED BY media_by_taken", true)),
            Self::By(ItemOrder::Place) => Some(("media.by_place", "media INDEXED BY media_by_place", false)),
            Self::By(ItemOrder::Host) => Some(("media.by_host", "media INDEXED BY media_by_host", false)),
            Self::By(ItemOrder::Colour) => Some(("media.by_colour", "media INDEXED BY media_by_colour", false)),
            Self::Doubt => Some(("media.by_doubt", "media INDEXED BY media_by_doubt", false)),
        }
    }
}

/// Where a colour is among the others: by hue, then lightness; greys after all hues.
pub(super) fn by_colour([red, green, blue]: [u8; 3]) -> i64 {
    let (least, most) = (red.min(green).min(blue), red.max(green).max(blue));
    let lightness = (i64::from(least) + i64::from(most)) / 2;
    let spread = f64::from(most - least);
    // Neither nearly black, nearly white nor nearly without colour has a hue that anyone sees.
    if spread < 0.12 * f64::from(most) || most < 32 || spread < 12.0 {
        return (1 << 16) | lightness;
    }
    let [r, g, b] = [red, green, blue].map(f64::from);
    let degrees = if most == red {
        60.0 * ((g - b) / spread)
    } else if most == green {
        60.0 * ((b - r) / spread) + 120.0
    } else {
        60.0 * ((r - g) / spread) + 240.0
    };
    ((degrees.rem_euclid(360.0) / HUES) as i64) << 8 | lightness
}

/// Where a place is among the others; nothing for one without a country.
pub(super) fn by_place(country: Option<&str>, admin1: Option<&str>, town: Option<&str>) -> Option<String> {
    // No name has a control character, and it comes before all that names have.
    let country = country.filter(|country| !country.is_empty())?;
    Some([country, admin1.unwrap_or_default(), town.unwrap_or_default()].join("\u{1}"))
}

/// Where a location stands among those to be verified: the less certain first, of equally certain
/// ones the coarser.
pub(super) fn by_doubt(confidence: f64, precision: Option<f64>) -> i64 {
    // More than any two points on the Earth are apart, in metres.
    const FARTHEST: i64 = 1 << 25;
    let precision = (precision.unwrap_or(0.0) as i64).clamp(0, FARTHEST - 1);
    ((confidence.clamp(0.0, 1.0) * 1e6) as i64) * FARTHEST + (FARTHEST - 1 - precision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_round_the_circle_and_greys_come_last() {
        let colours = [
            [80, 10, 10],
            [250, 30, 30],
            [240, 240, 20],
            [20, 200, 20],
            [10, 220, 220],
            [10, 10, 90],
            [30, 30, 240],
            [230, 20, 230],
            [5, 0, 0],
            [128, 128, 130],
            [255, 255, 255],
        ];
        assert!(colours.is_sorted_by_key(|colour| by_colour(*colour)), "{:?}", colours.map(by_colour));
    }

    #[test]
    fn the_least_certain_are_first_and_of_them_the_coarsest() {
        let doubts = [(0.0, Some(1e9)), (0.2, Some(500.0)), (0.2, Some(10.0)), (0.21, Some(9e5)), (1.0, None)];
        assert!(doubts.is_sorted_by_key(|(confidence, precision)| by_doubt(*confidence, *precision)));
    }

    #[test]
    fn places_are_sorted_by_country_then_land_then_town() {
        let places =
            [("DE", None, Some("Zeitz")), ("DE", Some("B"), None), ("DE", Some("B"), Some("A")), ("DEX", None, None)];
        assert!(places.is_sorted_by_key(|(country, admin1, town)| by_place(Some(country), *admin1, *town)));
        assert_eq!(by_place(None, None, Some("Somewhere")), None);
    }
}
