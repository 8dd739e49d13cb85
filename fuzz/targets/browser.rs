//! What a browser says through its pipe while it shows a page, what the script in the page answers while it is
//! explored, and the signs that it has to be.
#![no_main]

use std::sync::Arc;
use std::time::Duration;

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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let runtime = runtime.expect("a runtime");
    let leads = runtime.block_on(render::overhear(bytes, document.clone(), Arc::new(Nobody)));
    assert!(leads.len() <= 200);
    let settings = render::Settings { page_time: Duration::from_secs(15), ..render::Settings::default() };
    let touches = vec![render::Touch::Click, render::Touch::Hover];
    let listed = render::Listed { touches, sources: vec!["#a".to_owned(), "\"'".to_owned()] };
    for listed in [&[][..], &[listed]] {
        let exploring = render::tried::explored(bytes, document.clone(), listed, &settings, Arc::new(Nobody));
        if let Ok(rendered) = runtime.block_on(exploring) {
            assert!(rendered.states.len() <= settings.states && rendered.events <= settings.events);
        }
    }
});
