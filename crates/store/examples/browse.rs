//! How long it takes to look around in a library of a million located items.
//!
//! `cargo run --release -p bowerbird-store --example browse -- [items [directory]]`
//!
//! Made visits: pictures of 500 hosts, one film in 200, all with a place: most around 2,000 made towns,
//! a fifth of all at the very point that stands for a town, a tenth anywhere. One page for every ten
//! pictures shows them and says something of each. A directory that is named is kept, and used again
//! when it holds a library. Then maps of random places at every zoom, searches by words, and pages of
//! 100 items in each order from random places of the list, each by a few filters.

mod made;
#[path = "made/places.rs"]
mod places;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use facts::{LatLon, MediaKind, Timestamp, Url};
use made::{BATCH, Outcomes, address, kept, memory, ms, scattered, size, visit};
use media::{Facts, Location, LocationSource, Taken};
use places::{names, place, town_of};
use store::{
    Area, ClusterFilter, Cursor, ItemFilter, ItemOrder, Library, MediaFile, MediaReference, Options, Outcome,
    PageFacts, RunLimits, Store, VisitKind, Visited, Want,
};

const PAGE: usize = 100;
const TRIES: u64 = 100;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcomes {
    let items: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let scratch = tempfile::tempdir_in(".")?;
    let dir = std::env::args().nth(2).map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    let store = Store::open(&dir, Options { what: "browse".into(), ..Options::default() })?;
    let library = store.library();
    let there: u64 = library.library_figures(0).await?.media.values().sum();
    if there < items {
        make(&**library, there, items).await?;
    }
    println!("{items} items, library.db {} MB, {} MB of memory", size(&dir) >> 20, memory() >> 10);
    let before = Instant::now();
    let figures = library.library_figures(50).await?;
    println!("{:<28} {:>7.1} ms   {:?}", "figures", ms(before.elapsed()), figures.images);
    maps(&**library, items).await?;
    words(&**library).await?;
    orders(&**library, items).await?;
    println!("{} MB of memory", memory() >> 10);
    Ok(())
}

async fn make(library: &dyn Library, there: u64, items: u64) -> Outcomes {
    let crawl = library.save_crawl("browse", &serde_json::json!({})).await?.id;
    let run = library.start_run(crawl, RunLimits::default(), 1_000).await?.id;
    let started = Instant::now();
    for first in (there..items).step_by(BATCH as usize) {
        let numbers = first..items.min(first + BATCH);
        let visits: Vec<Visited> =
            numbers.flat_map(|n| n.is_multiple_of(10).then(|| page(n)).into_iter().chain([picture(n)])).collect();
        library.record(run, &visits).await?;
    }
    let took = started.elapsed();
    let each = took.as_secs_f64() * 1e6 / (items - there) as f64;
    println!("{} items written in {:.0} s, {each:.0} µs each", items - there, took.as_secs_f64());
    Ok(())
}

async fn orders(library: &dyn Library, items: u64) -> Outcomes {
    let all = ItemFilter::default;
    let helsinki = LatLon::new(60.17, 24.94).ok_or("a place")?;
    let filters = [
        ("all", all()),
        ("located", ItemFilter { located: Some(true), ..all() }),
        ("images", ItemFilter { kinds: vec![MediaKind::Image], ..all() }),
        ("films", ItemFilter { kinds: vec![MediaKind::Video], ..all() }),
        ("of a host", ItemFilter { host: Some("m7.example".into()), ..all() }),
        ("of the crawl", ItemFilter { crawl: Some("browse".into()), ..all() }),
        ("open", ItemFilter { open_licence: true, ..all() }),
        ("within 10 km", ItemFilter { area: Some(Area::circle(helsinki, 1e4)), ..all() }),
        ("within 1,000 km", ItemFilter { area: Some(Area::circle(helsinki, 1e6)), ..all() }),
        ("the newest tenth", ItemFilter { since: Some(Timestamp((items - items / 10) as i64)), ..all() }),
        ("the older half", ItemFilter { until: Some(Timestamp((items / 2) as i64)), ..all() }),
    ];
    for (name, filter) in &filters {
        for order in [
            ItemOrder::Newest,
            ItemOrder::Oldest,
            ItemOrder::Taken,
            ItemOrder::Place,
            ItemOrder::Host,
            ItemOrder::Colour,
        ] {
            let (mut times, mut found) = (Vec::new(), 0);
            for n in 0..TRIES {
                let after = (n > 0).then(|| anywhere(order, items, n)).transpose()?;
                let before = Instant::now();
                found += library.list_items(filter, order, after.as_ref(), PAGE).await?.what.len();
                times.push(before.elapsed());
            }
            report(&format!("{name}, {order:?}"), &times, found);
        }
    }
    let (mut times, mut found, mut after) = (Vec::new(), 0, None);
    for _ in 0..TRIES {
        let before = Instant::now();
        let listed = library.unverified(after.as_ref(), PAGE).await?;
        times.push(before.elapsed());
        found += listed.what.len();
        after = listed.next;
    }
    report("to verify", &times, found);
    Ok(())
}

