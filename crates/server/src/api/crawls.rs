//! Crawls: those there are, those that start, and how each is doing.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use crawl::Settings;
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{ChangeSeen, CrawlId, CrawlSummary, Mishap, Run, Task, Units};
use utoipa::ToSchema;

use super::media::{MOST, PagingParams, USUAL};
use super::settings::{crawl_form, crawl_settings};
use crate::answer::{Document, Known, Name};
use crate::app::App;
use crate::moment::Moment;
use crate::problem::{FieldProblem, Problem};
use crate::query::Query;
use crate::shape::{CrawlEntry, CrawlShape, from_cursor, to_cursor};

/// Characters of a name.
const LONGEST_NAME: usize = 100;
/// Steps of a harvest curve.
const CURVE: usize = 400;
/// Lines of a log that can be paged through.
const LOG: usize = 10_000;

/// All crawls.
#[derive(Serialize, ToSchema)]
struct CrawlList {
    /// The crawls, newest first.
    items: Vec<CrawlEntry>,
}

/// A crawl with all that is known of it.
#[derive(Serialize, ToSchema)]
struct CrawlDetail {
    #[serde(flatten)]
    crawl: CrawlShape,
    /// The settings it was last started with.
    #[schema(value_type = Object)]
    settings: Value,
    /// Its runs, oldest first.
    runs: Vec<RunShape>,
    /// The tasks of its last run.
    tasks: Vec<TaskShape>,
    /// Failed visits by reason.
    errors: BTreeMap<String, u64>,
    /// Images that were not kept, by reason.
    refused: BTreeMap<String, u64>,
    /// What later visits found, by kind (`page`, `image` …): `unchanged`, `changed`, `gone`, `back`.
    revisits: BTreeMap<String, BTreeMap<String, u64>>,
    harvest: HarvestShape,
    units: UnitsShape,
}

/// What each part of a crawl did.
#[derive(Serialize, ToSchema)]
struct UnitsShape {
    /// The controller: visits that it had made.
    assigned: u64,
    /// The crawler: of them, those that a server answered.
    fetched: u64,
    /// The link extractor: addresses found on pages, on each page once, that may be visited.
    found: u64,
    /// The dynamic unit: of them, those that only scripts brought.
    dynamic: u64,
    /// The dynamic unit: states of the pages whose scripts it ran.
    states: u64,
    /// The sorter: different addresses that it gave a place in the queue.
    ranked: u64,
}

impl From<Units> for UnitsShape {
    fn from(units: Units) -> Self {
        let Units { assigned, fetched, found, dynamic, states, ranked } = units;
        Self { assigned, fetched, found, dynamic, states, ranked }
    }
}

/// A run of a crawl.
#[derive(Serialize, ToSchema)]
struct RunShape {
    started: Moment,
    /// None while it runs, or when it was killed.
    ended: Option<Moment>,
    /// Time at work.
    seconds: f64,
    pages: u64,
    /// Why it ended; none for one that can be resumed.
    stopped: Option<String>,
    /// Resident memory at its largest, in bytes.
    peak_memory: Option<u64>,
    /// Time by step of the work.
    #[schema(value_type = Object)]
    steps: Value,
}

/// A slice of a run.
#[derive(Serialize, ToSchema)]
struct TaskShape {
    /// 1 for the first of a run.
    number: u64,
    started: Moment,
    ended: Option<Moment>,
    pages: u64,
    /// Of them, those relevant to the region.
    relevant: u64,
}

/// How well a crawl found what it was sent for; position *n* of a list counts what has length *n*.
#[derive(Serialize, ToSchema)]
struct HarvestShape {
    /// Relevant pages after so many pages: the harvest curve.
    #[schema(value_type = Vec<[u64; 2]>)]
    curve: Vec<(u64, u64)>,
    /// Pages between one relevant page and the next.
    bridge: Vec<u64>,
    /// Pages after the last relevant page of a branch.
    tail: Vec<u64>,
    /// Links from the seed to a relevant page.
    seed_distance: Vec<u64>,
}

