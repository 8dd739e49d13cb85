//! Everything a fetcher can be told, with its defaults.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::Duration;

use facts::HostName;

use crate::guard::Guard;
use crate::rule::ResolveRule;

/// The name robots.txt and `X-Robots-Tag` know us by, unless [`Settings::user_agent`] says another.
const PRODUCT: &str = "Bowerbird";

/// How bytes are fetched. Times are limits after which a request fails, never goals.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The product part of `User-Agent`, such as `Bowerbird/0.1`.
    pub user_agent: String,
    /// An address or URL where the owner of a site finds us; sent as `(+contact)`.
    pub contact: Option<String>,
    /// For looking up the name, and again for connecting, TLS included.
    pub connect_timeout: Duration,
    /// From sending the request to having all headers.
    pub header_timeout: Duration,
    /// Between two pieces of a body.
    pub idle_timeout: Duration,
    /// From sending the request to the last byte of the body.
    pub total_timeout: Duration,
    /// Waiting for one of the [`per_ip`](Self::per_ip) places.
    pub queue_timeout: Duration,
    /// Number of header lines in an answer.
    pub max_headers: usize,
    /// Bytes of all headers of an answer together.
    pub max_header_bytes: usize,
    /// How many times larger than on the wire a body may become, once it is above 1 MiB.
    pub max_ratio: u32,
    /// `--resolve`: names with a given address.
    pub resolve: Vec<ResolveRule>,
    /// `--allow-private`: hosts (those of the seeds) that may be at private addresses.
    pub private_hosts: HashSet<HostName>,
    /// Where this program listens itself: never dialled.
    pub own_listeners: Vec<SocketAddr>,
    /// `--ca`: more certificate authorities to trust, as PEM.
    pub extra_roots: Vec<u8>,
    /// Where requests are sent instead of to the host itself.
    pub proxy: Proxy,
    /// Bounds of the cookie jar.
    pub cookies: CookieLimits,
    /// Requests open to one IP address at once; hosts with a `resolve` rule are exempt.
    pub per_ip: usize,
    /// Idle connections kept for one host.
    pub idle_per_host: usize,
    /// Idle connections kept in all.
    pub idle_connections: usize,
    /// How long an idle connection is kept.
    pub keep_alive: Duration,
    /// The cache of looked-up names.
    pub names: NameLimits,
}

/// Which proxy, if any, stands between us and the hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
    #[default]
    FromEnvironment,
    /// None, whatever the environment says.
    None,
    /// These, in the syntax of the variables.
    Given {
        /// For http URLs; empty for none.
        http: String,
        /// For https URLs; empty for none.
        https: String,
        /// Hosts that are reached directly, separated by commas.
        except: String,
    },
}

/// Bounds of the cookie jar; what is used least is forgotten first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieLimits {
    /// Domains with cookies.
    pub domains: usize,
    /// Cookies of one domain.
    pub per_domain: usize,
    /// Bytes of one cookie, name and value.
    pub bytes: usize,
    /// Bytes of all cookies together.
    pub total_bytes: usize,
}

/// Bounds of the name cache. What a name server says about lifetimes is kept within them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameLimits {
    /// Names remembered.
    pub names: usize,
    /// Shortest life of an answer.
    pub shortest: Duration,
    /// Longest life of an answer.
    pub longest: Duration,
    /// Life of "there is no such name".
    pub absent: Duration,
}

/// Why settings cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Not sendable as `User-Agent`.
    #[error("the user agent {0:?} contains characters that cannot be sent: use plain ASCII")]
    UserAgent(String),
    /// The PEM of `extra_roots` holds no certificate, or a broken one.
    #[error("the extra certificate authorities cannot be read: {0}; give a PEM file with BEGIN CERTIFICATE blocks")]
    Roots(String),
    /// TLS could not be set up at all.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            user_agent: format!("{PRODUCT}/{}.{}", env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR")),
            contact: None,
            connect_timeout: Duration::from_secs(15),
            header_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(300),
            queue_timeout: Duration::from_secs(300),
            max_headers: 128,
            max_header_bytes: 64 * 1024,
            max_ratio: 200,
            resolve: Vec::new(),
            private_hosts: HashSet::new(),
            own_listeners: Vec::new(),
            extra_roots: Vec::new(),
            proxy: Proxy::default(),
            cookies: CookieLimits::default(),
            per_ip: 8,
            idle_per_host: 2,
            idle_connections: 512,
            keep_alive: Duration::from_secs(15),
            names: NameLimits::default(),
        }
    }
}

impl Default for CookieLimits {
    fn default() -> Self {
        Self { domains: 20_000, per_domain: 50, bytes: 4096, total_bytes: 16 << 20 }
    }
}

impl Default for NameLimits {
    fn default() -> Self {
        Self {
            names: 50_000,
            shortest: Duration::from_secs(30),
            longest: Duration::from_secs(24 * 3600),
            absent: Duration::from_secs(300),
        }
    }
}

impl Settings {
    /// The same, with no answer taking longer than this, nor any part of it.
    #[must_use]
    pub fn within(self, longest: Duration) -> Self {
        Self {
            connect_timeout: self.connect_timeout.min(longest),
            header_timeout: self.header_timeout.min(longest),
            idle_timeout: self.idle_timeout.min(longest),
            total_timeout: longest,
            ..self
        }
    }

    /// The guard these settings describe.
    pub fn guard(&self) -> Guard {
        Guard::new(self.resolve.clone(), self.private_hosts.clone(), self.own_listeners.clone())
    }

    /// The whole `User-Agent`, contact included.
    pub fn agent(&self) -> String {
        match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.user_agent),
            None => self.user_agent.clone(),
        }
    }

    /// The name a robots.txt group or an `X-Robots-Tag` prefix would call us by.
    pub fn product(&self) -> &str {
        product(&self.user_agent)
    }
}

/// `Bowerbird/0.1 (+me@example.org)` → `Bowerbird`.
pub(crate) fn product(agent: &str) -> &str {
    let end = agent.find(|c: char| !c.is_ascii_alphabetic() && c != '-' && c != '_').unwrap_or(agent.len());
    if end == 0 { PRODUCT } else { &agent[..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_name_ourselves_with_a_contact() {
        let settings = Settings { contact: Some("https://bowerbird.example/bot".into()), ..Settings::default() };
        assert_eq!(settings.agent(), "Bowerbird/0.1 (+https://bowerbird.example/bot)");
        assert_eq!(settings.product(), "Bowerbird");
        assert_eq!(product("My-Bird 2"), "My-Bird");
        assert_eq!(product("(odd)"), "Bowerbird");
    }
}
