//! Visits that wait between two of their requests: their host keeps them waiting, nobody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How many visits wait.
#[derive(Default)]
pub(crate) struct Rests {
    count: AtomicUsize,
    begun: Notify,
}

/// One visit that waits, as long as this lives.
pub(crate) struct Rest(Arc<Rests>);

impl Rests {
    pub fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub fn begin(self: &Arc<Self>) -> Rest {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.begun.notify_one();
        Rest(Arc::clone(self))
    }

    /// Ends when another visit begins to wait.
    pub async fn changed(&self) {
        self.begun.notified().await;
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
    }
}
