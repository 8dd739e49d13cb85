//! `--resolve`: names that are dialled at a given address instead of being looked up.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use facts::HostName;

/// One `--resolve` rule: `[http:|https:]PATTERN[:PORT]=ADDRESS:PORT`.
///
/// The pattern is a host name, `*.` and a name (all hosts below it, not itself), or `*`. Hosts that
/// match are dialled at exactly this address and port; URL, `Host` header and TLS name stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolveRule {
    scheme: Option<Scheme>,
    hosts: Hosts,
    port: Option<u16>,
    address: SocketAddr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Hosts {
    All,
    Below(HostName),
    One(HostName),
}

/// Why a `--resolve` rule cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read the rule {rule:?}: {why}; write it as *.example.org=127.0.0.1:8080")]
pub struct RuleError {
    rule: String,
    why: &'static str,
}

impl ResolveRule {
    /// Reads a rule as written on the command line.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let error = |why| RuleError { rule: text.chars().take(200).collect(), why };
        let (left, right) = text.trim().split_once('=').ok_or_else(|| error("there is no = in it"))?;
        let address = right.trim().parse().map_err(|_| error("after = comes an address with a port"))?;
        let (scheme, pattern) = split_scheme(left.trim());
        let (name, port) = split_port(pattern).ok_or_else(|| error("the port is not a number from 1 to 65535"))?;
        let host = |name: &str| {
            let host = HostName::parse(name).filter(|_| !name.contains('*'));
            host.ok_or_else(|| error("the pattern is not a host name"))
        };
        let hosts = match name.strip_prefix('*') {
            Some("") => Hosts::All,
            Some(rest) => {
                let name = rest.strip_prefix('.').ok_or_else(|| error("* can only stand for whole labels"))?;
                Hosts::Below(host(name)?)
            }
            None => Hosts::One(host(name)?),
        };
        Ok(Self { scheme, hosts, port, address })
    }

    /// The only address and port this rule admits.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether the rule speaks for this host at all, over some scheme and port.
    pub fn covers(&self, host: &HostName) -> bool {
        let name = host.as_str().trim_end_matches('.');
        match &self.hosts {
            Hosts::All => true,
            Hosts::One(one) => one.as_str().trim_end_matches('.') == name,
            Hosts::Below(parent) => name
                .strip_suffix(parent.as_str().trim_end_matches('.'))
                .and_then(|labels| labels.strip_suffix('.'))
                .is_some_and(|labels| !labels.is_empty()),
        }
    }

    /// Whether a request over this scheme to this host and port goes to [`address`](Self::address).
    pub fn applies(&self, scheme: &str, host: &HostName, port: u16) -> bool {
        self.scheme.is_none_or(|wanted| wanted.as_str() == scheme)
            && self.port.is_none_or(|wanted| wanted == port)
            && self.covers(host)
    }
}

impl Scheme {
    fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// A scheme is only one when a name follows: `http:8080=…` is a host called "http" with a port.
fn split_scheme(left: &str) -> (Option<Scheme>, &str) {
    for scheme in [Scheme::Https, Scheme::Http] {
        let rest = left.strip_prefix(scheme.as_str()).and_then(|rest| rest.strip_prefix(':'));
        if let Some(rest) = rest.map(|rest| rest.trim_start_matches("//"))
            && rest.parse::<u16>().is_err()
        {
            return (Some(scheme), rest);
        }
    }
    (None, left)
}

/// The port behind the last colon that is not inside an IPv6 address; none when it cannot be one.
fn split_port(pattern: &str) -> Option<(&str, Option<u16>)> {
    match pattern.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => {
            let port = port.parse::<u16>().ok().filter(|port| *port != 0)?;
            Some((name, Some(port)))
        }
        _ => Some((pattern, None)),
    }
}

impl FromStr for ResolveRule {
    type Err = RuleError;
    fn from_str(text: &str) -> Result<Self, RuleError> {
        Self::parse(text)
    }
}

impl fmt::Display for ResolveRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = self.scheme {
            write!(f, "{}:", scheme.as_str())?;
        }
        match &self.hosts {
            Hosts::All => f.write_str("*")?,
            Hosts::Below(parent) => write!(f, "*.{parent}")?,
            Hosts::One(one) => write!(f, "{one}")?,
        }
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        write!(f, "={}", self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn applies(rule: &str, url: &str) -> bool {
        let url = facts::Url::parse(url).unwrap();
        ResolveRule::parse(rule).unwrap().applies(url.scheme(), &url.host(), url.port())
    }

    #[test]
    fn a_rule_speaks_for_its_hosts_only() {
        for (rule, url, expected) in [
            ("*.lab.test=127.0.0.1:8080", "http://a.lab.test/", true),
            ("*.lab.test=127.0.0.1:8080", "http://a.b.lab.test:81/", true),
            ("*.lab.test=127.0.0.1:8080", "http://lab.test/", false),
            ("*.lab.test=127.0.0.1:8080", "http://evil-lab.test/", false),
            ("*.lab.test=127.0.0.1:8080", "http://a.lab.test.evil.example/", false),
            ("*.lab.test=127.0.0.1:8080", "http://a.lab.test./", true),
            ("Example.ORG=127.0.0.1:1", "https://example.org/", true),
            ("example.org=127.0.0.1:1", "https://www.example.org/", false),
            ("*=[::1]:9", "https://anything.example/", true),
            ("https:*.lab.test=127.0.0.1:8443", "https://a.lab.test/", true),
            ("https:*.lab.test=127.0.0.1:8443", "http://a.lab.test/", false),
            ("http:*.lab.test=127.0.0.1:8443", "http://a.lab.test/", true),
            ("*.lab.test:443=127.0.0.1:8443", "https://a.lab.test/", true),
            ("*.lab.test:443=127.0.0.1:8443", "http://a.lab.test/", false),
            ("https:*.lab.test:444=127.0.0.1:8443", "https://a.lab.test:444/", true),
            ("[::1]:80=127.0.0.1:8080", "http://[::1]/", true),
            ("[::1]=127.0.0.1:8080", "http://[::1]:7/", true),
            ("http:80=127.0.0.1:8080", "http://http/", true),
        ] {
            assert_eq!(applies(rule, url), expected, "{rule} for {url}");
        }
    }

    #[test]
    fn a_bad_rule_is_named_with_what_to_write_instead() {
        for bad in [
            "",
            "example.org",
            "example.org=127.0.0.1",
            "example.org=localhost:80",
            "example.org=127.0.0.1:99999",
            "=127.0.0.1:80",
            "a*.example=127.0.0.1:80",
            "*.=127.0.0.1:80",
            "example.org:0=127.0.0.1:80",
            "example.org:x=127.0.0.1:80",
            "exa mple=127.0.0.1:80",
            "a/b=127.0.0.1:80",
        ] {
            let error = ResolveRule::parse(bad).expect_err(bad).to_string();
            assert!(error.contains("write it as"), "{error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_rule_survives_being_written(
            scheme in "(http:|https:)?", star in "(\\*\\.)?", host in "[a-z]{2,8}\\.test", port in proptest::option::of(1u16..), to in 1u16..,
        ) {
            let port = port.map(|p| format!(":{p}")).unwrap_or_default();
            let text = format!("{scheme}{star}{host}{port}=127.0.0.1:{to}");
            let rule = ResolveRule::parse(&text).unwrap();
            prop_assert_eq!(rule.to_string(), text);
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,80}") {
            let _ = ResolveRule::parse(&text);
        }
    }
}
