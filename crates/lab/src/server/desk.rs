//! The information desk under `/.lab/`, which answers on any host and is not logged.

use std::io::Write;

use bytes::Bytes;
use facts::Url;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde::Serialize;

use crate::escape;
use crate::server::Shared;
use crate::{Answer, Answers};

/// `truth?url=…`, `log`, `log?host=…`, `log?reset=1`, `settings`, `seeds`, `ca.pem`.
pub(super) fn answer<W: Answers>(shared: &Shared<W>, rest: &str) -> Answer {
    let (what, query) = rest.split_once('?').unwrap_or((rest, ""));
    let parameter = |name: &str| {
        let pair = query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
        Some(escape::decoded(&pair.replace('+', " ")))
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
        "settings" => json(200, &shared.web.settings()),
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
