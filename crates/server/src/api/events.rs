//! What happens, as it happens: server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use store::{CrawlSummary, ItemFilter, ItemOrder};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use super::crawls::{find, shapes};
use crate::answer::Name;
use crate::app::App;
use crate::crawls::Watched;
use crate::problem::Problem;
use crate::query::Query;
use crate::shape::{Card, CrawlProgress, CrawlShape, CrawlState, Tally};

/// Pictures that are shown with one progress event.
const PICTURES: usize = 2;
/// Pictures that are looked at for that.
const GLIMPSE: usize = 100;
/// How often all crawls are looked at while some run.
const GLANCE: Duration = Duration::from_secs(1);
/// Events that wait for a slow client.
pub(super) const AHEAD: usize = 16;

pub(super) type Events = mpsc::Sender<Result<Event, Infallible>>;

/// What happens in a crawl
///
/// Server-sent events: `progress` twice a second, `picture` for what is newly kept (at most five a
/// second), `end` with the summary. Of a crawl that does not run, one `progress`.
#[utoipa::path(get, path = "/crawls/{name}/events", tag = "Crawls", params(("name" = String, Path, description = "The crawl's name", max_length = 100)), responses(
    (status = 200, body = String, content_type = "text/event-stream"),
))]
pub(crate) async fn of_crawl(State(app): State<Arc<App>>, Name(name): Name, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let watched = app.crawls.watch(&name);
    let summary = find(&app, &name).await?;
    let (events, stream) = mpsc::channel(AHEAD);
    let Some(watched) = watched else {
        let shape = CrawlShape::of(&summary, &app.crawls);
        let _ = send(&events, "progress", &CrawlProgress::from(&shape)).await;
        if shape.state == CrawlState::Running {
            tokio::spawn(async move {
                let mut ending = app.ending.clone();
                tokio::select! {
                    () = follow_elsewhere(&app, &name, &events) => {}
                    _ = ending.wait_for(|ending| *ending) => {}
                    () = events.closed() => {}
                }
            });
        }
        return Ok(streamed(stream));
    };
    let before = earlier_runs(&app, &summary).await?;
    tokio::spawn(async move {
        let mut ending = app.ending.clone();
        tokio::select! {
            () = follow(&app, &name, watched, before, &events) => {}
            _ = ending.wait_for(|ending| *ending) => {}
            () = events.closed() => {}
        }
    });
    Ok(streamed(stream))
}

/// What all runs but the last counted.
async fn earlier_runs(app: &App, summary: &CrawlSummary) -> Result<Tally, Problem> {
    let mut before = Tally::default();
    let earlier = summary.runs.len().saturating_sub(1);
    for run in summary.runs.iter().take(earlier) {
        let figures = app.library().figures(summary.crawl.id, Some(run.id)).await?;
        before = before.and(Tally::of(&figures, run.seconds));
    }
    Ok(before)
}

async fn follow(app: &App, name: &str, mut watched: Watched, before: Tally, events: &Events) {
    let mut newest = newest(app).await;
    loop {
        let progress = watched.progress.borrow_and_update().clone();
        let state = match app.crawls.running(name) {
            Some(false) => CrawlState::Running,
            _ => CrawlState::Stopping,
        };
        if !send(events, "progress", &CrawlProgress::of(state, before, &progress)).await {
            return;
        }
        for card in pictures(app, name, &mut newest).await {
            if !send(events, "picture", &card).await {
                return;
            }
        }
        tokio::select! {
            changed = watched.progress.changed() => if changed.is_err() { break },
            _ = watched.outcome.wait_for(Option::is_some) => break,
        }
    }
    let outcome = match watched.outcome.wait_for(Option::is_some).await {
        Ok(outcome) => outcome.clone(),
        Err(_) => None,
    };
    let Ok(summary) = find(app, name).await else { return };
    let progress = CrawlProgress::from(&CrawlShape::of(&summary, &app.crawls));
    if !send(events, "progress", &progress).await {
        return;
    }
    for card in pictures(app, name, &mut newest).await {
        let _ = send(events, "picture", &card).await;
    }
    match outcome {
        Some(Ok(summary)) => drop(send(events, "end", &*summary).await),
        Some(Err(error)) => drop(send(events, "end", &serde_json::json!({ "name": name, "error": &*error })).await),
        None => {}
    }
}

/// Tells of a crawl that other processes work on, by what the library says of it.
async fn follow_elsewhere(app: &App, name: &str, events: &Events) {
    let mut newest = newest(app).await;
    loop {
        tokio::time::sleep(GLANCE).await;
        let Ok(summary) = find(app, name).await else { return };
        let shape = CrawlShape::of(&summary, &app.crawls);
        if !send(events, "progress", &CrawlProgress::from(&shape)).await {
            return;
        }
        for card in pictures(app, name, &mut newest).await {
            if !send(events, "picture", &card).await {
                return;
            }
        }
        if shape.state != CrawlState::Running {
            return;
        }
    }
}

/// The number of the item that came last.
async fn newest(app: &App) -> i64 {
    let listed = app.library().list_items(&ItemFilter::default(), ItemOrder::Newest, None, 1).await;
    listed.ok().and_then(|listed| listed.what.first().map(|item| item.number)).unwrap_or(0)
}

/// The next pictures that came in; when many do, some of them.
async fn pictures(app: &App, name: &str, newest: &mut i64) -> Vec<Card> {
    let filter = ItemFilter { crawl: Some(name.to_owned()), ..ItemFilter::default() };
    let items = app.library().items(&filter, *newest, GLIMPSE).await.unwrap_or_default();
    if let Some(last) = items.last() {
        *newest = last.number;
    }
    items.iter().rev().take(PICTURES).rev().map(Card::of).collect()
}

/// All crawls, whenever something changes
///
/// Server-sent events: `crawls` with the list of all.
#[utoipa::path(get, path = "/events", tag = "Crawls", responses(
    (status = 200, body = String, content_type = "text/event-stream"),
))]
pub(crate) async fn of_all(State(app): State<Arc<App>>, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let (events, stream) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let mut ending = app.ending.clone();
        tokio::select! {
            () = glance(&app, &events) => {}
            _ = ending.wait_for(|ending| *ending) => {}
            () = events.closed() => {}
        }
    });
    Ok(streamed(stream))
}

async fn glance(app: &App, events: &Events) {
    let mut changes = app.crawls.changes();
    let mut told = None;
    loop {
        changes.mark_unchanged();
        if let Ok(crawls) = shapes(app).await
            && told.as_ref() != Some(&crawls)
        {
            if !send(events, "crawls", &serde_json::json!({ "crawls": crawls })).await {
                return;
            }
            told = Some(crawls);
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(GLANCE), if app.crawls.count() > 0 || app.crawls.is_shared() => {}
        }
    }
}

/// Whether the client still listens.
pub(super) async fn send(events: &Events, name: &str, data: &impl Serialize) -> bool {
    match Event::default().event(name).json_data(data) {
        Ok(event) => events.send(Ok(event)).await.is_ok(),
        Err(error) => {
            tracing::error!("an event could not be written: {error}");
            true
        }
    }
}

pub(super) fn streamed(stream: mpsc::Receiver<Result<Event, Infallible>>) -> Response {
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    Sse::new(ReceiverStream::new(stream)).keep_alive(keep_alive).into_response()
}
