//! What all that is under way at once may take together.

use std::sync::{Condvar, Mutex, PoisonError};

/// Room that work takes before it begins and gives back when it ends; who finds none waits.
///
/// Whoever holds a share and takes another of the same room may wait for itself: take all that is
/// needed at once.
#[derive(Debug)]
pub struct Room {
    size: u64,
    free: Mutex<u64>,
    freed: Condvar,
    /// Held by the first of those who wait, so that who needs little does not go before who needs much
    /// for ever.
    turn: Mutex<()>,
}

/// A part of a [`Room`], until it is dropped.
#[derive(Debug)]
pub struct Share<'a> {
    room: &'a Room,
    size: u64,
}

impl Room {
    /// Room of a size, in whatever it is measured.
    pub const fn new(size: u64) -> Self {
        Self { size, free: Mutex::new(size), freed: Condvar::new(), turn: Mutex::new(()) }
    }

    /// A share of this size, or all there is for what needs more than that. Waits until it is free:
    /// never to be called where others wait for the thread.
    pub fn take(&self, size: u64) -> Share<'_> {
        let size = size.min(self.size);
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free < size).unwrap_or_else(PoisonError::into_inner);
        *free -= size;
        Share { room: self, size }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        *self.room.free.lock().unwrap_or_else(PoisonError::into_inner) += self.size;
        self.room.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn those_who_work_at_once_never_take_more_than_there_is() {
        let (room, taken, most) = (Room::new(10), AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for worker in 0..8 {
                let (room, taken, most) = (&room, &taken, &most);
                scope.spawn(move || {
                    for round in 0..500 {
                        let size = 1 + (worker + round) % 10;
                        let share = room.take(size);
                        most.fetch_max(taken.fetch_add(size, Ordering::SeqCst) + size, Ordering::SeqCst);
                        taken.fetch_sub(size, Ordering::SeqCst);
                        drop(share);
                    }
                });
            }
        });
        assert!(most.into_inner() <= 10);
        assert_eq!(*room.free.lock().unwrap(), 10);
    }

    #[test]
    fn who_needs_more_than_there_is_gets_all_of_it() {
        let room = Room::new(10);
        drop(room.take(u64::MAX));
        assert_eq!(*room.free.lock().unwrap(), 10);
    }
}
