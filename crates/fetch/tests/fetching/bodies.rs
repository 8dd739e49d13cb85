//! Bodies: coded, cut, slow, endless and explosive.

use std::time::Duration;

use compression_codecs::brotli::params::EncoderParams;
use compression_codecs::core::Level;
use compression_codecs::core::util::{PartialBuffer, WriteBuffer};
use compression_codecs::{BrotliEncoder, DeflateEncoder, EncodeV2, GzipEncoder, ZlibEncoder, ZstdEncoder};
use fetch::{FetchError, Request, Response, Settings, Wait};

use crate::server::{Server, Step, answer};
use crate::wires::{client_of, page, settings};

fn encode(mut encoder: impl EncodeV2, plain: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut input = PartialBuffer::new(plain);
    while !input.unwritten().is_empty() {
        let mut output = WriteBuffer::new_initialized(&mut buffer);
        encoder.encode(&mut input, &mut output).unwrap();
        coded.extend_from_slice(output.written());
    }
    loop {
        let mut output = WriteBuffer::new_initialized(&mut buffer);
        let is_done = encoder.finish(&mut output).unwrap();
        coded.extend_from_slice(output.written());
        if is_done {
            return coded;
        }
    }
}

fn coded(coding: &str, plain: &[u8]) -> Vec<u8> {
    match coding {
        "gzip" | "x-gzip" => encode(GzipEncoder::new(Level::Default.into()), plain),
        "deflate" => encode(ZlibEncoder::new(Level::Default.into()), plain),
        "bare deflate" => encode(DeflateEncoder::new(Level::Default.into()), plain),
        "br" => encode(BrotliEncoder::new(EncoderParams::default().quality(Level::Precise(5))), plain),
        "zstd" => encode(ZstdEncoder::new(3), plain),
        _ => plain.to_vec(),
    }
}

/// A text that packs like a page: some words, over and over, never quite the same.
fn text(length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(length + 40);
    let mut number: u32 = 1;
    while out.len() < length {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        out.extend_from_slice(format!("<p>the harbour of {} at {number}</p>\n", number % 97).as_bytes());
    }
    out.truncate(length);
    out
}

/// Asks once for a body that is sent with these headers.
async fn get(head: &'static str, body: Vec<u8>, limit: u64) -> Result<Response, FetchError> {
    let server = Server::start(move |_| answer(head, &body)).await;
    client_of(server.address, settings()).send(Request { limit, ..page("http://example.org/") }).await
}

async fn read(response: Response) -> Result<Vec<u8>, &'static str> {
    response.bytes().await.map(|bytes| bytes.to_vec()).map_err(|error| error.reason())
}

#[tokio::test]
async fn every_coding_is_undone() {
    let plain = text(300_000);
    for (name, head) in [
        ("identity", "200 OK"),
        ("gzip", "200 OK\r\nContent-Encoding: gzip"),
        ("x-gzip", "200 OK\r\nContent-Encoding: X-GZIP"),
        ("deflate", "200 OK\r\nContent-Encoding: deflate"),
        ("bare deflate", "200 OK\r\nContent-Encoding: deflate"),
        ("br", "200 OK\r\nContent-Encoding: br"),
        ("zstd", "200 OK\r\nContent-Encoding: zstd"),
        ("gzip", "200 OK\r\nContent-Encoding: identity, gzip"),
    ] {
        let sent = coded(name, &plain);
        let mut response = get(head, sent.clone(), 1 << 20).await.unwrap();
        let mut whole = Vec::new();
        while let Some(piece) = response.chunk().await.unwrap() {
            whole.extend_from_slice(&piece);
        }
        assert!(whole == plain, "{name}");
        assert_eq!(response.received(), sent.len() as u64, "{name}");
        assert_eq!(response.chunk().await.unwrap(), None, "{name}");
    }
}

#[tokio::test]
async fn members_in_a_row_are_one_body_and_what_follows_is_not() {
    let two = [coded("gzip", b"one "), coded("gzip", b"two")].concat();
    assert_eq!(read(get("200 OK\r\nContent-Encoding: gzip", two, 100).await.unwrap()).await.unwrap(), b"one two");
    let frames = [coded("zstd", b"one "), coded("zstd", b"two")].concat();
    assert_eq!(read(get("200 OK\r\nContent-Encoding: zstd", frames, 100).await.unwrap()).await.unwrap(), b"one two");
    let trailed = [coded("gzip", b"one"), b"<!-- served in 3 ms -->".to_vec()].concat();
    assert_eq!(read(get("200 OK\r\nContent-Encoding: gzip", trailed, 100).await.unwrap()).await.unwrap(), b"one");
    assert_eq!(read(get("200 OK\r\nContent-Encoding: gzip", vec![], 100).await.unwrap()).await.unwrap(), b"");
}

