//! How long a library of a million pictures takes to answer: by words, by place, on a map, by example, in lists.
//!
//! `cargo run --release -p bowerbird-store --example search -- HOME [items [from=DIRECTORY] [part …]]`
//!
//! `HOME` is a shared database (`postgres://…`, or `host=… user=… dbname=…`) or a directory; it is filled
//! with as many items as are asked for (`made/library.rs`), and used again when it has them. A shared database
//! is filled sooner from a directory that has them, as `bowerbird migrate` does it. Parts are `first`, `words`,
//! `areas`, `maps`, `alike` and `lists`; `none` measures nothing, and without one all are measured. Times are those that whoever asks waits,
//! one question after the other, each kind after ten others of its kind that are not counted. An example is
//! asked for as `crawl` does, without what it does with the 300 descriptions that come.

#[path = "made/home.rs"]
mod home;
#[path = "made/library.rs"]
mod library;
mod made;
#[path = "made/places.rs"]
mod places;
#[path = "made/texts.rs"]
mod texts;
#[path = "made/times.rs"]
mod times;

use std::time::Instant;

use facts::{MediaKind, Timestamp};
use home::Home;
use library::{CRAWL, VERSION, point};
use made::{Outcomes, memory, ms, scattered};
use places::{names, place, town_of};
use store::{Alike, Area, ClusterFilter, Cursor, ItemFilter, ItemOrder, Library, Want};
use times::{BEFORE, Times};

/// Points that are compared for an example, and items that are read.
const COMPARED: usize = 30_000;
const RANKED: usize = 300;
/// Questions of a kind.
const TRIES: u64 = 200;
/// Items of a page, in a search and in a list.
const FOUND: usize = 50;
const PAGE: usize = 100;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcomes {
    let mut given = std::env::args().skip(1);
    let home = Home::named(Some(given.next().ok_or("name a database or a directory")?))?;
    let items: u64 = given.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let mut parts: Vec<String> = given.collect();
    if let Some(at) = parts.iter().position(|part| part.starts_with("from=")) {
        let from = parts.remove(at);
        tokio::task::block_in_place(|| home.move_in(from.trim_start_matches("from=")))?;
    }
    let asked = |part: &str| parts.is_empty() || parts.iter().any(|given| given == part);
    let store = home.open()?;
    let library = &**store.library();
    library::fill(library, items).await?;
    println!("{items} items, {}", home.described());
    if asked("first") {
        first(&home, library).await?;
    }
    if asked("words") {
        words(library, items).await?;
    }
    if asked("areas") {
        areas(library, items).await?;
    }
    if asked("maps") {
        maps(library, items).await?;
    }
    if asked("alike") {
        alike(library, items).await?;
    }
    if asked("lists") {
        lists(library, items).await?;
    }
    println!("{} MB of memory", memory() >> 10);
    store.close().await?;
    Ok(())
}

/// Any picture.
fn any(n: u64, salt: u64, items: u64) -> u64 {
    (scattered(n, salt) * items as f64) as u64
}

/// What a process pays once: opening, the first question, the first slip, which reads all words, and figures.
async fn first(home: &Home, library: &dyn Library) -> Outcomes {
    let before = Instant::now();
    let reader = home.read()?;
    println!("{:<46} {:>6.1} ms", "opened to read", ms(before.elapsed()));
    for (name, text) in [("the first question", texts::one_word(0, 5)), ("the first slip", texts::slip(0, 3))] {
        let filter = ItemFilter { words: Want::parse(&text), ..ItemFilter::default() };
        let before = Instant::now();
        let found = reader.library().search_items(&filter, None, 0, FOUND).await?;
        println!("{name:<46} {:>6.1} ms; {} found", ms(before.elapsed()), found.total);
    }
    let before = Instant::now();
    let figures = library.library_figures(50).await?;
    println!("{:<46} {:>6.1} ms; {:?}", "figures", ms(before.elapsed()), figures.images);
    Ok(())
}

async fn words(library: &dyn Library, items: u64) -> Outcomes {
    let frequent: texts::Question = |_, n| texts::TONGUES[(n % 4) as usize].word(n % 40 / 4);
    for (name, question) in texts::QUESTIONS.into_iter().chain([("the most frequent words", frequent)]) {
        let mut times = Times::default();
        for n in 0..BEFORE + TRIES {
            let text = question(any(n, 7, items), n);
            let filter = ItemFilter { words: Want::parse(&text), ..ItemFilter::default() };
            times.of(library.search_items(&filter, None, 0, FOUND), |found| found.total).await?;
        }
        times.report(&format!("words: {name}"));
    }
    Ok(())
}

