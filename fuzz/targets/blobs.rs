//! What a library remembers as bytes, and reads again: what strategies have learnt, how common words are, what
//! pictures, films and sounds look and sound like. A disk may have damaged it, another program may have written it.
#![no_main]

use std::sync::LazyLock;

use facts::{MediaKind, Order, Url};
use strategy::{Arrival, Told};

const HTML: &str = "<title>Old boats</title><h1>The harbour of Kiel</h1><p>Boats and boats and ships in the harbour. \
    <a href=/boats>Boats</a> <a href=//b.example/ships title=ships>Ships</a> <a href=c>Weather</a> <img src=d.jpg>";
static PAGE: LazyLock<page::Page> = LazyLock::new(|| {
    let url = Url::parse("https://www.example.org/a/b").expect("a fixed address");
    page::read(HTML.as_bytes(), Some("text/html; charset=utf-8"), &url, &page::Limits::default())
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    // Two that meet are halves.
    let (one, other) = body.split_at(body.len() / 2);
    match first % 8 {
        kind @ 0..3 => {
            let (name, number) = [("geo", 1), ("weighted", 2), ("backlink", 3)][usize::from(kind)];
            let saved = |bytes: &[u8]| [&[number], bytes].concat();
            learnt(name, &saved(body), &saved(body));
            learnt(name, &saved(one), &saved(other));
        }
        3 => {
            if let (Some(saved), told) = crawl::tried::words(one, other, &PAGE) {
                assert_eq!(crawl::tried::words(&saved, &saved, &PAGE).1.len(), told.len());
            }
            let _ = crawl::tried::words(body, body, &PAGE);
        }
        kind => {
            let (kind, version) = match kind {
                4 | 5 => (MediaKind::Image, media::Look::VERSION),
                6 => (MediaKind::Video, media::Film::VERSION),
                _ => (MediaKind::Audio, media::Sound::VERSION),
            };
            let versioned = |bytes: &[u8]| [&version.to_le_bytes()[..], bytes].concat();
            crawl::tried::compared(kind, &versioned(one), &versioned(other));
            crawl::tried::compared(kind, &versioned(body), &versioned(body));
        }
    }
});

/// A strategy goes on with what it learnt, meets what others learnt, and is remembered again.
fn learnt(name: &str, own: &[u8], theirs: &[u8]) {
    for told in [
        Told { resumed: Some(own.to_vec()), ..Told::default() },
        Told { taught: Some(own.to_vec()), ..Told::default() },
    ] {
        let Ok(Some(strategy)) = strategy::told(name, told) else { continue };
        let ahead = |strategy: &dyn strategy::Strategy| {
            for order in strategy.links(&Arrival { relevant: true, ..Arrival::at(&PAGE) }) {
                assert!(matches!(order, Order::Best(_)));
            }
            strategy.kept(&PAGE.url, true);
        };
        ahead(&*strategy);
        let _ = strategy.meet(Some(own), theirs);
        ahead(&*strategy);
        let again = strategy.learnt();
        let told = Told { resumed: again, ..Told::default() };
        assert!(matches!(strategy::told(name, told), Ok(Some(_))), "what was remembered reads again");
    }
}
