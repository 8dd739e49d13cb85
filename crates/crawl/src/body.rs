//! Bodies in memory, bounded over all requests in flight.

use bytes::BytesMut;
use fetch::{FetchError, Response};
use tokio::sync::Semaphore;

/// Every request may hold this much; only [`LARGE`] at a time may hold more, so that memory is
/// `concurrency × SMALL + LARGE × largest page` however many servers send large bodies.
const SMALL: usize = 256 << 10;
const LARGE: usize = 4;

/// Reads whole bodies into memory.
pub(crate) struct Bodies {
    large: Semaphore,
}

impl Bodies {
    pub fn new() -> Self {
        Self { large: Semaphore::new(LARGE) }
    }

    /// The rest of a body, behind what was read of it already.
    pub async fn read(&self, head: BytesMut, response: &mut Response) -> Result<BytesMut, FetchError> {
        let mut body = head;
        let mut lane = None;
        while let Some(chunk) = response.chunk().await? {
            if lane.is_none() && body.len() + chunk.len() > SMALL {
                lane = self.large.acquire().await.ok();
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}
