//! Who listens for panics is in one place for a whole process, so this is a process of its own.

use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn a_word_that_breaks_a_stemmer_is_not_told_and_other_panics_are() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    panic::set_hook(Box::new(|_| {
        TOLD.fetch_add(1, Ordering::SeqCst);
    }));
    for _ in 0..100 {
        for language in query::Language::all() {
            language.stem("ισαισα");
        }
    }
    assert_eq!(TOLD.load(Ordering::SeqCst), 0);
    assert!(panic::catch_unwind(|| panic!("another")).is_err());
    assert_eq!(TOLD.load(Ordering::SeqCst), 1);
}
