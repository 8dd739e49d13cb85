//! The files themselves, which came from the web: never as anything that can act.

use std::ops::Range;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use store::{MediaItem, Shelf, StoreError};
use tokio_stream::wrappers::ReceiverStream;

use super::media::{ItemParams, find};
use crate::answer::{Known, Name};
use crate::app::App;
use crate::problem::Problem;
use crate::query::Query;

/// The file of an item
///
/// Ranges are understood. Formats that browsers show safely come inline, everything else as an attachment.
#[utoipa::path(get, path = "/media/{id}/file", tag = "Media", params(
    ItemParams,
    ("download" = Option<bool>, Query, description = "As an attachment, with a name"),
), responses(
    (status = 200, content((Vec<u8> = "image/*"), (Vec<u8> = "video/*"), (Vec<u8> = "audio/*"), (Vec<u8> = "application/octet-stream")), description = "The file, with its own type"),
    (status = 206, content((Vec<u8> = "image/*"), (Vec<u8> = "video/*"), (Vec<u8> = "audio/*"), (Vec<u8> = "application/octet-stream")), description = "The range that was asked for"),
    (status = 416, body = Problem, content_type = "application/problem+json", description = "No such range"),
))]
pub(crate) async fn file(
    State(app): State<Arc<App>>,
    Name(id): Name,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response, Problem> {
    let download = query.switch("download") == Some(true);
    query.finish()?;
    let item = find(&app, &id).await?;
    let kind = shown_as(&item.format);
    let inline = kind.is_some() && !download;
    let mut response = send(app.shelf(), &item.path, &item.id.to_string(), &headers).await?;
    if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
        return Ok(response);
    }
    let answer = response.headers_mut();
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind.unwrap_or("application/octet-stream")));
    let how = if inline { "inline" } else { "attachment" };
    let name = format!("{how}; filename=\"{}\"", name_of(&item));
    answer.insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_str(&name).unwrap_or(HeaderValue::from_static("attachment")),
    );
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    Ok(response)
}

/// The thumbnail of an item
#[utoipa::path(get, path = "/media/{id}/thumbnail", tag = "Media", params(
    ItemParams,
), responses((status = 200, content_type = "image/jpeg", description = "A JPEG")))]
pub(crate) async fn thumbnail(
    State(app): State<Arc<App>>,
    Name(id): Name,
    headers: HeaderMap,
    query: Query,
) -> Result<Response, Problem> {
    query.finish()?;
    let item = find(&app, &id).await?;
    let path = item.thumbnail.as_ref().ok_or_else(|| Problem::missing("this item has no thumbnail"))?;
    let mut response = send(app.shelf(), path, &format!("{}-t", item.id), &headers).await?;
    if response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
        return Ok(response);
    }
    let answer = response.headers_mut();
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static("image/jpeg"));
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable"));
    Ok(response)
}

/// A file, or the part of it that is asked for.
async fn send(shelf: &Shelf, path: &str, mark: &str, headers: &HeaderMap) -> Result<Response, Problem> {
    let mark = format!("\"{mark}\"");
    let marked = HeaderValue::from_str(&mark).map_err(|error| Problem::internal(&error))?;
    if Known::of(headers).has(&mark) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, marked)]).into_response());
    }
    let file = shelf.open(path).await.map_err(unread)?;
    let file = file.ok_or_else(|| Problem::missing("the file of this item is gone from the disk"))?;
    let size = file.size();
    let same = headers.get(header::IF_RANGE).is_none_or(|given| given.as_bytes() == mark.as_bytes());
    let asked = headers.get(header::RANGE).filter(|_| same).and_then(|range| range.to_str().ok());
    let part = match asked.map(|asked| range(asked, size)) {
        None | Some(Ranged::All) => None,
        Some(Ranged::Part(part)) => Some(part),
        Some(Ranged::Nothing) => {
            let problem = Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, format!("the file has {size} bytes"));
            let mut response = problem.into_response();
            if let Ok(value) = HeaderValue::from_str(&format!("bytes */{size}")) {
                response.headers_mut().insert(header::CONTENT_RANGE, value);
            }
            return Ok(response);
        }
    };
    let Range { start, end } = part.clone().unwrap_or(0..size);
    let pieces = file.read(start..end).await.map_err(unread)?;
    let mut response = Body::from_stream(ReceiverStream::new(pieces)).into_response();
    let answer = response.headers_mut();
    answer.insert(header::ETAG, marked);
    answer.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    answer.insert(header::CONTENT_LENGTH, (end - start).into());
    if part.is_some() {
        let said = format!("bytes {start}-{}/{size}", end - 1);
        answer.insert(header::CONTENT_RANGE, HeaderValue::from_str(&said).map_err(|error| Problem::internal(&error))?);
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    Ok(response)
}

