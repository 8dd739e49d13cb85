//! What is in the library more than once.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use search::Location;
use serde::Serialize;
use store::{CopyGroup, Cursor};
use utoipa::ToSchema;

use super::media::{ItemParams, MOST, PagingParams, USUAL, find};
use crate::answer::{Known, Name};
use crate::app::App;
use crate::problem::Problem;
use crate::query::Query;
use crate::shape::{Card, from_cursor, to_cursor};

/// Copies of a group that are listed.
const LISTED: usize = 50;

/// A page of a list of groups.
#[derive(Serialize, ToSchema)]
pub(crate) struct Groups {
    /// The groups, the newest first.
    items: Vec<Group>,
    /// The cursor of the next page; none at the end.
    next: Option<String>,
}

/// An original and its copies.
#[derive(Serialize, ToSchema)]
pub(crate) struct Group {
    /// The best of them: the largest, then the one that says most of itself, then the first.
    kept: Card,
    /// The others, the best first: 50 at most.
    copies: Vec<CopyShape>,
    /// How many others there are.
    total: u64,
}

/// A copy, and how that is known.
#[derive(Serialize, ToSchema)]
pub(crate) struct CopyShape {
    #[serde(flatten)]
    card: Card,
    /// `pixels`, `near`, `video` or `audio`.
    #[schema(value_type = String)]
    why: &'static str,
    /// The same in words.
    detail: String,
}

/// Copies of an item, and what they know that it does not.
#[derive(Serialize, ToSchema)]
pub(crate) struct Copies {
    /// The group it is in; none when it has no copies.
    group: Option<Group>,
    /// Where its copies say it was made, when they are more to be believed, the surest first.
    locations: Vec<OfferedLocation>,
    /// What copies say of it that it does not say itself.
    texts: Vec<OfferedText>,
}

/// Where a copy says it was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct OfferedLocation {
    /// The copy.
    from: String,
    /// The place.
    location: Location,
}

/// What a copy says.
#[derive(Serialize, ToSchema)]
pub(crate) struct OfferedText {
    /// The copy.
    from: String,
    /// What it is: `title`, `description`, `author`, `licence`, `taken`, `make`, `model`, `keyword`, `caption`.
    #[schema(value_type = String)]
    field: &'static str,
    /// The text.
    text: String,
}

/// Groups of copies
///
/// What looks or sounds the same, the newest first. Files with the same bytes are one item: its
/// `addresses` say where it was found.
#[utoipa::path(get, path = "/duplicates", tag = "Media", params(PagingParams), responses((status = 200, body = Groups)))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after: Option<Cursor> = query.parsed("cursor", from_cursor);
    query.finish()?;
    let listed = app.library().copy_groups(after.as_ref(), limit).await?;
    let next = listed.next.as_ref().and_then(to_cursor);
    let mut items = Vec::new();
    for group in &listed.what {
        items.extend(shape(&app, group).await?);
    }
    known.answer(&Groups { items, next })
}

/// Copies of an item
#[utoipa::path(get, path = "/media/{id}/copies", tag = "Media", params(ItemParams), responses(
    (status = 200, body = Copies),
))]
pub(crate) async fn of_item(
    State(app): State<Arc<App>>,
    Name(id): Name,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    query.finish()?;
    let id = find(&app, &id).await?.id;
    let group = match app.library().copy_group(id).await? {
        Some(group) => shape(&app, &group).await?,
        None => None,
    };
    let offered = app.library().known_by_copies(id).await?;
    let locations = offered
        .locations
        .iter()
        .map(|(from, location)| OfferedLocation { from: from.to_string(), location: location.into() });
    let texts = offered.texts.iter().map(|one| OfferedText {
        from: one.from.to_string(),
        field: one.field,
        text: one.text.clone(),
    });
    known.answer(&Copies { group, locations: locations.collect(), texts: texts.collect() })
}

/// An item is no copy
///
/// A person says so; it stays so, whatever it looks like.
#[utoipa::path(put, path = "/media/{id}/apart", tag = "Media", params(ItemParams), responses(
    (status = 204, description = "It is in no group any more"),
))]
pub(crate) async fn set_apart(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response, Problem> {
    let id = find(&app, &id).await?.id;
    app.library().set_apart(id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// An item may be a copy
///
/// Takes back what a person said; it is compared again.
#[utoipa::path(delete, path = "/media/{id}/apart", tag = "Media", params(ItemParams), responses(
    (status = 204, description = "It is to be compared again"),
))]
pub(crate) async fn unset_apart(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response, Problem> {
    let id = find(&app, &id).await?.id;
    app.library().unset_apart(id).await?;
    app.arrived.notify_one();
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// A group with its items; nothing when its original is gone meanwhile.
async fn shape(app: &App, group: &CopyGroup) -> Result<Option<Group>, Problem> {
    let Some(kept) = app.library().item(group.kept.id).await? else { return Ok(None) };
    let mut copies = Vec::new();
    for copy in group.copies.iter().take(LISTED) {
        if let Some(item) = app.library().item(copy.file.id).await? {
            copies.push(CopyShape { card: Card::of(&item), why: copy.why.as_str(), detail: copy.detail.clone() });
        }
    }
    Ok(Some(Group { kept: Card::of(&kept), copies, total: group.total }))
}
