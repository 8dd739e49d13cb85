//! From a URL to an open connection: name → addresses → guard → dial → TLS → HTTP. There is no
//! other way to a socket, and the address the guard passed is the one that is dialled.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use facts::{HostName, Url};
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use tokio::time::{Instant, timeout, timeout_at};

use crate::connection::{Connection, Form, Sender};
use crate::crowd::{Crowds, Place};
use crate::dial::{Dial, Wire};
use crate::dns::{Resolve, ResolveError};
use crate::error::{FetchError, Wait};
use crate::guard::{Guard, Refused};
use crate::names::Names;
use crate::proxy::{Proxies, Via};
use crate::settings::{Settings, SettingsError};
use crate::tls;

/// Of the addresses of a name, so many are tried.
const TRIED_ADDRESSES: usize = 4;

/// The read buffer of a connection grows up to this, or to the header limit where that is larger.
const READ_BUFFER: usize = 64 * 1024;

pub(crate) struct Connector {
    guard: Guard,
    names: Names,
    dial: Arc<dyn Dial>,
    tls: Arc<ClientConfig>,
    crowds: Crowds,
    proxies: Proxies,
    agent: String,
    connect_timeout: Duration,
    queue_timeout: Duration,
    max_headers: usize,
    max_header_bytes: usize,
}

impl Connector {
    pub(crate) fn new(
        settings: &Settings,
        resolver: Arc<dyn Resolve>,
        dial: Arc<dyn Dial>,
    ) -> Result<Self, SettingsError> {
        Ok(Self {
            guard: settings.guard(),
            names: Names::new(resolver, settings.names),
            dial,
            tls: tls::config(&settings.extra_roots)?,
            crowds: Crowds::new(settings.per_ip),
            proxies: Proxies::new(&settings.proxy),
            agent: settings.agent(),
            connect_timeout: settings.connect_timeout,
            queue_timeout: settings.queue_timeout,
            max_headers: settings.max_headers,
            max_header_bytes: settings.max_header_bytes,
        })
    }

    /// Opens a new connection for this URL, with a place in the crowd of its address.
    pub(crate) async fn open(&self, url: &Url) -> Result<(Connection, Option<Place>), FetchError> {
        let host = url.host();
        if let Some(rule) = self.guard.rule(url.scheme(), &host, url.port()) {
            let address = rule.address();
            self.guard.check(&host, address.ip(), address.port())?;
            return self.direct(url, &host, &[address], Counted::No).await;
        }
        if !self.guard.admits_private(&host)
            && let Some(via) = uri(url).and_then(|uri| self.proxies.via(&uri))
        {
            return self.proxied(url, &host, via).await;
        }
        let addresses = self.admitted(url, &host).await?;
        self.direct(url, &host, &addresses, Counted::Yes).await
    }

    /// Whether this URL could be asked for: its host is found, and at an address the guard passes.
    pub(crate) async fn reach(&self, url: &Url) -> Result<(), FetchError> {
        let host = url.host();
        if let Some(rule) = self.guard.rule(url.scheme(), &host, url.port()) {
            let address = rule.address();
            return Ok(self.guard.check(&host, address.ip(), address.port())?);
        }
        if !self.guard.admits_private(&host) && uri(url).is_some_and(|uri| self.proxies.via(&uri).is_some()) {
            self.admitted_through_proxy(url, &host).await?;
        } else {
            self.admitted(url, &host).await?;
        }
        Ok(())
    }

    /// A place in the crowd of an address, if there is one to join.
    pub(crate) async fn place(&self, host: &str, crowd: Option<IpAddr>) -> Result<Option<Place>, FetchError> {
        let Some(address) = crowd else { return Ok(None) };
        match timeout(self.queue_timeout, self.crowds.enter(address)).await {
            Ok(place) => Ok(Some(place)),
            Err(_) => Err(FetchError::Busy { host: host.to_owned(), limit: self.queue_timeout }),
        }
    }

    /// The addresses of a host that the guard passes; an error when there are none.
    async fn admitted(&self, url: &Url, host: &HostName) -> Result<Vec<SocketAddr>, FetchError> {
        let (admitted, refused) = self.sort(host, url.port(), self.find(host).await?);
        match (admitted.is_empty(), refused) {
            (true, Some(refused)) => Err(refused.into()),
            _ => Ok(admitted),
        }
    }

