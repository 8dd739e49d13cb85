//! Hosts that mean harm to crawlers: a crawl over all of them ends by itself, stays small, and says what it met.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lab::{Corner, Named};
use serde_json::Value;

use crate::harness::{Bird, Kept, Running, said};

/// What a crawl over the corner may take at most; it needs a third of it on two free cores.
const LONGEST: Duration = Duration::from_secs(240);
const MOST_MEMORY: u64 = 400 << 20;

/// Short waits, and budgets that are soon used up.
const SETTINGS: &str = "[crawl]\npatience = \"15s\"\n[crawl.limits]\nmax-answer = \"4s\"\n\
                        [crawl.budgets]\nper-host = 60\nper-template = 30\n";

/// What came of an address.
#[derive(Clone, Copy, Debug)]
enum Came {
    /// It was read.
    Read,
    /// It was read in part.
    Cut,
    /// It led elsewhere, and nothing more came of it.
    Led,
    /// Its visit failed, or the file was not kept, for one of these reasons.
    Failed(&'static [&'static str]),
    /// It was never asked for: robots.txt already failed, for one of these reasons.
    Barred(&'static [&'static str]),
    Kept,
}

use Came::{Barred, Cut, Failed, Led, Read};

/// What each trap is made of: the host, the path that must have been asked for, and what must have come of it. Traps
/// that a budget ends are counted.
const PARTS: &[(&str, &str, Came)] = &[
    ("circle", "/a", Led),
    ("circle", "/b", Failed(&["redirect"])),
    ("chain", "/9", Led),
    ("chain", "/10", Failed(&["redirect"])),
    ("refresh", "/0", Read),
    ("refresh", "/10", Read),
    ("endless", "/page", Failed(&["too-large", "timeout"])),
    ("endless-picture", "/endless.jpg", Failed(&["too-large", "timeout"])),
    ("slow", "/page", Failed(&["timeout"])),
    ("slow-head", "/page", Barred(&["timeout", "headers"])),
    ("silent", "/page", Barred(&["timeout"])),
    ("type", "/page.jpg", Failed(&["format"])),
    ("type", "/program.png", Failed(&["format"])),
    ("type", "/picture.html", Failed(&["aspect"])),
    ("type", "/program", Read),
    ("charset", "/utf-16", Read),
    ("charset", "/none", Read),
    ("charset", "/seven", Read),
    ("charset", "/marks", Read),
    ("broken", "/page", Read),
    ("deep", "/page", Cut),
    ("wide", "/page", Cut),
    ("attributes", "/page", Cut),
    ("bomb", "/page", Failed(&["too-large"])),
    ("bomb-in-bomb", "/page", Failed(&["too-large", "decode"])),
    ("coding", "/page", Failed(&["decode"])),
    ("png-bomb", "/bomb", Failed(&["bomb"])),
    ("flat-png", "/bomb", Came::Kept),
    ("jpeg-bomb", "/bomb", Failed(&["bomb"])),
    ("gif-bomb", "/bomb", Failed(&["bomb"])),
    ("long-header", "/page", Failed(&["headers"])),
    ("many-headers", "/page", Failed(&["headers"])),
    ("cookies", "/page", Failed(&["headers"])),
    ("interim", "/page", Failed(&["headers", "protocol", "timeout"])),
    ("busy", "/page", Failed(&["http-429"])),
    ("down", "/page", Failed(&["http-503"])),
    ("dying", "/3", Read),
    ("dying", "/4", Failed(&["cut-short", "protocol", "connect"])),
    ("half", "/page", Failed(&["cut-short"])),
    ("chunks", "/page", Failed(&["cut-short", "protocol"])),
    ("garbage", "/page", Barred(&["protocol"])),
    ("robots", "/robots.txt", Led),
    ("robots", "/page", Read),
    ("robots-circle", "/robots.txt", Led),
    ("robots-circle", "/page", Read),
    ("sitemap", "/page", Read),
    ("private", "/page", Read),
];

/// What the private trap leads to. None of it is ever dialled, so only what is said of it can be looked at.
const PRIVATE: [&str; 7] = [
    "http://127.0.0.1:22/one",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://127.0.0.1/hexadecimal",
    "http://127.0.0.1/decimal",
    "http://10.0.0.1/",
    "http://192.168.0.1/router.jpg",
];

