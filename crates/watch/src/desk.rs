//! Where crawlers ask: the report, sitemaps and the feed, over HTTP. Nobody can change anything
//! here, but for the claim.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, Method, StatusCode, Uri, header};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::{CompressionLayer, CompressionLevel};

use crate::listing::{Expired, Question};
use crate::watched::Watched;

/// Reports, relative to the main page of a site.
const REPORT: &str = ".well-known/bowerbird-watcher.json";
/// The feed.
pub(crate) const FEED: &str = ".well-known/bowerbird-watcher.atom";
/// The header that claims a site, as `claim=1` does.
const CLAIM: &str = "bowerbird-claim";
/// Answers that are made at once; others wait.
const AT_ONCE: usize = 4;
/// How long they wait.
const QUEUE: Duration = Duration::from_secs(10);

/// The sites that are asked about.
pub(crate) struct Desk {
    sites: Vec<Arc<Watched>>,
    slots: Arc<Semaphore>,
    /// For claims and for those who read on: they wait for nobody who only looks.
    quick: Arc<Semaphore>,
}

/// The routes of these sites.
pub(crate) fn router(sites: Vec<Arc<Watched>>) -> Router {
    let slots = || Arc::new(Semaphore::new(AT_ONCE));
    let desk = Arc::new(Desk { sites, slots: slots(), quick: slots() });
    Router::new()
        .fallback(answer)
        .with_state(desk)
        .layer(CompressionLayer::new().gzip(true).quality(CompressionLevel::Fastest))
        .layer(CatchPanicLayer::new())
}

async fn answer(State(desk): State<Arc<Desk>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        return said(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered here");
    }
    let Some((watched, what)) = desk.find(&parts.headers, &parts.uri) else {
        return said(StatusCode::NOT_FOUND, "there is no such report, sitemap or feed here");
    };
    let claims = parts.method == Method::GET && asks_to_claim(&parts.headers, &parts.uri);
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let quick = claims || query.split('&').any(|pair| pair.starts_with("after="));
    let slots = if quick { &desk.quick } else { &desk.slots };
    let Ok(Ok(slot)) = tokio::time::timeout(QUEUE, Arc::clone(slots).acquire_owned()).await else {
        let mut response = said(StatusCode::SERVICE_UNAVAILABLE, "too many ask at once: try again soon");
        response.headers_mut().insert(header::RETRY_AFTER, http::HeaderValue::from_static("5"));
        return response;
    };
    let made = tokio::task::spawn_blocking(move || {
        let response = make(&watched, what, &query, claims);
        drop(slot);
        response
    });
    made.await.unwrap_or_else(|_| said(StatusCode::INTERNAL_SERVER_ERROR, "the answer could not be made"))
}

/// What can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Report,
    Sitemap,
    SitemapPart(usize),
    Feed,
}

impl Desk {
    /// The site and the document that a request means. With one site its name does not matter: a
    /// proxy may not pass it on.
    fn find(&self, headers: &HeaderMap, uri: &Uri) -> Option<(Arc<Watched>, What)> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or(uri.host()).unwrap_or_default();
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        self.sites.iter().find_map(|watched| {
            let url = &watched.site.url;
            let fits = self.sites.len() == 1 || url.host_str().eq_ignore_ascii_case(name);
            let below = uri.path().strip_prefix(url.path()).filter(|_| fits)?;
            Some((Arc::clone(watched), what(below)?))
        })
    }
}

fn what(path: &str) -> Option<What> {
    match path {
        REPORT => Some(What::Report),
        FEED => Some(What::Feed),
        "sitemap.xml" => Some(What::Sitemap),
        _ => path.strip_prefix("sitemap-")?.strip_suffix(".xml")?.parse().ok().map(What::SitemapPart),
    }
}

fn asks_to_claim(headers: &HeaderMap, uri: &Uri) -> bool {
    headers.get(CLAIM).is_some_and(|value| value.as_bytes() == b"1")
        || uri.query().unwrap_or_default().split('&').any(|pair| pair == "claim=1")
}

