//! Sitemaps, feeds and lists of addresses, packed or not.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let from = facts::Url::parse("https://www.example.org/maps/sitemap.xml").expect("a fixed address");
    if let Some(listing) = sources::listing::read(bytes, &from) {
        assert!(listing.starts.len() <= sources::listing::MOST);
    }
    let _ = report::Sitemap::read(bytes, &from);
});
