//! The information desk under `/.lab/`, which answers on any host and is not logged.

use std::io::Write;

use bytes::Bytes;
use facts::Url;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde::Serialize;

use crate::Answer;
use crate::server::Shared;

/// `truth?url=…`, `log`, `log?host=…`, `log?reset=1`, `settings`, `seeds`, `ca.pem`.
pub(super) fn answer(shared: &Shared, rest: &str) -> Answer {
    let (what, query) = rest.split_once('?').unwrap_or((rest, ""));
    let parameter = |name: &str| {
        let pair = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
        Some(decoded(pair))
    };
    match what {
        "truth" => match parameter("url").map(|url| Url::parse(&url)) {
            Some(Ok(url)) => match shared.web.truth(&url) {
                Some(truth) => json(200, &truth),
                None => json(404, &serde_json::json!({ "error": "nothing answers at this address" })),
            },
            _ => json(400, &serde_json::json!({ "error": "ask for /.lab/truth?url=ADDRESS, percent-encoded" })),
        },
        "log" => {
            let log = shared.traffic.summary(parameter("host").as_deref());
            if parameter("reset").is_some_and(|reset| reset != "0") {
                shared.traffic.reset();
            }
            json(200, &log)
        }
        "settings" => {
            let focus = shared.web.focus();
            json(200, &serde_json::json!({ "settings": shared.web.settings(), "focus": focus }))
        }
        "seeds" => json(200, &shared.web.seeds()),
        "ca.pem" => plain(200, "application/x-pem-file", shared.authority.clone()),
        _ => json(404, &serde_json::json!({ "error": "there are truth, log, settings, seeds and ca.pem" })),
    }
}

fn plain(status: u16, content_type: &str, body: impl Into<Bytes>) -> Answer {
    let headers = vec![("content-type", content_type.to_owned())];
    Answer { status, headers, body: body.into(), compressible: false }
}

fn json(status: u16, value: &impl Serialize) -> Answer {
    plain(status, "application/json", serde_json::to_vec(value).unwrap_or_default())
}

/// When making an answer failed.
pub(super) fn failed() -> Answer {
    plain(500, "text/plain", "the made web could not make this\n")
}

/// `%2F` and `+` as in forms.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let escape = || {
            let mut ahead = rest.clone();
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            Some((digit(ahead.next())? * 16 + digit(ahead.next())?) as u8)
        };
        match byte {
            b'%' => match escape() {
                Some(byte) => {
                    bytes.push(byte);
                    rest.nth(1);
                }
                None => bytes.push(byte),
            },
            b'+' => bytes.push(b' '),
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Compresses the body when it may be and the client takes it.
pub(super) fn compressed(mut answer: Answer, encodings: &str) -> Answer {
    if !answer.compressible || answer.status != 200 || answer.body.len() < 1_000 {
        return answer;
    }
    let takes = |name: &str| {
        encodings.split(',').any(|one| {
            let mut parts = one.split(';').map(str::trim);
            parts.next() == Some(name) && parts.all(|quality| quality != "q=0")
        })
    };
    answer.headers.push(("vary", "accept-encoding".to_owned()));
    let (name, body) = if takes("gzip") {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        ("gzip", encoder.write_all(&answer.body).and_then(|()| encoder.finish()))
    } else if takes("deflate") {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        ("deflate", encoder.write_all(&answer.body).and_then(|()| encoder.finish()))
    } else {
        return answer;
    };
    if let Ok(body) = body {
        answer.headers.push(("content-encoding", name.to_owned()));
        answer.body = body.into();
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn escapes_are_read_and_broken_ones_left() {
        assert_eq!(decoded("http%3A%2F%2Fa.test%2F%C3%A4?x+y"), "http://a.test/ä?x y");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
