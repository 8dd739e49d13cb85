//! `bowerbird find`: pictures for a question, from sites that help and sites that do not.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lab::Photo;
use serde_json::{Value, json};

use crate::client::Served;
use crate::harness::{Bird, said};
use crate::site::{Asked, Reply, Site};

fn photo(scene: u64, width: u32, height: u32) -> Vec<u8> {
    Photo { scene, width, height, bytes: 40_000, ..Photo::default() }.file()
}

/// Three sites about castles, one that only links to them, and one that has the word on a page nobody leads to.
fn castles(asked: &Asked) -> Reply {
    let picture =
        |scene: u64, width: u32, height: u32| Reply::file(asked, "image/jpeg", &photo(scene, width, height), "\"v\"");
    match (asked.host.as_str(), asked.path.as_str()) {
        (_, "/robots.txt") => Reply::text("User-agent: *\nDisallow: /private/"),
        ("one.example", "/") => Reply::html(
            "<title>The old castle</title><h1>Castle</h1><p>A castle <img src=/castle.jpg alt='The castle at dawn'>
             <a href=/tower.html>Its tower</a> <a href=/private/x.html>castle</a>
             <a href=/big.jpg><img src=/thumb.jpg alt='castle gate'></a>
             <img src=/icon.png width=16 height=16><img src=/tiny.jpg><img src=/line.jpg>
             <a href=http://two.example/other.html>elsewhere</a>",
        ),
        ("one.example", "/tower.html") => Reply::html("<p>Tower <img src=/tower.jpg>"),
        ("one.example", "/castle.jpg") => picture(1, 640, 480),
        ("one.example", "/big.jpg") => picture(2, 800, 600),
        ("one.example", "/tower.jpg") => picture(3, 640, 480),
        ("one.example", "/tiny.jpg") => picture(4, 40, 40),
        ("one.example", "/line.jpg") => picture(5, 900, 100),
        // The word stands in a link only: the page is read, its links are not followed.
        ("two.example", "/") => {
            Reply::html("<p>News of the day <a href=/castle-news.html>The castle</a><img src=/news.jpg>")
        }
        ("two.example", "/news.jpg") => picture(6, 640, 480),
        ("two.example", "/castle-news.html") => Reply::html("<p>castle <img src=/never.jpg>"),
        ("three.example", "/") => Reply::html("<p>Toy castle, a toy <img src=/toy.jpg>"),
        ("three.example", "/toy.jpg") => picture(7, 640, 480),
        _ => Reply::status(404),
    }
}

/// What a find prints: the results, and the summary.
fn find(bird: &Bird, arguments: &[&str], site: &Site) -> (Vec<Value>, Value) {
    let mut words = vec!["find", "--json"];
    words.extend(arguments);
    let output = bird.command(words).args(site.resolve("*.example")).output().unwrap();
    let (stdout, stderr) = said(&output);
    assert!(output.status.success(), "{stderr}\n{stdout}");
    let mut lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.pop().unwrap();
    (lines, summary)
}

fn list(bird: &Bird) -> String {
    let pages = "http://one.example/\nhttp://two.example/\nhttp://three.example/\n";
    format!("urls={}", bird.file("list.txt", pages))
}