    fn sort(&self, host: &HostName, port: u16, found: Vec<IpAddr>) -> (Vec<SocketAddr>, Option<Refused>) {
        let mut admitted = Vec::new();
        let mut refused = None;
        for ip in found {
            match self.guard.check(host, ip, port) {
                Ok(()) => admitted.push(SocketAddr::new(ip, port)),
                Err(why) => refused = refused.or(Some(why)),
            }
        }
        (admitted, refused)
    }

    async fn find(&self, host: &HostName) -> Result<Vec<IpAddr>, FetchError> {
        if let Some(ip) = host.as_ip() {
            return Ok(vec![ip]);
        }
        let found = self.within(host.as_str(), Wait::Name, self.names.find(host.as_str())).await?;
        found.map(|found| found.addresses).map_err(|error| match error {
            ResolveError::Failed(_) if std::fs::File::open("/dev/null").is_err_and(|error| is_out_of_files(&error)) => {
                FetchError::TooManyFiles { host: host.to_string() }
            }
            error => FetchError::Dns {
                host: host.to_string(),
                transient: !matches!(error, ResolveError::NoSuchName),
                why: error.to_string(),
            },
        })
    }

    async fn direct(
        &self,
        url: &Url,
        host: &HostName,
        addresses: &[SocketAddr],
        counted: Counted,
    ) -> Result<(Connection, Option<Place>), FetchError> {
        let (wire, address, place) = self.dial_one_of(host.as_str(), addresses, counted).await?;
        let sender = self.within(host.as_str(), Wait::Connection, self.speak(url, host, wire)).await??;
        let crowd = place.is_some().then_some(address.ip());
        let connection = Connection { origin: url.origin(), sender, address: Some(address), crowd, form: Form::Origin };
        Ok((connection, place))
    }

    /// Dials the addresses in turn until one answers. Each gets its share of the time.
    async fn dial_one_of(
        &self,
        host: &str,
        addresses: &[SocketAddr],
        counted: Counted,
    ) -> Result<(Box<dyn Wire>, SocketAddr, Option<Place>), FetchError> {
        let tried = &addresses[..addresses.len().min(TRIED_ADDRESSES)];
        let mut failure = FetchError::Dns { host: host.to_owned(), why: "it has no addresses".into(), transient: true };
        // Waiting for a place takes nothing from the time to dial.
        let mut left = self.connect_timeout;
        for (index, address) in tried.iter().enumerate() {
            let crowd = match counted {
                Counted::Yes => Some(address.ip()),
                Counted::No => None,
            };
            let place = self.place(host, crowd).await?;
            let begun = Instant::now();
            match timeout(left / (tried.len() - index) as u32, self.dial.dial(*address)).await {
                Ok(Ok(wire)) => return Ok((wire, *address, place)),
                Ok(Err(error)) if is_out_of_files(&error) => {
                    return Err(FetchError::TooManyFiles { host: host.to_owned() });
                }
                Ok(Err(error)) => {
                    failure = FetchError::Connect { host: host.to_owned(), address: *address, why: error.to_string() };
                }
                Err(_) => {
                    let limit = self.connect_timeout;
                    failure = FetchError::Timeout { host: host.to_owned(), wait: Wait::Connection, limit };
                }
            }
            left = left.saturating_sub(begun.elapsed());
        }
        Err(failure)
    }

    /// The proxy dials for us, so every address the name has here must be one we would dial. A name
    /// that only the proxy can look up is left to it.
    async fn admitted_through_proxy(&self, url: &Url, host: &HostName) -> Result<Vec<SocketAddr>, FetchError> {
        let known = match self.find(host).await {
            Ok(found) => found,
            Err(FetchError::Dns { .. } | FetchError::Timeout { .. }) => Vec::new(),
            Err(other) => return Err(other),
        };
        match self.sort(host, url.port(), known) {
            (_, Some(refused)) => Err(refused.into()),
            (admitted, None) => Ok(admitted),
        }
    }

