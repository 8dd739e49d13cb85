//! Through a proxy on loopback.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use facts::HostName;
use fetch::{Fetcher, Proxy, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::secure::Secure;
use crate::server::{Server, answer};
use crate::wires::{Recorder, Table, page, settings};

/// A proxy that tunnels everything to one server, and writes down for whom.
async fn tunnel(to: SocketAddr, answer: &'static str) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let all_asked = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let asked = all_asked.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(client.read_u8().await.unwrap());
                }
                asked.lock().unwrap().push(String::from_utf8_lossy(&head).into_owned());
                client.write_all(answer.as_bytes()).await.unwrap();
                if let Ok(mut server) = TcpStream::connect(to).await {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                }
            });
        }
    });
    (address, asked)
}

fn through(proxy: &str) -> Proxy {
    Proxy::Given { http: proxy.into(), https: proxy.into(), except: "direct.example,1.1.1.0/24".into() }
}

const NAMES: &[(&str, &[&[&str]])] = &[("a.lab.test", &[&["1.2.3.4"]]), ("direct.example", &[&["1.2.3.5"]])];

#[tokio::test]
async fn http_goes_to_the_proxy_with_the_whole_url() {
    let proxy = Server::start(|_| answer("200 OK", "from the proxy")).await;
    let recorder = Recorder::new(&[proxy.address]);
    let settings = Settings { proxy: through(&format!("http://me:secret@{}", proxy.address)), ..settings() };
    let fetcher = Fetcher::with(settings, Table::new(NAMES), recorder.clone()).unwrap();
    for _ in 0..2 {
        let response = fetcher.send(page("http://a.lab.test:81/x?y")).await.unwrap();
        assert_eq!(response.bytes().await.unwrap(), "from the proxy");
    }
    // A name that only the proxy knows is left to it.
    fetcher.send(page("http://unknown.example/")).await.unwrap().discard().await;

    let seen = proxy.seen();
    assert_eq!(seen[0].line, "GET http://a.lab.test:81/x?y HTTP/1.1");
    assert_eq!(seen[0].header("host"), Some("a.lab.test:81"));
    assert_eq!(seen[0].header("proxy-authorization"), Some("Basic bWU6c2VjcmV0"));
    assert_eq!(seen[2].line, "GET http://unknown.example/ HTTP/1.1");
    assert_eq!((seen[0].connection, seen[1].connection), (1, 1));
    assert_eq!(recorder.dialled(), vec![proxy.address.to_string(); 2]);
}

#[tokio::test]
async fn https_goes_through_a_tunnel_and_stays_secret() {
    let server = Secure::start(&["a.lab.test"], &["h2"], |_| {}).await;
    let (proxy, asked) = tunnel(server.address, "HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n").await;
    let settings = Settings { proxy: through(&format!("http://{proxy}")), ..server.settings() };
    let fetcher = Fetcher::with(settings, Table::new(NAMES), Recorder::new(&[proxy])).unwrap();
    for _ in 0..2 {
        let response = fetcher.send(page("https://a.lab.test/secret")).await.unwrap();
        assert_eq!(response.bytes().await.unwrap(), "HTTP/2.0 a.lab.test /secret");
    }
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with("CONNECT a.lab.test:443 HTTP/1.1\r\nHost: a.lab.test:443\r\n"), "{}", asked[0]);
    assert!(!asked[0].contains("secret"));
}

#[tokio::test]
async fn what_the_proxy_refuses_is_told() {
    let nowhere = Server::start(|_| answer("200 OK", "")).await.address;
    for refusal in ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "220 smtp ready\r\n\r\n"] {
        let (proxy, _) = tunnel(nowhere, refusal).await;
        let settings = Settings { proxy: through(&format!("http://{proxy}")), ..settings() };
        let fetcher = Fetcher::with(settings, Table::new(NAMES), Recorder::new(&[proxy])).unwrap();
        let error = fetcher.send(page("https://a.lab.test/")).await.unwrap_err();
        assert_eq!(error.reason(), "proxy");
        assert!(error.to_string().contains(refusal.trim_end()), "{error}");
    }
    let settings = Settings { proxy: through("socks5://9.9.9.9:1080"), ..settings() };
    let recorder = Recorder::new(&[]);
    let fetcher = Fetcher::with(settings, Table::new(NAMES), recorder.clone()).unwrap();
    let error = fetcher.send(page("http://a.lab.test/")).await.unwrap_err();
    assert!(error.to_string().contains("only http:// proxies"), "{error}");
    assert!(recorder.dialled().is_empty());
}

#[tokio::test]
async fn what_is_ours_does_not_go_through_the_proxy() {
    let recorder = Recorder::new(&[]);
    let private_hosts: HashSet<HostName> = [HostName::parse("10.0.0.7").unwrap()].into();
    let settings = Settings {
        proxy: through("http://9.9.9.9:3128"),
        resolve: vec!["*.ruled.test=127.0.0.1:8080".parse().unwrap()],
        private_hosts,
        ..settings()
    };
    let fetcher = Fetcher::with(settings, Table::new(NAMES), recorder.clone()).unwrap();
    for (url, dialled) in [
        ("http://x.ruled.test/", "127.0.0.1:8080"),
        ("http://10.0.0.7/", "10.0.0.7:80"),
        ("http://direct.example/", "1.2.3.5:80"),
        ("http://1.1.1.1/", "1.1.1.1:80"),
        ("http://a.lab.test/", "9.9.9.9:3128"),
    ] {
        fetcher.send(page(url)).await.unwrap_err();
        assert_eq!(recorder.dialled().last().unwrap(), dialled, "{url}");
    }
}
