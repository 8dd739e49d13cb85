//! What a page says of places: structured data, metas, map links, captions.
#![no_main]

use geo::{Granularity, Hints};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let url = facts::Url::parse("https://www.example.de/a/b").expect("a fixed address");
    let read = page::read(bytes, Some("text/html; charset=utf-8"), &url, &page::Limits::default());
    let _ = geo::structured(&read, &Hints::default());
    let _ = geo::about(&read, &Hints::default(), Granularity::Place);
});
