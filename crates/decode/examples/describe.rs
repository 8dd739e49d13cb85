//! What describing sounds and films costs.
//!
//! `cargo run --release -p bowerbird-decode --example describe -- FILE…` describes each file, and
//! prints how long that took, how large the description is, and the most memory this process had.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use decode::Limits;
use facts::MediaKind;

fn main() -> Result<()> {
    println!("seconds of it\tseconds\ttimes real time\tbytes\tMB here\tfile");
    for name in std::env::args().skip(1) {
        let path = Path::new(&name);
        let mut head = Vec::new();
        File::open(path)?.take(media::SNIFF_BYTES as u64).read_to_end(&mut head)?;
        let format = media::sniff(&head).with_context(|| format!("{name} is no medium"))?;
        let began = Instant::now();
        let described = match format.kind {
            MediaKind::Video => decode::film(path, format, &Limits::default()).map(|film| {
                eprintln!("{} key frames", film.hashes().count());
                (film.duration(), film.to_bytes().len())
            }),
            _ => {
                decode::sound(path, format, &Limits::default()).map(|sound| (sound.duration(), sound.to_bytes().len()))
            }
        };
        let (took, memory) = (began.elapsed().as_secs_f64(), peak());
        match described {
            Ok((lasts, bytes)) => {
                let lasts = lasts.as_secs_f64();
                println!("{lasts:.1}\t{took:.2}\t{:.0}\t{bytes}\t{memory}\t{name}", lasts / took);
            }
            Err(error) => println!("-\t{took:.2}\t-\t-\t{memory}\t{name}: {error}"),
        }
    }
    Ok(())
}

/// The most memory this process had at once, in MB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
