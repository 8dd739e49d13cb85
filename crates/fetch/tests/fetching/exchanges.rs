//! What is asked, and what the answer's head says.

use std::time::Duration;

use facts::{Timestamp, Url};
use fetch::{Accept, ByteRange, FetchError, Fetcher, Request, Settings, Validators};

use crate::server::{Server, Step, answer};
use crate::wires::{Recorder, Table, client_of, page, settings};

#[tokio::test]
async fn urls_are_requested_as_found() {
    let server = Server::start(|_| answer("200 OK", "")).await;
    let fetcher = client_of(server.address, settings());
    for (url, path) in [
        ("http://example.org/a/%7Eb?utm_source=x&b=2&a=1#top", "/a/%7Eb?utm_source=x&b=2&a=1"),
        ("http://user:secret@example.org", "/"),
        ("http://example.org/a|b[c]^d?e={f}|`g`&h='i'", "/a|b[c]^d?e={f}|`g`&h=%27i%27"),
        ("http://example.org/ä?ö", "/%C3%A4?%C3%B6"),
        ("http://example.org/a//b/;x=1?", "/a//b/;x=1?"),
    ] {
        fetcher.send(page(url)).await.unwrap().discard().await;
        assert_eq!(server.seen().last().unwrap().path(), path, "{url}");
    }
}

#[tokio::test]
async fn a_request_says_who_asks_for_what() {
    let server = Server::start(|_| answer("200 OK", "")).await;
    let fetcher = client_of(server.address, Settings { contact: Some("me@example.org".into()), ..settings() });
    let request = Request {
        referer: Some(Url::parse("http://example.org/page").unwrap()),
        ..Request::new(Url::parse("http://img.example.org:8080/a.jpg").unwrap(), Accept::Image)
    };
    fetcher.send(request).await.unwrap().discard().await;
    let seen = server.seen().pop().unwrap();
    assert_eq!(seen.header("host"), Some("img.example.org:8080"));
    assert_eq!(seen.header("user-agent"), Some("Bowerbird/0.1 (+me@example.org)"));
    assert_eq!(seen.header("referer"), Some("http://example.org/page"));
    assert_eq!(seen.header("accept-encoding"), Some("identity"));
    let accept = seen.header("accept").unwrap();
    assert!(accept.starts_with("image/jpeg,") && accept.contains("image/webp;q=0.4"), "{accept}");

    fetcher.send(page("http://example.org/")).await.unwrap().discard().await;
    let seen = server.seen().pop().unwrap();
    assert_eq!(seen.header("host"), Some("example.org"));
    assert_eq!(seen.header("accept-encoding"), Some("gzip, deflate, br, zstd"));

    let secret = Url::parse("https://example.org/secret").unwrap();
    let insecure = Request { referer: Some(secret), ..page("http://example.org/") };
    fetcher.send(insecure).await.unwrap().discard().await;
    assert_eq!(server.seen().pop().unwrap().header("referer"), None);
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let server = Server::start(|seen| match seen.path() {
        "/relative" => answer("301 Moved\r\nLocation: ../b?c#d", ""),
        "/elsewhere" => answer("308 Moved\r\nLocation: https://other.example/x", "gone there"),
        "/raw" => answer("302 Found\r\nLocation: /ä", ""),
        "/script" => answer("302 Found\r\nLocation: javascript:alert(1)", ""),
        "/nowhere" => answer("302 Found", ""),
        _ => answer("200 OK\r\nLocation: /no", ""),
    })
    .await;
    let fetcher = client_of(server.address, settings());
    for (path, expected) in [
        ("/relative", Some(Some("http://example.org/b?c"))),
        ("/elsewhere", Some(Some("https://other.example/x"))),
        ("/raw", Some(Some("http://example.org/%C3%A4"))),
        ("/script", Some(None)),
        ("/nowhere", None),
        ("/ok", None),
    ] {
        let response = fetcher.send(page(&format!("http://example.org{path}"))).await.unwrap();
        let target = response.redirect().map(|target| target.ok().map(|url| url.to_string()));
        assert_eq!(target, expected.map(|target| target.map(str::to_owned)), "{path}");
    }
    assert_eq!(server.seen().len(), 6);
}

