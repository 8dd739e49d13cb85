//! One request, one answer.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use facts::Timestamp;
use http::HeaderValue;
use tokio::time::{Instant, timeout};

use crate::body::{Body, Lease, Limits};
use crate::connect::Connector;
use crate::connection::{Connection, Pool};
use crate::cookies::{CookieMark, Jar};
use crate::crowd::Place;
use crate::dial::{Dial, Tcp};
use crate::dns::{Resolve, SystemResolver};
use crate::error::{FetchError, Wait};
use crate::request::Request;
use crate::response::Response;
use crate::settings::{Settings, SettingsError};

/// Gets bytes. A clone is a handle to the same connections, names and cookies.
#[derive(Clone)]
pub struct Fetcher(Arc<Shared>);

struct Shared {
    connector: Connector,
    pool: Pool,
    jar: Mutex<Jar>,
    agent: HeaderValue,
    product: Arc<str>,
    header_timeout: Duration,
    idle_timeout: Duration,
    total_timeout: Duration,
    max_ratio: u32,
}

/// How an exchange failed.
enum Failure {
    /// A kept connection turned out to be closed before the request left: asking again is no second request.
    Stale,
    Final(FetchError),
}

impl Fetcher {
    /// A fetcher that asks the system for names and dials by TCP.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        Self::with(settings, Arc::new(SystemResolver::new()), Arc::new(Tcp))
    }

    /// A fetcher with its own way to find names and to dial.
    pub fn with(settings: Settings, resolver: Arc<dyn Resolve>, dial: Arc<dyn Dial>) -> Result<Self, SettingsError> {
        let agent = settings.agent();
        let agent = HeaderValue::from_str(&agent).map_err(|_| SettingsError::UserAgent(agent))?;
        Ok(Self(Arc::new(Shared {
            connector: Connector::new(&settings, resolver, dial)?,
            pool: Pool::new(settings.idle_per_host, settings.idle_connections, settings.keep_alive),
            jar: Mutex::new(Jar::new(settings.cookies)),
            agent,
            product: settings.product().into(),
            header_timeout: settings.header_timeout,
            idle_timeout: settings.idle_timeout,
            total_timeout: settings.total_timeout,
            max_ratio: settings.max_ratio,
        })))
    }

    /// The name that robots.txt and `X-Robots-Tag` know us by.
    pub fn product(&self) -> &str {
        &self.0.product
    }

    /// Whether this URL could be asked for, without asking: its host is found, and is at an address
    /// that may be dialled.
    pub async fn reach(&self, url: &facts::Url) -> Result<(), FetchError> {
        self.0.connector.reach(url).await
    }

    /// Which cookies a request for this URL would bring now.
    pub fn cookies(&self, url: &facts::Url) -> CookieMark {
        CookieMark::of(self.jar().header(url, now()).as_ref())
    }

    /// Sends one request and waits for the head of its answer. Every status is an answer; a redirect
    /// is not followed.
    pub async fn send(&self, request: Request) -> Result<Response, FetchError> {
        let origin = request.url.origin();
        while let Some(mut connection) = self.0.pool.take(&origin) {
            let place = self.0.connector.place(request.url.host_str(), connection.crowd).await?;
            if !matches!(timeout(self.0.header_timeout, connection.is_ready()).await, Ok(true)) {
                continue;
            }
            match self.exchange(&request, connection, place).await {
                Ok(response) => return Ok(response),
                Err(Failure::Final(error)) => return Err(error),
                // Closed while our request was on its way: a fresh connection will tell.
                Err(Failure::Stale) => break,
            }
        }
        let (connection, place) = self.0.connector.open(&request.url).await?;
        self.exchange(&request, connection, place).await.map_err(|failure| match failure {
            Failure::Final(error) => error,
            Failure::Stale => FetchError::CutShort { host: request.url.host_str().to_owned(), received: 0 },
        })
    }

    async fn exchange(
        &self,
        request: &Request,
        mut connection: Connection,
        place: Option<Place>,
    ) -> Result<Response, Failure> {
        let shared = &*self.0;
        let host: Arc<str> = request.url.host_str().into();
        let cookies = if request.cookies { self.jar().header(&request.url, now()) } else { None };
        let question = request.question(&connection, &shared.agent, cookies.as_ref()).map_err(Failure::Final)?;

        let deadline = Instant::now() + shared.total_timeout;
        let limit = shared.header_timeout.min(shared.total_timeout);
        let answer = match timeout(limit, connection.send(question)).await {
            Ok(answer) => answer.map_err(|error| failure(&host, &error))?,
            Err(_) => {
                let host = host.to_string();
                return Err(Failure::Final(FetchError::Timeout { host, wait: Wait::Headers, limit }));
            }
        };

        let (head, wire) = answer.into_parts();
        if request.cookies {
            self.jar().take(&request.url, &head.headers, now());
        }
        let limits = Limits {
            bytes: request.limit,
            ratio: shared.max_ratio,
            idle: shared.idle_timeout,
            total: shared.total_timeout,
            deadline,
        };
        let address = connection.address;
        let lease = Lease { connection, place, pool: shared.pool.clone() };
        Ok(Response {
            url: request.url.clone(),
            status: head.status.as_u16(),
            address,
            cookies: CookieMark::of(cookies.as_ref()),
            product: shared.product.clone(),
            body: Body::new(host, wire, &head.headers, limits, lease),
            headers: head.headers,
        })
    }

    fn jar(&self) -> std::sync::MutexGuard<'_, Jar> {
        self.0.jar.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn failure(host: &str, error: &hyper::Error) -> Failure {
    let host = host.to_owned();
    if error.is_parse_too_large() {
        return Failure::Final(FetchError::Headers { host });
    }
    if error.is_parse() || error.is_user() {
        return Failure::Final(FetchError::Protocol { host, why: sentence(error) });
    }
    if error.is_canceled() {
        return Failure::Stale;
    }
    if error.is_closed() || error.is_incomplete_message() || is_io(error) {
        return Failure::Final(FetchError::CutShort { host, received: 0 });
    }
    Failure::Final(FetchError::Protocol { host, why: sentence(error) })
}

fn is_io(error: &hyper::Error) -> bool {
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        if inner.is::<std::io::Error>() {
            return true;
        }
        source = inner.source();
    }
    false
}

/// An error with what caused it.
fn sentence(error: &hyper::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error} ({source})"),
        None => error.to_string(),
    }
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