/// An order to crawl.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CrawlOrder {
    /// The crawl's name; without one, the host of the first start page.
    #[schema(max_length = 100)]
    name: Option<String>,
    /// What to crawl and how: as `/crawls/defaults` describes it, every key may be left out. Without
    /// settings a crawl that is known goes on with those it has.
    #[schema(value_type = Option<Object>)]
    settings: Option<Value>,
}

/// What can be told to a crawl.
#[derive(Serialize, ToSchema)]
struct Defaults {
    /// Every setting with its default.
    #[schema(value_type = Object)]
    settings: Settings,
    /// What each is called and does, in the order of a form.
    #[schema(value_type = Vec<Object>)]
    fields: Vec<crawl::Field>,
}

/// A page of the log of a crawl.
#[derive(Serialize, ToSchema)]
struct LogPage {
    items: Vec<MishapShape>,
    next: Option<String>,
}

/// Changes that a crawl saw.
#[derive(Serialize, ToSchema)]
struct ChangePage {
    items: Vec<ChangeShape>,
    next: Option<String>,
}

/// What a later visit of an address found.
#[derive(Serialize, ToSchema)]
struct ChangeShape {
    at: Moment,
    url: String,
    /// `page`, `image`, `video` or `audio`.
    kind: String,
    /// `changed`, `gone` or `back`.
    change: String,
}

impl From<&ChangeSeen> for ChangeShape {
    fn from(seen: &ChangeSeen) -> Self {
        let ChangeSeen { at, url, kind, change } = seen.clone();
        Self { at: at.into(), url, kind, change }
    }
}

/// Something that went wrong.
#[derive(Serialize, ToSchema)]
struct MishapShape {
    at: Moment,
    url: String,
    /// The reason it is counted by.
    reason: String,
    /// What happened.
    detail: String,
}

impl From<&Mishap> for MishapShape {
    fn from(mishap: &Mishap) -> Self {
        let Mishap { at, url, reason, detail } = mishap.clone();
        Self { at: at.into(), url, reason, detail }
    }
}

/// All crawls
#[utoipa::path(get, path = "/crawls", tag = "Crawls", responses((status = 200, body = CrawlList)))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    known.answer(&CrawlList { items: shapes(&app).await? })
}

/// All crawls as they are now, newest first.
pub(super) async fn shapes(app: &App) -> Result<Vec<CrawlEntry>, Problem> {
    app.crawls.look_around().await?;
    let crawls = app.library().crawls().await?;
    Ok(crawls.iter().map(|summary| CrawlEntry::of(summary, &app.crawls)).collect())
}

/// Start a crawl
///
/// A name that is known goes on with that crawl, with the settings given or else with those it has.
#[utoipa::path(post, path = "/crawls", tag = "Crawls", request_body = CrawlOrder, responses(
    (status = 201, body = CrawlEntry, description = "It runs"),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "A crawl of that name runs"),
))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Document(order): Document<CrawlOrder>,
) -> Result<Response, Problem> {
    let (name, settings) = ordered(&app, order).await?;
    app.crawls.start(&name, settings).await?;
    let slow = |_| {
        Problem::later(StatusCode::SERVICE_UNAVAILABLE, 5, "its start pages are slow to find: look at /crawls soon")
    };
    let shape = CrawlEntry::of(&find(&app, &name).await.map_err(slow)?, &app.crawls);
    let mut response = Known::default().answer(&shape)?;
    *response.status_mut() = StatusCode::CREATED;
    let place = format!("/api/v1/crawls/{}", escaped(&name));
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response.into_response())
}