#[tokio::test]
async fn parts_and_versions_can_be_asked_for() {
    let server = Server::start(|seen| {
        assert_eq!(seen.header("accept-encoding"), Some("identity"));
        match (seen.header("range"), seen.header("if-range"), seen.path()) {
            (Some("bytes=10-19"), None, _) => {
                answer("206 Partial Content\r\nContent-Range: bytes 10-19/100", "0123456789")
            }
            (Some("bytes=-4"), None, _) => answer("206 Partial Content\r\nContent-Range: bytes 96-99/100", "tail"),
            (Some("bytes=200-"), None, _) => answer("416 Range Not Satisfiable\r\nContent-Range: bytes */100", ""),
            (Some("bytes=5-"), Some("\"v1\""), _) => answer("200 OK\r\nETag: \"v2\"", "all of the new one"),
            other => panic!("{other:?}"),
        }
    })
    .await;
    let fetcher = client_of(server.address, settings());
    let part = |range, if_range: Option<&str>| Request {
        range: Some(range),
        if_range: if_range.map(str::to_owned),
        ..page("http://example.org/film.mp4")
    };
    for (range, if_range, status, body) in [
        (ByteRange::From { start: 10, end: Some(19) }, None, 206, "0123456789"),
        (ByteRange::Last(4), None, 206, "tail"),
        (ByteRange::From { start: 200, end: None }, None, 416, ""),
        (ByteRange::From { start: 5, end: None }, Some("\"v1\""), 200, "all of the new one"),
    ] {
        let response = fetcher.send(part(range, if_range)).await.unwrap();
        assert_eq!(response.status, status, "{range}");
        assert_eq!(response.bytes().await.unwrap(), body, "{range}");
    }
}

