//! A watcher over many files: how long the first look takes, what it costs when nothing happens,
//! how soon a change is told, and whether any of a burst of changes is lost.
//!
//! `cargo run --release -p bowerbird-watch --example million -- DIR [FILES]` makes FILES pages of
//! about 2 KB below DIR (a million need 4 GB), and removes them at the end.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use watch::{Order, Reset, Rush, Site, Way};

/// Pages of one folder.
const FOLDER: usize = 100;
/// Changes of the burst.
const BURST: usize = 10_000;
/// Askers at once, and rounds of them.
const ASKERS: usize = 50;
const ROUNDS: usize = 1_000;
/// Nothing takes longer.
const PATIENCE: Duration = Duration::from_secs(1_200);

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(dir) = arguments.next() else { return println!("which folder?") };
    let files: usize = arguments.next().and_then(|files| files.parse().ok()).unwrap_or(1_000_000);
    let base = PathBuf::from(dir).join(format!("bowerbird-million-{}", std::process::id()));
    let root = base.join("www");
    let begun = Instant::now();
    make(&root, files);
    println!("{files} pages made in {:.1} s", begun.elapsed().as_secs_f64());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let (ready, told) = std::sync::mpsc::channel();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let order = Order {
        sites: vec![Site::parse(&format!("http://million.test/={}", root.display())).expect("a site")],
        state: base.join("state"),
        way: Way::Listen(([127, 0, 0, 1], 0).into()),
        reset: Reset::Event,
        rush: Rush::default(),
        rescan: Duration::from_secs(6 * 3600),
        poll: Duration::from_secs(600),
        fetch: fetch::Settings::default(),
    };
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    let watching = runtime.spawn(async move {
        let ended = async { drop(ended.await) };
        watch::watch(order, move |address| ready.send(address).unwrap_or_default(), ended).await
    });
    let address = told.recv().ok().flatten().expect("the watcher starts");
    println!(
        "names and times: {:.1} s, {:.1} s of CPU; memory {} MB",
        begun.elapsed().as_secs_f64(),
        cpu_seconds() - cpu,
        memory("VmRSS")
    );
    change(&root, address, files, "while links are read");
    let patience = Instant::now();
    while get(address, "?claim=1")["ranked"] != true && patience.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_secs(1));
    }
    println!(
        "links read and ranked after {:.1} s, {:.1} s of CPU; memory {} MB, at most {} MB",
        begun.elapsed().as_secs_f64(),
        cpu_seconds() - cpu,
        memory("VmRSS"),
        memory("VmHWM")
    );
    change(&root, address, files, "afterwards");
    std::thread::sleep(Duration::from_secs(5));
    let (begun, cpu) = (Instant::now(), cpu_seconds());
    std::thread::sleep(Duration::from_secs(30));
    println!("idle: {:.2} % of a core over 30 s", 100.0 * (cpu_seconds() - cpu) / begun.elapsed().as_secs_f64());
    burst(&root, address, files);
    claims(&root, address);
    println!("memory {} MB, at most {} MB", memory("VmRSS"), memory("VmHWM"));
    let _ = end.send(());
    let ended = runtime.block_on(watching);
    println!("ended: {:?}", ended.map(|ended| ended.map_err(|error| error.to_string())));
    if let Err(error) = std::fs::remove_dir_all(&base) {
        println!("{} is left: {error}", base.display());
    }
}

fn path(root: &Path, number: usize) -> PathBuf {
    let folder = number / FOLDER;
    root.join(format!("{:03}/{:03}/page-{number}.html", folder / 100, folder % 100))
}

fn make(root: &Path, files: usize) {
    let words = "The harbour at evening, seen from the quay with boats and gulls. ".repeat(24);
    for number in 0..files {
        let path = path(root, number);
        if number % FOLDER == 0 {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("room on the disk");
        }
        // A tree of ten children each, some neighbours, and a way home.
        let children = (1..=10).map(|child| number * 10 + child);
        let links = children.chain([number / 10, number + 1, number / 2]).filter(|target| *target < files);
        let links: String = links.map(|target| format!("<a href=\"/{}\">{target}</a>\n", relative(target))).collect();
        std::fs::write(path, format!("<title>{number}</title><p>{words}</p>{links}")).expect("room on the disk");
    }
    std::fs::write(root.join("index.html"), format!("<a href=\"/{}\">in</a>", relative(0))).expect("room on the disk");
}

