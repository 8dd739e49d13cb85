//! The figures of a library in the shape that scripts and the web know.

use serde_json::{Value, json};
use store::{Harvest, LibraryFigures, Units};

/// A harvest; position *n* of a list counts what has length *n*.
pub fn harvest(harvest: &Harvest) -> Value {
    json!({
        "pages": harvest.pages, "relevant": harvest.relevant, "rate": harvest.rate(), "bridge": harvest.bridge,
        "tail": harvest.tail, "seed_distance": harvest.seed_distance,
    })
}

/// What each part of a crawl did.
pub fn units(units: &Units) -> Value {
    json!({
        "assigned": units.assigned, "fetched": units.fetched, "found": units.found, "dynamic": units.dynamic,
        "states": units.states, "ranked": units.ranked,
    })
}

/// The figures of a library.
pub fn statistics(figures: &LibraryFigures) -> Value {
    let kept = |kind: &str| figures.media.get(kind).copied().unwrap_or(0);
    let images = &figures.images;
    let tlds: Vec<Value> = figures
        .tlds
        .iter()
        .map(|(tld, images)| json!({ "tld": tld, "images_with_location_in_metadata": images }))
        .collect();
    let hosts: Vec<Value> = figures
        .hosts
        .iter()
        .map(|host| json!({ "host": host.host, "pages": host.pages, "images": host.images, "geotagged": host.geotagged }))
        .collect();
    let runs: Vec<Value> = figures
        .runs
        .iter()
        .map(|(name, run, pages)| {
            json!({
                "name": name, "started": run.started, "ended": run.ended, "seconds": run.seconds,
                "pages": pages, "stopped": run.stopped, "peak_memory": run.peak_memory, "steps": run.steps,
            })
        })
        .collect();
    json!({
        "links": { "discovered": figures.discovered, "visited": figures.visited },
        "pages": figures.pages,
        "pages_with_places": figures.pages_with_places,
        "images": {
            "total": images.total, "with_location_in_metadata": images.with_location_in_metadata,
            "without": images.without, "wrong_coordinates": images.wrong_coordinates, "located_by_text": images.located_by_text,
            "average_width": images.average_width, "average_height": images.average_height,
        },
        "media": { "image": kept("image"), "video": kept("video"), "audio": kept("audio") },
        "hosts": hosts,
        "tlds": tlds,
        "harvest": harvest(&figures.harvest),
        "units": units(&figures.units),
        "runs": runs,
    })
}
