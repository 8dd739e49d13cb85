//! How many megabytes of page a core reads in a second, and what 1,000 pages of 64 KB cost.
//!
//! `cargo run --release -p bowerbird-page --example throughput [FILE|DIR …]` reads the pages given, of a
//! directory up to 1,000 as one set, or made pages. Times are those of the processor, not of the clock.

use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn main() {
    let places: Vec<String> = std::env::args().skip(1).collect();
    if places.is_empty() {
        measure("64 KB, link-dense", &[dense_page()]);
        measure("2,000 images in 20,000 nodes", &[gallery(2000, 20_000)]);
    }
    for place in places {
        let mut files = Vec::new();
        gather(Path::new(&place), &mut files);
        files.sort();
        let every = files.len().div_ceil(1000).max(1);
        let bodies: Vec<Vec<u8>> = files.iter().step_by(every).filter_map(|file| std::fs::read(file).ok()).collect();
        measure(&place, &bodies);
    }
}

fn gather(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let path = entry.path();
        let html = path.extension().is_some_and(|ending| ending == "html" || ending == "htm");
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) || html {
            gather(&path, files);
        }
    }
}

fn measure(what: &str, bodies: &[Vec<u8>]) {
    let url = facts::Url::parse("https://www.example.org/region/town/index.html").expect("a fixed address");
    let limits = page::Limits::default();
    let bytes: usize = bodies.iter().map(Vec::len).sum();
    println!("{what}: {} pages, {:.2} MB", bodies.len(), bytes as f64 / 1e6);
    let read = |body: &[u8]| {
        black_box(page::read(black_box(body), Some("text/html; charset=utf-8"), &url, &limits));
    };
    say("read", bytes, bodies, read);
    let plant = |quickly: bool| {
        let limits = &limits;
        move |body: &[u8]| {
            if let Ok(text) = std::str::from_utf8(body) {
                black_box(page::judge::plant(black_box(text), limits, quickly));
            }
        }
    };
    say("tree alone", bytes, bodies, plant(true));
    say("tree alone, html5ever", bytes, bodies, plant(false));
}

/// The mean of many rounds, each over all pages: the system counts a thread's time in slices.
fn say(what: &str, bytes: usize, bodies: &[Vec<u8>], work: impl Fn(&[u8])) {
    let until = Instant::now() + Duration::from_secs(3);
    let (start, mut rounds) = (busy(), 0);
    while Instant::now() < until || rounds < 3 {
        bodies.iter().for_each(|body| work(body));
        rounds += 1;
    }
    let seconds = (busy().saturating_sub(start) / rounds).as_secs_f64();
    println!(
        "  {what:<22} {:>7.1} MB/s, {:.3} CPU-s per 1,000 pages of 64 KB",
        bytes as f64 / seconds / 1e6,
        seconds / bytes as f64 * 64e3 * 1e3
    );
}

/// How long this thread has kept a processor busy.
fn busy() -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|text| text.split(' ').next().and_then(|n| n.parse().ok()));
    Duration::from_nanos(spent.unwrap_or(0))
}

/// Navigation, teasers, paragraphs and a footer, as news sites have them.
fn dense_page() -> Vec<u8> {
    const WORDS: [&str; 16] = [
        "harbour", "museum", "the", "old", "church", "of", "town", "river", "evening", "a", "market", "square",
        "north", "bridge", "and", "island",
    ];
    let word = |i: usize| WORDS[(i * 7 + i / 5) % WORDS.len()];
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>News of the region</title>\
         <link rel=\"stylesheet\" href=\"/style.css\"><script>window.config={\"a\":1};</script></head><body>",
    );
    let mut i = 0;
    while html.len() < 64_000 {
        i += 1;
        let _ = write!(
            html,
            "\n<div class=\"teaser teaser--{}\" data-id=\"{i}\">\n  <a class=\"teaser__link\" href=\"/news/{}/{}-{i}.html\">\
             <img class=\"teaser__image\" src=\"/images/{i}-320x200.jpg\" alt=\"{} {}\" width=\"320\" height=\"200\"></a>\n  \
             <h3><a href=\"/news/{}/{}-{i}.html\">{} {} {} {}</a></h3>\n  <ul class=\"tags\">",
            i % 4,
            word(i),
            word(i + 1),
            word(i + 2),
            word(i + 3),
            word(i),
            word(i + 1),
            word(i),
            word(i + 4),
            word(i + 5),
            word(i + 6),
        );
        for j in 0..4 {
            let _ = write!(
                html,
                "<li><a href=\"https://www.example.org/tag/{}/{}\" rel=\"tag\">{}</a></li>",
                word(i + j),
                i * 4 + j,
                word(i + j)
            );
        }
        html.push_str("</ul>\n  <p>");
        for j in 0..25 {
            html.push_str(word(i * 3 + j * j));
            html.push(' ');
        }
        html.push_str("</p>\n</div>");
    }
    html.push_str("</body></html>");
    html.into_bytes()
}

/// Many images among many nodes.
fn gallery(images: usize, nodes: usize) -> Vec<u8> {
    let mut html = String::from("<!doctype html><title>Gallery</title><body>");
    for i in 0..images {
        let _ = write!(html, "<div><img src=/full/{i}.jpg alt='picture {i}'>");
        for j in 0..nodes / images - 2 {
            let _ = write!(html, "<span>s{j}");
        }
        for _ in 0..nodes / images - 2 {
            html.push_str("</span>");
        }
        html.push_str("</div>");
        if i % 100 == 0 {
            html.push_str("<p>A row of pictures</p>");
        }
    }
    html.into_bytes()
}
