//! How long it takes to find copies among a million pictures.
//!
//! `cargo run --release -p bowerbird-store --example copies -- [items [directory]]`
//!
//! Made pictures, each with a description of 700 bytes, a hash of its pixels and four hashes that near
//! copies are found by. One in 20 is a near copy of an earlier one: up to 31 of the 256 bits of its
//! hashes are flipped, anywhere. One in 100 has the pixels of an earlier one. A picture is looked for by
//! its four hashes and four others, as when it may be turned.
//!
//! Pictures are added as a crawl would: written 256 at a time, then each is compared with what may be
//! copies of it, then what was found is written. First to a library of 10,000, then to one of as many
//! as are asked for, which are written without being compared. A directory that is named is kept, and
//! used again when it holds a library.

mod made;

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use facts::{MediaId, MediaKind};
use made::{BATCH, Outcomes, kept, memory, ms, scattered, size};
use store::{
    Clue, Compared, CopyFound, CopyReason, Described, Description, Exact, Example, Library, MediaFile, Options, RunId,
    RunLimits, Store, Traces, Visited,
};

/// Pictures that are added and timed.
const ADDED: u64 = 10_000;

/// Those that are there at the first time.
const FEW: u64 = 10_000;

/// Look-ups of each kind.
const ASKED: u64 = 100_000;
const ASKED_NEAR: u64 = 5_000;

const RADIUS: u32 = 80;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcomes {
    let items: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let scratch = tempfile::tempdir_in(".")?;
    let dir = std::env::args().nth(2).map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    let options = || Options { what: "copies".into(), ..Options::default() };
    let store = Store::open(&dir, options())?;
    let library = store.library();
    let run = start(&**library).await?;
    let there: u64 = library.library_figures(0).await?.media.values().sum();

    let mut few = Duration::ZERO;
    if there == 0 {
        fill(&**library, run, 0, FEW).await?;
        few = add(&**library, run, FEW).await?;
    }
    let there = there.max(FEW + ADDED);
    let started = Instant::now();
    fill(&**library, run, there, items).await?;
    if items > there {
        let each = started.elapsed().as_secs_f64() * 1e6 / (items - there) as f64;
        println!("{} written, {each:.0} µs each", items - there);
    }
    // Begun anew, so that hashes are read as at the first question of a process.
    store.close().await?;
    let store = Store::open(&dir, options())?;
    let library = store.library();
    let run = start(&**library).await?;
    let (before, started) = (memory(), Instant::now());
    library.candidates(&example(1)).await?;
    println!(
        "hashes of {items} read in {:.1} s, {} MB of memory",
        ms(started.elapsed()) / 1e3,
        (memory() - before) >> 10
    );
    println!("library.db {} MB, {} MB of memory in all", size(&dir) >> 20, memory() >> 10);

    exact(&**library, items).await?;
    near(&**library, items).await?;
    let many = add(&**library, run, items.max(there)).await?;
    if !few.is_zero() {
        println!("{:.2} times the processor time at {FEW}", many.as_secs_f64() / few.as_secs_f64());
    }
    println!("{} MB of memory in all", memory() >> 10);
    Ok(())
}

async fn start(library: &dyn Library) -> Result<RunId, Box<dyn std::error::Error>> {
    let crawl = library.save_crawl("copies", &serde_json::json!({})).await?.id;
    Ok(library.start_run(crawl, RunLimits::default(), 1_000).await?.id)
}

/// Writes pictures without comparing them.
async fn fill(library: &dyn Library, run: RunId, first: u64, end: u64) -> Outcomes {
    for first in (first..end).step_by(BATCH as usize) {
        library.record(run, &(first..end.min(first + BATCH)).map(picture).collect::<Vec<_>>()).await?;
    }
    Ok(())
}

/// Adds pictures to so many, as a crawl does.
async fn add(library: &dyn Library, run: RunId, first: u64) -> Result<Duration, Box<dyn std::error::Error>> {
    let (mut looked, mut asked, mut found, mut planted) = (Duration::ZERO, 0, 0, 0);
    let (started, work) = (Instant::now(), worked());
    for batch in (first..first + ADDED).step_by(BATCH as usize) {
        let numbers = batch..(first + ADDED).min(batch + BATCH);
        library.record(run, &numbers.clone().map(picture).collect::<Vec<_>>()).await?;
        let mut compared = Vec::new();
        for n in numbers {
            let before = Instant::now();
            let candidates = library.candidates(&Example { except: Some(made::id(n)), ..example(n) }).await?;
            looked += before.elapsed();
            asked += 1;
            let copies: Vec<CopyFound> = candidates
                .into_iter()
                .map(|candidate| CopyFound {
                    of: candidate.id,
                    why: if candidate.clue == Clue::Pixels { CopyReason::Pixels } else { CopyReason::Near },
                    detail: format!("{:?}", candidate.clue),
                })
                .collect();
            if let Some(like) = like(n) {
                planted += 1;
                found += u64::from(copies.iter().any(|copy| copy.of == made::id(like)));
            }
            compared.push(Compared { id: made::id(n), copies });
        }
        library.compared(&compared).await?;
    }
    let (took, work) = (started.elapsed(), worked() - work);
    let each = |time: Duration| time.as_secs_f64() * 1e6 / ADDED as f64;
    println!(
        "{ADDED} added to {first} in {:.2} s, {:.0} µs each, {:.0} µs of processor time; {:.0} µs looking for copies \
         ({asked}); {found} of {planted} that are copies found",
        took.as_secs_f64(),
        each(took),
        each(work),
        each(looked)
    );
    Ok(work)
}

