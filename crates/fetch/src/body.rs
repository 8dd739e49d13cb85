//! Reading a body within its limits: time, size, ratio.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderMap};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::{Instant, timeout_at};

use crate::coding::Decoder;
use crate::connection::{Connection, Pool};
use crate::crowd::Place;
use crate::error::{FetchError, Wait};

/// Below this, no ratio is called a bomb: a small page of blanks is harmless.
const HARMLESS: u64 = 1 << 20;

/// Coding makes a body shorter, or longer by very little: what comes beyond its limit and this is no content.
const CODING_SLACK: u64 = 64 << 10;

/// The limits a body is read within.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) bytes: u64,
    pub(crate) ratio: u32,
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
    pub(crate) deadline: Instant,
}

/// What a body holds on to until it ends: its connection, and its place in the crowd.
pub(crate) struct Lease {
    pub(crate) connection: Connection,
    pub(crate) place: Option<Place>,
    pub(crate) pool: Pool,
}

pub(crate) struct Body {
    host: Arc<str>,
    wire: Option<Incoming>,
    lease: Option<Lease>,
    decoder: Result<Decoder, String>,
    limits: Limits,
    received: u64,
    produced: u64,
    /// What went wrong, to be said again to whoever reads on.
    failure: Option<FetchError>,
}

impl Body {
    pub(crate) fn new(host: Arc<str>, wire: Incoming, headers: &HeaderMap, limits: Limits, lease: Lease) -> Self {
        let mut body = Self {
            host,
            decoder: decoder(headers),
            limits,
            received: 0,
            produced: 0,
            failure: None,
            wire: Some(wire),
            lease: Some(lease),
        };
        if body.wire.as_ref().is_some_and(|wire| wire.is_end_stream()) {
            body.end();
        }
        body
    }

    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    /// Whoever reads had to wait for something else: that is not the server's doing.
    pub(crate) fn paused(&mut self, lasted: Duration) {
        self.limits.deadline += lasted;
    }

    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, FetchError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let outcome = self.next().await;
        if let Err(failure) = &outcome {
            // Nothing more will be read: the connection is closed now, not when the answer is dropped.
            self.wire = None;
            self.lease = None;
            self.failure = Some(failure.clone());
        }
        outcome
    }

    async fn next(&mut self) -> Result<Option<Bytes>, FetchError> {
        self.refuse_announced()?;
        loop {
            if let Some(piece) = self.decoded()? {
                self.produced += piece.len() as u64;
                self.check_size()?;
                return Ok(Some(piece));
            }
            let Some(piece) = self.read().await? else {
                self.finish()?;
                return Ok(None);
            };
            match &mut self.decoder {
                Ok(Decoder::Identity) => {
                    self.produced += piece.len() as u64;
                    self.check_size()?;
                    return Ok(Some(piece));
                }
                Ok(Decoder::Coded(coded)) => {
                    coded.push(piece);
                    if self.received > self.limits.bytes.saturating_add(CODING_SLACK) {
                        return Err(FetchError::TooLarge { host: self.host.to_string(), limit: self.limits.bytes });
                    }
                }
                Err(coding) => {
                    let (host, coding) = (self.host.to_string(), coding.clone());
                    return Err(FetchError::Decode { host, coding, why: "this coding is not known".into() });
                }
            }
        }
    }

    /// A body that announces more than is wanted is not begun.
    fn refuse_announced(&self) -> Result<(), FetchError> {
        let announced = self.wire.as_ref().and_then(|wire| wire.size_hint().exact());
        let is_plain = matches!(self.decoder, Ok(Decoder::Identity));
        if is_plain && self.received == 0 && announced.is_some_and(|length| length > self.limits.bytes) {
            return Err(FetchError::TooLarge { host: self.host.to_string(), limit: self.limits.bytes });
        }
        Ok(())
    }

    fn decoded(&mut self) -> Result<Option<Bytes>, FetchError> {
        match &mut self.decoder {
            Ok(Decoder::Coded(coded)) => coded.pull().map_err(|error| self.not_proper(error)),
            _ => Ok(None),
        }
    }

    /// The next bytes from the wire; nothing at the end.
    async fn read(&mut self) -> Result<Option<Bytes>, FetchError> {
        let Some(wire) = &mut self.wire else { return Ok(None) };
        let idle = Instant::now() + self.limits.idle;
        let (until, wait, limit) = if self.limits.deadline < idle {
            (self.limits.deadline, Wait::Whole, self.limits.total)
        } else {
            (idle, Wait::Body, self.limits.idle)
        };
        loop {
            match timeout_at(until, wire.frame()).await {
                Err(_) => return Err(FetchError::Timeout { host: self.host.to_string(), wait, limit }),
                Ok(Some(Err(_))) => {
                    return Err(FetchError::CutShort { host: self.host.to_string(), received: self.received });
                }
                Ok(Some(Ok(frame))) => {
                    // Trailers say nothing of interest.
                    if let Ok(piece) = frame.into_data()
                        && !piece.is_empty()
                    {
                        self.received += piece.len() as u64;
                        // The end is often known with the last piece: then the connection is free at once.
                        if wire.is_end_stream() {
                            self.end();
                        }
                        return Ok(Some(piece));
                    }
                }
                Ok(None) => {
                    self.end();
                    return Ok(None);
                }
            }
        }
    }

    /// The wire is through: the connection is free for the next request, and so is the place.
    fn end(&mut self) {
        self.wire = None;
        if let Some(lease) = self.lease.take() {
            lease.pool.put(lease.connection);
            drop(lease.place);
        }
    }

    fn finish(&self) -> Result<(), FetchError> {
        match &self.decoder {
            Ok(Decoder::Coded(coded)) => coded.finish().map_err(|error| self.not_proper(error)),
            _ => Ok(()),
        }
    }

    fn check_size(&self) -> Result<(), FetchError> {
        if self.produced > self.limits.bytes {
            return Err(FetchError::TooLarge { host: self.host.to_string(), limit: self.limits.bytes });
        }
        let ratio = self.limits.ratio;
        if self.produced > HARMLESS && self.produced / u64::from(ratio.max(1)) > self.received {
            return Err(FetchError::Bomb { host: self.host.to_string(), ratio });
        }
        Ok(())
    }

    fn not_proper(&self, error: std::io::Error) -> FetchError {
        let coding = self.coding();
        FetchError::Decode { host: self.host.to_string(), coding, why: error.to_string() }
    }

    fn coding(&self) -> String {
        match &self.decoder {
            Ok(Decoder::Coded(coded)) => coded.name().to_owned(),
            Ok(Decoder::Identity) => "identity".to_owned(),
            Err(coding) => coding.clone(),
        }
    }
}

/// The decoder for an answer, or the name of the coding there is none for. Codings in layers are
/// not undone: no honest server wraps twice.
fn decoder(headers: &HeaderMap) -> Result<Decoder, String> {
    let mut decoder = Decoder::Identity;
    for value in headers.get_all(header::CONTENT_ENCODING) {
        let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
        for coding in text.split(',') {
            decoder = match (decoder, Decoder::of(coding)) {
                (decoder, Some(Decoder::Identity)) => decoder,
                (Decoder::Identity, Some(coded)) => coded,
                _ => return Err(text.chars().take(40).collect()),
            };
        }
    }
    Ok(decoder)
}
