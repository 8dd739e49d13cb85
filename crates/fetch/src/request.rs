//! What is asked for, and the headers that ask for it.

use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use facts::{Timestamp, Url};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http_body_util::Empty;

use crate::connection::{Connection, Form, Question};
use crate::error::FetchError;

/// The codings that can be decoded.
const CODINGS: HeaderValue = HeaderValue::from_static("gzip, deflate, br, zstd");
const IDENTITY: HeaderValue = HeaderValue::from_static("identity");

/// Dates of HTTP end with the year 9999, in seconds since 1970.
const LAST_DATE: u64 = 253_402_300_800;

/// The limit of [`Request::new`].
const ORDINARY_LIMIT: u64 = 16 << 20;

/// One GET. Redirects are not followed: each hop is a request of its own, to a host of its own.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to get, requested as it is written.
    pub url: Url,
    /// What is hoped for.
    pub accept: Accept,
    /// The page it was found on.
    pub referer: Option<Url>,
    /// Only a part of it.
    pub range: Option<ByteRange>,
    /// With a range: the ETag or date it must still have, else all of it is wanted.
    pub if_range: Option<String>,
    /// What is already known of it: the answer is 304 when nothing changed.
    pub validators: Option<Validators>,
    /// The most bytes to accept, after decompression.
    pub limit: u64,
    /// Whether cookies are sent and kept.
    pub cookies: bool,
    /// A key that a service asks for, in the header it asks for it.
    pub key: Option<(HeaderName, HeaderValue)>,
}

/// What kind of thing is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// A web page.
    Page,
    /// A picture; JPEG is preferred because content networks drop the metadata when they make WebP or AVIF of it.
    Image,
    /// A film or a sound.
    Media,
    /// robots.txt, sitemaps and the like.
    Text,
}

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteRange {
    /// From `start` to `end`, both included; to the end of the file without `end`.
    From {
        /// The first byte.
        start: u64,
        /// The last byte.
        end: Option<u64>,
    },
    /// The last so many bytes.
    Last(u64),
}

/// What an earlier answer said about its version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validators {
    /// Its `ETag`, quotes included.
    pub etag: Option<String>,
    /// Its `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// What can be sent back of an answer's version; nothing when there is nothing.
    pub fn of(etag: Option<String>, modified: Option<Timestamp>) -> Option<Self> {
        let at = |at: Timestamp| UNIX_EPOCH.checked_add(Duration::from_millis(u64::try_from(at.0).ok()?));
        let last_modified = modified
            .and_then(at)
            .filter(|at| at.duration_since(UNIX_EPOCH).is_ok_and(|since| since.as_secs() < LAST_DATE))
            .map(httpdate::fmt_http_date);
        (etag.is_some() || last_modified.is_some()).then_some(Self { etag, last_modified })
    }
}

impl Request {
    /// All of it, up to 16 MiB, with cookies.
    pub fn new(url: Url, accept: Accept) -> Self {
        Self {
            url,
            accept,
            referer: None,
            range: None,
            if_range: None,
            validators: None,
            limit: ORDINARY_LIMIT,
            cookies: true,
            key: None,
        }
    }

    /// The request as this connection needs it.
    pub(crate) fn question(
        &self,
        connection: &Connection,
        agent: &HeaderValue,
        cookies: Option<&HeaderValue>,
    ) -> Result<Question, FetchError> {
        let mut question = http::Request::new(Empty::<Bytes>::new());
        *question.uri_mut() = self.target(connection).map_err(|error| FetchError::Protocol {
            host: self.url.host_str().to_owned(),
            why: format!("{} cannot be put into a request ({error})", self.url),
        })?;
        let headers = question.headers_mut();
        if connection.is_http2() {
            *question.version_mut() = http::Version::HTTP_2;
        } else {
            headers.insert(header::HOST, self.host_header());
        }
        let headers = question.headers_mut();
        headers.insert(header::USER_AGENT, agent.clone());
        headers.insert(header::ACCEPT, HeaderValue::from_static(self.accept.as_str()));
        headers.insert(header::ACCEPT_ENCODING, self.codings());
        if let Some(cookies) = cookies {
            headers.insert(header::COOKIE, cookies.clone());
        }
        if let Form::Absolute { authorization: Some(authorization) } = &connection.form {
            headers.insert(header::PROXY_AUTHORIZATION, authorization.clone());
        }
        self.describe(headers);
        Ok(question)
    }

    fn target(&self, connection: &Connection) -> Result<http::Uri, http::uri::InvalidUri> {
        match connection.form {
            Form::Origin if !connection.is_http2() => self.url.path_and_query().parse(),
            _ => self.url.as_str().parse(),
        }
    }

    fn host_header(&self) -> HeaderValue {
        let host = self.url.host_str();
        let text = match self.url.own_port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        // A parsed host is ASCII without controls.
        HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
    }

    /// Parts of a file, and files whose sizes and validators matter, are wanted as they are.
    fn codings(&self) -> HeaderValue {
        match self.accept {
            Accept::Page | Accept::Text if self.range.is_none() => CODINGS,
            _ => IDENTITY,
        }
    }

    fn describe(&self, headers: &mut HeaderMap) {
        if let Some((name, key)) = &self.key {
            headers.insert(name.clone(), key.clone());
        }
        let mut set = |name, text: &str| {
            if let Ok(value) = HeaderValue::from_str(text) {
                headers.insert(name, value);
            }
        };
        // A secure page is not named to an insecure host: the way there can be read.
        if let Some(page) = &self.referer
            && (page.scheme() == "http" || self.url.scheme() == "https")
        {
            set(header::REFERER, page.as_str());
        }
        if let Some(range) = self.range {
            set(header::RANGE, &range.to_string());
            if let Some(version) = &self.if_range {
                set(header::IF_RANGE, version);
            }
        }
        if let Some(validators) = &self.validators {
            if let Some(etag) = &validators.etag {
                set(header::IF_NONE_MATCH, etag);
            }
            if let Some(date) = &validators.last_modified {
                set(header::IF_MODIFIED_SINCE, date);
            }
        }
    }
}

impl Accept {
    fn as_str(self) -> &'static str {
        match self {
            Self::Page => "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5",
            Self::Image => {
                "image/jpeg,image/png;q=0.9,image/tiff;q=0.9,image/*;q=0.7,image/webp;q=0.4,image/avif;q=0.3,*/*;q=0.1"
            }
            Self::Media => "video/*,audio/*,*/*;q=0.5",
            Self::Text => "text/plain,application/json;q=0.9,application/xml;q=0.9,*/*;q=0.5",
        }
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From { start, end: Some(end) } => write!(f, "bytes={start}-{end}"),
            Self::From { start, end: None } => write!(f, "bytes={start}-"),
            Self::Last(count) => write!(f, "bytes=-{count}"),
        }
    }
}
