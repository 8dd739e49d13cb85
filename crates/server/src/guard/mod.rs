//! Who may ask, and from where.
//!
//! - [`hosts`]: the names this server goes by. A page elsewhere whose name is made to lead here (DNS
//!   rebinding) sends its own name, and gets nothing.
//! - [`origin`]: changes come from our own page or from a program, never from another site's page.
//! - [`tokens`]: what each token allows; [`cookie`]: the same for a browser that logged in;
//!   [`throttle`]: guessing takes for ever.
//! - [`headers`]: what every answer says to browsers.

mod cookie;
mod headers;
mod hosts;
mod origin;
mod throttle;
mod tokens;
#[cfg(fuzzing)]
mod tried;

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, Method, StatusCode, header};

pub(crate) use self::cookie::{COOKIE, SessionKey, gone, kept, random_name};
pub(crate) use self::headers::{policy, put_on};
pub(crate) use self::hosts::Hosts;
pub(crate) use self::throttle::Throttle;
pub use self::tokens::Token;
pub(crate) use self::tokens::{Role, Tokens};
#[cfg(fuzzing)]
pub use self::tried::Doorway;
use crate::app::App;
use crate::problem::Problem;
use listen::Peer;

/// Lets through what may pass, with the [`Role`] of who asks; puts the headers on every answer.
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let sandboxed = parts.uri.path().starts_with("/api/");
    let mut response = match admit(&app, &parts) {
        Ok(role) => {
            parts.extensions.insert(role);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(problem) => problem.into_response(),
    };
    put_on(response.headers_mut(), if sandboxed { None } else { Some(app.policy()) });
    response
}

fn admit(app: &App, parts: &Parts) -> Result<Role, Problem> {
    app.hosts.check(parts)?;
    let changes = !matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
    origin::check(parts, changes)?;
    let role = role(app, parts)?;
    let path = parts.uri.path();
    let least = match path.strip_prefix("/api/") {
        // The page itself is the same for everyone; it asks who is there.
        None => Role::None,
        Some("v1/session" | "v1/health") => Role::None,
        Some("v1/geoparse" | "v1/search/example" | "v1/search/rerank") => Role::Reader,
        Some(_) if changes => Role::Admin,
        Some(_) => Role::Reader,
    };
    match (role >= least, role) {
        (true, _) => Ok(role),
        (false, Role::None) => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "log in first, or send the token as `Authorization: Bearer TOKEN`",
        )),
        (false, _) => {
            Err(Problem::new(StatusCode::FORBIDDEN, "this token may only read: changes need the admin token"))
        }
    }
}

/// What the token or the cookie of a request allows.
fn role(app: &App, parts: &Parts) -> Result<Role, Problem> {
    if !app.tokens.needed() {
        return Ok(Role::Admin);
    }
    let peer = peer(parts);
    if let Some(token) = bearer(&parts.headers) {
        app.throttle.check(peer)?;
        let role = app.tokens.role(token);
        if role == Role::None {
            app.throttle.failed(peer);
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "this token is not known here"));
        }
        return Ok(role);
    }
    Ok(cookie::read(&parts.headers).map_or(Role::None, |cookie| app.key.role(cookie, &app.tokens)))
}

/// The address a request came from.
pub(crate) fn peer(parts: &Parts) -> IpAddr {
    parts.extensions.get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
