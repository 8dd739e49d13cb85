//! The program as a server, and a small client for it: requests are written out, so that tests can
//! send what no library would.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Bird, Lab, Running};

/// Nothing in these tests takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// `bowerbird serve` at work.
pub struct Served {
    pub program: Running,
    pub address: SocketAddr,
    _stdout: BufReader<ChildStdout>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The JSON of an answer of this status.
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    /// A problem document of this status, in whole.
    pub fn problem(self, status: u16) -> Value {
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        let problem = self.expect(status);
        assert_eq!((&problem["status"], problem["detail"].is_string()), (&status.into(), true), "{problem}");
        problem
    }
}

impl Served {
    /// Serves on a free port of loopback, with crawls that reach the lab.
    pub fn start(bird: &Bird, lab: Option<&Lab>, more: &[&str]) -> Self {
        let mut arguments = vec!["serve".to_owned(), "--json".into(), "--listen".into(), "127.0.0.1:0".into()];
        arguments.extend(lab.map(Lab::reach).unwrap_or_default());
        arguments.extend(more.iter().map(|argument| argument.to_string()));
        let mut command = bird.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("not ready: {line:?}"));
        let address = ready["listening"].as_str().unwrap().strip_prefix("http://").unwrap().parse().unwrap();
        Self { program: Running(child), address, _stdout: stdout }
    }

    /// Sends a request as it is written, with a body, and reads the answer to its end.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let stream = self.open(method, path, headers, body);
        read_answer(&mut BufReader::new(stream))
    }

    fn open(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let host = format!("Host: {}\r\n", self.address);
        let named = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let host = if named { "" } else { &host };
        let head = format!("{method} {path} HTTP/1.1\r\n{host}{headers}{length}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a large body may close before it has all of it.
        let _ = stream.write_all(body);
        stream
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", &api(path), &[], b"")
    }

    /// Sends a JSON document.
    pub fn tell(&self, method: &str, path: &str, document: Value) -> Answer {
        let body = document.to_string();
        self.send(method, &api(path), &[("Content-Type", "application/json")], body.as_bytes())
    }

    pub fn post(&self, path: &str) -> Answer {
        self.send("POST", &api(path), &[], b"")
    }

    /// Reads events until one of this name; gives all of them, with their data.
    pub fn events(&self, path: &str, last: &str) -> Vec<(String, Value)> {
        let mut stream = BufReader::new(self.open("GET", &api(path), &[], b""));
        let (status, _) = read_head(&mut stream);
        assert_eq!(status, 200);
        let (mut events, mut name) = (Vec::new(), String::new());
        let deadline = Instant::now() + PATIENCE;
        for line in Chunked::new(stream).lines() {
            assert!(Instant::now() < deadline, "no event '{last}' among {events:?}");
            let line = line.unwrap();
            if let Some(event) = line.strip_prefix("event: ") {
                name = event.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                events.push((name.clone(), serde_json::from_str(data).unwrap()));
                if name == last {
                    return events;
                }
            }
        }
        panic!("the stream ended without '{last}': {events:?}");
    }

    /// Waits until a crawl is in this state.
    pub fn wait_for(&self, crawl: &str, state: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.get(&format!("/crawls/{crawl}")).expect(200);
            if found["state"] == state {
                return found;
            }
            assert!(Instant::now() < deadline, "still {}: {found}", found["state"]);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asks it to end, and gives how long that took.
    pub fn end(mut self) -> Duration {
        let started = Instant::now();
        self.program.signal(rustix::process::Signal::TERM);
        let status = self.program.0.wait().unwrap();
        assert!(status.success(), "{status}");
        started.elapsed()
    }
}

fn api(path: &str) -> String {
    if path.starts_with("/api/") { path.to_owned() } else { format!("/api/v1{path}") }
}

fn read_head(stream: &mut impl BufRead) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {line:?}")).parse().unwrap();
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
            None => return (status, headers),
        }
    }
}

fn read_answer(stream: &mut impl BufRead) -> Answer {
    let (status, headers) = read_head(stream);
    let mut answer = Answer { status, headers, body: Vec::new() };
    if answer.header("transfer-encoding") == "chunked" {
        Chunked::new(stream).read_to_end(&mut answer.body).unwrap();
    } else {
        let length = answer.header("content-length").parse().unwrap_or(u64::MAX);
        stream.take(length).read_to_end(&mut answer.body).unwrap();
    }
    answer
}

/// A body in chunks (RFC 9112 §7.1).
struct Chunked<R> {
    stream: R,
    chunk: Vec<u8>,
    read: usize,
}

impl<R: BufRead> Chunked<R> {
    fn new(stream: R) -> Self {
        Self { stream, chunk: Vec::new(), read: 0 }
    }
}

impl<R: BufRead> Read for Chunked<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let rest = self.fill_buf()?;
        let length = rest.len().min(out.len());
        out[..length].copy_from_slice(&rest[..length]);
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Chunked<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.read == self.chunk.len() {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let size = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
            self.chunk.resize(size, 0);
            self.read = 0;
            self.stream.read_exact(&mut self.chunk)?;
            self.stream.read_line(&mut line)?;
        }
        Ok(&self.chunk[self.read..])
    }

    fn consume(&mut self, length: usize) {
        self.read += length;
    }
}
