//! `bowerbird serve`, as a browser and as scripts see it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Served;
use crate::crash::wait_for_requests;
use crate::harness::{Bird, Lab, said, small_web};

/// An order for a crawl of the lab.
fn order(lab: &Lab, name: &str, pages: u64, delay: &str) -> Value {
    json!({
        "name": name,
        "settings": {
            "seeds": lab.seeds, "strategy": "bfs", "limits": { "max-pages": pages }, "manners": { "delay": delay },
        },
    })
}

/// A library with some pages and pictures of a lab web, served.
fn library(number: u64) -> (Lab, Bird, Served) {
    let (lab, bird) = (Lab::small(number), Bird::new());
    let served = Served::start(&bird, Some(&lab), &[]);
    served.tell("POST", "/crawls", order(&lab, "small", 40, "5ms")).expect(201);
    served.events("/crawls/small/events", "end");
    (lab, bird, served)
}

#[test]
fn a_crawl_started_through_the_api_brings_pictures_that_are_listed_shown_and_found() {
    let (lab, bird) = (Lab::small(61), Bird::new());
    let served = Served::start(&bird, Some(&lab), &[]);
    assert_eq!(served.get("/health").expect(200), json!({ "status": "ok" }));
    assert_eq!(served.get("/session").expect(200)["role"], "admin");
    let created = served.tell("POST", "/crawls", order(&lab, "small", 40, "5ms"));
    assert_eq!(created.header("location"), "/api/v1/crawls/small");
    let created = created.expect(201);
    assert_eq!((&created["name"], &created["runs"]), (&json!("small"), &json!(1)));

    let events = served.events("/crawls/small/events", "end");
    let named = |name: &str| events.iter().filter(|(event, _)| event == name).map(|(_, data)| data).collect::<Vec<_>>();
    let (progress, pictures, end) = (named("progress"), named("picture"), named("end")[0]);
    assert!(progress.len() > 1 && !pictures.is_empty(), "{events:?}");
    assert!(pictures[0]["id"].as_str().unwrap().len() == 64);
    assert_eq!((&end["pages"], &end["stopped"]), (&json!(40), &json!("max-pages")));
    assert_eq!(progress.last().unwrap()["pages"], 40);

    let crawl = served.get("/crawls/small").expect(200);
    assert_eq!((&crawl["state"], &crawl["stopped"]), (&json!("finished"), &json!("max-pages")));
    assert_eq!(crawl["runs"][0]["pages"], 40);
    assert_eq!(crawl["settings"]["manners"]["delay"], "5ms");
    // Of one that does not run there is one event.
    assert_eq!(served.events("/crawls/small/events", "progress")[0].1["state"], "finished");
    assert_eq!(served.events("/events", "crawls")[0].1["crawls"][0]["name"], "small");
    served.get("/crawls/small/log?limit=2").expect(200);
    served.get("/crawls/none").problem(404);

    // All items, a few at a time, in each order, are the same.
    let kept = bird.kept();
    for order in ["newest", "oldest", "taken", "place", "host", "colour"] {
        let (mut seen, mut cursor) = (std::collections::BTreeSet::new(), String::new());
        loop {
            let page = served.get(&format!("/media?limit=7&order={order}{cursor}")).expect(200);
            let items = page["items"].as_array().unwrap();
            seen.extend(items.iter().map(|item| item["id"].as_str().unwrap().to_owned()));
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen, kept.files, "{order}");
    }
    let located = served.get("/media?located=true&limit=500").expect(200);
    let located = located["items"].as_array().unwrap();
    let item = &located[0];
    let (lat, lon) = (item["location"]["lat"].as_f64().unwrap(), item["location"]["lon"].as_f64().unwrap());
    let found = served.get(&format!("/search?near={lat},{lon}&within=100m&limit=500")).expect(200);
    let ids: Vec<&Value> = found["results"].as_array().unwrap().iter().map(|hit| &hit["id"]).collect();
    assert!(ids.contains(&&item["id"]), "{found}");
    assert_eq!(found["results"][0]["distance_m"], 0.0);
    let all = served.get("/search?limit=1").expect(200);
    assert_eq!(all["total"].as_u64(), Some(kept.files.len() as u64));
    assert!(!served.get("/verify").expect(200)["items"].as_array().unwrap().is_empty());
    let pages = served.get("/pages?limit=3").expect(200);
    assert_eq!(pages["items"].as_array().unwrap().len(), 3);
    assert_eq!(served.get("/search?what=page&limit=3").expect(200)["results"].as_array().unwrap().len(), 3);
    let statistics = served.get("/statistics").expect(200);
    assert_eq!((&statistics["pages"], &statistics["kept"]["images"]), (&json!(40), &all["total"]));
    assert!(!statistics["by_country"].as_array().unwrap().is_empty() && statistics["disk"]["media"].as_u64() > Some(0));
    let metrics = served.get("/metrics");
    assert!(String::from_utf8_lossy(&metrics.body).contains("bowerbird_pages 40\n"));

    for (format, kind) in [("geojson", "application/geo+json"), ("csv", "text/csv"), ("gpx", "application/gpx+xml")] {
        let export = served.get(&format!("/export?format={format}"));
        assert_eq!(export.status, 200);
        assert!(
            export.header("content-type").starts_with(kind)
                && export.header("content-disposition").starts_with("attachment")
        );
    }
    let lines = served.get("/export?format=jsonl&what=media");
    assert_eq!(String::from_utf8_lossy(&lines.body).lines().count(), kept.files.len());
    assert!(!String::from_utf8_lossy(&lines.body).contains(&*bird.data().to_string_lossy()), "a path of the server");
    served.get("/export?format=doc").problem(422);
}

