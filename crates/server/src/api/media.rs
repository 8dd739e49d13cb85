//! Pictures, films and sounds: lists and single ones.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use serde::Serialize;
use store::MediaItem;
use utoipa::{IntoParams, ToSchema};

use crate::answer::Known;
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

/// Entries of a page, when nothing is asked for.
pub(crate) const USUAL: u64 = 50;
/// Entries of a page at most.
pub(crate) const MOST: u64 = 500;

/// A page of a list of items.
#[derive(Serialize, ToSchema)]
pub(crate) struct Cards {
    /// The items.
    pub items: Vec<Card>,
    /// The cursor of the next page; none at the end.
    pub next: Option<String>,
}

/// A list of items
#[utoipa::path(get, path = "/media", tag = "Media", params(FilterParams, PagingParams), responses(
    (status = 200, body = Cards),
))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let question = filters::read(&mut query);
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after: i64 = query.parsed("cursor", from_cursor).unwrap_or(0);
    query.finish()?;
    let items = app.library().items(&question.item_filter(), after, limit).await?;
    let next = items.last().filter(|_| items.len() == limit).and_then(|last| to_cursor(&last.number));
    known.answer(&Cards { items: items.iter().map(Card::of).collect(), next })
}

/// One item
#[utoipa::path(get, path = "/media/{id}", tag = "Media", params(("id" = String, Path, description = "SHA-256 of its bytes", min_length = 64, max_length = 64, pattern = "^[0-9a-f]{64}$")), responses(
    (status = 200, body = Item),
))]
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    query.finish()?;
    known.answer(&Item::of(&find(&app, &id).await?))
}

/// The item with this identity.
pub(crate) async fn find(app: &App, id: &str) -> Result<MediaItem, Problem> {
    let missing = || Problem::missing("there is no such item in the library");
    let id = media_id(id).ok_or_else(missing)?;
    app.library().item(id).await?.ok_or_else(missing)
}