#[test]
fn the_hostile_corner_ends_by_itself_and_every_trap_is_named() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let corner = runtime.block_on(Corner::start(([127, 0, 0, 1], 0).into())).unwrap();
    let bird = Bird::new();
    let settings = bird.file("bowerbird.toml", SETTINGS);
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
    let log = told["log"].as_array().unwrap();
    let mishaps = by_host(log, "url", "reason");
    let budgets = by_host(told["crawl"]["frontier"]["overruns"].as_array().unwrap(), "host", "host");
    let kept = bird.kept();
    let mut unnamed = Vec::new();
    for trap in Corner::traps() {
        let host = trap.host();
        let of_host = |url: &String| url.contains(&format!("://{host}/"));
        let reasons = mishaps.get(&host).cloned().unwrap_or_default();
        let is_named = match trap.named {
            // What is linked to from there is named by its own address, below.
            Named::Failed(["refused-address"]) => true,
            Named::Failed(wanted) => reasons.iter().any(|reason| wanted.contains(&reason.as_str())),
            Named::Refused => kept.refused.keys().any(of_host) || !reasons.is_empty(),
            Named::Budget => budgets.contains_key(&host),
            Named::Cut => reasons.iter().any(|reason| reason == "cut"),
            Named::Read => kept.pages.iter().any(of_host),
            Named::Kept => kept.media.keys().any(of_host),
        };
        if !is_named {
            unnamed.push(format!("{host} ({}): wanted {:?}, told {reasons:?}", trap.what, trap.named));
        }
    }
    assert!(unnamed.is_empty(), "{unnamed:#?}");
    let reasons: BTreeMap<&str, &str> =
        log.iter().map(|entry| (entry["url"].as_str().unwrap(), entry["reason"].as_str().unwrap())).collect();
    let asked = corner.asked();
    let unmet: Vec<_> = PARTS.iter().filter_map(|part| unmet(*part, &asked, &reasons, &kept)).collect();
    assert!(unmet.is_empty(), "{unmet:#?}");
    for address in PRIVATE {
        assert_eq!(reasons.get(address), Some(&"refused-address"), "{address}: {reasons:#?}");
    }
    // Each that is asked again is asked again; none is followed without end.
    for trap in ["busy", "down", "robots-circle"] {
        let path = if trap == "robots-circle" { "/robots.txt" } else { "/page" };
        let times = asked[&at(trap, path)];
        assert!((2..20).contains(&times), "{trap}{path} was asked for {times} times");
    }
    for trap in Corner::traps() {
        let of_trap = format!("http://{}/", trap.host());
        let times: u64 = asked.iter().filter(|(url, _)| url.starts_with(&of_trap)).map(|(_, times)| times).sum();
        let least = if trap.named == Named::Budget { 30 } else { 1 };
        assert!((least..100).contains(&times), "{} was asked {times} times", trap.host());
    }
    assert!(!asked.contains_key(&at("refresh", "/11")) && !asked.contains_key(&at("chain", "/11")), "{asked:#?}");
    let worth_nothing = |url: &&String| {
        let of_host = |trap: &&lab::Trap| url.contains(&format!("://{}/", trap.host()));
        Corner::traps().iter().find(of_host).is_none_or(|trap| trap.named != Named::Kept)
    };
    let kept = kept.media.keys().filter(worth_nothing).collect::<Vec<_>>();
    assert!(kept.is_empty(), "nothing of these is worth keeping: {kept:?}");
    runtime.block_on(corner.stop());
}

/// The address of a trap, as it is counted and listed.
fn at(trap: &str, path: &str) -> String {
    format!("http://{trap}.corner.lab.test{path}")
}

/// What is wrong with a part, when it was not asked for or something else came of it.
fn unmet(
    (trap, path, came): (&str, &str, Came),
    asked: &BTreeMap<String, u64>,
    reasons: &BTreeMap<&str, &str>,
    kept: &Kept,
) -> Option<String> {
    let address = at(trap, path);
    let failed = reasons.get(address.as_str()).copied();
    let said = failed.or(kept.refused.get(&address).map(String::as_str));
    let read = kept.pages.contains(&address);
    let is_asked = asked.contains_key(&address);
    let is_met = match came {
        Read => is_asked && read && said.is_none(),
        Cut => is_asked && read && said == Some("cut"),
        Led => is_asked && !read && said.is_none(),
        Failed(why) => is_asked && !read && said.is_some_and(|said| why.contains(&said)),
        Barred(why) => {
            let robots = asked.contains_key(&at(trap, "/robots.txt"));
            robots && !is_asked && !read && said.is_some_and(|said| why.contains(&said))
        }
        Came::Kept => is_asked && kept.media.contains_key(&address),
    };
    (!is_met).then(|| format!("{address}: wanted {came:?}; asked for: {is_asked}, read: {read}, said: {said:?}"))
}

