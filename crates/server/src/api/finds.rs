//! Pictures for a question, now.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use crawl::quantity::parse_duration;
use crawl::{Asked, FindProgress, FindResult};
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use utoipa::ToSchema;

use super::events::{AHEAD, Events, send, streamed};
use super::media::{MOST, PagingParams, USUAL};
use super::settings::find_settings;
use crate::answer::{Document, Known, Name};
use crate::app::App;
use crate::finds::Remembered;
use crate::moment::Moment;
use crate::problem::{FieldProblem, Problem};
use crate::query::Query;
use crate::shape::{from_cursor, to_cursor};

/// How often results are told at most.
const PACE: Duration = Duration::from_millis(400);
/// How long a picture in small is waited for.
const THUMBNAIL_TIME: Duration = Duration::from_secs(5);
/// Results that events list.
const TOP: u64 = 200;
const MOST_TOP: u64 = 1_000;
/// Pictures that are kept with one request.
const KEPT: usize = 200;

/// A question to the web.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FindOrder {
    /// What the pictures should show: words and operators.
    #[schema(min_length = 1, max_length = 2000)]
    query: String,
    /// How long to collect, from 1s to 1h; without it, as the settings say.
    #[schema(max_length = 20, example = "30s")]
    time: Option<String>,
    /// Between two requests to one host, at most 10s.
    #[schema(max_length = 20, example = "200ms")]
    delay: Option<String>,
    /// Requests in flight over all hosts.
    #[schema(minimum = 1, maximum = 512)]
    concurrency: Option<u64>,
    /// Names of sources of the settings; without it, all of them.
    #[schema(max_items = 20)]
    via: Option<Vec<String>>,
    /// How many results events list.
    #[schema(minimum = 1, maximum = 1000)]
    top: Option<u64>,
}

/// A find.
#[derive(Serialize, ToSchema)]
struct FindShape {
    /// What it goes by.
    id: String,
    /// As it was typed.
    query: String,
    /// What was understood; what was typed stands between asterisks.
    said: String,
    /// What was not taken as it was typed.
    notes: Vec<String>,
    created: Moment,
    progress: FindProgressShape,
}

/// How a find is doing.
#[derive(Serialize, ToSchema)]
pub(crate) struct FindProgressShape {
    state: FindState,
    /// Seconds since it began.
    elapsed: f64,
    /// Seconds it may take.
    seconds: f64,
    /// Why it ended: `max-time`, `interrupted`, `empty` or `no-source`.
    stopped: Option<String>,
    /// Why it found nothing, in a sentence.
    error: Option<String>,
    /// Pages read.
    pages: u64,
    /// Of them, those with a word of the query outside of link texts.
    relevant: u64,
    images: FindImagesShape,
    /// Pictures with a score.
    results: u64,
    /// Pages and pictures that wait.
    queued: u64,
    /// Requests in flight.
    in_flight: usize,
    /// Hosts that were met.
    hosts: u64,
    /// Bytes received.
    bytes: u64,
    /// What went wrong, by reason.
    errors: BTreeMap<String, u64>,
    sources: Vec<FindSourceShape>,
}

/// Whether a find runs.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum FindState {
    /// It collects.
    Running,
    /// It is over: by itself, or because it was stopped.
    Finished,
}

/// Pictures of a find, counted.
#[derive(Serialize, ToSchema)]
struct FindImagesShape {
    /// Addresses on the pages that were read.
    seen: u64,
    /// Of them, those whose first bytes were asked for.
    probed: u64,
    /// Of them, those of which the page alone said enough.
    markup: u64,
    /// Those that are no icons, banners or thumbnails.
    selected: u64,
    /// Not selected, by reason.
    refused: BTreeMap<String, u64>,
    /// Addresses that were seen again, and files that are the same as others.
    duplicates: u64,
}

/// How a source of start pages is doing.
#[derive(Serialize, ToSchema)]
struct FindSourceShape {
    name: String,
    /// `asked`, `answered` or `failed`.
    state: &'static str,
    /// Pages it named.
    pages: u64,
    /// What went wrong.
    detail: Option<String>,
}

/// A picture that was found.
#[derive(Serialize, ToSchema)]
struct FindResultShape {
    /// Its number within the find; it never changes.
    id: u32,
    /// 1 for the best.
    rank: usize,
    /// From 0 to 1; changes while the find runs.
    score: f32,
    image: String,
    page: String,
    width: u32,
    height: u32,
    format: String,
    /// What the page says of it.
    description: String,
    /// The title of the page.
    title: String,
    /// Where it is in small.
    thumbnail: String,
    /// The item it became, once it is kept.
    kept: Option<String>,
}

