//! From an order to serve to the end of serving.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use crawl::{Describer, Reach, Settings, Summary};
use http::StatusCode;
use store::{Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::JoinHandle;
use tower_http::CompressionLevel;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::Predicate;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::answer::Known;
use crate::answers::Answers;
use crate::app::App;
use crate::crawls::Crawls;
use crate::description::{self, Beginning};
use crate::finds::Finds;
use crate::guard::{Hosts, SessionKey, Throttle, Token, Tokens, policy};
use crate::metrics::Metrics;
use crate::observed::Watch;
use crate::problem::Problem;
use crate::timetable::{Keeper, ServerHands, SystemClock, Timetable};
use crate::{api, guard, page};

/// Requests that are worked on at once; others wait.
const AT_ONCE: usize = 64;
/// How long a request waits for that.
const QUEUE: Duration = Duration::from_secs(10);
/// How long an answer may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same for what is sent up.
const UPLOAD_PATIENCE: Duration = Duration::from_secs(600);
/// Uploads at once.
const UPLOADS: usize = 4;
/// How often a server looks whether the timetable is its duty.
const DUTY: Duration = Duration::from_secs(2);
/// How long what is being answered may take when the server ends.
const FAREWELL: Duration = Duration::from_millis(500);

/// What to serve, where, and to whom.
#[derive(Debug)]
pub struct Order {
    /// The data directory.
    pub data: PathBuf,
    /// The shared database that library and queue are in, if they are.
    pub database: Option<String>,
    /// The bucket that files are in, if it is named.
    pub media: Option<String>,
    /// Where to listen; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The token that allows everything. Needed for any address that is not loopback.
    pub token: Option<Token>,
    /// The token that allows to look.
    pub read_token: Option<Token>,
    /// Further names the server goes by.
    pub host_names: Vec<String>,
    /// How crawls reach hosts.
    pub reach: Reach,
}

/// What keeps a server from starting.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Everyone could change everything.
    #[error(
        "{0} can be reached from other machines: name a token with --token-file or BOWERBIRD_TOKEN, or listen on 127.0.0.1"
    )]
    NoToken(SocketAddr),
    /// Someone else listens there.
    #[error("{0} is in use by another program: stop it, or name another port with --listen (port 0 takes a free one)")]
    InUse(SocketAddr),
    /// The address cannot be listened on.
    #[error("cannot listen on {0}: {1}")]
    Listen(SocketAddr, std::io::Error),
    /// The key of cookies cannot be read or made.
    #[error("cannot read or make session.key in {dir}: {reason}", dir = .dir.display())]
    Key {
        /// The data directory.
        dir: PathBuf,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The data directory cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A server that answers requests.
pub struct Server {
    address: SocketAddr,
    app: Arc<App>,
    ending: watch::Sender<bool>,
    serving: JoinHandle<()>,
    keeping: JoinHandle<()>,
    describer: Describer,
}

impl Server {
    /// Opens the data directory for writing and listens.
    pub async fn start(order: Order) -> Result<Self, ServeError> {
        let tokens = Tokens { admin: order.token, reader: order.read_token };
        if !order.listen.ip().is_loopback() && tokens.admin.is_none() {
            return Err(ServeError::NoToken(order.listen));
        }
        let listener = TcpListener::bind(order.listen).await.map_err(|error| match error.kind() {
            std::io::ErrorKind::AddrInUse => ServeError::InUse(order.listen),
            _ => ServeError::Listen(order.listen, error),
        })?;
        let address = listener.local_addr().map_err(|error| ServeError::Listen(order.listen, error))?;
        let what = format!("serve, at http://{address}");
        let options = store::Options {
            what,
            database: order.database.clone(),
            media: order.media.clone(),
            patience: store::PATIENCE,
            ..store::Options::default()
        };
        let store = Arc::new(Store::open_when_there(&order.data, options).await?);
        let key = SessionKey::open(&order.data)
            .map_err(|error| ServeError::Key { dir: order.data.clone(), reason: error })?;
        let (ending, told) = watch::channel(false);
        let (router, description) = routes();
        // A page of a seed on this machine must not lead to what only its people may ask for.
        let mut reach = order.reach;
        reach.own_listeners.push(address);
        let finds = Finds::new(Arc::clone(&store), reach.clone());
        let crawls = Arc::new(Crawls::new(Arc::clone(&store), reach));
        let hands = Arc::new(ServerHands::new(Arc::clone(&crawls), Arc::clone(&store)));
        let describer = Describer::start(Arc::clone(&store));
        // What an earlier version described, or was interrupted at, is done now.
        describer.arrived();
        let app = Arc::new(App {
            arrived: describer.bell(),
            timetable: Timetable::new(Arc::clone(store.library()), hands, Arc::new(SystemClock)),
            crawls,
            finds,
            store,
            hosts: Hosts::new(address, &order.host_names),
            tokens,
            key,
            throttle: Throttle::default(),
            metrics: Metrics::default(),
            watch: Watch::default(),
            slots: Semaphore::new(AT_ONCE),
            answers: Answers::default(),
            would_pay: api::WouldPay::default(),
            uploads: Semaphore::new(UPLOADS),
            ending: told.clone(),
            description: description.into(),
            policy: std::sync::RwLock::new(policy(&[])),
        });
        if let Err(problem) = api::apply_policy(&app).await {
            tracing::warn!("the settings of the map cannot be read: {problem:?}");
        }
        let (looked, first_look) = oneshot::channel();
        let keeping = tokio::spawn(keep(Arc::clone(&app.store), Arc::clone(&app.timetable), told.clone(), looked));
        // Whoever asks finds the timetable in order: runs that died with another server are not running.
        let _ = first_look.await;
        let service = with_layers(router, &app).with_state(Arc::clone(&app));
        let serving = tokio::spawn(listen::serve(listener, service, told, FAREWELL));
        Ok(Self { address, app, ending, serving, keeping, describer })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs a crawl as if it had been started on the page, to its end.
    pub async fn crawl(&self, name: &str, settings: Settings) -> Result<Arc<Summary>, String> {
        let started = self.app.crawls.start(name, settings).await;
        let watched = started.map_err(|problem| problem.detail().to_owned())?;
        watched.ended().await.map_err(|failure| failure.to_string())
    }

    /// Interrupts crawls, lets what is being answered finish, and closes the data directory.
    pub async fn stop(self) -> Result<(), ServeError> {
        // Streams of events end first, so that connections can; crawls write meanwhile.
        self.ending.send_replace(true);
        self.app.finds.close();
        let (_, _, _, described) =
            tokio::join!(self.app.crawls.close(), self.serving, self.keeping, self.describer.stop());
        let store = Arc::clone(&self.app.store);
        drop(self.app);
        close(store).await?;
        described?;
        Ok(())
    }
}

/// Serves until `end` says so. `ready` is told where, once requests are answered.
pub async fn serve(
    order: Order,
    ready: impl FnOnce(SocketAddr),
    end: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let mut end = pin!(end);
    let server = tokio::select! {
        started = Server::start(order) => started?,
        // It may still wait for its database.
        () = &mut end => return Ok(()),
    };
    ready(server.address());
    end.await;
    server.stop().await
}

/// Keeps the timetable while it is this server's duty: of several that share a database one does, and another
/// when that one is gone.
async fn keep(
    store: Arc<Store>,
    timetable: Arc<Timetable>,
    mut ending: watch::Receiver<bool>,
    looked: oneshot::Sender<()>,
) {
    let mut looked = Some(looked);
    while !*ending.borrow() {
        let looked = looked.take();
        let kept = async {
            let Some(duty) = store.on_duty("timetable").await? else { return Ok::<_, StoreError>(()) };
            let keeper = Keeper::open(Arc::clone(&timetable)).await?;
            // Dropped where it does not come to that.
            looked.map(|looked| looked.send(()));
            let lost = async {
                while duty.holds().await {
                    tokio::time::sleep(DUTY).await;
                }
            };
            tokio::select! {
                () = keeper.keep(ending.clone()) => {}
                () = lost => tracing::warn!("another server may keep the timetable now"),
            }
            Ok(())
        };
        if let Err(error) = kept.await {
            tracing::warn!("the timetable cannot be kept: {error}");
        }
        tokio::select! {
            _ = ending.wait_for(|ending| *ending) => return,
            () = tokio::time::sleep(DUTY) => {}
        }
    }
}

/// Closes the store once nobody holds it any more.
async fn close(mut store: Arc<Store>) -> Result<(), ServeError> {
    for _ in 0..50 {
        match Arc::try_unwrap(store) {
            Ok(store) => return Ok(store.close().await?),
            Err(held) => store = held,
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Someone still reads: then it is as if it was killed, and hosts wait their full delay.
    Ok(())
}

/// The routes, and their description.
pub(crate) fn routes() -> (Router<Arc<App>>, Vec<u8>) {
    let (router, document) =
        OpenApiRouter::with_openapi(Beginning::openapi()).nest("/api/v1", api::routes()).split_for_parts();
    let description = serde_json::to_vec_pretty(&description::whole(&document)).unwrap_or_default();
    (router, description)
}

fn with_layers(router: Router<Arc<App>>, app: &Arc<App>) -> Router<Arc<App>> {
    router
        .route("/api/openapi.json", get(openapi))
        .method_not_allowed_fallback(|| async { page::not_allowed() })
        .fallback(page::page)
        .layer(middleware::from_fn_with_state(Arc::clone(app), bounded))
        .layer(CompressionLayer::new().gzip(true).quality(CompressionLevel::Fastest).compress_when(Compressible))
        .layer(middleware::from_fn_with_state(Arc::clone(app), guard::guard))
        .layer(CatchPanicLayer::custom(|_| Problem::internal(&"a handler broke").into_response()))
        .layer(middleware::from_fn_with_state(Arc::clone(app), counted))
}

/// The description of the API
async fn openapi(State(app): State<Arc<App>>, known: Known) -> Response {
    known.text("application/json", app.description.clone())
}

/// Not too many at once, and none for ever.
async fn bounded(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let busy = || Problem::later(StatusCode::SERVICE_UNAVAILABLE, 5, "too much to do right now: try again soon");
    let is_upload = matches!(request.uri().path(), "/api/v1/import" | "/api/v1/search/example");
    let slots = if is_upload { &app.uploads } else { &app.slots };
    let Ok(Ok(_slot)) = tokio::time::timeout(QUEUE, slots.acquire()).await else { return busy().into_response() };
    // Keeping pictures of a find is fetching them.
    let fetches = request.uri().path().ends_with("/keep");
    let patience = if is_upload || fetches { UPLOAD_PATIENCE } else { PATIENCE };
    match tokio::time::timeout(patience, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::new(StatusCode::REQUEST_TIMEOUT, "this took too long: ask for less").into_response(),
    }
}

/// Counts what was answered.
async fn counted(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let response = next.run(request).await;
    app.metrics.count(response.status().as_u16(), started.elapsed());
    response
}

/// What gets smaller by compression; events must not wait for it, and files have their ranges.
#[derive(Clone, Copy)]
struct Compressible;

impl Predicate for Compressible {
    fn should_compress<B: http_body::Body>(&self, response: &http::Response<B>) -> bool {
        let kind =
            response.headers().get(http::header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kinds =
            ["application/json", "text/html", "text/css", "text/javascript", "image/svg+xml", "text/plain", "text/csv"];
        let large = response.body().size_hint().lower() >= 500 || response.body().size_hint().exact().is_none();
        large && (kinds.iter().any(|one| kind.starts_with(one)) || kind.contains("+json") || kind.contains("+xml"))
    }
}