#[tokio::test]
async fn what_comes_after_the_end_of_a_coded_body_is_not_taken_for_ever() {
    let whole = coded("gzip", b"a page");
    let text = b"<!-- and more -->".repeat(1000);
    // A member for every byte, and one for none.
    let bytes = coded("gzip", b"x").repeat(1000);
    let nothing = coded("gzip", b"").repeat(1000);
    for (rest, reason) in [(text, "too-large"), (bytes, "too-large"), (nothing, "decode")] {
        let whole = whole.clone();
        let server = Server::start(move |_| {
            let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
            vec![Step::Send([head, whole.clone()].concat()), Step::SendForever(rest.clone())]
        })
        .await;
        let request = Request { limit: 100_000, ..page("http://example.org/") };
        let mut response = client_of(server.address, settings()).send(request).await.unwrap();
        let failure = loop {
            match response.chunk().await {
                Ok(piece) => assert!(piece.is_some(), "it has no end"),
                Err(failure) => break failure,
            }
        };
        assert_eq!(failure.reason(), reason);
        // What was on its way when it was enough comes to little.
        assert!(response.received() < 100_000 + (1 << 20), "{}", response.received());
    }
}

#[tokio::test]
async fn a_body_that_is_not_what_it_claims_is_an_error() {
    let page = text(50_000);
    let cut = |coding: &str| {
        let mut sent = coded(coding, &page);
        sent.truncate(sent.len() / 2);
        sent
    };
    for (head, body) in [
        ("200 OK\r\nContent-Encoding: gzip", page.clone()),
        ("200 OK\r\nContent-Encoding: br", vec![0xff; 1000]),
        ("200 OK\r\nContent-Encoding: zstd", page.clone()),
        ("200 OK\r\nContent-Encoding: deflate", vec![0xff; 1000]),
        ("200 OK\r\nContent-Encoding: gzip", cut("gzip")),
        ("200 OK\r\nContent-Encoding: deflate", cut("deflate")),
        ("200 OK\r\nContent-Encoding: br", cut("br")),
        ("200 OK\r\nContent-Encoding: zstd", cut("zstd")),
        ("200 OK\r\nContent-Encoding: compress", page.clone()),
        ("200 OK\r\nContent-Encoding: gzip, gzip", coded("gzip", &coded("gzip", &page))),
    ] {
        assert_eq!(read(get(head, body, 1 << 20).await.unwrap()).await, Err("decode"), "{head}");
    }
}

#[tokio::test]
async fn a_bomb_is_stopped_by_its_ratio_and_a_large_body_by_its_size() {
    let zeros = vec![0; 32 << 20];
    for (coding, head) in [
        ("gzip", "200 OK\r\nContent-Encoding: gzip"),
        ("deflate", "200 OK\r\nContent-Encoding: deflate"),
        ("br", "200 OK\r\nContent-Encoding: br"),
        ("zstd", "200 OK\r\nContent-Encoding: zstd"),
    ] {
        let bomb = coded(coding, &zeros);
        assert!(bomb.len() < 100_000, "{coding}");
        let mut response = get(head, bomb.clone(), u64::MAX).await.unwrap();
        let mut produced = 0;
        let error = loop {
            match response.chunk().await {
                Ok(piece) => produced += piece.expect("a bomb does not end well").len(),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, FetchError::Bomb { .. }), "{coding}: {error}");
        assert!(produced < 24 << 20, "{coding}: {produced} bytes got through");
        assert!(matches!(response.chunk().await, Err(FetchError::Bomb { .. })), "once stopped, it stays stopped");
        let error = get(head, bomb, 100_000).await.unwrap().bytes().await.unwrap_err();
        assert!(matches!(error, FetchError::TooLarge { limit: 100_000, .. }), "{coding}: {error}");
    }
    // Half a mebibyte of blanks is no bomb.
    let blanks = vec![b' '; 512 << 10];
    let response = get("200 OK\r\nContent-Encoding: br", coded("br", &blanks), 1 << 20).await.unwrap();
    assert_eq!(read(response).await.unwrap().len(), blanks.len());
}