/// Finds that are remembered.
#[derive(Serialize, ToSchema)]
struct FindList {
    /// The newest first.
    items: Vec<FindShape>,
}

/// A page of results.
#[derive(Serialize, ToSchema)]
struct FindResultPage {
    items: Vec<FindResultShape>,
    next: Option<String>,
    /// How many there are.
    total: u64,
}

/// Pictures to keep.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeepOrder {
    /// Their numbers.
    #[schema(min_items = 1, max_items = 200)]
    images: Vec<u32>,
}

/// What became of pictures that should be kept.
#[derive(Serialize, ToSchema)]
struct Keeping {
    kept: Vec<KeptPicture>,
    failed: Vec<UnkeptPicture>,
}

/// A picture that is in the library.
#[derive(Serialize, ToSchema)]
struct KeptPicture {
    id: u32,
    /// Its item.
    item: String,
}

/// A picture that could not be kept.
#[derive(Serialize, ToSchema)]
struct UnkeptPicture {
    id: u32,
    /// Why.
    detail: String,
}

/// Results as events tell them.
#[derive(Serialize)]
struct Told {
    total: u64,
    new: Vec<FindResultShape>,
    order: Vec<(u32, f32)>,
}

impl FindProgressShape {
    fn of(progress: FindProgress, over: bool) -> Self {
        let sources = progress.sources.into_iter().map(|source| FindSourceShape {
            name: source.name,
            state: match source.state {
                sources::Standing::Asked => "asked",
                sources::Standing::Answered => "answered",
                sources::Standing::Failed => "failed",
            },
            pages: source.pages,
            detail: source.detail,
        });
        let images = progress.images;
        Self {
            state: if over { FindState::Finished } else { FindState::Running },
            elapsed: progress.elapsed,
            seconds: progress.seconds,
            stopped: progress.stopped.map(str::to_owned),
            error: progress.error,
            pages: progress.pages,
            relevant: progress.relevant,
            images: FindImagesShape {
                seen: images.seen,
                probed: images.probed,
                markup: images.markup,
                selected: images.selected,
                refused: images.refused,
                duplicates: images.duplicates,
            },
            results: progress.results,
            queued: progress.queued,
            in_flight: progress.in_flight,
            hosts: progress.hosts,
            bytes: progress.bytes,
            errors: progress.errors,
            sources: sources.collect(),
        }
    }
}

impl FindShape {
    fn of(find: &Remembered) -> Self {
        let asked = find.finding.asked();
        Self {
            id: find.id.clone(),
            query: asked.text.clone(),
            said: asked.said.clone(),
            notes: asked.notes.clone(),
            created: find.created,
            progress: progress_of(find),
        }
    }
}

fn progress_of(find: &Remembered) -> FindProgressShape {
    let over = find.finding.is_over();
    FindProgressShape::of(find.finding.progress(), over)
}

impl FindResultShape {
    fn of(find: &str, result: FindResult) -> Self {
        Self {
            thumbnail: format!("/api/v1/finds/{find}/images/{}/thumbnail", result.id),
            id: result.id,
            rank: result.rank,
            score: result.score,
            image: result.image,
            page: result.page,
            width: result.width,
            height: result.height,
            format: result.format.to_owned(),
            description: result.description,
            title: result.title,
            kept: result.kept.map(|item| item.to_string()),
        }
    }
}

