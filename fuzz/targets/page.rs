//! Any bytes under any charset are a page; what it is made of stands where it says.
#![no_main]

const TYPES: [Option<&str>; 8] = [
    None,
    Some("text/html; charset=utf-8"),
    Some("text/html; charset=utf-16"),
    Some("text/html; charset=shift_jis"),
    Some("text/html; charset=klingon"),
    Some("text/plain"),
    Some("text/html; charset=iso-2022-jp"),
    Some("application/xhtml+xml; charset=\"windows-1251\""),
];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((first, body)) = bytes.split_first() else { return };
    let url = facts::Url::parse("https://www.example.org/a/b?c=d").expect("a fixed address");
    let content_type = TYPES[usize::from(*first) % TYPES.len()];
    let small = page::Limits { links: 5, media: 5, text: 200, depth: 16, nodes: 200, structured: 3, bytes: 4096 };
    for limits in [page::Limits::default(), small] {
        let read = page::read(body, content_type, &url, &limits);
        assert!(read.links.len() <= limits.links && read.media.len() <= limits.media);
        assert!(read.structured.len() <= limits.structured);
        let _ = read.digest();
        let _ = page::outline(body, content_type, &url, &limits, |_| true);
    }
});
