//! How many megabytes of text a core geoparses in a second.
//!
//! `cargo run --release -p bowerbird-geo --example geoparse_speed -- FILE…` reads the files given, of
//! JSON lines their "text". First all of it is parsed as one text, with the language guessed; then
//! what pages made of it say of places is read, one page a text, with a picture to every second
//! paragraph; reading the HTML is not counted. Files ending in `.html` are pages as they are.

use std::hint::black_box;
use std::time::Instant;

use facts::Url;
use geo::{Granularity, Hints, about, parse};
use page::{Limits, Page};

fn main() {
    let mut texts: Vec<String> = Vec::new();
    let mut pages: Vec<String> = Vec::new();
    for file in std::env::args().skip(1) {
        match std::fs::read_to_string(&file) {
            Ok(lines) if file.ends_with(".jsonl") => texts.extend(lines.lines().map(|line| {
                let document: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
                document["text"].as_str().unwrap_or_default().to_owned()
            })),
            Ok(html) if file.ends_with(".html") => pages.push(html),
            Ok(content) => texts.push(content),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
    if texts.is_empty() && pages.is_empty() {
        return eprintln!("usage: throughput FILE…");
    }
    let text = texts.join("\n");
    if !text.is_empty() {
        measure("parse", text.len(), || parse(black_box(&text), &Hints::default()).len());
    }
    let bytes = texts.iter().map(String::len).sum();
    measure(&format!("parse, {} texts", texts.len()), bytes, || {
        texts.iter().map(|text| parse(black_box(text), &Hints::default()).len()).sum()
    });
    pages.extend(texts.iter().map(|text| made_page(text)));
    let pages: Vec<Page> = pages.iter().map(|html| read(html)).collect();
    let bytes = pages.iter().map(|page| page.text.len()).sum();
    let media: usize = pages.iter().map(|page| page.media.len()).sum();
    measure(&format!("about, {} pages, {media} media", pages.len()), bytes, || {
        let places = |page: &Page| about(black_box(page), &Hints::default(), Granularity::Address).places.len();
        pages.iter().map(places).sum()
    });
}

fn made_page(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let mut html = String::from("<!doctype html><title>");
    html.push_str(escaped.lines().next().unwrap_or_default());
    html.push_str("</title><nav><a href=/>Home</a> <a href=/news>News</a> <a href=/contact>Contact</a></nav>");
    for (number, line) in escaped.lines().enumerate() {
        html.push_str("<p>");
        html.push_str(line);
        if number % 2 == 1 {
            html.push_str(&format!("<figure><img src={number}.jpg alt='A view of it'></figure>"));
        }
    }
    html
}

fn read(html: &str) -> Page {
    let url = Url::parse("https://example.org/").expect("an address");
    page::read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, &Limits::default())
}

/// Does it for three seconds of processor time.
fn measure(what: &str, bytes: usize, work: impl Fn() -> usize) {
    let start = Instant::now();
    let spent = || {
        let schedule = std::fs::read_to_string("/proc/self/schedstat").ok();
        let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or(start.elapsed().as_secs_f64(), |spent| spent / 1e9)
    };
    let before = spent();
    let (mut rounds, mut found) = (0, 0);
    while spent() - before < 3.0 {
        found = black_box(work());
        rounds += 1;
    }
    let seconds = spent() - before;
    println!("{what}: {bytes} bytes, {found} found, {:.1} MB/s", (bytes * rounds) as f64 / 1e6 / seconds);
}
