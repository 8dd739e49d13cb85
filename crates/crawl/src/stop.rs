//! Asking a crawl to stop.

use tokio::sync::watch;

/// What is asked of a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Asked {
    Nothing,
    Pause,
    End,
}

/// Asks a crawl to stop cleanly.
#[derive(Debug)]
pub struct Stopper(watch::Sender<Asked>);

/// Hears of it.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<Asked>);

/// A stopper and what it stops.
pub fn stopper() -> (Stopper, Stop) {
    let (sender, receiver) = watch::channel(Asked::Nothing);
    (Stopper(sender), Stop(receiver))
}

impl Stopper {
    /// Stop claiming, let what is in flight land, write, return: the run is interrupted, and the
    /// next start goes on with it.
    pub fn stop(&self) {
        self.ask(Asked::Pause);
    }

    /// The same, but the run is over: the next start makes a new one.
    pub fn end(&self) {
        self.ask(Asked::End);
    }

    /// What was asked for last counts, but an end stays an end.
    fn ask(&self, asked: Asked) {
        self.0.send_modify(|before| *before = asked.max(*before));
    }
}

impl Stop {
    /// Whether it was asked for.
    pub fn asked(&self) -> bool {
        *self.0.borrow() != Asked::Nothing
    }

    /// Whether the run is to be over.
    pub(crate) fn is_over(&self) -> bool {
        *self.0.borrow() == Asked::End
    }

    /// Waits until it is; for ever when the stopper is gone without having asked.
    pub async fn wait(&mut self) {
        if self.0.wait_for(|asked| *asked != Asked::Nothing).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
