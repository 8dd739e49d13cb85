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

use std::path::PathBuf;
use std::time::{Duration, Instant};

use facts::{MediaKind, Url};
use made::{BATCH, Outcomes, address, kept, memory, ms, scattered, size, visit};
use media::{Facts, Location, LocationSource};
use places::{names, place, town_of};
use store::{
    Area, ItemFilter, Library, MediaFile, MediaReference, Options, Outcome, PageFacts, RunLimits, Store, VisitKind,
    Visited, Want,
};

const TRIES: u64 = 300;
/// Words of one language.
const WORDS: u64 = 40_000;
/// The most frequent of them, which nobody searches for alone.
const COMMON: u64 = 30;

struct Tongue {
    code: &'static str,
    starts: &'static [&'static str],
    middles: &'static [&'static str],
    ends: &'static [&'static str],
    endings: &'static [&'static str],
}

const TONGUES: [Tongue; 4] = [
    Tongue {
        code: "en",
        starts: &[
            "b", "br", "c", "cl", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "th", "w",
        ],
        middles: &["a", "e", "i", "o", "u", "ea", "oo", "ai"],
        ends: &["ll", "nd", "rt", "ck", "m", "n", "st", "p", "d", "rn", "ght", "tch"],
        endings: &["", "s", "ed", "ing", "er"],
    },
    Tongue {
        code: "de",
        starts: &[
            "b", "br", "d", "f", "g", "gr", "h", "k", "kr", "l", "m", "n", "pf", "r", "sch", "st", "t", "w", "z", "zw",
        ],
        middles: &["a", "e", "i", "o", "u", "ä", "ö", "ü", "ei", "au"],
        ends: &["cht", "ck", "ll", "nd", "ng", "rg", "rt", "st", "tz", "m", "n", "b"],
        endings: &["", "e", "en", "er", "es"],
    },
    Tongue {
        code: "fr",
        starts: &["b", "c", "ch", "d", "f", "gl", "gr", "j", "l", "m", "n", "p", "pr", "qu", "r", "s", "t", "tr", "v"],
        middles: &["a", "é", "i", "o", "ou", "eau", "ai", "è"],
        ends: &["l", "nt", "r", "s", "t", "m", "n", "v", "rd", "gn"],
        endings: &["", "s", "e", "es"],
    },
    Tongue {
        code: "es",
        starts: &["b", "c", "d", "f", "g", "h", "l", "ll", "m", "n", "p", "pl", "r", "s", "t", "tr", "v"],
        middles: &["a", "e", "i", "o", "u", "ie", "ue", "á"],
        ends: &["l", "n", "r", "d", "m", "b", "ñ", "nt", "st", "rc"],
        endings: &["a", "o", "as", "os"],
    },
];

impl Tongue {
    /// The word of a rank: those of neighbouring ranks are forms of one.
    fn word(&self, rank: u64) -> String {
        let (forms, pick) = (self.endings.len() as u64, |list: &[&'static str], salt, n| {
            list[(scattered(n, salt) * list.len() as f64) as usize % list.len()]
        });
        let (lemma, form) = (rank / forms, rank % forms);
        let mut word = String::new();
        // Frequent words are short.
        for syllable in 0..1 + u64::from(lemma > 60) + u64::from(lemma > 3_000) {
            word.push_str(pick(self.starts, 71 + syllable, lemma));
            word.push_str(pick(self.middles, 81 + syllable, lemma));
            word.push_str(pick(self.ends, 91 + syllable, lemma));
        }
        word + self.endings[form as usize]
    }

    /// A word as often as it is used.
    fn drawn(&self, n: u64, salt: u64) -> String {
        self.word(rank(n, salt, 1))
    }
}

/// A rank from `from` on, the n-th 1/n times as often as the first.
fn rank(n: u64, salt: u64, from: u64) -> u64 {
    let (low, high) = ((from as f64).ln(), (WORDS as f64).ln());
    ((low + scattered(n, salt) * (high - low)).exp() as u64).clamp(from, WORDS) - 1
}

