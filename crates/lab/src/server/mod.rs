//! A web on a loopback port: HTTP and HTTPS on the same one, told apart by the first byte.

pub(crate) mod certificates;
mod connection;
mod desk;
pub(crate) mod traffic;

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::header::{ACCEPT_ENCODING, COOKIE, HOST, IF_NONE_MATCH, IF_RANGE, RANGE, REFERER};
use http::{HeaderMap, HeaderName, Request, Response};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use lru::LruCache;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

use crate::dice::Dice;
use crate::server::certificates::Certificates;
use crate::server::connection::{Departures, Served, Underway, Watched};
use crate::server::traffic::{LogSummary, Traffic};
use crate::{Answer, Answers, Asked, Web};

/// A web that listens: a made one, or something else that answers. It stops when dropped.
pub struct Server<W: Answers = Web> {
    address: SocketAddr,
    authority: String,
    shared: Arc<Shared<W>>,
    task: JoinHandle<()>,
}

/// What all connections share.
struct Shared<W> {
    web: Arc<W>,
    authority: String,
    traffic: Arc<Traffic>,
    /// Addresses that have answered 503 once.
    excused: Mutex<LruCache<u64, ()>>,
    /// Drawing is work: not more at once than there are cores to do it.
    drawing: Semaphore,
}

const EXCUSED: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();
/// A client that opens a connection and says nothing is dropped after this time.
const HELLO: Duration = Duration::from_secs(30);

impl<W: Answers> Server<W> {
    /// Listens; port 0 is any free one.
    pub async fn start(web: W, listen: SocketAddr) -> io::Result<Self> {
        Self::start_shared(Arc::new(web), listen).await
    }

    /// As [`start`](Self::start), with a web that someone else changes meanwhile.
    pub async fn start_shared(web: Arc<W>, listen: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let mut address = listener.local_addr()?;
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        let certificates = Certificates::new(web.clone())?;
        let authority = certificates.authority_pem();
        let acceptor = TlsAcceptor::from(Arc::new(tls(certificates)?));
        let cores = std::thread::available_parallelism().map_or(2, NonZeroUsize::get);
        let shared = Arc::new(Shared {
            web,
            authority: authority.clone(),
            traffic: Arc::new(Traffic::new()),
            excused: Mutex::new(LruCache::new(EXCUSED)),
            drawing: Semaphore::new(cores * 2),
        });
        let task = tokio::spawn(accept(listener, acceptor, shared.clone()));
        Ok(Self { address, authority, shared, task })
    }

    /// Where it listens for HTTP.
    pub fn http(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens for HTTPS: the same port.
    pub fn https(&self) -> SocketAddr {
        self.address
    }

    /// The certificate of the authority that vouches for the web's hosts.
    pub fn ca_pem(&self) -> &str {
        &self.authority
    }

    /// The rules that lead a client here, as `--resolve` takes them: one is enough.
    pub fn resolve(&self) -> Vec<String> {
        vec![format!("{}={}", self.shared.web.hosts(), self.address)]
    }

    /// The web that is served.
    pub fn web(&self) -> &W {
        &self.shared.web
    }

    /// What was seen so far. Requests under way are counted, but their ends are not known yet.
    pub fn log(&self) -> LogSummary {
        self.shared.traffic.summary(None)
    }

    /// What was seen, once no request is under way: a client may have its last byte a moment
    /// before the server has noted that it left. Waits five seconds at most.
    pub async fn settled_log(&self) -> LogSummary {
        for _ in 0..2_500 {
            if self.shared.traffic.is_idle() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        self.log()
    }

    /// Starts a new log.
    pub fn reset_log(&self) {
        self.shared.traffic.reset();
    }

    /// Closes all connections and the port.
    pub async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    /// Runs until the listening socket fails.
    pub async fn run(mut self) {
        let _ = (&mut self.task).await;
    }
}

impl<W: Answers> Drop for Server<W> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn tls(certificates: Certificates<impl Answers>) -> io::Result<rustls::ServerConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(certificates));
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, shared: Arc<Shared<impl Answers>>) {
    // Dropped with this task, which closes every connection.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, acceptor.clone(), shared.clone()));
                }
                // Out of file descriptors, most likely: let some connections end.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}

