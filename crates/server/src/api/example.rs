//! Questions that are pictures, films or sounds, and answers that follow what a person does.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{FromRequest, Multipart, Request, State};
use axum::response::Response;
use crawl::{ByExample, Found, Mode};
use facts::MediaId;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::fs;
use utoipa::{IntoParams, ToSchema};

use super::import::{Draft, broken, uploads};
use super::media::{ItemParams, MOST, USUAL, find};
use crate::answer::{Document, Known, Name};
use crate::app::{App, media_id};
use crate::problem::Problem;
use crate::query::Query;
use crate::shape::Card;

/// Bytes of one request: a file of 100 MB and what is around it.
pub(crate) const LARGEST_REQUEST: usize = 101_000_000;
/// Answers that are put in order at once, and targets.
const ANSWERS: usize = 500;
const TARGETS: usize = 20;

/// What is asked of an example.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only described")]
pub(crate) struct ExampleParams {
    /// `similar`: the most similar first; `exact`: all copies; `whole`: what it is a part of; `better`: its copies, the best first [default: similar]
    #[param(pattern = "^(similar|exact|whole|better)$")]
    mode: Option<String>,
    /// Only what is at least so similar, in per cent
    #[param(minimum = 0, maximum = 100)]
    at_least: Option<f64>,
    /// Results [default: 50]
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u64>,
}

/// A file that others are to be like.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described")]
pub(crate) struct ExampleFile {
    /// A picture, film or sound: at most 100 MB.
    #[schema(format = Binary, content_media_type = "application/octet-stream", value_type = String)]
    file: Vec<u8>,
}

/// What was found by an example.
#[derive(Serialize, ToSchema)]
struct FoundByExample {
    /// How much was found.
    total: u64,
    results: Vec<AlikeMedia>,
    /// How long the library took.
    milliseconds: u64,
}

/// An item that was found by an example.
#[derive(Serialize, ToSchema)]
struct AlikeMedia {
    #[serde(flatten)]
    card: Card,
    /// How similar it is in itself, 0 to 100.
    similarity: f64,
    /// Why it is an answer, where that is more than its similarity.
    why: Option<String>,
}

struct Asked {
    mode: Mode,
    at_least: f64,
    limit: usize,
}

impl Asked {
    fn read(mut query: Query) -> Result<Self, Problem> {
        let mode = query.choice("mode", &Mode::ALL).unwrap_or_default();
        let at_least = query.decimal("at_least", 0.0..=100.0).unwrap_or(0.0);
        let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
        query.finish()?;
        Ok(Self { mode, at_least, limit })
    }

    async fn of(&self, app: &App, example: &ByExample) -> Result<FoundByExample, Problem> {
        let started = Instant::now();
        let (total, found) = example.ask(app.library(), self.mode, self.at_least, self.limit).await?;
        let mut results = Vec::with_capacity(found.len());
        for Found { id, similarity, why } in found {
            if let Some(item) = app.library().item(id).await? {
                results.push(AlikeMedia { card: Card::of(&item), similarity, why });
            }
        }
        Ok(FoundByExample { total, results, milliseconds: started.elapsed().as_millis() as u64 })
    }
}

/// Search by example
///
/// The file is looked at and not kept.
#[utoipa::path(post, path = "/search/example", tag = "Search", params(ExampleParams), request_body(content = ExampleFile, content_type = "multipart/form-data"), responses(
    (status = 200, body = FoundByExample),
))]
pub(crate) async fn by_example(
    State(app): State<Arc<App>>,
    query: Query,
    request: Request,
) -> Result<Response, Problem> {
    let asked = Asked::read(query)?;
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_| {
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send the example as `multipart/form-data`, as `file`")
    })?;
    let folder = uploads(&app);
    fs::create_dir_all(&folder).await.map_err(|error| Problem::internal(&error))?;
    let draft = Draft::new(&folder);
    let part = parts.next_field().await.map_err(broken)?;
    let Some(part) = part else { return Err(Problem::field("file", "is needed")) };
    if part.name() != Some("file") {
        return Err(Problem::field("file", "is needed, and nothing else"));
    }
    if draft.fill(part).await?.is_none() {
        return Err(Problem::field("file", "it is larger than 100 MB: send a part of it"));
    }
    if parts.next_field().await.map_err(broken)?.is_some() {
        return Err(Problem::field("file", "one example at a time"));
    }
    let path = draft.path().to_owned();
    let read = tokio::task::spawn_blocking(move || ByExample::of_file(&path)).await;
    let example = read.map_err(|error| Problem::internal(&error))?.map_err(|why| Problem::field("file", why))?;
    Known::default().answer(&asked.of(&app, &example).await?)
}

