//! What a browser says through its pipe while it shows a page, and the signs that it has to.
#![no_main]

use std::sync::Arc;

use async_trait::async_trait;

struct Nobody;

#[async_trait]
impl render::Supplier for Nobody {
    async fn supply(&self, _: render::Wanted) -> Option<render::Supplied> {
        None
    }
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = render::signs(bytes);
    let url = facts::Url::parse("https://www.example.org/a/b").expect("a fixed address");
    let document = render::Document { url, content_type: None, body: Default::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let leads = runtime.block_on(render::overhear(bytes, document, Arc::new(Nobody)));
    assert!(leads.len() <= 200);
});
