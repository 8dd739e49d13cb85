//! Answers of search services and lists, as if they came from their hosts.
#![no_main]

#[path = "wire.rs"]
mod wire;

use sources::{Question, SourceKind, SourceSettings};

const KINDS: [SourceKind; 5] =
    [SourceKind::Wikimedia, SourceKind::Searxng, SourceKind::Opensearch, SourceKind::Brave, SourceKind::Urls];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    let kind = KINDS[usize::from(*first) % KINDS.len()];
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    wire::with(&[head.as_bytes(), body].concat(), |fetcher| async move {
        let url = facts::Url::parse("http://www.example.org/search").ok();
        let key = (kind == SourceKind::Brave).then(|| "key".to_owned());
        let settings = SourceSettings { url, key, ..SourceSettings::of(kind) };
        let mut built = sources::build_with(&[settings], &fetcher, None).expect("complete settings");
        for source in &mut built {
            for _ in 0..2 {
                let _ = source.ask(&Question::words("harbour"), 20).await;
            }
        }
    });
});