/// The name and the settings that an order comes to.
pub(super) async fn ordered(app: &App, order: CrawlOrder) -> Result<(String, Settings), Problem> {
    let given = match order.settings {
        Some(form) => {
            // First by itself, so that what is wrong is said of what was sent.
            crawl::from_form(&form).map_err(|wrong| settings_problem(&wrong))?;
            let whole = over(crawl_form(app).await?, form);
            Some(crawl::from_form(&whole).map_err(|wrong| settings_problem(&wrong))?)
        }
        None => None,
    };
    let first = given.as_ref().and_then(|settings| settings.seeds.first());
    let name = match (&order.name, first) {
        (Some(name), _) => name.trim().to_owned(),
        (None, Some(seed)) => seed.host().to_string(),
        // Sources are asked for what is looked for, or for the region.
        (None, None) => match given.as_ref().and_then(|given| given.query.as_ref().or(given.region.as_ref())) {
            Some(asked) => asked.trim().replace('/', " ").chars().filter(|c| !c.is_control()).take(80).collect(),
            None => {
                let detail = "give at least one start page, a region or words to look for, or the name of a crawl";
                return Err(Problem::field("settings.seeds", detail));
            }
        },
    };
    check_name(&name)?;
    let stored = app.library().crawl(&name).await?;
    let settings = match (given, stored) {
        (Some(given), _) => given,
        (None, Some(stored)) => read_stored(stored.settings)?,
        (None, None) => {
            return Err(Problem::field(
                "settings",
                format!("there is no crawl '{name}' yet: say what it should crawl"),
            ));
        }
    };
    match settings.missing() {
        Some(missing) => Err(settings_problem(&[missing])),
        None => Ok((name, settings)),
    }
}

/// What the order says goes over what the settings say.
fn over(settings: Value, order: Value) -> Value {
    match (settings, order) {
        (Value::Object(mut settings), Value::Object(order)) => {
            for (key, value) in order {
                let below = settings.remove(&key).unwrap_or(Value::Null);
                settings.insert(key, over(below, value));
            }
            Value::Object(settings)
        }
        (settings, Value::Null) => settings,
        (_, order) => order,
    }
}

pub(super) fn settings_problem(wrong: &[(String, String)]) -> Problem {
    let named = |(field, detail): &(String, String)| FieldProblem { field: field.clone(), detail: detail.clone() };
    Problem::fields(wrong.iter().map(named).collect())
}

fn check_name(name: &str) -> Result<(), Problem> {
    let wrong = match () {
        () if name.is_empty() => "must not be empty".to_owned(),
        () if name.starts_with('-') => "must not start with a dash".to_owned(),
        () if name.chars().count() > LONGEST_NAME => format!("is longer than {LONGEST_NAME} characters"),
        () if name.chars().any(char::is_control) => "has a control character".to_owned(),
        () if name.contains('/') || matches!(name, "." | ".." | "defaults") => {
            "cannot be used in an address".to_owned()
        }
        () => return Ok(()),
    };
    Err(Problem::field("name", wrong))
}

/// A name as it stands in an address.
fn escaped(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    name.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn read_stored(settings: Value) -> Result<Settings, Problem> {
    let settings: Settings = serde_json::from_value(settings).map_err(|_| {
        let detail = "its settings were written by another version: start it with settings";
        Problem::new(StatusCode::CONFLICT, detail)
    })?;
    // What ended a run once would end it at once again.
    Ok(Settings { until: None, ..settings })
}

/// What a crawl can be told
#[utoipa::path(get, path = "/crawls/defaults", tag = "Crawls", responses((status = 200, body = Defaults)))]
pub(crate) async fn defaults(State(app): State<Arc<App>>, known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    known.answer(&Defaults { settings: crawl_settings(&app).await?, fields: crawl::fields() })
}

/// One crawl
#[utoipa::path(get, path = "/crawls/{name}", tag = "Crawls", params(("name" = String, Path, description = "The crawl's name", max_length = 100)), responses(
    (status = 200, body = CrawlDetail),
))]
pub(crate) async fn one(
    State(app): State<Arc<App>>,
    Name(name): Name,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    query.finish()?;
    let summary = find(&app, &name).await?;
    let library = app.library();
    let id = summary.crawl.id;
    let mut runs = Vec::with_capacity(summary.runs.len());
    for run in &summary.runs {
        runs.push(run_shape(run, library.figures(id, Some(run.id)).await?.pages));
    }
    let tasks = match summary.runs.last() {
        Some(run) => library.tasks(run.id).await?,
        None => Vec::new(),
    };
    let harvest = library.harvest(Some(id)).await?;
    let images = summary.figures.media.get("image");
    known.answer(&CrawlDetail {
        crawl: CrawlShape::of(&summary, &app.crawls),
        runs,
        tasks: tasks.iter().map(task_shape).collect(),
        errors: summary.figures.errors.clone(),
        refused: images.map(|images| images.refused.clone()).unwrap_or_default(),
        revisits: summary.figures.revisits.clone(),
        harvest: HarvestShape {
            curve: library.harvest_curve(id, CURVE).await?,
            bridge: harvest.bridge,
            tail: harvest.tail,
            seed_distance: harvest.seed_distance,
        },
        units: Units::of(&summary.figures, &summary.frontier).into(),
        settings: summary.crawl.settings,
    })
}

