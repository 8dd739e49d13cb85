//! The made web over real connections on loopback.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use facts::Url;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::{TokioExecutor, TokioIo};
use lab::{Latency, Server, Settings, Web};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

async fn served(settings: Settings) -> Server {
    let web = Web::new(Settings { photo_bytes_scale: 0.02, ..settings });
    Server::start(web, SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap()
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn get(server: &Server, url: &Url, headers: &[(&str, &str)]) -> Result<Response<Bytes>, Failure> {
    let stream = TcpStream::connect(server.http()).await?;
    if url.scheme() == "http" {
        return exchange(stream, url, headers, false).await;
    }
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(server.ca_pem().as_bytes())?)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = connector.connect(ServerName::try_from(url.host_str().to_owned())?, stream).await?;
    let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    exchange(stream, url, headers, h2).await
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    url: &Url,
    headers: &[(&str, &str)],
    h2: bool,
) -> Result<Response<Bytes>, Failure> {
    let uri = if h2 { url.as_str() } else { url.path_and_query() };
    let mut request = Request::get(uri);
    if !h2 {
        request = request.header("host", url.host_str());
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Empty::<Bytes>::new())?;
    let io = TokioIo::new(stream);
    let response = if h2 {
        let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io).await?;
        tokio::spawn(connection);
        sender.send_request(request).await?
    } else {
        let (mut sender, connection) = hyper::client::conn::http1::handshake(io).await?;
        tokio::spawn(connection);
        sender.send_request(request).await?
    };
    let (parts, body) = response.into_parts();
    Ok(Response::from_parts(parts, body.collect().await?.to_bytes()))
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

async fn desk(server: &Server, what: &str) -> serde_json::Value {
    let answer = get(server, &url(&format!("http://127.0.0.1/.lab/{what}")), &[]).await.unwrap();
    serde_json::from_slice(answer.body()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_media_arrive_as_the_truth_says() {
    let server = served(Settings { hosts: 40, pages: 800, flaky_share: 0.0, ..Settings::default() }).await;
    let web = server.web().clone();
    let (mut http, mut https, mut h2, mut media_seen) = (0, 0, 0, 0);
    for (page, _) in web.walk().take(60) {
        let at = web.url_of(page).unwrap();
        let answer = get(&server, &at, &[("cookie", "seen=1; consent=yes")]).await.unwrap();
        assert_eq!(answer.status(), 200, "{at}");
        assert!(String::from_utf8_lossy(answer.body()).ends_with("</html>\n"));
        if at.scheme() == "https" {
            https += 1
        } else {
            http += 1
        }
        h2 += usize::from(answer.version() == http::Version::HTTP_2);
        for media in web.media_of(page).into_iter().take(1) {
            let file = get(&server, &media, &[("referer", at.as_str())]).await.unwrap();
            assert_eq!(file.status(), 200, "{media}");
            let direct = web.answer(&lab::Asked { referer: Some(at.to_string()), ..lab::Asked::get(&media) });
            assert_eq!(file.body(), &direct.body);
            media_seen += 1;
        }
    }
    assert!(http > 10 && https > 10 && h2 == https && media_seen > 30, "{http} {https} {h2} {media_seen}");
    let log = server.settled_log().await;
    assert_eq!((log.overlaps, log.robots_breaches), (0, 0));
    assert_eq!(log.requests, 60 + media_seen);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_certificates_are_bad() {
    let server = served(Settings::default()).await;
    for (name, why) in [("expired", "expired"), ("wrong", "name")] {
        let error = get(&server, &url(&format!("https://{name}.lab.test/")), &[]).await.unwrap_err();
        assert!(error.to_string().to_lowercase().contains(why), "{name}: {error}");
    }
    assert!(get(&server, &url("https://cdn1.lab.test/robots.txt"), &[]).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_tells_overlaps_gaps_and_breaches() {
    // Slow enough that two requests made at once are under way at once.
    let latency = Some(Latency { least_ms: 50, most_ms: 50, ..Latency::default() });
    let server = served(Settings { latency, ..Settings::default() }).await;
    let seed = server.web().seeds()[0].clone();
    let page = seed.join("/").unwrap();
    get(&server, &page, &[]).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    get(&server, &page, &[]).await.unwrap();
    let log = server.settled_log().await;
    let host = &log.by_host[seed.host_str()];
    assert_eq!((host.requests, host.overlaps, host.urls_twice), (2, 0, 1));
    assert!(host.shortest_gap_ms.unwrap() >= 30.0, "{host:?}");

    let (a, b) = tokio::join!(get(&server, &page, &[]), get(&server, &page, &[]));
    a.unwrap();
    b.unwrap();
    get(&server, &seed.join("/login").unwrap(), &[]).await.unwrap();
    server.settled_log().await;
    let log = desk(&server, &format!("log?host={}&reset=1", seed.host_str())).await;
    assert_eq!(log["overlaps"], 1);
    assert_eq!(log["robots_breaches"], 1);
    assert_eq!(log["by_host"][seed.host_str()]["breached"][0], "/login");
    assert_eq!(desk(&server, "log").await["requests"], 0, "reset, and the desk is not logged");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_page_answers_the_second_time() {
    let server = served(Settings { flaky_share: 1.0, ..Settings::default() }).await;
    let seed = server.web().seeds()[0].clone();
    let page = server.web().walk().nth(20).and_then(|(page, _)| server.web().url_of(page)).unwrap();
    assert_ne!(page, seed);
    let cookie = [("cookie", "seen=1; consent=yes")];
    let first = get(&server, &page, &cookie).await.unwrap();
    assert_eq!(first.status(), 503);
    assert_eq!(first.headers()["retry-after"], "1");
    assert_eq!(get(&server, &page, &cookie).await.unwrap().status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_compressed_on_request() {
    let server = served(Settings::default()).await;
    let mut compressed = 0;
    for seed in server.web().seeds() {
        let plain = get(&server, &seed, &[]).await.unwrap();
        for (name, _) in [("gzip", 0), ("deflate", 0)] {
            let answer = get(&server, &seed, &[("accept-encoding", name)]).await.unwrap();
            if let Some(encoding) = answer.headers().get("content-encoding") {
                assert_eq!(encoding, name);
                assert!(answer.body().len() < plain.body().len() / 2);
                compressed += 1;
            }
        }
    }
    assert!(compressed > 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_desk_answers_on_any_host() {
    let server = served(Settings { number: 7, ..Settings::default() }).await;
    assert_eq!(server.resolve(), [format!("*.lab.test={}", server.http())]);
    let settings = desk(&server, "settings").await;
    assert_eq!(settings["settings"]["number"], 7);
    let seed = server.web().seeds()[0].to_string();
    assert_eq!(desk(&server, "seeds").await[0], seed);
    let truth = desk(&server, &format!("truth?url={}", seed.replace(':', "%3A").replace('/', "%2F"))).await;
    assert_eq!((&truth["kind"], &truth["page"]["role"]), (&"page".into(), &"home".into()));
    let missing =
        get(&server, &url("http://town1.lab.test/.lab/truth?url=http%3A%2F%2Fnowhere.test%2F"), &[]).await.unwrap();
    assert_eq!(missing.status(), 404);
    assert_eq!(server.log().requests, 0);
}

#[tokio::test]
async fn a_client_that_goes_away_before_its_answer_leaves_nothing_open() {
    let slow = Latency { least_ms: 60_000, most_ms: 60_000, ..Latency::default() };
    let server = served(Settings { latency: Some(slow), ..Settings::default() }).await;
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.http()).await.unwrap();
        let before = server.log().requests;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: town1.lab.test\r\n\r\n").await.unwrap();
        while server.log().requests == before {
            tokio::task::yield_now().await;
        }
        drop(stream);
    }
    let log = server.settled_log().await;
    assert_eq!((log.requests, log.open), (3, 0));
}