async fn connection(stream: TcpStream, acceptor: TlsAcceptor, shared: Arc<Shared<impl Answers>>) {
    let _ = stream.set_nodelay(true);
    let mut first = [0];
    let Ok(Ok(1)) = tokio::time::timeout(HELLO, stream.peek(&mut first)).await else { return };
    // A TLS handshake record starts with 22; no HTTP method does.
    if first[0] == 22 {
        if let Ok(Ok(stream)) = tokio::time::timeout(HELLO, acceptor.accept(stream)).await {
            serve(stream, true, shared).await;
        }
    } else {
        serve(stream, false, shared).await;
    }
}

async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    https: bool,
    shared: Arc<Shared<impl Answers>>,
) {
    let departures = Departures::new(shared.traffic.clone());
    let io = TokioIo::new(Watched::new(stream, departures.clone()));
    let service = service_fn(move |request| {
        let (shared, departures) = (shared.clone(), departures.clone());
        async move { Ok::<_, Infallible>(respond(request, https, shared, departures).await) }
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().max_buf_size(64 * 1024);
    // A connection that breaks is the client's affair.
    let _ = builder.serve_connection(io, service).await;
}

async fn respond(
    request: Request<Incoming>,
    https: bool,
    shared: Arc<Shared<impl Answers>>,
    departures: Arc<Departures>,
) -> Response<Served> {
    let host = host_of(&request);
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str()).to_owned();
    if let Some(rest) = target.strip_prefix("/.lab/") {
        return response(desk::answer(&shared, rest), None, None);
    }
    let allowed = shared.web.allows(https, &host, &target);
    let underway = Underway::new(shared.traffic.start(&host, &target, allowed), departures);
    let headers = request.headers();
    let key = Dice::new(u64::from(https), &host, []).next() ^ Dice::new(0, &target, []).next();
    let asked = Asked {
        https,
        host,
        cookie: text(headers, COOKIE),
        referer: text(headers, REFERER),
        range: text(headers, RANGE),
        if_range: text(headers, IF_RANGE),
        if_none_match: text(headers, IF_NONE_MATCH),
        times_before: u32::from(shared.excused().contains(&key)),
        target,
    };
    let encodings = text(headers, ACCEPT_ENCODING).unwrap_or_default();
    let (before, stall) = shared.web.wait(&asked);
    if !before.is_zero() {
        tokio::time::sleep(before).await;
    }
    let target = asked.target.clone();
    let answer = made(shared.clone(), asked, encodings).await;
    if answer.status == 503 {
        shared.excused().put(key, ());
    }
    if let Some(flight) = underway.flight() {
        shared.traffic.answered(flight, &target, answer.status, answer.body.len());
    }
    response(answer, underway.answered(), stall)
}

impl<W> Shared<W> {
    fn excused(&self) -> std::sync::MutexGuard<'_, LruCache<u64, ()>> {
        self.excused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn host_of(request: &Request<Incoming>) -> String {
    let named = request.uri().host().map(str::to_owned).or_else(|| text(request.headers(), HOST));
    let named = named.unwrap_or_default().to_ascii_lowercase();
    // Without the port; names in brackets are no hosts of this web anyway.
    named.split(':').next().unwrap_or_default().to_owned()
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// Makes the answer where it does not hold up other connections.
async fn made(shared: Arc<Shared<impl Answers>>, asked: Asked, encodings: String) -> Answer {
    let Ok(_permit) = shared.drawing.acquire().await else { return desk::failed() };
    let web = shared.web.clone();
    let work = tokio::task::spawn_blocking(move || desk::compressed(web.answer(&asked), &encodings));
    work.await.unwrap_or_else(|_| desk::failed())
}

fn response(
    answer: Answer,
    flight: Option<(traffic::Flight, Arc<Departures>)>,
    stall: Option<Duration>,
) -> Response<Served> {
    let mut response = Response::new(Served::new(answer.body, flight, stall));
    *response.status_mut() =
        http::StatusCode::from_u16(answer.status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let Ok(value) = value.parse() {
            response.headers_mut().append(HeaderName::from_static(name), value);
        }
    }
    response
}
