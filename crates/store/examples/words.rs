//! How long it takes to find something by words in a library of a million items.
//!
//! `cargo run --release -p bowerbird-store --example words -- [items [directory]]`
//!
//! Made visits: pictures of 500 hosts around 2,000 made towns, one page for every ten pictures. Their texts
//! are drawn from 160,000 made words of four languages, each a stem with endings of its language, the n-th
//! most frequent 1/n times as often as the first (Zipf). A caption has 5 to 20 words, two pictures in three
//! a title, one in three key words; pages have titles, key words and headings. A directory that is named is
//! kept, and used again when it holds a library.
//!
//! Questions are drawn the same way, without the 30 most frequent words of each language, which are those
//! that nobody searches for alone; these are asked apart.

mod made;
#[path = "made/places.rs"]
mod places;
#[path = "made/texts.rs"]
mod texts;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use made::{BATCH, Outcomes, memory, ms, scattered, size};
use places::place;
use store::{Area, ItemFilter, Library, Options, RunLimits, Store, Visited, Want};
use texts::{QUESTIONS, TONGUES, one_word, page, picture, slip};

const TRIES: u64 = 300;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcomes {
    let items: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let scratch = tempfile::tempdir_in(".")?;
    let dir = std::env::args().nth(2).map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    let options = || Options { what: "words".into(), ..Options::default() };
    {
        let store = Store::open(&dir, options())?;
        let there: u64 = store.library().library_figures(0).await?.media.values().sum();
        if there < items {
            make(&**store.library(), there, items).await?;
        }
        store.close().await?;
    }
    println!("{items} items, library.db {} MB", size(&dir) >> 20);
    let before = Instant::now();
    let store = Store::open(&dir, options())?;
    println!("{:<34} {:>7.1} ms", "opened to write", ms(before.elapsed()));
    let before = Instant::now();
    let _reader = Store::read(&dir)?;
    println!("{:<34} {:>7.1} ms", "opened to read", ms(before.elapsed()));
    let library = &**store.library();
    first(library).await?;
    for (name, question) in QUESTIONS {
        let asked = (0..TRIES).map(|n| question((scattered(n, 7) * items as f64) as u64, n));
        ask(library, name, asked, None).await?;
    }
    for km in [10.0, 100.0, 1_000.0] {
        for nearest in [false, true] {
            let name = format!("a word within {km} km{}", if nearest { ", nearest first" } else { "" });
            let asked = (0..TRIES).map(|n| one_word(0, n));
            ask(library, &name, asked, Some((km, nearest, items))).await?;
        }
    }
    let common = (0..40).map(|n| TONGUES[(n % 4) as usize].word(n / 4));
    ask(library, "the most frequent words", common, None).await?;
    let common = (0..40).map(|n| TONGUES[(n % 4) as usize].word(n / 4));
    ask(library, "the same within 100 km", common, Some((100.0, false, items))).await?;
    println!("{} MB of memory", memory() >> 10);
    Ok(())
}

/// What a process pays once: the first question, and the first slip, which reads all words.
async fn first(library: &dyn Library) -> Outcomes {
    for (name, text) in [("the first question", one_word(0, 5)), ("the first slip", slip(0, 3))] {
        let filter = ItemFilter { words: Want::parse(&text), ..ItemFilter::default() };
        let before = Instant::now();
        let found = library.search_items(&filter, None, 0, 50).await?;
        println!("{name:<34} {:>7.1} ms   {} found", ms(before.elapsed()), found.total);
    }
    Ok(())
}

async fn ask(
    library: &dyn Library,
    name: &str,
    questions: impl Iterator<Item = String>,
    around: Option<(f64, bool, u64)>,
) -> Outcomes {
    let (mut times, mut work, mut found, mut slips, mut most) = (Vec::new(), Vec::new(), 0, 0, 0);
    for (n, text) in questions.enumerate() {
        let centre = around.map(|(.., items)| place((scattered(n as u64, 29) * items as f64) as u64));
        let area = centre.zip(around).map(|(centre, (km, ..))| Area::circle(centre, 1_000.0 * km));
        let nearest = centre.filter(|_| around.is_some_and(|(_, nearest, _)| nearest));
        let filter = ItemFilter { words: Want::parse(&text), area, ..ItemFilter::default() };
        let (before, busy) = (Instant::now(), processor());
        let answer = library.search_items(&filter, nearest, 0, 50).await?;
        times.push(before.elapsed());
        work.push(processor().saturating_sub(busy));
        found += usize::from(answer.total > 0);
        slips += usize::from(!answer.slips.is_empty());
        most = most.max(answer.total);
    }
    work.sort_unstable();
    let work = ms(work[(work.len() - 1) * 95 / 100]);
    report(
        name,
        times,
        &format!("{work:.1} ms of processor p95; {found} find something, {most} at most; {slips} with slips"),
    );
    Ok(())
}

/// Processor time of all threads so far: where others work too, waiting for them counts not.
fn processor() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let spent = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(spent.sum())
}

fn report(name: &str, mut times: Vec<Duration>, what: &str) {
    times.sort_unstable();
    let part = |share: f64| ms(times[((times.len() - 1) as f64 * share) as usize]);
    println!(
        "{name:<34} {:>6.1} ms median, {:>6.1} ms p95, {:>6.1} ms worst   {what}",
        part(0.5),
        part(0.95),
        part(1.0)
    );
}

async fn make(library: &dyn Library, there: u64, items: u64) -> Outcomes {
    let crawl = library.save_crawl("words", &serde_json::json!({})).await?.id;
    let run = library.start_run(crawl, RunLimits::default(), 1_000).await?.id;
    let started = Instant::now();
    for first in (there..items).step_by(BATCH as usize) {
        let numbers = first..items.min(first + BATCH);
        let visits: Vec<Visited> =
            numbers.flat_map(|n| n.is_multiple_of(10).then(|| page(n)).into_iter().chain([picture(n, None)])).collect();
        library.record(run, &visits).await?;
        if first % (BATCH * 400) == 0 {
            println!("{first} after {:.0} s", started.elapsed().as_secs_f64());
        }
    }
    let took = started.elapsed();
    let each = took.as_secs_f64() * 1e6 / (items - there) as f64;
    println!("{} items written in {:.0} s, {each:.0} µs each", items - there, took.as_secs_f64());
    Ok(())
}