/// What is like an item
#[utoipa::path(get, path = "/media/{id}/similar", tag = "Media", params(ItemParams, ExampleParams), responses(
    (status = 200, body = FoundByExample),
))]
pub(crate) async fn of_item(
    State(app): State<Arc<App>>,
    Name(id): Name,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    let asked = Asked::read(query)?;
    let id = find(&app, &id).await?.id;
    // One that is not described, or cannot be, is like nothing.
    match ByExample::of_item(app.library(), id).await? {
        Some(example) => known.answer(&asked.of(&app, &example).await?),
        None => known.answer(&FoundByExample { total: 0, results: Vec::new(), milliseconds: 0 }),
    }
}

/// What a person did with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Deed {
    /// Downloaded it.
    Download,
    /// Copied it.
    Copy,
    /// Looked at it, watched it or listened to it for a while.
    Look,
}

/// Answers, and those of them that a person did something with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rerank {
    /// The answers in their order: 500 at most.
    #[schema(max_items = 500)]
    answers: Vec<String>,
    /// Those that others are to be like: 20 at most.
    #[schema(min_items = 1, max_items = 20)]
    targets: Vec<Target>,
}

/// An answer that others are to be like.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Target {
    /// The item.
    id: String,
    /// What was done with it.
    deed: Deed,
}

/// Answers in a new order.
#[derive(Serialize, ToSchema)]
struct Reranked {
    /// The answers: targets first, then what is most like them.
    order: Vec<String>,
    /// Why, in words.
    why: String,
}

/// Re-order answers
///
/// Puts what is most like the targets first. Nothing is remembered.
#[utoipa::path(post, path = "/search/rerank", tag = "Search", request_body = Rerank, responses(
    (status = 200, body = Reranked),
))]
pub(crate) async fn rerank(
    State(app): State<Arc<App>>,
    Document(wanted): Document<Rerank>,
) -> Result<Response, Problem> {
    if wanted.answers.len() > ANSWERS {
        return Err(Problem::field("answers", format!("more than {ANSWERS}")));
    }
    if wanted.targets.is_empty() || wanted.targets.len() > TARGETS {
        return Err(Problem::field("targets", format!("must be 1 to {TARGETS}")));
    }
    let read = |field: &'static str, id: &String| {
        media_id(id).ok_or_else(|| Problem::field(field, "must be ids of items: 64 hex digits each"))
    };
    let answers: Vec<MediaId> = wanted.answers.iter().map(|id| read("answers", id)).collect::<Result<_, _>>()?;
    let targets: Vec<MediaId> =
        wanted.targets.iter().map(|target| read("targets", &target.id)).collect::<Result<_, _>>()?;
    let order = crawl::reordered(app.library(), &answers, &targets).await?;
    let done = match wanted.targets.last().map(|target| target.deed) {
        Some(Deed::Download) => "downloaded",
        Some(Deed::Copy) => "copied",
        _ => "looked at",
    };
    let why = match wanted.targets.len() {
        1 => format!("more like the one you {done}"),
        count => format!("more like the {count} you chose, the last of which you {done}"),
    };
    Known::default().answer(&Reranked { order: order.iter().map(MediaId::to_string).collect(), why })
}
