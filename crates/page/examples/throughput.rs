//! How many megabytes of page a core reads in a second.
//!
//! `cargo run --release -p bowerbird-page --example throughput [FILE …]` reads the files given, or
//! a made page of about 64 KB that is dense with links.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        measure("64 KB, link-dense", &dense_page());
        measure("2,000 images in 20,000 nodes", &gallery(2000, 20_000));
    }
    for file in files {
        match std::fs::read(&file) {
            Ok(body) => measure(&file, &body),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
}

fn measure(what: &str, body: &[u8]) {
    let url = facts::Url::parse("https://www.example.org/region/town/index.html").expect("a fixed address");
    let limits = page::Limits::default();
    let page = page::read(body, Some("text/html; charset=utf-8"), &url, &limits);
    println!(
        "{what}: {} bytes, {} nodes, {} links, {} media, {} words",
        body.len(),
        page.tree.len(),
        page.links.len(),
        page.media.len(),
        page.words.total()
    );
    let mut times = Vec::new();
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        let start = Instant::now();
        black_box(page::read(black_box(body), Some("text/html; charset=utf-8"), &url, &limits));
        times.push(start.elapsed());
    }
    times.sort();
    let (best, median) = (times[0], times[times.len() / 2]);
    let rate = |time: Duration| body.len() as f64 / time.as_secs_f64() / 1e6;
    println!("  median {median:?} = {:.1} MB/s, best {best:?} = {:.1} MB/s", rate(median), rate(best));
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
