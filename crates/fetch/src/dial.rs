//! Opening sockets. The only place in the crate that does.

use std::io;
use std::net::SocketAddr;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// A byte stream to somewhere.
pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Wire for T {}

/// Opens connections. Every connection of a [`Fetcher`](crate::Fetcher) is made through one of
/// these, with an address the guard has passed, so a test can put a recorder in its place.
#[async_trait]
pub trait Dial: Send + Sync + 'static {
    /// Connects to exactly this address.
    async fn dial(&self, address: SocketAddr) -> io::Result<Box<dyn Wire>>;
}

/// Dials by TCP.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tcp;

#[async_trait]
impl Dial for Tcp {
    async fn dial(&self, address: SocketAddr) -> io::Result<Box<dyn Wire>> {
        let stream = TcpStream::connect(address).await?;
        // Requests are written in one piece: waiting for more only delays them.
        stream.set_nodelay(true)?;
        Ok(Box::new(stream))
    }
}
