//! A served lab web, the program, and a look at what it kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A lab web served inside the test, on a free port of loopback.
pub struct Lab {
    runtime: tokio::runtime::Runtime,
    server: Option<lab::Server>,
    pub seeds: Vec<String>,
    directory: tempfile::TempDir,
}

impl Lab {
    pub fn start(settings: lab::Settings) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let web = lab::Web::new(settings);
        let seeds = web.seeds().iter().map(ToString::to_string).collect();
        let server = runtime.block_on(lab::Server::start(web, ([127, 0, 0, 1], 0).into())).unwrap();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("ca.pem"), server.ca_pem()).unwrap();
        Self { runtime, server: Some(server), seeds, directory }
    }

    /// A web that is crawled to its end in seconds.
    pub fn small(number: u64) -> Self {
        Self::start(small_web(number))
    }

    pub fn server(&self) -> &lab::Server {
        self.server.as_ref().unwrap()
    }

    /// The host that was asked most.
    pub fn busiest(&self) -> String {
        let log = self.server().log();
        log.by_host.into_iter().max_by_key(|(_, host)| host.requests).unwrap().0
    }

    /// Waits until a host is asked nothing while others are asked a hundred times.
    pub fn wait_until_left_alone(&self, host: &str) {
        let asked = || {
            let log = self.server().log();
            (log.requests, log.by_host[host].requests)
        };
        let (deadline, mut then) = (Instant::now() + Duration::from_secs(20), asked());
        loop {
            let now = asked();
            match now.1 > then.1 {
                true => then = now,
                false if now.0 >= then.0 + 100 => return,
                false => {}
            }
            assert!(Instant::now() < deadline, "{host} is still asked, or the others are not: {then:?}, {now:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Where its hosts are, as `--resolve` takes it.
    pub fn rule(&self) -> String {
        self.server().resolve().concat()
    }

    /// The arguments that let a crawl reach this web.
    pub fn reach(&self) -> Vec<String> {
        let ca = self.directory.path().join("ca.pem");
        vec!["--resolve".into(), self.rule(), "--ca".into(), ca.display().to_string()]
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            self.runtime.block_on(server.stop());
        }
    }
}

/// The web most tests use: few hosts, few pages, small pictures.
pub fn small_web(number: u64) -> lab::Settings {
    lab::Settings { number, hosts: 12, pages: 120, photo_bytes_scale: 0.02, ..lab::Settings::default() }
}

/// A data directory of a test, and the program working on it.
pub struct Bird {
    directory: tempfile::TempDir,
    data: PathBuf,
    variables: Vec<(&'static str, String)>,
}

impl Bird {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { data: directory.path().join("data"), directory, variables: Vec::new() }
    }

    /// One whose data directory is elsewhere.
    pub fn at(data: PathBuf) -> Self {
        Self { data, ..Self::new() }
    }

    /// One whose program finds these variables.
    pub fn with(variables: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self { variables: variables.into_iter().collect(), ..Self::new() }
    }

    pub fn data(&self) -> PathBuf {
        self.data.clone()
    }

    /// A file beside the data directory.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowerbird"));
        for variable in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "RUST_LOG"]
        {
            command.env_remove(variable);
        }
        command.env("BOWERBIRD_DATA", self.data()).args(arguments).stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs with `--json` and reads what it printed; panics when it failed.
    pub fn json<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Value {
        let output = self.command(arguments).arg("--json").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub fn spawn<S: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Running {
        let child = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Running(child)
    }

    /// What the library holds.
    pub fn kept(&self) -> Kept {
        Kept::read(&self.data())
    }
}

/// A running program, killed when the test is done with it.
pub struct Running(pub Child);

impl Running {
    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process(pid, signal);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The pages and files of a library, as its tables and its directory show them.
#[derive(Default)]
pub struct Kept {
    /// Addresses of pages that were read.
    pub pages: BTreeSet<String>,
    /// Kept files by the address they came from.
    pub media: BTreeMap<String, String>,
    /// Hashes of the kept files.
    pub files: BTreeSet<String>,
    /// Thumbnails, relative to the media directory.
    pub thumbnails: BTreeSet<String>,
    /// Media that were not kept, with the reason.
    pub refused: BTreeMap<String, String>,
    /// Failed visits by address.
    pub failures: BTreeMap<String, String>,
}

impl Kept {
    pub fn read(data: &Path) -> Self {
        let library = rusqlite::Connection::open(data.join("library.db")).unwrap();
        Self::of(data, |sql: &str| -> Vec<(String, String)> {
            let mut statement = library.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            rows.map(Result::unwrap).collect()
        })
    }

    /// What tables and files say; `strings` asks for two columns.
    pub fn of(data: &Path, strings: impl Fn(&str) -> Vec<(String, String)>) -> Self {
        let pages: Vec<_> = strings("SELECT url, title FROM page");
        let distinct: BTreeSet<String> = pages.iter().map(|(url, _)| identity(url)).collect();
        assert_eq!(distinct.len(), pages.len(), "a page is stored twice");
        let stored = strings("SELECT path, lower(hex(sha256)) FROM media").into_iter().collect();
        let mut files = files_below(&data.join("media"));
        let thumbnails: BTreeSet<String> = files.keys().filter(|path| path.ends_with(".thumb.jpg")).cloned().collect();
        files.retain(|path, _| !thumbnails.contains(path));
        let named = strings("SELECT thumbnail, path FROM media WHERE thumbnail IS NOT NULL");
        assert_eq!(
            thumbnails,
            named.into_iter().map(|(thumbnail, _)| thumbnail).collect(),
            "thumbnails and their rows"
        );
        let unknown: Vec<_> = files.iter().filter(|file| !contains(&stored, file)).collect();
        let missing: Vec<_> = stored.iter().filter(|file| !contains(&files, file)).collect();
        assert!(unknown.is_empty() && missing.is_empty(), "no row names {unknown:?}; no file is at {missing:?}");
        let by_address = |sql: &str| strings(sql).into_iter().map(|(url, what)| (identity(&url), what)).collect();
        Self {
            pages: distinct,
            media: by_address("SELECT a.url, lower(hex(m.sha256)) FROM media_address a JOIN media m ON m.id = a.media"),
            files: files.into_values().collect(),
            thumbnails,
            refused: by_address("SELECT url, refused FROM media_address WHERE refused IS NOT NULL"),
            // A circle of redirects fails at whichever of its addresses closes it.
            failures: by_address("SELECT url, reason FROM visit WHERE outcome = 'failed' AND reason <> 'redirect'"),
        }
    }
}

impl Kept {
    /// What one has and the other has not, one line each; empty when they are equal.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let one_way = |mark: char, a: &Self, b: &Self| {
            let (a, b) = (a.lines(), b.lines());
            a.difference(&b).map(|line| format!("{mark} {line}")).collect::<Vec<_>>()
        };
        [one_way('<', self, other), one_way('>', other, self)].concat()
    }

    fn lines(&self) -> BTreeSet<String> {
        let named = |name: &'static str, map: &BTreeMap<String, String>| -> Vec<String> {
            map.iter().map(|(key, value)| format!("{name} {key} {value}")).collect()
        };
        let pages = self.pages.iter().map(|page| format!("page {page}"));
        let files = self.files.iter().map(|file| format!("file {file}"));
        let maps = [named("media", &self.media), named("refused", &self.refused), named("failed", &self.failures)];
        pages.chain(files).chain(maps.concat()).collect()
    }
}

fn contains(files: &BTreeMap<String, String>, (path, hash): &(&String, &String)) -> bool {
    files.get(*path) == Some(*hash)
}

/// Which spelling of an address was found first is a matter of timing.
fn identity(url: &str) -> String {
    facts::Url::parse(url).unwrap().identity().into_owned()
}

/// Every file with the SHA-256 of its content, but for the store's own notes and drafts.
fn files_below(directory: &Path) -> BTreeMap<String, String> {
    use sha2::Digest;
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                let hash = sha2::Sha256::digest(std::fs::read(&path).unwrap());
                let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                let below = path.strip_prefix(directory_of(&path)).unwrap_or(&path);
                found.insert(below.display().to_string(), hex);
            }
        }
    }
    found
}

/// The media directory a file is in: `media/<host>/<2 hex>/<file>`.
fn directory_of(file: &Path) -> &Path {
    file.ancestors().nth(3).unwrap()
}

/// Text of stdout and stderr.
pub fn said(output: &Output) -> (String, String) {
    (String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}