/// Begin a find
///
/// Collects pictures from the web for a query, as long as it may. Nothing of it is kept but what is asked to be.
#[utoipa::path(post, path = "/finds", tag = "Find", request_body = FindOrder, responses(
    (status = 201, body = FindShape, description = "It runs"),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "Too many run already"),
))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Document(order): Document<FindOrder>,
) -> Result<Response, Problem> {
    let mut settings = find_settings(&app).await?;
    let mut wrong = Vec::new();
    let mut complain = |field: &str, detail: String| wrong.push(FieldProblem { field: field.into(), detail });
    let times = [("time", &order.time, &mut settings.time), ("delay", &order.delay, &mut settings.delay)];
    for (field, given, setting) in times {
        match given.as_deref().map(parse_duration) {
            Some(Ok(duration)) => *setting = duration,
            Some(Err(error)) => complain(field, error),
            None => {}
        }
    }
    if let Some(concurrency) = order.concurrency {
        settings.concurrency = usize::try_from(concurrency).unwrap_or(usize::MAX);
    }
    let top = order.top.unwrap_or(TOP);
    if !(1..=MOST_TOP).contains(&top) {
        complain("top", format!("must be from 1 to {MOST_TOP}"));
    }
    if let Some(via) = &order.via {
        let known: Vec<String> =
            settings.sources.iter().flat_map(|source| [source.called(), source.kind.as_str().into()]).collect();
        for name in via.iter().filter(|name| !known.contains(name)) {
            complain(
                "via",
                format!("there is no source '{}' in the settings", name.chars().take(100).collect::<String>()),
            );
        }
        settings
            .sources
            .retain(|source| via.contains(&source.called()) || via.iter().any(|name| name == source.kind.as_str()));
        if via.is_empty() || via.len() > 20 {
            complain("via", "must name 1 to 20 sources".into());
        }
    }
    settings.complaints().into_iter().for_each(|(field, detail)| complain(&field, detail));
    let stored = app.library().setting(search::SYNONYMS).await?;
    let synonyms = stored.as_ref().and_then(|stored| stored.as_str()).and_then(|text| query::Synonyms::read(text).ok());
    let asked = match Asked::parse(&order.query, &synonyms.unwrap_or_default()) {
        Ok(asked) => Some(asked),
        Err(error) => {
            complain("query", error.to_string());
            None
        }
    };
    let (Some(asked), true) = (asked, wrong.is_empty()) else { return Err(Problem::fields(wrong)) };
    let find = app.finds.start(asked, settings, top as usize).await?;
    let mut response = Known::default().answer(&FindShape::of(&find))?;
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(place) = HeaderValue::from_str(&format!("/api/v1/finds/{}", find.id)) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// All finds that are remembered
#[utoipa::path(get, path = "/finds", tag = "Find", responses((status = 200, body = FindList)))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    known.answer(&FindList { items: app.finds.list().iter().map(|find| FindShape::of(find)).collect() })
}

/// One find
#[utoipa::path(get, path = "/finds/{id}", tag = "Find", params(("id" = String, Path, description = "The find", max_length = 32)), responses(
    (status = 200, body = FindShape),
))]
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Name(id): Name,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    query.finish()?;
    let find = app.finds.one(&id)?;
    known.answer(&FindShape::of(&find))
}

/// Forget a find
///
/// It is stopped first. What was kept of it stays.
#[utoipa::path(delete, path = "/finds/{id}", tag = "Find", params(("id" = String, Path, description = "The find", max_length = 32)), responses(
    (status = 204, description = "It is forgotten"),
))]
pub(crate) async fn remove(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response, Problem> {
    app.finds.forget(&id)?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// What was found, the best first
#[utoipa::path(get, path = "/finds/{id}/results", tag = "Find", params(("id" = String, Path, description = "The find", max_length = 32), PagingParams), responses(
    (status = 200, body = FindResultPage),
))]
pub(crate) async fn results(
    State(app): State<Arc<App>>,
    Name(id): Name,
    known: Known,
    mut query: Query,
) -> Result<Response, Problem> {
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let start = query.parsed("cursor", from_cursor::<usize>).unwrap_or(0);
    query.finish()?;
    let find = app.finds.one(&id)?;
    let total = find.finding.progress().results;
    let items: Vec<FindResultShape> =
        find.finding.results(start, limit).into_iter().map(|result| FindResultShape::of(&id, result)).collect();
    let end = start.saturating_add(limit);
    let next = ((end as u64) < total && !items.is_empty()).then(|| to_cursor(&end)).flatten();
    known.answer(&FindResultPage { items, next, total })
}

/// A picture in small
///
/// Asking for it is what fetches it.
#[utoipa::path(get, path = "/finds/{id}/images/{number}/thumbnail", tag = "Find", params(
    ("id" = String, Path, description = "The find", max_length = 32),
    ("number" = u32, Path, description = "The picture"),
), responses(
    (status = 200, body = Vec<u8>, content_type = "image/jpeg"),
    (status = 503, body = Problem, content_type = "application/problem+json", description = "It is on its way: ask again in a moment"),
))]
pub(crate) async fn thumbnail(
    State(app): State<Arc<App>>,
    Name((id, number)): Name<(String, u32)>,
    query: Query,
) -> Result<Response, Problem> {
    query.finish()?;
    let find = app.finds.one(&id)?;
    // A host that rests long is no reason to hold a connection: who looks asks again.
    let small = tokio::time::timeout(THUMBNAIL_TIME, find.finding.thumbnail(number)).await.map_err(|_| {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "this picture is on its way: ask again in a moment")
    })?;
    let small = small.ok_or_else(|| Problem::missing("this picture cannot be had"))?;
    let mut response = small.to_vec().into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}

