//! How connections are reused, and how many requests are open at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use facts::HostName;
use fetch::{Fetcher, Request, Settings};
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::Barrier;

use crate::server::{Server, Step, answer};
use crate::wires::{Recorder, Table, client_of, page, settings};

#[tokio::test]
async fn a_connection_serves_many_requests_of_one_host_and_of_no_other() {
    let server = Server::start(|_| answer("200 OK", "hello")).await;
    let fetcher = client_of(server.address, settings());
    for _ in 0..10 {
        fetcher.send(page("http://a.example/")).await.unwrap().bytes().await.unwrap();
    }
    assert_eq!(server.connections(), 1);
    fetcher.clone().send(page("http://b.example/")).await.unwrap().bytes().await.unwrap();
    assert_eq!(server.connections(), 2);
    fetcher.send(page("http://a.example:8080/")).await.unwrap().bytes().await.unwrap();
    assert_eq!(server.connections(), 3);
    fetcher.send(page("http://a.example/")).await.unwrap().bytes().await.unwrap();
    assert_eq!((server.connections(), server.seen().len()), (3, 13));
}

#[tokio::test]
async fn an_unread_body_costs_the_connection_unless_it_is_short() {
    let server =
        Server::start(|seen| answer("404 Not Found", vec![b'x'; if seen.path() == "/long" { 1 << 20 } else { 9 }]))
            .await;
    let fetcher = client_of(server.address, settings());
    for (path, connections) in [("/short", 1), ("/short", 1), ("/long", 1), ("/short", 2), ("/short", 2)] {
        let response = fetcher.send(page(&format!("http://a.example{path}"))).await.unwrap();
        assert_eq!(server.connections(), connections, "{path}");
        response.discard().await;
    }
    drop(fetcher.send(page("http://a.example/short")).await.unwrap());
    fetcher.send(page("http://a.example/short")).await.unwrap().discard().await;
    assert_eq!(server.connections(), 3);
    drop(fetcher);
    server.is_left_alone().await;
}