fn relative(number: usize) -> String {
    let folder = number / FOLDER;
    format!("{:03}/{:03}/page-{number}.html", folder / 100, folder % 100)
}

/// How soon a change is in the report.
fn change(root: &Path, address: SocketAddr, files: usize, when: &str) {
    let mut slowest = Duration::ZERO;
    for round in 0..5 {
        let token = token(address);
        let number = (round * 7_919 + 13) % files;
        let begun = Instant::now();
        std::fs::write(path(root, number), format!("<p>changed {when} {round}")).expect("a change");
        let name = relative(number);
        while !get(address, &format!("?since={token}")).to_string().contains(&name) {
            assert!(begun.elapsed() < PATIENCE, "{name} is not told");
            std::thread::sleep(Duration::from_millis(20));
        }
        slowest = slowest.max(begun.elapsed());
    }
    println!("a change is in the report after {:.2} s at most of 5 ({when})", slowest.as_secs_f64());
}

/// Whether all of many changes are told.
fn burst(root: &Path, address: SocketAddr, files: usize) {
    let token = token(address);
    let begun = Instant::now();
    let changed: HashSet<String> = (0..BURST)
        .map(|change| {
            let number = change * (files / BURST).max(1) % files;
            std::fs::write(path(root, number), format!("<p>burst {change}")).expect("a change");
            relative(number)
        })
        .collect();
    let written = begun.elapsed();
    let told = loop {
        let mut told = HashSet::new();
        let mut query = format!("?since={token}");
        loop {
            let report = get(address, &query);
            let pages = report["pages"].as_array().cloned().unwrap_or_default();
            told.extend(
                pages
                    .iter()
                    .filter_map(|page| page["url"].as_str()?.strip_prefix("http://million.test/").map(str::to_owned)),
            );
            match report["next"].as_str() {
                Some(next) => query = next.to_owned(),
                None => break,
            }
        }
        if told.is_superset(&changed) || begun.elapsed() > PATIENCE {
            break told;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    println!(
        "burst: {} changes in {:.1} s, {} told, all of them {:.1} s after the first",
        changed.len(),
        written.as_secs_f64(),
        told.intersection(&changed).count(),
        begun.elapsed().as_secs_f64()
    );
}

/// Whether one of many who ask at once has the claim, many times over.
fn claims(root: &Path, address: SocketAddr) {
    let begun = Instant::now();
    let token = token(address);
    let mut wrong = 0;
    for round in 0..ROUNDS {
        std::fs::write(root.join("claimed.html"), format!("<p>{round}")).expect("a change");
        while get(address, &format!("?since={token}"))["flag"] != 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let barrier = std::sync::Barrier::new(ASKERS);
        let won: usize = std::thread::scope(|scope| {
            let asker = || {
                barrier.wait();
                usize::from(get(address, &format!("?claim=1&since={token}"))["flag"] == 0)
            };
            let askers: Vec<_> = (0..ASKERS).map(|_| scope.spawn(asker)).collect();
            askers.into_iter().map(|asker| asker.join().unwrap_or(0)).sum()
        });
        wrong += usize::from(won != 1);
    }
    println!(
        "claims: {ASKERS} askers, {ROUNDS} rounds, {wrong} rounds with more or fewer than one claim ({:.0} s)",
        begun.elapsed().as_secs_f64()
    );
}

/// Where the report is now.
fn token(address: SocketAddr) -> String {
    get(address, "?claim=1");
    get(address, "")["token"].as_str().unwrap_or_default().to_owned()
}

/// The report, or nothing when it cannot be had.
fn get(address: SocketAddr, query: &str) -> Value {
    let asked = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect(address)?;
        let path = report::WELL_KNOWN;
        write!(stream, "GET {path}{query} HTTP/1.0\r\nHost: million.test\r\nConnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(answer)
    };
    let answer = asked().unwrap_or_default();
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").map_or(&[][..], |at| &answer[at + 4..]);
    serde_json::from_slice(body).unwrap_or(Value::Null)
}

/// CPU time of this process: user and system.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_ascii_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

/// A line of /proc/self/status, in MB.
fn memory(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_ascii_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}
