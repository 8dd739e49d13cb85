//! The filters that lists, searches, maps and exports share.

use facts::{LatLon, MediaKind, Timestamp};
use geo::{Gazetteer, Region};
use query::Synonyms;
use search::{Looked, Near, Question};
use utoipa::IntoParams;

use crate::app::App;
use crate::problem::Problem;
use crate::query::Query;

/// Characters of each filter, as [`FilterParams`] says.
const LONGEST: [(&str, usize); 9] = [
    ("box", 200),
    ("near", 100),
    ("within", 50),
    ("place", 200),
    ("since", 50),
    ("until", 50),
    ("host", 253),
    ("crawl", 100),
    ("q", query::LONGEST),
];

/// The filters, as the description of the API tells of them; [`read`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "read one by one, so that all that is wrong is said at once")]
pub(crate) struct FilterParams {
    /// Only these kinds, with commas between: `image`, `video`, `audio`.
    #[param(pattern = "^(image|video|audio)(,(image|video|audio))*$")]
    kind: Option<String>,
    /// Only what has a place, or only what has none.
    located: Option<bool>,
    /// Only what is in this box: south, west, north, east. West may be larger than east: then it
    /// reaches over the 180th meridian.
    #[param(example = "53.0,8.0,53.3,8.4", max_length = 200)]
    r#box: Option<String>,
    /// Only what is near this point: latitude, longitude. Needs `within`.
    #[param(example = "60.17,24.94", max_length = 100)]
    near: Option<String>,
    /// How near, such as `10km` or `500m`. Needs `near`.
    #[param(example = "10km", max_length = 50)]
    within: Option<String>,
    /// Only what is in this place: a name, such as `Springfield, Illinois`.
    #[param(example = "Oldenburg", max_length = 200)]
    place: Option<String>,
    /// Only what came in at or after this date or moment.
    #[param(example = "2026-01-31", max_length = 50)]
    since: Option<String>,
    /// Only what came in at or before this date or moment.
    #[param(example = "2026-12-31", max_length = 50)]
    until: Option<String>,
    /// Only what came from this host, or was found on its pages.
    #[param(example = "example.org", max_length = 253)]
    host: Option<String>,
    /// Only what this crawl found.
    #[param(max_length = 100)]
    crawl: Option<String>,
    /// Words and operators: `word` (also other forms of it), `+word` (exactly that form), `-word` (not that
    /// one), `~word` (also synonyms, where a list is set), `"in a row"`, `a OR b`, `(brackets)`;
    /// `site:example.org`, `kind:image|video|audio|page`, `place:Kiel`, `near:LAT,LON,KM` or `near:"Bad Ischl",5`,
    /// `after:2020-06-30`, `before:2021`, `license:open`. The last word may be the start of one. An operator
    /// comes before the parameter of the same meaning.
    #[param(max_length = 2000, example = "old bridge")]
    q: Option<String>,
    /// `any`, or only what names a Creative Commons licence or the public domain: `open`.
    #[param(pattern = "^(any|open)$")]
    licence: Option<String>,
    /// Only what a person confirmed the place of, or only what has a place that nobody did.
    verified: Option<bool>,
    /// Also copies of others; without it, only originals.
    copies: Option<bool>,
}

/// Reads the filters; what is wrong is noted in the query.
pub(crate) async fn read(app: &App, query: &mut Query) -> Result<Question, Problem> {
    Ok(read_with(query, &search::synonyms(app.library()).await?))
}

/// [`read`] with words that mean the same.
pub(crate) fn read_with(query: &mut Query, synonyms: &Synonyms) -> Question {
    let kinds = query.parsed("kind", kinds).unwrap_or_default();
    understood(Question { looked: Looked::Media(kinds), ..of_any_kind(query) }, query, synonyms)
}

/// [`read`] for what may be pages too, by `kind=page`.
pub(crate) async fn read_any(app: &App, query: &mut Query) -> Result<Question, Problem> {
    if query.text("kind").as_deref() != Some("page") {
        return read(app, query).await;
    }
    let question = Question { looked: Looked::Pages { all: true }, ..of_any_kind(query) };
    Ok(understood(question, query, &search::synonyms(app.library()).await?))
}

/// Adds the words that were typed, and their operators.
fn understood(mut question: Question, query: &mut Query, synonyms: &Synonyms) -> Question {
    let typed = query.text("q").unwrap_or_default();
    if typed.chars().count() <= query::LONGEST
        && let Err(wrong) = question.understand(&typed, synonyms)
    {
        wrong.into_iter().for_each(|why| query.complain("q", why));
    }
    question
}

