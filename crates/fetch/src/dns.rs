//! Asking for the addresses of a name.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{LookupIpStrategy, ResolveHosts};

/// More addresses of one name than this are not looked at.
const MOST_ADDRESSES: usize = 16;

/// The life of an answer whose own life is not known.
const UNKNOWN_LIFE: Duration = Duration::from_secs(300);

/// Where a name is, and for how long that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// At least one address.
    pub addresses: Vec<IpAddr>,
    /// How long the answer may be remembered.
    pub life: Duration,
}

/// Why a name has no addresses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The name is known not to exist, or to have no addresses.
    #[error("there is no such name")]
    NoSuchName,
    /// The name servers did not answer, or not usefully.
    #[error("{0}")]
    Failed(String),
}

/// Something that knows where names are. It does not judge: the guard looks at every answer.
#[async_trait]
pub trait Resolve: Send + Sync + 'static {
    /// The addresses of `host`, which is never an IP address itself.
    async fn resolve(&self, host: &str) -> Result<Addresses, ResolveError>;
}

/// The system's way: hosts file, then the name servers of the system's configuration. Without a
/// usable configuration the platform's own look-up is asked.
pub struct SystemResolver {
    servers: Option<TokioResolver>,
}

impl SystemResolver {
    /// Reads the system's configuration.
    pub fn new() -> Self {
        let servers = TokioResolver::builder_tokio().and_then(|mut builder| {
            let options = builder.options_mut();
            options.use_hosts_file = ResolveHosts::Always;
            options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
            // Answers are remembered by the name cache, with bounds of our own.
            options.cache_size = 0;
            // One connection to the name server carries the look-ups of many hosts at once.
            options.max_active_requests = 1024;
            builder.build()
        });
        if let Err(error) = &servers {
            tracing::debug!(%error, "no usable name server configuration: asking the platform");
        }
        Self { servers: servers.ok() }
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str) -> Result<Addresses, ResolveError> {
        match &self.servers {
            Some(servers) => ask_servers(servers, host).await,
            None => ask_platform(host).await,
        }
    }
}

async fn ask_servers(servers: &TokioResolver, host: &str) -> Result<Addresses, ResolveError> {
    // The final dot keeps search domains out: a name on a web page is a whole name.
    let absolute = if host.ends_with('.') { host.to_owned() } else { format!("{host}.") };
    match servers.lookup_ip(absolute).await {
        Ok(found) => {
            let life = found.valid_until().saturating_duration_since(Instant::now());
            answer(found.iter(), life)
        }
        Err(error) if error.is_nx_domain() || error.is_no_records_found() => Err(ResolveError::NoSuchName),
        Err(error) => Err(ResolveError::Failed(error.to_string())),
    }
}

async fn ask_platform(host: &str) -> Result<Addresses, ResolveError> {
    match tokio::net::lookup_host((host, 0)).await {
        Ok(found) => answer(found.map(|address| address.ip()), UNKNOWN_LIFE),
        Err(error) => Err(ResolveError::Failed(error.to_string())),
    }
}

fn answer(found: impl Iterator<Item = IpAddr>, life: Duration) -> Result<Addresses, ResolveError> {
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found {
        if !addresses.contains(&address) && addresses.len() < MOST_ADDRESSES {
            addresses.push(address);
        }
    }
    // IPv4 first: where there is no IPv6 route, dialling it only costs time.
    addresses.sort_by_key(IpAddr::is_ipv6);
    if addresses.is_empty() { Err(ResolveError::NoSuchName) } else { Ok(Addresses { addresses, life }) }
}
