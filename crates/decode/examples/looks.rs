//! What describing pictures costs.
//!
//! `cargo run --release -p bowerbird-decode --example looks -- DIR` takes pictures below `DIR`, makes
//! JPEGs of 640 × 480 and of 4000 × 3000 pixels of them, and prints how many of each one core decodes
//! and describes in a second, by the time this thread had the processor.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use decode::{Limits, Picture, picture};
use jpeg_encoder::{ColorType, Encoder};
use media::{Look, Pixels};
use rustix::time::{ClockId, clock_gettime};

/// Pictures that are taken.
const PICTURES: usize = 24;
/// Each is described so often, and the quickest counts: the machine may be busy.
const ROUNDS: u32 = 5;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("name a folder of pictures")?;
    let mut files = Vec::new();
    collect(Path::new(&folder), &mut files)?;
    files.sort();
    let step = (files.len() / PICTURES).max(1);
    let pictures: Vec<Picture> = files.iter().step_by(step).filter_map(|file| read(file)).take(PICTURES).collect();
    if pictures.is_empty() {
        bail!("{folder} has no pictures");
    }
    println!("size         pictures  decode ms  describe ms  pictures/s");
    for (width, height) in [(640, 480), (4000, 3000)] {
        let (mut decoding, mut describing) = (0.0, 0.0);
        for original in &pictures {
            let file = jpeg(original, width, height)?;
            let format = media::sniff(&file).context("no JPEG")?;
            let decode = || picture(&file, format, 1, Look::LONG_SIDE, &Limits::default());
            let shown = decode()?;
            decoding += milliseconds(decode);
            let pixels = Pixels { width: shown.width, height: shown.height, rgb: &shown.rgb };
            describing += milliseconds(|| Look::of(&pixels));
        }
        let count = pictures.len() as f64;
        let (decode, describe) = (decoding / count, describing / count);
        let a_second = 1000.0 / (decode + describe);
        println!("{width:4} × {height:4}  {count:8}  {decode:9.2}  {describe:11.2}  {a_second:10.0}");
    }
    Ok(())
}

fn read(file: &Path) -> Option<Picture> {
    let bytes = std::fs::read(file).ok()?;
    picture(&bytes, media::sniff(&bytes)?, 1, 1280, &Limits::default()).ok()
}

/// The picture at another size, as a camera would store it.
fn jpeg(picture: &Picture, width: u16, height: u16) -> Result<Vec<u8>> {
    let (across, down) = (usize::from(width), usize::from(height));
    let (from_across, from_down) = (picture.width as usize, picture.height as usize);
    let mut rgb = Vec::with_capacity(3 * across * down);
    for y in 0..down {
        for x in 0..across {
            let from = 3 * (y * from_down / down * from_across + x * from_across / across);
            rgb.extend_from_slice(&picture.rgb[from..from + 3]);
        }
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 85);
    encoder.set_sampling_factor(jpeg_encoder::SamplingFactor::F_2_2);
    encoder.encode(&rgb, width, height, ColorType::Rgb)?;
    Ok(file)
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

fn milliseconds<T>(mut work: impl FnMut() -> T) -> f64 {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    let mut quickest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = now();
        std::hint::black_box(work());
        quickest = quickest.min(now() - start);
    }
    quickest
}
