//! Questions to the library, about media and about pages.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::response::Response;
use facts::LatLon;
use search::{Looked, PageHit, Question};
use serde::Serialize;
use store::{Cursor, ItemOrder, Match, MediaItem, PageItem};
use utoipa::ToSchema;

use super::media::{MOST, PagingParams, USUAL};
use super::places::one_box;
use crate::answer::Known;
use crate::app::App;
use crate::filters::{self, FilterParams};
use crate::problem::Problem;
use crate::query::Query;
use crate::shape::{Card, from_cursor, to_cursor};

/// How far results that have no cursor of their own are paged through.
const DEEPEST: usize = 10_000;

/// In which order results come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Best,
    Nearest,
    Newest,
}

/// What a question came to.
#[derive(Serialize, ToSchema)]
struct Answer {
    /// How much matches.
    total: u64,
    /// Whether there is more than was counted.
    total_is_at_least: bool,
    results: Vec<Hit>,
    /// The cursor of the next page; none at the end.
    next: Option<String>,
    /// How long the library took.
    milliseconds: u64,
    asked: Asked,
}

/// One result.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum Hit {
    Media(Box<FoundMedia>),
    Page(Box<PageHit>),
}

/// An item that was found.
#[derive(Serialize, ToSchema)]
struct FoundMedia {
    #[serde(flatten)]
    card: Card,
    /// How well it matches the words; none when there were none.
    score: Option<f64>,
    /// Metres from the point that was asked about.
    distance_m: Option<f64>,
    /// The words that it has.
    matched: Vec<String>,
}

/// How the question was understood.
#[derive(Serialize, ToSchema)]
struct Asked {
    /// The words that must be there; none when there were none.
    words: Option<Vec<String>>,
    place: Option<AskedPlace>,
}

/// A place that was asked for.
#[derive(Serialize, ToSchema)]
struct AskedPlace {
    name: String,
    lat: Option<f64>,
    lon: Option<f64>,
    /// South, west, north, east.
    #[schema(value_type = Option<[f64; 4]>)]
    r#box: Option<[f64; 4]>,
}

impl Asked {
    fn of(question: &Question) -> Self {
        let place = question.place.as_ref().map(|region| AskedPlace {
            name: region.name().to_owned(),
            lat: region.centre().map(|centre| centre.lat()),
            lon: region.centre().map(|centre| centre.lon()),
            r#box: one_box(region),
        });
        Self { words: question.words.as_ref().map(|words| words.wanted()), place }
    }
}

/// Search
///
/// With words the best match comes first, else near a point the nearest, else what came in last.
#[utoipa::path(get, path = "/search", tag = "Search", params(
    FilterParams,
    ("what" = Option<String>, Query, description = "`media` or `page` [default: media]", pattern = "^(media|page)$"),
    ("order" = Option<String>, Query, description = "`best`, `nearest` (needs `near`) or `newest` [default: best]", pattern = "^(best|nearest|newest)$"),
    PagingParams,
), responses((status = 200, body = Answer)))]
pub(crate) async fn search(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let mut question = filters::read(&mut query);
    let pages = query.choice("what", &[("media", false), ("page", true)]) == Some(true);
    let orders = [("best", Order::Best), ("nearest", Order::Nearest), ("newest", Order::Newest)];
    let order = query.choice("order", &orders).unwrap_or(Order::Best);
    if order == Order::Nearest && question.near.is_none() {
        query.complain("order", "nearest needs a point: give near and within");
    }
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let cursor = query.parsed("cursor", from_cursor::<Place>);
    query.finish()?;
    if pages {
        question.looked = Looked::Pages { all: true };
    }
    let started = Instant::now();
    let near = question.near.map(|near| near.centre).filter(|_| order == Order::Nearest || question.words.is_none());
    let near = near.filter(|_| order != Order::Newest);
    let ranked = near.is_some() || (order == Order::Best && question.words.is_some());
    let mut answer = match pages || ranked {
        true => by_offset(&app, &question, near, cursor, limit).await?,
        false => newest(&app, &question, cursor, limit).await?,
    };
    answer.milliseconds = started.elapsed().as_millis() as u64;
    known.answer(&answer)
}

