//! One site under watch, as its threads share it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use facts::Timestamp;

use crate::book::Book;
use crate::flag::{Flag, Reset};
use crate::listing::Listings;
use crate::names::Id;
use crate::site::Site;
use crate::state::{State, StateError, rows};

/// A site, what is known of it, and who has claimed it. Of the locks, only those of the flag and of the rest
/// are held while another is taken.
pub(crate) struct Watched {
    pub(crate) site: Site,
    book: Mutex<Book>,
    state: Mutex<State>,
    flag: Mutex<Flag>,
    pub(crate) listings: Mutex<Listings>,
    /// When the next list is made for somebody who only looks.
    pub(crate) rested: Mutex<Option<Instant>>,
    /// Dynamic parts to be written.
    dynamic: Mutex<Vec<(Id, Option<String>)>>,
    /// Whether nothing was known before: then everything found is as old as it says.
    first: AtomicBool,
    pub(crate) epoch: String,
}

impl Watched {
    pub(crate) fn open(site: Site, folder: &std::path::Path, reset: Reset) -> Result<Self, StateError> {
        let (state, book) = State::open(folder, &site)?;
        Ok(Self {
            site,
            first: AtomicBool::new(book.names.len() == 1),
            book: Mutex::new(book),
            flag: Mutex::new(Flag { reset, claim: state.claim }),
            listings: Mutex::default(),
            rested: Mutex::default(),
            dynamic: Mutex::default(),
            epoch: state.epoch.clone(),
            state: Mutex::new(state),
        })
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        lock(&self.book)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Whether this is the first look at the site ever.
    pub(crate) fn is_first_look(&self) -> bool {
        self.first.load(Ordering::Relaxed)
    }

    pub(crate) fn looked(&self) {
        self.first.store(false, Ordering::Relaxed);
    }

    /// Whether somebody has claimed the site since the last reset.
    pub(crate) fn is_claimed(&self) -> bool {
        let flag = lock(&self.flag);
        let last = self.book().last;
        flag.is_set(last, now())
    }

    /// Claims the site: of all who ask between two resets, one is told yes.
    pub(crate) fn claim(&self) -> Result<bool, StateError> {
        let flag = lock(&self.flag);
        let last = self.book().last;
        self.claim_up_to(flag, last)
    }

    /// Claims the site for somebody who was told of changes up to this one.
    pub(crate) fn claim_told(&self, last: u64) -> Result<bool, StateError> {
        self.claim_up_to(lock(&self.flag), last)
    }

    fn claim_up_to(&self, mut flag: MutexGuard<'_, Flag>, last: u64) -> Result<bool, StateError> {
        let before = *flag;
        let Some(claim) = flag.claim(last, now()) else { return Ok(false) };
        match self.state().keep_claim(claim) {
            Ok(()) => Ok(true),
            Err(error) => {
                *flag = before;
                Err(error)
            }
        }
    }

    /// Notes the dynamic parts of a page, to be written.
    pub(crate) fn keep_dynamic(&self, id: Id, entries: Option<String>) {
        lock(&self.dynamic).push((id, entries));
    }

    /// Writes what is to be written.
    pub(crate) fn save(&self) -> Result<(), StateError> {
        loop {
            let dynamic = std::mem::take(&mut *lock(&self.dynamic));
            let rows = rows(&mut self.book());
            if rows.is_empty() && dynamic.is_empty() {
                return Ok(());
            }
            let saved = self.state().save(&rows, &dynamic);
            if let Err(error) = saved {
                let ids: Vec<Id> = rows.iter().map(|row| row.id).collect();
                self.book().put_back(&ids);
                lock(&self.dynamic).extend(dynamic);
                return Err(error);
            }
        }
    }
}

/// What one thread breaks, others can still read: every change is made in whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// By the clock of this machine.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Look;
    use crate::names::ROOT;

    #[test]
    fn of_fifty_who_ask_at_once_one_has_the_claim_a_thousand_times_over() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::parse("https://example.org/=/srv/www").unwrap();
        let watched = Watched::open(site, folder.path(), Reset::Event).unwrap();
        let id = watched.book().intern(ROOT, b"a.html").unwrap();
        let barrier = std::sync::Barrier::new(50);
        let claims = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            for asker in 0..50 {
                let (watched, barrier, claims) = (&watched, &barrier, &claims);
                scope.spawn(move || {
                    for round in 0..1_000 {
                        if asker == 0 {
                            watched.book().note(id, Look { mark: round + 1, modified: Timestamp(0) }, now(), false);
                        }
                        barrier.wait();
                        if watched.claim().unwrap() {
                            claims.fetch_add(1, Ordering::Relaxed);
                        }
                        if barrier.wait().is_leader() {
                            assert_eq!(claims.load(Ordering::Relaxed), round + 1);
                        }
                        barrier.wait();
                    }
                });
            }
        });
        assert!(watched.is_claimed());
    }

    #[test]
    fn a_claim_survives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let site = Site::parse("https://example.org/=/srv/www").unwrap();
            Watched::open(site, folder.path(), Reset::Event).unwrap()
        };
        let watched = open();
        let id = watched.book().intern(ROOT, b"a.html").unwrap();
        watched.book().note(id, Look { mark: 1, modified: Timestamp(0) }, now(), false);
        assert!(watched.claim().unwrap());
        watched.save().unwrap();
        drop(watched);
        let watched = open();
        assert!(watched.is_claimed());
        watched.book().note(id, Look { mark: 2, modified: Timestamp(0) }, now(), false);
        assert!(!watched.is_claimed());
    }
}
