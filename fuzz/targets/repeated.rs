//! What costs little once costs no more than that each further time: a short piece, repeated to a megabyte,
//! is read within seconds of a processor.
#![no_main]

use facts::{Timestamp, Url};
use geo::{Granularity, Hints};
use page::Limits;
use serde_json::Value;

/// Bytes of what is read. Work for each pair of pieces would take minutes.
const LONG: usize = 1 << 20;
/// Places are looked for block by block, each of so many bytes (`tuning::BLOCK`): more blocks cost the same each.
const BLOCK: usize = LONG / 4;
/// Of a processor, whatever else the machine does meanwhile.
const SECONDS: f64 = 15.0;
/// Longest piece; the longer it is, the fewer pairs.
const PIECE: usize = 256;
/// Values of structured data of one page, with room to spare.
const MOST_VALUES: usize = 200_000;
const NOW: Timestamp = Timestamp(1_800_000_000_000);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((who, bytes)) = bytes.split_first() else { return };
    // A line that comes once, one that is repeated, and what comes after; one alone is repeated.
    let mut lines = bytes.splitn(3, |byte| *byte == b'\n');
    let (first, second) = (lines.next().unwrap_or_default(), lines.next());
    let (before, piece) = second.map_or((&b""[..], first), |piece| (first, piece));
    let piece = &piece[..piece.len().min(PIECE)];
    if piece.is_empty() {
        return;
    }
    let mut body = before.to_vec();
    let long = if who % 12 == 6 { BLOCK } else { LONG };
    while body.len() < long {
        body.extend_from_slice(piece);
    }
    body.extend_from_slice(lines.next().unwrap_or_default());
    let url = Url::parse("https://www.example.org/a/b").expect("a fixed address");
    let begun = worked();
    // One reader an input: each takes a good part of a second for so much.
    match who % 12 {
        0 | 1 => page(&body, &url),
        2 => drop(page::outline(&body, Some("text/html"), &url, &Limits::default(), |_| true)),
        3 => drop(report::read(&body, &url, NOW)),
        4 => drop(report::Sitemap::read(&body, &url)),
        5 => drop(sources::listing::read(&body, &url)),
        6 => drop(geo::parse(&String::from_utf8_lossy(&body), &Hints::default())),
        7 => drop(render::signs(&body)),
        8 => rights(&body),
        9 => drop(media::read_whole(&packet(&body), NOW)),
        10 => drop(watch::tried::scripted(&url, b"<body onload=go()>", &[&String::from_utf8_lossy(&body)])),
        _ => drop(server::tried::asked(&String::from_utf8_lossy(&body))),
    }
    let took = worked() - begun;
    assert!(took < SECONDS, "it took {took:.1} s of a processor");
});

/// Seconds that this thread has worked.
fn worked() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    told.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn page(body: &[u8], url: &Url) {
    let read = page::read(body, Some("text/html; charset=utf-8"), url, &Limits::default());
    let held: usize = read.structured.iter().map(|found| values(&found.value)).sum();
    assert!(held < MOST_VALUES, "{held} values of structured data");
    let _ = geo::about(&read, &Hints::default(), Granularity::Place);
}

fn rights(body: &[u8]) {
    let robots = fetch::Robots::from_answer(Some(200), body, "bowerbird");
    let tdm = fetch::Tdm::from_answer(Some(200), body);
    let long = format!("https://example.org/{}?{}", "a/".repeat(900), "b=*&".repeat(200));
    for address in ["https://example.org/a/b.jpg", &long].map(Url::parse).into_iter().flatten() {
        let _ = (robots.allows(&address), tdm.reserved(&address));
    }
    let _ = (robots.sitemaps(), robots.watchers());
}

/// A picture in which this is what XMP says.
fn packet(said: &[u8]) -> Vec<u8> {
    let chunk = |name: &[u8; 4], body: &[u8]| {
        let length = u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes();
        [&length[..], name, body, &[0; 4]].concat()
    };
    let size = chunk(b"IHDR", &[0, 0, 4, 0, 0, 0, 3, 0, 8, 2, 0, 0, 0]);
    let told = chunk(b"iTXt", &[b"XML:com.adobe.xmp\0\0\0\0\0", said].concat());
    [b"\x89PNG\r\n\x1a\n".to_vec(), size, told, chunk(b"IDAT", &[0; 8]), chunk(b"IEND", &[])].concat()
}

/// How many values there are in one.
fn values(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(values).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(values).sum::<usize>(),
        _ => 1,
    }
}
