//! Hosts that mean harm to crawlers: a crawl over all of them ends by itself, stays small, and says what it met.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use lab::{Corner, Named};
use serde_json::Value;

use crate::harness::{Bird, Running};

/// What a crawl over the corner may take at most; it needs a third of it on two free cores.
const LONGEST: Duration = Duration::from_secs(240);
const MOST_MEMORY: u64 = 400 << 20;

#[test]
fn the_hostile_corner_ends_by_itself_and_every_trap_is_named() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let corner = runtime.block_on(Corner::start(([127, 0, 0, 1], 0).into())).unwrap();
    let bird = Bird::new();
    let settings = bird.file(
        "bowerbird.toml",
        "[crawl]\npatience = \"15s\"\n[crawl.limits]\nmax-answer = \"4s\"\n\
         [crawl.budgets]\nper-host = 60\nper-template = 30\n",
    );
    let usual = ["crawl", Corner::seed().as_str(), "--name", "corner", "--config", &settings].map(str::to_owned);
    let reach = ["--resolve", &corner.resolve(), "--strategy", "bfs", "--delay", "0s", "--max-pages", "100000"];
    let mut command = bird.command(usual.into_iter().chain(reach.map(str::to_owned)));
    let mut crawl = Running(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let started = Instant::now();
    let mut peak = 0;
    let status = loop {
        peak = memory(crawl.0.id()).unwrap_or(peak);
        if let Some(status) = crawl.0.try_wait().unwrap() {
            break status;
        }
        assert!(started.elapsed() < LONGEST, "it does not end by itself");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success());
    assert!(peak < MOST_MEMORY, "{} MB", peak >> 20);
    let stopped = bird.json(["crawls"])["crawls"][0]["runs"][0]["stopped"].clone();
    assert!(stopped == "empty" || stopped == "resting", "{stopped}");

    let told = bird.json(["crawls", "corner", "--log", "1000"]);
    let mishaps = by_host(told["log"].as_array().unwrap(), "url", "reason");
    let budgets = by_host(told["crawl"]["frontier"]["overruns"].as_array().unwrap(), "host", "host");
    let kept = bird.kept();
    let mut unnamed = Vec::new();
    for trap in Corner::traps() {
        let host = trap.host();
        let of_host = |url: &String| url.contains(&format!("://{host}/"));
        let reasons = mishaps.get(&host).cloned().unwrap_or_default();
        let is_named = match trap.named {
            // What is linked to from there is named by its own address.
            Named::Failed(["refused-address"]) => mishaps.values().flatten().any(|reason| reason == "refused-address"),
            Named::Failed(wanted) => reasons.iter().any(|reason| wanted.contains(&reason.as_str())),
            Named::Refused => kept.refused.keys().any(of_host) || !reasons.is_empty(),
            Named::Budget => budgets.contains_key(&host),
            Named::Cut => reasons.iter().any(|reason| reason == "cut"),
            Named::Read => kept.pages.iter().any(of_host),
        };
        if !is_named {
            unnamed.push(format!("{host} ({}): wanted {:?}, told {reasons:?}", trap.what, trap.named));
        }
    }
    assert!(unnamed.is_empty(), "{unnamed:#?}");
    assert!(kept.media.is_empty(), "nothing of it is worth keeping: {:?}", kept.media);
    runtime.block_on(corner.stop());
}

/// One field of each entry, by the host of another.
fn by_host(entries: &[Value], address: &str, field: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in entries {
        let at = entry[address].as_str().unwrap();
        let host = facts::Url::parse(at).map_or_else(|_| at.to_owned(), |url| url.host_str().to_owned());
        found.entry(host).or_default().push(entry[field].as_str().unwrap().to_owned());
    }
    found
}

/// The most memory a process had so far.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}
