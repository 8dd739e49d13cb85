//! A fetcher whose every connection brings the same bytes.

use std::future::Future;
use std::io::{self, Cursor};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use async_trait::async_trait;
use fetch::{Addresses, Dial, Fetcher, Proxy, Resolve, ResolveError, Settings, Wire};

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
        Ok(Box::new(tokio::io::join(Cursor::new(bytes), tokio::io::sink())))
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work(fetcher.clone()));
}
