//! What a server sends, from the first byte of its head to the last of its body: statuses, headers, cookies,
//! ranges, chunks and codings; and what a proxy says before a tunnel, and what comes out of that.
#![no_main]

#[path = "wire.rs"]
mod wire;

use facts::Timestamp;
use fetch::{Accept, Request};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    wire::with(bytes, |fetcher| async move {
        let url = facts::Url::parse("http://www.example.org/a/b").expect("a fixed address");
        let request = Request { limit: 1 << 20, ..Request::new(url, Accept::Image) };
        let Ok(response) = fetcher.send(request).await else { return };
        let now = Timestamp(1_800_000_000_000);
        let _ = (response.redirect(), response.content_type().map(str::len), response.content_length());
        let _ = (response.content_range(), response.version().map(str::len), response.etag().map(str::len));
        let _ = (response.modified(), response.body_length(), response.retry_after(now), response.directives());
        let _ = response.bytes().await;
    });
    wire::with_proxy(bytes, |fetcher| async move {
        let url = facts::Url::parse("https://www.example.org/a/b").expect("a fixed address");
        let _ = fetcher.send(Request::new(url, Accept::Page)).await;
    });
});
