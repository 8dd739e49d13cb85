//! How long a library of a million pictures takes to answer: by words, by place, by example.
//!
//! `cargo run --release -p bowerbird-store --example search -- HOME [items]`
//!
//! `HOME` is a shared database (`postgres://…`, or `host=… user=… dbname=…`) or a directory; it is filled
//! with as many items as are asked for, and used again when it has them. Made visits: pictures of 500 hosts
//! around 2,000 made towns with made texts (`words.rs`), one page for every ten, each with a description of
//! 700 bytes and a point near one of 1,024 leaders. A shared database may be filled with a part of them
//! first, and that part multiplied by `made/multiply.sql`. Times are those that whoever asks waits, one
//! question after the other, each kind after ten others of its kind that are not counted. An example is
//! asked for as `crawl` does, without what it does with the 300 descriptions that come.

mod made;
#[path = "made/places.rs"]
mod places;
#[path = "made/texts.rs"]
mod texts;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use facts::MediaKind;
use made::{BATCH, Outcomes, memory, ms, scattered, size};
use places::place;
use store::{
    Alike, Area, ClusterFilter, ClusterId, Described, Description, ItemFilter, ItemOrder, Library, Options, Placed,
    RunLimits, Store, Traces, Visited, Want,
};

/// Values of a point, leaders of clusters, and the formulas that descriptions are by.
const DIMENSIONS: u64 = 128;
const LEADERS: u64 = 1_024;
const VERSION: u16 = 1;
/// Points that are compared for an example, and items that are read.
const COMPARED: usize = 30_000;
const RANKED: usize = 300;
/// Questions of a kind, and those before them.
const TRIES: u64 = 200;
const BEFORE: u64 = 10;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcomes {
    let mut given = std::env::args().skip(1);
    let home = given.next().ok_or("name a database or a directory")?;
    let items: u64 = given.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let scratch = tempfile::tempdir()?;
    let shared = home.contains("://") || home.contains('=');
    let dir = if shared { scratch.path().to_owned() } else { PathBuf::from(&home) };
    let database = shared.then(|| home.clone());
    let store = Store::open(&dir, Options { what: "a measurement".into(), database, ..Options::default() })?;
    let library = &**store.library();
    fill(library, items).await?;
    if !shared {
        println!("library.db {} MB", size(&dir) >> 20);
    }
    words(library, items).await?;
    areas(library, items).await?;
    maps(library, items).await?;
    alike(library, items).await?;
    println!("{} MB of memory", memory() >> 10);
    store.close().await?;
    Ok(())
}

async fn fill(library: &dyn Library, items: u64) -> Outcomes {
    let there: u64 = library.library_figures(0).await?.media.values().sum();
    if there >= items {
        return Ok(());
    }
    let crawl = library.save_crawl("search", &serde_json::json!({})).await?.id;
    let run = library.start_run(crawl, RunLimits::default(), 1_000).await?.id;
    let known = library.leaders(MediaKind::Image, VERSION).await?.leaders;
    let clusters: Vec<ClusterId> = match known.is_empty() {
        true => {
            let leaders: Vec<Vec<i8>> = (0..LEADERS).map(leader).collect();
            library.found_clusters(MediaKind::Image, VERSION, None, &leaders).await?
        }
        false => known.into_iter().map(|leader| leader.cluster).collect(),
    };
    let started = Instant::now();
    for first in (there..items).step_by(BATCH as usize) {
        let numbers = first..items.min(first + BATCH);
        let visits: Vec<Visited> = numbers
            .clone()
            .flat_map(|n| n.is_multiple_of(10).then(|| texts::page(n)).into_iter().chain([picture(n)]))
            .collect();
        library.record(run, &visits).await?;
        let described = numbers.filter(|n| is_described(*n));
        let placed =
            described.map(|n| Placed { id: made::id(n), cluster: clusters[(n % LEADERS) as usize], point: point(n) });
        library.place(&placed.collect::<Vec<_>>()).await?;
        if (first - there).is_multiple_of(BATCH * 40) {
            println!("{first} after {:.0} s", started.elapsed().as_secs_f64());
        }
    }
    let took = started.elapsed().as_secs_f64();
    println!("{} items written in {took:.0} s, {:.0} µs each", items - there, took * 1e6 / (items - there) as f64);
    Ok(())
}

/// One in 200 is a film.
fn is_described(n: u64) -> bool {
    !n.is_multiple_of(200)
}

fn picture(n: u64) -> Visited {
    let description = Description { version: VERSION, bytes: vec![n as u8; 700], traces: Traces::default() };
    texts::picture(n, is_described(n).then_some(Described::As(description)))
}

/// Where the pictures of a cluster are.
fn leader(cluster: u64) -> Vec<i8> {
    (0..DIMENSIONS).map(|axis| (scattered(cluster * DIMENSIONS + axis, 91) * 160.0 - 80.0) as i8).collect()
}

/// Where the `n`-th picture is.
fn point(n: u64) -> Vec<i8> {
    let noise = |axis: u64| (scattered(n * DIMENSIONS + axis, 92) * 80.0 - 40.0) as i8;
    leader(n % LEADERS).into_iter().zip(0..).map(|(value, axis)| value + noise(axis)).collect()
}

