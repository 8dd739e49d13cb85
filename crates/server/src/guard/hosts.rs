//! The names this server goes by.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::request::Parts;
use http::{StatusCode, Uri, header};

use crate::problem::Problem;

/// The names that a request may call this server by.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    /// Any address of this machine will do: a name that leads elsewhere is no address.
    any_address: bool,
    names: Vec<String>,
}

impl Hosts {
    /// For a server that listens here and goes by these names too.
    pub fn new(listen: SocketAddr, names: &[String]) -> Self {
        let mut known: Vec<String> = names.iter().map(|name| name.trim_end_matches('.').to_ascii_lowercase()).collect();
        if listen.ip().is_loopback() {
            known.push("localhost".into());
        }
        Self { any_address: !listen.ip().is_loopback(), names: known }
    }

    /// Refuses a request that is meant for another name.
    pub fn check(&self, parts: &Parts) -> Result<(), Problem> {
        let mut given = parts.headers.get_all(header::HOST).iter();
        let (Some(host), None) = (given.next(), given.next()) else {
            return Err(Problem::new(StatusCode::BAD_REQUEST, "exactly one Host header is needed"));
        };
        let host = host.to_str().unwrap_or_default();
        let called = parts.uri.authority().map_or(host, |authority| authority.as_str());
        if self.is_ours(host) && self.is_ours(called) {
            return Ok(());
        }
        let shown: String = host.chars().filter(|c| c.is_ascii_graphic()).take(100).collect();
        let detail =
            format!("this server does not go by the name '{shown}': start it with --host-name NAME if it should");
        Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, detail))
    }

    /// With whatever port: it may be forwarded from another.
    fn is_ours(&self, authority: &str) -> bool {
        let Some(name) = name_of(authority) else { return false };
        match name.parse::<IpAddr>().ok().or_else(|| bracketed(&name)) {
            Some(address) => self.any_address || address.is_loopback() || self.names.contains(&name),
            None => self.names.contains(&name),
        }
    }
}

/// `[::1]`.
fn bracketed(name: &str) -> Option<IpAddr> {
    let inner = name.strip_prefix('[')?.strip_suffix(']')?;
    inner.parse::<Ipv6Addr>().ok().map(|address| address.to_canonical())
}

/// The host of `host:port`, in lower case.
fn name_of(authority: &str) -> Option<String> {
    if authority.contains(['@', '/', '\\', '%']) {
        return None;
    }
    let uri: Uri = authority.parse().ok()?;
    let host = uri.host()?.trim_end_matches('.').to_ascii_lowercase();
    Some(host).filter(|host| !host.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hosts: &Hosts, host: &str) -> bool {
        let (parts, ()) = http::Request::builder().uri("/").header("host", host).body(()).unwrap().into_parts();
        hosts.check(&parts).is_ok()
    }

    #[test]
    fn a_name_that_leads_here_is_not_ours_for_that() {
        let loopback = Hosts::new(([127, 0, 0, 1], 7700).into(), &["Bird.Example".into()]);
        for (host, ours) in [
            ("127.0.0.1:7700", true),
            ("127.0.0.1", true),
            ("localhost:8080", true),
            ("LOCALHOST.", true),
            ("[::1]:7700", true),
            ("bird.example", true),
            ("bird.example:443", true),
            ("evil.example", false),
            ("evil.example:7700", false),
            ("localhost.evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("192.168.1.5:7700", false),
            ("localhost@evil.example", false),
            ("evil.example@localhost", false),
            ("2130706433", false),
            ("", false),
        ] {
            assert_eq!(check(&loopback, host), ours, "{host}");
        }
        let open = Hosts::new(([0, 0, 0, 0], 7700).into(), &[]);
        assert!(check(&open, "192.168.1.5:7700") && check(&open, "[fd00::1]"));
        assert!(!check(&open, "localhost.evil.example") && !check(&open, "evil.example"));
    }

    #[test]
    fn a_second_host_or_another_one_in_the_address_is_refused() {
        let hosts = Hosts::new(([127, 0, 0, 1], 7700).into(), &[]);
        let request = http::Request::builder().uri("/").header("host", "localhost").header("host", "evil.example");
        assert!(hosts.check(&request.body(()).unwrap().into_parts().0).is_err());
        let request = http::Request::builder().uri("http://evil.example/").header("host", "localhost");
        assert!(hosts.check(&request.body(()).unwrap().into_parts().0).is_err());
        assert!(hosts.check(&http::Request::builder().uri("/").body(()).unwrap().into_parts().0).is_err());
    }
}
