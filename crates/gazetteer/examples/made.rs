//! Made files to measure an import with: `pbf MEGABYTES FILE` an extract of OpenStreetMap, `names COUNT FILE` a
//! dump of GeoNames.

#[path = "../tests/made/mod.rs"]
#[allow(dead_code)]
mod made;

use std::fs::File;
use std::io::{BufWriter, Write};

use made::{MadeNode, MadeWay, tags};

/// Nodes of a block, and one in so many is a house; ways of a block.
const NODES: u64 = 8000;
const HOUSES: u64 = 12;
const WAYS: u64 = 8000;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, number, file] = arguments.as_slice() else {
        eprintln!("usage: made pbf MEGABYTES FILE | made names COUNT FILE");
        return Ok(());
    };
    let number: u64 = number.parse().map_err(std::io::Error::other)?;
    let mut out = BufWriter::new(File::create(file)?);
    if what == "names" {
        names(number, &mut out)?
    } else {
        extract(number * 1_000_000, file, &mut out)?
    }
    out.flush()
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
