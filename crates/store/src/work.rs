//! Blocking work away from the threads that wait for the network.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::StoreError;

type Job<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A thread that owns something and works on it, one call after the other.
///
/// One thread and not any of a pool: the allocator keeps memory apart by thread, and what a dozen
/// of them hold on to after the same work doubles the size of the process.
pub(crate) struct Worker<S> {
    path: PathBuf,
    jobs: Option<mpsc::Sender<Job<S>>>,
    thread: Option<JoinHandle<()>>,
}

impl<S: Send + 'static> Worker<S> {
    /// Starts the thread. `path` is what errors speak of.
    pub fn start(path: &Path, mut owned: S) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<Job<S>>();
        let work = move || queue.into_iter().for_each(|job| job(&mut owned));
        let name = path.file_name().map_or("store".into(), |name| name.to_string_lossy().into_owned());
        let thread =
            std::thread::Builder::new().name(name).spawn(work).map_err(|error| StoreError::io(path, &error))?;
        Ok(Self { path: path.to_owned(), jobs: Some(jobs), thread: Some(thread) })
    }

    /// Runs work on the thread. It is done to its end even when nobody waits for it any more.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut S) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.send(Box::new(move |owned| {
            let _ = answer.send(work(owned));
        }))?;
        answered.await.map_err(|_| self.stopped())?
    }

    /// [`run`](Self::run) for a thread that may wait.
    pub fn run_here<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut S) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = mpsc::sync_channel(1);
        self.send(Box::new(move |owned| {
            let _ = answer.send(work(owned));
        }))?;
        answered.recv().map_err(|_| self.stopped())?
    }

    fn send(&self, job: Job<S>) -> Result<(), StoreError> {
        self.jobs.as_ref().ok_or_else(|| self.stopped())?.send(job).map_err(|_| self.stopped())
    }

    fn stopped(&self) -> StoreError {
        StoreError::Stopped { path: self.path.clone() }
    }
}

impl<S> Drop for Worker<S> {
    /// Waits until what the thread owned is closed.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(path = %self.path.display(), "the store stopped working");
        }
    }
}

/// Runs blocking work on a thread made for it.
pub(crate) async fn off_thread<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(StoreError::Io { path: path.to_owned(), reason: error.to_string() }),
    }
}

/// Runs blocking work beside a thread that may wait for the network, and waits for it.
pub(crate) fn aside<T: Send>(
    path: &Path,
    work: impl FnOnce() -> Result<T, StoreError> + Send,
) -> Result<T, StoreError> {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|_| Err(StoreError::Stopped { path: path.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_in_order_and_a_panic_stops_it() {
        let worker = Worker::start(Path::new("numbers"), Vec::new()).unwrap();
        for n in 0..10 {
            let push = move |numbers: &mut Vec<u32>| {
                numbers.push(n);
                Ok(())
            };
            worker.run(push).await.unwrap();
        }
        assert_eq!(worker.run(|numbers| Ok(numbers.clone())).await.unwrap(), (0..10).collect::<Vec<_>>());
        assert_eq!(worker.run_here(|numbers| Ok(numbers.len())).unwrap(), 10);
        let broken = worker.run::<()>(|numbers| panic!("{numbers:?}")).await;
        assert!(matches!(broken, Err(StoreError::Stopped { .. })));
        assert!(matches!(worker.run(|_| Ok(())).await, Err(StoreError::Stopped { .. })));
    }
}
