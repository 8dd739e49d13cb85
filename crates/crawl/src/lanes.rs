//! The few places for large pages, and that nobody holds one by dawdling while others wait.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// Large pages at once.
const LANES: usize = 4;
/// Bytes a second that whoever holds a lane must bring while others wait for one: a tenth of what a slow
/// line brings.
const PACE: u64 = 32 << 10;
/// What may pass before that, for a server that pauses.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is looked whether others wait, when there is no more patience.
const LOOK: Duration = Duration::from_secs(1);

/// Lanes for pages that take much memory.
#[derive(Clone)]
pub(crate) struct Lanes {
    free: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

/// A lane that a page holds: while it comes in, and until it is read.
pub(crate) struct Lane {
    lanes: Lanes,
    since: Instant,
    came: u64,
    _permit: Option<OwnedSemaphorePermit>,
}

/// A page comes so slowly that others would wait for long.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooSlow;

/// One who waits, until it is dropped.
struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lanes {
    pub fn new() -> Self {
        Self { free: Arc::new(Semaphore::new(LANES)), waiting: Arc::default() }
    }

    /// Waits for a lane.
    pub async fn enter(&self) -> Lane {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let waits = Waits(&self.waiting);
        let permit = Arc::clone(&self.free).acquire_owned().await.ok();
        drop(waits);
        Lane { lanes: self.clone(), since: Instant::now(), came: 0, _permit: permit }
    }

    fn are_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }
}

impl Lane {
    /// Waits for the next piece, as long as it comes at a pace, or nobody else waits.
    pub async fn next<T>(&self, piece: impl Future<Output = T>) -> Result<T, TooSlow> {
        let mut piece = pin!(piece);
        let mut patience = self.since + GRACE + Duration::from_secs(self.came / PACE);
        loop {
            tokio::select! {
                biased;
                piece = &mut piece => return Ok(piece),
                () = sleep_until(patience) => {}
            }
            if self.lanes.are_waited_for() {
                return Err(TooSlow);
            }
            patience = Instant::now() + LOOK;
        }
    }

    /// So many bytes came.
    pub fn came(&mut self, bytes: usize) {
        self.came += bytes as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn servers_that_dawdle_hold_no_lane_while_others_wait() {
        let lanes = Lanes::new();
        let mut dawdlers = tokio::task::JoinSet::new();
        for _ in 0..LANES {
            let lane = lanes.enter().await;
            dawdlers.spawn(async move { lane.next(pending::<()>()).await });
        }
        let began = Instant::now();
        lanes.enter().await;
        assert!(began.elapsed() <= GRACE + LOOK, "{:?}", began.elapsed());
        assert_eq!(dawdlers.join_next().await.unwrap().unwrap(), Err(TooSlow));
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_server_that_nobody_waits_for_has_its_time() {
        let lanes = Lanes::new();
        let lane = lanes.enter().await;
        let hour = Duration::from_secs(3600);
        assert_eq!(lane.next(tokio::time::sleep(hour)).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn pages_that_come_at_a_pace_keep_their_lane_however_many_wait() {
        let lanes = Lanes::new();
        let mut held = Vec::new();
        for _ in 0..LANES {
            held.push(lanes.enter().await);
        }
        let others: Vec<_> = (0..20).map(|_| lanes.clone()).collect();
        let others: Vec<_> =
            others.into_iter().map(|lanes| tokio::spawn(async move { drop(lanes.enter().await) })).collect();
        tokio::task::yield_now().await;
        assert!(lanes.are_waited_for());
        let mut lane = held.remove(0);
        for _ in 0..300 {
            assert_eq!(lane.next(tokio::time::sleep(Duration::from_secs(1))).await, Ok(()));
            lane.came(PACE as usize);
        }
        drop((held, lane));
        for other in others {
            other.await.unwrap();
        }
        assert!(!lanes.are_waited_for());
        assert_eq!(lanes.enter().await.next(ready(5)).await, Ok(5));
    }
}
