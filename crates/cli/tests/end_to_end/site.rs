//! A small server whose every answer a test decides, with a log of what it was asked and when.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    pub host: String,
    pub path: String,
    pub cookie: String,
    pub range: String,
    pub if_range: String,
    pub if_none_match: String,
    pub at: Instant,
    /// When the answer was about to be handed over.
    pub ended: Option<Instant>,
}

/// What to answer.
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Waited before answering.
    pub after: Duration,
}

impl Reply {
    pub fn html(body: &str) -> Self {
        Self::new(200, "text/html", body.as_bytes())
    }

    pub fn text(body: &str) -> Self {
        Self::new(200, "text/plain", body.as_bytes())
    }

    pub fn status(status: u16) -> Self {
        Self::new(status, "text/plain", b"")
    }

    pub fn redirect(to: &str) -> Self {
        Self::status(302).with("Location", to)
    }

    /// A picture, as far as its first bytes tell.
    pub fn picture() -> Self {
        Self::new(200, "image/gif", b"GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\0;")
    }

    /// A file, or the part of it that is asked for when it still is of this version.
    pub fn file(asked: &Asked, kind: &str, body: &[u8], version: &str) -> Self {
        let whole = Self::new(200, kind, body).with("ETag", version);
        let range =
            asked.range.strip_prefix("bytes=").filter(|_| asked.if_range.is_empty() || asked.if_range == version);
        let Some((start, end)) = range.and_then(|range| range.split_once('-')) else { return whole };
        let length = body.len();
        let (start, end) = match (start.parse::<usize>(), end.parse::<usize>()) {
            (Ok(start), Ok(end)) => (start, end.min(length.saturating_sub(1))),
            (Ok(start), Err(_)) => (start, length.saturating_sub(1)),
            (Err(_), Ok(last)) => (length.saturating_sub(last), length.saturating_sub(1)),
            _ => return whole,
        };
        if start >= length {
            return Self::status(416).with("Content-Range", &format!("bytes */{length}"));
        }
        Self::new(206, kind, &body[start..=end])
            .with("ETag", version)
            .with("Content-Range", &format!("bytes {start}-{end}/{length}"))
    }

    /// A page of this version, or only that it still is.
    pub fn version(asked: &Asked, body: &str, version: &str) -> Self {
        let same = asked.if_none_match == version;
        if same { Self::status(304) } else { Self::html(body) }.with("ETag", version)
    }

    pub fn new(status: u16, kind: &str, body: &[u8]) -> Self {
        let headers = vec![("Content-Type", kind.to_owned())];
        Self { status, headers, body: body.to_vec(), after: Duration::ZERO }
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    pub fn after(self, after: Duration) -> Self {
        Self { after, ..self }
    }
}

type Answer = dyn Fn(&Asked) -> Reply + Send + Sync;

/// The server; it ends with the test's process.
pub struct Site {
    pub address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    pub fn start(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (answer, shared): (Arc<Answer>, _) = (Arc::new(answer), Arc::clone(&log));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&shared));
                std::thread::spawn(move || converse(&stream, &*answer, &log));
            }
        });
        Self { address, log }
    }

    /// The arguments that lead hosts like this here.
    pub fn resolve(&self, pattern: &str) -> [String; 2] {
        ["--resolve".into(), format!("{pattern}={}", self.address)]
    }

    pub fn log(&self) -> Vec<Asked> {
        self.log.lock().unwrap().clone()
    }

    /// The ranges a path was asked for in, in order; empty for all of it.
    pub fn ranges(&self, path: &str) -> Vec<String> {
        self.log().into_iter().filter(|asked| asked.path == path).map(|asked| asked.range).collect()
    }

    /// How often a path was asked for.
    pub fn count(&self, path: &str) -> usize {
        self.log().iter().filter(|asked| asked.path == path).count()
    }

    /// From the end of one answer to the next request, at least.
    pub fn shortest_gap(&self, host: &str) -> Duration {
        let asked: Vec<Asked> = self.log().into_iter().filter(|asked| asked.host == host).collect();
        let gaps = asked.windows(2).map(|pair| pair[1].at.saturating_duration_since(pair[0].ended.unwrap()));
        gaps.min().expect("more than one request")
    }
}

/// One request after another, until the client goes.
fn converse(stream: &TcpStream, answer: &Answer, log: &Mutex<Vec<Asked>>) -> Option<()> {
    let mut lines = BufReader::new(stream).lines();
    loop {
        let first = lines.next()?.ok()?;
        let path = first.split(' ').nth(1)?.to_owned();
        let nothing = String::new;
        let mut asked = Asked {
            host: nothing(),
            path,
            cookie: nothing(),
            range: nothing(),
            if_range: nothing(),
            if_none_match: nothing(),
            at: Instant::now(),
            ended: None,
        };
        loop {
            let line = lines.next()?.ok()?;
            let Some((name, value)) = line.split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "host" => asked.host = value.to_owned(),
                "cookie" => asked.cookie = value.to_owned(),
                "range" => asked.range = value.to_owned(),
                "if-range" => asked.if_range = value.to_owned(),
                "if-none-match" => asked.if_none_match = value.to_owned(),
                _ => {}
            }
        }
        let number = {
            let mut log = log.lock().unwrap();
            log.push(asked.clone());
            log.len() - 1
        };
        let reply = answer(&asked);
        std::thread::sleep(reply.after);
        let mut head = format!("HTTP/1.1 {} X\r\nContent-Length: {}\r\n", reply.status, reply.body.len());
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut stream = stream;
        // Noted first: this thread may be held up after the client has all of it.
        log.lock().unwrap()[number].ended = Some(Instant::now());
        stream.write_all(&[head.as_bytes(), &reply.body].concat()).ok()?;
    }
}