async fn words(library: &dyn Library, items: u64) -> Outcomes {
    for (name, question) in texts::QUESTIONS {
        let mut times = Times::default();
        for n in 0..BEFORE + TRIES {
            let text = question((scattered(n, 7) * items as f64) as u64, n);
            let filter = ItemFilter { words: Want::parse(&text), ..ItemFilter::default() };
            times.of(n, library.search_items(&filter, None, 0, 50)).await.map(|found| times.found(n, found.total))?;
        }
        times.report(&format!("words: {name}"));
    }
    let mut times = Times::default();
    for n in 0..BEFORE + 40 {
        let text = texts::TONGUES[(n % 4) as usize].word(n % 40 / 4);
        let filter = ItemFilter { words: Want::parse(&text), ..ItemFilter::default() };
        times.of(n, library.search_items(&filter, None, 0, 50)).await.map(|found| times.found(n, found.total))?;
    }
    times.report("words: the most frequent");
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
                let centre = place((scattered(n, 29) * items as f64) as u64);
                let words = if word { Want::parse(&texts::one_word(0, n)) } else { None };
                let filter =
                    ItemFilter { words, area: Some(Area::circle(centre, 1_000.0 * km)), ..ItemFilter::default() };
                let asked = library.search_items(&filter, nearest.then_some(centre), 0, 50);
                times.of(n, asked).await.map(|found| times.found(n, found.total))?;
            }
            times.report(&format!("place: within {km} km{name}"));
        }
        let mut times = Times::default();
        for n in 0..BEFORE + TRIES {
            let centre = place((scattered(n, 31) * items as f64) as u64);
            let (high, wide) = (km / 111.0, km / 111.0 / centre.lat().to_radians().cos().max(0.1));
            let boxes = vec![[centre.lat() - high, centre.lon() - wide, centre.lat() + high, centre.lon() + wide]];
            let area = Area { boxes, contains: std::sync::Arc::new(|_| true) };
            let filter = ItemFilter { area: Some(area), ..ItemFilter::default() };
            let asked = library.list_items(&filter, ItemOrder::Newest, None, 50);
            times.of(n, asked).await.map(|found| times.found(n, found.what.len() as u64))?;
        }
        times.report(&format!("place: a box of {} km, newest first", 2.0 * km));
    }
    Ok(())
}

/// Views of a screen of 1,280 × 800 pixels around random pictures, at every zoom.
async fn maps(library: &dyn Library, items: u64) -> Outcomes {
    let all = ItemFilter::default;
    let filters = [
        ("everything", all()),
        ("films", ItemFilter { kinds: vec![MediaKind::Video], ..all() }),
        ("open", ItemFilter { open_licence: true, ..all() }),
        ("of a host", ItemFilter { host: Some("m7.example".into()), ..all() }),
        ("words", ItemFilter { words: Want::parse("town7"), ..all() }),
    ];
    for (name, filter) in filters {
        let (what, mut times) = (ClusterFilter::Media(filter), Times::default());
        for n in 0..BEFORE + TRIES {
            let zoom = (n % 19) as u8;
            let centre = place((scattered(n, 61) * items as f64) as u64);
            let degrees = 360.0 / 512.0 / f64::from(1u32 << zoom);
            let (wide, high) = (1_280.0 * degrees, 800.0 * degrees * centre.lat().to_radians().cos());
            let view = [
                centre.lat() - high / 2.0,
                centre.lon() - wide / 2.0,
                centre.lat() + high / 2.0,
                centre.lon() + wide / 2.0,
            ];
            let asked = library.clusters(&what, view, zoom);
            times.of(n, asked).await.map(|found| times.found(n, found.clusters.len() as u64))?;
        }
        times.report(&format!("map: {name}"));
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
                point: point((scattered(n, 83) * items as f64) as u64),
                compared: COMPARED,
                most: RANKED,
                copies: false,
                except: None,
            };
            times.of(n, library.alike(&asked)).await.map(|found| times.found(n, found.len() as u64))?;
        }
        times.report(&format!("example: similar, {name}"));
    }
    Ok(())
}

/// How long questions of a kind took.
#[derive(Default)]
struct Times {
    took: Vec<Duration>,
    found: u64,
    most: u64,
}

impl Times {
    async fn of<T, E>(&mut self, n: u64, asked: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let before = Instant::now();
        let answer = asked.await?;
        if n >= BEFORE {
            self.took.push(before.elapsed());
        }
        Ok(answer)
    }

    fn found(&mut self, n: u64, total: u64) {
        if n >= BEFORE {
            self.found += u64::from(total > 0);
            self.most = self.most.max(total);
        }
    }

    fn report(mut self, name: &str) {
        self.took.sort_unstable();
        let at = |share: f64| ms(self.took[((self.took.len() - 1) as f64 * share) as usize]);
        let (half, most, worst) = (at(0.5), at(0.95), at(1.0));
        println!(
            "{name:<46} {half:>6.1} ms median, {most:>6.1} ms p95, {worst:>6.1} ms worst; {} of {} find something, {} at most",
            self.found,
            self.took.len(),
            self.most
        );
    }
}
