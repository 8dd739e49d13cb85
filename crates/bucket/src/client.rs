//! How a service is spoken to: HTTP/1.1 over connections that are kept, with bounds on waiting.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as Dialler;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use rustls::{ClientConfig, RootCertStore};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// How long a request may take until its answer begins, a part of a large file sent before included.
const ANSWER: Duration = Duration::from_secs(120);

/// How long a connection is kept that nobody uses.
const IDLE: Duration = Duration::from_secs(30);

/// Makes [`Connections`].
#[derive(Debug)]
pub(crate) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let unusable = |error: rustls::Error| object_store::Error::Generic { store: "S3", source: Box::new(error) };
        Ok(HttpClient::new(Connections::new().map_err(unusable)?))
    }
}

/// Connections to a service.
#[derive(Debug)]
struct Connections(Client<HttpsConnector<Dialler>, HttpRequestBody>);

impl Connections {
    fn new() -> Result<Self, rustls::Error> {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut dialler = Dialler::new();
        dialler.enforce_http(false);
        dialler.set_connect_timeout(Some(CONNECT));
        dialler.set_nodelay(true);
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().wrap_connector(dialler);
        let client = Client::builder(TokioExecutor::new())
            .pool_idle_timeout(IDLE)
            .pool_timer(TokioTimer::new())
            .build(connector);
        Ok(Self(client))
    }
}

#[async_trait::async_trait]
impl HttpService for Connections {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = tokio::time::timeout(ANSWER, self.0.request(request)).await;
        let answer = answer.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?.map_err(|error| {
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Interrupted };
            HttpError::new_boxed(kind, innermost(&error))
        })?;
        Ok(answer
            .map(|body| HttpResponseBody::new(body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error)))))
    }
}

/// What is at the bottom of an error, and what it is about: `connection refused` says more than that
/// a client failed.
fn innermost(error: &(dyn Error + 'static)) -> Box<dyn Error + Send + Sync> {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string().into()
}