async fn areas(library: &dyn Library, items: u64) -> Outcomes {
    for km in [1.0, 10.0, 100.0, 1_000.0] {
        for (name, nearest, word) in [
            ("", false, false),
            (", nearest first", true, false),
            (" and a word", false, true),
            (" and a word, nearest", true, true),
        ] {
            let mut times = Times::default();
            for n in 0..BEFORE + TRIES {
                let centre = place(any(n, 29, items));
                let words = if word { Want::parse(&texts::one_word(0, n)) } else { None };
                let filter =
                    ItemFilter { words, area: Some(Area::circle(centre, 1_000.0 * km)), ..ItemFilter::default() };
                let asked = library.search_items(&filter, nearest.then_some(centre), 0, FOUND);
                times.of(asked, |found| found.total).await?;
            }
            times.report(&format!("place: within {km} km{name}"));
        }
        let (mut found, mut listed) = (Times::default(), Times::default());
        for n in 0..BEFORE + TRIES {
            let centre = place(any(n, 31, items));
            let (high, wide) = (km / 111.0, km / 111.0 / centre.lat().to_radians().cos().max(0.1));
            let boxes = vec![[centre.lat() - high, centre.lon() - wide, centre.lat() + high, centre.lon() + wide]];
            let area = Area { boxes, contains: std::sync::Arc::new(|_| true) };
            let filter = ItemFilter { area: Some(area), ..ItemFilter::default() };
            found.of(library.search_items(&filter, None, 0, FOUND), |found| found.total).await?;
            let asked = library.list_items(&filter, ItemOrder::Newest, None, FOUND);
            listed.of(asked, |found| found.what.len() as u64).await?;
        }
        found.report(&format!("place: a box of {} km", 2.0 * km));
        listed.report(&format!("place: a box of {} km, listed newest first", 2.0 * km));
    }
    Ok(())
}

/// Filters that lists and maps are asked with.
fn filters(items: u64) -> [(&'static str, ItemFilter); 8] {
    let all = ItemFilter::default;
    [
        ("everything", all()),
        ("films", ItemFilter { kinds: vec![MediaKind::Video], ..all() }),
        ("open", ItemFilter { open_licence: true, ..all() }),
        ("of a host", ItemFilter { host: Some("m7.example".into()), ..all() }),
        ("of the crawl", ItemFilter { crawl: Some(CRAWL.into()), ..all() }),
        ("the newest tenth", ItemFilter { since: Some(Timestamp((items - items / 10) as i64)), ..all() }),
        ("a word", ItemFilter { words: Want::parse("town7"), ..all() }),
        ("a frequent word", ItemFilter { words: Want::parse(&texts::TONGUES[0].word(2)), ..all() }),
    ]
}

/// Views of a screen of 1,280 × 800 pixels around random pictures, at every zoom.
async fn maps(library: &dyn Library, items: u64) -> Outcomes {
    for (name, filter) in filters(items) {
        let what = ClusterFilter::Media(filter);
        for zooms in [0..7u8, 7..13, 13..19] {
            let mut times = Times::default();
            for n in 0..BEFORE + TRIES {
                let zoom = zooms.start + (n % zooms.len() as u64) as u8;
                let centre = place(any(n, 61, items));
                let degrees = 360.0 / 512.0 / f64::from(1u32 << zoom);
                let (wide, high) = (1_280.0 * degrees, 800.0 * degrees * centre.lat().to_radians().cos());
                let view = [
                    centre.lat() - high / 2.0,
                    centre.lon() - wide / 2.0,
                    centre.lat() + high / 2.0,
                    centre.lon() + wide / 2.0,
                ];
                times.of(library.clusters(&what, view, zoom), |found| found.clusters.len() as u64).await?;
            }
            times.report(&format!("map: {name}, zoom {} to {}", zooms.start, zooms.end - 1));
        }
    }
    Ok(())
}

/// The first time, clusters are read when they are come to.
async fn alike(library: &dyn Library, items: u64) -> Outcomes {
    for name in ["the first time", "again"] {
        let mut times = Times::default();
        for n in 0..BEFORE + TRIES {
            let asked = Alike {
                kind: MediaKind::Image,
                version: VERSION,
                point: point(any(n, 83, items)),
                compared: COMPARED,
                most: RANKED,
                copies: false,
                except: None,
            };
            times.of(library.alike(&asked), |found| found.len() as u64).await?;
        }
        times.report(&format!("example: similar, {name}"));
    }
    Ok(())
}

/// Pages of lists in each order, from random places on.
async fn lists(library: &dyn Library, items: u64) -> Outcomes {
    for (name, filter) in filters(items) {
        for order in [
            ItemOrder::Newest,
            ItemOrder::Oldest,
            ItemOrder::Taken,
            ItemOrder::Place,
            ItemOrder::Host,
            ItemOrder::Colour,
        ] {
            let mut times = Times::default();
            for n in 0..BEFORE + TRIES / 4 {
                let after = (n > 0).then(|| anywhere(order, any(n, 5, items))).transpose()?;
                let asked = library.list_items(&filter, order, after.as_ref(), PAGE);
                times.of(asked, |found| found.what.len() as u64).await?;
            }
            times.report(&format!("list: {name}, {order:?}"));
        }
    }
    let (mut times, mut after) = (Times::default(), None);
    for _ in 0..BEFORE + TRIES / 4 {
        after = times.of(library.unverified(after.as_ref(), PAGE), |found| found.what.len() as u64).await?.next;
    }
    times.report("list: to verify");
    Ok(())
}

/// The place of a picture in a list, as its cursor is written.
fn anywhere(order: ItemOrder, number: u64) -> Result<Cursor, serde_json::Error> {
    let key = match order {
        ItemOrder::Newest | ItemOrder::Oldest => serde_json::Value::Null,
        ItemOrder::Taken => texts::taken(number).into(),
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