fn run_shape(run: &Run, pages: u64) -> RunShape {
    RunShape {
        started: run.started.into(),
        ended: run.ended.map(Into::into),
        seconds: run.seconds,
        pages,
        stopped: run.stopped.clone(),
        peak_memory: run.peak_memory,
        steps: json!(run.steps),
    }
}

fn task_shape(task: &Task) -> TaskShape {
    TaskShape {
        number: task.number,
        started: task.started.into(),
        ended: task.ended.map(Into::into),
        pages: task.pages,
        relevant: task.relevant,
    }
}

/// The crawl of this name.
pub(super) async fn find(app: &App, name: &str) -> Result<CrawlSummary, Problem> {
    app.crawls.look_around().await?;
    let crawls = app.library().crawls().await?;
    crawls
        .into_iter()
        .find(|summary| summary.crawl.name == name)
        .ok_or_else(|| Problem::missing("there is no crawl of this name"))
}

/// Pause a crawl
///
/// What is in flight lands; resume goes on with the run.
#[utoipa::path(post, path = "/crawls/{name}/pause", tag = "Crawls", params(("name" = String, Path, description = "The crawl's name", max_length = 100)), responses(
    (status = 200, body = CrawlEntry),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "It does not run"),
))]
pub(crate) async fn pause(State(app): State<Arc<App>>, Name(name): Name) -> Result<Response, Problem> {
    let summary = find(&app, &name).await?;
    // Others who work on it hear of it from the library.
    let others = at_work_elsewhere(&app, &summary);
    if let Some(run) = others {
        app.library().end_run(run.id, run.seconds, None).await?;
    }
    if !app.crawls.stop(&name, false) && others.is_none() {
        return Err(Problem::new(StatusCode::CONFLICT, "this crawl does not run"));
    }
    Known::default().answer(&CrawlEntry::of(&find(&app, &name).await?, &app.crawls))
}

/// The run of a crawl that other processes work on.
fn at_work_elsewhere<'s>(app: &App, summary: &'s CrawlSummary) -> Option<&'s Run> {
    summary.runs.last().filter(|run| run.stopped.is_none() && app.crawls.runs_elsewhere(run.id))
}

/// Resume a crawl
///
/// Goes on with a run that was paused or killed; after one that is over, starts a new one from the
/// best that waits.
#[utoipa::path(post, path = "/crawls/{name}/resume", tag = "Crawls", params(("name" = String, Path, description = "The crawl's name", max_length = 100)), responses(
    (status = 200, body = CrawlEntry),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "It runs already"),
))]
pub(crate) async fn resume(State(app): State<Arc<App>>, Name(name): Name) -> Result<Response, Problem> {
    let summary = find(&app, &name).await?;
    app.crawls.start(&name, read_stored(summary.crawl.settings)?).await?;
    Known::default().answer(&CrawlEntry::of(&find(&app, &name).await?, &app.crawls))
}

