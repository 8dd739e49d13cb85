//! Hosts that are let go of, on their way to the server: those that come while some are sent go together
//! with the next, so that many of them cost one commit.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::{Rest, StoreError};

/// What came of one: an error is told to all that were sent together.
type Answer = Result<(), String>;

/// Where it comes.
pub(super) type Answered = oneshot::Receiver<Answer>;

/// Hosts that wait to be let go of.
#[derive(Default)]
pub(super) struct Releases(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    /// Someone sends, and comes back for what is here.
    sending: bool,
    waiting: Vec<Ended>,
}

/// A host whose request has ended.
pub(super) struct Ended {
    pub host: i64,
    /// Which of its takings has ended.
    pub taking: Option<u64>,
    pub rest: Rest,
    told: oneshot::Sender<Answer>,
}

impl Releases {
    /// Adds a host; gives where its answer comes, and whether the caller has to [`send`](Self::send).
    pub fn add(&self, host: i64, taking: Option<u64>, rest: Rest) -> (Answered, bool) {
        let (told, answer) = oneshot::channel();
        let mut queue = self.queue();
        queue.waiting.push(Ended { host, taking, rest, told });
        let first = !std::mem::replace(&mut queue.sending, true);
        (answer, first)
    }

    /// Sends all that wait, and those that come meanwhile. Blocking.
    pub fn send(&self, send: impl Fn(&[Ended]) -> Result<(), StoreError>) {
        let _end = End(self);
        loop {
            let ended = std::mem::take(&mut self.queue().waiting);
            let answer = send(&ended).map_err(|error| error.to_string());
            for one in ended {
                let _ = one.told.send(answer.clone());
            }
            let mut queue = self.queue();
            if queue.waiting.is_empty() {
                queue.sending = false;
                return;
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whoever sends may break: then nobody waits for it.
struct End<'r>(&'r Releases);

impl Drop for End<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.queue() = Queue::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_while_some_are_sent_goes_together_after_them() {
        let releases = Releases::default();
        let (mut one, first) = releases.add(1, None, Rest::default());
        assert!(first);
        let (sent, later) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
        releases.send(|ended| {
            let hosts: Vec<i64> = ended.iter().map(|one| one.host).collect();
            let mut sent = sent.lock().unwrap();
            sent.push(hosts);
            if sent.len() == 1 {
                later.lock().unwrap().extend([2, 3].map(|host| releases.add(host, None, Rest::default())));
            }
            Ok(())
        });
        assert_eq!(*sent.lock().unwrap(), [vec![1], vec![2, 3]]);
        assert_eq!(one.try_recv(), Ok(Ok(())));
        for (mut answer, first) in later.into_inner().unwrap() {
            assert!(!first && answer.try_recv() == Ok(Ok(())));
        }
        assert!(releases.add(4, None, Rest::default()).1);
    }
}