/// A bucket that is away will be back.
fn unread(error: StoreError) -> Problem {
    match error {
        StoreError::Bucket(error) if error.is_passing() => {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
        }
        error => Problem::internal(&error),
    }
}

/// What a Range header asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Ranged {
    /// The whole: the header makes no sense, or asks for several parts.
    All,
    /// This part.
    Part(Range<u64>),
    /// A part that is not there.
    Nothing,
}

pub(crate) fn range(asked: &str, size: u64) -> Ranged {
    let Some(spec) = asked.trim().strip_prefix("bytes=").filter(|spec| !spec.contains(',')) else { return Ranged::All };
    let Some((first, last)) = spec.trim().split_once('-') else { return Ranged::All };
    let number = |text: &str| text.parse::<u64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let part = match (first.is_empty(), last.is_empty()) {
        (true, true) => return Ranged::All,
        (true, false) => number(last).map(|length| size.saturating_sub(length)..size),
        (false, true) => number(first).map(|start| start..size),
        (false, false) => match (number(first), number(last)) {
            (Some(start), Some(end)) if start <= end => Some(start..end.saturating_add(1).min(size)),
            _ => None,
        },
    };
    match part {
        None => Ranged::All,
        Some(part) if part.start >= size => Ranged::Nothing,
        Some(part) => Ranged::Part(part),
    }
}

/// The type of a format that browsers show without running anything in it.
fn shown_as(format: &str) -> Option<&'static str> {
    Some(match format {
        "jpeg" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "jxl" => "image/jxl",
        "heic" => "image/heic",
        "mp4" => "video/mp4",
        "mov" => "video/quicktime",
        "3gp" => "video/3gpp",
        "webm" => "video/webm",
        "mkv" => "video/x-matroska",
        "ogv" => "video/ogg",
        "m4a" => "audio/mp4",
        "weba" => "audio/webm",
        "mp3" => "audio/mpeg",
        "aac" => "audio/aac",
        "ogg" | "opus" => "audio/ogg",
        "flac" => "audio/flac",
        "wav" => "audio/wav",
        _ => return None,
    })
}

/// A name for a file that is saved: its title or its address's last part, in letters that need no
/// quoting.
fn name_of(item: &MediaItem) -> String {
    let address = item.found.first().and_then(|sighting| facts::Url::parse(&sighting.image).ok());
    let named = item.title.clone().or_else(|| address.map(|url| url.file_name())).unwrap_or_default();
    let stem = named.rsplit_once('.').map_or(named.as_str(), |(stem, _)| stem);
    let plain: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '-' }).take(80).collect();
    let plain = plain.trim_matches('-');
    let extension = media::Format::named(&item.format).map_or("bin", |format| format.extension);
    let id = item.id.to_string();
    let short = id.get(..8).unwrap_or_default();
    if plain.is_empty() { format!("{short}.{extension}") } else { format!("{plain}-{short}.{extension}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_rfc_9110_writes_them() {
        for (asked, expected) in [
            ("bytes=0-99", Ranged::Part(0..100)),
            ("bytes=900-", Ranged::Part(900..1000)),
            ("bytes=-100", Ranged::Part(900..1000)),
            ("bytes=-5000", Ranged::Part(0..1000)),
            ("bytes=0-5000", Ranged::Part(0..1000)),
            ("bytes=0-18446744073709551615", Ranged::Part(0..1000)),
            ("bytes=1000-", Ranged::Nothing),
            ("bytes=-0", Ranged::Nothing),
            ("bytes=5-1", Ranged::All),
            ("bytes=0-1,5-6", Ranged::All),
            ("bytes=-", Ranged::All),
            ("bytes=+1-2", Ranged::All),
            ("lines=1-2", Ranged::All),
        ] {
            assert_eq!(range(asked, 1000), expected, "{asked}");
        }
    }

    #[test]
    fn nothing_that_can_act_is_shown() {
        for format in ["svg", "html", "xml", "pdf", "", "tiff"] {
            assert_eq!(shown_as(format), None);
        }
    }
}
