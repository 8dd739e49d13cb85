//! The quick parser makes the tree that html5ever makes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    // Also with limits that a small page can hit.
    for limits in [page::Limits::default(), page::Limits { depth: 24, nodes: 300, ..page::Limits::default() }] {
        let verdict = page::judge::compare(&text, &limits);
        assert!(verdict.differing == 0, "{}", verdict.first.unwrap_or_default());
    }
});
