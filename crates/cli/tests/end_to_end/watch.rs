//! `bowerbird watch`, as a site's owner runs it: alone, behind nginx, and killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Bird, Running, said};

const REPORT: &str = "/.well-known/bowerbird-watcher.json";
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder with a small site, and a watcher's arguments for it.
struct Grounds {
    bird: Bird,
    www: tempfile::TempDir,
}

impl Grounds {
    fn new() -> Self {
        let grounds = Self { bird: Bird::new(), www: tempfile::tempdir().unwrap() };
        grounds.write("index.html", "<a href=a.html>a</a>");
        grounds.write("a.html", "<a href=b.html>b</a>");
        grounds.write("b.html", "");
        grounds
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.www.path().join(name), text).unwrap();
    }

    fn site(&self) -> String {
        format!("http://127.0.0.1/={}", self.www.path().display())
    }

    /// Starts a watcher and waits for its line.
    fn watch(&self, more: &[&str]) -> (Running, Value) {
        let site = self.site();
        let arguments = ["watch", "--json", "--site", &site].into_iter().chain(more.iter().copied());
        let mut child = self.bird.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (Running(child), serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}")))
    }
}

fn listening(ready: &Value) -> SocketAddr {
    ready["listening"].as_str().unwrap().strip_prefix("http://").unwrap().parse().unwrap()
}

/// Status and body of an answer.
fn get(address: SocketAddr, path: &str) -> Option<(u16, Vec<u8>)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let at = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let status = String::from_utf8_lossy(&answer[..at]).split(' ').nth(1)?.parse().ok()?;
    Some((status, answer.split_off(at + 4)))
}

fn report(address: SocketAddr, query: &str) -> Value {
    let (status, body) = get(address, &format!("{REPORT}{query}")).unwrap();
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&body));
    serde_json::from_slice(&body).unwrap()
}

