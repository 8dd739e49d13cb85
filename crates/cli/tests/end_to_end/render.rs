//! Pages that are little without their scripts, in a real Chromium.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Bird, said};
use crate::site::{Reply, Site};

/// Scripted sites of the lab, served inside the test.
struct Scripts {
    runtime: tokio::runtime::Runtime,
    server: Option<lab::Server<lab::Scripted>>,
}

impl Scripts {
    fn start(sites: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let server =
            runtime.block_on(lab::Server::start(lab::Scripted::new(sites), ([127, 0, 0, 1], 0).into())).unwrap();
        server.web().put_at(server.http());
        Self { runtime, server: Some(server) }
    }

    fn server(&self) -> &lab::Server<lab::Scripted> {
        self.server.as_ref().unwrap()
    }

    fn crawl(&self, bird: &Bird, more: &[&str]) -> Value {
        let rule = self.server().resolve().concat();
        let seed = format!("http://{}/", lab::Scripted::host());
        let usual = ["crawl", &seed, "--resolve", &rule, "--strategy", "bfs", "--no-places", "--delay", "20ms"];
        bird.json(usual.iter().chain(more))
    }
}

impl Drop for Scripts {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop());
        }
    }
}

#[test]
fn all_that_scripts_make_of_pages_is_found_once() {
    let (scripts, bird) = (Scripts::start(1), Bird::new());
    let web = scripts.server().web();
    // However slow the machine: what is asked here is what is found, not how fast.
    let settings = bird.file("bowerbird.toml", "[crawl.limits]\nmax-render = \"60s\"\n");
    let summary = scripts.crawl(&bird, &["--render", "always", "--config", &settings]);
    let kept: BTreeSet<String> = bird.kept().media.into_keys().collect();
    let truth = web.states();
    let missing: Vec<_> =
        truth.iter().flat_map(|state| &state.pictures).filter(|url| !kept.contains(url.identity().as_ref())).collect();
    let pictures = truth.iter().flat_map(|state| &state.pictures).count();
    assert!(missing.len() * 50 <= pictures, "of {pictures} pictures these are missing: {missing:?}");
    assert_eq!(summary["pages"], web.pages(), "{summary}");
    // The page that leads to all has a state too.
    let found = truth.iter().filter(|state| !missing.iter().any(|url| state.pictures.contains(url))).count() + 1;
    assert_eq!(summary["states"], found, "no state is counted twice: {summary}");
    assert_eq!(summary["rendered"], summary["pages"]);
    let log = scripts.runtime.block_on(scripts.server().settled_log());
    assert_eq!(log.robots_breaches, 0, "{log:?}");
    let units = &bird.json(["stats"])["units"];
    assert!(units["states"] == summary["states"] && units["dynamic"].as_u64() >= Some(pictures as u64), "{units}");
}

#[test]
fn only_pages_that_show_signs_are_rendered() {
    let (scripts, bird) = (Scripts::start(1), Bird::new());
    let summary = scripts.crawl(&bird, &["--render", "never", "--name", "never"]);
    assert_eq!((&summary["rendered"], &summary["images"]["seen"]), (&0.into(), &0.into()), "{summary}");
    let summary = scripts.crawl(&bird, &["--name", "auto"]);
    let (pages, rendered) = (summary["pages"].as_u64().unwrap(), summary["rendered"].as_u64().unwrap());
    assert_eq!(rendered + 1, pages, "all but the one that leads to them: {summary}");
}

#[test]
fn pages_that_mean_harm_cost_their_time_and_one_line_and_reach_nobody() {
    let (scripts, bird) = (Scripts::start(1), Bird::new());
    let rule = scripts.server().resolve().concat();
    let settings = bird.file("bowerbird.toml", "[crawl.limits]\nmax-render = \"3s\"\n");
    let pages = lab::Scripted::hostile();
    let usual =
        ["crawl", "--config", &settings, "--resolve", &rule, "--render", "always", "--scope", "host", "--no-places"];
    let mut command = bird.command(usual.into_iter().chain(["--delay", "10ms", "--max-depth", "0", "--json"]));
    let started = Instant::now();
    let output = command.args(pages.iter().map(|page| page.as_str())).output().unwrap();
    let (told, complained) = said(&output);
    assert!(output.status.success(), "{complained}");
    // The limit is on the scripts of a page; to open it and to be rid of it takes some time too.
    assert!(started.elapsed() < Duration::from_secs(20) * pages.len() as u32, "{:?}", started.elapsed());
    let summary: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(summary["pages"], pages.len(), "read all the same: {summary}");
    for page in &pages {
        let lines = complained.lines().filter(|line| line.contains(&format!("{page}:"))).count();
        assert!(lines <= 1, "{page}: {complained}");
    }
    assert!(complained.contains("read without its scripts"), "{complained}");
    let log = scripts.runtime.block_on(scripts.server().settled_log());
    let asked: Vec<&String> = log.by_host.keys().collect();
    assert_eq!(asked, ["hostile.lab.test"], "{log:?}");
    assert_eq!(log.robots_breaches, 0, "{log:?}");
    assert!(log.most_open <= 6, "{log:?}");
}

