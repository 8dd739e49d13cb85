//! Crawls that begin by themselves.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use facts::Timestamp;
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::{CatchUp, Schedule, ScheduleId, ScheduledRun, ScheduledRunId};
use timetable::Timing;
use utoipa::ToSchema;

use super::crawls::{CrawlOrder, ordered};
use super::media::{MOST, PagingParams, USUAL};
use crate::answer::{Document, Known, Name};
use crate::app::App;
use crate::moment::Moment;
use crate::problem::Problem;
use crate::query::Query;
use crate::shape::{from_cursor, to_cursor};

/// Schedules of a library.
const LARGEST: usize = 500;
/// Next times of a schedule that are listed, and of one that is tried out.
const NEXT: usize = 3;
const PREVIEW: usize = 5;

/// All schedules.
#[derive(Serialize, ToSchema)]
struct ScheduleList {
    /// By name.
    items: Vec<ScheduleShape>,
}

/// A crawl that begins by itself.
#[derive(Serialize, ToSchema)]
struct ScheduleShape {
    id: i64,
    name: String,
    /// When: minute, hour, day of the month, month, weekday.
    cron: String,
    cron_in_words: String,
    /// The time zone that is meant.
    zone: String,
    enabled: bool,
    /// What happens with what was due while no server ran: `skip`, or `once`: one run makes up for it.
    catch_up: String,
    crawl: ScheduledCrawl,
    /// When it is due next; empty when it is switched off.
    next: Vec<Moment>,
    /// What came of it the last time.
    last: Option<ScheduledRunShape>,
}

/// The crawl of a schedule.
#[derive(Serialize, ToSchema)]
struct ScheduledCrawl {
    name: String,
    #[schema(value_type = Object)]
    settings: Value,
}

/// What came of a schedule at one time.
#[derive(Serialize, ToSchema)]
struct ScheduledRunShape {
    due: Moment,
    started: Option<Moment>,
    ended: Option<Moment>,
    /// `running`, `done`, `failed`, `skipped`, `put-off`, `died` or `missed`.
    outcome: String,
    /// Why, in words.
    detail: String,
    pages: u64,
    images: u64,
}

/// A page of the runs of a schedule.
#[derive(Serialize, ToSchema)]
struct ScheduledRuns {
    /// Newest first.
    items: Vec<ScheduledRunShape>,
    next: Option<String>,
}

/// A schedule to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleOrder {
    /// What to call it; the name of the crawl when left out.
    #[schema(max_length = 100)]
    name: Option<String>,
    /// When: minute, hour, day of the month, month, weekday.
    #[schema(example = "0 */6 * * *", max_length = 200)]
    cron: String,
    /// A time zone such as `Europe/Helsinki` [default: UTC].
    #[schema(max_length = 100)]
    zone: Option<String>,
    #[serde(default)]
    catch_up: CatchUpChoice,
    crawl: CrawlOrder,
}

/// What happens with what was due while no server ran.
#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum CatchUpChoice {
    /// It is noted as missed.
    #[default]
    Skip,
    /// One run makes up for all of it.
    Once,
}

impl From<CatchUpChoice> for CatchUp {
    fn from(choice: CatchUpChoice) -> Self {
        match choice {
            CatchUpChoice::Skip => Self::Skip,
            CatchUpChoice::Once => Self::Once,
        }
    }
}

/// What to change of a schedule; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleChange {
    #[schema(max_length = 100)]
    name: Option<String>,
    #[schema(max_length = 200)]
    cron: Option<String>,
    #[schema(max_length = 100)]
    zone: Option<String>,
    enabled: Option<bool>,
    catch_up: Option<CatchUpChoice>,
    crawl: Option<CrawlOrder>,
}

/// A timetable in words.
#[derive(Serialize, ToSchema)]
struct Preview {
    words: String,
    /// When it would be due next.
    next: Vec<Moment>,
}

fn now() -> Timestamp {
    Moment::now().0
}

impl From<ScheduledRun> for ScheduledRunShape {
    fn from(run: ScheduledRun) -> Self {
        Self {
            due: run.due.into(),
            started: run.started.map(Into::into),
            ended: run.ended.map(Into::into),
            outcome: run.outcome.as_str().to_owned(),
            detail: run.detail,
            pages: run.pages,
            images: run.images,
        }
    }
}