/// Only who heeds what sites say of themselves asks for sitemaps.
#[test]
fn a_sitemap_that_lists_itself_and_one_that_unfolds_cost_a_few_requests() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let corner = runtime.block_on(Corner::start(([127, 0, 0, 1], 0).into())).unwrap();
    let bird = Bird::new();
    let settings = bird.file("bowerbird.toml", SETTINGS);
    let page = at("sitemap", "/page");
    let order = ["crawl", &page, "--name", "maps", "--config", &settings, "--revisit", "watcher", "--delay", "0s"];
    let summary = bird.json(order.into_iter().chain(["--resolve", &corner.resolve()]));
    assert_eq!((&summary["stopped"], &summary["pages"]), (&"empty".into(), &1.into()), "{summary}");
    let asked = corner.asked();
    let times = |path: &str| asked.get(&at("sitemap", path)).copied().unwrap_or(0);
    assert!((1..=3).contains(&times("/self.xml")), "as deep as lists may lead, and no deeper: {asked:#?}");
    let others = asked.keys().filter(|url| url.contains("/self.xml?")).count();
    assert!((1..=10).contains(&others), "{asked:#?}");
    assert_eq!((times("/bomb.xml"), times("/page")), (1, 1), "{asked:#?}");
    let told = bird.json(["crawls", "maps", "--log", "100"]);
    let bomb = told["log"].as_array().unwrap().iter().find(|entry| entry["url"] == at("sitemap", "/bomb.xml"));
    assert!(bomb.is_some_and(|entry| entry["reason"] == "too-large"), "{told:#}");
    runtime.block_on(corner.stop());
}

/// The name server of the system cannot be chosen on the command line, so the program is shown another file that
/// names it: that takes root, as does its port.
#[test]
fn a_name_that_moves_into_a_private_network_is_not_followed_there() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let mut corner = runtime.block_on(Corner::start(([127, 0, 0, 1], 0).into())).unwrap();
    let [.., high, low] = std::process::id().to_be_bytes();
    let names = Ipv4Addr::new(127, 53, high, low.max(1));
    let mounts = Command::new("unshare").args(["--mount", "true"]).stderr(Stdio::null()).status();
    let seed = runtime.block_on(corner.turn_names((names, 53).into()));
    let (Ok(seed), true) = (seed, mounts.is_ok_and(|status| status.success())) else {
        eprintln!("skipped: a name server of its own takes root");
        return;
    };
    let bird = Bird::new();
    let servers = bird.file("resolv.conf", &format!("nameserver {names}\n"));
    let crawl = |most: &str| {
        // Its address is the corner's own: rules for https admit it, and leave http to the name server.
        let named = format!("https:*.names.lab.test={}", corner.address());
        let usual = ["crawl", seed.as_str(), "--name", "turning", "--strategy", "bfs", "--delay", "0s"];
        let reach = ["--revisit", "never", "--resolve", &corner.resolve(), "--resolve", &named, "--max-pages", most];
        let program = bird.command(usual.into_iter().chain(reach));
        let mut shell = Command::new("unshare");
        let shown = "mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"";
        shell.args(["--mount", "sh", "-c", shown, &servers]).arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let output = shell.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}", said(&output).1);
    };
    // A run remembers where names are for half a minute at least; the next one asks anew.
    crawl("2");
    assert_eq!(corner.asked().get("http://turning.names.lab.test/page"), Some(&1), "{:#?}", corner.asked());
    crawl("100");
    let inside = format!("http://turning.names.lab.test:{}/inside", corner.address().port());
    let told = bird.json(["crawls", "turning", "--log", "100"]);
    let entry = told["log"].as_array().unwrap().iter().find(|entry| entry["url"] == inside.as_str());
    let entry = entry.unwrap_or_else(|| panic!("{inside} is not named: {told:#}"));
    assert_eq!(entry["reason"], "refused-address", "{entry}");
    assert!(entry["detail"].as_str().unwrap().contains("10.0.0.7"), "{entry}");
    assert!(!corner.asked().contains_key("http://turning.names.lab.test/inside"));
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
