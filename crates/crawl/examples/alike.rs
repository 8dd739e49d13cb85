//! How long it takes to find the most similar of a million pictures, and how many of them are found.
//!
//! `cargo run --release -p bowerbird-crawl --example alike -- PHOTOS [items [home]]`
//!
//! Pictures are made of real ones: all photos below `PHOTOS`, and blends of two of them at a time, by
//! any share, with noise: one level more or less in one of 20 places. They are written as a crawl
//! writes them, a tenth first, and sorted into clusters as they come. New blends are asked for; what
//! all descriptions say, compared one by one, is the truth. Times are those that whoever asks waits, one
//! question after the other. A home is a directory or a shared database; it is kept, and used again when it
//! holds a library. Without one it is a directory that is gone afterwards.

#[path = "../../store/examples/made/home.rs"]
mod home;
#[path = "../../store/examples/made/mod.rs"]
mod made;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use crawl::{ByExample, Mode};
use facts::{MediaId, MediaKind};
use home::{Home, write};
use made::{file, id, kept, memory, ms};
use media::{Look, Mix};
use store::{Alike, Described, Description, Library, MediaFile, Traces, Visited};

/// Pictures asked for, and those of them whose truth is looked for.
const ASKED: u64 = 1_000;
const CHECKED: u64 = 100;
/// One place in so many has a level more or less.
const NOISE: u64 = 20;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).context("name a folder of photos")?;
    let items: u64 = std::env::args().nth(2).map_or(Ok(1_000_000), |text| text.parse())?;
    let home = Home::named(std::env::args().nth(3))?;
    let photos = Arc::new(photos(Path::new(&folder))?);
    ensure!(photos.len() > 1, "{folder} has no photos");
    println!("{} photos", photos.len());
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(measure(&photos, items, &home))
}

async fn measure(photos: &[Levels], items: u64, home: &Home) -> Result<()> {
    let mut medians = Vec::new();
    for end in [items / 10, items] {
        let store = home.open()?;
        let there: u64 = store.library().library_figures(0).await?.media.values().sum();
        if there > end {
            store.close().await?;
            continue;
        }
        let written = write(&**store.library(), "alike", end, |n| vec![visit(n, blend(photos, n).bytes())]).await;
        written.map_err(|error| anyhow::anyhow!("{error}"))?;
        let started = Instant::now();
        let (_stopper, stop) = crawl::stopper();
        let placing = crawl::place(&**store.library(), &stop).await?;
        println!("{end}: {placing:?} in {:.1} s", started.elapsed().as_secs_f64());
        store.close().await?;
        // Begun anew, as at the first question of a process.
        let (before, started) = (memory(), Instant::now());
        let reader = home.read()?;
        println!("{end}: opened in {:.3} s, {}", started.elapsed().as_secs_f64(), home.described());
        medians.push(ask(&**reader.library(), photos, end).await?);
        let leaders = reader.library().leaders(MediaKind::Image, Look::VERSION).await?;
        println!(
            "{end}: {} clusters, {:.0} bytes of memory an item for all that was asked",
            leaders.leaders.len(),
            memory().saturating_sub(before) as f64 * 1024.0 / end as f64
        );
    }
    if let [few, many] = medians.as_slice() {
        println!("{:.2} times the time at a tenth", many / few);
    }
    Ok(())
}

async fn ask(library: &dyn Library, photos: &[Levels], items: u64) -> Result<f64> {
    let asked: Vec<Look> = (0..ASKED).filter_map(|n| blend(photos, items + 1_000_000_000 + n).look()).collect();
    let mut took = Vec::new();
    let mut answers = Vec::new();
    // Once to warm up: clusters are read when they are first asked for.
    for round in 0..2 {
        took.clear();
        answers.clear();
        for look in &asked {
            let started = Instant::now();
            let (_, found) = ByExample::of_look(look.clone()).ask(library, Mode::Similar, 0.0, 10).await?;
            took.push(started.elapsed());
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
        let Some(look) = blend(photos, n).look() else { continue };
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
fn blend(photos: &[Levels], n: u64) -> Levels {
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
        let between = |(a, b): (&u8, &u8)| {
            let chance = next();
            let level = share * u64::from(*a) + (1024 - share) * u64::from(*b) + (chance >> 32) % 1024;
            let noise = if chance % NOISE == 0 { if chance & 1024 == 0 { 1 } else { -1 } } else { 0 };
            ((level / 1024) as i64 + noise).clamp(0, most) as u8
        };
        a.parts[part].iter().zip(&b.parts[part]).map(between).collect()
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

fn visit(n: u64, bytes: Vec<u8>) -> Visited {
    let description = Description { version: Look::VERSION, bytes, traces: Traces::default() };
    // No film among them.
    let file = file(n, made::facts(1));
    kept(n, MediaFile { description: Some(Described::As(description)), ..file })
}
