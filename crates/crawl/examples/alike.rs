//! How long it takes to find the most similar of a million pictures, and how many of them are found.
//!
//! `cargo run --release -p bowerbird-crawl --example alike -- PHOTOS [items [directory]]`
//!
//! Pictures are made of real ones: all photos below `PHOTOS`, and blends of two of them at a time, by
//! any share, with noise: one level more or less in one of 20 places. They are written as a crawl
//! writes them, a tenth first, and sorted into clusters as they come. New blends are asked for; what
//! all descriptions say, compared one by one, is the truth. Times are those that this process had a
//! processor, one question after the other: the machine may be busy. A directory that is named is kept, and
//! used again when it holds a library.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use crawl::{ByExample, Mode};
use facts::{MediaId, MediaKind, Order, Timestamp, Url};
use media::{Look, Mix};
use store::{
    Alike, Claim, Described, Description, Library, Link, LinkContext, MediaFile, Options, Outcome, RunId, RunLimits,
    Store, Traces, Version, VisitKind, Visited,
};

/// Pictures asked for, and those of them whose truth is looked for.
const ASKED: u64 = 1_000;
const CHECKED: u64 = 100;
/// Visits that are written at once.
const BATCH: u64 = 512;
/// One place in so many has a level more or less.
const NOISE: u64 = 20;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("name a folder of photos")?;
    let items: u64 = std::env::args().nth(2).map_or(Ok(1_000_000), |text| text.parse())?;
    let scratch = tempfile::tempdir_in(".")?;
    let dir = std::env::args().nth(3).map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    let photos = Arc::new(photos(Path::new(&folder))?);
    ensure!(photos.len() > 1, "{folder} has no photos");
    println!("{} photos", photos.len());
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(measure(&photos, items, &dir))
}

async fn measure(photos: &[Levels], items: u64, dir: &Path) -> Result<()> {
    let options = || Options { what: "alike".into(), ..Options::default() };
    let mut medians = Vec::new();
    for end in [items / 10, items] {
        let store = Store::open(dir, options())?;
        let there: u64 = store.library().library_figures(0).await?.media.values().sum();
        if there > end {
            store.close().await?;
            continue;
        }
        fill(&**store.library(), photos, there, end).await?;
        let started = Instant::now();
        let (_stopper, stop) = crawl::stopper();
        let placing = crawl::place(&**store.library(), &stop).await?;
        println!("{end}: {placing:?} in {:.1} s", started.elapsed().as_secs_f64());
        store.close().await?;
        let size = std::fs::metadata(dir.join("library.db"))?.len();
        // Begun anew, as at the first question of a process.
        let (before, started) = (memory(), Instant::now());
        let reader = Store::read(dir)?;
        println!("{end}: opened in {:.3} s, library.db {} MB", started.elapsed().as_secs_f64(), size >> 20);
        medians.push(ask(&**reader.library(), photos, end).await?);
        let leaders = reader.library().leaders(MediaKind::Image, Look::VERSION).await?;
        println!(
            "{end}: {} clusters, {:.0} bytes of memory an item for all that was asked",
            leaders.leaders.len(),
            (memory() - before) as f64 * 1024.0 / end as f64
        );
    }
    if let [few, many] = medians.as_slice() {
        println!("{:.2} times the time at a tenth", many / few);
    }
    Ok(())
}

