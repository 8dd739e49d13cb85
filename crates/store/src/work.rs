//! Blocking work away from the threads that wait for the network.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use crate::StoreError;

type Job<S> = Box<dyn FnOnce(&mut S) -> Went + Send>;

/// How a job went, or that it broke off.
type Went = Result<(), BrokenOff>;

struct BrokenOff;

/// What becomes of what a worker owns when work on it breaks off in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum HalfDone {
    /// It undoes what was half done, and goes on.
    Undone,
    /// Nobody knows what of it still holds: it is worked on no more.
    Unknown,
}

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
    pub fn start(path: &Path, mut owned: S, half_done: HalfDone) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<Job<S>>();
        let work = move || {
            for job in queue {
                if job(&mut owned).is_err() && half_done == HalfDone::Unknown {
                    break;
                }
            }
        };
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
        let path = self.path.clone();
        self.send(Box::new(move |owned| {
            let (went, result) = guarded(&path, || work(owned));
            let _ = answer.send(result);
            went
        }))?;
        answered.await.map_err(|_| self.stopped())?
    }

    /// [`run`](Self::run) for a thread that may wait.
    pub fn run_here<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut S) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = mpsc::sync_channel(1);
        let path = self.path.clone();
        self.send(Box::new(move |owned| {
            let (went, result) = guarded(&path, || work(owned));
            let _ = answer.send(result);
            went
        }))?;
        answered.recv().map_err(|_| self.stopped())?
    }

    /// Does work after what was asked before, whose outcome nobody waits for.
    pub fn tell(&self, work: impl FnOnce(&mut S) + Send + 'static) {
        let path = self.path.clone();
        let job = move |owned: &mut S| {
            let done = || {
                work(owned);
                Ok(())
            };
            guarded(&path, done).0
        };
        // A worker that stopped has nothing left to be told.
        let _ = self.send(Box::new(job));
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
            tracing::error!(path = %self.path.display(), "the store was not closed in order");
        }
    }
}

/// Does work that may break off: who waits for it is told, and the thread has other things to do.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, StoreError>) -> (Went, Result<T, StoreError>) {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => (Ok(()), result),
        Err(panic) => (Err(BrokenOff), Err(broke_off(path, &*panic))),
    }
}

fn broke_off(path: &Path, panic: &(dyn Any + Send)) -> StoreError {
    let said = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    StoreError::BrokeOff { path: path.to_owned(), reason: said.unwrap_or("it said nothing").to_owned() }
}

/// Runs blocking work on a thread made for it.
pub(crate) async fn off_thread<T: Send + 'static>(
    path: &Path,
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => Err(broke_off(path, &*panic)),
            Err(error) => Err(StoreError::Io { path: path.to_owned(), reason: error.to_string() }),
        },
    }
}

/// Runs blocking work beside a thread that may wait for the network, and waits for it.
pub(crate) fn aside<T: Send>(
    path: &Path,
    work: impl FnOnce() -> Result<T, StoreError> + Send,
) -> Result<T, StoreError> {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|panic| Err(broke_off(path, &*panic)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(half_done: HalfDone) -> Worker<Vec<u32>> {
        Worker::start(Path::new("numbers"), Vec::new(), half_done).unwrap()
    }

    #[tokio::test]
    async fn work_is_done_in_order() {
        let worker = numbers(HalfDone::Undone);
        for n in 0..10 {
            let push = move |numbers: &mut Vec<u32>| {
                numbers.push(n);
                Ok(())
            };
            worker.run(push).await.unwrap();
        }
        assert_eq!(worker.run(|numbers| Ok(numbers.clone())).await.unwrap(), (0..10).collect::<Vec<_>>());
        assert_eq!(worker.run_here(|numbers| Ok(numbers.len())).unwrap(), 10);
    }

    #[tokio::test]
    async fn work_that_breaks_off_is_an_error_and_the_next_is_done() {
        let worker = numbers(HalfDone::Undone);
        let broken = worker.run::<()>(|numbers| panic!("{} numbers", numbers.len())).await.unwrap_err();
        assert!(matches!(&broken, StoreError::BrokeOff { reason, .. } if reason == "0 numbers"), "{broken}");
        let broken = worker.run_here::<()>(|_| panic!("again"));
        assert!(matches!(broken, Err(StoreError::BrokeOff { .. })));
        worker.tell(|_| panic!("nobody waits"));
        assert_eq!(worker.run(|numbers| Ok(numbers.len())).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn what_cannot_undo_what_was_half_done_is_worked_on_no_more() {
        let worker = numbers(HalfDone::Unknown);
        let broken = worker.run::<()>(|numbers| panic!("{numbers:?}")).await;
        assert!(matches!(broken, Err(StoreError::BrokeOff { .. })));
        assert!(matches!(worker.run(|_| Ok(())).await, Err(StoreError::Stopped { .. })));
    }
}
