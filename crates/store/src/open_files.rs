//! How many files this process may have open, and how they are shared out.

use std::fs::File;
use std::io;

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::StoreError;

/// Fewer than this, and a store cannot be worked on: the queue and the library take some forty, and
/// every request one or two.
const LEAST: u64 = 128;
/// A system without a limit is treated as one with this.
const PLENTY: u64 = 1 << 20;

/// How many files this process may have open.
pub fn most_open_files() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(PLENTY).min(PLENTY)
}

/// Takes what the system allows: shells hand on less than that, for programs of old.
pub fn allow_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // A system that refuses leaves the limit where it is, which is seen at the next open.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// Refuses to begin what would end in the middle.
pub(crate) fn enough() -> Result<(), StoreError> {
    match most_open_files() {
        most if most < LEAST => Err(StoreError::TooFewFiles { most, least: LEAST }),
        _ => Ok(()),
    }
}

/// How many of them the queue may keep open between looks into them.
pub(crate) fn for_the_queue() -> usize {
    usize::try_from(most_open_files() / 4).unwrap_or(usize::MAX).min(900)
}

/// Whether the system refused a file for having too many.
pub(crate) fn are_used_up_by(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| code == Some(errno.raw_os_error()))
}

/// Whether the system would refuse one now: SQLite does not say why it could not open a file.
pub(crate) fn are_used_up() -> bool {
    File::open("/dev/null").is_err_and(|error| are_used_up_by(&error))
}