#[test]
fn files_come_whole_in_parts_and_not_twice_and_never_as_something_that_acts() {
    let (_lab, bird, served) = library(62);
    let card = served.get("/media?kind=image&limit=1").expect(200)["items"][0].clone();
    let id = card["id"].as_str().unwrap();
    let item = served.get(&format!("/media/{id}")).expect(200);
    let path = bird.data().join("media").join(item["path"].as_str().unwrap());
    let bytes = std::fs::read(path).unwrap();
    let address = format!("/api/v1{}", card["file"].as_str().unwrap());
    let whole = served.send("GET", &address, &[], b"");
    assert_eq!((whole.status, &whole.body), (200, &bytes));
    assert_eq!(whole.header("x-content-type-options"), "nosniff");
    assert!(
        whole.header("content-type").starts_with("image/") && whole.header("content-disposition").starts_with("inline")
    );
    assert!(whole.header("content-security-policy").starts_with("sandbox; default-src 'none'"));
    assert!(whole.header("cache-control").contains("immutable"));
    let mark = whole.header("etag").to_owned();
    assert_eq!(served.send("GET", &address, &[("If-None-Match", &mark)], b"").status, 304);
    let head = served.send("HEAD", &address, &[], b"");
    assert_eq!((head.status, head.header("content-length")), (200, bytes.len().to_string().as_str()));
    for (range, expected) in
        [("bytes=0-9", &bytes[..10]), ("bytes=-5", &bytes[bytes.len() - 5..]), ("bytes=7-", &bytes[7..])]
    {
        let part = served.send("GET", &address, &[("Range", range)], b"");
        assert_eq!((part.status, part.body.as_slice()), (206, expected), "{range}");
        assert!(part.header("content-range").ends_with(&format!("/{}", bytes.len())));
    }
    let other = served.send("GET", &address, &[("Range", "bytes=0-9"), ("If-Range", "\"other\"")], b"");
    assert_eq!(other.status, 200);
    served.send("GET", &address, &[("Range", "bytes=999999999-")], b"").problem(416);
    let saved = served.send("GET", &format!("{address}?download=1"), &[], b"");
    assert!(saved.header("content-disposition").starts_with("attachment; filename=\""));
    let thumbnail = served.get(&format!("/media/{id}/thumbnail"));
    assert_eq!((thumbnail.status, thumbnail.header("content-type")), (200, "image/jpeg"));
    assert_eq!(thumbnail.body.get(..2), Some(&[0xff, 0xd8][..]));
    // Nothing but an identity of the library names a file.
    let unknown = "0".repeat(64);
    for path in [
        format!("/media/{unknown}/file"),
        "/media/../../library.db/file".into(),
        "/media/..%2F..%2Flibrary.db/file".into(),
        format!("/media/{}/file", id.to_uppercase()),
        "/media/%00/file".into(),
    ] {
        served.get(&path).problem(404);
    }
}