fn make(watched: &Watched, what: What, query: &str, claims: bool) -> Response {
    match what {
        What::Report => report(watched, query, claims),
        What::Feed => document("application/atom+xml; charset=utf-8", "no-cache", watched.feed(FEED)),
        What::Sitemap if watched.sitemaps() > 1 => {
            let index = watched.sitemap_index(|number| format!("sitemap-{number}.xml"));
            document("application/xml", "no-cache", index)
        }
        What::Sitemap => document("application/xml", "no-cache", watched.sitemap(1).unwrap_or_default()),
        What::SitemapPart(number) => match watched.sitemap(number) {
            Some(sitemap) => document("application/xml", "no-cache", sitemap),
            None => said(StatusCode::NOT_FOUND, "there are fewer sitemaps"),
        },
    }
}

fn report(watched: &Watched, query: &str, claims: bool) -> Response {
    let mut question = match question(query) {
        Ok(question) => question,
        Err(wrong) => return said(StatusCode::BAD_REQUEST, wrong),
    };
    let flag = match claims {
        false => u8::from(watched.is_claimed()),
        true => match watched.claim() {
            Ok(true) => {
                question.claimed = true;
                0
            }
            // Who comes too late has nothing to fetch.
            Ok(false) => return json(&watched.taken(&question)),
            Err(error) => {
                tracing::error!("{error}");
                return said(StatusCode::SERVICE_UNAVAILABLE, "claims cannot be written down right now");
            }
        },
    };
    match watched.report(&question, flag) {
        Ok(report) => json(&report),
        Err(Expired) => said(StatusCode::GONE, "this list is not kept any more: begin again with your last token"),
    }
}

fn json(report: &report::Report) -> Response {
    match serde_json::to_string(report) {
        Ok(text) => document("application/json", "no-store", text),
        Err(error) => {
            tracing::error!("a report cannot be written: {error}");
            said(StatusCode::INTERNAL_SERVER_ERROR, "the report cannot be written")
        }
    }
}

fn question(query: &str) -> Result<Question, &'static str> {
    let mut question = Question::default();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("since", token)) if !token.is_empty() => question.since = Some(token.to_owned()),
            Some(("after", cursor)) => {
                let cursor =
                    cursor.split_once('-').and_then(|(number, from)| Some((number.parse().ok()?, from.parse().ok()?)));
                question.after = Some(cursor.ok_or("'after' is what 'next' of the page before said")?);
            }
            _ => {}
        }
    }
    Ok(question)
}

fn document(kind: &'static str, cache: &'static str, text: String) -> Response {
    let headers =
        [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, cache), (header::X_CONTENT_TYPE_OPTIONS, "nosniff")];
    (headers, Body::from(text)).into_response()
}

fn said(status: StatusCode, what: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, format!("{what}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_name_a_document() {
        assert_eq!(what(".well-known/bowerbird-watcher.json"), Some(What::Report));
        assert_eq!(what("sitemap-3.xml"), Some(What::SitemapPart(3)));
        for other in ["", "index.html", "sitemap-.xml", "sitemap--1.xml", "../sitemap.xml"] {
            assert_eq!(what(other), None, "{other}");
        }
    }

    #[test]
    fn questions_are_read() {
        let asked = question("claim=1&since=ab.7&x").unwrap();
        assert_eq!((asked.since.as_deref(), asked.after), (Some("ab.7"), None));
        assert_eq!(question("after=3-5000").unwrap().after, Some((3, 5_000)));
        assert!(question("after=x").is_err() && question("after=1-99999999999999999999999").is_err());
    }

    #[test]
    fn a_claim_is_asked_for_in_so_many_words() {
        let uri = |text: &str| text.parse::<Uri>().unwrap();
        let none = HeaderMap::new();
        assert!(asks_to_claim(&none, &uri("/x?since=a&claim=1")));
        assert!(!asks_to_claim(&none, &uri("/x?claim=10")) && !asks_to_claim(&none, &uri("/x?noclaim=1")));
        let mut headers = HeaderMap::new();
        headers.insert(CLAIM, http::HeaderValue::from_static("1"));
        assert!(asks_to_claim(&headers, &uri("/x")));
    }
}
