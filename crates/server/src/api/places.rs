//! Places by name and by point, and places in words.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use facts::LatLon;
use geo::{Country, Gazetteer, Granularity, Hints, Kind, Place, Region, is_relevant, reverse};
use search::Mentioned;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::answer::{Document, Known};
use crate::app::App;
use crate::problem::Problem;
use crate::query::Query;

/// Suggestions at most.
const MOST: u64 = 50;
/// Characters of a text that is looked through.
const LONGEST: usize = 1_000_000;
/// Labels of one map.
const LABELS: usize = 60;
/// Of them, countries.
const COUNTRY_LABELS: usize = 30;
/// Closer than this zoom countries fill the map, and their names help nobody.
const COUNTRY_ZOOM: u64 = 6;

/// Places to choose from.
#[derive(Serialize, ToSchema)]
struct Suggestions {
    /// The likeliest first.
    places: Vec<Suggestion>,
}

/// A place to choose.
#[derive(Serialize, ToSchema)]
struct Suggestion {
    /// Its number at GeoNames, or one of our own from 2³¹ on.
    id: u32,
    name: String,
    /// `town`, `quarter`, `county`, `state`, `country`, `region` or `continent`.
    #[schema(value_type = String)]
    kind: &'static str,
    /// The first-order area it lies in.
    admin1: Option<String>,
    /// The country, as a two-letter code.
    country: Option<String>,
    lat: f64,
    lon: f64,
    /// People who live there; 0 when that is not known.
    population: u64,
    /// South, west, north, east.
    #[schema(value_type = Option<[f64; 4]>)]
    r#box: Option<[f64; 4]>,
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Town => "town",
        Kind::Quarter => "quarter",
        Kind::Admin2 => "county",
        Kind::Admin1 => "state",
        Kind::Country => "country",
        Kind::Region => "region",
        Kind::Continent => "continent",
    }
}

/// One box around a region: the largest of its parts when they lie on both sides of 180°.
pub(super) fn one_box(region: &Region) -> Option<[f64; 4]> {
    let boxes = region.bounds();
    let joined = |boxes: &[[f64; 4]]| {
        boxes.iter().copied().reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])])
    };
    let whole = joined(&boxes)?;
    let (east, west): (Vec<_>, Vec<_>) = boxes.iter().partition(|part| part[1] >= 0.0);
    if whole[3] - whole[1] < 350.0 || east.is_empty() || west.is_empty() {
        return Some(whole);
    }
    let (east, west) = (joined(&east)?, joined(&west)?);
    Some([whole[0], east[1], whole[2], west[3]])
}

impl From<Place> for Suggestion {
    fn from(place: Place) -> Self {
        let at = place.at();
        Self {
            id: place.id().number(),
            name: place.name().to_owned(),
            kind: kind(place.kind()),
            admin1: place.admin1().filter(|area| *area != place).map(|area| area.name().to_owned()),
            country: place.country().map(|country| country.code().to_owned()),
            lat: at.lat(),
            lon: at.lon(),
            population: place.population(),
            r#box: one_box(&Region::of(place)),
        }
    }
}

/// Places for a name that is being typed
#[utoipa::path(get, path = "/places/suggest", tag = "Places", params(
    ("q" = String, Query, description = "The beginning of a name; after a comma, of the area it lies in", max_length = 200, example = "Oldenb"),
    ("limit" = Option<u32>, Query, description = "How many at most [default: 8]", minimum = 1, maximum = 50),
), responses((status = 200, body = Suggestions)))]
pub(crate) async fn suggest(known: Known, mut query: Query) -> Result<Response, Problem> {
    query.limit("q", 200);
    let text = query.parsed("q", |text| Ok::<_, String>(text.to_owned()));
    let text = query.needed("q", text).unwrap_or_default();
    let limit = query.number("limit", 1..=MOST).unwrap_or(8) as usize;
    query.finish()?;
    let places = off_thread(move || {
        let places = geo::suggest(Gazetteer::embedded(), &text, limit);
        places.into_iter().map(Suggestion::from).collect()
    });
    known.answer(&Suggestions { places: places.await? })
}

/// What is at a point.
#[derive(Serialize, ToSchema)]
struct There {
    /// In words: "Kiel, Schleswig-Holstein, Germany".
    place: String,
    town: Option<String>,
    /// The first-order area.
    admin1: Option<String>,
    /// The country, as a two-letter code.
    country: Option<String>,
    /// Metres to the centre of the town, or of the nearest when the point is far from any.
    distance_m: Option<f64>,
}

/// What is at a point
#[utoipa::path(get, path = "/places/reverse", tag = "Places", params(
    ("lat" = f64, Query, description = "Degrees north", minimum = -90, maximum = 90),
    ("lon" = f64, Query, description = "Degrees east", minimum = -180, maximum = 180),
), responses((status = 200, body = There)))]
pub(crate) async fn at_point(known: Known, mut query: Query) -> Result<Response, Problem> {
    let (lat, lon) = (query.decimal("lat", -90.0..=90.0), query.decimal("lon", -180.0..=180.0));
    let (lat, lon) = (query.needed("lat", lat), query.needed("lon", lon));
    query.finish()?;
    let point = lat.zip(lon).and_then(|(lat, lon)| LatLon::new(lat, lon));
    let point = point.ok_or_else(|| Problem::field("lat", "is not on the Earth"))?;
    let spot = reverse(Gazetteer::embedded(), point);
    known.answer(&There {
        place: spot.describe(),
        town: spot.town.map(|town| town.name().to_owned()),
        admin1: spot.admin1.map(|area| area.name().to_owned()),
        country: spot.country.map(|country| country.code().to_owned()),
        distance_m: spot.nearest.map(|(_, kilometres)| (kilometres * 1000.0).round()),
    })
}

