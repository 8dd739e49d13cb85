//! What can go wrong between asking for bytes and having them.

use std::net::SocketAddr;
use std::time::Duration;

use crate::guard::Refused;

/// Why a request brought no (or not all) bytes.
///
/// [`reason`](Self::reason) is the word to count by; the message says what happened to which host.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The name has no address, or the name servers do not answer.
    #[error("{host} could not be found: {why}")]
    Dns {
        /// The name asked for.
        host: String,
        /// What the name servers said.
        why: String,
        /// Whether asking later may help: true unless the name is known not to exist.
        transient: bool,
    },
    /// The address guard said no; nothing was dialled.
    #[error(transparent)]
    RefusedAddress(#[from] Refused),
    /// No connection could be made.
    #[error("{host} cannot be reached at {address}: {why}")]
    Connect {
        /// The host asked for.
        host: String,
        /// The address dialled last.
        address: SocketAddr,
        /// What the network said.
        why: String,
    },
    /// This process has as many files and connections open as it may: the host has no part in it.
    #[error("no connection to {host} can be opened: this process has as many files open as it may (see `ulimit -n`)")]
    TooManyFiles {
        /// The host asked for.
        host: String,
    },
    /// No secure connection: mostly a certificate that must not be trusted.
    #[error("{host} offers no trustworthy connection: {why}")]
    Tls {
        /// The host asked for.
        host: String,
        /// What is wrong, in a sentence.
        why: String,
        /// Whether it is the certificate, which stays wrong until the owner acts.
        certificate: bool,
    },
    /// The proxy of the environment refused or broke off.
    #[error("the proxy {proxy} did not connect to {host}: {why}")]
    Proxy {
        /// The proxy's address as given.
        proxy: String,
        /// The host asked for.
        host: String,
        /// What the proxy said.
        why: String,
    },
    /// A time limit passed.
    #[error("{host} {wait} within {limit:?}")]
    Timeout {
        /// The host asked for.
        host: String,
        /// What was waited for.
        wait: Wait,
        /// The limit that passed.
        limit: Duration,
    },
    /// Too many requests of ours were already open to the host's address for too long.
    #[error("{host} shares an address with other hosts, and none of our requests there ended within {limit:?}")]
    Busy {
        /// The host asked for.
        host: String,
        /// How long was waited.
        limit: Duration,
    },
    /// More bytes, after decompression, than the request allows.
    #[error("{host} sent more than {limit} bytes")]
    TooLarge {
        /// The host asked.
        host: String,
        /// The request's limit.
        limit: u64,
    },
    /// A small body that unfolds into a huge one.
    #[error("{host} sent a body that unfolds more than {ratio} times")]
    Bomb {
        /// The host asked.
        host: String,
        /// The greatest allowed ratio.
        ratio: u32,
    },
    /// The body is not in the coding it claims.
    #[error("{host} sent a body that is not proper {coding}: {why}")]
    Decode {
        /// The host asked.
        host: String,
        /// The value of Content-Encoding.
        coding: String,
        /// What the decoder said.
        why: String,
    },
    /// The connection ended before the body did.
    #[error("{host} broke off after {received} bytes")]
    CutShort {
        /// The host asked.
        host: String,
        /// Bytes of the body that did arrive.
        received: u64,
    },
    /// More or longer headers than any honest answer has.
    #[error("{host} sent too many or too long headers")]
    Headers {
        /// The host asked.
        host: String,
    },
    /// Not HTTP, or HTTP broken beyond reading.
    #[error("{host} does not speak proper HTTP: {why}")]
    Protocol {
        /// The host asked.
        host: String,
        /// What was wrong.
        why: String,
    },
}

/// What a time limit was waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The name to be resolved.
    Name,
    /// The connection, TLS included.
    Connection,
    /// Status and headers.
    Headers,
    /// The next bytes of the body.
    Body,
    /// The end of the body.
    Whole,
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Name => "could not be looked up",
            Self::Connection => "made no connection",
            Self::Headers => "sent no answer",
            Self::Body => "sent no more bytes",
            Self::Whole => "did not finish its answer",
        })
    }
}

impl FetchError {
    /// The short word to count by.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Dns { .. } => "dns",
            Self::RefusedAddress(_) => "refused-address",
            Self::Connect { .. } => "connect",
            Self::TooManyFiles { .. } => "too-many-files",
            Self::Tls { .. } => "tls",
            Self::Proxy { .. } => "proxy",
            Self::Timeout { .. } => "timeout",
            Self::Busy { .. } => "busy",
            Self::TooLarge { .. } | Self::Bomb { .. } => "too-large",
            Self::Decode { .. } => "decode",
            Self::CutShort { .. } => "cut-short",
            Self::Headers { .. } => "headers",
            Self::Protocol { .. } => "protocol",
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Dns { transient, .. } => *transient,
            Self::Tls { certificate, .. } => !certificate,
            Self::Connect { .. }
            | Self::TooManyFiles { .. }
            | Self::Proxy { .. }
            | Self::Timeout { .. }
            | Self::Busy { .. }
            | Self::CutShort { .. } => true,
            Self::RefusedAddress(_)
            | Self::TooLarge { .. }
            | Self::Bomb { .. }
            | Self::Decode { .. }
            | Self::Headers { .. }
            | Self::Protocol { .. } => false,
        }
    }

    /// Whether bytes of a server were seen at all: such a host is up, however odd its answer.
    pub fn was_answered(&self) -> bool {
        match self {
            Self::TooLarge { .. } | Self::Bomb { .. } | Self::Decode { .. } | Self::Headers { .. } => true,
            Self::Protocol { .. } | Self::CutShort { .. } => false,
            Self::Timeout { wait, .. } => *wait == Wait::Whole,
            _ => false,
        }
    }
}
