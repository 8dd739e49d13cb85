//! The address guard: which addresses may be dialled for which host. Pure, so that every case can
//! be put to it in a test.

use std::collections::HashSet;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use facts::HostName;

use crate::rule::ResolveRule;

/// Decides which addresses may be dialled.
///
/// Public addresses are free. Everything else is refused unless a [`ResolveRule`] names that very
/// address and port for the host, or the host is one of the private hosts and the address merely
/// private. Metadata services of clouds and our own listeners are refused always.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    rules: Vec<ResolveRule>,
    private_hosts: HashSet<HostName>,
    own_listeners: Vec<SocketAddr>,
}

/// An address that must not be dialled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{host} is at {address}, which is {why}: not dialled{}", .why.remedy())]
pub struct Refused {
    /// The host asked for.
    pub host: HostName,
    /// The address it was found at.
    pub address: SocketAddr,
    /// What is wrong with the address.
    pub why: Why,
}

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// This machine (`127.0.0.0/8`, `::1`).
    Loopback,
    /// A private network (RFC 1918, `fc00::/7`, `fec0::/10`).
    Private,
    /// The local link (`169.254.0.0/16`, `fe80::/10`).
    LinkLocal,
    /// The inside of a provider's NAT (`100.64.0.0/10`).
    SharedNat,
    /// No address at all (`0.0.0.0/8`, `::`), which systems take for themselves.
    Unspecified,
    /// A group, not a host.
    Multicast,
    /// Everybody (`255.255.255.255`).
    Broadcast,
    /// Reserved for documentation.
    Documentation,
    /// Reserved for benchmarks.
    Benchmark,
    /// Not part of the public internet for another reason.
    Reserved,
    /// A cloud's metadata service, which hands out credentials.
    Metadata,
    /// A listener of this very program.
    OwnListener,
}

impl Guard {
    /// A guard with these exceptions.
    pub fn new(rules: Vec<ResolveRule>, private_hosts: HashSet<HostName>, own_listeners: Vec<SocketAddr>) -> Self {
        Self { rules, private_hosts, own_listeners }
    }

    /// Whether `host` may be dialled at this address and port.
    pub fn check(&self, host: &HostName, ip: IpAddr, port: u16) -> Result<(), Refused> {
        let address = SocketAddr::new(ip, port);
        let refuse = |why| Err(Refused { host: host.clone(), address, why });
        if self.is_own_listener(ip, port) {
            return refuse(Why::OwnListener);
        }
        match judge(ip) {
            None => Ok(()),
            Some(Why::Metadata) => refuse(Why::Metadata),
            Some(_) if self.rules.iter().any(|rule| rule.address() == address && rule.covers(host)) => Ok(()),
            Some(why) if why.is_merely_private() && self.private_hosts.contains(host) => Ok(()),
            Some(why) => refuse(why),
        }
    }

    /// The rule that says where this request goes, if there is one; the first that applies wins.
    pub fn rule(&self, scheme: &str, host: &HostName, port: u16) -> Option<&ResolveRule> {
        self.rules.iter().find(|rule| rule.applies(scheme, host, port))
    }

    /// Whether private addresses are admitted for this host.
    pub fn admits_private(&self, host: &HostName) -> bool {
        self.private_hosts.contains(host)
    }

    fn is_own_listener(&self, ip: IpAddr, port: u16) -> bool {
        self.own_listeners.iter().any(|own| {
            own.port() == port
                && (own.ip().to_canonical() == ip.to_canonical()
                    // Listening everywhere, it is reached through any address of this machine; which
                    // of the public ones are ours is not known here, so they are to be listed.
                    || own.ip().is_unspecified() && judge(ip).is_some())
        })
    }
}

impl Why {
    /// Whether `--allow-private` may admit it.
    fn is_merely_private(self) -> bool {
        matches!(self, Self::Loopback | Self::Private | Self::LinkLocal | Self::SharedNat)
    }

