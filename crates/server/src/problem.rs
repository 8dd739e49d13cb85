//! What went wrong, as the API says it: problem documents (RFC 9457).

use axum::response::{IntoResponse, Response};
use crawl::CrawlError;
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use store::StoreError;
use utoipa::ToSchema;

/// A problem document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: the status says what kind of problem it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What the status means.
    title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What is wrong and what to do, in a sentence for people.
    #[schema(value_type = String)]
    detail: Box<str>,
    /// The field that is wrong, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    field: Option<Box<str>>,
    /// What is wrong, field by field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    fields: Vec<FieldProblem>,
    /// Seconds after which to try again.
    #[serde(skip)]
    retry_after: Option<u64>,
}

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldProblem {
    /// Its name, as `limits.max-pages`.
    pub field: String,
    /// What is wrong with it.
    pub detail: String,
}

impl Problem {
    /// What is wrong, in a sentence for people.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// A problem of some kind.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Problem"),
            status: status.as_u16(),
            detail: detail.into().into(),
            field: None,
            fields: Vec::new(),
            retry_after: None,
        }
    }

    /// Something that was sent makes no sense; at least one field is named.
    pub fn fields(fields: Vec<FieldProblem>) -> Self {
        let said = fields.iter().map(|wrong| match wrong.field.as_str() {
            "" => wrong.detail.clone(),
            field => format!("{field}: {}", wrong.detail),
        });
        let detail = said.collect::<Vec<_>>().join("; ");
        let field = fields.first().map(|wrong| wrong.field.as_str().into()).filter(|_| fields.len() == 1);
        Self { field, fields, ..Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail) }
    }

    /// One field makes no sense.
    pub fn field(field: &str, detail: impl Into<String>) -> Self {
        Self::fields(vec![FieldProblem { field: field.into(), detail: detail.into() }])
    }

    /// There is no such thing.
    pub fn missing(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// Something of ours broke. What it was is for the log, not for the web.
    pub fn internal(what: &dyn std::fmt::Display) -> Self {
        tracing::error!("a request failed: {what}");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "something broke here; the server's log says what")
    }

    /// Come again later.
    pub fn later(status: StatusCode, seconds: u64, detail: impl Into<String>) -> Self {
        Self { retry_after: Some(seconds), ..Self::new(status, detail) }
    }

    /// Its status.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DiskFull { .. } => {
                tracing::error!("{error}");
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "the disk of the library is full: free some space")
            }
            StoreError::Locked { .. } => {
                Self::later(StatusCode::SERVICE_UNAVAILABLE, 5, "the library is locked by another program")
            }
            StoreError::TooLarge { .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, error.to_string()),
            StoreError::NoHost => Self::new(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()),
            other => Self::internal(&other),
        }
    }
}

impl From<CrawlError> for Problem {
    fn from(error: CrawlError) -> Self {
        let said = error.to_string();
        match error {
            CrawlError::NoSeeds => Self::field("seeds", "give at least one start page, such as https://example.org/"),
            CrawlError::Unreachable(_) | CrawlError::NoStart(_) | CrawlError::Sources(_) => Self::field("seeds", said),
            CrawlError::Find(_) | CrawlError::Settings(..) | CrawlError::Stopped => {
                Self::new(StatusCode::CONFLICT, said)
            }
            CrawlError::Strategy(_) => Self::field("strategy", said),
            CrawlError::Criteria(_) => Self::field("query", said),
            CrawlError::Region(_) => Self::field("region", said),
            CrawlError::NoModel(_) | CrawlError::Model(..) => Self::field("model", said),
            CrawlError::Filter(_) => Self::field("include", said),
            CrawlError::Render(_) => Self::field("render", said),
            CrawlError::Store(error) => error.into(),
            CrawlError::Reach(_) | CrawlError::Import { .. } => Self::internal(&said),
        }
    }
}
