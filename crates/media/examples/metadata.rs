//! Compares what this crate reads with what exiftool read, file by file.
//!
//! `cargo run -p bowerbird-media --example metadata -- DIR` where `DIR/truth.jsonl` has one object a
//! line: `file`, and `width`, `height`, `orientation`, `make`, `model`, `date_time_original`, `lat`,
//! `lon`, `alt`, `img_direction`, `xmp_lat`, `xmp_lon` where exiftool found them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use facts::Timestamp;
use media::{Facts, Probe, Unreadable, Wants, read_whole};
use serde_json::Value;

/// Later than any date of the corpus.
const NOW: Timestamp = Timestamp(4_000_000_000_000);

fn main() -> Result<()> {
    let Some(folder) = std::env::args().nth(1) else { bail!("name the folder of the corpus") };
    let folder = Path::new(&folder);
    let truth = std::fs::read_to_string(folder.join("truth.jsonl")).context("reading truth.jsonl")?;
    let (mut whole, mut probed) = (Tally::default(), Tally::default());
    let mut skipped = Vec::new();
    for line in truth.lines() {
        let truth: Value = serde_json::from_str(line)?;
        let name = truth["file"].as_str().context("a line without a file")?;
        let bytes = std::fs::read(folder.join(name)).with_context(|| format!("reading {name}"))?;
        if matches!(truth["type"].as_str(), Some("XMP")) {
            skipped.push(name.to_owned());
            continue;
        }
        let (facts, time) = timed(|| read_whole(&bytes, NOW));
        whole.compare(name, &truth, facts, time, bytes.len() as u64);
        let ((facts, read), time) = timed(|| probe(&bytes));
        probed.compare(name, &truth, facts, time, read);
    }
    whole.print("whole files");
    probed.print("from the ends of the files");
    println!("\nnot media: {skipped:?}");
    Ok(())
}

fn timed<T>(mut work: impl FnMut() -> T) -> (T, Duration) {
    const ROUNDS: u32 = 20;
    let result = work();
    let start = Instant::now();
    for _ in 0..ROUNDS {
        std::hint::black_box(work());
    }
    (result, start.elapsed() / ROUNDS)
}

/// Reads a file as a crawler does, and says how many bytes that took.
fn probe(bytes: &[u8]) -> (Result<Facts, Unreadable>, u64) {
    let mut probe = Probe::new(Some(bytes.len() as u64));
    let (mut head, mut read) = (0, 0);
    loop {
        match probe.next() {
            Wants::Nothing => return (probe.facts(NOW), read),
            Wants::Head(end) => {
                probe.head(&bytes[head..end]);
                read += (end - head) as u64;
                head = end;
            }
            Wants::Tail(last) => {
                let start = bytes.len() - last as usize;
                probe.tail(start as u64, &bytes[start..]);
                read += last;
            }
        }
    }
}

#[derive(Default)]
struct Tally {
    /// Fields that are equal, and those that are compared, by name.
    fields: BTreeMap<&'static str, (usize, usize)>,
    differences: Vec<String>,
    wrong: Vec<String>,
    partial: usize,
    files: usize,
    bytes: u64,
    time: Duration,
}

impl Tally {
    fn compare(&mut self, name: &str, truth: &Value, facts: Result<Facts, Unreadable>, time: Duration, bytes: u64) {
        self.files += 1;
        self.time += time;
        self.bytes += bytes;
        let facts = match facts {
            Ok(facts) => facts,
            Err(error) => return self.differences.push(format!("{name}: {error}")),
        };
        self.partial += usize::from(facts.partial);
        if let Some(wrong) = facts.wrong_location {
            self.wrong.push(format!("{name}: {}", wrong.as_str()));
        }
        let number = |key: &str| truth[key].as_f64();
        let text = |key: &str| match &truth[key] {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let mut same = |field, ours: Option<String>, theirs: Option<String>| {
            let (equal, compared) = self.fields.entry(field).or_default();
            *compared += 1;
            if ours == theirs {
                *equal += 1;
            } else {
                self.differences.push(format!("{name}: {field} {ours:?}, exiftool {theirs:?}"));
            }
        };
        let rounded = |number: Option<f64>| number.map(|number| format!("{number:.6}"));
        let whole = |number: Option<f64>| number.map(|number| format!("{number:.0}"));
        same("width", facts.width.map(|n| n.to_string()), whole(number("width")));
        same("height", facts.height.map(|n| n.to_string()), whole(number("height")));
        same("orientation", Some(facts.orientation.to_string()), Some(text("orientation").unwrap_or("1".into())));
        same("make", facts.make.clone(), text("make"));
        same("model", facts.model.clone(), text("model"));
        if let Some(date) = text("date_time_original") {
            // exiftool names the offset only where the date's own tag does.
            let ours = facts.taken.map(|taken| taken.to_string().replacen('-', ":", 2).replacen('T', " ", 1));
            let ours = ours.map(|ours| if date.len() == 19 { ours[..19].to_owned() } else { ours });
            same("date", ours, Some(date));
        }
        let at = facts.location.map(|location| location.at);
        same("lat", rounded(at.map(|at| at.lat())), rounded(number("lat").or(number("xmp_lat"))));
        same("lon", rounded(at.map(|at| at.lon())), rounded(number("lon").or(number("xmp_lon"))));
        if facts.location.is_some() {
            same("altitude", rounded(facts.location.and_then(|location| location.altitude)), rounded(number("alt")));
            let direction = facts.location.and_then(|location| location.direction);
            same("direction", rounded(direction), rounded(number("img_direction")));
        }
    }

    fn print(&self, title: &str) {
        println!(
            "\n{title}: {} files, {} bytes, {:.1} µs a file",
            self.files,
            self.bytes,
            self.time.as_secs_f64() * 1e6 / self.files.max(1) as f64
        );
        for (field, (equal, compared)) in &self.fields {
            println!("  {field:<12} {equal:>4} of {compared:>4}");
        }
        println!("  {} point to more than was read", self.partial);
        println!("  wrong locations: {:?}", self.wrong);
        for difference in &self.differences {
            println!("  {difference}");
        }
    }
}
