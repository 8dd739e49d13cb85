//! Listening: how many connections there may be, and how long they may dawdle.

mod patient;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tower::ServiceExt;

use crate::patient::Patient;

/// Who sent a request; an extension of each.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Connections at once; others wait to be accepted.
const CONNECTIONS: usize = 1_024;
/// How long the head of a request may take, from the end of the one before.
const HEAD: Duration = Duration::from_secs(30);
/// How long somebody may take no byte of the answer.
const TAKING: Duration = Duration::from_secs(30);
/// Bytes of the head of a request.
const HEAD_BYTES: usize = 64 << 10;

/// Answers requests until told to end, then lets what is being answered finish, for a moment.
pub async fn serve(listener: TcpListener, router: Router, mut ending: watch::Receiver<bool>, farewell: Duration) {
    let open = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut tasks = tokio::task::JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = async {
                let place = Arc::clone(&open).acquire_owned().await.ok();
                (place, listener.accept().await)
            } => accepted,
            Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
            _ = ending.wait_for(|ending| *ending) => break,
        };
        let (place, (stream, peer)) = match accepted {
            (place, Ok(accepted)) => (place, accepted),
            (_, Err(error)) => {
                // Out of file descriptors, most likely: others must end first.
                tracing::warn!("a connection could not be accepted: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            router.clone().oneshot(request.map(axum::body::Body::new) as Request)
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(Patient::new(stream, TAKING)), service);
        let connection = graceful.watch(connection);
        tasks.spawn(async move {
            // Whatever ended it, nobody is there to be told.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(farewell, graceful.shutdown()).await;
    tasks.shutdown().await;
}
