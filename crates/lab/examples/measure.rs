//! Prints what the made web is like: sizes, links, photos, harvest, and how quickly it is made.
//! Run with `cargo run --release -p bowerbird-lab --example measure`.

use lab::{Asked, PageId, Settings, Web};
use std::collections::{HashSet, VecDeque};

fn main() {
    sizes();
    for (hosts, pages) in [(100, 10_000), (1_000, 100_000), (10_000, 1_000_000)] {
        println!("\n{hosts} hosts, {pages} pages, breadth first over 3,000 pages:");
        for number in 1..=5 {
            harvest(&Web::new(Settings { number, hosts, pages, ..Settings::default() }));
        }
    }
}

/// Seconds this thread has run on a core (Linux): other work on the machine does not count.
fn cpu_seconds() -> f64 {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = times.split(' ').next().and_then(|first| first.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}

fn percentile(sorted: &[usize], percent: usize) -> usize {
    sorted[(sorted.len() * percent / 100).min(sorted.len() - 1)]
}

fn sizes() {
    let web = Web::new(Settings::default());
    let pages: Vec<PageId> = web.walk().take(2_000).map(|(page, _)| page).collect();
    let urls: Vec<_> = pages.iter().filter_map(|page| web.url_of(*page)).collect();
    let cookie = Some("seen=1; consent=yes".to_owned());
    let started = cpu_seconds();
    let (mut bytes, mut links) = (Vec::new(), Vec::new());
    for url in &urls {
        let answer = web.answer(&Asked { cookie: cookie.clone(), times_before: 1, ..Asked::get(url) });
        let text = String::from_utf8_lossy(&answer.body);
        bytes.push(answer.body.len());
        links.push(text.matches("<a href=").count());
    }
    let seconds = cpu_seconds() - started;
    bytes.sort_unstable();
    links.sort_unstable();
    println!("pages: {:.0}/s on one core", urls.len() as f64 / seconds);
    println!(
        "page bytes: median {}, 95 % below {}, largest {}",
        percentile(&bytes, 50),
        percentile(&bytes, 95),
        bytes[bytes.len() - 1]
    );
    println!(
        "links a page: 5 % below {}, median {}, 95 % below {}",
        percentile(&links, 5),
        percentile(&links, 50),
        percentile(&links, 95)
    );

    let (mut photos, mut located, mut wrong, mut copies) = (0, 0, 0, 0);
    let mut sample = Vec::new();
    for page in &pages {
        for media in web.media_of(*page) {
            let Some(photo) = web.truth(&media).and_then(|truth| truth.picture) else { continue };
            photos += 1;
            located += usize::from(photo.location.is_some());
            wrong += usize::from(photo.wrong_location.is_some());
            copies += usize::from(photo.copy_of.is_some());
            if photos % 12 == 0 {
                sample.push((photo.page, media));
            }
        }
    }
    let share = |n: usize| 100.0 * n as f64 / photos as f64;
    println!(
        "{photos} photos: {:.2} % located, {:.2} % wrongly, {:.1} % copies",
        share(located),
        share(wrong),
        share(copies)
    );
    let started = cpu_seconds();
    let mut bytes: Vec<usize> = sample
        .iter()
        .map(|(page, media)| web.answer(&Asked { referer: Some(page.clone()), ..Asked::get(media) }).body.len())
        .collect();
    let seconds = cpu_seconds() - started;
    bytes.sort_unstable();
    println!(
        "photo bytes ({} drawn): median {}, mean {}; {:.0} photos/s on one core",
        bytes.len(),
        percentile(&bytes, 50),
        bytes.iter().sum::<usize>() / bytes.len(),
        bytes.len() as f64 / seconds
    );
}

fn harvest(web: &Web) {
    let walked: Vec<PageId> = web.walk().take(3_000).map(|(page, _)| page).collect();
    let relevant: Vec<PageId> = walked.iter().copied().filter(|page| web.is_relevant(*page)).collect();
    let direct = relevant.iter().filter(|page| bridge(web, **page, 0) == Some(0)).count();
    let mut bridges = [0; 6];
    for page in relevant.iter().take(40) {
        bridges[bridge(web, *page, 4).unwrap_or(5)] += 1;
    }
    println!(
        "  number {}: harvest {:.1} %, directly linked {:.0} %, shortest bridges {bridges:?} (0 to 4, none)",
        web.settings().number,
        100.0 * relevant.len() as f64 / walked.len() as f64,
        100.0 * direct as f64 / relevant.len() as f64
    );
}

/// Pages without an address between this one and the nearest other relevant one, up to a limit.
fn bridge(web: &Web, from: PageId, most: usize) -> Option<usize> {
    let mut known = HashSet::from([from]);
    let mut queue = VecDeque::from([(from, 0)]);
    while let Some((page, between)) = queue.pop_front() {
        for link in web.outlinks(page).into_iter().filter(|link| *link != from) {
            if !known.insert(link) {
                continue;
            }
            if web.is_relevant(link) {
                return Some(between);
            }
            if between < most {
                queue.push_back((link, between + 1));
            }
        }
    }
    None
}
