//! An open connection, and the connections that wait to be used again.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use bytes::Bytes;
use facts::Origin;
use http::HeaderValue;
use http_body_util::Empty;
use hyper::client::conn::{http1, http2};
use tokio::time::Instant;

use crate::connect::Answer;

/// A request without a body, which is all that a crawler sends.
pub(crate) type Question = http::Request<Empty<Bytes>>;

/// One connection to one origin. It carries one request at a time, over HTTP/2 too: a host is
/// never asked two things at once.
pub(crate) struct Connection {
    pub(crate) origin: Origin,
    pub(crate) sender: Sender,
    /// The address dialled; through a proxy, the host's address where it is known.
    pub(crate) address: Option<SocketAddr>,
    /// The address in whose crowd each request on it takes a place.
    pub(crate) crowd: Option<IpAddr>,
    pub(crate) form: Form,
}

pub(crate) enum Sender {
    Http1(http1::SendRequest<Empty<Bytes>>),
    Http2(http2::SendRequest<Empty<Bytes>>),
}

/// How the request line names its target.
#[derive(Clone)]
pub(crate) enum Form {
    /// Path and query only.
    Origin,
    /// The whole URL, which is what a proxy needs for http.
    Absolute { authorization: Option<HeaderValue> },
}

impl Connection {
    pub(crate) fn is_http2(&self) -> bool {
        matches!(self.sender, Sender::Http2(_))
    }

    fn is_closed(&self) -> bool {
        match &self.sender {
            Sender::Http1(sender) => sender.is_closed(),
            Sender::Http2(sender) => sender.is_closed(),
        }
    }

    /// Waits until the last exchange is through; false when the other side has hung up.
    pub(crate) async fn is_ready(&mut self) -> bool {
        match &mut self.sender {
            Sender::Http1(sender) => sender.ready().await.is_ok(),
            Sender::Http2(sender) => sender.ready().await.is_ok(),
        }
    }

    pub(crate) async fn send(&mut self, question: Question) -> Result<Answer, hyper::Error> {
        match &mut self.sender {
            Sender::Http1(sender) => sender.send_request(question).await,
            Sender::Http2(sender) => sender.send_request(question).await,
        }
    }
}

/// Idle connections, bounded per origin, in all, and in time: a crawl may meet half a million hosts.
#[derive(Clone)]
pub(crate) struct Pool(Arc<Idle>);

struct Idle {
    per_origin: usize,
    in_all: usize,
    keep_alive: Duration,
    shelf: Mutex<Shelf>,
}

/// Tickets count up, so the first in `by_age` is the one that waits longest.
#[derive(Default)]
struct Shelf {
    by_origin: HashMap<Origin, Vec<(u64, Connection)>>,
    by_age: BTreeMap<u64, (Instant, Origin)>,
    next_ticket: u64,
    is_swept: bool,
}

impl Pool {
    pub(crate) fn new(per_origin: usize, in_all: usize, keep_alive: Duration) -> Self {
        Self(Arc::new(Idle { per_origin, in_all, keep_alive, shelf: Mutex::default() }))
    }

    /// The connection to this origin that was used last, if one is still open.
    pub(crate) fn take(&self, origin: &Origin) -> Option<Connection> {
        let mut shelf = self.0.shelf();
        shelf.forget_before(Instant::now().checked_sub(self.0.keep_alive));
        loop {
            let connection = shelf.take(origin)?;
            if !connection.is_closed() {
                return Some(connection);
            }
        }
    }

    /// Keeps a connection whose last answer was read to its end.
    pub(crate) fn put(&self, connection: Connection) {
        if connection.is_closed() || self.0.in_all == 0 || self.0.per_origin == 0 {
            return;
        }
        let mut shelf = self.0.shelf();
        shelf.put(connection, self.0.per_origin);
        while shelf.by_age.len() > self.0.in_all {
            shelf.forget_oldest();
        }
        if !shelf.is_swept {
            shelf.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(&self.0), self.0.keep_alive));
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.shelf().by_age.len()
    }
}

