//! How long it takes to list a library of a million items.
//!
//! `cargo run --release -p bowerbird-store --example items -- [items [places [home]]]`
//!
//! A home is a directory or a shared database, empty; without one a directory that is gone afterwards.
//!
//! Made visits: pictures of 500 hosts, half of them located (most in Europe), one film in 200, each
//! on one to three pages of other hosts. A page shows ten pictures and speaks of ten places, or of as
//! many as are asked for, with words about where as many of its pictures were made. Then lists of 500 items,
//! or of 100 pages, by each filter: the first, and the mean over a hundred that follow, or as many as there are.

#[path = "made/home.rs"]
mod home;
mod made;

use std::time::{Duration, Instant};

use facts::{LatLon, Locality, MediaKind, Timestamp, Url, Whereabouts};
use home::{Home, write};
use made::{Outcomes, address, kept, memory, ms, scattered, visit};
use media::{Facts, Location, LocationSource};
use store::{
    Area, Forget, ItemFilter, Library, MediaReference, Outcome, PageFacts, PageFilter, PagePlace, SaidLocation,
    SaidSource, VisitKind, Visited,
};

const PAGE: usize = 500;
const PAGES: usize = 100;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcomes {
    let items: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let places: u64 = std::env::args().nth(2).map_or(Ok(10), |text| text.parse())?;
    let home = Home::named(std::env::args().nth(3))?;
    let store = home.open()?;
    let library = store.library();
    write(&**library, "items", items, |n| vec![page(n, places), picture(n)]).await?;
    println!("{}, {} MB of memory", home.described(), memory() >> 10);
    let crawl = library.save_crawl("items", &serde_json::json!({})).await?.id;

    let helsinki = LatLon::new(60.17, 24.94).ok_or("a place")?;
    let all = ItemFilter::default;
    for (name, filter) in [
        ("all", all()),
        ("located", ItemFilter { located: Some(true), ..all() }),
        ("films", ItemFilter { kinds: vec![MediaKind::Video], ..all() }),
        ("located films", ItemFilter { kinds: vec![MediaKind::Video], located: Some(true), ..all() }),
        ("within 10 km", ItemFilter { area: Some(Area::circle(helsinki, 1e4)), ..all() }),
        ("within 1,000 km", ItemFilter { area: Some(Area::circle(helsinki, 1e6)), ..all() }),
        ("within 10,000 km", ItemFilter { area: Some(Area::circle(helsinki, 1e7)), ..all() }),
        ("of a host", ItemFilter { host: Some("m7.example".into()), ..all() }),
        ("on pages of a host", ItemFilter { host: Some("p3.example".into()), ..all() }),
        ("located, of a host", ItemFilter { host: Some("p3.example".into()), located: Some(true), ..all() }),
        ("the newest tenth", ItemFilter { since: Some(Timestamp((items - items / 10) as i64)), ..all() }),
    ] {
        measure(&**library, name, &filter).await?;
    }
    for metres in [1e4, 1e6, 1e7] {
        let filter = ItemFilter { area: Some(Area::circle(helsinki, metres)), ..all() };
        let before = Instant::now();
        let found = library.search_items(&filter, Some(helsinki), 0, 50).await?;
        println!("the nearest 50 of {:>7} within {metres:>8} m: {:.1} ms", found.total, ms(before.elapsed()));
    }
    let north = |centre: LatLon, degrees: f64| Area {
        boxes: vec![[centre.lat(), centre.lon(), centre.lat() + degrees, centre.lon() + degrees]],
        contains: std::sync::Arc::new(|_| true),
    };
    let all = PageFilter::default;
    for (name, filter) in [
        ("pages", all()),
        ("relevant pages", PageFilter { relevant: true, ..all() }),
        ("pages of a host", PageFilter { host: Some("p3.example".into()), ..all() }),
        ("pages of a town", PageFilter { area: Some(north(helsinki, 0.1)), ..all() }),
        ("pages of a country", PageFilter { area: Some(north(helsinki, 5.0)), ..all() }),
        ("the newest tenth", PageFilter { since: Some(Timestamp((items - items / 10) as i64)), ..all() }),
    ] {
        measure_pages(&**library, name, &filter).await?;
    }
    let before = Instant::now();
    let curve = library.harvest_curve(crawl, 200).await?;
    println!("{:<22} {:>8.1} ms   {:?}", "harvest curve", ms(before.elapsed()), curve.last());
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

async fn measure(library: &dyn Library, name: &str, filter: &ItemFilter) -> Outcomes {
    let (mut after, mut found, mut times) = (0, 0, Vec::new());
    for _ in 0..100 {
        let before = Instant::now();
        let page = library.items(filter, after, PAGE).await?;
        times.push(before.elapsed());
        found += page.len();
        let Some(last) = page.last() else { break };
        after = last.number;
    }
    report(name, &times, found, "items");
    Ok(())
}

async fn measure_pages(library: &dyn Library, name: &str, filter: &PageFilter) -> Outcomes {
    let (mut after, mut found, mut times) = (0, 0, Vec::new());
    for _ in 0..100 {
        let before = Instant::now();
        let pages = library.pages(filter, after, PAGES).await?;
        times.push(before.elapsed());
        found += pages.len();
        let Some(last) = pages.last() else { break };
        after = last.number;
    }
    report(name, &times, found, "pages");
    Ok(())
}

fn report(name: &str, times: &[Duration], found: usize, of: &str) {
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    let worst = times.iter().max().copied().unwrap_or_default();
    let (first, mean, worst) = (ms(times[0]), ms(mean), ms(worst));
    println!("{name:<22} {first:>8.1} ms first, {mean:>6.1} ms mean, {worst:>6.1} ms worst, {found} {of}");
}

fn page(n: u64, places: u64) -> Visited {
    // Three that are fetched, now or before, and seven that are not.
    let fetched = [n, n / 2, n / 3].into_iter().map(address);
    let small = |k: u64| Url::parse(&format!("http://m{}.example/small/{n}/{k}.jpg", n % 500)).expect("a made address");
    let media = fetched.chain((0..7).map(small)).zip(0..).map(|(url, k)| MediaReference {
        description: format!("Words that a page has about the picture at {url}, as long as captions mostly are"),
        url,
        kind: MediaKind::Image,
        licence: None,
        author: None,
        locations: (k < places)
            .then(|| SaidLocation { source: SaidSource::Description, whereabouts: whereabouts(n, k) })
            .into_iter()
            .collect(),
        refused: None,
    });
    let place = |k: u64| PagePlace {
        kind: "toponym".into(),
        id: Some(n as u32),
        mentions: 2,
        relevant: k == 0,
        why: "the most people of all places with this name".into(),
        whereabouts: whereabouts(n, k),
    };
    let url = Url::parse(&format!("http://p{}.example/{n}", n % 200)).expect("a made address");
    let facts = PageFacts {
        title: format!("Page {n}"),
        size: 30_000,
        relevant: n.is_multiple_of(3),
        places: (0..places).map(place).collect(),
        focus: (places > 0).then_some(0),
        media: media.collect(),
        ..PageFacts::default()
    };
    visit(url, VisitKind::Page, n, Outcome::Page(facts))
}

/// The `k`-th place that the `n`-th page speaks of: a few hundred thousand are spoken of at all.
fn whereabouts(n: u64, k: u64) -> Whereabouts {
    Whereabouts {
        at: location((n * 10 + k) % 300_000).at,
        precision_m: 3_000.0,
        confidence: scattered(n, k),
        evidence: "the words in which it was found".into(),
        address: None,
        locality: Locality {
            place: "A town, a land, a country".into(),
            town: Some("A town".into()),
            admin1: Some("A land".into()),
            country: Some("DE".into()),
        },
    }
}

fn picture(n: u64) -> Visited {
    let facts = Facts {
        make: Some("Maker".into()),
        model: Some("A model of it".into()),
        description: Some("What a photographer has to say about a picture".into()),
        location: n.is_multiple_of(2).then(|| location(n)),
        ..made::facts(n)
    };
    kept(n, made::file(n, facts))
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
