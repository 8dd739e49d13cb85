//! A fetcher whose every connection brings the same bytes.

use std::future::Future;
use std::io::{self, Cursor};
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use async_trait::async_trait;
use fetch::{Addresses, Dial, Fetcher, Proxy, Resolve, ResolveError, Settings, Wire};

static SENT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

static FETCHER: LazyLock<Fetcher> = LazyLock::new(|| {
    let settings = Settings { proxy: Proxy::None, ..Settings::default() };
    Fetcher::with(settings, Arc::new(Anywhere), Arc::new(Recorded)).expect("usual settings")
});

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

/// Runs work with a fetcher that gets these bytes from every server. Time stands still where it waits.
pub fn with<F: Future<Output = ()>>(bytes: &[u8], work: impl FnOnce(Fetcher) -> F) {
    SENT.lock().unwrap_or_else(PoisonError::into_inner).splice(.., bytes.iter().copied());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work(FETCHER.clone()));
}