    fn remedy(self) -> &'static str {
        if self.is_merely_private() { " (--allow-private admits the seeds' own hosts)" } else { "" }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "this machine",
            Self::Private => "a private network",
            Self::LinkLocal => "the local link",
            Self::SharedNat => "a provider's inner network",
            Self::Unspecified => "no address",
            Self::Multicast => "a multicast group",
            Self::Broadcast => "the broadcast address",
            Self::Documentation => "reserved for documentation",
            Self::Benchmark => "reserved for benchmarks",
            Self::Reserved => "not part of the public internet",
            Self::Metadata => "a cloud's metadata service",
            Self::OwnListener => "a listener of this program",
        })
    }
}

/// What is wrong with an address; nothing for a public one. IPv4 addresses wrapped in IPv6 are
/// judged by what they wrap, since gateways and kernels unwrap them.
fn judge(ip: IpAddr) -> Option<Why> {
    match ip {
        IpAddr::V4(v4) => judge_v4(v4),
        IpAddr::V6(v6) => judge_v6(v6),
    }
}

fn judge_v4(ip: Ipv4Addr) -> Option<Why> {
    if is_metadata_v4(ip) {
        return Some(Why::Metadata);
    }
    Some(match ip.octets() {
        [0, ..] => Why::Unspecified,
        [127, ..] => Why::Loopback,
        [10, ..] | [192, 168, ..] => Why::Private,
        [172, b, ..] if b & 0xf0 == 16 => Why::Private,
        [169, 254, ..] => Why::LinkLocal,
        [100, b, ..] if b & 0xc0 == 64 => Why::SharedNat,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Why::Documentation,
        [198, 18 | 19, ..] => Why::Benchmark,
        // Protocol assignments, the retired 6to4 relays.
        [192, 0, 0, _] | [192, 88, 99, _] => Why::Reserved,
        [255, 255, 255, 255] => Why::Broadcast,
        [a, ..] if a & 0xf0 == 224 => Why::Multicast,
        [a, ..] if a >= 240 => Why::Reserved,
        _ => return None,
    })
}

fn is_metadata_v4(ip: Ipv4Addr) -> bool {
    matches!(
        ip.octets(),
        // Most clouds at .169.254, with time and name servers beside it; containers at .170.x.
        [169, 254, 169 | 170, _]
        // Tencent, Scaleway.
        | [169, 254, 0, 23] | [169, 254, 42, 42]
        // Alibaba, Azure, Oracle.
        | [100, 100, 100, 200] | [168, 63, 129, 16] | [192, 0, 0, 192]
    )
}

fn judge_v6(ip: Ipv6Addr) -> Option<Why> {
    let s = ip.segments();
    let low = || Ipv4Addr::from(((u32::from(s[6])) << 16) | u32::from(s[7]));
    match s {
        [0, 0, 0, 0, 0, 0, 0, 0] => return Some(Why::Unspecified),
        [0, 0, 0, 0, 0, 0, 0, 1] => return Some(Why::Loopback),
        // Compatible, mapped, translated (SIIT) and NAT64 addresses.
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _] | [0, 0, 0, 0, 0xffff, 0, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => {
            return judge_v4(low());
        }
        // 6to4 carries the IPv4 address behind its prefix.
        [0x2002, high, next, ..] => return judge_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(next))),
        // Amazon, Google, Scaleway.
        [0xfd00, 0xec2, ..] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254] | [0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42] => {
            return Some(Why::Metadata);
        }
        _ => {}
    }
    Some(match s[0] {
        a if a & 0xff00 == 0xff00 => Why::Multicast,
        a if a & 0xffc0 == 0xfe80 => Why::LinkLocal,
        a if a & 0xffc0 == 0xfec0 || a & 0xfe00 == 0xfc00 => Why::Private,
        0x2001 if s[1] == 0xdb8 => Why::Documentation,
        0x3fff if s[1] & 0xf000 == 0 => Why::Documentation,
        // Teredo, benchmarks and other protocol assignments.
        0x2001 if s[1] < 0x200 => Why::Reserved,
        // The public internet is all in 2000::/3.
        a if a & 0xe000 == 0x2000 => return None,
        _ => Why::Reserved,
    })
}
