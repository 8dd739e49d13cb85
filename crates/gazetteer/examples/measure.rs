//! How long an import takes, and what imported names cost a parser.
//!
//! `cargo run --release -p bowerbird-gazetteer --example measure -- …`: `pbf MEGABYTES FILE` and `names COUNT FILE` make an
//! extract of OpenStreetMap and a dump of GeoNames; `import DATA FILE…` imports, `parse DATA FILE…` parses texts (of JSON
//! lines their "text" as it stands) without and with what was imported. Both say how much memory they took at most.

#[path = "../tests/made/mod.rs"]
#[allow(dead_code)]
mod made;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use made::{MadeNode, MadeWay, tags};

/// Nodes of a block, and one in so many is a house; ways of a block.
const NODES: u64 = 8000;
const HOUSES: u64 = 12;
const WAYS: u64 = 8000;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["pbf", megabytes, file] => {
            let bytes = megabytes.parse::<u64>().map_err(std::io::Error::other)? * 1_000_000;
            extract(bytes, file, &mut File::create(file)?)
        }
        ["names", count, file] => {
            let mut out = BufWriter::new(File::create(file)?);
            names(count.parse().map_err(std::io::Error::other)?, &mut out)?;
            out.flush()
        }
        ["import", data, ref files @ ..] => {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            let imported = gazetteer::import(Path::new(data), &files, |_, _| {}).map_err(std::io::Error::other)?;
            println!("{imported:?}, {:.1} s of processor time, {}", spent(), peak());
            Ok(())
        }
        ["parse", data, ref files @ ..] => {
            let texts: std::io::Result<Vec<String>> = files.iter().map(std::fs::read_to_string).collect();
            let text = texts?.join("\n");
            let without = speed(&text);
            gazetteer::open(Path::new(data)).map_err(std::io::Error::other)?;
            let with = speed(&text);
            println!(
                "{without:.1} MB/s without, {with:.1} MB/s with what was imported: {:.2}, {}",
                with / without,
                peak()
            );
            Ok(())
        }
        _ => {
            eprintln!("usage: measure pbf MEGABYTES FILE | names COUNT FILE | import DATA FILE… | parse DATA FILE…");
            Ok(())
        }
    }
}

/// Seconds of processor time of this thread.
fn spent() -> f64 {
    let schedule = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    schedule.split(' ').next().and_then(|spent| spent.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

/// The most memory this process took.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Megabytes parsed in a second.
fn speed(text: &str) -> f64 {
    let (start, mut rounds) = (spent(), 0);
    while spent() - start < 3.0 {
        std::hint::black_box(geo::parse(text, &geo::Hints::default()).len());
        rounds += 1;
    }
    (text.len() * rounds) as f64 / 1e6 / (spent() - start)
}

/// A number that looks like chance.
fn dice(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed ^ mixed >> 29).wrapping_mul(0x94D0_49BB_1331_11EB) >> 17
}

fn word(number: u64) -> String {
    const PARTS: [&str; 24] = [
        "ba", "do", "ke", "lin", "mar", "no", "pel", "ra", "su", "ti", "vor", "wen", "zau", "gro", "hel", "jo", "fen",
        "dal", "bru", "stet", "hau", "mun", "qui", "tor",
    ];
    let mut word: String = (0..4).map(|part| PARTS[(dice(number ^ part << 40) % 24) as usize]).collect();
    word.replace_range(..1, &word[..1].to_uppercase());
    word
}

fn point(number: u64) -> (f64, f64) {
    (47.5 + (dice(number) % 7_000_000) as f64 / 1e6, 6.0 + (dice(number ^ 77) % 9_000_000) as f64 / 1e6)
}

fn names(count: u64, out: &mut impl Write) -> std::io::Result<()> {
    for number in 0..count {
        let ((lat, lon), name) = (point(number), format!("{} {}", word(number), word(number / 7 + 1)));
        let id = 100_000_000 + number;
        writeln!(
            out,
            "{id}\t{name}\t{name}\t\t{lat}\t{lon}\tP\tPPL\tDE\t\t0{}\t\t\t\t{}\t\t10\tEurope/Berlin\t2020-01-01",
            number % 9 + 1,
            number % 400
        )?;
    }
    Ok(())
}

fn extract(bytes: u64, file: &str, out: &mut impl Write) -> std::io::Result<()> {
    made::header(out)?;
    let mut id = 0u64;
    // Three quarters of an extract are nodes.
    while std::fs::metadata(file)?.len() < bytes / 4 * 3 {
        let node = |step: u64| {
            let id = id + step;
            let (lat, lon) = point(id / 50);
            let said = if id.is_multiple_of(HOUSES) {
                let number = (id / HOUSES % 200).to_string();
                tags(&[
                    ("addr:street", &format!("{}straße", word(id / 600))),
                    ("addr:housenumber", &number),
                    ("addr:postcode", &(10_000 + id / 9000 % 80_000).to_string()),
                ])
            } else {
                vec![]
            };
            MadeNode {
                id: id as i64 + 1,
                lat: lat + (step % 50) as f64 * 1e-4,
                lon: lon + (dice(id) % 1000) as f64 * 1e-6,
                tags: said,
            }
        };
        made::nodes(&(0..NODES).map(node).collect::<Vec<_>>(), out)?;
        id += NODES;
    }
    let mut way = 0u64;
    while std::fs::metadata(file)?.len() < bytes {
        let make = |step: u64| {
            let way = way + step;
            let first = (dice(way) % id.saturating_sub(12)) as i64 + 1;
            let said = match way % 6 {
                0 => tags(&[("highway", "residential"), ("name", &format!("{}straße", word(first as u64 / 600)))]),
                1 => tags(&[
                    ("building", "yes"),
                    ("addr:street", &format!("{}weg", word(first as u64 / 500))),
                    ("addr:housenumber", &(way % 150).to_string()),
                ]),
                _ => tags(&[("building", "yes")]),
            };
            MadeWay { tags: said, nodes: (first..first + 8).collect() }
        };
        made::ways(&(0..WAYS).map(make).collect::<Vec<_>>(), out)?;
        way += WAYS;
    }
    Ok(())
}