async fn shape(app: &App, schedule: Schedule) -> Result<ScheduleShape, Problem> {
    let last = app.library().scheduled_runs(schedule.id, None, 1).await?.pop();
    let timing = Timing::read(&schedule.cron, &schedule.zone).ok();
    let next = timing.as_ref().filter(|_| schedule.enabled).map(|timing| timing.next(now(), NEXT)).unwrap_or_default();
    Ok(ScheduleShape {
        id: schedule.id.0,
        name: schedule.name,
        cron_in_words: timing.map_or_else(|| schedule.cron.clone(), |timing| timing.in_words()),
        cron: schedule.cron,
        zone: schedule.zone,
        enabled: schedule.enabled,
        catch_up: schedule.catch_up.as_str().to_owned(),
        crawl: ScheduledCrawl { name: schedule.crawl, settings: schedule.settings },
        next: next.into_iter().map(Into::into).collect(),
        last: last.map(Into::into),
    })
}

/// Reads a time and its zone, and says which of the two is wrong.
fn timing(cron: &str, zone: &str) -> Result<Timing, Problem> {
    Timing::read(cron, zone).map_err(|error| match error {
        timetable::TimingError::Zone(_) => Problem::field("zone", error.to_string()),
        _ => Problem::field("cron", error.to_string()),
    })
}

fn check_name(name: &str) -> Result<(), Problem> {
    let fits = (1..=100).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if fits {
        Ok(())
    } else {
        Err(Problem::field("name", "must have 1 to 100 characters, none of them a control character"))
    }
}

fn unknown() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no such schedule: it may have been removed")
}

async fn find(app: &App, id: i64) -> Result<Schedule, Problem> {
    app.library().schedule(ScheduleId(id)).await?.ok_or_else(unknown)
}

fn settings_of(settings: &crawl::Settings) -> Result<Value, Problem> {
    serde_json::to_value(settings).map_err(|error| Problem::internal(&error))
}

/// All schedules
#[utoipa::path(get, path = "/schedules", tag = "Schedules", responses((status = 200, body = ScheduleList)))]
pub(crate) async fn list(State(app): State<Arc<App>>, known: Known, query: Query) -> Result<Response, Problem> {
    query.finish()?;
    let mut items = Vec::new();
    for schedule in app.library().schedules().await? {
        items.push(shape(&app, schedule).await?);
    }
    known.answer(&ScheduleList { items })
}

/// Make a schedule
#[utoipa::path(post, path = "/schedules", tag = "Schedules", request_body = ScheduleOrder, responses(
    (status = 201, body = ScheduleShape, description = "It is in the timetable"),
))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Document(order): Document<ScheduleOrder>,
) -> Result<Response, Problem> {
    let zone = order.zone.filter(|zone| !zone.trim().is_empty()).unwrap_or_else(|| "UTC".into());
    timing(&order.cron, &zone)?;
    let (crawl, settings) = ordered(&app, order.crawl).await?;
    let name = order.name.map(|name| name.trim().to_owned()).unwrap_or_else(|| crawl.clone());
    check_name(&name)?;
    if app.library().schedules().await?.len() >= LARGEST {
        return Err(Problem::new(
            StatusCode::CONFLICT,
            format!("there are {LARGEST} schedules already: remove one first"),
        ));
    }
    let schedule = Schedule {
        id: ScheduleId(0),
        name,
        cron: order.cron.trim().to_owned(),
        zone: zone.trim().to_owned(),
        enabled: true,
        catch_up: order.catch_up.into(),
        crawl,
        settings: settings_of(&settings)?,
        created: now(),
        last_due: None,
    };
    let saved = app.library().save_schedule(&schedule).await?;
    let place = HeaderValue::from_str(&format!("/api/v1/schedules/{}", saved.id.0));
    let mut response = Known::default().answer(&shape(&app, saved).await?)?;
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(place) = place {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

/// Change a schedule
///
/// What is left out stays as it is. One that is switched on is due again from now on.
#[utoipa::path(patch, path = "/schedules/{id}", tag = "Schedules", params(("id" = i64, Path, description = "The schedule")), request_body = ScheduleChange, responses(
    (status = 200, body = ScheduleShape),
))]
pub(crate) async fn change(
    State(app): State<Arc<App>>,
    Name(id): Name<i64>,
    Document(change): Document<ScheduleChange>,
) -> Result<Response, Problem> {
    let mut schedule = find(&app, id).await?;
    // What would have been due before the change is not missed.
    let anew = change.enabled == Some(true) && !schedule.enabled || change.cron.is_some() || change.zone.is_some();
    if let Some(name) = change.name {
        schedule.name = name.trim().to_owned();
        check_name(&schedule.name)?;
    }
    if let Some(cron) = change.cron {
        schedule.cron = cron.trim().to_owned();
    }
    if let Some(zone) = change.zone {
        schedule.zone = zone.trim().to_owned();
    }
    if let Some(crawl) = change.crawl {
        let (name, settings) = ordered(&app, crawl).await?;
        (schedule.crawl, schedule.settings) = (name, settings_of(&settings)?);
    }
    schedule.enabled = change.enabled.unwrap_or(schedule.enabled);
    schedule.catch_up = change.catch_up.map_or(schedule.catch_up, Into::into);
    timing(&schedule.cron, &schedule.zone)?;
    if anew {
        schedule.last_due = Some(now());
    }
    let saved = app.library().save_schedule(&schedule).await?;
    Known::default().answer(&shape(&app, saved).await?)
}