fn tongue(n: u64) -> &'static Tongue {
    &TONGUES[(n / 10 % 4) as usize]
}

/// So many words about the `n`-th picture.
fn text(n: u64, salt: u64, words: u64) -> String {
    (0..words).map(|k| tongue(n).drawn(n * 64 + k, salt)).collect::<Vec<_>>().join(" ")
}

fn caption(n: u64) -> String {
    text(n, 3, 5 + (scattered(n, 4) * 15.0) as u64)
}

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

type Question = fn(u64, u64) -> String;

/// What is asked: about the `n`-th picture, or anything.
const QUESTIONS: [(&str, Question); 9] = [
    ("a word", one_word),
    ("exactly a word", |item, n| format!("+{}", one_word(item, n))),
    ("two words of a caption", |item, _| some_of(item, 2).join(" ")),
    ("three words of a caption", |item, _| some_of(item, 3).join(" ")),
    ("a phrase", |item, _| {
        let caption = caption(item);
        let words: Vec<&str> = caption.split(' ').collect();
        format!("\"{}\"", words[words.len() - 2..].join(" "))
    }),
    ("one of two words, not a third", |item, n| {
        format!("({} OR {}) -{}", one_word(item, n), one_word(item, n + 1_000), one_word(item, n + 2_000))
    }),
    ("the start of a word", |item, n| one_word(item, n).chars().take(4).collect()),
    ("a word with a slip", slip),
    ("a place", |item, _| format!("town{}", town_of(item))),
];

fn one_word(_: u64, n: u64) -> String {
    TONGUES[(n % 4) as usize].word(rank(n, 17, COMMON))
}

/// The longest words of a caption: people search for what tells something.
fn some_of(item: u64, most: usize) -> Vec<String> {
    let mut words: Vec<String> = caption(item).split(' ').map(str::to_owned).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words.truncate(most);
    words
}

/// A word of two syllables or more with two letters swapped.
fn slip(_: u64, n: u64) -> String {
    let mut letters: Vec<char> = TONGUES[(n % 4) as usize].word(rank(n, 19, 2_000)).chars().collect();
    let at = 1 + (scattered(n, 23) * (letters.len() - 2) as f64) as usize;
    let other = (at + 1).min(letters.len() - 1);
    letters.swap(at, other);
    letters.into_iter().collect()
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
            numbers.flat_map(|n| n.is_multiple_of(10).then(|| page(n)).into_iter().chain([picture(n)])).collect();
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

fn page(n: u64) -> Visited {
    let media = (n..n + 10).map(|n| MediaReference {
        description: caption(n),
        url: address(n),
        kind: MediaKind::Image,
        licence: n.is_multiple_of(100).then(|| "https://creativecommons.org/licenses/by/4.0/".into()),
        author: None,
        locations: Vec::new(),
        refused: None,
    });
    let url = Url::parse(&format!("http://p{}.example/{n}", n % 200)).expect("a made address");
    let facts = PageFacts {
        title: text(n, 51, 6),
        keywords: (0..6).map(|k| text(n, 52 + k, 2)).collect(),
        language: Some(tongue(n).code.into()),
        size: 30_000,
        media: media.collect(),
        ..PageFacts::default()
    };
    visit(url, VisitKind::Page, n, Outcome::Page(facts))
}

fn picture(n: u64) -> Visited {
    let at = place(n);
    let facts = Facts {
        title: (!n.is_multiple_of(3)).then(|| text(n, 61, 4)),
        keywords: if n.is_multiple_of(3) { (0..5).map(|k| text(n, 62 + k, 1)).collect() } else { Vec::new() },
        location: Some(Location { at, altitude: None, direction: None, date: None, source: LocationSource::Exif }),
        ..made::facts(n)
    };
    kept(n, MediaFile { locality: Some(names(town_of(n))), ..made::file(n, facts) })
}
