//! Questions to the library, about media and about pages.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::response::Response;
use facts::LatLon;
use search::{Instead, Looked, Matched, PageHit, Question};
use serde::Serialize;
use store::{Cursor, ItemOrder, Match, Matches, MediaItem, PageItem};
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
    /// How well it matches the words, from 0 to 1; none when there were none.
    score: Option<f64>,
    /// Metres from the point that was asked about.
    distance_m: Option<f64>,
    #[serde(flatten)]
    matched: Matched,
}

/// How the question was understood.
#[derive(Serialize, ToSchema)]
struct Asked {
    /// The words that must be there; none when there were none.
    words: Option<Vec<String>>,
    place: Option<AskedPlace>,
    /// In words; what was typed stands between asterisks. Empty when nothing was typed.
    said: String,
    /// What was not taken as it was typed.
    notes: Vec<String>,
    /// Words that nobody has, and what was looked for in their place.
    instead: Vec<Instead>,
    /// What is likelier to be meant, when little was found.
    did_you_mean: Option<String>,
    /// Items or pages that are not found by words yet: they are being prepared.
    unworded: u64,
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
    fn of<T>(question: &Question, matches: &Matches<T>) -> Self {
        let place = question.place.as_ref().map(|region| AskedPlace {
            name: region.name().to_owned(),
            lat: region.centre().map(|centre| centre.lat()),
            lon: region.centre().map(|centre| centre.lon()),
            r#box: one_box(region),
        });
        let understood = &question.understood;
        Self {
            words: question.words.as_ref().map(|words| words.wanted()),
            place,
            said: understood.said.clone(),
            notes: understood.notes.clone(),
            instead: Instead::of(&matches.slips),
            did_you_mean: understood.better(&matches.slips),
            unworded: matches.unworded,
        }
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
    let (key, revision) = (query.key(), app.library().revision().await?);
    if let Some(body) = app.answers.get(&key, revision) {
        return Ok(known.text("application/json", body));
    }
    let mut question = filters::read(&app, &mut query).await?;
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
    let pages = matches!(question.looked, Looked::Pages { .. });
    let started = Instant::now();
    let near = question.near.map(|near| near.centre).filter(|_| order == Order::Nearest || question.words.is_none());
    let near = near.filter(|_| order != Order::Newest);
    let ranked = near.is_some() || (order == Order::Best && question.words.is_some());
    let mut answer = match pages || ranked {
        true => by_offset(&app, &question, near, cursor, limit).await?,
        false => newest(&app, &question, cursor, limit).await?,
    };
    answer.milliseconds = started.elapsed().as_millis() as u64;
    let body = serde_json::to_vec(&answer).map_err(|error| Problem::internal(&error))?.into();
    app.answers.put(key, revision, &body);
    Ok(known.text("application/json", body))
}

/// Where a list of results goes on.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum Place {
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
    let mut answer = match question.looked {
        Looked::Media(_) => {
            let found = app.library().search_items(&question.item_filter(), near, start, limit).await?;
            answer(question, &found, found_media)
        }
        Looked::Pages { .. } => {
            let found = app.library().search_pages(&question.page_filter(), near, start, limit).await?;
            answer(question, &found, found_page)
        }
    };
    let end = start + answer.results.len();
    let on = answer.total > end as u64 && end < DEEPEST && !answer.results.is_empty();
    answer.next = on.then_some(end).and_then(|end| to_cursor(&Place::Offset(end)));
    Ok(answer)
}

fn answer<T>(question: &Question, found: &Matches<T>, shape: fn(&Match<T>, &HashSet<String>) -> Hit) -> Answer {
    let forms: HashSet<String> = found.forms.iter().cloned().collect();
    Answer {
        total: found.total,
        total_is_at_least: found.more,
        results: found.found.iter().map(|one| shape(one, &forms)).collect(),
        next: None,
        milliseconds: 0,
        asked: Asked::of(question, found),
    }
}

fn found_media(found: &Match<MediaItem>, forms: &HashSet<String>) -> Hit {
    let card = Card::of(&found.what);
    let matched = Matched::of_item(found, forms, &card.title, card.description.as_deref().unwrap_or_default());
    Hit::Media(Box::new(FoundMedia { card, score: found.score, distance_m: found.metres, matched }))
}

fn found_page(found: &Match<PageItem>, forms: &HashSet<String>) -> Hit {
    let matched = Matched::of_page(found, forms);
    Hit::Page(Box::new(PageHit { score: found.score, matched, ..PageHit::of(&found.what, found.metres) }))
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
    let forms: HashSet<String> = counted.forms.iter().cloned().collect();
    let unranked = |what| found_media(&Match { what, metres: None, score: None, matched: Vec::new() }, &forms);
    Ok(Answer {
        results: listed.what.into_iter().map(unranked).collect(),
        next: listed.next.map(Place::Cursor).as_ref().and_then(to_cursor),
        ..answer(question, &counted, found_media)
    })
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
    let mut question = filters::read(&app, &mut query).await?;
    let all = query.switch("relevant") != Some(true);
    let limit = query.number("limit", 1..=MOST).unwrap_or(USUAL) as usize;
    let after: i64 = query.parsed("cursor", from_cursor).unwrap_or(0);
    query.finish()?;
    question.looked = Looked::Pages { all };
    let pages = app.library().pages(&question.page_filter(), after, limit).await?;
    let next = pages.last().filter(|_| pages.len() == limit).and_then(|last| to_cursor(&last.number));
    known.answer(&Pages { items: pages.iter().map(|page| PageHit::of(page, None)).collect(), next })
}
