//! TLS: good certificates, bad ones, and HTTP/2.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use fetch::{FetchError, Fetcher, Settings};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::wires::{client_of, page, settings};

/// An authority of our own, and a server with a certificate by it.
pub struct Secure {
    pub address: SocketAddr,
    pub authority: String,
    pub accepted: Arc<AtomicUsize>,
}

impl Secure {
    /// A server for these names that offers these protocols; `change` may spoil the certificate.
    pub async fn start(names: &[&str], protocols: &[&str], change: impl FnOnce(&mut CertificateParams)) -> Self {
        let authority_key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&authority_key).unwrap().pem();
        let issuer = Issuer::new(params, authority_key);

        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &issuer).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();

        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let accepted = Arc::new(AtomicUsize::new(0));
        let count = accepted.clone();
        tokio::spawn(async move {
            let acceptor = TlsAcceptor::from(Arc::new(config));
            while let Ok((stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let server = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
                    let _ = server.serve_connection(TokioIo::new(stream), service_fn(echo)).await;
                });
            }
        });
        Self { address, authority, accepted }
    }

    pub fn settings(&self) -> Settings {
        Settings { extra_roots: self.authority.clone().into_bytes(), ..settings() }
    }
}

/// Answers with what was asked, over which version.
async fn echo(request: http::Request<Incoming>) -> Result<http::Response<Full<Bytes>>, Infallible> {
    let host = request.headers().get("host").and_then(|host| host.to_str().ok()).map(str::to_owned);
    let host = host.or_else(|| request.uri().authority().map(|authority| authority.to_string())).unwrap_or_default();
    let text = format!("{:?} {host} {}", request.version(), request.uri().path());
    let mut response = http::Response::new(Full::new(Bytes::from(text)));
    if request.uri().path() == "/headers" {
        for index in 0..200 {
            let name = http::HeaderName::try_from(format!("x-{index}")).unwrap();
            response.headers_mut().insert(name, "y".repeat(1000).parse().unwrap());
        }
    }
    Ok(response)
}

async fn get(fetcher: &Fetcher, url: &str) -> Result<String, FetchError> {
    let body = fetcher.send(page(url)).await?.bytes().await?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn pages_come_over_http2_and_over_http1() {
    for (protocols, version) in
        [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"][..], "HTTP/1.1"), (&[][..], "HTTP/1.1")]
    {
        let server = Secure::start(&["*.lab.test"], protocols, |_| {}).await;
        let fetcher = client_of(server.address, server.settings());
        for _ in 0..5 {
            assert_eq!(get(&fetcher, "https://a.lab.test/x").await.unwrap(), format!("{version} a.lab.test /x"));
        }
        assert_eq!(server.accepted.load(Ordering::SeqCst), 1, "{version}");
        get(&fetcher, "https://b.lab.test/x").await.unwrap();
        assert_eq!(server.accepted.load(Ordering::SeqCst), 2, "{version}: each host has its own connection");
    }
}

#[tokio::test]
async fn a_bad_certificate_is_refused_with_a_sentence() {
    let good = |_: &mut CertificateParams| {};
    let expired = |params: &mut CertificateParams| {
        params.not_before = rcgen::date_time_ymd(2001, 1, 1);
        params.not_after = rcgen::date_time_ymd(2002, 1, 1);
    };
    let early = |params: &mut CertificateParams| params.not_before = rcgen::date_time_ymd(2999, 1, 1);
    let expired = Secure::start(&["a.lab.test"], &["h2"], expired).await;
    let early = Secure::start(&["a.lab.test"], &["h2"], early).await;
    let other = Secure::start(&["b.lab.test"], &["h2"], good).await;
    let stranger = Secure::start(&["a.lab.test"], &["h2"], good).await;
    for (server, settings, sentence) in [
        (&expired, expired.settings(), "its certificate has expired"),
        (&early, early.settings(), "its certificate is not valid yet"),
        (&other, other.settings(), "its certificate is for another name"),
        (&stranger, settings(), "its certificate is from an unknown issuer"),
    ] {
        let error = get(&client_of(server.address, settings), "https://a.lab.test/").await.unwrap_err();
        assert_eq!((error.reason(), error.is_transient()), ("tls", false), "{error}");
        assert_eq!(error.to_string(), format!("a.lab.test offers no trustworthy connection: {sentence}"));
    }
}

#[tokio::test]
async fn a_server_without_tls_is_refused() {
    let plain = crate::server::Server::start(|_| crate::server::answer("200 OK", "")).await;
    let server = plain.address;
    let brief = Settings { connect_timeout: std::time::Duration::from_millis(300), ..settings() };
    let error = get(&client_of(server, brief), "https://a.lab.test/").await.unwrap_err();
    assert!(matches!(error.reason(), "tls" | "timeout"), "{error}");
}

#[tokio::test]
async fn huge_headers_are_refused_over_http2_too() {
    let server = Secure::start(&["a.lab.test"], &["h2"], |_| {}).await;
    let error = get(&client_of(server.address, server.settings()), "https://a.lab.test/headers").await.unwrap_err();
    assert!(matches!(error.reason(), "headers" | "protocol"), "{error}");
}

#[test]
fn broken_authorities_are_refused_at_once() {
    for pem in ["not pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let error = Fetcher::new(Settings { extra_roots: pem.into(), ..settings() }).err().expect(pem);
        assert!(error.to_string().contains("PEM file"), "{error}");
    }
    let error = Fetcher::new(Settings { user_agent: "bad\nagent".into(), ..settings() }).err().unwrap();
    assert!(error.to_string().contains("plain ASCII"), "{error}");
}