#[tokio::test]
async fn the_limit_counts_bytes_after_decompression() {
    let plain = text(10_000);
    for (head, body) in [("200 OK", plain.clone()), ("200 OK\r\nContent-Encoding: gzip", coded("gzip", &plain))] {
        assert_eq!(read(get(head, body.clone(), 10_000).await.unwrap()).await.map(|body| body.len()), Ok(10_000));
        assert_eq!(read(get(head, body, 9_999).await.unwrap()).await, Err("too-large"), "{head}");
    }
}

#[tokio::test]
async fn a_body_of_announced_size_is_not_even_begun_when_too_large() {
    let server = Server::start(|_| {
        vec![Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n".to_vec()), Step::Wait]
    })
    .await;
    let error = client_of(server.address, settings()).send(page("http://example.org/")).await.unwrap().bytes().await;
    assert!(matches!(error, Err(FetchError::TooLarge { .. })));
    server.is_left_alone().await;
}

#[tokio::test]
async fn lies_about_the_length_are_found_out() {
    let server = Server::start(|seen| match seen.path() {
        "/short" => vec![Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this".to_vec()), Step::Close],
        "/cut-chunks" => vec![
            Step::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n".to_vec()),
            Step::Close,
        ],
        "/bad-chunks" => vec![
            Step::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n".to_vec()),
            Step::Close,
        ],
        "/two-lengths" => vec![
            Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!".to_vec()),
            Step::Close,
        ],
        "/until-close" => vec![Step::Send(b"HTTP/1.1 200 OK\r\n\r\nall there is".to_vec()), Step::Close],
        "/chunks" => vec![Step::Send(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n".to_vec(),
        )],
        // More than announced: the rest must not be taken for the next answer.
        _ => vec![Step::Send(
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\nX: smuggled\r\n\r\n".to_vec(),
        )],
    })
    .await;
    let fetcher = client_of(server.address, settings());
    for (path, expected) in [
        ("/short", Err("cut-short")),
        ("/cut-chunks", Err("cut-short")),
        ("/bad-chunks", Err("cut-short")),
        ("/two-lengths", Err("protocol")),
        ("/until-close", Ok("all there is")),
        ("/chunks", Ok("hello")),
        ("/long", Ok("hello")),
        ("/long", Ok("hello")),
    ] {
        let outcome = match fetcher.send(page(&format!("http://example.org{path}"))).await {
            Ok(response) => {
                assert!(response.headers.get("x").is_none(), "{path}");
                read(response).await
            }
            Err(error) => Err(error.reason()),
        };
        assert_eq!(outcome, expected.map(|text| text.as_bytes().to_vec()), "{path}");
    }
}

#[tokio::test]
async fn a_slow_body_and_an_endless_one_end() {
    let server = Server::start(|seen| match seen.path() {
        "/stalled" => vec![Step::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this".to_vec()), Step::Wait],
        "/endless" => vec![Step::Send(b"HTTP/1.1 200 OK\r\n\r\n".to_vec()), Step::SendForever(vec![b'x'; 1000])],
        _ => vec![
            Step::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec()),
            Step::SendForever(b"1\r\nx\r\n".to_vec()),
        ],
    })
    .await;
    let brief =
        Settings { idle_timeout: Duration::from_millis(150), total_timeout: Duration::from_millis(400), ..settings() };
    let fetcher = client_of(server.address, brief);
    let error = |path: &'static str, limit| {
        let fetcher = fetcher.clone();
        async move {
            let request = Request { limit, ..page(&format!("http://example.org{path}")) };
            let mut response = fetcher.send(request).await.unwrap();
            loop {
                match response.chunk().await {
                    Ok(piece) => assert!(piece.is_some(), "{path}"),
                    Err(error) => return error,
                }
            }
        }
    };
    assert!(matches!(error("/stalled", 1 << 20).await, FetchError::Timeout { wait: Wait::Body, .. }));
    assert!(matches!(error("/endless", 1 << 20).await, FetchError::TooLarge { .. }));
    assert!(matches!(error("/endless", u64::MAX).await, FetchError::Timeout { wait: Wait::Whole, .. }));
    assert!(matches!(error("/drip", u64::MAX).await, FetchError::Timeout { wait: Wait::Whole, .. }));
    server.is_left_alone().await;
}
