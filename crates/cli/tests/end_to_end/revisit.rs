//! Crawls that come again: what changed, what is gone, and what sites report.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::Bird;
use crate::site::{Asked, Reply, Site};

const PATIENCE: Duration = Duration::from_secs(60);

fn crawl(site: &Site, more: &[&str]) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["crawl", "--strategy", "bfs", "--delay", "0s", "--keep", "all"].map(Into::into).into();
    arguments.extend(site.resolve("*.example"));
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    arguments
}

/// Paths in the log from a place on, with what was known of them; robots.txt and its like left out.
fn asked(site: &Site, from: usize) -> Vec<(String, String)> {
    let log = site.log();
    let pages = log[from..].iter().filter(|asked| !asked.path.contains("robots.txt") && !asked.path.contains("tdmrep"));
    let mut asked: Vec<_> = pages.map(|asked| (asked.path.clone(), asked.if_none_match.clone())).collect();
    asked.sort();
    asked
}

#[test]
fn what_did_not_change_costs_one_short_request_and_what_is_gone_is_marked() {
    let day = Arc::new(AtomicU32::new(0));
    let today = Arc::clone(&day);
    let site = Site::start(move |asked: &Asked| {
        let day = today.load(Ordering::SeqCst);
        match asked.path.as_str() {
            "/" => Reply::version(
                asked,
                "<title>Home</title><a href=/same>s</a><a href=/new>n</a><a href=/lost>l</a>\
                                          <a href=/plain>p</a><img src=/one.gif><img src=/two.gif>",
                "\"home\"",
            ),
            "/same" => Reply::version(asked, "<p>always this", "W/\"same\""),
            "/new" => Reply::version(asked, &format!("<p>day {day}"), &format!("\"{day}\"")),
            // Says nothing of versions, and has something in it that is another each time.
            "/plain" => Reply::html(&format!("<p>plain<script>now({day})</script>")),
            "/lost" | "/one.gif" if day > 0 => Reply::status(404),
            "/lost" => Reply::html("<p>soon gone"),
            "/one.gif" => Reply::picture().with("ETag", "\"one\""),
            "/two.gif" if asked.if_none_match == "\"two\"" => Reply::status(304),
            "/two.gif" => {
                let mut picture = Reply::picture();
                picture.body.push(0);
                picture.with("ETag", "\"two\"")
            }
            _ => Reply::status(404),
        }
    });
    let bird = Bird::new();
    let first = bird.json(crawl(&site, &["http://a.example/", "--name", "x"]));
    assert_eq!((&first["pages"], &first["images"]["kept"]), (&json!(5), &json!(2)), "{first:#}");
    // What was just visited has hardly changed: nothing is due.
    let before = site.log().len();
    let idle = bird.json(crawl(&site, &["--resume", "x"]));
    assert_eq!((idle["pages"].as_u64(), site.log().len()), (Some(0), before), "{idle:#}");

    day.store(1, Ordering::SeqCst);
    let again = bird.json(crawl(&site, &["--resume", "x", "--revisit", "uniform"]));
    let known = |path: &str, etag: &str| (path.to_owned(), etag.to_owned());
    assert_eq!(
        asked(&site, before),
        [
            known("/", "\"home\""),
            known("/lost", ""),
            known("/new", "\"0\""),
            known("/one.gif", "\"one\""),
            known("/plain", ""),
            known("/same", "W/\"same\""),
            known("/two.gif", "\"two\""),
        ]
    );
    let revisits =
        json!({ "page": { "unchanged": 3, "changed": 1, "gone": 1 }, "image": { "unchanged": 1, "gone": 1 } });
    assert_eq!(again["revisits"], revisits, "{again:#}");
    let shown = bird.json(["crawls", "x"]);
    let changes = shown["changes"].as_array().unwrap().iter();
    let mut changes: Vec<String> =
        changes.map(|seen| format!("{} {}", seen["change"].as_str().unwrap(), seen["url"].as_str().unwrap())).collect();
    changes.sort();
    let expected = ["changed http://a.example/new", "gone http://a.example/lost", "gone http://a.example/one.gif"];
    assert_eq!(changes, expected);
    let found = bird.json(["search", ""]);
    let gone = found["results"].as_array().unwrap().iter().filter(|hit| hit["gone"] == true).count();
    assert_eq!((gone, &found["total"]), (1, &json!(2)), "{found:#}");

    // Once in a run, however often it is stopped; a limit counts what is asked for.
    let limited = bird.json(crawl(&site, &["--resume", "x", "--revisit", "top-levels:0", "--max-pages", "1"]));
    assert_eq!(limited["revisits"]["page"]["unchanged"], 1, "{limited:#}");
}

