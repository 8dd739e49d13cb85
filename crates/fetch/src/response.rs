//! What came back.

use std::net::SocketAddr;
use std::time::{Duration, UNIX_EPOCH};

use bytes::{Bytes, BytesMut};
use facts::{Directives, Timestamp, Url, UrlError};
use http::header::{self, HeaderMap, HeaderName};

use crate::body::Body;
use crate::cookies::CookieMark;
use crate::directives;
use crate::error::FetchError;

/// Dropping an unread body costs a connection; up to so many bytes, reading it costs less.
const WORTH_READING: u64 = 64 * 1024;

/// An answer: its head at once, its body piece by piece.
///
/// The connection goes back for reuse when the body was read to its end, and is closed when the
/// answer is dropped before.
pub struct Response {
    /// What was asked for.
    pub url: Url,
    /// The status code.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
    /// Where the answer came from; unknown behind a proxy that looks names up itself.
    pub address: Option<SocketAddr>,
    /// The cookies it was asked for with.
    pub cookies: CookieMark,
    pub(crate) product: std::sync::Arc<str>,
    pub(crate) body: Body,
}

impl Response {
    /// Where a redirect leads; nothing when the answer is none.
    pub fn redirect(&self) -> Option<Result<Url, UrlError>> {
        if !matches!(self.status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = self.headers.get(header::LOCATION)?;
        // Some servers send their own alphabet raw; the bytes of UTF-8 are taken for what they mean.
        Some(self.url.join(&String::from_utf8_lossy(location.as_bytes())))
    }

    /// The `Content-Type` as sent.
    pub fn content_type(&self) -> Option<&str> {
        self.text(header::CONTENT_TYPE)
    }

    /// The `Content-Length`: bytes on the wire, before decompression.
    pub fn content_length(&self) -> Option<u64> {
        self.text(header::CONTENT_LENGTH)?.trim().parse().ok()
    }

    /// Which part of the file a 206 brings. Several parts in one answer are not understood.
    pub fn content_range(&self) -> Option<ContentRange> {
        ContentRange::parse(self.text(header::CONTENT_RANGE)?)
    }

    /// What `If-Range` takes to ask for more of this very version: a strong ETag, else the date.
    pub fn version(&self) -> Option<&str> {
        self.text(header::ETAG).filter(|tag| tag.starts_with('"')).or_else(|| self.text(header::LAST_MODIFIED))
    }

    /// The `ETag`, quotes included.
    pub fn etag(&self) -> Option<&str> {
        self.text(header::ETAG).map(str::trim).filter(|tag| !tag.is_empty())
    }

    /// The `Last-Modified`.
    pub fn modified(&self) -> Option<Timestamp> {
        let date = httpdate::parse_http_date(self.text(header::LAST_MODIFIED)?.trim()).ok()?;
        let since = date.duration_since(UNIX_EPOCH).ok()?;
        Some(Timestamp(i64::try_from(since.as_millis()).ok()?))
    }

    /// The length of the body after decoding, where it is known: that of a coded one is not.
    pub fn body_length(&self) -> Option<u64> {
        let plain =
            self.text(header::CONTENT_ENCODING).is_none_or(|coding| coding.trim().eq_ignore_ascii_case("identity"));
        self.content_length().filter(|_| plain)
    }

    /// How long the server asks to be left alone.
    pub fn retry_after(&self, now: Timestamp) -> Option<Duration> {
        let text = self.text(header::RETRY_AFTER)?.trim();
        if let Ok(seconds) = text.parse() {
            return Some(Duration::from_secs(seconds));
        }
        let date = httpdate::parse_http_date(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Timestamp(i64::try_from(date.as_millis()).unwrap_or(i64::MAX)).since(now))
    }

    /// What the headers forbid: `X-Robots-Tag` for everybody and for us, and `tdm-reservation`.
    pub fn directives(&self) -> Directives {
        directives::from_headers(&self.headers, &self.product, crate::fetcher::now())
    }

    /// The next piece of the body, decompressed; nothing at its end.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        self.body.chunk().await
    }

    /// Reading on had to wait so long for something that is not the server's doing: it gets as much more time.
    pub fn paused(&mut self, lasted: Duration) {
        self.body.paused(lasted);
    }

    /// The rest of the body in one piece.
    pub async fn bytes(mut self) -> Result<Bytes, FetchError> {
        let Some(first) = self.chunk().await? else { return Ok(Bytes::new()) };
        let Some(second) = self.chunk().await? else { return Ok(first) };
        // The length is a hint from a stranger: believed only so far.
        let expected = self.content_length().unwrap_or(0).min(1 << 20) as usize;
        let mut whole = BytesMut::with_capacity(expected.max(first.len() + second.len()));
        whole.extend_from_slice(&first);
        whole.extend_from_slice(&second);
        while let Some(piece) = self.chunk().await? {
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }

    /// Throws the body away, in the way that costs least: a short one is read so that its connection
    /// can be used again.
    pub async fn discard(mut self) {
        let is_short = self.content_length().is_none_or(|length| length <= WORTH_READING);
        while is_short && self.received() <= WORTH_READING {
            if !matches!(self.chunk().await, Ok(Some(_))) {
                return;
            }
        }
    }

    /// Bytes of the body that came over the wire so far, before decompression.
    pub fn received(&self) -> u64 {
        self.body.received()
    }

    fn text(&self, name: HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A part of a file, as its server says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentRange {
    /// Where it begins.
    pub start: u64,
    /// Its last byte.
    pub end: u64,
    /// The length of the whole file, where the server knows it.
    pub total: Option<u64>,
}

impl ContentRange {
    /// Whether it is the end of a file of this length.
    pub fn ends(&self, total: u64) -> bool {
        self.end.checked_add(1) == Some(total)
    }

    /// `bytes 0-16383/147023`, or `/*` when the whole is not known.
    fn parse(text: &str) -> Option<Self> {
        let (unit, range) = text.trim().split_once(' ')?;
        let (part, total) = range.trim().split_once('/')?;
        let (start, end) = part.trim().split_once('-')?;
        let (start, end) = (start.trim().parse::<u64>().ok()?, end.trim().parse::<u64>().ok()?);
        let total = match total.trim() {
            "*" => None,
            total => Some(total.parse().ok()?),
        };
        let makes_sense = unit.eq_ignore_ascii_case("bytes") && start <= end && total.is_none_or(|total| end < total);
        makes_sense.then_some(Self { start, end, total })
    }
}

impl std::fmt::Debug for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Response")
            .field("url", &self.url)
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::ContentRange;

    #[test]
    fn a_part_is_understood_only_when_it_makes_sense() {
        let part = |start, end, total| Some(ContentRange { start, end, total });
        for (text, expected) in [
            ("bytes 0-16383/147023", part(0, 16_383, Some(147_023))),
            ("Bytes 5-9/10", part(5, 9, Some(10))),
            ("bytes 16384-20000/*", part(16_384, 20_000, None)),
            ("bytes */147023", None),
            ("bytes 9-5/10", None),
            ("bytes 0-10/10", None),
            ("items 0-1/2", None),
            ("bytes 0-99999999999999999999/1", None),
            ("", None),
        ] {
            assert_eq!(ContentRange::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_part_that_ends_beyond_all_numbers_ends_no_file() {
        let last = ContentRange::parse("bytes 16384-18446744073709551615/*").unwrap();
        assert!(!last.ends(0) && !last.ends(u64::MAX));
        assert!(ContentRange::parse("bytes 5-9/10").unwrap().ends(10));
    }
}