/// Views of a screen of 1,280 × 800 pixels around random pictures, at every zoom.
async fn maps(library: &dyn Library, items: u64) -> Outcomes {
    let all = ItemFilter::default;
    let filters = [
        ("everything", all()),
        ("films", ItemFilter { kinds: vec![MediaKind::Video], ..all() }),
        ("open", ItemFilter { open_licence: true, ..all() }),
        ("the newest tenth", ItemFilter { since: Some(Timestamp((items - items / 10) as i64)), ..all() }),
        ("of a host", ItemFilter { host: Some("m7.example".into()), ..all() }),
        ("words", ItemFilter { words: Want::parse("bridge town7"), ..all() }),
    ];
    for (name, filter) in filters {
        let what = ClusterFilter::Media(filter);
        let (mut all_times, mut slowest) = (Vec::new(), (Duration::ZERO, 0, 0));
        for zoom in 0..=20u8 {
            let mut most = 0;
            for n in 0..20 {
                let centre = place((scattered(n, 61) * items as f64) as u64);
                let degrees = 360.0 / 512.0 / f64::from(1u32 << zoom);
                let (wide, high) = (1_280.0 * degrees, 800.0 * degrees * centre.lat().to_radians().cos());
                let (west, east) = (centre.lon() - wide / 2.0, centre.lon() + wide / 2.0);
                let before = Instant::now();
                let view = [centre.lat() - high / 2.0, west, centre.lat() + high / 2.0, east];
                let found = library.clusters(&what, view, zoom).await?;
                let took = before.elapsed();
                all_times.push(took);
                most = most.max(found.clusters.len());
                if took > slowest.0 {
                    slowest = (took, zoom, found.clusters.len());
                }
            }
        }
        report(&format!("map of {name}"), &all_times, all_times.len());
        println!("{:<28} at zoom {}, {} clusters", "    the slowest", slowest.1, slowest.2);
    }
    Ok(())
}

async fn words(library: &dyn Library) -> Outcomes {
    for text in ["town1234", "picture", "brid", "bridge river", "\"walk in the\"", "town7 -bridge", "town77 river"] {
        let filter = ItemFilter { words: Want::parse(text), ..ItemFilter::default() };
        let before = Instant::now();
        let found = library.search_items(&filter, None, 0, 50).await?;
        println!("{:<28} {:>7.1} ms   {} found", format!("words {text}"), ms(before.elapsed()), found.total);
        let before = Instant::now();
        library.list_items(&filter, ItemOrder::Place, None, PAGE).await?;
        println!("{:<28} {:>7.1} ms", "    by place", ms(before.elapsed()));
    }
    Ok(())
}

/// A place in a list, as its cursor is written.
fn anywhere(order: ItemOrder, items: u64, n: u64) -> Result<Cursor, serde_json::Error> {
    let number = (scattered(n, 5) * items as f64) as u64;
    let key = match order {
        ItemOrder::Newest | ItemOrder::Oldest => serde_json::Value::Null,
        ItemOrder::Taken => taken(number).into(),
        ItemOrder::Place => {
            let names = names(town_of(number));
            let parts = [names.country, names.admin1, names.town].map(Option::unwrap_or_default);
            parts.join("\u{1}").into()
        }
        ItemOrder::Host => format!("m{}.example", number % 500).into(),
        ItemOrder::Colour => (((number % 36) << 8) | (number % 256)).into(),
    };
    serde_json::from_value(serde_json::json!({"key": key, "number": number}))
}

fn report(name: &str, times: &[Duration], found: usize) {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let (mean, worst) = (sorted.iter().sum::<Duration>() / sorted.len() as u32, sorted[sorted.len() - 1]);
    println!("{name:<28} {:>7.1} ms mean, {:>7.1} ms worst, {found} found", ms(mean), ms(worst));
}

fn taken(n: u64) -> String {
    let part = |salt, of: f64| (scattered(n, salt) * of) as u64;
    let date = (1990 + part(41, 35.0), 1 + part(42, 12.0), 1 + part(43, 28.0));
    format!("{}-{:02}-{:02}T{:02}:{:02}:00", date.0, date.1, date.2, part(44, 24.0), part(45, 60.0))
}

fn page(n: u64) -> Visited {
    let media = (n..n + 10).map(|n| MediaReference {
        description: format!("The bridge and the river of Town{} in the evening", town_of(n)),
        url: address(n),
        kind: MediaKind::Image,
        licence: n.is_multiple_of(100).then(|| "https://creativecommons.org/licenses/by/4.0/".into()),
        author: None,
        locations: Vec::new(),
        refused: None,
    });
    let url = Url::parse(&format!("http://p{}.example/{n}", n % 200)).expect("a made address");
    let facts =
        PageFacts { title: format!("A walk {n}"), size: 30_000, media: media.collect(), ..PageFacts::default() };
    visit(url, VisitKind::Page, n, Outcome::Page(facts))
}

fn picture(n: u64) -> Visited {
    let at = place(n);
    let facts = Facts {
        taken: (!n.is_multiple_of(3)).then(|| Taken::parse(&taken(n))).flatten(),
        title: Some(format!("Picture {n}")),
        location: Some(Location { at, altitude: None, direction: None, date: None, source: LocationSource::Exif }),
        ..made::facts(n)
    };
    let colour = Some([51, 52, 53].map(|salt| (scattered(n, salt) * 256.0) as u8));
    kept(n, MediaFile { colour, locality: Some(names(town_of(n))), ..made::file(n, facts) })
}
