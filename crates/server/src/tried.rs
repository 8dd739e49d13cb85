//! What the fuzz targets try that is private elsewhere: what a request says, before a library is asked.

use http::HeaderMap;
use query::Synonyms;
use store::{Cursor, ItemFilter, PageFilter, ScheduledRunId};

use crate::answer::Known;
use crate::api::file::{Ranged, range};
use crate::api::search::Place;
use crate::filters;
pub use crate::guard::Doorway;
use crate::query::Query;
use crate::shape::{from_cursor, to_cursor};

/// What the parameters of a search ask the library for; nothing when something is wrong with them.
pub fn asked(text: &str) -> Option<(ItemFilter, PageFilter)> {
    let mut query = Query::read(text);
    let _ = query.key();
    let question = filters::read_with(&mut query, &Synonyms::default());
    let _ = query.choice("order", &[("best", 1), ("nearest", 2), ("newest", 3)]);
    let _ = (query.number("limit", 1..=500), query.number("zoom", 0..=24), query.decimal("lat", -90.0..=90.0));
    let _ = query.parsed("cursor", from_cursor::<Place>);
    query.finish().ok().map(|()| (question.item_filter(), question.page_filter()))
}

/// Whether a word is a cursor of some list; one that is can be written again.
pub fn is_cursor(word: &str) -> bool {
    let numbers = from_cursor::<i64>(word).is_ok() || from_cursor::<usize>(word).is_ok();
    let run = from_cursor::<ScheduledRunId>(word).is_ok();
    let places: Option<Place> = from_cursor(word).ok();
    let cursor: Option<Cursor> = from_cursor(word).ok();
    assert!(places.iter().all(|place| to_cursor(place).is_some()));
    if let Some(cursor) = &cursor {
        assert_eq!(to_cursor(cursor).as_deref().map(from_cursor::<Cursor>), Some(Ok(cursor.clone())));
    }
    numbers || run || places.is_some() || cursor.is_some()
}

/// The part of a file that is asked for, where it is one; and whether its mark is known.
pub fn part(headers: &HeaderMap, size: u64) -> (Option<(u64, u64)>, bool) {
    let asked = headers.get("range").and_then(|asked| asked.to_str().ok());
    let part = match asked.map(|asked| range(asked, size)) {
        Some(Ranged::Part(part)) => Some((part.start, part.end)),
        _ => None,
    };
    (part, Known::of(headers).has("W/\"0123456789abcdef01234567\""))
}