/// Stop a find
///
/// What was found stays.
#[utoipa::path(post, path = "/finds/{id}/stop", tag = "Find", params(("id" = String, Path, description = "The find", max_length = 32)), responses(
    (status = 200, body = FindShape),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "It is over already"),
))]
pub(crate) async fn stop(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response, Problem> {
    let find = app.finds.one(&id)?;
    if find.finding.is_over() {
        return Err(Problem::new(StatusCode::CONFLICT, "this find is over already"));
    }
    find.stop();
    // It ends at once: who asked sees it ended.
    let _ = tokio::time::timeout(Duration::from_secs(2), find.finding.over()).await;
    Known::default().answer(&FindShape::of(&find))
}

/// Keep pictures of a find
///
/// They are fetched in full and put into the library, with the pages that show them and the query. Takes as long as
/// that takes, a minute at most.
#[utoipa::path(post, path = "/finds/{id}/keep", tag = "Find", params(("id" = String, Path, description = "The find", max_length = 32)), request_body = KeepOrder, responses(
    (status = 200, body = Keeping),
))]
pub(crate) async fn keep(
    State(app): State<Arc<App>>,
    Name(id): Name,
    Document(order): Document<KeepOrder>,
) -> Result<Response, Problem> {
    let find = app.finds.one(&id)?;
    if order.images.iter().any(|image| i32::try_from(*image).is_err()) {
        return Err(Problem::field("images", format!("must be at most {}", i32::MAX)));
    }
    if order.images.is_empty() || order.images.len() > KEPT {
        return Err(Problem::field("images", format!("must be 1 to {KEPT}")));
    }
    let mut seen = HashSet::new();
    let images = order.images.into_iter().filter(|image| seen.insert(*image)).collect();
    let done = find.finding.keep(images).await.map_err(|_| Problem::missing("this find is over and forgotten"))?;
    let mut keeping = Keeping { kept: Vec::new(), failed: Vec::new() };
    for (id, item) in done {
        match item {
            Ok(item) => keeping.kept.push(KeptPicture { id, item: item.to_string() }),
            Err(detail) => keeping.failed.push(UnkeptPicture { id, detail }),
        }
    }
    if !keeping.kept.is_empty() {
        app.arrived.notify_one();
    }
    Known::default().answer(&keeping)
}

/// What happens in a find
///
/// Server-sent events: `progress`, `results` with what is new and the order of the best, and `end` with the summary.
#[utoipa::path(get, path = "/finds/{id}/events", tag = "Find", params(("id" = String, Path, description = "The find", max_length = 32)), responses(
    (status = 200, body = String, content_type = "text/event-stream"),
))]
pub(crate) async fn events(State(app): State<Arc<App>>, Name(id): Name, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let find = app.finds.one(&id)?;
    let (events, stream) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let mut ending = app.ending.clone();
        tokio::select! {
            () = follow(&find, &events) => {}
            _ = ending.wait_for(|ending| *ending) => {}
            () = events.closed() => {}
        }
    });
    Ok(streamed(stream))
}

async fn follow(find: &Remembered, events: &Events) {
    let mut changes = find.finding.changes();
    let mut told = HashSet::new();
    let mut last = None;
    loop {
        changes.mark_unchanged();
        let over = find.finding.is_over();
        if !send(events, "progress", &progress_of(find)).await {
            return;
        }
        let order = find.finding.order(find.top);
        if last.as_ref() != Some(&order) {
            let new = find.finding.results(0, find.top).into_iter().filter(|result| told.insert(result.id));
            let new = new.map(|result| FindResultShape::of(&find.id, result)).collect();
            let total = find.finding.progress().results;
            if !send(events, "results", &Told { total, new, order: order.clone() }).await {
                return;
            }
            last = Some(order);
        }
        if over {
            let _ = send(events, "end", &find.finding.summary()).await;
            return;
        }
        tokio::time::sleep(PACE).await;
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = find.finding.over() => {}
        }
    }
}
