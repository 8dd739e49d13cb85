//! The hostile corner: servers that mean harm to crawlers, each host in its own way.
//!
//! They speak bytes, not HTTP: headers without end, bodies that never finish or unfold a thousandfold,
//! connections that die in the middle. [`Corner::traps`] says what each host does; the page at
//! [`Corner::seed`] leads to all of them. One more trap is a name that moves: [`Corner::turn_names`].

mod acts;
mod names;
mod traps;

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use facts::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::{JoinHandle, JoinSet};

use crate::host::DOMAIN;
use acts::Act;
pub use traps::{Named, Trap};

/// A request line and headers longer than this are nobody's here.
const LONGEST_HEAD: usize = 64 * 1024;
/// Connections at once; more wait.
const CONNECTIONS: usize = 512;
/// Addresses that are counted; what is asked for beyond them is not.
const COUNTED: usize = 100_000;

/// The page of a host that is elsewhere once this was asked for.
const TURNING: &str = "http://turning.names.lab.test/page";

/// How often each address was asked for.
type Requests = Arc<Mutex<BTreeMap<String, u64>>>;

/// The corner, on a loopback port.
#[derive(Debug)]
pub struct Corner {
    address: SocketAddr,
    asked: Requests,
    task: JoinHandle<()>,
    names: Option<JoinHandle<io::Result<()>>>,
}

/// A request, as far as a trap looks at it.
struct Asked {
    /// The part of the host's name that says which trap it is.
    trap: String,
    target: String,
    /// Requests to the same host before this one.
    before: u64,
    /// Where the corner listens.
    port: u16,
}

impl Corner {
    /// Begins to listen; port 0 takes a free one.
    pub async fn start(listen: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let asked = Requests::default();
        let task = tokio::spawn(serve(listener, Arc::clone(&asked)));
        Ok(Self { address, asked, task, names: None })
    }

    /// Answers for a name that is here at first, and inside a private network once a page was asked for under
    /// it. Gives the page that leads there. Whoever crawls has to ask this name server, and to admit the corner's
    /// address for the name: `--resolve` rules admit it, and those for https leave http to the name server.
    pub async fn turn_names(&mut self, listen: SocketAddr) -> io::Result<Url> {
        let socket = UdpSocket::bind(listen).await?;
        self.names = Some(tokio::spawn(names::serve(socket, self.address, Arc::clone(&self.asked))));
        Ok(address_of("turning", "/"))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where its hosts are, as `--resolve` takes it.
    pub fn resolve(&self) -> String {
        format!("*.corner.{DOMAIN}={}", self.address)
    }

    /// The page that leads to every trap.
    pub fn seed() -> Url {
        address_of("start", "/")
    }

    /// Every trap: its host, and what a crawl that met it should say.
    pub fn traps() -> &'static [Trap] {
        traps::ALL
    }

    /// How often each address was asked for, without ports.
    pub fn asked(&self) -> BTreeMap<String, u64> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends it, and every connection.
    pub async fn stop(self) {
        self.task.abort();
        let _ = self.task.await;
        if let Some(names) = self.names {
            names.abort();
            let _ = names.await;
        }
    }
}

fn host_of(trap: &str) -> String {
    format!("{trap}.corner.{DOMAIN}")
}

#[expect(clippy::expect_used, reason = "names and paths are constants of this module, tried by a test")]
fn address_of(trap: &str, path: &str) -> Url {
    Url::parse(&format!("http://{}{path}", host_of(trap))).expect("a fixed address")
}

fn is_asked(requests: &Requests, address: &str) -> bool {
    requests.lock().unwrap_or_else(PoisonError::into_inner).contains_key(address)
}

async fn serve(listener: TcpListener, asked: Requests) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < CONNECTIONS => {
                let Ok((stream, _)) = accepted else { continue };
                let asked = Arc::clone(&asked);
                connections.spawn(async move {
                    // Whoever goes away in the middle has seen enough.
                    let _ = answer(stream, &asked).await;
                });
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn answer(mut stream: TcpStream, asked: &Requests) -> io::Result<()> {
    let Some(request) = request(&mut stream, asked).await? else { return Ok(()) };
    // Making a bomb takes seconds, in which others are answered.
    let acts = tokio::task::spawn_blocking(move || traps::acts(&request)).await.map_err(io::Error::other)?;
    for act in acts {
        match act {
            Act::Send(bytes) => stream.write_all(&bytes).await?,
            Act::Forever(bytes) => loop {
                stream.write_all(&bytes).await?;
            },
            Act::Drip(bytes, every) => loop {
                for byte in bytes.chunks(1) {
                    stream.write_all(byte).await?;
                    stream.flush().await?;
                    tokio::time::sleep(every).await;
                }
            },
            Act::Silence => loop {
                // Until the other side gives up.
                if stream.read(&mut [0; 512]).await? == 0 {
                    return Ok(());
                }
            },
            Act::Reset => {
                // Without lingering, closing answers with a reset instead of an end.
                stream.set_zero_linger()?;
                return Ok(());
            }
        }
    }
    stream.shutdown().await?;
    // What is still on its way is taken, so that closing does not throw away what was sent.
    let rest = async { while stream.read(&mut [0; 512]).await.is_ok_and(|read| read > 0) {} };
    let _ = tokio::time::timeout(Duration::from_secs(5), rest).await;
    Ok(())
}

async fn request(stream: &mut TcpStream, asked: &Requests) -> io::Result<Option<Asked>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if head.len() > LONGEST_HEAD || stream.read_buf(&mut head).await? == 0 {
            return Ok(None);
        }
    }
    let head = String::from_utf8_lossy(&head);
    let mut lines = head.lines();
    let target = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or("/").to_owned();
    let host = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host")
            .then(|| value.trim().split(':').next().unwrap_or_default().to_ascii_lowercase())
    });
    let host = host.unwrap_or_default();
    let before = {
        let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
        let of_host = format!("http://{host}/");
        let before = asked.range(of_host.clone()..).take_while(|(address, _)| address.starts_with(&of_host));
        let before = before.map(|(_, count)| count).sum();
        let address = format!("http://{host}{target}");
        if asked.len() < COUNTED || asked.contains_key(&address) {
            *asked.entry(address).or_insert(0) += 1;
        }
        before
    };
    let trap = host.split('.').next().unwrap_or_default().to_owned();
    Ok(Some(Asked { trap, target, before, port: stream.local_addr()?.port() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trap_has_an_address_and_something_to_do() {
        for trap in Corner::traps() {
            assert_eq!(trap.url().host_str(), host_of(trap.host));
            let asked = Asked { trap: trap.host.into(), target: trap.path.into(), before: 0, port: 80 };
            assert!(!traps::acts(&asked).is_empty(), "{}", trap.host);
        }
    }

    #[tokio::test]
    async fn it_answers_counts_and_ends() {
        let corner = Corner::start(([127, 0, 0, 1], 0).into()).await.unwrap();
        let mut stream = TcpStream::connect(corner.address()).await.unwrap();
        let ask = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", Corner::seed().host_str());
        stream.write_all(ask.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        for trap in Corner::traps() {
            assert!(answer.contains(trap.url().as_str()), "{} is not led to", trap.host);
        }
        assert_eq!(corner.asked().get(Corner::seed().as_str()), Some(&1));
        corner.stop().await;
    }
}