/// Stop a crawl
///
/// Its run is over: a later resume makes a new one.
#[utoipa::path(post, path = "/crawls/{name}/stop", tag = "Crawls", params(("name" = String, Path, description = "The crawl's name", max_length = 100)), responses(
    (status = 200, body = CrawlEntry),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "Its run is over already"),
))]
pub(crate) async fn stop(State(app): State<Arc<App>>, Name(name): Name) -> Result<Response, Problem> {
    let summary = find(&app, &name).await?;
    if let Some(run) = at_work_elsewhere(&app, &summary) {
        app.library().end_run(run.id, run.seconds, Some("stopped")).await?;
        app.crawls.stop(&name, true);
    } else if !app.crawls.stop(&name, true) {
        let last = summary.runs.last().filter(|run| run.stopped.is_none());
        let Some(run) = last else {
            return Err(Problem::new(StatusCode::CONFLICT, "the run of this crawl is over already"));
        };
        app.library().end_run(run.id, run.seconds, Some("stopped")).await?;
    }
    Known::default().answer(&CrawlEntry::of(&find(&app, &name).await?, &app.crawls))
}

/// What went wrong in a crawl
#[utoipa::path(get, path = "/crawls/{name}/log", tag = "Crawls", params(("name" = String, Path, description = "The crawl's name", max_length = 100), PagingParams), responses(
    (status = 200, body = LogPage, description = "Newest first"),
))]
pub(crate) async fn log(
    State(app): State<Arc<App>>,
    Name(name): Name,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    let (crawl, stretch) = newest(&app, &name, query).await?;
    let (items, next) = stretch.of(app.library().mishaps(crawl, stretch.enough()).await?);
    known.answer(&LogPage { items: items.iter().map(MishapShape::from).collect(), next })
}

/// What changed on pages that a crawl visited again
#[utoipa::path(get, path = "/crawls/{name}/changes", tag = "Crawls", params(("name" = String, Path, description = "The crawl's name", max_length = 100), PagingParams), responses(
    (status = 200, body = ChangePage, description = "Newest first"),
))]
pub(crate) async fn changes(
    State(app): State<Arc<App>>,
    Name(name): Name,
    known: Known,
    query: Query,
) -> Result<Response, Problem> {
    let (crawl, stretch) = newest(&app, &name, query).await?;
    let (items, next) = stretch.of(app.library().changes(crawl, stretch.enough()).await?);
    known.answer(&ChangePage { items: items.iter().map(ChangeShape::from).collect(), next })
}

/// A stretch of what a crawl noted, counted from the newest; at most [`LOG`] are shown.
#[derive(Clone, Copy)]
struct Stretch {
    start: usize,
    end: usize,
}

impl Stretch {
    /// How many must be read to know whether there are more.
    fn enough(self) -> usize {
        self.end + 1
    }

    /// What is in it, and where the next begins.
    fn of<T>(self, mut noted: Vec<T>) -> (Vec<T>, Option<String>) {
        let next = (noted.len() > self.end && self.end < LOG).then_some(self.end).and_then(|end| to_cursor(&end));
        noted.truncate(self.end);
        (noted.split_off(self.start.min(noted.len())), next)
    }
}

async fn newest(app: &App, name: &str, mut query: Query) -> Result<(CrawlId, Stretch), Problem> {
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let start = query.parsed("cursor", from_cursor::<usize>).unwrap_or(0).min(LOG);
    query.finish()?;
    let crawl = app.library().crawl(name).await?.ok_or_else(|| Problem::missing("there is no crawl of this name"))?;
    Ok((crawl.id, Stretch { start, end: (start + limit).min(LOG) }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_order_goes_over_the_settings_and_null_leaves_them() {
        let settings = json!({ "limits": { "max-pages": 5, "max-time": "1h" }, "scope": "host" });
        let order = json!({ "limits": { "max-pages": 9, "max-time": null }, "seeds": ["https://a.example/"] });
        let expected =
            json!({ "limits": { "max-pages": 9, "max-time": "1h" }, "scope": "host", "seeds": ["https://a.example/"] });
        assert_eq!(over(settings, order), expected);
    }

    #[test]
    fn names_fit_into_addresses() {
        for (name, fits) in [
            ("demo", true),
            ("www.oldenburg.de", true),
            ("Käse 2", true),
            ("", false),
            ("-x", false),
            ("a/b", false),
            ("..", false),
        ] {
            assert_eq!(check_name(name).is_ok(), fits, "{name}");
        }
        assert!(check_name(&"x".repeat(101)).is_err());
        assert_eq!(escaped("Käse 2"), "K%C3%A4se%202");
    }
}
