//! Sites that a program makes: their sitemap is asked for.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use crate::watcher::{Ground, Running, shown};

/// A server of a few pages, each with an ETag of its content.
struct Made {
    pages: Arc<Mutex<Vec<(String, String)>>>,
    log: Arc<Mutex<Vec<(String, u16)>>>,
    address: String,
}

impl Made {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let pages: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let log: Arc<Mutex<Vec<(String, u16)>>> = Arc::default();
        let (served, noted) = (Arc::clone(&pages), Arc::clone(&log));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let path = lines.next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().to_owned();
                let known: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                let page = served.lock().unwrap().iter().find(|(name, _)| *name == path).cloned();
                let tag = page
                    .as_ref()
                    .map(|(_, body)| format!("\"{}-{}\"", body.len(), body.bytes().map(u64::from).sum::<u64>()));
                let same = tag.as_ref().is_some_and(|tag| {
                    known.iter().any(|line| line.to_lowercase().starts_with("if-none-match") && line.contains(tag))
                });
                let (status, body) = match page {
                    None => (404, String::new()),
                    Some(_) if same => (304, String::new()),
                    Some((_, body)) => (200, body),
                };
                noted.lock().unwrap().push((path, status));
                let tag = tag.map_or(String::new(), |tag| format!("ETag: {tag}\r\n"));
                let head = format!(
                    "HTTP/1.1 {status} x\r\n{tag}Content-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
            }
        });
        Self { pages, log, address }
    }

    fn set(&self, path: &str, body: &str) {
        let mut pages = self.pages.lock().unwrap();
        pages.retain(|(name, _)| name != path);
        pages.push((path.into(), body.into()));
    }
}

#[test]
fn a_running_site_is_watched_by_its_sitemap_and_conditional_requests() {
    let made = Made::start();
    let map = |dates: [&str; 2], more: &str| {
        let [a, b] = dates;
        made.set("/sitemap.xml", &format!("<urlset><url><loc>/</loc><lastmod>{a}</lastmod></url><url><loc>/p?id=1&amp;x=2</loc><lastmod>{b}</lastmod></url>{more}</urlset>"));
    };
    made.set("/", "<a href='/p?id=1&amp;x=2'>");
    made.set("/p?id=1&x=2", "one");
    made.set("/undated", "first");
    map(["2026-01-01", "2026-01-01"], "<url><loc>/undated</loc></url>");
    let ground = Ground::new(&[]);
    let site = "http://site.test/=http://site.test/sitemap.xml";
    let rule = fetch::ResolveRule::parse(&format!("site.test={}", made.address)).unwrap();
    let fetch = fetch::Settings { resolve: vec![rule], proxy: fetch::Proxy::None, ..fetch::Settings::default() };
    let watcher = Running::start(watch::Order { fetch, ..ground.order_of(&[site]) });
    let first = watcher.report("");
    assert_eq!(shown(&first), ["/ new 0", "/p?id=1&x=2 new 0", "/undated new 0"]);
    let since = format!("?since={}", first["token"].as_str().unwrap());
    // Each was read once; then the sitemap says what changed, and pages without a date are asked for.
    let asked =
        |path: &str, status: u16| made.log.lock().unwrap().iter().filter(|(p, s)| p == path && *s == status).count();
    watcher.wait("", |_| asked("/undated", 304) > 0);
    assert_eq!((asked("/undated", 200), asked("/", 200)), (1, 1));
    made.set("/undated", "second");
    watcher.wait(&since, |report| shown(report) == ["/undated updated 1"]);
    map(["2026-01-01", "2026-02-02"], "");
    watcher.wait(&since, |report| shown(report) == ["/p?id=1&x=2 updated 1", "/undated removed 1"]);
    assert!(asked("/sitemap.xml", 304) > 0, "an unchanged sitemap is not sent again");
    // What is no sitemap removes nothing.
    made.set("/sitemap.xml", "<html>down for maintenance");
    let before = asked("/sitemap.xml", 200);
    watcher.wait("", |_| asked("/sitemap.xml", 200) > before + 1);
    assert_eq!(shown(&watcher.report(&since)).len(), 2);
    watcher.end();
}

#[test]
fn what_is_listed_and_missing_or_has_a_nonce_does_not_change_for_ever() {
    let made = Made::start();
    let page = |path: &str, date: &str| format!("<url><loc>{path}</loc>{date}</url>");
    let today = jiff::Timestamp::now().to_string()[..10].to_owned();
    let map = [
        page("/dead", ""),
        page("/dead-dated", "<lastmod>2026-01-01</lastmod>"),
        page("/nonce", ""),
        page("/today", &format!("<lastmod>{today}</lastmod>")),
    ];
    made.set("/sitemap.xml", &format!("<urlset>{}</urlset>", map.concat()));
    let nonce = |number: u32| {
        made.set("/nonce", &format!("<p>the same<script nonce={number}></script><input type=hidden value={number}>"));
    };
    nonce(0);
    made.set("/today", "<p>morning");
    let ground = Ground::new(&[]);
    let site = "http://site.test/=http://site.test/sitemap.xml";
    let rule = fetch::ResolveRule::parse(&format!("site.test={}", made.address)).unwrap();
    let fetch = fetch::Settings { resolve: vec![rule], proxy: fetch::Proxy::None, ..fetch::Settings::default() };
    let watcher = Running::start(watch::Order { fetch, ..ground.order_of(&[site]) });
    let asked = |path: &str| made.log.lock().unwrap().iter().filter(|(asked, _)| asked == path).count();
    let calm = watcher.wait("", |report| {
        shown(report).iter().filter(|line| line.contains("/dead") && line.contains("removed 0")).count() == 2
            && asked("/nonce") > 0
            && asked("/today") > 0
    });
    // Turn after turn, poll after poll.
    let since = format!("?since={}", calm["token"].as_str().unwrap());
    for number in 1..3 {
        let (before, maps) = (asked("/nonce"), asked("/sitemap.xml"));
        nonce(number);
        watcher.wait("", |_| asked("/nonce") > before + 1 && asked("/sitemap.xml") > maps + 1);
    }
    assert_eq!(shown(&watcher.report(&since)), Vec::<String>::new());
    // What does change is told: also on the day that was its date before, and what comes back.
    made.set("/today", "<p>evening");
    made.set("/dead", "<p>alive");
    watcher.wait(&since, |report| shown(report) == ["/dead updated 1", "/today updated 1"]);
    watcher.end();
}