/// Remove a schedule
///
/// The crawl and what it found stay.
#[utoipa::path(delete, path = "/schedules/{id}", tag = "Schedules", params(("id" = i64, Path, description = "The schedule")), responses(
    (status = 204, description = "It is gone"),
))]
pub(crate) async fn remove(State(app): State<Arc<App>>, Name(id): Name<i64>) -> Result<Response, Problem> {
    match app.library().remove_schedule(ScheduleId(id)).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(unknown()),
    }
}

/// Start the crawl of a schedule now
#[utoipa::path(post, path = "/schedules/{id}/run", tag = "Schedules", params(("id" = i64, Path, description = "The schedule")), responses(
    (status = 202, body = ScheduleShape, description = "It runs"),
    (status = 409, body = Problem, content_type = "application/problem+json", description = "A crawl of that name runs"),
))]
pub(crate) async fn run(State(app): State<Arc<App>>, Name(id): Name<i64>) -> Result<Response, Problem> {
    let schedule = find(&app, id).await?;
    app.timetable.now(&schedule).await?;
    let mut response = Known::default().answer(&shape(&app, schedule).await?)?;
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

/// What came of a schedule
#[utoipa::path(get, path = "/schedules/{id}/runs", tag = "Schedules", params(("id" = i64, Path, description = "The schedule"), PagingParams), responses(
    (status = 200, body = ScheduledRuns),
))]
pub(crate) async fn runs(
    State(app): State<Arc<App>>,
    Name(id): Name<i64>,
    known: Known,
    mut query: Query,
) -> Result<Response, Problem> {
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after = query.parsed("cursor", from_cursor::<ScheduledRunId>);
    query.finish()?;
    let schedule = find(&app, id).await?;
    let mut runs = app.library().scheduled_runs(schedule.id, after, limit + 1).await?;
    let more = runs.len() > limit;
    runs.truncate(limit);
    let next = runs.last().filter(|_| more).and_then(|run| to_cursor(&run.id));
    known.answer(&ScheduledRuns { items: runs.into_iter().map(Into::into).collect(), next })
}

/// Try out when something would be due
#[utoipa::path(get, path = "/schedules/preview", tag = "Schedules", params(
    ("cron" = String, Query, description = "Minute, hour, day of the month, month, weekday", max_length = 200, example = "0 */6 * * *"),
    ("zone" = Option<String>, Query, description = "A time zone such as `Europe/Helsinki` [default: UTC]", max_length = 100),
), responses((status = 200, body = Preview)))]
pub(crate) async fn preview(known: Known, mut query: Query) -> Result<Response, Problem> {
    let cron = query.text("cron");
    let cron = query.needed("cron", cron).unwrap_or_default();
    let zone = query.text("zone").unwrap_or_default();
    query.finish()?;
    let timing = timing(&cron, &zone)?;
    known.answer(&Preview {
        words: timing.in_words(),
        next: timing.next(now(), PREVIEW).into_iter().map(Into::into).collect(),
    })
}
