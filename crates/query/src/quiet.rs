//! Work of others that may panic over what it was not made for.

use std::cell::Cell;
use std::panic::{self, UnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is at such work.
    static AT_IT: Cell<bool> = const { Cell::new(false) };
}

/// What some work comes to; nothing when it panics. Nobody is told of that panic: one page can hold thousands of
/// words that each would be a line in the log. Other panics are told as ever.
pub(crate) fn unless_it_panics<T>(work: impl FnOnce() -> T + UnwindSafe) -> Option<T> {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |told| {
            if !AT_IT.get() {
                usual(told);
            }
        }));
    });
    AT_IT.set(true);
    let done = panic::catch_unwind(work);
    AT_IT.set(false);
    done.ok()
}
