//! Blocking work away from the threads that wait for the network.

use std::path::PathBuf;

use crate::StoreError;

/// Runs blocking work on a thread made for it. The work is done to its end even when nobody waits
/// for it any more.
pub(crate) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Io { path: PathBuf::from("store"), reason: error.to_string() }),
    }
}
