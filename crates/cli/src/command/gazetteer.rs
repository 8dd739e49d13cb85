//! `bowerbird gazetteer`: finer data that a user brings.

use std::path::Path;
use std::time::{Duration, Instant};

use crawl::quantity::show_bytes;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::Place;
use crate::arguments::{GazetteerTask, ImportGazetteer};
use crate::output::{counted, print_json, print_line};

/// How often a person is told how far it is.
const TELL: Duration = Duration::from_millis(200);

/// Imports finer data, or says what was imported.
pub fn gazetteer(place: Place, task: GazetteerTask) -> anyhow::Result<()> {
    match task {
        GazetteerTask::Import(order) => import(place, &order),
        GazetteerTask::Show => show(&place),
    }
}

fn import(place: Place, order: &ImportGazetteer) -> anyhow::Result<()> {
    let start = Instant::now();
    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template("{spinner} {msg}")?);
    let (mut read, mut told) = (0, Instant::now());
    let imported = ::gazetteer::import(&place.data, &order.files, |file: &Path, more| {
        read += more;
        if told.elapsed() >= TELL {
            told = Instant::now();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            bar.set_message(format!("{name}: {} read, {:.0} s", show_bytes(read), start.elapsed().as_secs_f64()));
            bar.tick();
        }
    });
    bar.finish_and_clear();
    let imported = imported?;
    let seconds = start.elapsed().as_secs_f64();
    if place.json {
        return print_json(&json!({ "places": imported.places, "bytes": imported.bytes, "seconds": seconds }));
    }
    let places = counted(imported.places.into(), "new place");
    print_line(format!("{places}, {} in {seconds:.1} s; used from the next start on", show_bytes(imported.bytes)))
}

fn show(place: &Place) -> anyhow::Result<()> {
    let finer = if ::gazetteer::open(&place.data)? { geo::Gazetteer::embedded().finer() } else { None };
    match (finer, place.json) {
        (finer, true) => print_json(&json!({
            "places": finer.map(|finer| finer.len()),
            "sources": finer.map(|finer| finer.about().lines().collect::<Vec<_>>()),
        })),
        (Some(finer), false) => {
            print_line(counted(finer.len() as u64, "new place"))?;
            finer.about().lines().try_for_each(print_line)
        }
        (None, false) => print_line("nothing was imported"),
    }
}
