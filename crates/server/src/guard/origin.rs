//! Changes come from our own page, or from a program.

use http::request::Parts;
use http::{HeaderMap, StatusCode, header};

use crate::problem::Problem;

/// Refuses what another site's page asks for.
pub(crate) fn check(parts: &Parts, changes: bool) -> Result<(), Problem> {
    let allowed = match value(&parts.headers, "sec-fetch-site") {
        Some("same-origin" | "none") => true,
        // Another page may lead here, but neither embed nor fetch what is here.
        Some(_) if !changes => value(&parts.headers, "sec-fetch-mode") == Some("navigate"),
        Some(_) => false,
        None if !changes => true,
        None => value(&parts.headers, "origin").is_none_or(|origin| is_own(origin, &parts.headers)),
    };
    if allowed { Ok(()) } else { Err(Problem::new(StatusCode::FORBIDDEN, "another site's page may not do this")) }
}

fn is_own(origin: &str, headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let origin = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    host.zip(origin).is_some_and(|(host, origin)| host.eq_ignore_ascii_case(origin))
}

/// The value of a header; what is given twice or is no text counts as wrong, not as missing.
fn value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut given = headers.get_all(name).iter();
    let first = given.next()?;
    Some(if given.next().is_some() { "" } else { first.to_str().unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_page_and_programs_change_things() {
        let own = "http://localhost:7700";
        for (headers, change, look) in [
            (&[][..], true, true),
            (&[("origin", own)], true, true),
            (&[("origin", "http://evil.example")], false, true),
            (&[("origin", "null")], false, true),
            (&[("origin", "http://localhost:8000")], false, true),
            (&[("sec-fetch-site", "same-origin"), ("origin", own)], true, true),
            (&[("sec-fetch-site", "none")], true, true),
            (&[("sec-fetch-site", "cross-site")], false, false),
            (&[("sec-fetch-site", "same-site"), ("origin", own)], false, false),
            (&[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")], false, true),
            (&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")], false, false),
            (&[("origin", own), ("origin", "http://evil.example")], false, true),
        ] {
            let request = http::Request::builder().uri("/").header("host", "localhost:7700");
            let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            let (parts, ()) = request.body(()).unwrap().into_parts();
            assert_eq!((check(&parts, true).is_ok(), check(&parts, false).is_ok()), (change, look), "{headers:?}");
        }
    }
}
