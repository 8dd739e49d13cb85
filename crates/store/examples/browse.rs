//! How long it takes to look around in a library of a million located items.
//!
//! `cargo run --release -p bowerbird-store --example browse -- [items [directory]]`
//!
//! Made visits: pictures of 500 hosts, one film in 200, all with a place: most around 2,000 made towns,
//! a fifth of all at the very point that stands for a town, a tenth anywhere. One page for every ten
//! pictures shows them and says something of each. A directory that is named is kept, and used again
//! when it holds a library. Then maps of random places at every zoom, searches by words, and pages of
//! 100 items in each order from random places of the list, each by a few filters.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use facts::{LatLon, Locality, MediaId, MediaKind, Order, Timestamp, Url};
use media::{Format, Location, LocationSource, Taken};
use store::{
    Area, Claim, ClusterFilter, Cursor, ItemFilter, ItemOrder, Library, Link, LinkContext, MediaFile, MediaReference,
    Options, Outcome, PageFacts, RunLimits, Store, VisitKind, Visited, Words,
};

const BATCH: u64 = 256;
const PAGE: usize = 100;
const TRIES: u64 = 100;
const TOWNS: u64 = 2_000;
const COUNTRIES: [&str; 5] = ["AT", "DE", "ES", "FI", "IT"];

type Outcomes = Result<(), Box<dyn std::error::Error>>;

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
    println!("{items} items, library.db {} MB, {} MB of memory", size(&dir)? >> 20, memory() >> 10);
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
        ("words", ItemFilter { words: Words::parse("bridge town7"), ..all() }),
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
        let filter = ItemFilter { words: Words::parse(text), ..ItemFilter::default() };
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

/// Numbers that look random and follow from `n`.
fn scattered(n: u64, salt: u64) -> f64 {
    let mixed = (n ^ salt << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed ^ (mixed >> 29)) as f64 / u64::MAX as f64
}

fn town_of(n: u64) -> u64 {
    // Large towns have many times the pictures of small ones.
    (scattered(n, 3).powi(3) * TOWNS as f64) as u64
}

fn names(town: u64) -> Locality {
    let country = COUNTRIES[(town % 5) as usize];
    Locality {
        place: format!("Town{town}, Land{}, {country}", town % 50),
        town: Some(format!("Town{town}")),
        admin1: Some(format!("Land{}", town % 50)),
        country: Some(country.into()),
    }
}

fn place(n: u64) -> LatLon {
    let town = town_of(n);
    let (lat, lon) = (37.0 + 28.0 * scattered(town, 11), -9.0 + 38.0 * scattered(town, 12));
    let spread = |salt| (scattered(n, salt) + scattered(n, salt + 1) - 1.0) * 0.15;
    let (lat, lon) = match n % 10 {
        0 | 1 => (lat, lon),
        2 => (170.0 * scattered(n, 1) - 85.0, 360.0 * scattered(n, 2) - 180.0),
        _ => (lat + spread(21), lon + spread(31)),
    };
    LatLon::new(lat, lon).expect("a point on the Earth")
}

fn taken(n: u64) -> String {
    let part = |salt, of: f64| (scattered(n, salt) * of) as u64;
    let date = (1990 + part(41, 35.0), 1 + part(42, 12.0), 1 + part(43, 28.0));
    format!("{}-{:02}-{:02}T{:02}:{:02}:00", date.0, date.1, date.2, part(44, 24.0), part(45, 60.0))
}

/// Where the `n`-th picture is.
fn address(n: u64) -> Url {
    Url::parse(&format!("http://m{}.example/photos/{n}.jpg", n % 500)).expect("a made address")
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
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    hash[8..16].copy_from_slice(&n.to_be_bytes());
    let id = MediaId::from_sha256(hash);
    let mut facts = media::read_whole(b"\xff\xd8\xff\xe0", Timestamp(0)).expect("the start of a JPEG");
    (facts.width, facts.height) = (Some(4_000), Some(3_000));
    facts.taken = (!n.is_multiple_of(3)).then(|| Taken::parse(&taken(n))).flatten();
    facts.title = Some(format!("Picture {n}"));
    if n.is_multiple_of(200) {
        facts.format = Format::named("mp4").expect("a known format");
    }
    let at = place(n);
    facts.location = Some(Location { at, altitude: None, direction: None, date: None, source: LocationSource::Exif });
    let colour = [51, 52, 53].map(|salt| (scattered(n, salt) * 256.0) as u8);
    let path = format!("m{}.example/{}/{id}.jpg", n % 500, &id.to_string()[..2]);
    let file = MediaFile {
        id,
        size: 2_000_000,
        path,
        thumbnail: None,
        colour: Some(colour),
        facts,
        locality: Some(names(town_of(n))),
        said: Vec::new(),
        description: None,
    };
    visit(address(n), VisitKind::Media(MediaKind::Image), n, Outcome::Media(file))
}

fn visit(url: Url, kind: VisitKind, n: u64, outcome: Outcome) -> Visited {
    let id = url.id();
    let link = Link {
        url,
        kind,
        order: Order::FirstIn,
        depth: 1,
        parent: None,
        referer: None,
        context: LinkContext::default(),
        branch: facts::Branch::default(),
        hops: Vec::new(),
        reopen: false,
    };
    let claim = Claim { number: n, id, link, tries: 0, round: 0, host_delay: None, host_failures: 0 };
    let at = Timestamp(n as i64);
    Visited { claim, at, took_ms: 20, bytes: 8_000, status: Some(200), outcome, links: Vec::new() }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn size(dir: &Path) -> std::io::Result<u64> {
    ["library.db", "library.db-wal"]
        .iter()
        .map(|name| std::fs::metadata(dir.join(name)).map_or(Ok(0), |file| Ok(file.len())))
        .sum()
}

/// Kilobytes of memory that the process has.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
