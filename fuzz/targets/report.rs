//! A watcher's report is believed or refused.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let from = facts::Url::parse("https://www.example.org/.well-known/bowerbird.json").expect("a fixed address");
    if let Ok(read) = report::read(bytes, &from, facts::Timestamp(1_800_000_000_000)) {
        assert!(read.pages.len() <= report::MOST_ENTRIES && read.dynamic.len() <= report::MOST_ENTRIES);
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Some(at) = report::when(text)
    {
        let _ = report::moment(at);
    }
});
