//! What the timetable does with: crawls to start, and a machine that must have room for them.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use crawl::Settings;
use crawl::quantity::show_bytes;
use facts::Timestamp;
use store::{Store, StoreError};

use crate::crawls::Crawls;

/// Memory that must be available for a crawl to be started.
const LEAST_MEMORY: u64 = 256 << 20;

/// A crawl that was started.
pub(crate) struct Started {
    /// Pages read and images kept so far.
    pub figures: Box<dyn Fn() -> (u64, u64) + Send>,
    /// Why it stopped, or why it failed.
    pub ending: Pin<Box<dyn Future<Output = Result<String, String>> + Send>>,
}

/// Starts crawls.
#[async_trait]
pub(crate) trait Hands: Send + Sync {
    /// Whether a crawl of that name runs, also in another process that shares the library.
    async fn is_running(&self, name: &str) -> Result<bool, StoreError>;

    /// Why no crawl should be started now, in words.
    fn short_of(&self, settings: &Settings) -> Option<String>;

    /// Starts one, or says why not.
    async fn start(&self, name: &str, settings: Settings) -> Result<Started, String>;
}

/// What time it is.
pub(crate) trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

/// The crawls of this server, on this machine.
pub(crate) struct ServerHands {
    crawls: Arc<Crawls>,
    store: Arc<Store>,
}

impl ServerHands {
    /// For crawls whose files go to this store.
    pub fn new(crawls: Arc<Crawls>, store: Arc<Store>) -> Self {
        Self { crawls, store }
    }
}

#[async_trait]
impl Hands for ServerHands {
    async fn is_running(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.crawls.running(name).is_some() || self.crawls.is_at_work_elsewhere(name).await?)
    }

    fn short_of(&self, settings: &Settings) -> Option<String> {
        let least = settings.limits.min_free_disk;
        let disk =
            self.store.free_disk().filter(|free| *free < least).map(|free| {
                format!("the disk has {} free, and the crawl wants {}", show_bytes(free), show_bytes(least))
            });
        let memory = || {
            let free = available_memory(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
            let said = || {
                format!("{} of memory are available, and a crawl wants {}", show_bytes(free), show_bytes(LEAST_MEMORY))
            };
            (free < LEAST_MEMORY).then(said)
        };
        disk.or_else(memory)
    }

    async fn start(&self, name: &str, settings: Settings) -> Result<Started, String> {
        let watched = self.crawls.start(name, settings).await.map_err(|problem| problem.detail().to_owned())?;
        let progress = watched.progress.clone();
        let figures = move || {
            let figures = &progress.borrow().figures;
            (figures.pages, figures.media.get("image").map_or(0, |images| images.kept))
        };
        let ending = async move {
            let ended = watched.ended().await;
            ended.map(|summary| summary.stopped.clone()).map_err(|failure| failure.to_string())
        };
        Ok(Started { figures: Box::new(figures), ending: Box::pin(ending) })
    }
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn available_memory(info: &str) -> Option<u64> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_as_the_kernel_writes_it() {
        assert_eq!(available_memory("MemTotal:  9 kB\nMemAvailable:   2048 kB\n"), Some(2 << 20));
        assert_eq!(available_memory("MemTotal: 9 kB\n"), None);
        assert!(available_memory(&std::fs::read_to_string("/proc/meminfo").unwrap()).is_some());
    }
}