#[test]
fn what_is_forgotten_on_the_page_is_not_asked_for_any_more_by_crawls_that_run() {
    let lab = Lab::start(lab::Settings { hosts: 4, pages: 2_000, crawl_delay: 0.05, ..small_web(64) });
    let bird = Bird::new();
    let served = Served::start(&bird, Some(&lab), &[]);
    served.tell("POST", "/crawls", order(&lab, "all", 100_000, "30ms")).expect(201);
    wait_for_requests(&lab, 100);
    let host = lab.busiest();
    served.tell("POST", "/forget", json!({ "what": host })).expect(200);
    lab.wait_until_left_alone(&host);
}

#[test]
fn what_a_person_says_stays_and_what_is_removed_is_gone() {
    let (lab, bird, served) = library(63);
    let items = served.get("/media?limit=500&located=true").expect(200)["items"].clone();
    let id = items[0]["id"].as_str().unwrap();
    let path = format!("/media/{id}");
    let hostile = "<script>alert(1)</script>\u{202e}\"'";
    let changed =
        served.tell("PATCH", &path, json!({ "title": hostile, "description": "<img src=x onerror=alert(2)>" }));
    assert_eq!(changed.header("content-type"), "application/json");
    let changed = changed.expect(200);
    assert_eq!((&changed["title"], &changed["edited"]["title"]), (&json!(hostile), &json!(hostile)));
    let saved = served.get(&format!("{path}/file?download=1"));
    assert!(!saved.header("content-disposition").contains(['<', '\'']), "{}", saved.header("content-disposition"));
    let moved = served.tell("PATCH", &path, json!({ "location": { "lat": 53.1412, "lon": 8.2147 } })).expect(200);
    assert_eq!((&moved["location"]["town"], &moved["location"]["verified"]), (&json!("Oldenburg"), &json!(true)));
    let rejected = served.tell("PATCH", &path, json!({ "location": "reject" })).expect(200);
    assert_eq!((&rejected["location"], &rejected["rejected"]), (&Value::Null, &json!(true)));
    served.tell("PATCH", &path, json!({ "location": "confirm" })).problem(409);
    let back = served.tell("PATCH", &path, json!({ "location": null, "title": null, "description": null })).expect(200);
    assert_eq!((&back["location"], &back["edited"]), (&items[0]["location"], &Value::Null));
    let confirmed = served.tell("PATCH", &path, json!({ "location": "confirm" })).expect(200);
    assert_eq!(confirmed["location"]["verified"], true);
    assert_eq!(served.get("/media?verified=true").expect(200)["items"].as_array().unwrap().len(), 1);
    for (wrong, field) in [
        (json!({ "title": "x".repeat(501) }), "title"),
        (json!({ "description": "x".repeat(5001) }), "description"),
        (json!({ "location": { "lat": 91, "lon": 0 } }), "location"),
        (json!({ "location": "somewhere" }), ""),
    ] {
        let problem = served.tell("PATCH", &path, wrong).problem(422);
        assert_eq!(problem["fields"][0]["field"], field);
    }

    let file = bird.data().join("media").join(confirmed["path"].as_str().unwrap());
    assert!(file.is_file());
    served.send("DELETE", &format!("/api/v1{path}"), &[], b"").expect(204);
    served.get(&path).problem(404);
    served.send("DELETE", &format!("/api/v1{path}"), &[], b"").problem(404);
    assert!(!file.exists());

    let host =
        items.as_array().unwrap().iter().find(|item| item["id"] != id).unwrap()["host"].as_str().unwrap().to_owned();
    let forgotten = served.tell("POST", "/forget", json!({ "what": host })).expect(200);
    assert!(forgotten["media"].as_u64() > Some(0) && forgotten["hosts"] == 1, "{forgotten}");
    assert_eq!(served.get(&format!("/media?host={host}")).expect(200)["items"], json!([]));
    let blocked = served.get("/forget").expect(200);
    assert!(
        blocked["items"].as_array().unwrap().iter().any(|one| one["kind"] == "host" && one["what"] == host),
        "{blocked}"
    );
    for wrong in ["", "/etc/passwd", "file:///etc/passwd", "ftp://a.example/"] {
        served.tell("POST", "/forget", json!({ "what": wrong })).problem(422);
    }
    assert!(!lab.seeds.is_empty());
    bird.kept();
}

