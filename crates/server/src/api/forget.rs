//! What is taken out for good.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use store::Forget;
use utoipa::ToSchema;

use super::media::{MOST, PagingParams, USUAL};
use crate::answer::{Document, Known};
use crate::app::App;
use crate::moment::Moment;
use crate::problem::Problem;
use crate::query::Query;
use crate::shape::{from_cursor, to_cursor};

/// What to forget.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForgetOrder {
    /// A host, or the address of a page or media file.
    #[schema(max_length = 2000, example = "example.org")]
    what: String,
}

/// What was there to forget.
#[derive(Serialize, ToSchema)]
struct Forgotten {
    /// 1 when a host was named.
    hosts: u64,
    pages: u64,
    /// Distinct pictures, films and sounds.
    media: u64,
    /// Files removed from the disk.
    files: u64,
    /// Addresses of media.
    addresses: u64,
}

/// What may not come back.
#[derive(Serialize, ToSchema)]
struct BlockedList {
    /// Newest first.
    items: Vec<BlockedShape>,
    next: Option<String>,
}

/// One thing that may not come back.
#[derive(Serialize, ToSchema)]
struct BlockedShape {
    /// `host`, `address` or `content`.
    kind: String,
    /// The name of a host; addresses and contents only as hashes.
    what: String,
    at: Moment,
}

/// Forget something for good
///
/// Removes a host, a page or a media file with all its copies, and never fetches it again.
#[utoipa::path(post, path = "/forget", tag = "Media", request_body = ForgetOrder, responses((status = 200, body = Forgotten)))]
pub(crate) async fn forget(
    State(app): State<Arc<App>>,
    Document(ForgetOrder { what }): Document<ForgetOrder>,
) -> Result<Response, Problem> {
    if what.chars().count() > 2000 {
        return Err(Problem::field("what", "is longer than 2000 characters"));
    }
    let what = Forget::read(&what).map_err(|why| Problem::field("what", why))?;
    let forgotten = app.store.forget(&what).await?;
    Known::default().answer(&Forgotten {
        hosts: u64::from(matches!(what, Forget::Host(_))),
        pages: forgotten.pages,
        media: forgotten.media,
        files: forgotten.files,
        addresses: forgotten.addresses,
    })
}

/// What may not come back
#[utoipa::path(get, path = "/forget", tag = "Media", params(PagingParams), responses((status = 200, body = BlockedList)))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after = query.parsed("cursor", from_cursor::<u32>).unwrap_or(0) as usize;
    query.finish()?;
    let entries = app.library().forgotten_list(after, limit + 1).await?;
    let next = (entries.len() > limit).then(|| after + limit).and_then(|end| to_cursor(&end));
    let shape = |entry: store::BlockedEntry| BlockedShape { kind: entry.kind, what: entry.what, at: entry.at.into() };
    known.answer(&BlockedList { items: entries.into_iter().take(limit).map(shape).collect(), next })
}
