//! The web page, embedded into the program.

use std::borrow::Cow;

use axum::response::{Html, IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use rust_embed::RustEmbed;

use crate::answer::Known;
use crate::problem::Problem;

/// What `make ui` built; nothing when it was not.
#[derive(RustEmbed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Built;

/// Says how to get the page, when the program was built without it.
const MISSING: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Bowerbird</title>\
    <h1>Bowerbird</h1><p>The program was built without its web page: run <code>make ui</code>, then build it again.</p>\
    <p>The API works: <a href=/api/openapi.json>its description</a>.</p>";

/// A file of the page, or the page itself for an address that it makes sense of.
pub(crate) async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    if path == "api" || path.starts_with("api/") {
        return Problem::missing("there is no such thing in this API: /api/openapi.json lists what is there")
            .into_response();
    }
    if !matches!(method, Method::GET | Method::HEAD) {
        return not_allowed();
    }
    let (name, file) = match Built::get(path) {
        Some(file) if !path.is_empty() => (path, file),
        // Addresses inside the page have no extension; a missing file is just missing.
        _ if path.rsplit('/').next().is_some_and(|last| last.contains('.')) => {
            return Problem::missing("there is no such file").into_response();
        }
        _ => match Built::get("index.html") {
            Some(file) => ("index.html", file),
            None => return Html(MISSING).into_response(),
        },
    };
    let body = match file.data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let mut response = Known::of(&headers).text(kind_of(name), body);
    // Files in assets/ have a hash of what is in them in their names.
    if name.starts_with("assets/") {
        let for_ever = HeaderValue::from_static("public, max-age=31536000, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, for_ever);
    }
    response
}

/// A method that is not there.
pub(crate) fn not_allowed() -> Response {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "this cannot be done here: see /api/openapi.json").into_response()
}

fn kind_of(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "geojson" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "txt" => "text/plain; charset=utf-8",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