#[test]
fn crawls_are_paused_resumed_and_stopped_and_orders_that_make_no_sense_say_why() {
    let (lab, bird) = (Lab::small(64), Bird::new());
    let served = Served::start(&bird, Some(&lab), &[]);
    served.tell("POST", "/crawls", order(&lab, "slow", 100, "300ms")).expect(201);
    served.tell("POST", "/crawls", order(&lab, "slow", 100, "300ms")).problem(409);
    served.post("/crawls/slow/resume").problem(409);
    served.post("/crawls/slow/pause").expect(200);
    let paused = served.wait_for("slow", "paused");
    assert_eq!((&paused["stopped"], &paused["runs"][0]["stopped"]), (&Value::Null, &Value::Null));
    served.post("/crawls/slow/pause").problem(409);
    let resumed = served.post("/crawls/slow/resume").expect(200);
    assert_eq!((&resumed["state"], &resumed["runs"]), (&json!("running"), &json!(1)));
    served.post("/crawls/slow/stop").expect(200);
    let stopped = served.wait_for("slow", "finished");
    assert_eq!(stopped["stopped"], "stopped");
    served.post("/crawls/slow/stop").problem(409);
    // A run that is over is followed by a new one; one that is paused can be ended as it lies.
    let again = served.tell("POST", "/crawls", json!({ "name": "slow" })).expect(201);
    assert_eq!(again["runs"], 2);
    served.post("/crawls/slow/pause").expect(200);
    served.wait_for("slow", "paused");
    assert_eq!(served.post("/crawls/slow/stop").expect(200)["state"], "finished");
    served.post("/crawls/none/pause").problem(404);

    for (wrong, field) in [
        (json!({ "settings": {} }), "settings.seeds"),
        (json!({ "name": "x" }), "settings"),
        (json!({ "name": "../x", "settings": { "seeds": lab.seeds } }), "name"),
        (json!({ "settings": { "seeds": ["file:///etc/passwd"] } }), "seeds"),
        (json!({ "settings": { "seeds": lab.seeds, "limits": { "max-pages": 0 } } }), "limits.max-pages"),
        (json!({ "settings": { "seeds": lab.seeds, "resolve": ["*=127.0.0.1:1"] } }), "resolve"),
        (json!({ "settings": { "seeds": lab.seeds, "allow-private": true } }), "allow-private"),
        // Loopback is not reached for what is not of the lab.
        (json!({ "settings": { "seeds": [format!("http://{}/", served.address)] } }), "seeds"),
    ] {
        let problem = served.tell("POST", "/crawls", wrong).problem(422);
        assert_eq!(problem["fields"][0]["field"], field, "{problem}");
    }
    let defaults = served.get("/crawls/defaults").expect(200);
    assert!(defaults["fields"].as_array().unwrap().iter().any(|field| field["name"] == "limits.max-pages"));
    served.tell("PUT", "/settings", json!({ "crawl": { "limits": { "max-pages": 7 } } })).expect(200);
    assert_eq!(served.get("/crawls/defaults").expect(200)["settings"]["limits"]["max-pages"], 7);
    let problem = served.tell("PUT", "/settings", json!({ "crawl": { "tries": 0 }, "map": {} })).problem(422);
    assert_eq!(problem["field"], "crawl.tries");
}

#[test]
fn two_crawls_at_once_share_the_clocks_of_their_hosts() {
    let (lab, bird) = (Lab::small(65), Bird::new());
    let served = Served::start(&bird, Some(&lab), &[]);
    for name in ["one", "two"] {
        served.tell("POST", "/crawls", order(&lab, name, 30, "40ms")).expect(201);
    }
    for name in ["one", "two"] {
        let crawl = served.wait_for(name, "finished");
        assert_eq!((&crawl["pages"], &crawl["stopped"]), (&json!(30), &json!("max-pages")));
    }
    let log = lab.server().log();
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0), "{log:?}");
    assert!(log.shortest_gap_ms.is_some_and(|gap| gap >= 40.0), "{log:?}");
}