/// Names for a map.
#[derive(Serialize, ToSchema)]
struct Labels {
    labels: Vec<Label>,
}

/// A name on a map.
#[derive(Serialize, ToSchema)]
struct Label {
    name: String,
    lat: f64,
    lon: f64,
    /// `country` or `town`.
    #[schema(value_type = String)]
    kind: &'static str,
    /// 0 for the one that matters most.
    rank: usize,
}

/// Names for a map
///
/// The most populous countries and towns of the box.
#[utoipa::path(get, path = "/map/labels", tag = "Map", params(
    ("box" = String, Query, description = "South, west, north, east; west may be larger than east", example = "53.0,8.0,53.3,8.4", max_length = 200),
    ("zoom" = u8, Query, description = "The zoom of the map", minimum = 0, maximum = 24),
), responses((status = 200, body = Labels)))]
pub(crate) async fn labels(known: Known, mut query: Query) -> Result<Response, Problem> {
    query.limit("box", 200);
    let view = query.parsed("box", crate::filters::view);
    let view = query.needed("box", view);
    let zoom = query.number("zoom", 0..=24);
    let zoom = query.needed("zoom", zoom);
    query.finish()?;
    let (view, zoom) = (view.unwrap_or_default(), zoom.unwrap_or_default());
    let labels = off_thread(move || labels_in(view, zoom)).await?;
    known.answer(&Labels { labels })
}

fn labels_in(view: [f64; 4], zoom: u64) -> Vec<Label> {
    let gazetteer = Gazetteer::embedded();
    let [south, west, north, east] = view;
    let inside = |at: LatLon| {
        let across =
            if west <= east { west <= at.lon() && at.lon() <= east } else { at.lon() >= west || at.lon() <= east };
        south <= at.lat() && at.lat() <= north && across
    };
    let mut countries: Vec<Place> = match zoom <= COUNTRY_ZOOM {
        true => gazetteer.countries().map(Country::place).filter(|place| inside(place.at())).collect(),
        false => Vec::new(),
    };
    countries.sort_by_key(|place| std::cmp::Reverse(place.population()));
    countries.truncate(COUNTRY_LABELS);
    let towns = geo::towns_in(gazetteer, view, LABELS - countries.len());
    let labels =
        countries.into_iter().map(|place| ("country", place)).chain(towns.into_iter().map(|place| ("town", place)));
    let label = |(rank, (kind, place)): (usize, (&'static str, Place))| {
        let at = place.at();
        Label { name: place.name().to_owned(), lat: at.lat(), lon: at.lon(), kind, rank }
    };
    labels.enumerate().map(label).collect()
}

/// A text to look through.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    /// Plain text.
    #[schema(max_length = 1_000_000)]
    text: Option<String>,
    /// Or a page of HTML.
    #[schema(max_length = 1_000_000)]
    html: Option<String>,
    /// Whether the text is about this region; also decides between places of one name.
    #[schema(max_length = 1_000_000)]
    region: Option<String>,
}

/// What a text says of places.
#[derive(Serialize, ToSchema)]
struct Geoparsed {
    /// In the order of the text; `start` and `end` count code points.
    #[schema(value_type = Vec<Object>)]
    mentions: Vec<Mentioned>,
    /// Whether it is about the region, by addresses and coordinates.
    relevant: bool,
}

/// The places that a text mentions
#[utoipa::path(post, path = "/geoparse", tag = "Places", request_body = Words, responses((status = 200, body = Geoparsed)))]
pub(crate) async fn geoparse(
    State(app): State<Arc<App>>,
    Document(words): Document<Words>,
) -> Result<Response, Problem> {
    let _ = app;
    let Words { text, html, region } = words;
    let (words, is_html) = match (text, html) {
        (Some(text), None) => (text, false),
        (None, Some(html)) => (html, true),
        _ => return Err(Problem::field("text", "give either text or html")),
    };
    if words.chars().count() > LONGEST {
        return Err(Problem::field("text", format!("is longer than {LONGEST} characters")));
    }
    let region = region.map(|region| Region::find(Gazetteer::embedded(), &region)).transpose();
    let region = region.map_err(|error| Problem::field("region", error.to_string()))?;
    let parsed = off_thread(move || parse(&words, is_html, region.as_ref())).await?;
    Known::default().answer(&parsed)
}

fn parse(words: &str, is_html: bool, region: Option<&Region>) -> Geoparsed {
    let hints = Hints { region, ..Hints::default() };
    let granularity = Granularity::default();
    if !is_html {
        let mentions = geo::parse(words, &hints);
        let relevant = is_relevant(&mentions, region, granularity);
        return Geoparsed { mentions: Mentioned::all(words, &mentions), relevant };
    }
    let Ok(url) = facts::Url::parse("http://localhost/") else {
        return Geoparsed { mentions: Vec::new(), relevant: false };
    };
    let page = page::read(words.as_bytes(), Some("text/html; charset=utf-8"), &url, &page::Limits::default());
    let mut parser = geo::Parser::new(hints).declared(page.language.as_deref());
    let (_, mentions) = parser.take(&page.text, true);
    let said: Vec<geo::Mention> = geo::structured(&page, &hints).into_iter().map(|located| located.mention).collect();
    let relevant = is_relevant(&mentions, region, granularity) || is_relevant(&said, region, granularity);
    let mut all = Mentioned::all(&page.text, &mentions);
    all.extend(said.iter().map(Mentioned::structured));
    Geoparsed { mentions: all, relevant }
}

/// Work that takes some milliseconds of a processor does not hold up other requests.
pub(super) async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Problem::internal(&error))
}
