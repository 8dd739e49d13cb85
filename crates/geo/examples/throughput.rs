//! How many megabytes of plain text a core geoparses in a second.
//!
//! `cargo run --release -p bowerbird-geo --example throughput -- FILE…` reads the files given, of
//! JSON lines their "text", and parses all of it as one text, with the language guessed.

use std::hint::black_box;
use std::time::Instant;

use geo::{Hints, parse};

fn main() {
    let mut text = String::new();
    for file in std::env::args().skip(1) {
        match std::fs::read_to_string(&file) {
            Ok(lines) if file.ends_with(".jsonl") => {
                for line in lines.lines() {
                    let document: serde_json::Value = serde_json::from_str(line).unwrap_or_default();
                    text.push_str(document["text"].as_str().unwrap_or_default());
                    text.push('\n');
                }
            }
            Ok(content) => text.push_str(&content),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
    if text.is_empty() {
        return eprintln!("usage: throughput FILE…");
    }
    let start = Instant::now();
    let spent = || {
        let schedule = std::fs::read_to_string("/proc/self/schedstat").ok();
        let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or(start.elapsed().as_secs_f64(), |spent| spent / 1e9)
    };
    let before = spent();
    let (mut bytes, mut mentions) = (0, 0);
    while spent() - before < 3.0 {
        mentions = black_box(parse(black_box(&text), &Hints::default())).len();
        bytes += text.len();
    }
    let seconds = spent() - before;
    println!("{} bytes, {mentions} mentions, {:.1} MB/s", text.len(), bytes as f64 / 1e6 / seconds);
}
