//! Connections that know when an answer has left.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use crate::server::traffic::{Flight, Traffic};

/// Answers whose bodies are complete but may not have been written yet.
pub(crate) struct Departures {
    traffic: Arc<Traffic>,
    state: Mutex<State>,
}

struct State {
    waiting: Vec<Flight>,
    last_write: Instant,
    closed: bool,
}

impl Departures {
    pub fn new(traffic: Arc<Traffic>) -> Arc<Self> {
        let state = State { waiting: Vec::new(), last_write: Instant::now(), closed: false };
        Arc::new(Self { traffic, state: Mutex::new(state) })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn complete(&self, flight: Flight) {
        let mut state = self.state();
        if state.closed {
            drop(state);
            self.traffic.end(&flight, Instant::now());
        } else {
            state.waiting.push(flight);
        }
    }

    fn writing(&self) {
        self.state().last_write = Instant::now();
    }

    /// All that was complete has been handed to the socket by the write that began last.
    fn flushed(&self) {
        let mut state = self.state();
        let (waiting, at) = (std::mem::take(&mut state.waiting), state.last_write);
        drop(state);
        for flight in waiting {
            self.traffic.end(&flight, at);
        }
    }

    fn closed(&self) {
        let mut state = self.state();
        state.closed = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        for flight in waiting {
            self.traffic.end(&flight, Instant::now());
        }
    }
}

/// A stream that tells when what was written has been handed on.
pub(crate) struct Watched<S> {
    inner: S,
    departures: Arc<Departures>,
}

impl<S> Watched<S> {
    pub fn new(inner: S, departures: Arc<Departures>) -> Self {
        Self { inner, departures }
    }
}

impl<S> Drop for Watched<S> {
    fn drop(&mut self) {
        self.departures.closed();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.departures.writing();
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.departures.writing();
        Pin::new(&mut self.inner).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.inner).poll_flush(cx);
        if let Poll::Ready(Ok(())) = done {
            self.departures.flushed();
        }
        done
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// A request whose answer is being made: ends in the log also when the client goes away meanwhile.
pub(crate) struct Underway(Option<(Flight, Arc<Departures>)>);

impl Underway {
    pub fn new(flight: Option<Flight>, departures: Arc<Departures>) -> Self {
        Self(flight.map(|flight| (flight, departures)))
    }

    pub fn flight(&self) -> Option<&Flight> {
        self.0.as_ref().map(|(flight, _)| flight)
    }

    /// The answer is made; from here on its body knows when it ends.
    pub fn answered(mut self) -> Option<(Flight, Arc<Departures>)> {
        self.0.take()
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        if let Some((flight, departures)) = self.0.take() {
            departures.complete(flight);
        }
    }
}

/// A body in pieces small enough that little of it waits in buffers when its end is noted.
pub(crate) struct Served {
    rest: Bytes,
    stall: Option<Pin<Box<Sleep>>>,
    /// The stall comes when no more than this is left.
    stall_at: usize,
    flight: Option<(Flight, Arc<Departures>)>,
}

const PIECE: usize = 16 * 1024;

impl Served {
    pub fn new(body: Bytes, flight: Option<(Flight, Arc<Departures>)>, stall: Option<Duration>) -> Self {
        let stall_at = body.len() / 2;
        let mut served =
            Self { rest: body, stall: stall.map(|time| Box::pin(tokio::time::sleep(time))), stall_at, flight };
        if served.rest.is_empty() {
            served.depart();
        }
        served
    }

    /// Nothing of the body is left here: the next flush carries it away. This is noted before the
    /// last piece is handed over, for with HTTP/2 another task may have written it a moment later.
    fn depart(&mut self) {
        if let Some((flight, departures)) = self.flight.take() {
            departures.complete(flight);
        }
    }
}

impl Body for Served {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::convert::Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        if self.rest.len() <= self.stall_at.max(1)
            && let Some(stall) = self.stall.as_mut()
        {
            if stall.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.stall = None;
        }
        let piece = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(piece);
        if self.rest.is_empty() {
            self.depart();
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.depart();
    }
}
