//! Regions as people name and draw them.
#![no_main]

use facts::LatLon;
use geo::{Gazetteer, Region};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for region in [Region::from_geojson(text), Region::find(Gazetteer::embedded(), text)].into_iter().flatten() {
        for (lat, lon) in [(0.0, 0.0), (53.1, 8.2), (-89.9, 179.9), (90.0, -180.0)] {
            let _ = LatLon::new(lat, lon).map(|point| region.contains(point));
        }
        let _ = (region.name().len(), region.centre(), region.bounds(), region.country());
    }
});