async fn ask(library: &dyn Library, photos: &[Levels], items: u64) -> Result<f64> {
    let asked: Vec<Look> = (0..ASKED).filter_map(|n| made(photos, items + 1_000_000_000 + n).look()).collect();
    let mut took = Vec::new();
    let mut answers = Vec::new();
    // Once to warm up: clusters are read when they are first asked for.
    for round in 0..2 {
        took.clear();
        answers.clear();
        for look in &asked {
            let started = worked();
            let (_, found) = ByExample::of_look(look.clone()).ask(library, Mode::Similar, 0.0, 10).await?;
            took.push(worked().saturating_sub(started));
            answers.push(found.into_iter().map(|found| found.id).collect::<Vec<_>>());
        }
        took.sort();
        let at = |share: f64| ms(took[(share * (took.len() - 1) as f64) as usize]);
        println!(
            "{items}: {} time: median {:.2} ms, 95 % {:.2} ms, slowest {:.2} ms",
            if round == 0 { "first" } else { "second" },
            at(0.5),
            at(0.95),
            at(1.0)
        );
    }
    let step = asked.len() / CHECKED as usize;
    let checked: Vec<(&Look, &Vec<MediaId>)> = asked.iter().zip(&answers).step_by(step).collect();
    let mut truth: Vec<Vec<(f32, MediaId)>> = vec![Vec::new(); checked.len()];
    for n in 0..items {
        let Some(look) = made(photos, n).look() else { continue };
        for ((asked, _), best) in checked.iter().zip(&mut truth) {
            let apart = Mix::default().distance(asked, &look);
            if best.len() < 10 || best.last().is_some_and(|(most, _)| apart < *most) {
                best.push((apart, id(n)));
                best.sort_by(|a, b| a.0.total_cmp(&b.0));
                best.truncate(10);
            }
        }
    }
    let found: usize = checked
        .iter()
        .zip(&truth)
        .map(|((_, answers), truth)| truth.iter().filter(|(_, id)| answers.contains(id)).count())
        .sum();
    println!("{items}: recall of the first ten {:.3}", found as f64 / (10 * checked.len()) as f64);
    // What the index alone takes, without descriptions.
    if let Some(look) = asked.first() {
        let point = look.point().to_vec();
        let asked = Alike {
            kind: MediaKind::Image,
            version: Look::VERSION,
            point,
            compared: usize::MAX,
            most: 0,
            copies: true,
            except: None,
        };
        let started = Instant::now();
        library.alike(&asked).await?;
        println!("{items}: all points compared in {:.1} ms, the first time", ms(started.elapsed()));
        let started = Instant::now();
        library.alike(&asked).await?;
        println!("{items}: all points compared in {:.1} ms", ms(started.elapsed()));
    }
    Ok(ms(took[took.len() / 2]))
}

/// Levels of a look: SCD, EHD, CEDD, FCTH as it writes them, and the rest.
struct Levels {
    parts: [Vec<u8>; 4],
    rest: Vec<u8>,
}

/// Levels and bits of the four.
const PARTS: [(usize, u32); 4] = [(256, 4), (80, 3), (144, 3), (192, 3)];

impl Levels {
    fn of(look: &Look) -> Self {
        let bytes = look.to_bytes();
        let mut rest = &bytes[2..];
        let parts = PARTS.map(|(count, bits)| {
            let (packed, others) = rest.split_at(count * bits as usize / 8);
            rest = others;
            let at = |bit: usize| usize::from(packed[bit / 8]) >> (bit % 8) & 1;
            let level =
                |n: usize| (0..bits as usize).map(|bit| at(n * bits as usize + bit) << bit).sum::<usize>() as u8;
            (0..count).map(level).collect()
        });
        Self { parts, rest: rest.to_vec() }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Look::VERSION.to_le_bytes().to_vec();
        for (levels, (_, bits)) in self.parts.iter().zip(PARTS) {
            let (mut waiting, mut held) = (0u32, 0);
            for level in levels {
                waiting |= u32::from(*level) << held;
                held += bits;
                if held >= 8 {
                    bytes.push(waiting as u8);
                    waiting >>= 8;
                    held -= 8;
                }
            }
        }
        bytes.extend(&self.rest);
        bytes
    }

    fn look(&self) -> Option<Look> {
        Look::from_bytes(&self.bytes())
    }
}

