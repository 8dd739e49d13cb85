//! What is read from media files, seen from outside. The files are made here; none is needed.

mod damage;
mod ends;
mod films;
mod keep;
mod made;
mod pictures;
mod sounds;

use facts::Timestamp;
use media::{Facts, read_whole};

/// 2025-01-01.
const NOW: Timestamp = Timestamp(1_735_689_600_000);

fn read(bytes: &[u8]) -> Facts {
    read_whole(bytes, NOW).expect("a file of a known format")
}

fn near(facts: &Facts, (lat, lon): (f64, f64)) -> bool {
    facts.location.is_some_and(|found| (found.at.lat() - lat).abs() < 1e-6 && (found.at.lon() - lon).abs() < 1e-6)
}