#[test]
fn a_page_elsewhere_drives_nothing_and_what_is_not_there_is_a_problem() {
    let bird = Bird::new();
    let served = Served::start(&bird, None, &["--host-name", "birds.example"]);
    let json = ("Content-Type", "application/json");
    let own = format!("http://{}", served.address);
    let rebound = format!("evil.example:{}", served.address.port());
    for host in ["evil.example", rebound.as_str(), "127.0.0.1.evil.example"] {
        for path in ["/", "/api/v1/session", "/api/v1/media"] {
            served.send("GET", path, &[("Host", host)], b"").problem(421);
        }
    }
    assert_eq!(served.send("GET", "/api/v1/session", &[("Host", "birds.example")], b"").status, 200);
    assert_eq!(served.send("GET", "/api/v1/session", &[("Host", "localhost:1")], b"").status, 200);
    let change =
        |headers: &[(&str, &str)]| served.send("PUT", "/api/v1/settings", &[&[json], headers].concat(), b"{}").status;
    for (headers, status) in [
        (&[][..], 200),
        (&[("Origin", own.as_str())], 200),
        (&[("Origin", "http://evil.example")], 403),
        (&[("Origin", "null")], 403),
        (&[("Sec-Fetch-Site", "same-origin")], 200),
        (&[("Sec-Fetch-Site", "same-site")], 403),
        (&[("Sec-Fetch-Site", "cross-site"), ("Origin", own.as_str())], 403),
    ] {
        assert_eq!(change(headers), status, "{headers:?}");
    }
    assert_eq!(
        served
            .send("GET", "/api/v1/media", &[("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")], b"")
            .status,
        403
    );
    let preflight = served.send(
        "OPTIONS",
        "/api/v1/settings",
        &[("Origin", "http://evil.example"), ("Access-Control-Request-Method", "PUT")],
        b"",
    );
    assert!(preflight.header("access-control-allow-origin").is_empty());
    served.send("PUT", "/api/v1/settings", &[("Content-Type", "text/plain")], b"{}").problem(415);
    served.send("PUT", "/api/v1/settings", &[], b"{}").problem(415);
    served.send("PUT", "/api/v1/settings", &[json], b"{").problem(400);
    served.send("PUT", "/api/v1/settings", &[json], &vec![b' '; 3 << 20]).problem(413);
    served.send("GET", "/api/v1/nothing", &[], b"").problem(404);
    served.send("GET", "/api/v2/media", &[], b"").problem(404);
    served.send("DELETE", "/api/v1/settings", &[], b"").problem(405);
    served.get("/media?limit=0&order=random&nonsense=1").problem(422);
    served.get("/media?place=Springfield").problem(422);
    served.get("/media?cursor=zz").problem(422);
    for path in ["/", "/api/v1/session", "/api/v1/nothing", "/assets/none.js"] {
        let answer = served.send("GET", path, &[], b"");
        for header in ["content-security-policy", "x-content-type-options", "referrer-policy", "x-frame-options"] {
            assert!(!answer.header(header).is_empty(), "{path} {header}");
        }
    }
    let description = served.get("/api/openapi.json").expect(200);
    assert!(description["openapi"].as_str().unwrap().starts_with("3.1"));
    let map =
        json!({ "map": { "style_url": "https://tiles.example/style.json", "pmtiles_url": null, "attribution": null } });
    served.tell("PUT", "/settings", map).expect(200);
    let policy = served.send("GET", "/", &[], b"").header("content-security-policy").to_owned();
    assert!(policy.contains("connect-src 'self' https://tiles.example;"), "{policy}");
    assert_eq!(served.get("/map/style.json").header("location"), "https://tiles.example/style.json");

    // Half a request does not hold up the end.
    let mut half = TcpStream::connect(served.address).unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nHost: local").unwrap();
    assert!(served.end() < Duration::from_secs(6));
    assert_eq!(half.read(&mut [0; 1]).unwrap_or(0), 0);
}

