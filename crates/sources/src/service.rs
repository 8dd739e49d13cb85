//! Asking a service: one request after another, bounded, each hop through the guard.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use facts::{Timestamp, Url};
use fetch::{Accept, Fetcher, Request};
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::error::SourceError;

/// Bytes of one answer.
const LONGEST: u64 = 8 << 20;
/// Hops of a redirect.
const HOPS: usize = 4;
/// Between two requests to a service: one that is asked for several pages, or names further lists, is not hurried.
const PAUSE: Duration = Duration::from_millis(200);

/// A service on the web.
#[derive(Clone)]
pub(crate) struct Service {
    fetcher: Fetcher,
    /// A header that it wants, such as a key.
    key: Option<(http::HeaderName, http::HeaderValue)>,
    /// When it was asked last; held by who asks, so that requests come one after the other.
    last: Arc<Mutex<Option<Instant>>>,
}

/// What a service sent.
pub(crate) struct Received {
    pub url: Url,
    pub content_type: String,
    pub body: Bytes,
}

impl Service {
    pub fn new(fetcher: Fetcher) -> Self {
        Self { fetcher, key: None, last: Arc::default() }
    }

    pub fn with_key(fetcher: Fetcher, name: http::HeaderName, key: http::HeaderValue) -> Self {
        Self { fetcher, key: Some((name, key)), last: Arc::default() }
    }

    /// What is at this address, wherever it leads to. A key is sent to the service itself alone.
    pub async fn get(&self, url: Url) -> Result<Received, SourceError> {
        let asked = url.origin();
        let mut at = url;
        let mut last = self.last.lock().await;
        for _ in 0..=HOPS {
            if let Some(last) = *last {
                tokio::time::sleep_until(last + PAUSE).await;
            }
            *last = Some(Instant::now());
            let key = self.key.clone().filter(|_| at.origin() == asked);
            let request = Request { limit: LONGEST, cookies: false, key, ..Request::new(at.clone(), Accept::Text) };
            let mut response = self.fetcher.send(request).await?;
            let host = at.host().to_string();
            if let Some(next) = response.redirect() {
                at = next.map_err(|_| SourceError::Redirects { host })?;
                continue;
            }
            match response.status {
                200..=299 => {}
                status @ (429 | 503) => {
                    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
                    let now = Timestamp(i64::try_from(now.as_millis()).unwrap_or(i64::MAX));
                    return Err(SourceError::Busy { host, status, after: response.retry_after(now) });
                }
                status @ 401..=403 => {
                    let hint = match self.key {
                        Some(_) => "its key is wrong or used up: look at `key` in the settings",
                        None => "it does not answer programs: its owner may have to allow it",
                    };
                    return Err(SourceError::Refused { host, status, hint });
                }
                status => return Err(SourceError::Status { host, status }),
            }
            let mut body = BytesMut::new();
            while let Some(chunk) = response.chunk().await? {
                body.extend_from_slice(&chunk);
            }
            *last = Some(Instant::now());
            let content_type = response.content_type().unwrap_or_default().to_ascii_lowercase();
            return Ok(Received { url: at, content_type, body: body.freeze() });
        }
        Err(SourceError::Redirects { host: asked.host().to_string() })
    }

    /// The same as JSON; `hint` says what to do when it is none.
    pub async fn json<T: DeserializeOwned>(&self, url: Url, hint: &'static str) -> Result<T, SourceError> {
        let Received { url, body, .. } = self.get(url).await?;
        serde_json::from_slice(&body).map_err(|_| {
            let text = body.trim_ascii_start();
            let what = match text.first() {
                Some(b'<') => "a page instead of JSON",
                Some(b'{' | b'[') => "JSON of another shape",
                _ => "something else than JSON",
            };
            SourceError::Strange { host: url.host().to_string(), what, hint }
        })
    }
}

/// An address with parameters after those it has.
pub(crate) fn with_parameters(base: &Url, parameters: &[(&str, &str)]) -> Option<Url> {
    let mut url = url::Url::parse(base.as_str()).ok()?;
    url.query_pairs_mut().extend_pairs(parameters);
    Url::parse(url.as_str()).ok()
}

/// A text from outside, of a length that can be shown.
pub(crate) fn short(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(300).collect()
}
