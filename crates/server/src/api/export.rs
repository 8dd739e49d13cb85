//! The library in formats that other programs read.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use export::{Export, Format, Subject};
use http::{HeaderValue, header};
use search::Looked;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::app::App;
use crate::filters::{self, FilterParams};
use crate::problem::Problem;
use crate::query::Query;

/// Items or pages read at a time.
const BATCH: usize = 200;

/// Names, types and endings of the formats.
const FORMATS: [(&str, (Format, &str, &str)); 5] = [
    ("geojson", (Format::GeoJson, "application/geo+json", "geojson")),
    ("csv", (Format::Csv, "text/csv; charset=utf-8", "csv")),
    ("jsonl", (Format::Jsonl, "application/jsonl", "jsonl")),
    ("kml", (Format::Kml, "application/vnd.google-earth.kml+xml", "kml")),
    ("gpx", (Format::Gpx, "application/gpx+xml", "gpx")),
];

/// The library in a format that other programs read
///
/// As an attachment that is made while it is sent. KML and GPX have only what has a place.
#[utoipa::path(get, path = "/export", tag = "Figures", params(
    ("format" = String, Query, description = "`geojson`, `csv`, `jsonl`, `kml` or `gpx`", pattern = "^(geojson|csv|jsonl|kml|gpx)$"),
    ("what" = Option<String>, Query, description = "`media` or `page` [default: media]", pattern = "^(media|page)$"),
    FilterParams,
), responses(
    (status = 200, content((Object = "application/geo+json"), (String = "text/csv"), (String = "application/jsonl"),
        (String = "application/vnd.google-earth.kml+xml"), (String = "application/gpx+xml"))),
))]
pub(crate) async fn export(State(app): State<Arc<App>>, mut query: Query) -> Result<Response, Problem> {
    let format = query.choice("format", &FORMATS);
    let format = query.needed("format", format);
    let pages = query.choice("what", &[("media", false), ("page", true)]) == Some(true);
    let mut question = filters::read(&app, &mut query).await?;
    query.finish()?;
    let (format, kind, ending) = format.unwrap_or((Format::GeoJson, "application/geo+json", "geojson"));
    if pages {
        question.looked = Looked::Pages { all: true };
    }
    let pages = matches!(question.looked, Looked::Pages { .. });
    let (sender, receiver) = mpsc::channel(2);
    tokio::spawn(async move {
        let result = match pages {
            true => write_pages(&app, &question, format, &sender).await,
            false => write_items(&app, &question, format, &sender).await,
        };
        if let Err(error) = result {
            tracing::warn!("an export was cut off: {error}");
            let _ = sender.send(Err(error)).await;
        }
    });
    let mut response = Body::from_stream(ReceiverStream::new(receiver)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let what = if pages { "pages" } else { "media" };
    let name = format!("attachment; filename=\"bowerbird-{what}.{ending}\"");
    headers.insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment")),
    );
    Ok(response)
}

type Pieces = mpsc::Sender<std::io::Result<Bytes>>;

async fn write_items(app: &App, question: &search::Question, format: Format, out: &Pieces) -> std::io::Result<()> {
    let buffer = Buffer::default();
    // Paths as they are in the media directory: where that is on the server is nobody's business.
    let mut export = Export::begin(buffer.clone(), format, Subject::Media(PathBuf::new()))?;
    let filter = question.item_filter();
    let mut after = 0;
    loop {
        let items = app.library().items(&filter, after, BATCH).await.map_err(std::io::Error::other)?;
        let Some(last) = items.last() else { break };
        after = last.number;
        items.iter().try_for_each(|item| export.item(item))?;
        if !buffer.send(out).await {
            return Ok(());
        }
    }
    export.finish()?;
    buffer.send(out).await;
    Ok(())
}

async fn write_pages(app: &App, question: &search::Question, format: Format, out: &Pieces) -> std::io::Result<()> {
    let buffer = Buffer::default();
    let mut export = Export::begin(buffer.clone(), format, Subject::Pages)?;
    let filter = question.page_filter();
    let mut after = 0;
    loop {
        let pages = app.library().pages(&filter, after, BATCH).await.map_err(std::io::Error::other)?;
        let Some(last) = pages.last() else { break };
        after = last.number;
        pages.iter().try_for_each(|page| export.page(page))?;
        if !buffer.send(out).await {
            return Ok(());
        }
    }
    export.finish()?;
    buffer.send(out).await;
    Ok(())
}

/// What was written and is not sent yet.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    /// Sends it; whether the client still listens.
    async fn send(&self, out: &Pieces) -> bool {
        let written = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        written.is_empty() || out.send(Ok(written.into())).await.is_ok()
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