/// The `n`-th picture: a photo, or a blend of two.
fn made(photos: &[Levels], n: u64) -> Levels {
    if let Some(photo) = photos.get(n as usize) {
        return Levels { parts: photo.parts.clone(), rest: photo.rest.clone() };
    }
    let mut state = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    let pick = |number: u64| &photos[(number % photos.len() as u64) as usize];
    let (a, b, share) = (pick(next()), pick(next()), next() % 1024);
    let parts = std::array::from_fn(|part| {
        let most = (1i64 << PARTS[part].1) - 1;
        let blend = |(a, b): (&u8, &u8)| {
            let chance = next();
            let level = share * u64::from(*a) + (1024 - share) * u64::from(*b) + (chance >> 32) % 1024;
            let noise = if chance % NOISE == 0 { if chance & 1024 == 0 { 1 } else { -1 } } else { 0 };
            ((level / 1024) as i64 + noise).clamp(0, most) as u8
        };
        a.parts[part].iter().zip(&b.parts[part]).map(blend).collect()
    });
    Levels { parts, rest: a.rest.clone() }
}

fn photos(folder: &Path) -> Result<Vec<Levels>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let look = |file: &PathBuf| {
        let bytes = std::fs::read(file).ok()?;
        let picture = decode::picture(&bytes, media::sniff(&bytes)?, 1, Look::LONG_SIDE, &decode::Limits::default());
        Look::of(&picture.ok()?.pixels())
    };
    Ok(files.iter().filter_map(look).map(|look| Levels::of(&look)).collect())
}

async fn fill(library: &dyn Library, photos: &[Levels], there: u64, end: u64) -> Result<()> {
    let crawl = library.save_crawl("alike", &serde_json::json!({})).await?.id;
    let run = library.start_run(crawl, RunLimits::default(), 1_000).await?.id;
    let started = Instant::now();
    for first in (there..end).step_by(BATCH as usize) {
        write(library, run, photos, first..end.min(first + BATCH)).await?;
    }
    if end > there {
        let each = started.elapsed().as_secs_f64() * 1e6 / (end - there) as f64;
        println!("{} written, {each:.0} µs each", end - there);
    }
    Ok(())
}

async fn write(library: &dyn Library, run: RunId, photos: &[Levels], numbers: std::ops::Range<u64>) -> Result<()> {
    let visits: Result<Vec<Visited>> = numbers.map(|n| visit(n, made(photos, n).bytes())).collect();
    library.record(run, &visits?).await?;
    Ok(())
}

fn visit(n: u64, bytes: Vec<u8>) -> Result<Visited> {
    let url = Url::parse(&format!("http://m{}.example/{n}.jpg", n % 500))?;
    let facts = media::read_whole(b"\xff\xd8\xff\xe0", Timestamp(0)).ok().context("the start of a JPEG")?;
    let description = Description { version: Look::VERSION, bytes, traces: Traces::default() };
    let file = MediaFile {
        id: id(n),
        size: 2_000_000,
        path: format!("m{}.example/{n}.jpg", n % 500),
        thumbnail: None,
        colour: None,
        facts,
        locality: None,
        said: Vec::new(),
        description: Some(Described::As(description)),
    };
    let link = Link {
        url: url.clone(),
        kind: VisitKind::Media(MediaKind::Image),
        order: Order::FirstIn,
        depth: 1,
        parent: None,
        referer: None,
        context: LinkContext::default(),
        branch: facts::Branch::default(),
        hops: Vec::new(),
        reopen: false,
    };
    let claim = Claim { number: n, id: url.id(), link, tries: 0, round: 0, host_delay: None, host_failures: 0 };
    let outcome = Outcome::Media(file);
    let at = Timestamp(n as i64);
    Ok(Visited {
        claim,
        at,
        took_ms: 20,
        bytes: 8_000,
        status: Some(200),
        version: Version::default(),
        outcome,
        links: Vec::new(),
    })
}

fn id(n: u64) -> MediaId {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    hash[8..16].copy_from_slice(&n.to_be_bytes());
    MediaId::from_sha256(hash)
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// What this process had of the processors so far.
fn worked() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Kilobytes of memory that the process has.
fn memory() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}