/// The filters but for kinds and words.
fn of_any_kind(query: &mut Query) -> Question {
    for (name, longest) in LONGEST {
        query.limit(name, longest);
    }
    let located = query.switch("located");
    let area = query.parsed("box", view);
    let near = query.parsed("near", point);
    let within = query.parsed("within", distance);
    match (near, within) {
        (Some(_), None) => drop(query.needed::<f64>("within", None)),
        (None, Some(_)) => drop(query.needed::<LatLon>("near", None)),
        _ => {}
    }
    let place = query.parsed("place", |name| match name.trim() {
        "" => Err("is empty: give the name of a place".to_owned()),
        name => Region::find(Gazetteer::embedded(), name).map_err(|error| error.to_string()),
    });
    let since = query.parsed("since", |text| moment(text, false));
    let until = query.parsed("until", |text| moment(text, true));
    let host = query.text("host").map(|host| host.trim().to_ascii_lowercase());
    let crawl = query.text("crawl");
    let open_licence = query.choice("licence", &[("any", false), ("open", true)]).unwrap_or(false);
    let verified = query.switch("verified");
    let copies = query.switch("copies").unwrap_or(false);
    Question {
        looked: Looked::default(),
        near: near.zip(within).map(|(centre, metres)| Near { centre, metres }),
        place,
        view: area,
        since,
        until,
        located,
        verified,
        open_licence,
        crawl,
        host,
        copies,
        ..Question::default()
    }
}

fn kinds(text: &str) -> Result<Vec<MediaKind>, String> {
    let read = |word: &str| MediaKind::parse(word.trim()).ok_or_else(|| "must be of image, video, audio".to_owned());
    text.split(',').map(read).collect()
}

/// South, west, north, east.
pub(crate) fn view(text: &str) -> Result<[f64; 4], String> {
    let wrong = || "must be SOUTH,WEST,NORTH,EAST in degrees, such as 53.0,8.0,53.3,8.4".to_owned();
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let numbers: Option<[f64; 4]> = numbers.and_then(|numbers| numbers.try_into().ok());
    let [south, west, north, east] = numbers.ok_or_else(wrong)?;
    let on_earth = LatLon::new(south, west).is_some() && LatLon::new(north, east).is_some();
    if on_earth && south <= north { Ok([south, west, north, east]) } else { Err(wrong()) }
}

fn point(text: &str) -> Result<LatLon, String> {
    let wrong = || "must be LAT,LON in degrees, such as 60.17,24.94".to_owned();
    let (lat, lon) = text.split_once(',').ok_or_else(wrong)?;
    let (lat, lon) = (lat.trim().parse().map_err(|_| wrong())?, lon.trim().parse().map_err(|_| wrong())?);
    LatLon::new(lat, lon).ok_or_else(wrong)
}

/// Metres.
fn distance(text: &str) -> Result<f64, String> {
    let wrong = || "must be a distance such as 500m or 10km".to_owned();
    let text = text.trim();
    let (number, unit) = match text.strip_suffix("km") {
        Some(number) => (number, 1000.0),
        None => (text.strip_suffix('m').ok_or_else(wrong)?, 1.0),
    };
    let metres = number.trim().parse::<f64>().map_err(|_| wrong())? * unit;
    if metres.is_finite() && metres > 0.0 { Ok(metres) } else { Err(wrong()) }
}

/// A date is its first moment, or with `end` its last.
fn moment(text: &str, end: bool) -> Result<Timestamp, String> {
    let text = text.trim();
    let date = media::Taken::parse(text)
        .ok_or("must be a date such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z")?;
    let moment = date.timestamp();
    let whole_day = text.len() <= 10;
    Ok(if end && whole_day { moment + std::time::Duration::from_millis(86_399_999) } else { moment })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_filter_is_read_and_each_mistake_is_said() {
        let mut query = Query::read(
            "kind=image,video&located=true&box=-10,170,10,-170&near=60.17,24.94&within=10km&place=Kiel&since=2026-01-31&until=2026-02-01&host=A.example&crawl=c&licence=open&verified=false&q=old+bridge",
        );
        let question = read_with(&mut query, &Synonyms::default());
        assert!(query.finish().is_ok());
        assert_eq!(question.looked, Looked::Media(vec![MediaKind::Image, MediaKind::Video]));
        assert_eq!(question.host.as_deref(), Some("a.example"));
        for wrong in [
            "kind=page",
            "kind=",
            "located=maybe",
            "box=1,2,3",
            "box=10,0,-10,0",
            "box=0,0,91,0",
            "near=1,2",
            "within=5km",
            "near=1,2&within=-5km",
            "near=x&within=5km",
            "place=Nowhere+at+all",
            "place=Springfield",
            "since=yesterday",
            "licence=none",
            "verified=2",
            "nonsense=1",
            "q=near:nan,8,5",
            "q=kind:song",
            "q=OR",
            "q=link:http://a.example/",
        ] {
            let mut query = Query::read(wrong);
            read_with(&mut query, &Synonyms::default());
            assert!(query.finish().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_date_lasts_until_its_end() {
        assert_eq!(moment("1970-01-01", false), Ok(Timestamp(0)));
        assert_eq!(moment("1970-01-01", true), Ok(Timestamp(86_399_999)));
        assert_eq!(moment("1970-01-01T00:00:01Z", true), Ok(Timestamp(1000)));
    }
}