#[tokio::test]
async fn what_has_not_changed_is_not_sent_again() {
    let server = Server::start(|seen| match (seen.header("if-none-match"), seen.header("if-modified-since")) {
        (Some("\"v1\""), Some("Thu, 01 Jan 1970 00:00:00 GMT")) => {
            // A 304 may carry the length of what it does not carry.
            vec![Step::Send(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\nETag: \"v1\"\r\n\r\n".to_vec())]
        }
        _ => answer("200 OK\r\nETag: \"v1\"", "first"),
    })
    .await;
    let fetcher = client_of(server.address, settings());
    let first = fetcher.send(page("http://example.org/")).await.unwrap();
    assert_eq!((first.status, first.bytes().await.unwrap().len()), (200, 5));
    for _ in 0..2 {
        let validators =
            Validators { etag: Some("\"v1\"".into()), last_modified: Some("Thu, 01 Jan 1970 00:00:00 GMT".into()) };
        let request = Request { validators: Some(validators), ..page("http://example.org/") };
        let again = fetcher.send(request).await.unwrap();
        assert_eq!((again.status, again.bytes().await.unwrap().len()), (304, 0));
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_cookie_wall_opens_at_the_second_try() {
    let server = Server::start(|seen| match seen.header("cookie") {
        Some("consent=yes") => answer("200 OK", "the page"),
        None => answer("302 Found\r\nSet-Cookie: consent=yes; Path=/; Max-Age=600\r\nLocation: /page", ""),
        Some(other) => panic!("{other}"),
    })
    .await;
    let fetcher = client_of(server.address, settings());
    let wall = fetcher.send(page("http://example.org/page")).await.unwrap();
    assert_ne!(wall.cookies, fetcher.cookies(&wall.url), "asking again may bring another answer");
    assert_eq!(wall.redirect().unwrap().unwrap().as_str(), "http://example.org/page");
    let open = fetcher.send(page("http://example.org/page")).await.unwrap();
    assert_eq!(open.cookies, fetcher.cookies(&open.url));
    assert_eq!(open.bytes().await.unwrap(), "the page");

    // Without cookies the wall stays.
    let without = Request { cookies: false, ..page("http://example.org/page") };
    let wall = fetcher.send(without).await.unwrap();
    assert_eq!(wall.status, 302);
}

#[tokio::test]
async fn a_busy_host_says_how_long() {
    let date = "Wed, 15 Nov 2023 00:00:00 GMT";
    let server = Server::start(move |seen| match seen.path() {
        "/seconds" => answer("429 Too Many Requests\r\nRetry-After: 120", ""),
        "/date" => answer(&format!("503 Service Unavailable\r\nRetry-After: {date}"), ""),
        "/nonsense" => answer("503 Service Unavailable\r\nRetry-After: soon", ""),
        _ => answer("503 Service Unavailable", ""),
    })
    .await;
    let fetcher = client_of(server.address, settings());
    let now = Timestamp(1_700_006_400_000 - 90_000);
    for (path, expected) in [("/seconds", Some(120)), ("/date", Some(90)), ("/nonsense", None), ("/none", None)] {
        let response = fetcher.send(page(&format!("http://example.org{path}"))).await.unwrap();
        assert_eq!(response.retry_after(now), expected.map(Duration::from_secs), "{path}");
    }
}

#[tokio::test]
async fn headers_can_forbid() {
    let head = "200 OK\r\nX-Robots-Tag: noimageindex\r\nX-Robots-Tag: bowerbird: nofollow\r\ntdm-reservation: 1";
    let server = Server::start(move |_| answer(head, "")).await;
    let directives =
        client_of(server.address, settings()).send(page("http://example.org/")).await.unwrap().directives();
    assert!(directives.noimageindex && directives.nofollow && directives.tdm_reservation && !directives.noindex);
}

#[tokio::test]
async fn huge_headers_are_refused() {
    let many = |count: usize| {
        let lines: String = (0..count).map(|index| format!("X-{index}: y\r\n")).collect();
        format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: 0\r\n\r\n").into_bytes()
    };
    let server = Server::start(move |seen| match seen.path() {
        "/some" => vec![Step::Send(many(100))],
        "/many" => vec![Step::Send(many(1000))],
        "/long" => vec![Step::Send(format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(200_000)).into_bytes())],
        _ => vec![Step::Send(b"HTTP/1.1 200 OK\r\nX: ".to_vec()), Step::SendForever(vec![b'y'; 4096])],
    })
    .await;
    let fetcher = client_of(server.address, settings());
    assert_eq!(fetcher.send(page("http://example.org/some")).await.unwrap().status, 200);
    for path in ["/many", "/long", "/endless"] {
        let error = fetcher.send(page(&format!("http://example.org{path}"))).await.unwrap_err();
        assert_eq!(error.reason(), "headers", "{path}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_speaks_no_http_or_none_at_all_is_an_error() {
    let server = Server::start(|seen| match seen.path() {
        "/ssh" => vec![Step::Send(b"SSH-2.0-OpenSSH_9\r\n".to_vec()), Step::Close],
        "/nothing" => vec![Step::Close],
        "/half" => vec![Step::Send(b"HTTP/1.1 200 O".to_vec()), Step::Close],
        _ => vec![Step::Wait],
    })
    .await;
    let brief = Settings { header_timeout: Duration::from_millis(200), ..settings() };
    let fetcher = client_of(server.address, brief);
    for (path, reason, transient) in [
        ("/ssh", "protocol", false),
        ("/nothing", "cut-short", true),
        ("/half", "cut-short", true),
        ("/silent", "timeout", true),
    ] {
        let error = fetcher.send(page(&format!("http://example.org{path}"))).await.unwrap_err();
        assert_eq!((error.reason(), error.is_transient()), (reason, transient), "{path}: {error}");
    }
}

#[tokio::test]
async fn a_name_without_an_address_is_an_error_of_its_own() {
    let fetcher = Fetcher::with(settings(), Table::new(&[]), Recorder::new(&[])).unwrap();
    let error = fetcher.send(page("http://nowhere.example/")).await.unwrap_err();
    assert_eq!((error.reason(), error.is_transient()), ("dns", false));
    assert_eq!(error.to_string(), "nowhere.example could not be found: there is no such name");
}

#[tokio::test]
async fn the_head_is_there_before_the_body() {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n";
    let server = Server::start(|_| vec![Step::Send(head.to_vec()), Step::Wait]).await;
    let brief = Settings { idle_timeout: Duration::from_millis(100), ..settings() };
    let mut response = client_of(server.address, brief).send(page("http://example.org/")).await.unwrap();
    assert_eq!(response.content_type(), Some("text/html"));
    assert_eq!(response.content_length(), Some(9));
    assert_eq!(response.address, Some(server.address));
    assert!(matches!(response.chunk().await, Err(FetchError::Timeout { .. })));
}
