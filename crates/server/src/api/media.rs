//! Pictures, films and sounds: lists and single ones, and what people say of them.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use facts::{LatLon, MediaId};
use http::StatusCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use store::{Cursor, ItemOrder, Listed, MediaItem, Said};
use utoipa::{IntoParams, ToSchema};

use super::import::remove_upload;
use crate::answer::{Document, Known, Name, no_list};
use crate::app::{App, media_id};
use crate::filters::{self, FilterParams};
use crate::problem::Problem;
use crate::query::Query;
use crate::shape::{Card, Item, from_cursor, to_cursor};

/// How a list is paged.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "read one by one, so that all that is wrong is said at once")]
pub(crate) struct PagingParams {
    /// Where to go on: `next` of the page before.
    #[param(max_length = 4000)]
    cursor: Option<String>,
    /// How many at most [default: 50].
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// Which item.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "read as a name, and refused as one that nothing has")]
pub(crate) struct ItemParams {
    /// SHA-256 of its bytes
    #[param(min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")]
    id: String,
}

/// Entries of a page, when nothing is asked for.
pub(crate) const USUAL: u64 = 50;
/// Entries of a page at most.
pub(crate) const MOST: u64 = 500;
/// Characters of a title, and of a description, that a person writes.
const LONGEST: [usize; 2] = [500, 5_000];

const ORDERS: [(&str, ItemOrder); 6] = [
    ("newest", ItemOrder::Newest),
    ("oldest", ItemOrder::Oldest),
    ("taken", ItemOrder::Taken),
    ("place", ItemOrder::Place),
    ("host", ItemOrder::Host),
    ("colour", ItemOrder::Colour),
];

/// A page of a list of items.
#[derive(Serialize, ToSchema)]
pub(crate) struct Cards {
    /// The items.
    items: Vec<Card>,
    /// The cursor of the next page; none at the end.
    next: Option<String>,
}

impl From<Listed<MediaItem>> for Cards {
    fn from(listed: Listed<MediaItem>) -> Self {
        Self { items: listed.what.iter().map(Card::of).collect(), next: listed.next.as_ref().and_then(to_cursor) }
    }
}

/// A list of items
#[utoipa::path(get, path = "/media", tag = "Media", params(
    FilterParams,
    ("order" = Option<String>, Query, description = "`newest`, `oldest`, `taken`, `place` (country, then town), `host` or `colour` (hue) [default: newest]", pattern = "^(newest|oldest|taken|place|host|colour)$"),
    PagingParams,
), responses((status = 200, body = Cards)))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let question = filters::read(&app, &mut query).await?;
    let order = query.choice("order", &ORDERS).unwrap_or_default();
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after: Option<Cursor> = query.parsed("cursor", from_cursor);
    query.finish()?;
    let listed = app.library().list_items(&question.item_filter(), order, after.as_ref(), limit).await?;
    known.answer(&Cards::from(listed))
}

/// Locations that nobody confirmed or rejected
///
/// The least certain first.
#[utoipa::path(get, path = "/verify", tag = "Media", params(PagingParams), responses((status = 200, body = Cards)))]
pub(crate) async fn verify(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after: Option<Cursor> = query.parsed("cursor", from_cursor);
    query.finish()?;
    known.answer(&Cards::from(app.library().unverified(after.as_ref(), limit).await?))
}

/// One item
#[utoipa::path(get, path = "/media/{id}", tag = "Media", params(ItemParams), responses(
    (status = 200, body = Item),
))]
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Name(id): Name,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    query.finish()?;
    known.answer(&Item::of(&find(&app, &id).await?))
}

fn missing() -> Problem {
    Problem::missing("there is no such item in the library")
}

fn identity(id: &str) -> Result<MediaId, Problem> {
    media_id(id).ok_or_else(missing)
}

/// The item with this identity.
pub(crate) async fn find(app: &App, id: &str) -> Result<MediaItem, Problem> {
    app.library().item(identity(id)?).await?.ok_or_else(missing)
}

