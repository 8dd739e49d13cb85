//! How long it takes to list a library of a million items.
//!
//! `cargo run --release -p bowerbird-store --example items -- [items]`
//!
//! Made visits: pictures of 500 hosts, half of them located (most in Europe), one film in 200, each
//! on one to three pages of other hosts. Then pages of 500 items by each filter: the first, and the
//! mean over a hundred that follow, or as many as there are.

use std::path::Path;
use std::time::{Duration, Instant};

use facts::{LatLon, MediaId, MediaKind, Order, Timestamp, Url};
use media::{Format, Location, LocationSource};
use store::{
    Area, Claim, Forget, ItemFilter, Library, Link, LinkContext, MediaFile, MediaReference, Options, Outcome,
    PageFacts, RunLimits, Store, VisitKind, Visited,
};

const BATCH: u64 = 256;
const PAGE: usize = 500;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let items: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let dir = tempfile::tempdir_in(".")?;
    let store = Store::open(dir.path(), Options { what: "items".into(), ..Options::default() })?;
    let library = store.library();
    let crawl = library.save_crawl("items", &serde_json::json!({})).await?.id;
    let run = library.start_run(crawl, RunLimits::default(), 1_000).await?.id;

    let started = Instant::now();
    for first in (0..items).step_by(BATCH as usize) {
        let visits: Vec<Visited> = (first..items.min(first + BATCH)).flat_map(|n| [page(n), picture(n)]).collect();
        library.record(run, &visits).await?;
    }
    let took = started.elapsed().as_secs_f64();
    println!("{items} items and as many pages written in {took:.0} s, {:.0} items/s", items as f64 / took);
    println!("library.db {} MB", size(dir.path())? >> 20);

    let helsinki = LatLon::new(60.17, 24.94).ok_or("a place")?;
    let all = ItemFilter::default;
    for (name, filter) in [
        ("all", all()),
        ("located", ItemFilter { located: true, ..all() }),
        ("films", ItemFilter { kinds: vec![MediaKind::Video], ..all() }),
        ("located films", ItemFilter { kinds: vec![MediaKind::Video], located: true, ..all() }),
        ("within 10 km", ItemFilter { area: Some(Area::circle(helsinki, 1e4)), ..all() }),
        ("within 1,000 km", ItemFilter { area: Some(Area::circle(helsinki, 1e6)), ..all() }),
        ("within 10,000 km", ItemFilter { area: Some(Area::circle(helsinki, 1e7)), ..all() }),
        ("of a host", ItemFilter { host: Some("m7.example".into()), ..all() }),
        ("on pages of a host", ItemFilter { host: Some("p3.example".into()), ..all() }),
        ("located, of a host", ItemFilter { host: Some("p3.example".into()), located: true, ..all() }),
        ("the newest tenth", ItemFilter { since: Some(Timestamp((items - items / 10) as i64)), ..all() }),
    ] {
        measure(&**library, name, &filter).await?;
    }
    for metres in [1e4, 1e6, 1e7] {
        let filter = ItemFilter { area: Some(Area::circle(helsinki, metres)), ..all() };
        let before = Instant::now();
        let found = library.search_items(&filter, Some(helsinki), 50).await?;
        println!("the nearest 50 of {:>7} within {metres:>8} m: {:.1} ms", found.total, ms(before.elapsed()));
    }
    let before = Instant::now();
    let figures = library.library_figures(50).await?;
    println!("{:<22} {:>8.1} ms   {:?}", "figures", ms(before.elapsed()), figures.images);
    for (name, what) in [
        ("forget a picture", Forget::Address(address(9))),
        ("forget a page", Forget::Address(Url::parse("http://p3.example/1003")?)),
        ("forget a host", Forget::Host(address(7).host())),
    ] {
        let before = Instant::now();
        let forgotten = library.forget(&what).await?;
        println!("{name:<22} {:>8.1} ms   {forgotten:?}", ms(before.elapsed()));
    }
    Ok(())
}

async fn measure(library: &dyn Library, name: &str, filter: &ItemFilter) -> Result<(), Box<dyn std::error::Error>> {
    let (mut after, mut found, mut times) = (0, 0, Vec::new());
    for _ in 0..100 {
        let before = Instant::now();
        let page = library.items(filter, after, PAGE).await?;
        times.push(before.elapsed());
        found += page.len();
        let Some(last) = page.last() else { break };
        after = last.number;
    }
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    let worst = times.iter().max().copied().unwrap_or_default();
    let (first, mean, worst) = (ms(times[0]), ms(mean), ms(worst));
    println!("{name:<22} {first:>8.1} ms first, {mean:>6.1} ms mean, {worst:>6.1} ms worst, {found} items");
    Ok(())
}

/// Where the `n`-th picture is.
fn address(n: u64) -> Url {
    Url::parse(&format!("http://m{}.example/photos/{n}.jpg", n % 500)).expect("a made address")
}

/// Numbers that look random and follow from `n`.
fn scattered(n: u64, salt: u64) -> f64 {
    let mixed = (n ^ salt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) as f64 / u64::MAX as f64
}

fn page(n: u64) -> Visited {
    let shown = [n, n / 2, n / 3];
    let media = shown.iter().map(|&shown| MediaReference {
        url: address(shown),
        kind: MediaKind::Image,
        description: format!("Words that a page has about the picture {shown}, as long as captions mostly are"),
        licence: None,
        author: None,
        locations: Vec::new(),
        refused: None,
    });
    let url = Url::parse(&format!("http://p{}.example/{n}", n % 200)).expect("a made address");
    let facts = PageFacts { title: format!("Page {n}"), size: 30_000, media: media.collect(), ..PageFacts::default() };
    visit(url, VisitKind::Page, n, Outcome::Page(facts))
}

fn picture(n: u64) -> Visited {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    hash[8..16].copy_from_slice(&n.to_be_bytes());
    let id = MediaId::from_sha256(hash);
    let mut facts = media::read_whole(b"\xff\xd8\xff\xe0", Timestamp(0)).expect("the start of a JPEG");
    (facts.width, facts.height) = (Some(4_000), Some(3_000));
    (facts.make, facts.model) = (Some("Maker".into()), Some("A model of it".into()));
    facts.description = Some("What a photographer has to say about a picture".into());
    if n.is_multiple_of(200) {
        facts.format = Format::named("mp4").expect("a known format");
    }
    facts.location = n.is_multiple_of(2).then(|| location(n));
    let path = format!("m{}.example/{}/{id}.jpg", n % 500, &id.to_string()[..2]);
    let file = MediaFile { id, size: 2_000_000, path, thumbnail: None, facts, locality: None, said: Vec::new() };
    visit(address(n), VisitKind::Media(MediaKind::Image), n, Outcome::Media(file))
}

fn location(n: u64) -> Location {
    let (north, east) = (scattered(n, 1), scattered(n, 2));
    let (lat, lon) = if n % 10 < 8 {
        (36.0 + 30.0 * north, -10.0 + 40.0 * east)
    } else {
        (180.0 * north - 90.0, 360.0 * east - 180.0)
    };
    let at = LatLon::new(lat, lon).expect("a point on the Earth");
    Location { at, altitude: None, direction: None, date: None, source: LocationSource::Exif }
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