async fn exact(library: &dyn Library, items: u64) -> Outcomes {
    type Make = fn(u64) -> Exact;
    let kinds: [(&str, Make); 2] = [("bytes", |n| Exact::Bytes(made::id(n))), ("pixels", |n| Exact::Pixels(pixels(n)))];
    for (name, make) in kinds {
        let (mut found, mut took, work) = (0, Duration::ZERO, worked());
        for first in (0..ASKED).step_by(1_000) {
            // Half of what is asked for is not there.
            let any = |n: u64| (scattered(n, 71) * 2.0 * items as f64) as u64;
            let asked: Vec<Exact> = (first..first + 1_000).map(|n| make(any(n))).collect();
            let before = Instant::now();
            found += library.exact(&asked).await?.iter().flatten().count();
            took += before.elapsed();
        }
        let [rate, alone] = [took, worked() - work].map(|time| ASKED as f64 / time.as_secs_f64());
        println!(
            "{ASKED} look-ups by {name} among {items}: {rate:.0} a second, {alone:.0} of a processor, {found} found"
        );
    }
    Ok(())
}

async fn near(library: &dyn Library, items: u64) -> Outcomes {
    let (mut found, mut took, mut slowest) = ([0; 4], Duration::ZERO, Duration::ZERO);
    let (mut planted, mut others, work) = ([0; 4], 0, worked());
    for n in 0..ASKED_NEAR {
        let original = (scattered(n, 72) * items as f64) as u64;
        let off = (n % 32) as u32;
        let mut asked = example(original);
        asked.traces.pixels = None;
        for (k, hash) in asked.traces.hashes.iter_mut().enumerate() {
            *hash = flipped(*hash, off, n * 8 + k as u64);
        }
        let before = Instant::now();
        let candidates = library.candidates(&asked).await?;
        let once = before.elapsed();
        took += once;
        slowest = slowest.max(once);
        let ids: HashSet<MediaId> = candidates.iter().map(|candidate| candidate.id).collect();
        let class = (off / 8) as usize;
        planted[class] += 1;
        // Films are among them, and have no such hashes; a copy of it may stand for its group.
        let there = original.is_multiple_of(200) || ids.contains(&made::id(original));
        found[class] += u64::from(there);
        others += ids.len() - usize::from(ids.contains(&made::id(original)));
    }
    let [rate, alone] = [took, worked() - work].map(|time| ASKED_NEAR as f64 / time.as_secs_f64());
    println!(
        "{ASKED_NEAR} look-ups by eight hashes among {items}: {rate:.0} a second, {alone:.0} of a processor, slowest {:.1} ms",
        ms(slowest)
    );
    println!("    found of those with 0–7, 8–15, 16–23, 24–31 bits flipped: {found:?} of {planted:?}; {others} others");
    Ok(())
}

fn picture(n: u64) -> Visited {
    let description = Description { version: 1, bytes: vec![n as u8; 700], traces: traces(n) };
    kept(n, MediaFile { description: Some(Described::As(description)), ..made::file(n, made::facts(n)) })
}

fn traces(n: u64) -> Traces {
    Traces { pixels: Some(pixels(n)), hashes: (0..4).map(|k| hash(n, k)).collect(), keys: Vec::new() }
}

/// An earlier picture that this one is a near copy of.
fn like(n: u64) -> Option<u64> {
    // Neither of a film, nor of a copy.
    let earlier = (scattered(n, 73) * n as f64) as u64 / 20 * 20 + 3;
    (n % 20 == 7 && earlier < n).then_some(earlier)
}

fn pixels(n: u64) -> [u8; 32] {
    let n = if n % 100 == 11 { (scattered(n, 74) * n as f64) as u64 / 20 * 20 + 3 } else { n };
    let mut pixels = [0; 32];
    for (k, part) in pixels.chunks_mut(8).enumerate() {
        part.copy_from_slice(&mixed(n * 16 + k as u64).to_le_bytes());
    }
    pixels
}

/// The `k`-th hash of a picture, of which four are stored.
fn hash(n: u64, k: u64) -> [u64; 4] {
    match like(n) {
        Some(like) => flipped(hash(like, k), (n / 20 % 32) as u32, n * 8 + k),
        None => [0, 1, 2, 3].map(|word| mixed((n * 8 + k) * 4 + word + (1 << 60))),
    }
}

fn example(n: u64) -> Example {
    let mut traces = traces(n);
    traces.hashes.extend((4..8).map(|k| hash(n, k)));
    Example { kind: MediaKind::Image, version: 1, traces, radius: RADIUS, except: None, most: 50 }
}

fn flipped(hash: [u64; 4], bits: u32, salt: u64) -> [u64; 4] {
    let (mut flipped, mut step) = (hash, 0);
    while (0..4).map(|k| (flipped[k] ^ hash[k]).count_ones()).sum::<u32>() < bits {
        let bit = mixed(salt * 1_000 + step + (1 << 61)) % 256;
        step += 1;
        let (word, mask) = ((bit / 64) as usize, 1 << (bit % 64));
        flipped[word] = (flipped[word] & !mask) | (!hash[word] & mask);
    }
    flipped
}

/// Splitmix64.
fn mixed(n: u64) -> u64 {
    let mixed = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// What the process had of the processors so far, to a hundredth of a second: others may be at work
/// on them too.
fn worked() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program is in brackets and may hold anything; times are the 12th and 13th after it.
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<u64>().ok());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}