    async fn proxied(&self, url: &Url, host: &HostName, via: Via) -> Result<(Connection, Option<Place>), FetchError> {
        let admitted = self.admitted_through_proxy(url, host).await?;
        let failed = |why: String| FetchError::Proxy { proxy: via.name(), host: host.to_string(), why };
        if !via.spoken {
            return Err(failed("only http:// proxies are supported".into()));
        }
        let address = admitted.first().copied();
        let crowd = address.map(|address| address.ip());
        let place = self.place(host.as_str(), crowd).await?;
        let until = Instant::now() + self.connect_timeout;
        let late = |_| failed(format!("it took longer than {:?}", self.connect_timeout));
        let wire = timeout_at(until, self.dial_proxy(&via)).await.map_err(late)?.map_err(failed)?;
        let (sender, form) = if url.scheme() == "https" {
            let mut wire = wire;
            let target = format!("{host}:{}", url.port());
            let tunnel = via.tunnel(&mut wire, &target, &self.agent);
            timeout_at(until, tunnel).await.map_err(late)?.map_err(failed)?;
            (self.within(host.as_str(), Wait::Connection, self.speak(url, host, wire)).await??, Form::Origin)
        } else {
            let sender = self.speak_http1(host.as_str(), wire).await?;
            (sender, Form::Absolute { authorization: via.authorization.clone() })
        };
        Ok((Connection { origin: url.origin(), sender, address, crowd, form }, place))
    }

    /// The proxy's own address comes from the person who set it up, not from the web: it is not guarded.
    async fn dial_proxy(&self, via: &Via) -> Result<Box<dyn Wire>, String> {
        let bare = via.host.trim_start_matches('[').trim_end_matches(']');
        let addresses = match bare.parse::<IpAddr>() {
            Ok(ip) => vec![ip],
            Err(_) => self.names.find(bare).await.map_err(|error| error.to_string())?.addresses,
        };
        let mut failure = "it has no address".to_owned();
        for ip in addresses.into_iter().take(TRIED_ADDRESSES) {
            match self.dial.dial(SocketAddr::new(ip, via.port)).await {
                Ok(wire) => return Ok(wire),
                Err(error) => failure = error.to_string(),
            }
        }
        Err(failure)
    }

    async fn speak(&self, url: &Url, host: &HostName, wire: Box<dyn Wire>) -> Result<Sender, FetchError> {
        if url.scheme() != "https" {
            return self.speak_http1(host.as_str(), wire).await;
        }
        let secured = tls::secure(&self.tls, host.as_str(), wire).await?;
        let is_http2 = secured.get_ref().1.alpn_protocol() == Some(b"h2");
        let wire: Box<dyn Wire> = Box::new(secured);
        if is_http2 { self.speak_http2(host.as_str(), wire).await } else { self.speak_http1(host.as_str(), wire).await }
    }

    async fn speak_http1(&self, host: &str, wire: Box<dyn Wire>) -> Result<Sender, FetchError> {
        let (sender, connection) = http1::Builder::new()
            .title_case_headers(true)
            .max_headers(self.max_headers)
            .max_header_size(self.max_header_bytes)
            .max_buf_size(READ_BUFFER.max(self.max_header_bytes))
            // What browsers forgive, so that pages people see can be read.
            .ignore_invalid_headers_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .handshake::<_, Empty<Bytes>>(TokioIo::new(wire))
            .await
            .map_err(|error| FetchError::Protocol { host: host.to_owned(), why: error.to_string() })?;
        tokio::spawn(connection);
        Ok(Sender::Http1(sender))
    }

    async fn speak_http2(&self, host: &str, wire: Box<dyn Wire>) -> Result<Sender, FetchError> {
        let (sender, connection) = http2::Builder::new(TokioExecutor::new())
            .max_header_list_size(u32::try_from(self.max_header_bytes).unwrap_or(u32::MAX))
            .initial_stream_window_size(1 << 20)
            .initial_connection_window_size(1 << 20)
            .handshake::<_, Empty<Bytes>>(TokioIo::new(wire))
            .await
            .map_err(|error| FetchError::Protocol { host: host.to_owned(), why: error.to_string() })?;
        tokio::spawn(connection);
        Ok(Sender::Http2(sender))
    }

    async fn within<T>(&self, host: &str, wait: Wait, work: impl Future<Output = T>) -> Result<T, FetchError> {
        timeout(self.connect_timeout, work).await.map_err(|_| FetchError::Timeout {
            host: host.to_owned(),
            wait,
            limit: self.connect_timeout,
        })
    }
}

/// Whether a request takes a place in the crowd of its address.
#[derive(Clone, Copy)]
enum Counted {
    Yes,
    No,
}

/// Whether the system refused a socket because there are too many: EMFILE and ENFILE, the same on every Unix.
fn is_out_of_files(error: &std::io::Error) -> bool {
    matches!(error.raw_os_error(), Some(23 | 24))
}

/// A URL as the HTTP libraries see it.
pub(crate) fn uri(url: &Url) -> Option<http::Uri> {
    url.as_str().parse().ok()
}

/// What a server answers, before its body is read.
pub(crate) type Answer = http::Response<Incoming>;
