//! A watcher in this process, and a small client for it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use watch::{Order, Reset, Rush, Site, WatchError, Way};

/// Nothing in these tests takes longer.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A folder of pages with a state beside it.
pub struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    pub fn new(pages: &[(&str, &str)]) -> Self {
        let ground = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(ground.root()).unwrap();
        for (name, text) in pages {
            ground.write(name, text);
        }
        ground
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("www")
    }

    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn order(&self) -> Order {
        self.order_of(&[&format!("http://site.test/={}", self.root().display())])
    }

    pub fn order_of(&self, sites: &[&str]) -> Order {
        Order {
            sites: sites.iter().map(|site| Site::parse(site).unwrap()).collect(),
            state: self.beside("state"),
            way: Way::Listen(([127, 0, 0, 1], 0).into()),
            reset: Reset::Event,
            rush: Rush::default(),
            rescan: Duration::from_secs(3600),
            poll: Duration::from_secs(1),
            fetch: fetch::Settings::default(),
        }
    }
}

/// A watcher that runs.
pub struct Running {
    runtime: tokio::runtime::Runtime,
    watching: tokio::task::JoinHandle<Result<(), WatchError>>,
    end: tokio::sync::oneshot::Sender<()>,
    pub address: Option<SocketAddr>,
}

impl Running {
    pub fn start(order: Order) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (ready, told) = std::sync::mpsc::channel();
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let watching = runtime.spawn(async move {
            let ended = async { drop(ended.await) };
            watch::watch(order, move |address| ready.send(address).unwrap(), ended).await
        });
        let address = told.recv_timeout(PATIENCE).expect("the watcher is ready");
        Self { runtime, watching, end, address }
    }

    /// Status, head and body of an answer.
    pub fn ask(&self, method: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address.unwrap()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "{method} {path} HTTP/1.0\r\n{headers}\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let at = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&answer[..at]).into_owned();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head, answer.split_off(at + 4))
    }

    pub fn report(&self, query: &str) -> Value {
        let (status, head, body) = self.ask("GET", &format!("{}{query}", report::WELL_KNOWN), "Host: site.test\r\n");
        assert_eq!(status, 200, "{head}");
        serde_json::from_slice(&body).unwrap()
    }

    pub fn text(&self, path: &str) -> String {
        let (status, head, body) = self.ask("GET", path, "Host: site.test\r\n");
        assert_eq!(status, 200, "{head}");
        String::from_utf8(body).unwrap()
    }

    /// Asks until the report is as wished.
    pub fn wait(&self, query: &str, wish: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let report = self.report(query);
            if wish(&report) {
                return report;
            }
            assert!(Instant::now() < deadline, "still {report:#}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn end(self) {
        self.end.send(()).unwrap();
        self.runtime.block_on(self.watching).unwrap().unwrap();
    }
}

/// `path change updates` of each page, in order of paths.
pub fn shown(report: &Value) -> Vec<String> {
    let pages = report["pages"].as_array().unwrap();
    let shown = |page: &Value| {
        let path = page["url"].as_str().unwrap().splitn(4, '/').nth(3).unwrap();
        format!("/{path} {} {}", page["change"].as_str().unwrap(), page["updates"])
    };
    let mut lines: Vec<String> = pages.iter().map(shown).collect();
    lines.sort();
    lines
}

pub fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}
