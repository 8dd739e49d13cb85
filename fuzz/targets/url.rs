//! An address that can be read has one identity, and reading that again changes nothing.
#![no_main]

use facts::{HostName, Url};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let base = Url::parse("https://www.example.org/a/b?c=d").expect("a fixed address");
    let _ = HostName::parse(&text);
    for url in [Url::parse(&text), base.join(&text)].into_iter().flatten() {
        let again = Url::parse(url.as_str()).expect("what was written can be read");
        assert_eq!((again.as_str(), again.id()), (url.as_str(), url.id()));
        let identity = url.identity();
        if let Ok(same) = Url::parse(&identity) {
            assert_eq!(same.identity(), identity, "{url}");
        }
        let _ = (
            url.template(),
            url.site(),
            url.host().tld().map(str::len),
            url.file_name(),
            url.origin().at("/robots.txt"),
        );
    }
});