/// Where a list of results goes on.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Place {
    /// After so many.
    Offset(usize),
    /// Where the library says.
    Cursor(Cursor),
}

/// Results that have a rank: pages, what is nearest, and what fits words best.
async fn by_offset(
    app: &App,
    question: &Question,
    near: Option<LatLon>,
    cursor: Option<Place>,
    limit: usize,
) -> Result<Answer, Problem> {
    let start = match cursor {
        Some(Place::Offset(start)) => start.min(DEEPEST),
        _ => 0,
    };
    let (total, more, results): (u64, bool, Vec<Hit>) = match question.looked {
        Looked::Media(_) => {
            let found = app.library().search_items(&question.item_filter(), near, start, limit).await?;
            (found.total, found.more, found.found.into_iter().map(found_media).collect())
        }
        Looked::Pages { .. } => {
            let found = app.library().search_pages(&question.page_filter(), near, start, limit).await?;
            (found.total, found.more, found.found.into_iter().map(found_page).collect())
        }
    };
    let end = start + results.len();
    let on = total > end as u64 && end < DEEPEST && !results.is_empty();
    let next = on.then_some(end).and_then(|end| to_cursor(&Place::Offset(end)));
    Ok(Answer { total, total_is_at_least: more, results, next, milliseconds: 0, asked: Asked::of(question) })
}

fn found_media(found: Match<MediaItem>) -> Hit {
    let Match { what, metres, score, matched } = found;
    Hit::Media(Box::new(FoundMedia { card: Card::of(&what), score, distance_m: metres, matched }))
}

fn found_page(found: Match<PageItem>) -> Hit {
    Hit::Page(Box::new(PageHit { score: found.score, ..PageHit::of(&found.what, found.metres) }))
}

/// What came in last comes first.
async fn newest(app: &App, question: &Question, cursor: Option<Place>, limit: usize) -> Result<Answer, Problem> {
    let after = match &cursor {
        Some(Place::Cursor(cursor)) => Some(cursor),
        _ => None,
    };
    let filter = question.item_filter();
    let counted = app.library().search_items(&filter, None, 0, 0).await?;
    let listed = app.library().list_items(&filter, ItemOrder::Newest, after, limit).await?;
    Ok(Answer {
        total: counted.total,
        total_is_at_least: counted.more,
        results: listed.what.into_iter().map(unranked).collect(),
        next: listed.next.map(Place::Cursor).as_ref().and_then(to_cursor),
        milliseconds: 0,
        asked: Asked::of(question),
    })
}

fn unranked(what: MediaItem) -> Hit {
    found_media(Match { what, metres: None, score: None, matched: Vec::new() })
}

/// A page of a list of pages.
#[derive(Serialize, ToSchema)]
struct Pages {
    items: Vec<PageHit>,
    /// The cursor of the next page; none at the end.
    next: Option<String>,
}

/// Pages that speak of places
#[utoipa::path(get, path = "/pages", tag = "Search", params(
    FilterParams,
    ("relevant" = Option<bool>, Query, description = "Only those relevant to the region of a crawl"),
    PagingParams,
), responses((status = 200, body = Pages)))]
pub(crate) async fn pages(State(app): State<Arc<App>>, known: Known, mut query: Query) -> Result<Response, Problem> {
    let mut question = filters::read(&mut query);
    let all = query.switch("relevant") != Some(true);
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after: i64 = query.parsed("cursor", from_cursor).unwrap_or(0);
    query.finish()?;
    question.looked = Looked::Pages { all };
    let pages = app.library().pages(&question.page_filter(), after, limit).await?;
    let next = pages.last().filter(|_| pages.len() == limit).and_then(|last| to_cursor(&last.number));
    known.answer(&Pages { items: pages.iter().map(|page| PageHit::of(page, None)).collect(), next })
}
