//! Who is there: log in and log out.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::answer::{Document, Known};
use crate::app::App;
use crate::guard::{Role, gone, kept};
use crate::problem::Problem;
use listen::Peer;

/// Who is there.
#[derive(Serialize, ToSchema)]
struct Session {
    role: Role,
    /// Whether anything needs a token here.
    login_needed: bool,
    /// The version of the program.
    version: &'static str,
}

/// A token to log in with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogIn {
    /// The admin or the reader token.
    #[schema(max_length = 1000)]
    token: String,
}

fn session(app: &App, role: Role) -> Session {
    Session { role, login_needed: app.tokens.needed(), version: env!("CARGO_PKG_VERSION") }
}

/// Who is there
///
/// What the token or cookie of this request allows.
#[utoipa::path(get, path = "/session", tag = "Session", responses((status = 200, body = Session)))]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Extension(role): Extension<Role>,
    known: Known,
) -> Result<Response, Problem> {
    known.answer(&session(&app, role))
}

/// Log in
///
/// Gives a browser a cookie for the role of the token. Ten wrong tokens a minute from one address are
/// all that is looked at.
#[utoipa::path(post, path = "/session", tag = "Session", request_body = LogIn, responses(
    (status = 200, body = Session, description = "Logged in; the cookie is set"),
    (status = 401, body = Problem, content_type = "application/problem+json", description = "The token is not known"),
    (status = 429, body = Problem, content_type = "application/problem+json", description = "Too many wrong tokens"),
))]
pub(crate) async fn log_in(
    State(app): State<Arc<App>>,
    Extension(Peer(peer)): Extension<Peer>,
    known: Known,
    Document(LogIn { token }): Document<LogIn>,
) -> Result<Response, Problem> {
    if token.chars().count() > 1000 {
        return Err(Problem::field("token", "is longer than 1000 characters"));
    }
    if !app.tokens.needed() {
        return known.answer(&session(&app, Role::Admin));
    }
    app.throttle.check(peer.ip())?;
    let role = app.tokens.role(token.trim());
    let cookie = app.key.sign(role, &app.tokens).and_then(|cookie| kept(&cookie));
    let Some(cookie) = cookie.filter(|_| role != Role::None) else {
        app.throttle.failed(peer.ip());
        return Err(Problem::new(StatusCode::UNAUTHORIZED, "this token is not known here"));
    };
    let mut response = Known::default().answer(&session(&app, role))?;
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// Log out
///
/// Takes the cookie away.
#[utoipa::path(delete, path = "/session", tag = "Session", responses((status = 204, description = "Logged out")))]
pub(crate) async fn log_out() -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = gone() {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
