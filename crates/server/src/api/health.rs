//! For whoever watches over the server.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header;
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::Known;
use crate::app::App;
use crate::problem::Problem;

/// That the server works.
#[derive(Serialize, ToSchema)]
struct Health {
    /// `ok`.
    #[schema(value_type = String)]
    status: &'static str,
}

/// Whether it works
///
/// Asks the library something small. Needs no token.
#[utoipa::path(get, path = "/health", tag = "Health", responses((status = 200, body = Health)))]
pub(crate) async fn health(State(app): State<Arc<App>>, known: Known) -> Result<Response, Problem> {
    app.library().crawl("").await?;
    known.answer(&Health { status: "ok" })
}

/// Figures for Prometheus
///
/// Of this server, its library, and all who work on a shared database; these are asked every 5 seconds at most.
#[utoipa::path(get, path = "/metrics", tag = "Health", responses(
    (status = 200, body = String, content_type = "text/plain"),
))]
pub(crate) async fn metrics(State(app): State<Arc<App>>) -> Response {
    let observed = app.watch.look(&app).await;
    let text = app.metrics.text(app.crawls.count(), observed.as_deref());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
