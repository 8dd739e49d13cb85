//! What a thumbnail costs, by step.
//!
//! `cargo run --release -p bowerbird-decode --example thumbnails -- DIR` takes every picture below
//! `DIR` and prints milliseconds of CPU time a picture, by format and size.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use decode::{Limits, picture, thumbnail};
use facts::{MediaKind, Timestamp};
use rustix::time::{ClockId, clock_gettime};

/// The longer side of a thumbnail, in pixels.
const LONGEST: u32 = 400;

/// Each picture is taken so often, and the quickest counts: the machine may be busy.
const ROUNDS: u32 = 5;

fn main() -> Result<()> {
    let Some(folder) = std::env::args().nth(1) else { bail!("name a folder of pictures") };
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files)?;
    let mut rows: BTreeMap<(&str, usize), Row> = BTreeMap::new();
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let bytes = std::fs::read(&file)?;
        let Ok(facts) = media::read_whole(&bytes, Timestamp(4_000_000_000_000)) else { continue };
        if facts.format.kind != MediaKind::Image {
            continue;
        }
        let decode = || picture(&bytes, facts.format, facts.orientation, LONGEST, &Limits::default());
        let shown = match decode() {
            Ok(shown) => shown,
            Err(error) => {
                *refused.entry(error.to_string()).or_default() += 1;
                continue;
            }
        };
        let pixels = f64::from(facts.width.unwrap_or(0)) * f64::from(facts.height.unwrap_or(0));
        let size = SIZES.iter().position(|(most, _)| pixels <= *most).unwrap_or(SIZES.len() - 1);
        let row = rows.entry((facts.format.name, size)).or_default();
        row.files += 1;
        row.bytes += bytes.len();
        row.pixels += pixels;
        row.decode += milliseconds(decode);
        row.thumbnail += milliseconds(|| thumbnail(&shown, LONGEST));
        row.thumbnail_bytes += thumbnail(&shown, LONGEST)?.jpeg.len();
    }
    println!("format  size          files     Mpx      KB   decode  resize+encode    sum ms   thumbnail KB");
    for ((format, size), row) in rows {
        let mean = |sum: f64| sum / row.files as f64;
        println!(
            "{format:7} {:12} {:6} {:7.2} {:7.0} {:8.2} {:14.2} {:9.2} {:14.1}",
            SIZES[size].1,
            row.files,
            mean(row.pixels) / 1e6,
            mean(row.bytes as f64) / 1e3,
            mean(row.decode),
            mean(row.thumbnail),
            mean(row.decode + row.thumbnail),
            mean(row.thumbnail_bytes as f64) / 1e3,
        );
    }
    for (error, files) in refused {
        println!("{files} not decoded: {error}");
    }
    Ok(())
}

/// Most pixels of each size.
const SIZES: [(f64, &str); 5] = [
    (0.2e6, "to 0.2 Mpx"),
    (0.8e6, "to 0.8 Mpx"),
    (3.0e6, "to 3 Mpx"),
    (20.0e6, "to 20 Mpx"),
    (f64::INFINITY, "larger"),
];

#[derive(Default)]
struct Row {
    files: usize,
    bytes: usize,
    pixels: f64,
    decode: f64,
    thumbnail: f64,
    thumbnail_bytes: usize,
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// CPU time of this thread: other work on the machine does not count.
fn cpu_milliseconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

fn milliseconds<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut quickest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = cpu_milliseconds();
        std::hint::black_box(work());
        quickest = quickest.min(cpu_milliseconds() - start);
    }
    quickest
}
