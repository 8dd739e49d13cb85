//! How well the geoparser does on corpora with gold places.
//!
//! `cargo run --release -p bowerbird-geo --example corpus -- DIR [--misses]` reads each `*.jsonl` of a
//! directory: one `{"text","toponyms":[{"start","end","phrase","lat","lon"}]}` a line, offsets in code
//! points. Gold places without coordinates are left out, and found places that overlap one of them
//! count neither for nor against. A gold place is found when a mention overlaps it; it is right when
//! the mention is within 161 km (100 miles).

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use facts::LatLon;
use geo::{Hints, Mention, kilometres};
use serde_json::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(directory) = arguments.first() else { return eprintln!("usage: corpus DIR [--misses]") };
    let misses = arguments.iter().any(|argument| argument == "--misses");
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    println!("corpus               gold  found      P      R     F1  acc161  median km  R x acc161   exact R   MB/s");
    for file in files {
        let Ok(lines) = std::fs::read_to_string(&file) else { continue };
        let documents: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Score::of(&documents, misses).print(&name, speed(&documents));
    }
}

#[derive(Default)]
struct Score {
    gold: usize,
    found: usize,
    exact: usize,
    wrong: usize,
    errors: Vec<f64>,
    missed: BTreeMap<String, usize>,
    false_names: BTreeMap<String, usize>,
    far: BTreeMap<String, usize>,
}

impl Score {
    fn of(documents: &[Value], _misses: bool) -> Self {
        let mut score = Self::default();
        for document in documents {
            score.document(document);
        }
        if _misses {
            for (what, counts) in [("missed", &score.missed), ("false", &score.false_names), ("far", &score.far)] {
                let mut counts: Vec<_> = counts.iter().collect();
                counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
                println!("{what}: {:?}", counts.iter().take(150).collect::<Vec<_>>());
            }
        }
        score
    }

    fn document(&mut self, document: &Value) {
        let text = document["text"].as_str().unwrap_or_default();
        let mentions = geo::parse(text, &Hints::default());
        let spans = geo::code_points(text, &mentions);
        let mut used = vec![false; mentions.len()];
        let empty = Vec::new();
        for gold in document["toponyms"].as_array().unwrap_or(&empty) {
            let (start, end) =
                (gold["start"].as_u64().unwrap_or(0) as usize, gold["end"].as_u64().unwrap_or(0) as usize);
            let overlapping = spans.iter().position(|span| span.start < end && start < span.end);
            let place = gold["lat"].as_f64().zip(gold["lon"].as_f64()).and_then(|(lat, lon)| LatLon::new(lat, lon));
            let Some(place) = place else {
                overlapping.into_iter().for_each(|index| used[index] = true);
                continue;
            };
            self.gold += 1;
            let phrase = gold["phrase"].as_str().unwrap_or_default().to_owned();
            match overlapping {
                Some(index) => {
                    used[index] = true;
                    self.found += 1;
                    self.exact += usize::from(spans[index] == (start..end));
                    let km = kilometres(mentions[index].at, place);
                    self.errors.push(km);
                    if km > 161.0 {
                        let got = mentions[index].place.map_or(String::new(), |place| place.full_name());
                        *self.far.entry(format!("{phrase} -> {got}")).or_default() += 1;
                    }
                }
                None => *self.missed.entry(phrase).or_default() += 1,
            }
        }
        for (mention, _) in mentions.iter().zip(used).filter(|(_, used)| !used) {
            self.wrong += 1;
            *self.false_names.entry(text[mention.span.clone()].to_owned()).or_default() += 1;
        }
    }

    fn print(mut self, name: &str, speed: f64) {
        let ratio = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let precision = ratio(self.found, self.found + self.wrong);
        let recall = ratio(self.found, self.gold);
        let f1 = 2.0 * precision * recall / (precision + recall).max(1e-9);
        let right = self.errors.iter().filter(|km| **km <= 161.0).count();
        let accuracy = ratio(right, self.errors.len());
        self.errors.sort_by(f64::total_cmp);
        let median = self.errors.get(self.errors.len() / 2).copied().unwrap_or(0.0);
        println!(
            "{name:<18} {:>6} {:>6}  {precision:.3}  {recall:.3}  {f1:.3}   {accuracy:.3} {median:>10.1}       {:.3}     {:.3}  {speed:.1}",
            self.gold,
            self.found,
            recall * accuracy,
            ratio(self.exact, self.gold),
        );
    }
}

/// Megabytes of text a second of processor time, each document by itself.
fn speed(documents: &[Value]) -> f64 {
    let texts: Vec<&str> = documents.iter().filter_map(|document| document["text"].as_str()).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let start = Instant::now();
    let spent = || {
        let schedule = std::fs::read_to_string("/proc/self/schedstat").ok();
        let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        nanoseconds.map_or(start.elapsed().as_secs_f64(), |spent| spent / 1e9)
    };
    let before = spent();
    let mut rounds = 0;
    while spent() - before < 1.0 {
        for text in &texts {
            let _: Vec<Mention> = black_box(geo::parse(black_box(text), &Hints::default()));
        }
        rounds += 1;
    }
    (bytes * rounds) as f64 / 1e6 / (spent() - before)
}
