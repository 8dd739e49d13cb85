//! What a hostile server does with a connection, one act after the other.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

/// One act.
#[derive(Debug)]
pub(super) enum Act {
    /// These bytes, once.
    Send(Bytes),
    /// The same again and again, as fast as they are taken.
    Forever(Bytes),
    /// The same again and again, byte by byte, with a pause after each.
    Drip(Bytes, Duration),
    /// Nothing, until the other side goes.
    Silence,
    /// The connection is reset.
    Reset,
}

/// A head with these headers, and no length: the body ends with the connection.
pub(super) fn head(status: &str, headers: &[(&str, &str)]) -> Act {
    let mut head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    Act::Send(head.into())
}

/// An answer with a body of this type.
pub(super) fn whole(content_type: &str, body: impl Into<Bytes>) -> Vec<Act> {
    let body = body.into();
    let length = body.len().to_string();
    vec![head("200 OK", &[("Content-Type", content_type), ("Content-Length", &length)]), Act::Send(body)]
}

/// A page with this between the tags of its body.
pub(super) fn page(body: &str) -> Vec<Act> {
    whole("text/html; charset=utf-8", document(body))
}

pub(super) fn document(body: &str) -> String {
    format!("<!DOCTYPE html>\n<html lang=\"en\"><head><title>A corner</title></head><body>\n{body}\n</body></html>\n")
}

/// A short answer with another status.
pub(super) fn status(line: &str, headers: &[(&str, &str)]) -> Vec<Act> {
    let headers: Vec<(&str, &str)> = headers.iter().copied().chain([("Content-Length", "0")]).collect();
    vec![head(line, &headers)]
}

/// So many bytes of this value, compressed.
pub(super) fn unfolding(bytes: usize, value: u8) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let piece = vec![value; 1 << 16];
    for _ in 0..bytes / piece.len() {
        // Writing into memory does not fail.
        let _ = encoder.write_all(&piece);
    }
    encoder.finish().unwrap_or_default()
}