/// Pages that take their time, so that a crawl of them can be killed; later each has a new link.
#[test]
fn a_killed_round_of_visits_goes_on_where_it_was_and_loses_no_link() {
    const PAGES: usize = 60;
    let day = Arc::new(AtomicU32::new(1));
    let today = Arc::clone(&day);
    let site = Site::start(move |asked: &Asked| {
        let version = format!("\"{}\"", today.load(Ordering::SeqCst));
        let slow = Duration::from_millis(10);
        match (asked.path.as_str(), asked.path.get(2..).and_then(|number| number.parse::<usize>().ok())) {
            ("/", _) => {
                let links: String = (0..PAGES).map(|page| format!("<a href=/p{page}>{page}</a>")).collect();
                Reply::version(asked, &links, "\"always\"")
            }
            (path, Some(page)) if path.starts_with("/p") && page < PAGES => {
                let link = if version == "\"1\"" { String::new() } else { format!("<a href=/n{page}>new</a>") };
                Reply::version(asked, &format!("<p>a page {link}"), &version).after(slow)
            }
            (path, Some(_)) if path.starts_with("/n") => Reply::html("<p>new"),
            _ => Reply::status(404),
        }
    });
    let bird = Bird::new();
    bird.json(crawl(&site, &["http://a.example/", "--name", "x"]));
    let before = site.log().len();
    day.store(2, Ordering::SeqCst);
    for more in [15, 40] {
        let mut killed = bird.spawn(crawl(&site, &["--resume", "x", "--revisit", "uniform"]));
        let deadline = Instant::now() + PATIENCE;
        while site.log().len() < before + more {
            assert!(Instant::now() < deadline, "the crawl does not go on");
            std::thread::sleep(Duration::from_millis(2));
        }
        killed.0.kill().unwrap();
        killed.0.wait().unwrap();
    }
    bird.json(crawl(&site, &["--resume", "x", "--revisit", "uniform"]));
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for (path, _) in asked(&site, before) {
        *times.entry(path).or_default() += 1;
    }
    let lost: Vec<usize> = (0..PAGES).filter(|page| !times.contains_key(&format!("/n{page}"))).collect();
    assert!(lost.is_empty(), "links of {lost:?} are lost");
    assert_eq!(times.len(), 2 * PAGES + 1);
    let twice = times.values().filter(|times| **times > 1).count();
    // What was asked for and not written yet: a batch of a moment, of one host.
    assert!(twice <= 20, "{twice} were asked for again");
    let figures = bird.json(["crawls", "x"]);
    let revisits = &figures["crawl"]["figures"]["revisits"]["page"];
    assert_eq!((&revisits["changed"], &revisits["unchanged"]), (&json!(PAGES), &json!(1)), "{revisits:#}");
}

/// A site with a report that a test writes.
struct Reporting {
    site: Site,
    report: Arc<Mutex<Value>>,
}

impl Reporting {
    fn start(robots: &'static str) -> Self {
        let report = Arc::new(Mutex::new(Value::Null));
        let told = Arc::clone(&report);
        let site = Site::start(move |asked: &Asked| {
            let path = asked.path.split('?').next().unwrap();
            match path {
                "/robots.txt" => Reply::text(robots),
                "/changes.json" | "/.well-known/bowerbird-watcher.json" => {
                    let report = told.lock().unwrap();
                    if report.is_null() { Reply::status(404) } else { Reply::text(&report.to_string()) }
                }
                // The second page of a list, as long as the list is kept.
                "/second.json" => match told.lock().unwrap()["second"].clone() {
                    Value::Null => Reply::status(410),
                    second => Reply::text(&second.to_string()),
                },
                "/" => Reply::html("<a href=/listed>l</a><a href=/hidden>h</a><a href=/private>p</a>"),
                "/listed" | "/hidden" | "/private" | "/other" => {
                    Reply::version(asked, "<a href=/hidden>h</a>", "\"1\"")
                }
                "/sitemap.xml" => Reply::new(
                    200,
                    "application/xml",
                    b"<urlset><url><loc>http://a.example/mapped</loc>\
                    <lastmod>2020-01-01</lastmod></url><url><loc>http://b.example/no</loc></url></urlset>",
                ),
                "/mapped" => Reply::html("<p>mapped"),
                _ => Reply::status(404),
            }
        });
        Self { site, report }
    }