#[test]
fn what_a_watcher_lists_is_all_that_is_set_off_and_the_host_rests_twice_as_long() {
    const DELAY: Duration = Duration::from_millis(300);
    let page = |name: &str| {
        let button = |id: &str| {
            format!(
                "<button id={id} onclick=\"fetch('/{name}-{id}').then(r => r.text()).then(t => out.append(t))\">{id}</button>"
            )
        };
        format!(
            "<h1>{name}</h1>{}{}{}<p id=out></p><script>fetch('/{name}-load')</script>",
            button("x"),
            button("y"),
            button("z")
        )
    };
    let site = Site::start(move |asked| {
        let entry = |path: &str| {
            format!(
                r#"{{"url":"http://a.test{path}","change":"new","at":"2026-01-01T00:00:00Z","updates":0,"level":0.5,"rank":0.5}}"#
            )
        };
        match asked.path.split('?').next().unwrap() {
            "/robots.txt" => Reply::status(404),
            "/.well-known/bowerbird-watcher.json" => Reply::new(
                200,
                "application/json",
                format!(
                    r#"{{"version":1,"site":"http://a.test/","flag":0,"made":"2026-01-02T00:00:00Z","token":"t1","since":null,"ranked":true,"total":2,"next":null,
                    "pages":[{},{}],"dynamic":[{{"url":"http://a.test/","events":["onclick"],"sources":["button#y"],"target":"out","value":"y()"}}]}}"#,
                    entry("/"),
                    entry("/two")
                )
                .as_bytes(),
            ),
            "/" => Reply::html(&page("one")),
            "/two" => Reply::html(&page("two")),
            "/one-y" => Reply::text("more of it"),
            path if path.starts_with("/one") || path.starts_with("/two") => Reply::text("words"),
            _ => Reply::status(404),
        }
    });
    let bird = Bird::new();
    let [flag, rule] = site.resolve("a.test");
    let delay = format!("{}ms", DELAY.as_millis());
    let usual = ["crawl", "http://a.test/", &flag, &rule, "--revisit", "watcher", "--delay", &delay, "--no-places"];
    let summary = bird.json(usual);
    let of = |name: &str| {
        site.log()
            .into_iter()
            .filter(|asked| asked.path.starts_with(name))
            .map(|asked| asked.path)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(of("/one"), BTreeSet::from(["/one-load".to_owned(), "/one-y".to_owned()]), "{summary}");
    assert_eq!(of("/two-").len(), 4, "nothing is said of this one: all is tried");
    // From the last request for one page to the other page.
    let log = site.log();
    let place = |path: &str| log.iter().position(|asked| asked.path == path).unwrap();
    let (first, second) = (place("/").min(place("/two")), place("/").max(place("/two")));
    assert!(second > first + 2, "the requests of a page are made while it is visited");
    let rest = log[second].at.duration_since(log[second - 1].ended.unwrap());
    assert!(rest >= 2 * DELAY, "{rest:?}");
}

#[test]
fn without_chromium_a_crawl_says_so_and_reads_pages_as_they_are_sent() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/" => Reply::html("<a href=/b>b</a><div id=root></div><script>1</script>"),
        "/b" => Reply::html("<p>b</p><script>1</script>"),
        _ => Reply::status(404),
    });
    let [flag, rule] = site.resolve("a.test");
    let usual = ["crawl", "http://a.test/", &flag, &rule, "--delay", "1ms", "--chromium", "/nowhere/chromium"];
    let bird = Bird::new();
    let output = bird.run(usual);
    let (told, complained) = said(&output);
    assert!(output.status.success() && told.starts_with("2 pages"), "{told} {complained}");
    assert_eq!(complained.matches("/nowhere/chromium").count(), 1, "{complained}");
    let output = bird.run(usual.iter().chain(&["--render", "always", "--name", "other"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).1.contains("--chromium"), "{}", said(&output).1);
}
