//! robots.txt and tdmrep.json, whatever is in them.
#![no_main]

use std::time::Duration;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let addresses = ["https://example.org/", "https://example.org/a/b.jpg?x=%2F", "https://example.org/%E4%B8%AD/*$"];
    let robots = fetch::Robots::from_answer(Some(200), bytes, "bowerbird");
    let tdm = fetch::Tdm::from_answer(Some(200), bytes);
    for address in addresses.map(facts::Url::parse).into_iter().flatten() {
        let _ = (robots.allows(&address), tdm.reserved(&address));
    }
    assert!(robots.crawl_delay().is_none_or(|delay| delay < Duration::MAX));
    let _ = (robots.sitemaps(), robots.watchers(), robots.fresh_for(None, 3));
});