#[test]
fn pictures_are_found_scored_and_kept_and_nothing_else_is() {
    let (bird, site) = (Bird::new(), Site::start(castles));
    let via = list(&bird);
    let arguments = ["castle -toy", "--via", &via, "--time", "20s", "--delay", "100ms", "--keep", "1"];
    let (results, summary) = find(&bird, &arguments, &site);
    let images: Vec<&str> = results.iter().map(|result| result["image"].as_str().unwrap()).collect();
    assert_eq!(images[0], "http://one.example/castle.jpg", "{results:?}");
    // The thumbnail gives way to what it leads to; what the tower's page does not say, its link does.
    let mut sorted = images.clone();
    sorted.sort_unstable();
    let expected = [
        "http://one.example/big.jpg",
        "http://one.example/castle.jpg",
        "http://one.example/tower.jpg",
        "http://two.example/news.jpg",
    ];
    assert_eq!(sorted, expected);
    let ranks: Vec<u64> = results.iter().map(|result| result["rank"].as_u64().unwrap()).collect();
    assert_eq!(ranks, [1, 2, 3, 4]);
    let scores: Vec<f64> = results.iter().map(|result| result["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] <= 1.0, "{scores:?}");
    assert_eq!((&results[0]["width"], &results[0]["page"]), (&json!(640), &json!("http://one.example/")));

    assert_eq!(summary["said"], "pages about *castle*, not *toy*");
    assert_eq!((&summary["strategy"], &summary["stopped"]), (&json!("query"), &json!("empty")));
    assert_eq!((&summary["pages"], &summary["images"]["kept"]), (&json!(4), &json!(4)));
    let refused = &summary["images"]["refused"];
    let counts = ["thumbnail", "small", "aspect", "ruled-out"].map(|reason| refused[reason].as_u64().unwrap_or(0));
    assert_eq!(counts, [1, 2, 1, 1], "{refused}");
    assert_eq!(summary["errors"]["robots"], 1);
    assert!(summary["bytes_per_probe"].as_f64().unwrap() <= 16_000.0);

    let kept = bird.kept();
    assert_eq!(kept.media.keys().collect::<Vec<_>>(), ["http://one.example/castle.jpg"]);
    assert_eq!(kept.pages.iter().collect::<Vec<_>>(), ["http://one.example/"]);
    assert_eq!(kept.files.len(), 1);
    let found = bird.json(["search", "castle", "--crawl", "find: castle -toy"]);
    assert_eq!((&found["total"], &found["results"][0]["page"]), (&json!(1), &json!("http://one.example/")));

    // Politely: one at a time, with the delay between two, and nothing that is forbidden.
    let log = site.log();
    let asked = |path: &str| log.iter().filter(|asked| asked.path == path).count();
    assert_eq!((asked("/private/x.html"), asked("/castle-news.html"), asked("/other.html")), (0, 0, 0));
    assert_eq!(asked("/robots.txt"), 3);
    let ranges: Vec<&str> =
        log.iter().filter(|asked| asked.path == "/tower.jpg").map(|asked| asked.range.as_str()).collect();
    assert_eq!(ranges, ["bytes=0-12287"]);
    let mut by_host: BTreeMap<&str, Vec<&Asked>> = BTreeMap::new();
    log.iter().for_each(|asked| by_host.entry(&asked.host).or_default().push(asked));
    for (host, asked) in by_host {
        for pair in asked.windows(2) {
            let gap = pair[1].at.duration_since(pair[0].ended.unwrap_or(pair[0].at));
            assert!(gap >= Duration::from_millis(95), "{host}: {gap:?} before {}", pair[1].path);
        }
    }
}

#[test]
fn sites_that_stall_flood_or_lie_do_not_hold_a_find_up() {
    let site = Site::start(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("slow.example", "/robots.txt") => Reply::text("").after(Duration::from_secs(30)),
        ("stall.example", path) if path != "/robots.txt" => Reply::html("castle").after(Duration::from_secs(30)),
        ("huge.example", "/") => {
            let page = format!("<p>castle <img src=/a.jpg>{}", "<p>more and more words ".repeat(2_300_000));
            Reply::html(&page)
        }
        ("many.example", "/") => {
            let images: String = (0..10_000).map(|n| format!("<img src=/{n}.jpg>")).collect();
            Reply::html(&format!("<p>castle {images}"))
        }
        ("many.example", path) if path.ends_with(".jpg") => {
            Reply::file(asked, "image/jpeg", &photo(1, 300, 200), "\"v\"")
        }
        ("huge.example", "/a.jpg") => Reply::file(asked, "image/jpeg", &photo(3, 300, 200), "\"v\""),
        ("loop.example", "/") => Reply::redirect("/"),
        ("lie.example", "/") => Reply::html("<p>castle <img src=/page.jpg>"),
        ("lie.example", "/page.jpg") => Reply::html("<p>no picture"),
        ("good.example", "/") => Reply::html("<p>castle <img src=/good.jpg>"),
        ("good.example", "/good.jpg") => Reply::file(asked, "image/jpeg", &photo(2, 640, 480), "\"v\""),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let hosts = ["slow", "stall", "huge", "many", "loop", "lie", "gone", "good"];
    let pages: String = hosts.iter().map(|host| format!("http://{host}.example/\n")).collect();
    let via = format!("urls={},searxng=http://dead.example:1/", bird.file("list.txt", &pages));
    let started = Instant::now();
    let (results, summary) = find(&bird, &["castle", "--via", &via, "--time", "6s", "--delay", "20ms"], &site);
    assert!((5.5..=6.5).contains(&summary["seconds"].as_f64().unwrap()), "{summary}");
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(summary["stopped"], "max-time");
    let hosts: Vec<&str> = results.iter().map(|result| result["image"].as_str().unwrap()).collect();
    assert!(
        hosts.contains(&"http://good.example/good.jpg") && hosts.contains(&"http://huge.example/a.jpg"),
        "{hosts:?}"
    );
    assert!(summary["errors"]["timeout"].as_u64().unwrap_or(0) >= 1, "{summary}");
    assert_eq!(summary["images"]["refused"]["format"], 1, "{summary}");
    let failed = summary["sources"].as_array().unwrap().iter().find(|source| source["state"] == "failed").unwrap();
    assert!(failed["detail"].as_str().unwrap().contains("dead.example"), "{failed}");
}

#[test]
fn questions_that_say_nothing_and_times_that_make_no_sense_are_refused() {
    let bird = Bird::new();
    let via = list(&bird);
    for (arguments, code, part) in [
        (&["the of and"][..], 2, "says what the pictures show"),
        (&["site:example.org"], 2, "says what the pictures show"),
        (&["--", "-castle"], 2, "says what the pictures show"),
        (&["+ - ~ ()"], 2, "there is no word"),
        (&[""], 2, "nothing to look for"),
        (&["castle", "--time", "0"], 2, "from 1s to 1h"),
        (&["castle", "--time", "365d"], 2, "from 1s to 1h"),
        (&["castle", "--concurrency", "0"], 2, "0 is not in 1..=512"),
        (&["castle", "--via", "google"], 2, "is no source"),
        (&["castle", "--via", "brave"], 2, "BOWERBIRD_BRAVE_KEY"),
        (&["castle", "--via", "searxng=http://127.0.0.1:9/"], 1, "--via urls=FILE"),
        (&["castle", "--via", "urls=/nothing/there"], 1, "/nothing/there"),
        (&["castle link:ftp://x/", "--via", &via], 2, "is no address"),
    ] {
        let output = bird.run(["find"].iter().chain(arguments));
        let (stdout, stderr) = said(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {stderr}{stdout}");
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
    }
    assert!(!bird.data().exists(), "nothing was kept, so nothing was made");
}

#[test]
fn a_crawl_without_a_seed_asks_sources_for_its_region_or_query() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/castle.html" => Reply::html("<title>Castle</title><p>castle <a href=/more.html>more</a>"),
        "/more.html" => Reply::html("<p>more"),
        path if path.starts_with("/search") => {
            let body = r#"{"results": [{"url": "http://one.example/castle.html"}]}"#;
            Reply::new(200, "application/json", body.as_bytes())
        }
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let [resolve, rule] = site.resolve("*.example");
    let via = "searxng=http://search.example/";
    let summary = bird.json(["crawl", "--region", "Kiel", "--via", via, "--delay", "5ms", &resolve, &rule]);
    assert_eq!((&summary["name"], &summary["pages"]), (&json!("Kiel"), &json!(2)));
    let asked = |word: &str| site.log().iter().any(|asked| asked.path.starts_with(&format!("/search?q={word}&")));
    assert!(asked("kiel"), "{:?}", site.log().iter().map(|asked| &asked.path).collect::<Vec<_>>());
    let summary = bird.json(["crawl", "--query", "old castle", "--via", via, "--delay", "5ms", &resolve, &rule]);
    assert_eq!(summary["name"], "old castle");
    assert!(asked("old+castle"));
    let lost = bird.run(["crawl", "--query", "castle", "--via", "searxng=http://127.0.0.1:9/"]);
    assert_eq!(lost.status.code(), Some(1));
    assert!(said(&lost).1.contains("no start pages were found"), "{}", said(&lost).1);
}

#[test]
fn keeping_a_picture_changes_nothing_that_crawls_know_of_its_page() {
    let (bird, site) = (Bird::new(), Site::start(castles));
    let [resolve, rule] = site.resolve("*.example");
    let crawl = ["crawl", "http://one.example/", "--keep", "all", "--scope", "host", "--delay", "5ms", &resolve, &rule];
    bird.json(crawl);
    let known = || {
        let output = bird.run(["export", "--format", "jsonl"]);
        let mut lines: Vec<String> = said(&output).0.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let before = known();
    assert!(before.len() >= 3, "{before:?}");
    let via = list(&bird);
    let (results, _) = find(&bird, &["castle", "--via", &via, "--time", "20s", "--delay", "5ms", "--keep", "1"], &site);
    assert_eq!(results[0]["image"], "http://one.example/castle.jpg");
    assert_eq!(known(), before);
}

#[test]
fn what_was_forgotten_is_not_asked_for_by_a_find() {
    let (bird, site) = (Bird::new(), Site::start(castles));
    let via = list(&bird);
    let arguments = ["castle", "--via", &via, "--time", "20s", "--delay", "5ms"];
    find(&bird, &[&arguments[..], &["--keep", "1"]].concat(), &site);
    assert!(bird.run(["forget", "one.example"]).status.success());
    let before = site.log().len();
    let (results, summary) = find(&bird, &arguments, &site);
    assert!(!results.is_empty() && summary["errors"]["forgotten"] == 1, "{summary}");
    assert!(site.log().iter().skip(before).all(|asked| asked.host != "one.example"));
}

#[test]
fn a_page_that_others_are_to_be_like_is_asked_for_as_its_site_allows() {
    let (bird, site) = (Bird::new(), Site::start(castles));
    let via = list(&bird);
    let words = ["find", "related:http://one.example/private/x.html", "--via", &via];
    let refused = bird.command(words).args(site.resolve("*.example")).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{:?}", said(&refused));
    assert!(said(&refused).1.contains("robots.txt of one.example"), "{}", said(&refused).1);
    assert_eq!(site.log().iter().map(|asked| asked.path.as_str()).collect::<Vec<_>>(), ["/robots.txt"]);
    let fresh = Site::start(castles);
    let words = ["find", "related:http://one.example/", "--via", &via, "--time", "5s", "--delay", "300ms"];
    assert!(bird.command(words).args(fresh.resolve("*.example")).status().unwrap().success());
    let log = fresh.log();
    let robots = log.iter().filter(|asked| asked.host == "one.example" && asked.path == "/robots.txt");
    assert_eq!(robots.count(), 1);
    assert!(fresh.shortest_gap("one.example") >= Duration::from_millis(295), "{log:?}");
}

#[test]
fn a_crawl_after_a_find_waits_as_long_as_the_host_asks_for() {
    let site = Site::start(|asked| match asked.path.as_str() {
        "/robots.txt" => Reply::text("User-agent: *\nCrawl-delay: 2"),
        "/" => Reply::html("<p>castle <img src=/castle.jpg>"),
        "/other.html" => Reply::html("<p>other"),
        "/castle.jpg" => Reply::file(asked, "image/jpeg", &photo(1, 640, 480), "\"v\""),
        _ => Reply::status(404),
    });
    let bird = Bird::new();
    let via = format!("urls={}", bird.file("list.txt", "http://one.example/\n"));
    let (results, _) = find(&bird, &["castle", "--via", &via, "--time", "30s", "--delay", "5ms", "--keep", "1"], &site);
    assert_eq!(results.len(), 1);
    let [resolve, rule] = site.resolve("*.example");
    bird.json(["crawl", "http://one.example/other.html", "--delay", "5ms", &resolve, &rule]);
    assert_eq!(site.count("/other.html"), 1);
    assert!(site.shortest_gap("one.example") >= Duration::from_millis(1_990), "{:?}", site.log());
}

#[test]
fn the_api_collects_tells_shows_and_keeps() {
    let (bird, site) = (Bird::new(), Site::start(castles));
    let served = Served::start(&bird, None, &site.resolve("*.example").iter().map(String::as_str).collect::<Vec<_>>());
    let lists = Site::start(|_| Reply::text("http://one.example/\nhttp://two.example/\n"));
    let source = json!({ "kind": "urls", "url": format!("http://{}/list.txt", lists.address), "private": true });
    let brave = json!({ "kind": "brave", "key": "secret" });
    let set =
        served.tell("PUT", "/settings", json!({ "find": { "delay": "50ms", "sources": [source, brave] } })).expect(200);
    assert_eq!((&set["find"]["sources"][1]["key"], &set["find"]["time"]), (&json!("set"), &json!("30s")));
    // What is shown can be sent back, and stays as it is.
    served.tell("PUT", "/settings", json!({ "find": set["find"] })).expect(200);
    served.tell("PUT", "/settings", json!({ "find": { "time": "0s" } })).problem(422);
    let file = json!({ "find": { "sources": [{ "kind": "urls", "file": "/etc/passwd" }] } });
    assert_eq!(served.tell("PUT", "/settings", file).problem(422)["fields"][0]["field"], "find.sources.0");

    for (order, field) in [
        (json!({ "query": "the of" }), "query"),
        (json!({ "query": "castle", "time": "0s" }), "time"),
        (json!({ "query": "castle", "time": "8760h" }), "time"),
        (json!({ "query": "castle", "via": ["google"] }), "via"),
        (json!({ "query": "castle", "top": 0 }), "top"),
    ] {
        assert_eq!(served.tell("POST", "/finds", order).problem(422)["fields"][0]["field"], field);
    }
    let created = served.tell("POST", "/finds", json!({ "query": "castle", "time": "20s", "via": ["urls"] }));
    let place = created.header("location").to_owned();
    let created = created.expect(201);
    let find = format!("/finds/{}", created["id"].as_str().unwrap());
    assert_eq!(place, format!("/api/v1{find}"));
    assert_eq!(created["said"], "pages about *castle*");
    let events = served.events(&format!("{find}/events"), "end");
    let named = |name: &str| events.iter().filter(|(event, _)| event == name).map(|(_, data)| data).collect::<Vec<_>>();
    let (results, end) = (named("results"), named("end")[0]);
    let told: Vec<&Value> = results.iter().flat_map(|told| told["new"].as_array().unwrap()).collect();
    let last = results.last().unwrap();
    assert_eq!(last["order"].as_array().unwrap().len(), told.len());
    assert_eq!(last["order"][0][0], end_best(&told, last));
    assert_eq!((&end["stopped"], &named("progress").last().unwrap()["state"]), (&json!("empty"), &json!("finished")));

    let page = served.get(&format!("{find}/results?limit=2")).expect(200);
    assert_eq!((page["items"].as_array().unwrap().len(), &page["total"]), (2, &json!(4)));
    let rest = served.get(&format!("{find}/results?limit=50&cursor={}", page["next"].as_str().unwrap())).expect(200);
    assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next"]), (2, &Value::Null));
    let best = &page["items"][0];
    let small = served.send("GET", best["thumbnail"].as_str().unwrap(), &[], b"");
    assert_eq!((small.status, small.header("content-type"), &small.body[..2]), (200, "image/jpeg", &b"\xff\xd8"[..]));
    served.get(&format!("{find}/images/999/thumbnail")).problem(404);

    let ids: Vec<u64> = page["items"].as_array().unwrap().iter().map(|item| item["id"].as_u64().unwrap()).collect();
    let kept = served.tell("POST", &format!("{find}/keep"), json!({ "images": [ids[0], ids[1], 999] })).expect(200);
    assert_eq!((kept["kept"].as_array().unwrap().len(), &kept["failed"][0]["id"]), (2, &json!(999)));
    let item = served.get(&format!("/media/{}", kept["kept"][0]["item"].as_str().unwrap())).expect(200);
    assert_eq!(item["found"][0]["page"], best["page"], "{item}");
    assert_eq!(served.get("/media").expect(200)["items"].as_array().unwrap().len(), 2);
    // Again from the same page: nothing is lost, nothing twice.
    let again = served.get(&format!("{find}/results")).expect(200);
    assert_eq!(again["items"][0]["kept"], kept["kept"][0]["item"]);
    served.tell("POST", &format!("{find}/keep"), json!({ "images": [ids[0], again["items"][2]["id"]] })).expect(200);
    assert_eq!(served.get("/media").expect(200)["items"].as_array().unwrap().len(), 3);
    assert_eq!(served.get("/crawls").expect(200)["items"][0]["name"], "find: castle");
    let resumed = served.post("/crawls/find:%20castle/resume");
    assert!(resumed.status >= 400, "{resumed:?}");

    served.post(&format!("{find}/stop")).problem(409);
    assert_eq!(served.get("/finds").expect(200)["items"].as_array().unwrap().len(), 1);
    let waits =
        served.tell("POST", "/finds", json!({ "query": "castle", "time": "1h", "via": ["urls"], "delay": "10s" }));
    let waits = format!("/finds/{}", waits.expect(201)["id"].as_str().unwrap());
    let stopped = served.post(&format!("{waits}/stop")).expect(200);
    assert_eq!(
        (&stopped["progress"]["state"], &stopped["progress"]["stopped"]),
        (&json!("finished"), &json!("interrupted"))
    );
    served.send("DELETE", &format!("/api/v1{waits}"), &[], b"").expect(204);
    served.get(&waits).problem(404);
}

/// The number of the picture that the last order has first, which must have been told.
fn end_best(told: &[&Value], last: &Value) -> Value {
    let first = &last["order"][0][0];
    told.iter().find(|result| result["id"] == *first).map(|result| result["id"].clone()).unwrap_or(Value::Null)
}
