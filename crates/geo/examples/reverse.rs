//! How many points a core names in a second.
//!
//! `cargo run --release -p bowerbird-geo --example reverse [LAT LON]` names the point given, or
//! measures points spread around towns (as photographs are) and points all over the globe.

use std::hint::black_box;
use std::time::Instant;

use facts::LatLon;
use geo::{Gazetteer, reverse};

const POINTS: usize = 400_000;

fn main() {
    let start = Instant::now();
    let gazetteer = Gazetteer::embedded();
    println!("{} places, ready in {:.3} ms", gazetteer.len(), start.elapsed().as_secs_f64() * 1e3);
    let numbers: Vec<f64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    if let [lat, lon] = numbers[..] {
        match LatLon::new(lat, lon) {
            Some(point) => println!("{}", reverse(gazetteer, point).describe()),
            None => eprintln!("{lat},{lon} is not on the Earth"),
        }
        return;
    }
    // A fixed sequence of numbers between 0 and 1.
    let mut state = 1u64;
    let mut dice = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let places: Vec<_> = gazetteer.places().collect();
    let near: Vec<LatLon> = (0..POINTS)
        .filter_map(|_| {
            let at = places[(dice() * places.len() as f64) as usize].at();
            LatLon::new(at.lat() + (dice() - 0.5) * 0.2, at.lon() + (dice() - 0.5) * 0.2)
        })
        .collect();
    measure("near towns", &near);
    let anywhere: Vec<LatLon> =
        (0..POINTS).filter_map(|_| LatLon::new(dice() * 180.0 - 90.0, dice() * 360.0 - 180.0)).collect();
    measure("anywhere", &anywhere);
}

/// Seconds of processor time, where the system tells; else of the clock.
fn seconds(since: Instant) -> f64 {
    let spent = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = spent.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(since.elapsed().as_secs_f64(), |spent| spent / 1e9)
}

fn measure(what: &str, points: &[LatLon]) {
    let start = Instant::now();
    let before = seconds(start);
    let towns = points.iter().filter(|point| black_box(reverse(Gazetteer::embedded(), **point)).town.is_some()).count();
    let spent = seconds(start) - before;
    println!("{what}: {:.0} k look-ups/s, {} of {} in a town", points.len() as f64 / spent / 1e3, towns, points.len());
}