/// What a person says of an item; what is left out stays.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// Its title; null takes an edit back.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 500, required = false)]
    title: Option<Option<String>>,
    /// Its description; null takes an edit back.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>, max_length = 5000, required = false)]
    description: Option<Option<String>>,
    /// Where it was made: a point, `confirm` for what is shown, `reject` when nobody knows, or null to
    /// take a person's word back.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Place>, required = false)]
    location: Option<Option<Place>>,
}

/// Null is something else than nothing.
fn given<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<Option<T>>, D::Error> {
    no_list(deserializer).map(Some)
}

/// Where a person says that something was made.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Place {
    /// Here.
    Point(Point),
    /// As it is shown, or nowhere known.
    Word(Word),
}

/// A point.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Point {
    /// Degrees north.
    #[schema(minimum = -90, maximum = 90)]
    lat: f64,
    /// Degrees east.
    #[schema(minimum = -180, maximum = 180)]
    lon: f64,
}

/// What is said of the location that is shown.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Word {
    /// It is right.
    Confirm,
    /// It is wrong, and nobody knows better.
    Reject,
}

/// Say something of an item
///
/// A person's word stays whatever crawls find later.
#[utoipa::path(patch, path = "/media/{id}", tag = "Media", params(ItemParams), request_body = Change, responses(
    (status = 200, body = Item),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "There is no location to confirm"),
))]
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    Name(id): Name,
    Document(change): Document<Change>,
) -> Result<Response, Problem> {
    let item = find(&app, &id).await?;
    for (field, text, longest) in
        [("title", &change.title, LONGEST[0]), ("description", &change.description, LONGEST[1])]
    {
        if text.iter().flatten().any(|text| text.chars().count() > longest) {
            return Err(Problem::field(field, format!("is longer than {longest} characters")));
        }
    }
    let said = match change.location {
        None => None,
        Some(None) => Some(Said::Nothing),
        Some(Some(Place::Word(Word::Reject))) => Some(Said::Reject),
        Some(Some(Place::Word(Word::Confirm))) => Some(Said::Confirm),
        Some(Some(Place::Point(Point { lat, lon }))) => {
            let at = LatLon::new(lat, lon).ok_or_else(|| Problem::field("location", "is not on the Earth"))?;
            Some(Said::Point(at, geo::locality(at)))
        }
    };
    if matches!(said, Some(Said::Confirm)) && item.location.is_none() {
        return Err(Problem::new(StatusCode::CONFLICT, "there is no location to confirm"));
    }
    // A person who empties a text takes the edit back.
    let written = |text: Option<Option<String>>| text.map(|text| text.filter(|text| !text.trim().is_empty()));
    let (title, description) = (written(change.title), written(change.description));
    if title.is_some() || description.is_some() {
        app.library().set_text(item.id, title, description).await?;
    }
    if let Some(said) = said {
        app.library().set_location(item.id, said).await?;
    }
    Known::default().answer(&Item::of(&find(&app, &id).await?))
}

/// Remove an item
///
/// With its file. A later crawl may find it again; `/forget` is for good.
#[utoipa::path(delete, path = "/media/{id}", tag = "Media", params(ItemParams), responses(
    (status = 204, description = "It is gone"),
))]
pub(crate) async fn remove(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response, Problem> {
    let item = find(&app, &id).await?;
    if !app.store.remove(item.id).await? {
        return Err(missing());
    }
    remove_upload(&app, &item.path).await;
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_not_what_is_null() {
        let read = |text: &str| serde_json::from_str::<Change>(text);
        assert_eq!(read("{}").unwrap().title, None);
        assert_eq!(read(r#"{"title":null}"#).unwrap().title, Some(None));
        assert_eq!(read(r#"{"title":"a"}"#).unwrap().title, Some(Some("a".into())));
        assert!(matches!(read(r#"{"location":"confirm"}"#).unwrap().location, Some(Some(Place::Word(Word::Confirm)))));
        assert!(matches!(read(r#"{"location":{"lat":1,"lon":2}}"#).unwrap().location, Some(Some(Place::Point(_)))));
        assert!(matches!(read(r#"{"location":null}"#).unwrap().location, Some(None)));
        for wrong in [
            r#"{"location":"maybe"}"#,
            r#"{"location":{"lat":1}}"#,
            r#"{"location":[1,2]}"#,
            r#"{"colour":"red"}"#,
            r#"{"title":5}"#,
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