    fn tell(&self, flag: u8, since: Option<&str>, pages: &[(&str, &str, f64)]) {
        let entries: Vec<Value> = pages
            .iter()
            .map(|(path, change, rank)| {
                json!({ "url": format!("http://a.example{path}"), "change": change, "at": "2026-03-01T11:00:00Z",
                        "updates": 1, "level": 0.1, "rank": rank })
            })
            .collect();
        *self.report.lock().unwrap() = json!({ "version": 1, "site": "http://a.example/", "flag": flag,
            "made": "2026-03-01T12:00:00Z", "token": "t.1", "since": since, "ranked": true, "total": entries.len(),
            "next": null, "pages": entries });
    }

    fn crawl(&self, bird: &Bird, more: &[&str]) -> (Value, Vec<String>) {
        let before = self.site.log().len();
        let mut arguments = crawl(&self.site, &["--revisit", "watcher", "--concurrency", "1"]);
        arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
        let summary = bird.json(arguments);
        (summary, self.site.log()[before..].iter().map(|asked| asked.path.clone()).collect())
    }
}

#[test]
fn a_report_says_what_is_visited_best_rank_first() {
    let watched = Reporting::start("User-agent: *\nDisallow: /private\nWatcher: /changes.json\n");
    watched.tell(
        0,
        None,
        &[("/other", "new", 0.2), ("/listed", "new", 0.6), ("/private", "new", 0.5), ("/", "new", 0.4)],
    );
    let bird = Bird::new();
    let (_, asked) = watched.crawl(&bird, &["http://a.example/", "--name", "x"]);
    // robots.txt, then the report, then what it lists and robots.txt allows; what it does not list is
    // not visited, whatever links to it.
    assert_eq!(asked, ["/robots.txt", "/changes.json?claim=1", "/", "/listed", "/other"]);

    // Later only what changed since.
    watched.tell(0, Some("t.1"), &[("/other", "updated", 0.2)]);
    let (_, asked) = watched.crawl(&bird, &["--resume", "x"]);
    assert_eq!(asked, ["/changes.json?claim=1&since=t.1", "/other"]);
    // What another crawler has taken is skipped.
    watched.tell(1, Some("t.1"), &[]);
    let (summary, asked) = watched.crawl(&bird, &["--resume", "x"]);
    assert_eq!((asked, &summary["pages"]), (vec!["/changes.json?claim=1&since=t.1".to_owned()], &json!(0)));
    let other = Bird::new();
    let (summary, asked) = watched.crawl(&other, &["http://a.example/", "--name", "y"]);
    assert_eq!(asked, ["/robots.txt", "/changes.json?claim=1"]);
    assert_eq!(summary["errors"], json!({ "flagged": 1 }));
    // A page that the site says is gone is looked for, and found to be.
    watched.tell(0, Some("t.1"), &[("/gone", "removed", 0.2), ("/listed", "removed", 0.3)]);
    let (_, asked) = watched.crawl(&bird, &["--resume", "x"]);
    assert_eq!(asked, ["/changes.json?claim=1&since=t.1", "/listed"], "what was never known is not asked for");
}

