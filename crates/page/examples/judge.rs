//! Compares the quick parser with html5ever on real pages and on broken ones made of them.
//!
//! `cargo run --release -p bowerbird-page --example judge -- [--broken N] [--most N] [--heaps N] DIR|FILE …` reads all
//! HTML files under the directories, and of each also `N` copies with tags and bytes deleted,
//! doubled or put in; and `N` heaps of tags in no order.

use std::path::{Path, PathBuf};

use page::Limits;
use page::judge::{Breaker, Verdict, compare};

#[derive(Default)]
struct Tally {
    pages: usize,
    bytes: usize,
    left: usize,
    nodes: usize,
    differing: usize,
    wrong: usize,
}

impl Tally {
    fn add(&mut self, text: &str, verdict: &Verdict) {
        self.pages += 1;
        self.bytes += text.len();
        self.left += usize::from(verdict.left);
        self.nodes += verdict.nodes;
        self.differing += verdict.differing;
        self.wrong += usize::from(verdict.differing > 0);
    }

    fn say(&self, what: &str) {
        println!(
            "{what}: {} pages, {:.1} MB, {} left to html5ever, {} nodes compared, {} differing on {} pages",
            self.pages,
            self.bytes as f64 / 1e6,
            self.left,
            self.nodes,
            self.differing,
            self.wrong
        );
    }
}

fn main() {
    let (mut broken, mut most, mut heaps, mut show, mut files) = (0, usize::MAX, 0, 10, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse().ok()).unwrap_or(0);
        match argument.as_str() {
            "--broken" => broken = number(),
            "--most" => most = number(),
            "--heaps" => heaps = number(),
            "--show" => show = number(),
            _ => gather(Path::new(&argument), &mut files),
        }
    }
    files.sort();
    // Spread over all that was found.
    let every = files.len().div_ceil(most).max(1);
    let limits = Limits::default();
    let (mut whole, mut mutated) = (Tally::default(), Tally::default());
    let mut breaker = Breaker::new(1);
    for file in files.iter().step_by(every) {
        let Ok(body) = std::fs::read(file) else { continue };
        let text = String::from_utf8_lossy(&body[..body.len().min(1 << 20)]);
        let mut judge = |text: &str, tally: &mut Tally, name: &str| {
            let verdict = compare(text, &limits);
            tally.add(text, &verdict);
            if let Some(first) = verdict.first
                && show > 0
            {
                show -= 1;
                println!("{} {name}: {first}", file.display());
                let _ = std::fs::write(std::env::temp_dir().join(format!("judge-{show}.html")), text);
            }
        };
        judge(&text, &mut whole, "as it is");
        for copy in 0..broken {
            judge(&breaker.broken(&text), &mut mutated, &format!("broken {copy}"));
        }
    }
    let mut heaped = Tally::default();
    for heap in 0..heaps {
        let text = breaker.heap(5 + heap % 300);
        let verdict = compare(&text, &limits);
        heaped.add(&text, &verdict);
        if let Some(first) = verdict.first {
            println!("heap {heap}: {first}");
        }
    }
    whole.say("as they are");
    heaped.say("heaps");
    if broken > 0 {
        mutated.say("broken");
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
