//! A connection whose other side has to take what it is sent.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection that ends when nothing of what is written is taken for so long.
pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, stuck: None }
    }

    /// What came of writing, or an error when that has not come for too long.
    fn bounded<T>(&mut self, context: &mut Context<'_>, written: Poll<Result<T>>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        ready!(stuck.as_mut().poll(context));
        Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "the answer is not taken")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let written = Pin::new(&mut self.stream).poll_flush(context);
        self.bounded(context, written)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let written = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bounded(context, written)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::Read;

    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    async fn write(ours: &mut Patient<TcpStream>) -> Result<usize> {
        let bytes = [7; 64 << 10];
        poll_fn(|context| Pin::new(&mut *ours).poll_write(context, &bytes)).await
    }

    #[tokio::test]
    async fn who_takes_nothing_is_left_and_who_takes_what_comes_is_not() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut theirs = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let mut ours = Patient::new(stream, Duration::from_secs(60));
        let reader = std::thread::spawn(move || {
            let (mut taken, mut buffer) = (0, [0; 64 << 10]);
            while taken < 32 << 20 {
                taken += theirs.read(&mut buffer).unwrap();
            }
            theirs
        });
        let mut written = 0;
        while written < 32 << 20 {
            written += write(&mut ours).await.unwrap();
        }
        // From here on nobody reads: what the system takes for them has an end.
        let _theirs = reader.join().unwrap();
        ours.patience = Duration::from_millis(100);
        let error = loop {
            if let Err(error) = write(&mut ours).await {
                break error;
            }
        };
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }
}