impl Idle {
    fn shelf(&self) -> std::sync::MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Closes what has waited too long, and ends when nothing waits.
async fn sweep(idle: Weak<Idle>, keep_alive: Duration) {
    loop {
        tokio::time::sleep((keep_alive / 2).max(Duration::from_millis(100))).await;
        let Some(idle) = idle.upgrade() else { return };
        let mut shelf = idle.shelf();
        shelf.forget_before(Instant::now().checked_sub(keep_alive));
        if shelf.by_age.is_empty() {
            shelf.is_swept = false;
            return;
        }
    }
}

impl Shelf {
    fn take(&mut self, origin: &Origin) -> Option<Connection> {
        let waiting = self.by_origin.get_mut(origin)?;
        let taken = waiting.pop();
        if waiting.is_empty() {
            self.by_origin.remove(origin);
        }
        let (ticket, connection) = taken?;
        self.by_age.remove(&ticket);
        Some(connection)
    }

    fn put(&mut self, connection: Connection, per_origin: usize) {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.by_age.insert(ticket, (Instant::now(), connection.origin.clone()));
        let waiting = self.by_origin.entry(connection.origin.clone()).or_default();
        waiting.push((ticket, connection));
        if waiting.len() > per_origin {
            let (oldest, _) = waiting.remove(0);
            self.by_age.remove(&oldest);
        }
    }

    fn forget_before(&mut self, moment: Option<Instant>) {
        let Some(moment) = moment else { return };
        while self.by_age.first_key_value().is_some_and(|(_, (since, _))| *since < moment) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        let Some((ticket, (_, origin))) = self.by_age.pop_first() else { return };
        if let Some(waiting) = self.by_origin.get_mut(&origin) {
            waiting.retain(|(other, _)| *other != ticket);
            if waiting.is_empty() {
                self.by_origin.remove(&origin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use facts::Url;
    use hyper_util::rt::TokioIo;
    use tokio::io::DuplexStream;

    use super::*;

    async fn connect(url: &str) -> (Connection, DuplexStream) {
        let (near, far) = tokio::io::duplex(64);
        let (sender, connection) = http1::handshake(TokioIo::new(near)).await.unwrap();
        tokio::spawn(connection);
        let origin = Url::parse(url).unwrap().origin();
        (Connection { origin, sender: Sender::Http1(sender), address: None, crowd: None, form: Form::Origin }, far)
    }

    #[tokio::test(start_paused = true)]
    async fn idle_connections_are_bounded_in_number_and_time() {
        let pool = Pool::new(2, 5, Duration::from_secs(10));
        let mut far_ends = Vec::new();
        for index in 0..20 {
            let (connection, far) = connect(&format!("http://h{}.example/", index / 4)).await;
            pool.put(connection);
            far_ends.push(far);
        }
        assert_eq!(pool.len(), 5);
        let origin = Url::parse("http://h4.example/").unwrap().origin();
        assert!(pool.take(&origin).is_some());
        assert!(pool.take(&origin).is_some());
        assert!(pool.take(&origin).is_none(), "only two of one origin are kept");
        assert_eq!(pool.len(), 3);

        tokio::time::sleep(Duration::from_secs(16)).await;
        assert_eq!(pool.len(), 0, "the sweep closes what nobody asks for");
        assert!(!pool.0.shelf().is_swept, "and ends when there is nothing left");
    }

    #[tokio::test]
    async fn a_connection_that_was_hung_up_is_not_handed_out() {
        let pool = Pool::new(2, 5, Duration::from_secs(10));
        let (connection, far) = connect("http://a.example/").await;
        let origin = connection.origin.clone();
        pool.put(connection);
        drop(far);
        while pool.0.shelf().by_origin.values().flatten().any(|(_, connection)| !connection.is_closed()) {
            tokio::task::yield_now().await;
        }
        assert!(pool.take(&origin).is_none());
    }
}