fn wait<T>(what: &str, mut wish: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(granted) = wish() {
            return granted;
        }
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn changes(report: &Value) -> Vec<String> {
    let pages = report["pages"].as_array().unwrap().iter();
    let mut lines: Vec<String> = pages
        .map(|page| {
            format!("{} {} {}", page["url"].as_str().unwrap(), page["change"].as_str().unwrap(), page["updates"])
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn a_killed_watcher_tells_at_its_next_start_what_it_missed() {
    let grounds = Grounds::new();
    let (mut watcher, ready) = grounds.watch(&["--listen", "127.0.0.1:0"]);
    let address = listening(&ready);
    let first = wait("ranked", || Some(report(address, "")).filter(|report| report["ranked"] == true));
    let since = format!("?since={}", first["token"].as_str().unwrap());
    grounds.write("a.html", "changed while it runs");
    wait("the change", || (report(address, &since)["total"] == 1).then_some(()));
    watcher.0.kill().unwrap();
    watcher.0.wait().unwrap();
    grounds.write("b.html", "changed while it does not");
    let (mut watcher, ready) = grounds.watch(&["--listen", "127.0.0.1:0"]);
    let later = report(listening(&ready), &since);
    assert_eq!(later["since"], first["token"], "the token is still known");
    let told = changes(&later);
    let paths: Vec<&str> = told.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(paths, ["http://127.0.0.1/a.html", "http://127.0.0.1/b.html"], "{later:#}");
    watcher.signal(rustix::process::Signal::INT);
    assert!(watcher.0.wait().unwrap().success());
}

#[test]
fn nginx_passes_the_report_on() {
    let grounds = Grounds::new();
    let (_watcher, ready) = grounds.watch(&["--listen", "127.0.0.1:0"]);
    let watcher = listening(&ready);
    // The snippet as the documentation has it.
    let documentation =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/watcher.md")).unwrap();
    let (_, snippet) = documentation.split_once("```nginx\n").expect("a snippet");
    let snippet = snippet.split_once("```").unwrap().0.replace("127.0.0.1:7710", &watcher.to_string());
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    // A free port may be taken by another before nginx has it: then another is tried.
    let (_nginx, address) = wait("nginx", || {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let settings = format!(
            "daemon off; master_process off; pid {at}/pid; error_log {at}/error.log;
            events {{}}
            http {{
                access_log off;
                client_body_temp_path {at}/1; proxy_temp_path {at}/2; fastcgi_temp_path {at}/3;
                uwsgi_temp_path {at}/4; scgi_temp_path {at}/5;
                server {{ listen {address}; root {www}; {snippet} }}
            }}",
            www = grounds.www.path().display(),
        );
        std::fs::write(folder.path().join("nginx.conf"), settings).unwrap();
        let nginx =
            Command::new(nginx()).args(["-p", &at.to_string(), "-c", "nginx.conf"]).stderr(Stdio::null()).spawn();
        let mut nginx = Running(nginx.expect("nginx is needed: the Debian package nginx"));
        let up = wait("nginx to listen", || match nginx.0.try_wait().unwrap() {
            Some(_) => Some(false),
            None => get(address, "/a.html").map(|_| true),
        });
        up.then_some((nginx, address))
    });
    assert_eq!(get(address, "/a.html").unwrap().0, 200);
    let all = wait("ranked", || Some(report(address, "")).filter(|report| report["ranked"] == true));
    assert_eq!(changes(&all).len(), 3);
    assert_eq!(report(address, "?claim=1")["flag"], 0);
    assert_eq!(report(address, "?claim=1")["flag"], 1);
    grounds.write("new.html", "new");
    let since = format!("?since={}", all["token"].as_str().unwrap());
    wait("the change", || (changes(&report(address, &since)) == ["http://127.0.0.1/new.html new 0"]).then_some(()));
    let (status, sitemap) = get(address, "/sitemap.xml").unwrap();
    assert_eq!(status, 200);
    assert!(String::from_utf8_lossy(&sitemap).contains("<loc>http://127.0.0.1/new.html</loc>"));
    let (status, feed) = get(address, "/.well-known/bowerbird-watcher.atom").unwrap();
    assert!(status == 200 && String::from_utf8_lossy(&feed).contains("New: http://127.0.0.1/new.html"));
    assert_eq!(get(address, "/sitemap-9.xml").unwrap().0, 404);
}

/// Where Debian has it, which is not on everybody's path.
fn nginx() -> &'static str {
    if Path::new("/usr/sbin/nginx").exists() { "/usr/sbin/nginx" } else { "nginx" }
}

#[test]
fn a_report_can_be_a_file_and_one_look_enough() {
    let grounds = Grounds::new();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json").display().to_string();
    let read = || serde_json::from_slice::<Value>(&std::fs::read(&file).unwrap()).unwrap();
    let site = grounds.site();
    let once = grounds.bird.json(["watch", "--site", &site, "--report", &file, "--once"]);
    assert_eq!((&once["total"], &once["ranked"]), (&3.into(), &true.into()));
    assert_eq!(read()["pages"], once["pages"]);
    let (_watcher, ready) = grounds.watch(&["--report", &file]);
    assert_eq!(ready, serde_json::json!({ "ready": true }));
    grounds.write("a.html", "changed");
    wait("the change", || changes(&read()).contains(&"http://127.0.0.1/a.html updated 1".into()).then_some(()));
}

#[test]
fn sites_that_cannot_be_watched_get_one_clear_line() {
    let bird = Bird::new();
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().display();
    let check = |arguments: &[&str], words: &[&str]| {
        let output = bird.run([&["watch"][..], arguments].concat());
        let (out, errors) = said(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{arguments:?}: {errors}");
        for word in words {
            assert!(errors.contains(word), "{arguments:?}: {errors}");
        }
    };
    check(&[], &["--site"]);
    check(&["--site", "https://example.org/"], &["is no site"]);
    check(&["--site", "http:///x=/tmp"], &["is no site"]);
    check(&["--site", &format!("http://={at}")], &["no address"]);
    check(&["--site", &format!("https://example.org/={at}/missing")], &["cannot watch", "missing"]);
    let (one, two) = (format!("https://example.org/={at}"), format!("http://example.org/b={at}"));
    check(&["--site", &one, "--site", &two], &["overlap"]);
    let other = tempfile::tempdir().unwrap();
    let two = format!("https://example.com/={}", other.path().display());
    check(&["--site", &one, "--site", &two, "--report", "x.json"], &["{host}"]);
    check(&["--site", &one, "--reset", "soon"], &["event"]);
    check(&["--site", &one, "--rush", "9"], &["8-18"]);
    check(&["--site", &one, "--rush-load", "much"], &["load"]);
    check(&["--site", &one, "--access-log", "x"], &["--report"]);
    check(&["--site", &one, "--report", "x", "--listen", "127.0.0.1:0"], &["cannot be used with"]);
}
