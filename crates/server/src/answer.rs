//! Answers in JSON, with a mark by which a client knows whether it has them already.

use std::convert::Infallible;

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::problem::Problem;

/// Bytes of a JSON document that is sent to us.
pub(crate) const LARGEST_DOCUMENT: usize = 2 << 20;

/// What the client has already, by `If-None-Match`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(Option<String>);

impl Known {
    /// From the headers of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        let marks: Vec<&str> =
            headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|mark| mark.to_str().ok()).collect();
        Self(Some(marks.join(",")).filter(|marks| !marks.is_empty()))
    }

    /// Whether the client has what this mark stands for (weak comparison, RFC 9110 §8.8.3.2).
    pub fn has(&self, mark: &str) -> bool {
        let bare = |mark: &str| mark.trim().trim_start_matches("W/").to_owned();
        let (mark, Some(known)) = (bare(mark), &self.0) else { return false };
        known.split(',').any(|one| one.trim() == "*" || bare(one) == mark)
    }

    /// The document, or that it has not changed.
    pub fn answer(&self, document: &impl Serialize) -> Result<Response, Problem> {
        let body = serde_json::to_vec(document).map_err(|error| Problem::internal(&error))?;
        Ok(self.text("application/json", body.into()))
    }

    /// A text of some type, or that it has not changed.
    pub fn text(&self, kind: &'static str, body: Bytes) -> Response {
        let hash = Sha256::digest(&body);
        let digits: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        let mark = format!("W/\"{digits}\"");
        let mut response = match self.has(&mark) {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => body.into_response(),
        };
        let headers = response.headers_mut();
        if let Ok(mark) = HeaderValue::from_str(&mark) {
            headers.insert(header::ETAG, mark);
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        response
    }
}

impl<S: Sync> FromRequestParts<S> for Known {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.headers))
    }
}

/// The name or identity in the path of a request.
pub(crate) struct Name<T = String>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Name<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let name = Path::<T>::from_request_parts(parts, state).await;
        name.map(|Path(name)| Self(name)).map_err(|_| Problem::missing("there is nothing of this name"))
    }
}

/// A JSON document that is sent to us.
pub(crate) struct Document<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Document<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if essence != "application/json" {
            let detail = "send the document with `Content-Type: application/json`";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
        }
        let body =
            Limited::new(request.into_body(), LARGEST_DOCUMENT).collect().await.map_err(|error| match error
                .downcast_ref::<LengthLimitError>(
            ) {
                Some(_) => {
                    let detail = format!("the document is larger than {} MiB", LARGEST_DOCUMENT >> 20);
                    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail)
                }
                None => Problem::new(StatusCode::BAD_REQUEST, "the document was cut off"),
            })?;
        let no_json = |error| Problem::new(StatusCode::BAD_REQUEST, format!("this is no JSON: {error}"));
        let value: Value = serde_json::from_slice(&body.to_bytes()).map_err(no_json)?;
        // A list would do for a structure, its fields in their order: nobody means that.
        if !value.is_object() {
            return Err(Problem::field("", "the document must be an object"));
        }
        serde_json::from_value(value).map(Self).map_err(|error| Problem::field("", error.to_string()))
    }
}

/// `#[serde(deserialize_with = "no_list")]`: a part of a document that is no list, for a list would do
/// for a structure, its fields in their order.
pub(crate) fn no_list<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::Array(_) => Err(D::Error::custom("a list is given where none can be")),
        value => T::deserialize(value).map(Some).map_err(D::Error::custom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_not_sent_again() {
        let mut headers = HeaderMap::new();
        let first = Known::of(&headers).answer(&"a").unwrap();
        assert_eq!(first.status(), StatusCode::OK);
        let mark = first.headers()[header::ETAG].clone();
        headers.insert(header::IF_NONE_MATCH, format!("\"x\", {}", mark.to_str().unwrap()).parse().unwrap());
        assert_eq!(Known::of(&headers).answer(&"a").unwrap().status(), StatusCode::NOT_MODIFIED);
        assert_eq!(Known::of(&headers).answer(&"b").unwrap().status(), StatusCode::OK);
    }
}
