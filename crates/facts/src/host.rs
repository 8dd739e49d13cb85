//! Hosts, origins and sites.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

/// A host name in lower case (international names in their ASCII form), or an IP address as a
/// URL writes it. The unit of politeness: http and https of one name are one host.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HostName(Box<str>);

impl HostName {
    /// The host of an already parsed URL.
    pub(crate) fn from_parsed(host: &str) -> Self {
        Self(host.into())
    }

    /// A host name as a person writes it, such as in `forget example.org`.
    pub fn parse(text: &str) -> Option<Self> {
        let url = crate::Url::parse(&format!("http://{}/", text.trim())).ok()?;
        (url.path() == "/" && url.query().is_none() && url.port() == 80).then(|| url.host())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address when the host is written as one (`127.0.0.1`, `[::1]`).
    pub fn as_ip(&self) -> Option<IpAddr> {
        self.0.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }

    /// The registrable domain this host belongs to; the host itself where there is none.
    pub fn site(&self) -> Site {
        if self.as_ip().is_some() {
            return Site(self.0.clone());
        }
        let name = self.0.trim_end_matches('.');
        Site(psl::domain_str(name).unwrap_or(name).into())
    }

    /// The last label, such as `fi`; nothing for an IP address.
    pub fn tld(&self) -> Option<&str> {
        if self.as_ip().is_some() {
            return None;
        }
        self.0.trim_end_matches('.').rsplit('.').next().filter(|label| !label.is_empty())
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A registrable domain (`example.co.uk`): the unit of "same site".
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site(Box<str>);

impl Site {
    /// The domain.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Scheme, host and port: what one robots.txt speaks for (RFC 9309 §2.3).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    https: bool,
    host: HostName,
    port: u16,
}

impl Origin {
    pub(crate) fn new(scheme: &str, host: HostName, port: u16) -> Self {
        Self { https: scheme == "https", host, port }
    }

    /// Its host.
    pub fn host(&self) -> &HostName {
        &self.host
    }

    /// A document at a fixed place of this origin, such as `/robots.txt`.
    pub fn at(&self, path: &str) -> crate::Url {
        crate::Url::parse(&format!("{self}{path}")).expect("an origin and an absolute path make a URL")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, own_port) = if self.https { ("https", 443) } else { ("http", 80) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == own_port { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_registrable_domains() {
        for (host, site) in [
            ("www.example.co.uk", "example.co.uk"),
            ("a.b.example.org", "example.org"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("photos3.lab.test", "lab.test"),
        ] {
            assert_eq!(HostName::parse(host).unwrap().site().as_str(), site, "{host}");
        }
    }

    #[test]
    fn hosts_are_read_as_people_write_them() {
        assert_eq!(HostName::parse("  WWW.Example.ORG ").unwrap().as_str(), "www.example.org");
        assert!(HostName::parse("example.org/path").is_none());
        assert!(HostName::parse("").is_none());
        assert_eq!(HostName::parse("example.fi").unwrap().tld(), Some("fi"));
    }

    #[test]
    fn an_origin_finds_its_robots() {
        let url = crate::Url::parse("https://example.org/deep/page?x=1").unwrap();
        assert_eq!(url.origin().at("/robots.txt").as_str(), "https://example.org/robots.txt");
        let url = crate::Url::parse("http://[::1]:8080/").unwrap();
        assert_eq!(url.origin().to_string(), "http://[::1]:8080");
    }
}