#[test]
fn a_list_of_several_pages_is_queued_page_by_page_and_begun_again_when_it_is_lost() {
    let watched = Reporting::start("");
    let tell = |token: &str, second: bool| {
        watched.tell(0, None, &[("/listed", "new", 0.6)]);
        let mut report = watched.report.lock().unwrap();
        (report["total"], report["token"]) = (json!(2), json!(token));
        let mut last = report.clone();
        last["pages"][0]["url"] = json!("http://a.example/other");
        report["next"] = json!("/second.json");
        report["second"] = if second { last } else { Value::Null };
    };
    let bird = Bird::new();
    // The list is never there to its end: the site is visited as one without a report, and asked again.
    tell("t.1", false);
    let (summary, asked) = watched.crawl(&bird, &["http://a.example/", "--name", "x"]);
    assert_eq!(summary["errors"]["report-expired"], 1, "{summary:#}");
    let report = "/.well-known/bowerbird-watcher.json";
    let claim = format!("{report}?claim=1");
    assert_eq!(asked[..5], ["/robots.txt", claim.as_str(), "/second.json", report, "/second.json"]);
    assert!(asked.contains(&"/mapped".to_owned()), "{asked:?}");
    // Later it is: all of it is visited, and what comes after it is asked for next time.
    tell("t.2", true);
    let (_, asked) = watched.crawl(&bird, &["http://a.example/", "--name", "y"]);
    assert_eq!(asked, [claim.as_str(), "/second.json", "/", "/listed", "/other"]);
    watched.tell(0, Some("t.2"), &[]);
    let (_, asked) = watched.crawl(&bird, &["--resume", "y"]);
    assert_eq!(asked, [format!("{claim}&since=t.2")]);
}

#[test]
fn a_report_that_cannot_be_believed_is_refused_and_the_crawl_goes_on() {
    let watched = Reporting::start("");
    type Twist = fn(&mut Value);
    let twists: [(&str, Twist); 6] = [
        ("report-other-host", |report| report["pages"][0]["url"] = json!("http://b.example/")),
        ("report-private", |report| report["pages"][0]["url"] = json!("http://169.254.169.254/latest")),
        ("report-lie", |report| report["pages"][0]["rank"] = json!(7)),
        ("report-malformed", |report| report["flag"] = json!("up")),
        ("report-version", |report| report["version"] = json!(9)),
        ("report-too-large", |report| report["padding"] = json!("x".repeat(17 << 20))),
    ];
    for (reason, twist) in twists {
        watched.tell(0, None, &[("/listed", "new", 0.6)]);
        twist(&mut watched.report.lock().unwrap());
        let bird = Bird::new();
        let (summary, asked) = watched.crawl(&bird, &["http://a.example/", "--name", "x"]);
        assert_eq!(summary["errors"][reason], 1, "{summary:#}");
        let log = bird.json(["crawls", "x"])["log"].clone();
        assert_eq!(log[0]["reason"], reason, "{log:#}");
        // As if there were none: links are followed.
        assert!(asked.contains(&"/hidden".to_owned()), "{asked:?}");
        assert!(watched.site.log().iter().all(|asked| asked.host.starts_with("a.example")));
    }
    // Another host cannot speak for the site either.
    let elsewhere = Reporting::start("Watcher: http://b.example/changes.json\n");
    let bird = Bird::new();
    let (summary, asked) = elsewhere.crawl(&bird, &["http://a.example/", "--name", "x"]);
    assert_eq!(summary["errors"]["report-other-host"], 1, "{summary:#}");
    assert!(!asked.iter().any(|path| path.contains("changes.json")), "{asked:?}");
    // It is one without a report: its sitemap is asked for.
    assert!(asked.contains(&"/sitemap.xml".to_owned()) && asked.contains(&"/mapped".to_owned()), "{asked:?}");
}

#[test]
fn a_site_without_a_report_is_asked_for_its_sitemap() {
    let plain = Reporting::start("");
    let bird = Bird::new();
    let (_, asked) = plain.crawl(&bird, &["http://a.example/", "--name", "x"]);
    assert_eq!(asked[..3], ["/robots.txt", "/.well-known/bowerbird-watcher.json?claim=1", "/sitemap.xml"]);
    assert!(asked.contains(&"/mapped".to_owned()) && !asked.contains(&"/no".to_owned()), "{asked:?}");
    // Nothing changed since, as the map says; and the absence of a report is remembered.
    let (_, asked) = plain.crawl(&bird, &["--resume", "x"]);
    assert_eq!(asked, ["/sitemap.xml"]);
}
