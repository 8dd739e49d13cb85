//! A fetcher whose every connection brings the same bytes.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use fetch::{Addresses, Dial, Fetcher, Proxy, Resolve, ResolveError, Settings, Wire};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

static SENT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

static FETCHER: LazyLock<Fetcher> = LazyLock::new(|| fetcher(Proxy::None));
static BEHIND_PROXY: LazyLock<Fetcher> = LazyLock::new(|| {
    let at = "http://proxy.example.org:3128".to_owned();
    fetcher(Proxy::Given { http: at.clone(), https: at, except: String::new() })
});

fn fetcher(proxy: Proxy) -> Fetcher {
    let settings = Settings { proxy, ..Settings::default() };
    Fetcher::with(settings, Arc::new(Anywhere), Arc::new(Recorded)).expect("usual settings")
}

struct Anywhere;

#[async_trait]
impl Resolve for Anywhere {
    async fn resolve(&self, _: &str) -> Result<Addresses, ResolveError> {
        Ok(Addresses { addresses: vec![[93, 184, 216, 34].into()], life: std::time::Duration::from_secs(3600) })
    }
}

struct Recorded;

#[async_trait]
impl Dial for Recorded {
    async fn dial(&self, _: SocketAddr) -> io::Result<Box<dyn Wire>> {
        let bytes = SENT.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Box::new(Answer { bytes, asked: false, waiting: None }))
    }
}

/// A connection that answers once it is asked: what comes before a request is an answer to nothing, and ends it.
struct Answer {
    bytes: Vec<u8>,
    asked: bool,
    waiting: Option<Waker>,
}

impl AsyncRead for Answer {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if !self.asked {
            self.waiting = Some(context.waker().clone());
            return Poll::Pending;
        }
        let length = self.bytes.len().min(into.remaining());
        into.put_slice(&self.bytes[..length]);
        self.bytes.drain(..length);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Answer {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.asked = true;
        if let Some(waiting) = self.waiting.take() {
            waiting.wake();
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Runs work with a fetcher that gets these bytes from every server.
pub fn with<F: Future<Output = ()>>(bytes: &[u8], work: impl FnOnce(Fetcher) -> F) {
    run(bytes, &FETCHER, work);
}

/// The same, and the server is a proxy.
#[allow(dead_code, reason = "not every target goes this way")]
pub fn with_proxy<F: Future<Output = ()>>(bytes: &[u8], work: impl FnOnce(Fetcher) -> F) {
    run(bytes, &BEHIND_PROXY, work);
}

fn run<F: Future<Output = ()>>(bytes: &[u8], fetcher: &Fetcher, work: impl FnOnce(Fetcher) -> F) {
    SENT.lock().unwrap_or_else(PoisonError::into_inner).splice(.., bytes.iter().copied());
    // Whoever waits between two requests has waited at once.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(work(fetcher.clone()));
}