#[tokio::test]
async fn a_request_that_a_kept_connection_swallowed_is_not_sent_twice() {
    // The second request on each connection is read, and answered by hanging up.
    let used: std::sync::Mutex<std::collections::HashSet<usize>> = Default::default();
    let server = Server::start(move |seen| match used.lock().unwrap().insert(seen.connection) {
        true => answer("200 OK", "hello"),
        false => vec![Step::Close],
    })
    .await;
    let fetcher = client_of(server.address, settings());
    for number in 1..=6 {
        match fetcher.send(page("http://a.example/")).await {
            Ok(response) => assert_eq!(response.bytes().await.unwrap(), "hello", "{number}"),
            Err(error) => assert!(number % 2 == 0 && error.is_transient(), "{number}: {error}"),
        }
        assert_eq!(server.seen().len(), number, "the host sees what the crawl counts");
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn a_fresh_connection_that_hangs_up_is_not_tried_again() {
    let server = Server::start(|_| vec![Step::Close]).await;
    let error = client_of(server.address, settings()).send(page("http://a.example/")).await.unwrap_err();
    assert_eq!(error.reason(), "cut-short");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn idle_connections_are_closed_after_a_while() {
    let server = Server::start(|_| answer("200 OK", "hello")).await;
    let fetcher = client_of(server.address, Settings { keep_alive: Duration::from_millis(150), ..settings() });
    for host in ["a", "b", "c"] {
        fetcher.send(page(&format!("http://{host}.example/"))).await.unwrap().bytes().await.unwrap();
    }
    server.is_left_alone().await;
}

#[tokio::test]
async fn no_more_idle_connections_are_kept_than_allowed() {
    let server = Server::start(|_| answer("200 OK", "hello")).await;
    let fetcher = client_of(server.address, Settings { idle_connections: 2, ..settings() });
    for host in ["a", "b", "c", "c", "b", "a"] {
        fetcher.send(page(&format!("http://{host}.example/"))).await.unwrap().bytes().await.unwrap();
    }
    assert_eq!(server.connections(), 4);
}

/// A server that answers when `together` requests are open at once, or at once without; and the
/// most that ever were.
async fn counting_server(together: Option<usize>) -> (std::net::SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let barrier = together.map(|count| Arc::new(Barrier::new(count)));
    let all_most = most.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (open, most, barrier) = (open.clone(), all_most.clone(), barrier.clone());
            let service = service_fn(move |_| {
                let (open, most, barrier) = (open.clone(), most.clone(), barrier.clone());
                async move {
                    most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    match barrier {
                        Some(barrier) => _ = barrier.wait().await,
                        None => tokio::time::sleep(Duration::from_millis(5)).await,
                    }
                    open.fetch_sub(1, Ordering::SeqCst);
                    Ok::<_, std::convert::Infallible>(http::Response::new(Full::new(Bytes::from_static(b"hello"))))
                }
            });
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    (address, most)
}

async fn ask_all(fetcher: &Fetcher, requests: Vec<Request>) {
    let tasks: Vec<_> = requests
        .into_iter()
        .map(|request| {
            let fetcher = fetcher.clone();
            tokio::spawn(async move { fetcher.send(request).await.unwrap().bytes().await.unwrap() })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), "hello");
    }
}

#[tokio::test]
async fn many_hosts_at_one_address_share_its_eight_places() {
    let (server, most) = counting_server(None).await;
    let hosts: Vec<String> = (0..40).map(|index| format!("h{index}.example")).collect();
    let answers: [&[&str]; 1] = [&["127.0.0.1"]];
    let names: Vec<(&str, &[&[&str]])> = hosts.iter().map(|host| (host.as_str(), &answers[..])).collect();
    let private_hosts = hosts.iter().map(|host| HostName::parse(host).unwrap()).collect();
    let settings = Settings { private_hosts, ..settings() };
    let fetcher = Fetcher::with(settings, Table::new(&names), Recorder::new(&[server])).unwrap();
    let requests = |_| hosts.iter().map(|host| page(&format!("http://{host}:{}/", server.port()))).collect();
    // The second round comes over kept connections, and is counted all the same.
    for round in 0..2 {
        ask_all(&fetcher, requests(round)).await;
    }
    assert!(most.load(Ordering::SeqCst) <= 8, "{most:?}");
}

#[tokio::test]
async fn hosts_with_a_rule_are_not_counted() {
    let (server, most) = counting_server(Some(20)).await;
    let fetcher = client_of(server, settings());
    ask_all(&fetcher, (0..20).map(|index| page(&format!("http://h{index}.example/"))).collect()).await;
    assert_eq!(most.load(Ordering::SeqCst), 20);
}

#[tokio::test]
async fn a_place_is_held_until_the_body_ends_or_is_dropped() {
    let server = Server::start(|_| answer("200 OK", vec![b'x'; 4 << 20])).await;
    let settings = Settings {
        per_ip: 1,
        queue_timeout: Duration::from_millis(100),
        private_hosts: [HostName::parse("127.0.0.1").unwrap()].into(),
        ..settings()
    };
    let fetcher = Fetcher::with(settings, Table::new(&[]), Recorder::new(&[server.address])).unwrap();
    let url = format!("http://{}/", server.address);
    let first = fetcher.send(page(&url)).await.unwrap();
    assert_eq!(fetcher.send(page(&url)).await.unwrap_err().reason(), "busy");
    drop(first);
    let second = fetcher.send(page(&url)).await.unwrap();
    second.bytes().await.unwrap();
    fetcher.send(page(&url)).await.unwrap();
}

#[tokio::test]
async fn a_socket_that_this_machine_refuses_is_no_fault_of_the_host() {
    struct NoMoreFiles;

    #[async_trait::async_trait]
    impl fetch::Dial for NoMoreFiles {
        async fn dial(&self, _: std::net::SocketAddr) -> std::io::Result<Box<dyn fetch::Wire>> {
            Err(std::io::Error::from_raw_os_error(24))
        }
    }

    let names = Table::new(&[("a.example", &[&["203.0.114.1"]])]);
    let fetcher = Fetcher::with(settings(), names, Arc::new(NoMoreFiles)).unwrap();
    let error = fetcher.send(page("http://a.example/")).await.unwrap_err();
    assert_eq!(error.reason(), "too-many-files");
    assert!(error.to_string().contains("ulimit -n"), "{error}");
}