#[test]
fn tokens_let_read_or_change_and_guessing_ends_soon() {
    let bird = Bird::new();
    let token_file = bird.file("token", "admin-secret\n");
    let served = Served::start(&bird, None, &["--token-file", &token_file, "--read-token", "reader-secret"]);
    let json = ("Content-Type", "application/json");
    let (admin, reader) = (("Authorization", "Bearer admin-secret"), ("Authorization", "Bearer reader-secret"));
    let session = served.get("/session").expect(200);
    assert_eq!((&session["role"], &session["login_needed"]), (&json!("none"), &json!(true)));
    assert_eq!(served.get("/health").status, 200);
    assert_eq!(served.send("GET", "/", &[], b"").status, 200);
    for path in ["/media", "/metrics", "/events", "/api/openapi.json", "/export?format=csv"] {
        served.get(path).problem(401);
        assert_eq!(served.get(path).header("www-authenticate"), "Bearer");
    }
    assert_eq!(served.send("GET", "/api/v1/media", &[reader], b"").status, 200);
    served.send("PUT", "/api/v1/settings", &[reader, json], b"{}").problem(403);
    assert_eq!(served.send("PUT", "/api/v1/settings", &[admin, json], b"{}").status, 200);
    assert_eq!(served.send("POST", "/api/v1/geoparse", &[reader, json], br#"{"text":"Kiel"}"#).status, 200);

    let log_in = served.tell("POST", "/session", json!({ "token": "reader-secret" }));
    let cookie = log_in.header("set-cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert_eq!(log_in.expect(200)["role"], "reader");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let with =
        |cookie: &str| served.send("GET", "/api/v1/session", &[("Cookie", cookie)], b"").expect(200)["role"].clone();
    assert_eq!(with(&cookie), "reader");
    assert_eq!(with(&cookie.replace("=r.", "=a.")), "none");
    served.send("PUT", "/api/v1/settings", &[("Cookie", &cookie), json], b"{}").problem(403);
    let out = served.send("DELETE", "/api/v1/session", &[("Cookie", &cookie)], b"");
    assert!(out.header("set-cookie").contains("Max-Age=0"));

    for _ in 0..10 {
        served.tell("POST", "/session", json!({ "token": "wrong-secret" })).problem(401);
    }
    let refused = served.tell("POST", "/session", json!({ "token": "admin-secret" }));
    assert!(!refused.header("retry-after").is_empty());
    refused.problem(429);
    served.send("GET", "/api/v1/media", &[admin], b"").problem(429);
    assert_eq!(served.get("/health").status, 200);

    // The secret is nowhere but in its file.
    let other = Bird::new();
    let (_, complaint) = said(&other.run(["serve", "--listen", "0.0.0.0:0"]));
    assert!(complaint.contains("--token-file"), "{complaint}");
    assert_eq!(other.run(["serve", "--listen", "0.0.0.0:0"]).status.code(), Some(2));
    assert_eq!(other.run(["serve", "--token", "short"]).status.code(), Some(2));
    let taken = served.address.to_string();
    let output = other.run(["serve", "--listen", &taken]);
    let (_, complaint) = said(&output);
    assert!(
        complaint.contains("in use") && complaint.contains("--listen") && output.status.code() == Some(1),
        "{complaint}"
    );
}

#[test]
fn the_server_ends_soon_and_its_crawls_go_on_with_the_next_and_others_are_led_to_its_page() {
    let (lab, bird) = (Lab::small(66), Bird::new());
    let served = Served::start(&bird, Some(&lab), &[]);
    served.tell("POST", "/crawls", order(&lab, "long", 100, "300ms")).expect(201);
    let (_, complaint) = said(&bird.run(["crawl", "http://a.example/"]));
    assert!(complaint.contains(&format!("http://{}", served.address)), "{complaint}");
    let took = served.end();
    assert!(took < Duration::from_secs(6), "{took:?}");
    let served = Served::start(&bird, Some(&lab), &[]);
    assert_eq!(served.get("/crawls/long").expect(200)["state"], "paused");
    assert_eq!(served.post("/crawls/long/resume").expect(200)["runs"], 1);
}

#[test]
fn a_killed_server_shows_its_crawl_as_interrupted_and_resumes_it_to_the_end() {
    let (lab, bird) = (Lab::small(67), Bird::new());
    let mut served = Served::start(&bird, Some(&lab), &[]);
    served.tell("POST", "/crawls", order(&lab, "killed", 40, "60ms")).expect(201);
    while served.get("/crawls/killed").expect(200)["pages"].as_u64() < Some(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    served.program.0.kill().unwrap();
    served.program.0.wait().unwrap();
    let served = Served::start(&bird, Some(&lab), &[]);
    let crawl = served.get("/crawls/killed").expect(200);
    assert_eq!((&crawl["state"], &crawl["ended"]), (&json!("interrupted"), &Value::Null));
    served.post("/crawls/killed/resume").expect(200);
    let done = served.wait_for("killed", "finished");
    assert_eq!((&done["pages"], done["runs"].as_array().unwrap().len()), (&json!(40), 1));
    assert_eq!(lab.server().log().overlaps, 0);
    served.end();
    bird.kept();
}

/// A picture of one colour, as simple as a format can be.
fn bitmap(width: u32, height: u32, colour: [u8; 3]) -> Vec<u8> {
    let row = (width * 3).next_multiple_of(4);
    let size = 54 + row * height;
    let mut file = b"BM".to_vec();
    file.extend(size.to_le_bytes());
    file.extend([0; 4]);
    file.extend(54u32.to_le_bytes());
    file.extend(40u32.to_le_bytes());
    file.extend(width.to_le_bytes());
    file.extend(height.to_le_bytes());
    file.extend([1, 0, 24, 0]);
    file.extend([0; 24]);
    for _ in 0..height {
        let line: Vec<u8> = colour.iter().copied().cycle().take(width as usize * 3).collect();
        file.extend(&line);
        file.resize(file.len() + (row - width * 3) as usize, 0);
    }
    file
}

#[test]
fn files_that_are_sent_up_are_items_and_their_names_lead_nowhere() {
    let bird = Bird::new();
    let served = Served::start(&bird, None, &[]);
    let picture = bitmap(60, 40, [10, 20, 200]);
    let mut body = Vec::new();
    for (name, content) in [
        ("../../<script>alert(1)</script>.bmp", picture.as_slice()),
        ("page.svg", b"<svg onload='alert(1)'/>"),
        ("empty.jpg", b""),
    ] {
        body.extend(format!("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: image/svg+xml\r\n\r\n").bytes());
        body.extend(content);
        body.extend(b"\r\n");
    }
    body.extend(b"--b--\r\n");
    let kind = ("Content-Type", "multipart/form-data; boundary=b");
    let answer = served.send("POST", "/api/v1/import", &[kind], &body).expect(200);
    let (imported, refused) = (answer["imported"].as_array().unwrap(), answer["refused"].as_array().unwrap());
    assert_eq!((imported.len(), refused.len()), (1, 2), "{answer}");
    let id = imported[0].as_str().unwrap();
    let file = served.get(&format!("/media/{id}/file"));
    assert_eq!((file.header("content-type"), &file.body), ("image/bmp", &picture));
    assert!(!bird.data().parent().unwrap().join("script.bmp").exists());
    // Once more is the same item.
    assert_eq!(served.send("POST", "/api/v1/import", &[kind], &body).expect(200)["imported"][0], id);
    served.send("POST", "/api/v1/import", &[kind], b"--b\r\nnonsense").problem(400);
    served.send("POST", "/api/v1/import", &[], b"x").problem(415);
    let path = served.get(&format!("/media/{id}")).expect(200)["path"].as_str().unwrap().to_owned();
    assert!(std::path::Path::new(&path).starts_with(bird.data().canonicalize().unwrap()));
    served.send("DELETE", &format!("/api/v1/media/{id}"), &[], b"").expect(204);
    assert!(!std::path::Path::new(&path).exists());
}

#[test]
fn places_are_suggested_named_and_found_in_words() {
    let bird = Bird::new();
    let served = Served::start(&bird, None, &[]);
    let suggested = served.get("/places/suggest?q=Oldenb&limit=3").expect(200);
    assert_eq!(suggested["places"][0]["name"], "Oldenburg");
    assert_eq!(suggested["places"][0]["box"].as_array().unwrap().len(), 4);
    let there = served.get("/places/reverse?lat=54.32&lon=10.12").expect(200);
    assert_eq!((&there["town"], &there["country"]), (&json!("Kiel"), &json!("DE")));
    let labels = served.get("/map/labels?box=-60,-180,75,180&zoom=1").expect(200);
    assert_eq!(labels["labels"].as_array().unwrap().len(), 60);
    served.get("/map/labels?zoom=1").problem(422);
    served.get("/places/reverse?lat=91&lon=0").problem(422);
    let parsed =
        served.tell("POST", "/geoparse", json!({ "text": "The ferry from Gothenburg arrives in Kiel." })).expect(200);
    assert_eq!(parsed["mentions"][1]["place"]["name"], "Kiel");
    served.tell("POST", "/geoparse", json!({})).problem(422);
    let about = served.get("/about").expect(200);
    assert!(about["libraries"].as_array().unwrap().len() > 100);
}
