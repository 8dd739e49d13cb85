//! Asking a crawl to stop.

use tokio::sync::watch;

/// Asks a crawl to stop cleanly.
#[derive(Debug)]
pub struct Stopper(watch::Sender<bool>);

/// Hears of it.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<bool>);

/// A stopper and what it stops.
pub fn stopper() -> (Stopper, Stop) {
    let (sender, receiver) = watch::channel(false);
    (Stopper(sender), Stop(receiver))
}

impl Stopper {
    /// Stop claiming, let what is in flight land, write, return.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stop {
    /// Whether it was asked for.
    pub fn asked(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is; for ever when the stopper is gone without having asked.
    pub async fn wait(&mut self) {
        if self.0.wait_for(|asked| *asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
