//! What every answer says to browsers.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// The page, with what the map needs: workers and pictures from its own bundle.
const PAGE_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; media-src 'self' blob:; worker-src 'self' blob:; child-src 'self' blob:; \
    connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// An answer of the API, or a file from the web: nothing in it may do anything.
const API_POLICY: &str = "sandbox; default-src 'none'; frame-ancestors 'none'";

/// The policy of the page when the map asks these hosts too.
pub(crate) fn policy(origins: &[String]) -> HeaderValue {
    let more = origins.iter().fold(String::new(), |more, origin| more + " " + origin);
    let policy = PAGE_POLICY
        .replace("connect-src 'self'", &format!("connect-src 'self'{more}"))
        .replace("img-src 'self'", &format!("img-src 'self'{more}"));
    HeaderValue::from_str(&policy).unwrap_or_else(|_| HeaderValue::from_static(PAGE_POLICY))
}

/// Puts them on, but for those that an answer has itself.
pub(crate) fn put_on(headers: &mut HeaderMap, policy: Option<HeaderValue>) {
    let policy = policy.unwrap_or_else(|| HeaderValue::from_static(API_POLICY));
    let all = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
        (
            HeaderName::from_static("permissions-policy"),
            HeaderValue::from_static("camera=(), microphone=(), geolocation=(self), payment=(), usb=()"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    for (name, value) in all {
        headers.entry(name).or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_may_ask_only_the_hosts_that_are_named() {
        let policy = policy(&["https://tiles.example".into()]);
        let policy = policy.to_str().unwrap();
        assert!(policy.contains("connect-src 'self' https://tiles.example;"), "{policy}");
        assert!(policy.contains("script-src 'self';"), "{policy}");
        assert!(!PAGE_POLICY.contains("http"));
    }

    #[test]
    fn an_answer_keeps_what_it_says_itself() {
        let mut headers = HeaderMap::new();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("immutable"));
        put_on(&mut headers, None);
        assert_eq!(headers[header::CACHE_CONTROL], "immutable");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert!(headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().starts_with("sandbox"));
    }
}
