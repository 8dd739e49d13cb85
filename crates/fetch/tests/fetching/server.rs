//! A server that does what a script says, however wrong.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What to do on one request, step by step.
pub enum Step {
    Send(Vec<u8>),
    /// Sends these bytes again and again until the client has had enough.
    SendForever(Vec<u8>),
    /// Waits until the client hangs up.
    Wait,
    Close,
}

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub line: String,
    pub headers: Vec<(String, String)>,
    /// The number of its connection, from 1.
    pub connection: usize,
}

impl Seen {
    pub fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

pub struct Server {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    open: Arc<AtomicUsize>,
}

impl Server {
    pub async fn start(script: impl Fn(&Seen) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (seen, open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let script = Arc::new(script);
        let (all_seen, all_open) = (seen.clone(), open.clone());
        tokio::spawn(async move {
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                connection += 1;
                let (script, seen, open) = (script.clone(), all_seen.clone(), all_open.clone());
                tokio::spawn(async move {
                    open.fetch_add(1, Ordering::SeqCst);
                    talk(stream, connection, &*script, &seen).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Self { address, seen, open }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.seen().iter().map(|seen| seen.connection).max().unwrap_or(0)
    }

    /// Waits until no connection is open any more.
    pub async fn is_left_alone(&self) {
        while self.open.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    }
}

async fn talk(
    mut stream: TcpStream,
    connection: usize,
    script: &(dyn Fn(&Seen) -> Vec<Step> + Send + Sync),
    all_seen: &Mutex<Vec<Seen>>,
) {
    let mut buffer = Vec::new();
    loop {
        while !buffer.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => buffer.push(byte),
                Err(_) => return,
            }
        }
        let head = String::from_utf8_lossy(&buffer).into_owned();
        buffer.clear();
        let mut lines = head.lines();
        let line = lines.next().unwrap_or_default().to_owned();
        let headers =
            lines.filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.to_owned(), value.to_owned()));
        let seen = Seen { line, headers: headers.collect(), connection };
        all_seen.lock().unwrap().push(seen.clone());
        for step in script(&seen) {
            let sent = match step {
                Step::Send(bytes) => stream.write_all(&bytes).await,
                Step::SendForever(bytes) => loop {
                    if let Err(error) = stream.write_all(&bytes).await {
                        break Err(error);
                    }
                },
                Step::Wait => stream.read_u8().await.map(|_| ()),
                Step::Close => return,
            };
            if sent.is_err() {
                return;
            }
        }
    }
}

/// A whole answer with its true length.
pub fn answer(head: &str, body: impl AsRef<[u8]>) -> Vec<Step> {
    let body = body.as_ref();
    let mut bytes = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    vec![Step::Send(bytes)]
}
